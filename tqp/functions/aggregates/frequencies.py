"""Aggregates of how often each value comes: the most frequent one, and how much a value tells."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError
from tqp.functions.aggregates.fractions import fraction_type, require_within
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import collected, of_one_range
from tqp.functions.aggregates.signatures import Types, same
from tqp.functions.nested import LIST
from tqp.ir.expr import Call, Expr, Literal, SortKey
from tqp.ir.visit import symbols
from tqp.kernels import reduce
from tqp.types import DOUBLE, Kind

__all__: list[str] = []


def _of_values_in_order(args: tuple[Expr, ...], key: SortKey) -> tuple[Expr, ...]:
    """mode() is of what is ordered. Of a constant DuckDB asks that it may be the fraction of a percentile, and gives it."""
    if args and not symbols(args[0]) and args[0].dtype.kind not in (Kind.NULL, Kind.BOOLEAN):
        (value, *_) = args
        if isinstance(value, Call) and value.function == LIST:
            require_within(value.args)
        elif isinstance(value, Literal):
            fraction_type((key.expr, value), "mode of a constant in an order", 0)
        else:
            raise UnsupportedError("mode(… ORDER BY …) of a constant is not supported", hint="leave ORDER BY out")
    return args or (key.expr,)


def _one_value(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"mode takes one argument, not {len(args)}")
    return same(args)


@collected(
    "mode", types=_one_value, idempotent=True, passes_on=True, order_free=False, ordered_set=_of_values_in_order,
    of_ranges=of_one_range, by_times=True,
)  # fmt: skip
def _mode(rows: Grouped) -> Column:
    """The value that comes most often; of several the one that comes first in the order asked for, else in that of the source."""
    if not rows.rows:
        return rows.nothing()
    column = rows.args[0]
    return column.take(rows.most_frequent(column)).with_valid(rows.counts > 0)


def _to_double(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"entropy takes one argument, not {len(args)}")
    return same(args)[0], DOUBLE


@collected("entropy", types=_to_double, empty=0, by_times=True)
def _entropy(rows: Grouped) -> Column:
    """Shannon's, in bits; 0 of no values."""
    found = torch.zeros(rows.groups, dtype=torch.float64, device=rows.device)
    if rows.rows:
        groups, firsts, pairs = rows.equal(rows.args[0])
        times = rows.how_often(pairs, firsts.shape[0]).double()
        share = times / rows.how_often(rows.ids, rows.groups).index_select(0, groups)
        reduce.add_at_(found, groups, -share * share.log2())
    return Column(found + 0.0, DOUBLE)
