"""Aggregate functions: their names, their types, and binding a call of one.

A new one is an accumulator (see `tqp.functions.accumulators`) and a row of `_TABLE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

import torch

from tqp.errors import BindError, UnsupportedError
from tqp.functions.accumulators import Accumulator, Count, CountRows
from tqp.functions.bind import coerce
from tqp.functions.extremes import First, LogicalAnd, LogicalOr, Maximum, Minimum
from tqp.functions.sums import Average, StddevPopulation, StddevSample, Sum, VariancePopulation, VarianceSample
from tqp.functions.unify import untyped
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.types import BIGINT, BOOLEAN, DOUBLE, HUGEINT, DType, Kind, decimal

__all__ = ["Accumulator", "AggregateFunction", "Average", "Count", "Sum", "bind_aggregate", "find_aggregate"]

AggregateTypes = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """An aggregate: its type rule and how to make an accumulator (result type, groups, device)."""

    name: str
    types: AggregateTypes
    accumulator: Callable[[DType, int, torch.device], Accumulator]


def find_aggregate(name: str) -> AggregateFunction | None:
    """The aggregate of that name, if there is one."""
    return _AGGREGATES.get(name)


def bind_aggregate(
    name: str,
    args: tuple[Expr, ...],
    *,
    distinct: bool = False,
    filter: Expr | None = None,
    order: tuple[SortKey, ...] = (),
) -> AggregateCall:
    """The typed call of an aggregate, with the casts its arguments need."""
    function = _AGGREGATES.get(name)
    if function is None:
        near = get_close_matches(name, _AGGREGATES, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else None
        raise UnsupportedError(f"aggregate {name} is not supported", hint=hint)
    wanted, result = function.types(args)
    if len(wanted) != len(args):
        raise BindError(f"{name} takes {len(wanted)} arguments, not {len(args)}")
    if name in _ORDER_FREE:
        order = ()
    elif order and name != "first":
        raise UnsupportedError(f"ORDER BY inside {name} is not supported")
    if name in _DUPLICATE_FREE:
        distinct = False
    return AggregateCall(name, tuple(map(coerce, args, wanted)), result, distinct, filter, order)


def _no_argument(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), BIGINT


def _to_bigint(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return tuple(arg.dtype for arg in args[:1]), BIGINT


def _same_type(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    if not args:
        raise BindError("the aggregate needs an argument")
    return (args[0].dtype,), args[0].dtype


def _ordered(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    if args and args[0].dtype.kind is Kind.INTERVAL:
        raise UnsupportedError("min and max of INTERVAL are not supported", hint="compare epochs, or add it to a date")
    if args and args[0].dtype.is_nested:
        raise UnsupportedError(f"min and max of {args[0].dtype} are not supported")
    return _same_type(args)


def _logical(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    if len(args) != 1 or args[0].dtype.kind not in (Kind.BOOLEAN, Kind.NULL):
        raise BindError("bool_and and bool_or take one BOOLEAN")
    return (BOOLEAN,), BOOLEAN


def _sum_types(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    dtype = _numeric(args, "sum")
    if dtype.is_float:
        return (DOUBLE,), DOUBLE
    if dtype.is_decimal:
        return (dtype,), decimal(38, dtype.scale)
    return (dtype,), HUGEINT


def _double_types(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    _numeric(untyped(args), "the aggregate")
    return (DOUBLE,), DOUBLE


def _average_types(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    dtype = _numeric(args, "avg")
    return (DOUBLE if dtype.is_float else dtype,), DOUBLE


def _numeric(args: tuple[Expr, ...], name: str) -> DType:
    if len(args) != 1:
        raise BindError(f"{name} takes one argument, not {len(args)}")
    dtype = args[0].dtype
    if dtype.kind is Kind.NULL:
        return DOUBLE
    if dtype.kind is Kind.BOOLEAN and name == "sum":
        return DType(Kind.INTEGER)
    if not dtype.is_numeric:
        raise BindError(f"{name} takes a number, not {dtype}", hint="cast the argument to a numeric type")
    return dtype


_TABLE: tuple[tuple[str, AggregateTypes, Callable[[DType, int, torch.device], Accumulator]], ...] = (
    ("count_star", _no_argument, CountRows),
    ("count", _to_bigint, Count),
    ("sum", _sum_types, Sum),
    ("avg mean", _average_types, Average),
    ("min", _ordered, Minimum),
    ("max", _ordered, Maximum),
    ("logical_and bool_and", _logical, LogicalAnd),
    ("logical_or bool_or", _logical, LogicalOr),
    ("first any_value arbitrary", _same_type, First),
    ("stddev stddev_samp", _double_types, StddevSample),
    ("stddev_pop", _double_types, StddevPopulation),
    ("variance var_samp", _double_types, VarianceSample),
    ("variance_pop var_pop", _double_types, VariancePopulation),
)
_AGGREGATES: dict[str, AggregateFunction] = {
    name: AggregateFunction(name, types, accumulator) for names, types, accumulator in _TABLE for name in names.split()
}
_ORDER_FREE = frozenset(_AGGREGATES) - {"first", "any_value", "arbitrary"}
_DUPLICATE_FREE = frozenset(
    {"min", "max", "logical_and", "bool_and", "logical_or", "bool_or", "any_value", "arbitrary"}
)
