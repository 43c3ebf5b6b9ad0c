"""Aggregates that make lists and maps of the values of a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.grouped import Collect, Grouped
from tqp.functions.aggregates.registry import collected, of_one_range
from tqp.functions.aggregates.signatures import SEVERAL, Types
from tqp.functions.order import order_digits
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels import reduce, sort, waits
from tqp.kernels.rows import select
from tqp.types import BIGINT, Kind, list_of

__all__: list[str] = []

_MOST: Final = 1_000_000
_WHY_MOST: Final = "the greatest number of rows says how many may be wanted"


def _listed(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"list takes one argument, not {len(args)}")
    return (args[0].dtype,), list_of(args[0].dtype)


@collected(
    "list", "array_agg", types=_listed, order_free=False, keeps_nulls=True, of_ranges=of_one_range, lists_rows=True
)
def _list(rows: Grouped) -> Column:
    """The values of each group, NULLs too, in the order asked for, else in that of the source; NULL of no rows."""
    return rows.listed(rows.args[0])


def _wanted(rows: Grouped, name: str) -> Tensor:
    """How many rows each group shall give (groups,): what its first row says. ExecutionError where that is no such number."""
    number = rows.args[-1]
    firsts = reduce.first(rows.ids, rows.groups).clamp(max=max(rows.rows - 1, 0))
    data = number.data.long() if number.valid is None else torch.where(number.valid, number.data.long(), 0)
    found = data.index_select(0, firsts)
    wrong = (rows.counts > 0) & ((found <= 0) | (found >= _MOST))
    if waits.truth(wrong.any(), "a number of rows out of range is an error"):
        raise ExecutionError(f"{name} takes a number of rows from 1 to {_MOST - 1:,}, which is not NULL")
    return found


def _first_of(rows: Grouped, values: Column, order: Tensor, wanted: Tensor) -> Column:
    """Lists of the first values of each group in an order of the rows in which groups lie one after the other."""
    ids = rows.ids.index_select(0, order)
    places = torch.arange(rows.rows, device=rows.device) - rows.begins.index_select(0, ids)
    chosen = select(places < wanted.index_select(0, ids))
    return of_lengths(
        torch.minimum(rows.counts, wanted), values.take(order.index_select(0, chosen)), rows.dtype, rows.counts > 0
    )


def _several_types(count: int, name: str) -> Callable[[tuple[Expr, ...]], Types]:
    def types(args: tuple[Expr, ...]) -> Types:
        if len(args) != count + 1:
            raise BindError(f"{name} takes {count} or {count + 1} arguments, not {len(args)}")
        if not (args[-1].dtype.is_integer or args[-1].dtype.kind is Kind.NULL or is_text_literal(args[-1])):
            raise BindError(f"the last argument of {name} is a number of rows, not {args[-1].dtype}")
        return (*(arg.dtype for arg in args[:-1]), BIGINT), list_of(args[0].dtype)

    return types


def _several(count: int, name: str, largest: bool, *, keeps_nulls: bool = False) -> None:
    """Register the lists of the values of the rows with the least or greatest keys, which are the last argument but the number.

    `keeps_nulls`: rows with a NULL take part, those without a key behind all others.
    """

    def enough(rows: Grouped) -> Tensor | None:
        """The rows with the best keys, and where numbers differ each group's first row, which says how many it wants."""
        low, high = waits.several(torch.aminmax(rows.args[-1].data), _WHY_MOST)
        found = candidates(rows, high)
        if found is None or low == high:
            return found
        return torch.cat((found, reduce.first(rows.ids, rows.groups).clamp(max=rows.rows - 1)))

    def candidates(rows: Grouped, most: int) -> Tensor | None:
        """Ascending rows (m,) int64 with keys among the `most` best of their group; None where that would be most rows."""
        if not 1 <= most * rows.groups <= rows.rows:
            return None
        key, *_ = order_digits(rows.args[count - 1], largest)
        return sort.first_of_groups(key, rows.ids, rows.groups, most)

    def best(rows: Grouped) -> Column:
        if not rows.rows:
            return rows.nothing()
        wanted = _wanted(rows, name)
        few = candidates(rows, waits.number(wanted.max(), _WHY_MOST))
        if few is not None:
            args = tuple(arg.take(few) for arg in rows.args)
            rows = Grouped(args, rows.ids.index_select(0, few), rows.groups, rows.dtype)
        order = sort.argsort([rows.ids, *order_digits(rows.args[count - 1], largest)])
        return _first_of(rows, rows.args[0], order, wanted)

    collect: Collect = best
    collected(
        SEVERAL.format(name),
        types=_several_types(count, name),
        compares=count - 1,
        order_free=False,
        keeps_nulls=keeps_nulls,
        enough=enough,
        for_null=0,
    )(collect)


_several(1, "min", False)
_several(1, "max", True)
_several(2, "arg_min", False)
_several(2, "arg_max", True)
_several(2, "arg_min_nulls_last", False, keeps_nulls=True)
_several(2, "arg_max_nulls_last", True, keeps_nulls=True)


@collected(
    "approx_top_k",
    types=_several_types(1, "approx_top_k"),
    order_free=False,
    syntax="approxtopk",
    by_times=True,
    for_null=0,
)
def _top(rows: Grouped) -> Column:
    """The values that come most often, of equally many the first ones first; exact here."""
    if not rows.rows:
        return rows.nothing()
    wanted = _wanted(rows, "approx_top_k")
    groups, firsts, pairs = rows.equal(rows.args[0])
    times = rows.how_often(pairs, firsts.shape[0])
    order = sort.argsort([groups, times.max() - times, firsts])
    each = Grouped((rows.args[0].take(firsts),), groups, rows.groups, rows.dtype)
    return _first_of(each, each.args[0], order, wanted)
