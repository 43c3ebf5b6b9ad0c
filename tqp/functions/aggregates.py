"""Aggregate functions: their types and their accumulators.

An *accumulator* holds one state per group in tensors of length `groups` and knows three steps, so that a program
may aggregate batch by batch and merge what workers found: `update` (rows into groups), `merge` (another
accumulator's groups into groups), `finish` (states into a column). Group ids are int64 (n,), or None where there is but
one group. NULL arguments are skipped; a group with none left gives NULL (count: 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

import torch
from torch import Tensor

from tqp.column import Column, constant, narrowest
from tqp.errors import BindError, UnsupportedError
from tqp.functions.registry import coerce
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.kernels import group, wide
from tqp.kernels.reduce import sum_wide
from tqp.types import BIGINT, BOOLEAN, DOUBLE, HUGEINT, DType, Kind, decimal

__all__ = ["Accumulator", "AggregateFunction", "bind_aggregate", "find_aggregate"]

_INT64_MAX = 2**63 - 1


class Accumulator(Protocol):
    """The states of one aggregate for all groups."""

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        """Add `rows` rows; `seen` (groups,) int64 counts the rows each group had before."""
        ...

    def merge(self, other: Accumulator, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        """Add the groups of `other` (of the same class): its group i is ids[i] here (None: the same)."""
        ...

    def finish(self, seen: Tensor) -> Column:
        """The results (groups,); `seen` counts all rows of each group."""
        ...


AggregateTypes = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """An aggregate: its type rule and how to make an accumulator (result type, groups, device)."""

    name: str
    types: AggregateTypes
    accumulator: Callable[[DType, int, torch.device], Accumulator]


_AGGREGATES: dict[str, AggregateFunction] = {}


def aggregate(*names: str, types: AggregateTypes) -> Callable[[type], type]:
    """Register an accumulator class under its names."""

    def register(accumulator: type) -> type:
        for name in names:
            _AGGREGATES[name] = AggregateFunction(name, types, accumulator)
        return accumulator

    return register


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
    elif order:
        raise UnsupportedError(f"ORDER BY inside {name} is not supported")
    if name in _DUPLICATE_FREE:
        distinct = False
    return AggregateCall(name, tuple(map(coerce, args, wanted)), result, distinct, filter, order)


def _add(target: Tensor, ids: Tensor | None, values: Tensor) -> None:
    """target[ids] += values, in place."""
    if ids is None:
        target += values.sum(dtype=target.dtype)
    else:
        target.scatter_add_(0, ids, values.to(target.dtype))


class _NonNull:
    """Counts the rows that take part; None while every row did (then `seen` is the count)."""

    def __init__(self) -> None:
        self.count: Tensor | None = None

    def update(self, valid: Tensor | None, ids: Tensor | None, rows: int, seen: Tensor) -> None:
        if valid is None and self.count is None:
            return
        if self.count is None:
            self.count = seen.clone()
        if valid is None:
            valid = torch.ones((), dtype=torch.bool, device=seen.device)
        _add(self.count, ids, valid.expand(rows) if valid.ndim == 0 else valid)

    def merge(self, other: _NonNull, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if self.count is None and other.count is None:
            return
        if self.count is None:
            self.count = seen.clone()
        theirs = other_seen if other.count is None else other.count
        if ids is None:
            self.count += theirs
        else:
            self.count.scatter_add_(0, ids, theirs)

    def total(self, seen: Tensor) -> Tensor:
        return seen if self.count is None else self.count

    def valid(self, seen: Tensor) -> Tensor:
        return self.total(seen) > 0


def _no_argument(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), BIGINT


def _to_bigint(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return tuple(arg.dtype for arg in args[:1]), BIGINT


def _same_type(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    if not args:
        raise BindError("the aggregate needs an argument")
    return (args[0].dtype,), args[0].dtype


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
    _numeric(args, "the aggregate")
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


@aggregate("count_star", types=_no_argument)
class CountRows:
    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        pass

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        pass

    def merge(self, other: CountRows, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        pass

    def finish(self, seen: Tensor) -> Column:
        return Column(seen, BIGINT)


@aggregate("count", types=_to_bigint)
class Count:
    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.nonnull = _NonNull()

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        valid = args[0].valid if args else None
        self.nonnull.update(valid, ids, rows, seen)

    def merge(self, other: Count, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)

    def put(self, total: Tensor | None, count: Tensor | None, limit: int) -> None:
        """Start from a count (groups,) of values that are not NULL, None where none is NULL."""
        self.nonnull.count = count

    def finish(self, seen: Tensor) -> Column:
        return Column(self.nonnull.total(seen), BIGINT)


class _ExactSum:
    """Sums of integers, exact in 128 bits.

    They run in int64 while `limit`, a proven limit of every |state|, stays below 2**63; then the states are moved
    into two-limb totals and start anew. So the common case pays one scatter-add and no wide arithmetic.
    """

    def __init__(self, groups: int, device: torch.device) -> None:
        self.low = torch.zeros(groups, dtype=torch.int64, device=device)
        self.limit = 0
        self.high: Tensor | None = None

    def update(self, column: Column, ids: Tensor | None, rows: int) -> None:
        column = column.expand(rows)
        values = column.data
        if column.valid is not None:
            zero = torch.zeros((), dtype=values.dtype, device=values.device)
            mask = column.valid.unsqueeze(-1) if values.ndim == 2 else column.valid
            values = torch.where(mask, values, zero)
        if values.ndim == 2:
            self._spill(self._sum_wide(values, ids))
            return
        low, high = column.bounds or _full_range(values.dtype)
        growth = max(abs(low), abs(high)) * rows
        if growth > _INT64_MAX:
            self._spill(self._sum_wide(values, ids))
            return
        if self.limit + growth > _INT64_MAX:
            self._flush()
        self.limit += growth
        _add(self.low, ids, values)

    def _sum_wide(self, values: Tensor, ids: Tensor | None) -> Tensor:
        if ids is None:
            ids = torch.zeros(values.shape[0], dtype=torch.int64, device=values.device)
        return sum_wide(values, ids, self.low.shape[0])

    def _flush(self) -> None:
        self._spill(wide.from_narrow(self.low))
        self.low.zero_()
        self.limit = 0

    def _spill(self, part: Tensor) -> None:
        self.high = part if self.high is None else wide.add(self.high, part)

    def merge(self, other: _ExactSum, ids: Tensor | None) -> None:
        """`ids` are distinct, so each state here gets at most one of the other's."""
        if self.limit + other.limit > _INT64_MAX:
            self._flush()
        self.limit += other.limit
        if ids is None:
            self.low += other.low
        else:
            self.low.scatter_add_(0, ids, other.low)
        if other.high is not None:
            into = torch.arange(other.low.shape[0], device=self.low.device) if ids is None else ids
            self._spill(sum_wide(other.high, into, self.low.shape[0]))

    def finish(self, dtype: DType, valid: Tensor) -> Column:
        if self.high is None:
            return Column(self.low, dtype, valid, bounds=(-self.limit, self.limit))
        return Column(wide.add(self.high, wide.from_narrow(self.low)), dtype, valid)

    def to_float(self) -> Tensor:
        total = self.low.double()
        return total if self.high is None else total + wide.to_float64(self.high)


