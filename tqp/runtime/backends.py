"""Backends: how the pipelines of a program run.

`eager` calls one torch operation after the other; pipelines that filter, project and aggregate exact numbers of many rows
become a loop that Numba compiles in the background (`rowloops`). `compile` turns such pipelines into one compiled function before
they run (`compile`). EXPLAIN ANALYZE says why a pipeline is not compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tqp.kernels.operation import NotTraceable
from tqp.operators.choice import Choice
from tqp.operators.grouping_sets import few_groups
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.compile import FusedAggregation, fuse
from tqp.runtime.rowloops import LoopAggregation, loop_of

__all__ = ["BACKENDS", "Backend", "Fused"]

Fused = FusedAggregation | LoopAggregation
"""What takes the rows of a pipeline in one function."""

Backend = Callable[[Pipeline, Run, PreparedSink[Any, Result]], Fused | None]
"""What a pipeline becomes; None: it runs eagerly, for the reason in the run's notes."""

_LOOP: Final = "one compiled loop"


def _compile(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> FusedAggregation | None:
    if run.spans is not None:
        run.note_also(
            pipeline.source, Choice("backend", "not compiled", ("one compiled function",), "few rows are read")
        )
        return None
    try:
        return fuse(pipeline, run, few_groups(sink))
    except NotTraceable as why:
        run.note_also(pipeline.source, Choice("backend", "not compiled", ("one compiled function",), str(why)))
        return None


def _loop(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> LoopAggregation | None:
    few = few_groups(sink)
    if few is None:
        return None
    try:
        found = loop_of(pipeline, run, few)
    except NotTraceable as why:
        run.note_also(pipeline.source, Choice("rows", "one operation after the other", (_LOOP,), str(why)))
        return None
    if found is not None:
        run.note_also(pipeline.source, Choice("rows", _LOOP, ("one operation after the other",), "many rows were read"))
    return found


BACKENDS: Final[dict[str, Backend]] = {"eager": _loop, "compile": _compile}
"""What makes a compiled function of a pipeline, by the backend's name."""
