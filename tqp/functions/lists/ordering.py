"""Elements of a list in order, and the different ones."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import of_lengths
from tqp.errors import BindError
from tqp.functions.compared import told_apart
from tqp.functions.entries import string
from tqp.functions.lists.rows import Elements, chosen, element_of, list_function, list_types
from tqp.functions.order import order_digits
from tqp.functions.registry import Args, Compared, Signature, TypeRule
from tqp.ir.expr import Expr, Literal
from tqp.kernels import sort
from tqp.kernels.group import group_ids_multi
from tqp.kernels.rows import select
from tqp.types import BIGINT, UBIGINT, VARCHAR, DType, list_of

__all__: list[str] = []

_DIRECTIONS = {"asc": False, "desc": True, "ascending": False, "descending": True, "default": False}
_NULLS = {"nulls first": True, "nulls last": False, "default": False}


def _sort_types(name: str, most: int, out: DType | None = None) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if not 1 <= len(args) <= most:
            raise BindError(f"{name} takes 1 to {most} arguments, not {len(args)}")
        have = list_of(element_of(args[0], name))
        for arg in args[1:]:
            if not isinstance(arg, Literal) or not (arg.dtype.is_text or arg.is_null):
                raise BindError(
                    f"the order of {name} is a constant text", hint="'ASC' or 'DESC', 'NULLS FIRST' or 'NULLS LAST'"
                )
        return (have, VARCHAR, VARCHAR)[: len(args)], have if out is None else out

    return types


def _order(of: Elements, descending: bool, nulls_first: bool) -> Tensor:
    """The elements row by row, in order."""
    return sort.argsort([of.owners, *order_digits(of.values, descending, nulls_first)])


def _flags(args: Args, nulls_place: int) -> tuple[bool, bool]:
    """Whether the order descends, and whether NULLs come first; BindError for other words."""
    words = [string(arg.slice(0, 1)).strip().lower() for arg in args[1:] if len(arg)]
    known = [*([_DIRECTIONS] if nulls_place == 2 else []), _NULLS]
    found = [False] * len(known)
    for place, word in enumerate(words):
        if word not in known[place]:
            raise BindError(f"{word!r} is no order", hint=f"it may be {', '.join(known[place])}")
        found[place] = known[place][word]
    return (found[0], found[1]) if nulls_place == 2 else (False, found[0])


@list_function("list_sort", "array_sort", types=_sort_types("list_sort", 3), of_keys=Compared.SORTED)
def _sort(args: Args, out: DType) -> Column:
    return _sorted(args[0], *_flags(args, 2), out)


@list_function(
    "list_reverse_sort", "array_reverse_sort", types=_sort_types("list_reverse_sort", 2), of_keys=Compared.REVERSED
)
def _reverse_sort(args: Args, out: DType) -> Column:
    return _sorted(args[0], True, _flags(args, 1)[1], out)


def _sorted(list_: Column, descending: bool, nulls_first: bool, out: DType) -> Column:
    of = Elements(list_)
    return of_lengths(of.counts, of.values.take(_order(of, descending, nulls_first)), out)


@list_function(
    "list_grade_up", "array_grade_up", "grade_up", types=_sort_types("list_grade_up", 3, list_of(BIGINT)),
    typed_null=True, of_keys=Compared.ORDER,
)  # fmt: skip
def _grade_up(args: Args, out: DType) -> Column:
    """The places of the elements, from 1, in their order."""
    of = Elements(args[0])
    places = of.within.index_select(0, _order(of, *_flags(args, 2))) + 1
    return of_lengths(of.counts, Column(places, BIGINT), out)


def _firsts(of: Elements) -> Tensor:
    """The first element (k,) int64 of each value that a list has, row by row; NULLs left out."""
    known = select(torch.ones_like(of.owners, dtype=torch.bool) if of.values.valid is None else of.values.valid)
    values = told_apart(of.values.take(known)).with_valid(None)
    _, firsts, _ = group_ids_multi([of.owners.index_select(0, known), *order_digits(values)])
    return known.index_select(0, torch.sort(firsts).values)


@list_function("list_distinct", "array_distinct", types=list_types("list_distinct", list_of))
def _distinct(args: Args, out: DType) -> Column:
    """Each value once, in the order in which they come first; no NULL."""
    of = Elements(args[0])
    return chosen(of, _firsts(of), out)


def _firsts_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"list_firsts takes 2 arguments, not {len(args)}")
    have = list_of(element_of(args[0], "list_firsts"))
    return (have, args[1].dtype), have


@list_function("list_firsts", types=_firsts_types)
def _firsts_by_keys(args: Args, out: DType) -> Column:
    """Each element whose key, that at its place in the second list, comes first there, NULL being a key; in their order."""
    of, keys = Elements(args[0]), Elements(args[1])
    _, firsts, _ = group_ids_multi([keys.owners, *order_digits(keys.values)])
    return chosen(of, torch.sort(firsts).values, out)


@list_function("list_unique", "array_unique", types=list_types("list_unique", lambda element: UBIGINT))
def _unique(args: Args, out: DType) -> Column:
    """How many values differ, NULL aside."""
    of = Elements(args[0])
    kept = of.owners.index_select(0, _firsts(of))
    return Column(torch.zeros_like(of.counts).scatter_add_(0, kept, torch.ones_like(kept)), out)
