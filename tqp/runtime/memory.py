"""Memory: what the results of a run may take together, and errors that say what to do."""

from __future__ import annotations

import torch

from tqp.errors import OutOfMemoryError
from tqp.operators.operator import Run
from tqp.physical.pipeline import Pipeline

__all__ = ["refuse_if_exhausted", "require_within"]

_HINT = "raise memory_limit, filter earlier, or select fewer columns"


def refuse_if_exhausted(error: MemoryError | RuntimeError, pipeline: Pipeline) -> None:
    """OutOfMemoryError where an error of the pipeline says that the machine or the device has no memory left."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in str(error):
        raise OutOfMemoryError(
            f"out of memory in the step «{pipeline.sink.describe()}»: {error}", hint=_HINT
        ) from error


def require_within(limit: int, pipeline: Pipeline, run: Run) -> None:
    """OutOfMemoryError where the results that the run holds after the pipeline take more than `limit` bytes."""
    held = run.held
    if held > limit:
        raise OutOfMemoryError(
            f"memory limit reached in the step «{pipeline.sink.describe()}»: {held:,} bytes of intermediate results, "
            f"{limit:,} allowed",
            hint=_HINT,
        )
