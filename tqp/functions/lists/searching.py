"""Whether and where a list has a value, and what lists have in common."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import lengths
from tqp.errors import BindError
from tqp.functions.align import concat
from tqp.functions.compared import compared, told_apart
from tqp.functions.comparison import equal_or_both_null
from tqp.functions.lists.rows import Elements, chosen, element_of, list_function, stand_in, with_element
from tqp.functions.order import order_digits
from tqp.functions.registry import Args, Compared, Signature, TypeRule
from tqp.functions.unify import unify
from tqp.ir.expr import Expr
from tqp.kernels.group import group_ids_multi
from tqp.kernels.rows import select
from tqp.types import BOOLEAN, INTEGER, DType, list_of

__all__: list[str] = []


def _search_types(name: str, out: DType) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes 2 arguments, not {len(args)}")
        common = with_element(args[0], args[1], name)
        return (list_of(common), common), out

    return types


def _firsts(args: Args) -> Tensor:
    """The place from 0 (n,) of the first element that is the value, NULL being one; beyond all where none is."""
    of, value = Elements(args[0]), args[1]
    same = equal_or_both_null(of.values, value.take(of.owners)).data.expand(len(of.values))
    found = select(same)
    none = torch.full_like(of.counts, torch.iinfo(torch.int64).max)
    return none.scatter_reduce_(0, of.owners.index_select(0, found), of.within.index_select(0, found), "amin")


@list_function(
    "list_contains", "list_has", "array_contains", "array_has", types=_search_types("list_contains", BOOLEAN), strict=False,
    of_keys=Compared.ELEMENT,
)  # fmt: skip
def _contains(args: Args, out: DType) -> Column:
    """Whether the list has the value: of a NULL unknown, but that an empty list has it not."""
    of, value = args
    valid = of.valid
    if value.valid is not None:
        known = value.valid | (lengths(of) == 0)
        valid = known if valid is None else valid & known
    return Column(_firsts(args) < torch.iinfo(torch.int64).max, out, valid)


@list_function(
    "list_position", "list_indexof", "array_position", "array_indexof", types=_search_types("list_position", INTEGER),
    strict=False, of_keys=Compared.ELEMENT,
)  # fmt: skip
def _position(args: Args, out: DType) -> Column:
    """The place of the value from 1, also of a NULL; NULL where there is none."""
    place = _firsts(args)
    found = place < torch.iinfo(torch.int64).max
    valid = found if args[0].valid is None else found & args[0].valid
    return Column(torch.where(found, place + 1, 0), out, valid)


def _two_types(name: str, out: DType | None) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes 2 arguments, not {len(args)}")
        common = unify(tuple(stand_in(element_of(arg, name)) for arg in args))
        if common is None:
            raise BindError(f"{name}: {args[0].dtype} and {args[1].dtype} do not go together", hint="cast one of them")
        return (list_of(common), list_of(common)), list_of(common) if out is None else out

    return types


def _met(of: Elements, other: Elements, seen: Callable[[Column], Column] = compared) -> tuple[Tensor, Tensor]:
    """Elements of `of`, row by row, that are no NULL, and for each whether the same row of `other` has it.

    They are compared by what is `seen` of them.
    """
    mine, theirs = _known(of), _known(other)
    values = concat([of.values.take(mine), other.values.take(theirs)], [mine.shape[0], theirs.shape[0]])
    owners = torch.cat([of.owners.index_select(0, mine), other.owners.index_select(0, theirs)])
    ids, _, groups = group_ids_multi([owners, *order_digits(seen(values))])
    there = torch.zeros(groups, dtype=torch.bool, device=ids.device).index_fill_(0, ids[mine.shape[0] :], True)
    return mine, there.index_select(0, ids[: mine.shape[0]])


def _known(of: Elements) -> Tensor:
    valid = of.values.valid
    return torch.arange(len(of.values), device=of.owners.device) if valid is None else select(valid)


@list_function("list_has_any", "array_has_any", types=_two_types("list_has_any", BOOLEAN), of_keys=Compared.LISTS)
def _has_any(args: Args, out: DType) -> Column:
    """Whether an element of one is in the other, NULL aside."""
    of = Elements(args[0])
    mine, is_met = _met(of, Elements(args[1]))
    return Column(_rows_of(of, mine, is_met), out)


@list_function("list_has_all", "array_has_all", types=_two_types("list_has_all", BOOLEAN), of_keys=Compared.LISTS)
def _has_all(args: Args, out: DType) -> Column:
    """Whether the first list has all elements of the second, NULL aside."""
    of = Elements(args[1])
    mine, is_met = _met(of, Elements(args[0]))
    return Column(~_rows_of(of, mine, ~is_met), out)


def _rows_of(of: Elements, elements: Tensor, mask: Tensor) -> Tensor:
    """Rows (n,) of which one of the elements has a True in the mask."""
    marked = of.owners.index_select(0, elements.index_select(0, select(mask)))
    return torch.zeros_like(of.counts, dtype=torch.bool).index_fill_(0, marked, True)


@list_function("list_intersect", "array_intersect", types=_two_types("list_intersect", None), strict=False)
def _intersect(args: Args, out: DType) -> Column:
    """The values of the first list that the second has, each once, in their order; no NULL. A second one that is NULL has none."""
    of = Elements(args[0])
    mine, is_met = _met(of, Elements(args[1]), told_apart)
    kept = mine.index_select(0, select(is_met))
    _, firsts, _ = group_ids_multi([of.owners.index_select(0, kept), *order_digits(told_apart(of.values.take(kept)))])
    return chosen(of, kept.index_select(0, torch.sort(firsts).values), out).with_valid(args[0].valid)
