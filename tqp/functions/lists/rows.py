"""What functions of lists share: the elements of all rows side by side, and lists made of such again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.nested import below, lengths, of_lengths
from tqp.errors import BindError
from tqp.functions.align import concat
from tqp.functions.registry import Args, Compared, Kernel, Signature, TypeRule, scalar
from tqp.functions.unify import unify
from tqp.ir.expr import ColumnRef, Expr
from tqp.kernels import repeats
from tqp.kernels.reduce import count
from tqp.types import NULL, DType, Kind, list_of

__all__ = [
    "Elements", "chosen", "element_of", "list_function", "list_types", "side_by_side", "stand_in", "valid_together",
    "with_element",
]  # fmt: skip

_OfRows = Callable[[Sequence[Column], DType], Column]


def list_function(
    *names: str,
    types: TypeRule,
    strict: bool = True,
    total: bool = False,
    typed_null: bool = False,
    of_keys: Compared | None = None,
) -> Callable[[_OfRows], _OfRows]:
    """Register a kernel whose arguments are columns (n,), of one row where all are constants; see `scalar`.

    A strict one that makes lists has no type, but that of NULL, where the list is a NULL without one; unless `typed_null`.
    """

    def typed(args: tuple[Expr, ...]) -> Signature:
        wanted, out = types(args)
        if strict and not typed_null and out.is_nested and args[0].dtype.kind is Kind.NULL:
            return tuple(arg.dtype for arg in args), NULL
        return wanted, out

    def register(kernel: _OfRows) -> _OfRows:
        def of_args(args: Args, out: DType) -> Column:
            if out.kind is Kind.NULL:
                return constant(None, NULL, args[0].device)
            rows = next((len(arg) for arg in args if not arg.is_constant), None)
            made = kernel([arg.expand(1 if rows is None else rows) for arg in args], out)
            return made if rows is not None else made.map(lambda tensor: tensor[0])

        wrapped: Kernel = of_args
        scalar(*names, types=typed, strict=strict, total=total, of_keys=of_keys)(wrapped)
        return kernel

    return register


def element_of(arg: Expr, name: str) -> DType:
    """The type of the elements of a list or an array; that of NULL for a NULL. BindError for anything else."""
    dtype = arg.dtype
    if dtype.kind is Kind.NULL:
        return NULL
    if dtype.kind not in (Kind.LIST, Kind.ARRAY) or dtype.element is None:
        raise BindError(f"{name} takes a list, not {dtype}")
    return dtype.element


def stand_in(dtype: DType) -> Expr:
    """What stands for the elements of a list where types are found that go together."""
    return ColumnRef("", dtype)


def with_element(list_: Expr, value: Expr, name: str) -> DType:
    """The type that the elements of a list and a value take together; BindError where there is none."""
    common = unify((stand_in(element_of(list_, name)), value))
    if common is None:
        raise BindError(f"{name}: {list_.dtype} and {value.dtype} do not go together", hint="cast one of them")
    return common


def list_types(name: str, out: Callable[[DType], DType], *others: DType, optional: int = 0) -> TypeRule:
    """A list, then arguments of the types `others`, the last `optional` of which may be left out; `out` of the element's type."""

    def types(args: tuple[Expr, ...]) -> Signature:
        least, most = 1 + len(others) - optional, 1 + len(others)
        if not least <= len(args) <= most:
            wanted = f"{most}" if least == most else f"{least} to {most}"
            raise BindError(f"{name} takes {wanted} arguments, not {len(args)}")
        element = element_of(args[0], name)
        return (list_of(element), *others)[: len(args)], out(element)

    return types


def chosen(of: Elements, kept: Tensor, out: DType) -> Column:
    """Lists of the elements `kept` (k,) int64, which are row by row."""
    counts = count(of.owners.index_select(0, kept), of.counts.shape[0])
    return of_lengths(counts, of.values.take(kept), out)


class Elements:
    """The elements of a list column (n,), list by list: `values` (m,), the rows that own them, their places `within` lists.

    `counts` (n,) and `starts` (n,) say how many each row has, and which of all is its first; int64, as `owners` and `within`, which
    are computed where somebody asks.
    """

    def __init__(self, column: Column) -> None:
        self.counts = lengths(column)
        self.starts = torch.cumsum(self.counts, 0) - self.counts
        self.values = below(column)

    @cached_property
    def owners(self) -> Tensor:
        return repeats.owners(self.counts, 0, len(self.values)).long()

    @cached_property
    def within(self) -> Tensor:
        return repeats.places(torch.zeros_like(self.counts), self.counts, len(self.values))


def side_by_side(lists: Sequence[Column], out: DType) -> Column:
    """In each row the elements of all lists (n,) one after the other; of a NULL none. Cost: two passes over the elements."""
    parts = [Elements(one) for one in lists]
    counts = torch.stack([part.counts for part in parts], 1)
    total = counts.sum(1)
    starts = torch.cumsum(total, 0) - total
    begins = starts.unsqueeze(1) + torch.cumsum(counts, 1) - counts
    places = [begins[:, number].index_select(0, part.owners) + part.within for number, part in enumerate(parts)]
    place = torch.cat(places)
    values = concat([part.values for part in parts], [len(part.values) for part in parts])
    order = torch.empty_like(place).scatter_(0, place, torch.arange(place.shape[0], device=place.device))
    return Column(torch.stack([starts, total], 1), out, children=(values.take(order),))


def valid_together(columns: Sequence[Column]) -> Tensor | None:
    """Where a row is not NULL in any of the columns; None where no column has NULLs."""
    valid = None
    for column in columns:
        if column.valid is not None:
            valid = column.valid if valid is None else valid & column.valid
    return valid
