"""Numbers as they are written in SQL, as typed `Literal`s."""

from __future__ import annotations

from sqlglot import exp

from tqp.bignums import encoded, number_of
from tqp.errors import BindError, UnsupportedError
from tqp.functions.promotion import MAX_PRECISION
from tqp.ir.expr import Literal
from tqp.types import BIGINT, BIGNUM, DOUBLE, HUGEINT, INTEGER, decimal, integer_range

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
    """A number as written: the smallest of INTEGER, BIGINT, HUGEINT, BIGNUM, a DECIMAL of just its digits, or DOUBLE.

    Beyond HUGEINT an integer is a BIGNUM. UnsupportedError for those of 128 bits without a sign, which DuckDB makes a UHUGEINT.
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
    value = sign * number_of(digits)
    for dtype in (INTEGER, BIGINT, HUGEINT):
        low, high = integer_range(dtype)
        # As in DuckDB the least INTEGER is a BIGINT: its digits are read without their sign.
        if low + (dtype == INTEGER) <= value <= high:
            return Literal(value, dtype)
    if 0 < value < 2**128:
        raise UnsupportedError(
            "a UHUGEINT from 2^127 on is not supported", hint="write CAST('…' AS BIGNUM), or it as a DOUBLE: 2e38"
        )
    return Literal(encoded(value), BIGNUM)
