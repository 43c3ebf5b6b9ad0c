"""Memory limits: what results take together, and errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from tqp.errors import OutOfMemoryError
from tqp.operators.operator import Run
from tqp.physical.pipeline import Pipeline
from tqp.runtime.observe import Observer

__all__ = ["MemoryLimit"]

_HINT = "raise memory_limit, filter earlier, or select fewer columns"


class MemoryLimit(Observer):
    """Turns what the machine says about memory into OutOfMemoryError, and holds results to `limit` bytes, None: to no limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit

    @contextmanager
    def around(self, pipeline: Pipeline, run: Run) -> Iterator[None]:
        step = pipeline.sink.describe
        try:
            yield
        except (MemoryError, torch.OutOfMemoryError) as error:
            raise OutOfMemoryError(f"out of memory in the step «{step()}»: {error}", hint=_HINT) from error
        except RuntimeError as error:
            if "allocate memory" in str(error):
                raise OutOfMemoryError(f"out of memory in the step «{step()}»: {error}", hint=_HINT) from error
            raise
        limit = self._limit
        if limit is not None and run.held > limit:
            raise OutOfMemoryError(
                f"memory limit reached in the step «{step()}»: {run.held:,} bytes of intermediate results, {limit:,} allowed",
                hint=_HINT,
            )
