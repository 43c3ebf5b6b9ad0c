"""Lists, structs and maps as columns: what their ranges and places point at, and how they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.kernels import waits
from tqp.kernels.repeats import follow_from
from tqp.kernels.rows import expand, pair_sizes
from tqp.types import DType

__all__ = ["MOST_ELEMENTS", "at", "below", "compacted", "elements", "field", "lengths", "of_fields", "of_lengths"]

MOST_ELEMENTS: Final = 2**40
"""No list has more: there is no memory for so many."""
_USED = "how many elements the lists of a column have"


def lengths(column: Column) -> Tensor:
    """How many elements each list of a column (n,) has, (n,) int64; 0 of a NULL."""
    counts = column.data[..., 1]
    return counts if column.valid is None else torch.where(column.valid, counts, 0)


def elements(column: Column) -> tuple[Tensor, Column]:
    """The elements (m,) of all lists of a column (n,), list by list, and the row (m,) of each. Cost: a gather of m values."""
    rows, places = expand(column.data[:, 0], lengths(column))
    return rows, column.children[0].take(places)


def below(column: Column) -> Column:
    """The elements (m,) of all lists of a column (n,), list by list: a view where they lie so, else a gather."""
    counts = lengths(column)
    first = follow_from(column.data[:, 0], counts) if counts.shape[0] else 0
    if first is None:
        return elements(column)[1]
    total, _ = pair_sizes(counts)
    return column.children[0].slice(first, first + total)


def of_lengths(counts: Tensor, child: Column, dtype: DType, valid: Tensor | None = None) -> Column:
    """Lists of `counts` (n,) elements each, which `child` (m,) has list by list; a NULL has none."""
    starts = torch.cumsum(counts, 0, dtype=torch.int64) - counts
    return Column(torch.stack([starts, counts.long()], 1), dtype, valid, children=(child,))


def field(column: Column, place: int) -> Column:
    """Field number `place` of the structs of a column (n,) or a constant; NULL where the struct is."""
    return at(column.children[place], column.data, column.valid)


def at(child: Column, places: Tensor, inside: Tensor | None) -> Column:
    """The values of a child at `places` (n,) or (), int64, NULL where not `inside`: there a place may be any row of the child, and
    any number where that has none."""
    if len(child) == 0:
        data = torch.zeros(child.data.shape[1:], dtype=child.data.dtype, device=child.device)
        null = replace(child, data=data, valid=torch.zeros((), dtype=torch.bool, device=child.device))
        return null.expand(places.shape[0]) if places.ndim else null
    found = child.take(places.reshape(-1))
    if not places.ndim:
        found = found.map(lambda tensor: tensor[0])
    if inside is None:
        return found
    return found.with_valid(inside if found.valid is None else found.valid & inside)


def of_fields(fields: Sequence[Column], dtype: DType, device: torch.device) -> Column:
    """Structs of these fields, each (n,) or a constant; a constant where all are, and where there are none."""
    rows = next((len(one) for one in fields if not one.is_constant), None)
    children = tuple([one.expand(1 if rows is None else rows) for one in fields])
    if rows is None:
        return Column(torch.zeros((), dtype=torch.int64, device=device), dtype, children=children)
    return Column(torch.arange(rows, dtype=torch.int64, device=device), dtype, children=children)


def compacted(column: Column) -> Column:
    """The rows of a column (n,) over children without what nothing points into, where that is more than half of them."""
    dtype, rows = column.dtype, len(column)
    if not column.children or not (dtype.is_record or dtype.element is not None):
        return column
    if dtype.is_record:
        if len(column.children[0]) <= 2 * rows:
            return column
        fields = [compacted(field(column, place)) for place in range(len(column.children))]
        return of_fields(fields, dtype, column.device).with_valid(column.valid)
    counts = lengths(column)
    if len(column.children[0]) <= 2 * waits.number(counts.sum(), _USED):
        return column
    return of_lengths(counts, compacted(elements(column)[1]), dtype, column.valid)
