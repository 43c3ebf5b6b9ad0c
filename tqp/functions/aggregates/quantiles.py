"""Aggregates that are a value at a place among a group's values in order, or lie between two: quantiles, the median, the median of
distances from it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.fractions import (
    as_double,
    for_each,
    fraction_of,
    fraction_type,
    of_values_in_order,
    type_for_each,
)
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.order_statistics import (
    between,
    between_type,
    half,
    interval,
    middle,
    place_at,
    places_between,
)
from tqp.functions.aggregates.registry import always, collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.casts.cast import cast
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels import waits, wide
from tqp.kernels.rows import select
from tqp.types import DOUBLE, INTERVAL, TIME, TIMESTAMPTZ_NS, TIMETZ, DType, Kind

__all__: list[str] = []


_FAR = "instants that are too far apart are an error"


def _continuous_types(args: tuple[Expr, ...]) -> Types:
    fraction = fraction_type(args, "quantile_cont", -1)
    dtype = args[0].dtype
    if dtype.kind not in (Kind.TIMESTAMPTZ_NS, Kind.TIME_NS):
        dtype = dtype.in_microseconds
    result = None if is_text_literal(args[0]) else between_type(dtype)
    if result is None:
        raise BindError(f"nothing lies between two values of {dtype}", hint="quantile_disc gives one of them")
    return (dtype, fraction), type_for_each(result, fraction)


def _discrete_types(args: tuple[Expr, ...]) -> Types:
    fraction = fraction_type(args, "quantile_disc", -1)
    return (args[0].dtype, fraction), type_for_each(args[0].dtype, fraction)


@collected("quantile_cont", of_ranges=always, types=_continuous_types, compares=0, ordered_set=of_values_in_order)
@for_each
def _quantile_cont(rows: Grouped) -> Column:
    """Between the two values that are next to the fraction."""
    if not rows.rows:
        return rows.nothing()
    return middle(rows, rows.args[0], as_double(fraction_of(rows)), rows.dtype).with_valid(rows.counts > 0)


@for_each
def _discrete(rows: Grouped) -> Column:
    """The first value at or above the fraction."""
    if not rows.rows:
        return rows.nothing()
    (found,) = rows.nth(rows.args[0], [place_at(rows.counts, fraction_of(rows))])
    return found.with_valid(rows.counts > 0)


collected("quantile_disc", of_ranges=always, types=_discrete_types, compares=0, ordered_set=of_values_in_order)(
    _discrete
)
collected("quantile", of_ranges=always, types=_discrete_types, compares=0)(_discrete)


def _one(args: tuple[Expr, ...], name: str) -> DType:
    if len(args) != 1:
        raise BindError(f"{name} takes one argument, not {len(args)}")
    return args[0].dtype


def _median_types(args: tuple[Expr, ...]) -> Types:
    dtype = _one(args, "median")
    return (dtype,), _median_type(dtype) or dtype


def _median_type(dtype: DType) -> DType | None:
    """As `between_type`; DuckDB has the median of intervals, but no other quantile that lies between two."""
    return dtype if dtype == INTERVAL else between_type(dtype)


@collected("median", of_ranges=always, types=_median_types, compares=0)
def _median(rows: Grouped) -> Column:
    """Between the two values in the middle; the first of them where nothing lies between such values."""
    if not rows.rows:
        return rows.nothing()
    column = rows.args[0]
    if _median_type(column.dtype) is not None:
        return middle(rows, column, half(rows), rows.dtype).with_valid(rows.counts > 0)
    (found,) = rows.nth(column, [(rows.counts - 1).clamp(min=0) // 2])
    return found.with_valid(rows.counts > 0)


def _distance_types(args: tuple[Expr, ...]) -> Types:
    dtype = _one(args, "mad")
    result = None if is_text_literal(args[0]) or dtype in (TIMESTAMPTZ_NS, TIMETZ) else between_type(dtype)
    if result is None:
        raise BindError(f"mad takes numbers, dates or times, not {dtype}")
    return (dtype.in_microseconds,), INTERVAL if result.is_temporal else result


def _measurable(args: tuple[Column, ...], ranges: int) -> bool:
    """Whether distances rise on both sides of the median, as those of infinities do not, and are one number each."""
    (column,) = args
    if column.is_wide:
        return False
    known = column if column.valid is None else column.take(select(column.valid))
    return not column.dtype.is_float or waits.truth(
        known.data.isfinite().all(), "distances of infinities are not ordered"
    )


@collected("mad", of_ranges=_measurable, types=_distance_types)
def _distance(rows: Grouped) -> Column:
    """The median of the distances from the median."""
    if not rows.rows:
        return rows.nothing()
    column = rows.args[0]
    dtype = between_type(column.dtype)
    assert dtype is not None
    center = middle(rows, column, half(rows), dtype)
    *places, share = places_between(rows.counts, half(rows))
    low, high = rows.nth_distance(column, center, partial(_distances, dtype=dtype), places)
    found = between(low, high, share, low.dtype).with_valid(rows.counts > 0)
    if rows.dtype != INTERVAL:
        return replace(found, dtype=rows.dtype)
    return Column(interval(found.data), INTERVAL, found.valid)


def _distances(column: Column, middle: Column, dtype: DType) -> Column:
    """How far values (n,) are from others: numbers of `dtype`, and of instants microseconds."""
    if dtype == DOUBLE:
        return Column((as_double(column) - middle.data).abs(), dtype)
    if dtype.is_float:
        return Column((column.data - middle.data).abs(), dtype)
    if column.is_wide:
        apart, too_far = wide.sub_checked(column.data, middle.data)
        # No more than half of the values are that far, so that no median is.
        far = torch.where(too_far.unsqueeze(-1), wide.scalar(2**127 - 1, apart.device), wide.abs_checked(apart)[0])
        return Column(far, dtype, encoding=Encoding.WIDE)
    own = cast(column, dtype, False) if dtype.is_temporal else column
    value, center = own.data.long(), middle.data.long()
    apart = value - center
    # Twice the greatest decimal of 64 bits stays within these.
    if dtype.is_temporal and waits.truth((((value ^ center) & (apart ^ value)) < 0).any(), _FAR):
        raise ExecutionError("mad: two instants are further apart than 64 bits count")
    distances = apart.abs()
    return Column(distances, TIME if dtype.is_temporal else dtype)
