"""Backends: how the pipelines of a program run.

`eager` calls one torch operation after the other. `compile` does the same but for pipelines that filter, project and
aggregate into few groups, which run as one compiled function. EXPLAIN ANALYZE says why a pipeline is not compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tqp.errors import BindError
from tqp.kernels.operation import NotTraceable
from tqp.operators.choice import Choice
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.compile import FusedAggregation, fuse

__all__ = ["BACKENDS", "prepare"]

Backend = Callable[[Pipeline, Run, PreparedSink[Any, Result]], FusedAggregation | None]


def _eager(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> FusedAggregation | None:
    return None


def _compile(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> FusedAggregation | None:
    try:
        return fuse(pipeline, run, sink)
    except NotTraceable as why:
        run.note(pipeline.source, Choice("backend", "not compiled", ("one compiled function",), str(why)))
        return None


BACKENDS: dict[str, Backend] = {"eager": _eager, "compile": _compile}


def prepare(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Result]) -> FusedAggregation | None:
    """What the connection's backend makes of the pipeline; None: run it eagerly, for the reason in the run's notes."""
    backend = BACKENDS.get(run.settings.backend)
    if backend is None:
        raise BindError(f"there is no backend {run.settings.backend!r}", hint=f"choose {' or '.join(BACKENDS)}")
    return backend(pipeline, run, sink)
