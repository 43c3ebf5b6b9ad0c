"""What becomes of the rows whose values have no cast."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.entries import Entries

__all__ = ["checked"]


def checked(
    column: Column, entries: Entries, good: Sequence[bool], problem: Callable[[int], str], safe: bool
) -> torch.Tensor | None:
    """Which rows (n,) have a value: as before, or without those of entries that are not `good` if `safe`.

    Else ExecutionError, with the `problem` of an entry, where a row that is not NULL has such a one.
    """
    if all(good):
        return column.valid
    if not safe:
        entries.check(pa.array([not one for one in good]), [column], problem, NULL_INSTEAD)
        return column.valid
    known = entries.rows(torch.tensor(good, dtype=torch.bool, device="cpu"))
    return known if column.valid is None else column.valid & known