def _full_range(dtype: torch.dtype) -> tuple[int, int]:
    if dtype == torch.bool:
        return 0, 1
    info = torch.iinfo(dtype)
    return info.min, info.max


@aggregate("sum", types=_sum_types)
class Sum:
    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.nonnull = _NonNull()
        self.exact = None if dtype.is_float else _ExactSum(groups, device)
        self.total = torch.zeros(groups if dtype.is_float else 0, dtype=torch.float64, device=device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        (column,) = args
        self.nonnull.update(column.valid, ids, rows, seen)
        if self.exact is not None:
            self.exact.update(column, ids, rows)
        else:
            _add(self.total, ids, _valid_or_zero(column.expand(rows)))

    def merge(self, other: Sum, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)
        if self.exact is not None and other.exact is not None:
            self.exact.merge(other.exact, ids)
        elif ids is None:
            self.total += other.total
        else:
            self.total.scatter_add_(0, ids, other.total)

    def put(self, total: Tensor | None, count: Tensor | None, limit: int) -> None:
        """Start from sums (groups,) with |sum| <= limit, and counts as `Count.put`."""
        assert total is not None
        self.nonnull.count = count
        if self.exact is None:
            self.total = total
        else:
            self.exact.low, self.exact.limit = total, limit

    def finish(self, seen: Tensor) -> Column:
        valid = self.nonnull.valid(seen)
        if self.exact is not None:
            return self.exact.finish(self.dtype, valid)
        return Column(self.total, self.dtype, valid)


def _valid_or_zero(column: Column) -> Tensor:
    if column.valid is None:
        return column.data
    return torch.where(column.valid, column.data, torch.zeros((), dtype=column.data.dtype, device=column.device))


@aggregate("avg", "mean", types=_average_types)
class Average:
    """Exact sum, then one division in float64."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.groups = groups
        self.sum: Sum | None = None
        self.scale = 0
        self.device = device

    def share(self, argument: DType, total: Sum) -> None:
        """Take the sum of the same argument that another aggregate keeps up to date."""
        self.scale = argument.scale
        self.sum = total

    def _state(self, argument: DType) -> Sum:
        if self.sum is None:
            self.scale = argument.scale
            self.sum = Sum(DOUBLE if argument.is_float else HUGEINT, self.groups, self.device)
        return self.sum

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self._state(args[0].dtype).update(args, ids, rows, seen)

    def merge(self, other: Average, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if other.sum is None:
            return
        mine = self._state(DType(Kind.DOUBLE) if other.sum.exact is None else decimal(38, other.scale))
        mine.merge(other.sum, ids, seen, other_seen)

    def put(self, argument: DType, total: Tensor, count: Tensor | None, limit: int) -> None:
        """Start from sums of that type; see `Sum.put`."""
        self._state(argument).put(total, count, limit)

    def finish(self, seen: Tensor) -> Column:
        if self.sum is None:
            return Column(torch.zeros_like(seen, dtype=torch.float64), DOUBLE, torch.zeros_like(seen, dtype=torch.bool))
        total = self.sum.total if self.sum.exact is None else self.sum.exact.to_float()
        count = self.sum.nonnull.total(seen)
        mean = total / count.clamp(min=1)
        return Column(mean / 10**self.scale if self.scale else mean, DOUBLE, count > 0)


class _Extreme:
    """min and max. Text compares by rank, floats by an order-preserving integer image (NaN greatest)."""

    largest: bool

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.groups = groups
        self.device = device
        self.nonnull = _NonNull()
        self.sample: Column | None = None
        self.states: Tensor | None = None

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0].ranked().expand(rows)
        self.nonnull.update(column.valid, ids, rows, seen)
        keys = column.data
        if column.dtype.is_float:
            keys = group.float_key(keys)
        elif keys.dtype == torch.bool:
            keys = keys.to(torch.int8)
        if keys.ndim == 2:
            self._update_wide(column, ids)
            return
        if self.states is None or self.sample is None:
            self.sample = column.slice(0, 0)
            self.states = torch.full((self.groups,), self._neutral(keys.dtype), dtype=keys.dtype, device=self.device)
        if keys.dtype != self.states.dtype:
            keys = keys.to(self.states.dtype)
        if column.valid is not None:
            filler = torch.full((), self._neutral(keys.dtype), dtype=keys.dtype, device=self.device)
            keys = torch.where(column.valid, keys, filler)
        self._reduce(keys, ids)

    def _update_wide(self, column: Column, ids: Tensor | None) -> None:
        raise UnsupportedError(f"{'max' if self.largest else 'min'} of numbers beyond 64 bits is not supported")

    def _neutral(self, dtype: torch.dtype) -> int:
        info = torch.iinfo(dtype)
        return info.min if self.largest else info.max

    def _reduce(self, keys: Tensor, ids: Tensor | None) -> None:
        assert self.states is not None
        if ids is not None:
            self.states.scatter_reduce_(0, ids, keys, "amax" if self.largest else "amin", include_self=True)
        elif keys.shape[0]:
            best = keys.max() if self.largest else keys.min()
            self.states = torch.maximum(self.states, best) if self.largest else torch.minimum(self.states, best)

    def merge(self, other: _Extreme, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        self.nonnull.merge(other.nonnull, ids, seen, other_seen)
        if other.states is None:
            return
        if self.states is None:
            self.sample = other.sample
            neutral = self._neutral(other.states.dtype)
            self.states = torch.full((self.groups,), neutral, dtype=other.states.dtype, device=self.device)
        if ids is None:
            both = torch.maximum if self.largest else torch.minimum
            self.states = both(self.states, other.states)
        else:
            self._reduce(other.states, ids)

    def finish(self, seen: Tensor) -> Column:
        valid = self.nonnull.valid(seen)
        if self.states is None or self.sample is None:
            return constant(None, self.dtype, self.device).expand(self.groups)
        data = torch.where(valid, self.states, torch.zeros((), dtype=self.states.dtype, device=self.device))
        if self.dtype.is_float:
            data = group.float_from_key(data, self.sample.data.dtype)
        elif self.dtype.kind is Kind.BOOLEAN:
            data = data.bool()
        bounds = self.sample.bounds
        if bounds is not None:
            bounds = (min(0, bounds[0]), max(0, bounds[1]))
        return Column(data, self.dtype, valid, self.sample.dictionary, bounds)


@aggregate("min", types=_same_type)
class Minimum(_Extreme):
    largest = False


@aggregate("max", types=_same_type)
class Maximum(_Extreme):
    largest = True


@aggregate("logical_and", "bool_and", types=_logical)
class LogicalAnd(_Extreme):
    largest = False


@aggregate("logical_or", "bool_or", types=_logical)
class LogicalOr(_Extreme):
    largest = True


@aggregate("first", "any_value", "arbitrary", types=_same_type)
class First:
    """One of the group's values that are not NULL; which one is open. The executor itself picks rows for `first`."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.dtype = dtype
        self.groups = groups
        self.device = device
        self.sample: Column | None = None
        self.data: Tensor | None = None
        self.valid = torch.zeros(groups, dtype=torch.bool, device=device)

    def _put(self, column: Column, ids: Tensor | None) -> None:
        if column.valid is not None:
            keep = column.valid.nonzero().flatten()  # sync: number of values that are not NULL
            column = column.take(keep)
            ids = None if ids is None else ids.index_select(0, keep)
        if len(column) == 0:
            return
        if self.data is None:
            self.sample = column.slice(0, 0)
            shape = (self.groups, *column.data.shape[1:])
            self.data = torch.zeros(shape, dtype=column.data.dtype, device=self.device)
        if ids is None:
            self.data[:] = column.data[:1]
            self.valid[:] = True
            return
        values = column.data.to(self.data.dtype)
        if values.ndim == 1:
            self.data.scatter_(0, ids, values)
        else:
            self.data.index_copy_(0, ids, values)
        self.valid.index_fill_(0, ids, True)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        self._put(args[0].expand(rows), ids)

    def merge(self, other: First, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if other.data is None or other.sample is None:
            return
        column = Column(other.data, self.dtype, other.valid, other.sample.dictionary, other.sample.bounds)
        if ids is None and self.groups > 1:
            ids = torch.arange(self.groups, dtype=torch.int64, device=self.device)
        self._put(column, ids)

    def finish(self, seen: Tensor) -> Column:
        if self.data is None or self.sample is None:
            return constant(None, self.dtype, self.device).expand(self.groups)
        bounds = self.sample.bounds
        if bounds is not None:
            bounds = (min(0, bounds[0]), max(0, bounds[1]))
        if bounds is not None and narrowest(*bounds) is None:
            bounds = None
        return Column(self.data, self.dtype, self.valid, self.sample.dictionary, bounds)


class _Moments:
    """Variance by count, mean and sum of squared differences, merged as Chan, Golub and LeVeque (1983) do."""

    sample: bool
    root: bool

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.count = torch.zeros(groups, dtype=torch.float64, device=device)
        self.mean = torch.zeros(groups, dtype=torch.float64, device=device)
        self.squares = torch.zeros(groups, dtype=torch.float64, device=device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0].expand(rows)
        into = torch.zeros(rows, dtype=torch.int64, device=column.device) if ids is None else ids
        weight = torch.ones_like(column.data) if column.valid is None else column.valid.double()
        values = _valid_or_zero(column)
        count = torch.zeros_like(self.count).scatter_add_(0, into, weight)
        mean = torch.zeros_like(self.mean).scatter_add_(0, into, values) / count.clamp(min=1)
        apart = (values - mean.index_select(0, into)) ** 2 * weight
        self._combine(count, mean, torch.zeros_like(self.squares).scatter_add_(0, into, apart))

    def _combine(self, count: Tensor, mean: Tensor, squares: Tensor) -> None:
        total = self.count + count
        delta = mean - self.mean
        share = count / total.clamp(min=1)
        self.squares += squares + delta**2 * self.count * share
        self.mean += delta * share
        self.count = total

    def merge(self, other: _Moments, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        if ids is None:
            self._combine(other.count, other.mean, other.squares)
            return
        parts = [torch.zeros_like(self.count) for _ in range(3)]
        for part, theirs in zip(parts, (other.count, other.mean, other.squares), strict=True):
            part.index_copy_(0, ids, theirs)
        self._combine(*parts)

    def finish(self, seen: Tensor) -> Column:
        freedom = self.count - 1 if self.sample else self.count
        variance = self.squares / freedom.clamp(min=1)
        return Column(variance.sqrt() if self.root else variance, DOUBLE, freedom > 0)


@aggregate("stddev", "stddev_samp", types=_double_types)
class StddevSample(_Moments):
    sample, root = True, True


@aggregate("stddev_pop", types=_double_types)
class StddevPopulation(_Moments):
    sample, root = False, True


@aggregate("variance", "var_samp", types=_double_types)
class VarianceSample(_Moments):
    sample, root = True, False


@aggregate("variance_pop", "var_pop", types=_double_types)
class VariancePopulation(_Moments):
    sample, root = False, False


_ORDER_FREE = frozenset(_AGGREGATES) - {"first"}
_DUPLICATE_FREE = frozenset({"min", "max", "logical_and", "bool_and", "logical_or", "bool_or", "any_value"})
