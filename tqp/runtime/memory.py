"""Memory limits: what a pipeline's results take, and errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from tqp.errors import OutOfMemoryError
from tqp.physical.build import Built
from tqp.physical.pipeline import Pipeline, Relation, Run

__all__ = ["guard"]

_HINT = "raise memory_limit, filter earlier, or select fewer columns"


@contextmanager
def guard(pipeline: Pipeline, state: Run) -> Iterator[None]:
    """Turn what the machine says about memory into OutOfMemoryError, and hold results to the limit."""
    step = pipeline.sink.describe()
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise OutOfMemoryError(f"out of memory in the step «{step}»: {error}", hint=_HINT) from error
    except RuntimeError as error:
        if "allocate memory" in str(error):
            raise OutOfMemoryError(f"out of memory in the step «{step}»: {error}", hint=_HINT) from error
        raise
    limit = state.settings.memory_limit
    if limit is None:
        return
    held = sum(_bytes(result) for result in state.results.values())
    if held > limit:
        raise OutOfMemoryError(
            f"memory limit reached in the step «{step}»: {held:,} bytes of intermediate results, {limit:,} allowed",
            hint=_HINT,
        )


def _bytes(result: object) -> int:
    if isinstance(result, Relation):
        return result.nbytes
    if isinstance(result, torch.Tensor):
        return result.numel() * result.element_size()
    if isinstance(result, Built):
        return sum(column.nbytes for column in result.columns.values())
    return 0
