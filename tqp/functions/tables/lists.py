"""unnest: the elements of lists as rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, lengths
from tqp.errors import BindError
from tqp.functions.registry import Args
from tqp.functions.tables.registry import Asked, TableSignature, table_function
from tqp.ir.expr import Expr
from tqp.kernels.repeats import follow_from
from tqp.kernels.rows import row_dtype
from tqp.types import Kind, list_of

__all__: list[str] = []


def _types(args: tuple[Expr, ...]) -> TableSignature:
    elements = []
    for arg in args:
        if arg.dtype.kind not in (Kind.LIST, Kind.ARRAY) or arg.dtype.element is None:
            raise BindError(f"unnest takes a list, not {arg.dtype}", hint="as in unnest([1, 2, 3])")
        elements.append(arg.dtype.element)
    return tuple(map(list_of, elements)), tuple(("unnest", element) for element in elements)


@dataclass(frozen=True, slots=True)
class _Unnested:
    """The elements of several lists side by side: as many rows as the longest has, the others NULL behind their last."""

    counts: Tensor
    lists: tuple[Column, ...]
    begins: None = None

    def columns(self, asked: Asked) -> list[Column]:
        found = []
        for column in self.lists:
            starts, counts = column.data[..., 0], lengths(column)
            if asked.rows is not None:
                starts, counts = starts.index_select(0, asked.rows), counts.index_select(0, asked.rows)
            inside = asked.places < counts
            found.append(at(column.children[0], torch.where(inside, starts + asked.places, 0), inside))
        return found


@dataclass(frozen=True, slots=True)
class _Elements:
    """The elements of one list. `joined`: where the first of all lies, if those of a list follow those of the list before it."""

    counts: Tensor
    begins: Tensor
    child: Column
    joined: int | None

    def columns(self, asked: Asked) -> list[Column]:
        if self.joined is not None and asked.first is not None:
            first = self.joined + asked.first
            return [self.child.slice(first, first + asked.count)]
        return [at(self.child, asked.places, None)]


@table_function("unnest", types=_types, correlated=True, named_by_alias=True)
def _unnest(args: Args, rows: int) -> _Unnested | _Elements:
    each = [lengths(column).reshape(-1) for column in args]
    counts = each[0]
    if len(args) == 1:
        child = args[0].children[0]
        begins = args[0].data[..., 0].reshape(-1)
        joined = follow_from(begins, counts) if begins.shape[0] == rows > 0 else None
        return _Elements(counts, begins.to(row_dtype(len(child))), child, joined)
    for other in each[1:]:
        counts = torch.maximum(counts, other)
    return _Unnested(counts, tuple(args))
