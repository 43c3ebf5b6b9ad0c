"""Numbers as they are written in SQL, as typed `Literal`s."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Literal
from tqp.types import BIGINT, DOUBLE, HUGEINT, INTEGER, decimal, integer_range

__all__ = ["is_constant", "number", "signed"]


def signed(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """What stands in parentheses and, if it is a number, behind minus signs; and whether they make it negative."""
    inner, negative, has_sign = node.unnest(), False, False
    while isinstance(inner, exp.Neg):
        inner, negative, has_sign = inner.this.unnest(), not negative, True
    is_number = isinstance(inner, exp.Literal) and not inner.is_string
    return (inner, negative) if is_number or not has_sign else (node, False)


def is_constant(node: exp.Expr) -> bool:
    """Whether DuckDB's parser makes one constant of it: a literal, or a number with its signs."""
    return isinstance(signed(node)[0], exp.Literal | exp.HexString | exp.Boolean | exp.Null)


def number(text: str, negative: bool = False) -> Literal:
    """A number as written: the smallest of INTEGER, BIGINT, HUGEINT, a DECIMAL of just its digits, or DOUBLE.

    Raises UnsupportedError for an integer beyond HUGEINT, which DuckDB makes a BIGNUM.
    """
    sign = -1 if negative else 1
    if "e" in text.lower():
        try:
            return Literal(sign * float(text), DOUBLE)
        except ValueError:
            raise BindError(f"{text!r} is no number", hint="an exponent has digits: 1e6") from None
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
            # As in DuckDB the least INTEGER is a BIGINT: its digits are read without their sign.
            if low + (dtype == INTEGER) <= value <= high:
                return Literal(value, dtype)
    raise UnsupportedError(
        "an integer beyond the 128 bits of HUGEINT is not supported", hint="write it as a DOUBLE: 1e40"
    )
