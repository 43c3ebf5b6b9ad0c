"""Numbers as they are written in SQL, as typed `Literal`s."""

from __future__ import annotations

from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Literal
from tqp.types import BIGINT, DOUBLE, HUGEINT, INTEGER, decimal, integer_range

__all__ = ["number"]


def number(text: str, negative: bool = False) -> Literal:
    """A number as written: the smallest of INTEGER, BIGINT, HUGEINT, a DECIMAL of just its digits, or DOUBLE."""
    sign = -1 if negative else 1
    if "e" in text.lower():
        return Literal(sign * float(text), DOUBLE)
    whole, point, fraction = text.partition(".")
    if not point:
        return _integer(sign * int(whole))
    digits = len(whole) + len(fraction)
    if digits > MAX_PRECISION:
        return Literal(sign * float(text), DOUBLE)
    return Literal(sign * int(whole + fraction), decimal(max(1, digits), len(fraction)))


def _integer(value: int) -> Literal:
    for dtype in (INTEGER, BIGINT, HUGEINT):
        low, high = integer_range(dtype)
        if low <= value <= high:
            return Literal(value, dtype)
    return Literal(float(value), DOUBLE)
