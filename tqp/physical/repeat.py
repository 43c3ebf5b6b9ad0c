"""Which pipelines of a recursion's step run again and again, and which once before; what reads its rows as they come."""

from __future__ import annotations

from dataclasses import replace

from tqp.operators.recursion import Recursion, SeedSink, StepSink
from tqp.operators.results import Result, Slot
from tqp.physical.pipeline import Pipeline

__all__ = ["ends_early", "interleave", "repeat"]


def repeat(pipelines: list[Pipeline], start: int, recursion: Slot[Recursion]) -> None:
    """Let those from place `start` on that depend on the recursion run again as long as the last one's result has rows.

    The others go before them: what they leave is the same each time.
    """
    made = pipelines[start:]
    depending: set[Slot[Result]] = {recursion}
    size = 0
    while size != len(depending):
        size = len(depending)
        for one in made:
            if not depending.isdisjoint(one.reads):
                depending.add(one.writes)
                if isinstance(one.sink, StepSink):
                    # A recursion within, of which a part depends, begins anew.
                    depending.add(one.sink.recursion)
    again = [one for one in made if one.writes in depending]
    once = [one for one in made if one.writes not in depending]
    again[-1] = replace(again[-1], again=again[0].writes)
    pipelines[start:] = [*once, *again]


def ends_early(pipelines: list[Pipeline], recursion: Slot[Recursion]) -> bool:
    """Whether rows of the recursion are final when they come, and no pipeline behind its last step reads them."""
    seed = next(one.sink for one in pipelines if one.writes == recursion)
    if not isinstance(seed, SeedSink) or seed.fold is not None:
        return False
    return all(recursion not in one.reads for one in pipelines[_last(pipelines, recursion) + 1 :])


def interleave(pipelines: list[Pipeline], recursion: Slot[Recursion]) -> None:
    """Let the last pipeline, which reads the rows of the recursion that came last, run before each step."""
    end = _last(pipelines, recursion)
    first = next(place for place, one in enumerate(pipelines) if one.writes == pipelines[end].again)
    step, others, reader = pipelines[first : end + 1], pipelines[end + 1 : -1], pipelines[-1]
    step[-1] = replace(step[-1], again=reader.writes)
    pipelines[first:] = [*others, reader, *step]


def _last(pipelines: list[Pipeline], recursion: Slot[Recursion]) -> int:
    """The place of the pipeline that ends a step of the recursion."""
    ends = (
        place
        for place, one in enumerate(pipelines)
        if isinstance(one.sink, StepSink) and one.sink.recursion == recursion
    )
    return next(ends)
