"""Quantiles that DuckDB estimates, and that are exact here: a selection costs no more than a sketch."""

from __future__ import annotations

from typing import Final

import torch

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.aggregates.fractions import as_double, for_each, fraction_of, fraction_type, type_for_each
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.order_statistics import middle, places_between, wide_between
from tqp.functions.aggregates.registry import always, collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.types import BIGINT, DOUBLE, HUGEINT, DType, Kind

__all__: list[str] = []

_BELOW_64_BITS: Final = 2.0**63 - 1024
"""The greatest float64 that is a BIGINT."""


def _estimated_types(args: tuple[Expr, ...]) -> Types:
    fraction = fraction_type(args, "approx_quantile", 0)
    dtype = args[0].dtype
    dtype = DOUBLE if dtype.is_float else BIGINT if dtype.kind is Kind.TINYINT else _signed(dtype)
    if is_text_literal(args[0]) or not (dtype.is_numeric or dtype.is_temporal):
        raise BindError(f"approx_quantile takes numbers, dates or times, not {args[0].dtype}")
    return (dtype, fraction), type_for_each(dtype, fraction)


def _signed(dtype: DType) -> DType:
    """The type that DuckDB gives integers where it knows none without sign."""
    if dtype.kind in (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.NULL):
        return BIGINT
    return HUGEINT if dtype.kind is Kind.UBIGINT else dtype


@collected("approx_quantile", of_ranges=always, types=_estimated_types, compares=0, syntax="approxquantile")
@for_each
def _estimated(rows: Grouped) -> Column:
    """Between the two values next to the fraction, rounded to the type of the values."""
    if not rows.rows:
        return rows.nothing()
    column, fraction = rows.args[0], as_double(fraction_of(rows))
    valid = rows.counts > 0
    if rows.dtype == DOUBLE:
        return middle(rows, column, fraction, DOUBLE).with_valid(valid)
    *places, share = places_between(rows.counts, fraction)
    start, stop = rows.nth(column, places)
    if start.is_wide:
        return wide_between(start, stop, share, rows.dtype, torch.round).with_valid(valid)
    low, high = start.data.long(), stop.data.long()
    apart = high - low
    found = low + (apart.double() * share + 0.0).round().long()
    # The distance of two that are further apart than 64 bits count has wrapped.
    rough = (low.double() + (high.double() - low.double()) * share).clamp(max=_BELOW_64_BITS).round().long()
    found = torch.where(apart < 0, rough, found)
    return Column(found, rows.dtype, valid, None, start.bounds)


def _sampled_types(args: tuple[Expr, ...]) -> Types:
    fraction = fraction_type(args[:2], "reservoir_quantile", 0)
    dtype = _signed(args[0].dtype)
    if is_text_literal(args[0]) or not dtype.is_numeric:
        raise BindError(f"reservoir_quantile takes numbers, not {args[0].dtype}")
    result = type_for_each(dtype, fraction)
    if len(args) < 3:
        return (dtype, fraction), result
    size = args[2]
    if len(args) > 3 or not isinstance(size, Literal) or size.dtype.kind is not Kind.INTEGER or size.is_null:
        raise BindError("reservoir_quantile takes a value, a fraction and, if need be, how many rows a sample has")
    if not decide(_is_positive, size):
        raise BindError("the sample of reservoir_quantile has at least one row")
    return (dtype, fraction, size.dtype), result


def _is_positive(literal: Literal) -> bool:
    return isinstance(literal.value, int) and literal.value > 0


@collected("reservoir_quantile", of_ranges=always, types=_sampled_types, compares=0)
@for_each
def _sampled(rows: Grouped) -> Column:
    """The value below the fraction: the sample is all rows."""
    if not rows.rows:
        return rows.nothing()
    low, _, _ = places_between(rows.counts, as_double(fraction_of(rows)))
    (found,) = rows.nth(rows.args[0], [low])
    return found.with_valid(rows.counts > 0)
