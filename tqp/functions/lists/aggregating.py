"""Aggregates over the elements of a list: `list_aggregate(l, 'sum')`, `list_sum(l)`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError
from tqp.functions.aggregates import AggregateFunction
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import bind_aggregate, find_aggregate
from tqp.functions.entries import string
from tqp.functions.lists.rows import Elements, element_of, list_function, stand_in
from tqp.functions.order import order_digits
from tqp.functions.registry import Args, Compared, Signature
from tqp.functions.unify import is_null_literal
from tqp.ir import words
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.kernels.rows import select
from tqp.types import NULL, VARCHAR, DType, list_of

__all__: list[str] = []


_FIRST = frozenset({"any_value", "arbitrary"})
"""Aggregates that are the first value that is not NULL."""


def _found(name: str) -> AggregateFunction:
    # Of a list the first of its values, as of rows in an order.
    known = find_aggregate(words.FIRST if name in _FIRST else name)
    if known is None:
        raise UnsupportedError(f"aggregate {name} is not supported")
    return known


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) < 2 or not isinstance(args[1], Literal) or not isinstance(args[1].value, str):
        raise BindError("list_aggregate takes a list, the name of an aggregate, and what else that takes")
    name, others = args[1].value.lower(), args[2:]
    if args[0].dtype == NULL:
        # Of no list at all, whatever is asked of it.
        return (NULL, VARCHAR, *(other.dtype for other in others)), NULL
    values = (stand_in(element_of(args[0], "list_aggregate")), *others)
    call = bind_aggregate(_found(name).name, values)
    if _found(call.function).for_null is not None and is_null_literal(args[-1]):
        raise BindError(f"{name} takes a number of rows, which is not NULL")
    row = _found(name).by_row is not None and call.function != _found(name).name
    wanted = [arg.dtype for arg in (values if row else call.args)]
    return (list_of(wanted[0]), VARCHAR, *wanted[1:]), call.dtype


@list_function(
    "list_aggregate",
    "list_aggr",
    "array_aggregate",
    "array_aggr",
    "aggregate",
    types=_types,
    of_keys=Compared.AGGREGATED,
)
def _aggregate(args: Args, out: DType) -> Column:
    """The aggregate of each list's elements, a list being a group. Cost: that of the aggregate over all elements."""
    if out == NULL:
        return args[0]
    of = Elements(args[0])
    name, groups = string(args[1].slice(0, 1)).lower(), of.counts.shape[0]
    columns, owners = [of.values, *(arg.take(of.owners) for arg in args[2:])], of.owners
    function = _found(name)
    refs = tuple([ColumnRef(str(place), column.dtype) for place, column in enumerate(columns)])
    other = None if function.instead is None else function.instead(refs)
    function = function if other is None else _found(other)
    row = None if function.by_row is None else function.by_row(refs, ())
    known = columns if function.collect is not None and not function.keeps_nulls or name in _FIRST else []
    order: list[Tensor] = []
    if row is not None:
        function = _found(words.LAST if row.last else words.FIRST)
        known = [_of(columns, ref) for ref in row.known]
    valid = [column.valid for column in known if column.valid is not None]
    if valid:
        kept = select(torch.stack(valid).all(0))
        columns, owners = [column.take(kept) for column in columns], owners.index_select(0, kept)
    if row is not None:
        keys = [(_of(columns, key.expr), key) for key in row.order]
        order = [part for column, key in keys for part in order_digits(column, key.descending, key.nulls_first)]
        columns = [_of(columns, row.value)]
    if function.collect is not None:
        return function.collect(Grouped(tuple(columns), owners, groups, out, order))
    accumulator = function.states(out, groups, owners.device)
    seen = torch.zeros(groups, dtype=torch.int64, device=owners.device)
    accumulator.update(tuple(columns), owners, owners.shape[0], seen)
    return accumulator.finish(seen.clone().scatter_add_(0, owners, torch.ones_like(owners)))


def _of(columns: Sequence[Column], ref: Expr) -> Column:
    assert isinstance(ref, ColumnRef)
    return columns[int(ref.symbol)]
