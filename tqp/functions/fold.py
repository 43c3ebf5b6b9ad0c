"""Casts of literals, worked out before anything runs."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation

from tqp.ir.expr import Literal
from tqp.types import DType, Kind, integer_range

__all__ = ["fold_cast", "round_half_away"]

_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1).toordinal()
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)
_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def fold_cast(literal: Literal, dtype: DType) -> Literal | None:
    """`literal` as `dtype`; None where the cast fails or is left to be computed when the query runs.

    Exact numbers round half away from zero, as `tqp.functions.cast` does.
    """
    value, have = literal.value, literal.type
    if value is None or have == dtype:
        return Literal(value, dtype)
    if isinstance(value, str):
        return _of_text(value, dtype)
    if isinstance(value, bool):
        if dtype.is_integer:
            return Literal(int(value), dtype)
        return Literal(float(value), dtype) if dtype.is_float else None
    if isinstance(value, int):
        if have.is_exact:
            return _of_exact(value, have.scale, dtype)
        if have.kind is Kind.DATE and dtype.kind is Kind.TIMESTAMP:
            return Literal(value * _DAY, dtype)
    if isinstance(value, float) and dtype.kind is Kind.DOUBLE:
        return Literal(value, dtype)
    return None


def round_half_away(value: int, unit: int) -> int:
    """value / unit, rounded half away from zero."""
    rounded = (2 * abs(value) + unit) // (2 * unit)
    return -rounded if value < 0 else rounded


def _of_exact(value: int, scale: int, dtype: DType) -> Literal | None:
    if dtype.is_exact:
        step = dtype.scale - scale
        scaled = value * 10**step if step >= 0 else round_half_away(value, 10**-step)
        low, high = integer_range(dtype)
        return Literal(scaled, dtype) if low <= scaled <= high else None
    if dtype.kind is Kind.DOUBLE and abs(value) <= 2**53:
        return Literal(float(value) / 10.0**scale, dtype)
    if dtype.kind is Kind.BOOLEAN:
        return Literal(value != 0, dtype)
    return None


def _of_text(text: str, dtype: DType) -> Literal | None:
    text = text.strip(" \t\n\r\v\f")
    if dtype.kind is Kind.DATE:
        return _date(text, dtype)
    if dtype.kind is Kind.BOOLEAN:
        known = _BOOLEANS.get(text.lower())
        return None if known is None else Literal(known, dtype)
    if dtype.is_exact and _INTEGER.fullmatch(text):
        return _of_exact(int(text), 0, dtype)
    if dtype.is_exact and _DECIMAL.fullmatch(text):
        return _decimal(text, dtype)
    if dtype.kind is Kind.DOUBLE and _DECIMAL.fullmatch(text):
        return Literal(float(text), dtype)
    return None


def _decimal(text: str, dtype: DType) -> Literal | None:
    try:
        sign, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        return None
    assert isinstance(exponent, int)
    value = int("".join(map(str, digits))) * 10 ** max(0, exponent)
    return _of_exact(-value if sign else value, max(0, -exponent), dtype)


def _date(text: str, dtype: DType) -> Literal | None:
    if not _ISO_DATE.fullmatch(text):
        return None
    try:
        return Literal(date.fromisoformat(text).toordinal() - _EPOCH, dtype)
    except ValueError:
        return None
