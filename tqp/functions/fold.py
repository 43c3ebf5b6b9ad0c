"""Casts and calendar steps of literals, worked out before anything runs."""

from __future__ import annotations

import torch

from tqp.bignums import decoded, digits_of, encoded
from tqp.functions.casts.bytes import shown
from tqp.functions.casts.parsing import parse_one
from tqp.ir.expr import Literal
from tqp.ir.inputs import derived
from tqp.kernels.calendar import DAY, FIRST_INSTANT, INFINITE_DAY, INFINITE_INSTANT, add_months
from tqp.types import BIGNUM, TIMESTAMP, VARCHAR, DType, Kind, integer_range

__all__ = ["fold_cast", "round_half_away", "shift_instant"]


def fold_cast(literal: Literal, dtype: DType) -> Literal | None:
    """`literal` as `dtype`; None where the cast fails or is left to be computed when the query runs.

    Exact numbers round half away from zero and text reads as it does in `tqp.functions.casts.cast`.
    """
    return derived(_cast, literal, rest=(dtype,))


def _cast(literal: Literal, dtype: DType) -> Literal | None:
    value, have = literal.value, literal.type
    if value is None or have == dtype:
        return Literal(value, dtype)
    kinds = have.kind, dtype.kind
    if have.is_nested or have.kind is Kind.BIT or Kind.JSON in kinds or Kind.VARIANT in kinds:
        return None
    if have.kind is Kind.ENUM and isinstance(value, int):
        return _cast(Literal(have.labels[value], VARCHAR), dtype)
    if isinstance(value, str):
        if dtype.is_text or dtype.is_nested or dtype.in_microseconds.kind in (Kind.TIMESTAMPTZ, Kind.TIMETZ):
            # Of the last two, the session's time zone says which instant a text is.
            return None
        return _literal(parse_one(value, dtype), dtype)
    if isinstance(value, bytes) and have == BIGNUM:
        return _of_bignum(decoded(value), dtype)
    if isinstance(value, bytes):
        return Literal(shown(value), dtype) if dtype.is_text else None
    if isinstance(value, bool):
        if dtype.is_integer:
            return Literal(int(value), dtype)
        return Literal(float(value), dtype) if dtype.is_float else None
    if isinstance(value, int):
        if dtype.kind is Kind.BIGNUM:
            return Literal(encoded(value), BIGNUM) if have.is_integer else None
        if have.is_exact:
            return _of_exact(value, have.scale, dtype)
        if have.kind is Kind.DATE and dtype.kind is Kind.TIMESTAMP:
            return _literal(_micros_of(value), dtype)
        if have.kind is Kind.TIMESTAMP and dtype.kind is Kind.DATE:
            infinite = abs(value) == INFINITE_INSTANT
            return Literal((INFINITE_DAY if value > 0 else -INFINITE_DAY) if infinite else value // DAY, dtype)
    if isinstance(value, float) and dtype.kind is Kind.DOUBLE:
        return Literal(value, dtype)
    return None


def _of_bignum(number: int, dtype: DType) -> Literal | None:
    if dtype.is_text:
        return Literal(digits_of(number), dtype)
    if not dtype.is_integer:
        return None
    low, high = integer_range(dtype)
    return Literal(number, dtype) if low <= number <= high else None


def shift_instant(instant: Literal, interval: Literal, sign: int) -> Literal | None:
    """DATE or TIMESTAMP ± INTERVAL as a TIMESTAMP; None where that is out of range.

    Months come first, the day cut to the month's end, then days, then time.
    """
    return derived(_shift, instant, interval, rest=(sign,))


def _shift(instant: Literal, interval: Literal, sign: int) -> Literal | None:
    if instant.value is None or interval.value is None:
        return Literal(None, TIMESTAMP)
    assert isinstance(instant.value, int) and isinstance(interval.value, tuple)
    months, days, rest = (sign * part for part in interval.value)
    micros = _micros_of(instant.value) if instant.type.kind is Kind.DATE else instant.value
    if micros is None or abs(micros) == INFINITE_INSTANT:
        return _literal(micros, TIMESTAMP)
    day, within = divmod(micros, DAY)
    if months:
        day = int(add_months(torch.tensor(day, dtype=torch.int64, device="cpu"), months))  # host: on the CPU
    return _literal(_instant((day + days) * DAY + within + rest), TIMESTAMP)


def round_half_away(value: int, unit: int) -> int:
    """value / unit, rounded half away from zero."""
    rounded = (2 * abs(value) + unit) // (2 * unit)
    return -rounded if value < 0 else rounded


def _literal(value: bool | int | float | str | bytes | tuple[int, int, int] | None, dtype: DType) -> Literal | None:
    return None if value is None else Literal(value, dtype)


def _micros_of(day: int) -> int | None:
    """The first microsecond of a day, infinite days too; None for a day that is no timestamp."""
    if abs(day) == INFINITE_DAY:
        return INFINITE_INSTANT if day > 0 else -INFINITE_INSTANT
    return _instant(day * DAY)


def _instant(micros: int) -> int | None:
    return micros if FIRST_INSTANT <= micros < INFINITE_INSTANT else None


def _of_exact(value: int, scale: int, dtype: DType) -> Literal | None:
    if dtype.is_exact:
        step = dtype.scale - scale
        scaled = value * 10**step if step >= 0 else round_half_away(value, 10**-step)
        low, high = integer_range(dtype)
        return Literal(scaled, dtype) if low <= scaled <= high else None
    if dtype.kind is Kind.DOUBLE:
        return Literal(value / 10**scale, dtype)
    if dtype.kind is Kind.BOOLEAN:
        return Literal(value != 0, dtype)
    return None
