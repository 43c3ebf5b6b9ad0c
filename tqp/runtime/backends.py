"""Backends: how the pipelines of a program run.

`eager` calls one torch operation after the other. `compile` does the same but for pipelines that filter, project and
aggregate into few groups, which run as one compiled function. EXPLAIN ANALYZE says why a pipeline is not compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tqp.kernels.operation import NotTraceable
from tqp.operators.choice import Choice
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.compile import FusedAggregation, fuse

__all__ = ["BACKENDS", "Backend"]

Backend = Callable[[Pipeline, Run, PreparedSink[Any, Result]], FusedAggregation | None]
"""What a pipeline becomes; None: it runs eagerly, for the reason in the run's notes."""


def _compile(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> FusedAggregation | None:
    try:
        return fuse(pipeline, run, sink)
    except NotTraceable as why:
        run.note(pipeline.source, Choice("backend", "not compiled", ("one compiled function",), str(why)))
        return None


BACKENDS: dict[str, Backend | None] = {"eager": None, "compile": _compile}
"""What makes a compiled function of a pipeline, by the backend's name; None: all pipelines run eagerly."""
