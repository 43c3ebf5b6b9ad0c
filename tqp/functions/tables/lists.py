"""unnest: the elements of lists as rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, lengths
from tqp.errors import BindError
from tqp.functions.registry import Args
from tqp.functions.tables.registry import TableSignature, table_function
from tqp.ir.expr import Expr
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
    """The elements of lists side by side: as many rows as the longest has, the others NULL behind their last."""

    counts: Tensor
    lists: tuple[Column, ...]

    def columns(self, rows: Tensor | None, positions: Tensor) -> list[Column]:
        found = []
        for column in self.lists:
            starts, counts = column.data[..., 0], lengths(column)
            if rows is not None:
                starts, counts = starts.index_select(0, rows), counts.index_select(0, rows)
            inside = None if len(self.lists) == 1 else positions < counts
            places = starts + positions
            found.append(at(column.children[0], places if inside is None else torch.where(inside, places, 0), inside))
        return found


@table_function("unnest", types=_types, correlated=True, named_by_alias=True)
def _unnest(args: Args, rows: int) -> _Unnested:
    each = [lengths(column).reshape(-1) for column in args]
    counts = each[0]
    for other in each[1:]:
        counts = torch.maximum(counts, other)
    return _Unnested(counts, tuple(args))
