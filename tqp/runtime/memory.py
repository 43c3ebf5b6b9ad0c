"""Memory limits: what a pipeline's results take, and errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass

import torch

from tqp.errors import OutOfMemoryError
from tqp.operators.build import Built, Members
from tqp.operators.operator import Relation, Run
from tqp.physical.program import Pipeline

__all__ = ["guard", "result_bytes"]

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
    held = sum(result_bytes(result) for result in state.results.values())
    if held > limit:
        raise OutOfMemoryError(
            f"memory limit reached in the step «{step}»: {held:,} bytes of intermediate results, {limit:,} allowed",
            hint=_HINT,
        )


def result_bytes(result: object) -> int:
    """Bytes of what a pipeline left: columns, and what they are looked up with."""
    if isinstance(result, Relation):
        return result.nbytes
    if isinstance(result, torch.Tensor):
        return result.numel() * result.element_size()
    if isinstance(result, Built):
        return sum(column.nbytes for column in result.columns.values()) + _lookup_bytes(result.lookup)
    if isinstance(result, Members):
        return result.bitmap.numel() * result.bitmap.element_size()
    return 0


def _lookup_bytes(lookup: object) -> int:
    if not is_dataclass(lookup):
        return 0
    parts = [getattr(lookup, item.name) for item in fields(lookup)]
    return sum(part.numel() * part.element_size() for part in parts if isinstance(part, torch.Tensor))
