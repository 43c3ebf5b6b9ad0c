"""Numbers as they are written in SQL, as typed `Literal`s."""

from __future__ import annotations

from tqp.errors import UnsupportedError
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Literal
from tqp.types import BIGINT, DOUBLE, HUGEINT, INTEGER, decimal, integer_range

__all__ = ["number"]


def number(text: str, negative: bool = False) -> Literal:
    """A number as written: the smallest of INTEGER, BIGINT, HUGEINT, a DECIMAL of just its digits, or DOUBLE.

    Raises UnsupportedError for an integer beyond HUGEINT, which DuckDB makes a BIGNUM.
    """
    sign = -1 if negative else 1
    if "e" in text.lower():
        return Literal(sign * float(text), DOUBLE)
    whole, point, fraction = text.partition(".")
    if not point:
        return _integer(whole, sign)
    digits = len(whole) + len(fraction)
    if digits > MAX_PRECISION:
        return Literal(sign * float(text), DOUBLE)
    return Literal(sign * int(whole + fraction), decimal(max(1, digits), len(fraction)))


def _integer(digits: str, sign: int) -> Literal:
    # Python counts the digits that it turns into a number.
    if len(digits.lstrip("0")) < 40:
        value = sign * int(digits)
        for dtype in (INTEGER, BIGINT, HUGEINT):
            low, high = integer_range(dtype)
            if low <= value <= high:
                return Literal(value, dtype)
    raise UnsupportedError(
        "an integer beyond the 128 bits of HUGEINT is not supported", hint="write it as a DOUBLE: 1e40"
    )
