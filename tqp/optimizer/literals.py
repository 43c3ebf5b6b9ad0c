"""Arithmetic on literals, where the result is certain: casts, calendar steps, comparisons."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import Final

from tqp.ir.expr import Call, Cast, Expr, Literal
from tqp.types import BOOLEAN, DType, Kind, integer_range

__all__ = [
    "COMPARISONS", "MIRRORED", "NEGATED", "boolean", "fold_arithmetic", "fold_cast", "fold_compare", "fold_interval",
    "narrow",
]  # fmt: skip

COMPARISONS: Final = frozenset({"eq", "neq", "lt", "lte", "gt", "gte"})
MIRRORED: Final = {"eq": "eq", "neq": "neq", "lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
NEGATED: Final = {"eq": "neq", "neq": "eq", "lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}

_DAY: Final = 86_400_000_000
_EPOCH: Final = date(1970, 1, 1).toordinal()


def boolean(value: bool | None) -> Literal:
    """TRUE, FALSE or NULL."""
    return Literal(value, BOOLEAN)


def fold_compare(function: str, left: Literal, right: Literal) -> Literal | None:
    """The comparison of two literals of one type; None where it is not certain (floats that may be NaN)."""
    if left.value is None or right.value is None:
        return boolean(None)
    a, b = left.value, right.value
    if left.type != right.type or isinstance(a, tuple | float) or isinstance(b, tuple | float):
        return None
    less, equal = _less(a, b), a == b
    at_most = less or equal
    outcome = {"eq": equal, "neq": not equal, "lt": less, "lte": at_most, "gt": not at_most, "gte": not less}
    return boolean(outcome[function])


def _less(a: bool | int | str, b: bool | int | str) -> bool:
    # Text compares by its UTF-8 bytes, which is not always the order of Python's str.
    if isinstance(a, str) or isinstance(b, str):
        return str(a).encode() < str(b).encode()
    return a < b


def fold_cast(cast: Cast) -> Literal | None:
    """The value of a cast of a literal; None where it may fail or round."""
    arg, to = cast.arg, cast.type
    if not isinstance(arg, Literal):
        return None
    value = arg.value
    if value is None:
        return Literal(None, to)
    kind = arg.type.kind
    if kind is Kind.DATE and to.kind is Kind.TIMESTAMP and isinstance(value, int):
        return Literal(value * _DAY, to)
    if kind is Kind.TIMESTAMP and to.kind is Kind.DATE and isinstance(value, int):
        return Literal(value // _DAY, to)
    if arg.type.is_text and isinstance(value, str) and to.kind is Kind.DATE:
        return _parse_date(value, to)
    if arg.type.is_exact and isinstance(value, int):
        return _cast_exact(value, arg.type, to)
    return None


def _cast_exact(value: int, have: DType, to: DType) -> Literal | None:
    if to.is_exact:
        moved = value * 10 ** max(to.scale - have.scale, 0)
        divisor = 10 ** max(have.scale - to.scale, 0)
        low, high = integer_range(to)
        if moved % divisor or not low <= moved // divisor <= high:
            return None
        return Literal(moved // divisor, to)
    if to.kind is Kind.DOUBLE and abs(value) < 2**53 and have.scale <= 22:
        return Literal(value / 10**have.scale, to)
    return None


def _parse_date(text: str, to: DType) -> Literal | None:
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        return None
    try:
        return Literal(date.fromisoformat(text).toordinal() - _EPOCH, to)
    except ValueError:
        return None


def fold_arithmetic(call: Call) -> Literal | None:
    """Sum, difference or product of exact literals."""
    if call.function not in ("add", "sub", "mul") or len(call.args) != 2 or not call.type.is_exact:
        return None
    left, right = call.args
    if not (isinstance(left, Literal) and isinstance(right, Literal) and left.type.is_exact and right.type.is_exact):
        return None
    a, b = left.value, right.value
    if not isinstance(a, int) or not isinstance(b, int):
        return Literal(None, call.type) if a is None or b is None else None
    if call.function == "mul":
        value, scale = a * b, left.type.scale + right.type.scale
    else:
        scale = max(left.type.scale, right.type.scale)
        a, b = a * 10 ** (scale - left.type.scale), b * 10 ** (scale - right.type.scale)
        value = a + b if call.function == "add" else a - b
    low, high = integer_range(call.type)
    return Literal(value, call.type) if scale == call.type.scale and low <= value <= high else None


def fold_interval(call: Call) -> Literal | None:
    """DATE or TIMESTAMP plus or minus an INTERVAL, of literals; months first, the day cut to the month's end."""
    if call.function not in ("add", "sub") or len(call.args) != 2 or call.type.kind not in (Kind.TIMESTAMP, Kind.DATE):
        return None
    left, right = call.args
    if call.function == "add" and left.dtype.kind is Kind.INTERVAL:
        left, right = right, left
    if not (isinstance(left, Literal) and isinstance(right, Literal) and isinstance(right.value, tuple)):
        return None
    if left.type.kind not in (Kind.DATE, Kind.TIMESTAMP) or not isinstance(left.value, int):
        return None
    months, days, micros = (part if call.function == "add" else -part for part in right.value)
    start = left.value * _DAY if left.type.kind is Kind.DATE else left.value
    day, time = divmod(start, _DAY)
    try:
        total = (_add_months(day, months) + days) * _DAY + time + micros
    except (ValueError, OverflowError):
        return None
    if call.type.kind is Kind.DATE:
        return Literal(total // _DAY, call.type)
    return Literal(total, call.type)


def _add_months(day: int, months: int) -> int:
    if not months:
        return day
    start = date.fromordinal(day + _EPOCH)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).toordinal() - _EPOCH


def narrow(function: str, cast: Cast, literal: Literal) -> Expr | None:
    """`cast(x) <op> literal` as a comparison of x itself, where the cast keeps values and order."""
    x, have, wide = cast.arg, cast.arg.dtype, cast.type
    if cast.safe or not isinstance(literal.value, int) or isinstance(literal.value, bool):
        return None
    if have.kind is Kind.DATE and wide.kind is Kind.TIMESTAMP:
        return _rescaled(function, x, literal.value, _DAY, -(2**31), 2**31 - 1)
    if not (have.is_exact and wide.is_exact and wide.scale >= have.scale):
        return None
    unit = 10 ** (wide.scale - have.scale)
    low, high = integer_range(have)
    wide_low, wide_high = integer_range(wide)
    if low * unit < wide_low or high * unit > wide_high:
        return None
    return _rescaled(function, x, literal.value, unit, low, high)


def _rescaled(function: str, x: Expr, value: int, unit: int, low: int, high: int) -> Expr | None:
    """`x * unit <op> value` as `x <op> value / unit`, rounded to the side that keeps the meaning."""
    if value % unit and function in ("eq", "neq"):
        return None
    upward = function in ("lt", "gte")
    bound = -(-value // unit) if upward else value // unit
    if not low <= bound <= high:
        return None
    return Call(function, (x, Literal(bound, x.dtype)), BOOLEAN)
