"""Literals: arithmetic on them, where the result is certain (calendar steps, comparisons), and aggregates of nothing."""

from __future__ import annotations

from tqp.data.dictionary import String, as_bytes
from tqp.functions.aggregates import aggregate_of
from tqp.functions.fold import shift_instant
from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.expr import AggregateCall, Call, Cast, Elements, Expr, Literal, Members
from tqp.ir.inputs import decide, derived
from tqp.kernels.calendar import DAY, INFINITE_INSTANT
from tqp.types import BOOLEAN, DType, Kind, integer_range

__all__ = [
    "boolean", "compares", "fold_arithmetic", "fold_compare", "fold_interval", "keeps_values", "mirrored",
    "narrow", "on_nothing",
]  # fmt: skip


def compares(call: Call) -> bool:
    """Whether the call is = <> < <= > or >=, which are NULL where a side is."""
    function = find(call.function)
    return function.mirrored is not None and function.strict


def mirrored(function: str) -> str:
    """The comparison that says of (b, a) what `function` says of (a, b)."""
    found = find(function).mirrored
    assert found is not None
    return found


def boolean(value: bool | None) -> Literal:
    """TRUE, FALSE or NULL."""
    return Literal(value, BOOLEAN)


def fold_compare(function: str, left: Literal, right: Literal) -> Literal | None:
    """The comparison of two literals of one type; None where it is not certain (floats that may be NaN) or takes long."""
    return decide(_compared, left, right, rest=(function,))


def _compared(left: Literal, right: Literal, function: str) -> Literal | None:
    if left.value is None or right.value is None:
        return boolean(None)
    a, b = left.value, right.value
    if (
        left.type != right.type
        or isinstance(a, tuple | float | Elements | Members)
        or isinstance(b, tuple | float | Elements | Members)
    ):
        return None
    less, equal = _less(a, b), a == b
    at_most = less or equal
    outcome = {
        words.EQ: equal,
        words.NEQ: not equal,
        words.LT: less,
        words.LTE: at_most,
        words.GT: not at_most,
        words.GTE: not less,
    }
    return boolean(outcome[function])


def _less(a: bool | int | String, b: bool | int | String) -> bool:
    # Text compares by its UTF-8 bytes, which is not always the order of Python's str.
    if isinstance(a, String) and isinstance(b, String):
        return as_bytes(a) < as_bytes(b)
    assert isinstance(a, int) and isinstance(b, int)
    return a < b


def fold_arithmetic(call: Call) -> Literal | None:
    """Sum, difference or product of exact literals."""
    if call.function not in (words.ADD, words.SUB, words.MUL) or len(call.args) != 2 or not call.type.is_exact:
        return None
    left, right = call.args
    if not (isinstance(left, Literal) and isinstance(right, Literal) and left.type.is_exact and right.type.is_exact):
        return None
    return derived(_computed, left, right, rest=(call.function, call.type))


def _computed(left: Literal, right: Literal, function: str, dtype: DType) -> Literal | None:
    a, b = left.value, right.value
    if not isinstance(a, int) or not isinstance(b, int):
        return Literal(None, dtype) if a is None or b is None else None
    if function == words.MUL:
        value, scale = a * b, left.type.scale + right.type.scale
    else:
        scale = max(left.type.scale, right.type.scale)
        a, b = a * 10 ** (scale - left.type.scale), b * 10 ** (scale - right.type.scale)
        value = a + b if function == words.ADD else a - b
    low, high = integer_range(dtype)
    return Literal(value, dtype) if scale == dtype.scale and low <= value <= high else None


def fold_interval(call: Call) -> Literal | None:
    """DATE or TIMESTAMP plus or minus an INTERVAL, of literals."""
    if call.function not in (words.ADD, words.SUB) or len(call.args) != 2 or call.type.kind is not Kind.TIMESTAMP:
        return None
    left, right = call.args
    if call.function == words.ADD and left.dtype.kind is Kind.INTERVAL:
        left, right = right, left
    if not (isinstance(left, Literal) and isinstance(right, Literal) and right.type.kind is Kind.INTERVAL):
        return None
    if left.type.kind not in (Kind.DATE, Kind.TIMESTAMP) or left.is_null or right.is_null:
        return None
    return shift_instant(left, right, 1 if call.function == words.ADD else -1)


def narrow(function: str, cast: Cast, literal: Literal) -> Expr | None:
    """`cast(x) <op> literal` as a comparison of x itself, where the cast keeps values and order."""
    x, have, wide = cast.arg, cast.arg.dtype, cast.type
    if cast.safe or literal.is_null:
        return None
    if have.kind is Kind.DATE and wide.kind is Kind.TIMESTAMP:
        return _rescaled(function, x, literal, DAY, -(2**31), 2**31 - 1)
    if not keeps_values(have, wide):
        return None
    return _rescaled(function, x, literal, 10 ** (wide.scale - have.scale), *integer_range(have))


def keeps_values(have: DType, wide: DType) -> bool:
    """Whether both are exact numbers and a cast from the one to the other keeps every value."""
    if not (have.is_exact and wide.is_exact and wide.scale >= have.scale):
        return False
    unit = 10 ** (wide.scale - have.scale)
    (low, high), (wide_low, wide_high) = integer_range(have), integer_range(wide)
    return bool(low * unit >= wide_low and high * unit <= wide_high)


def _rescaled(function: str, x: Expr, literal: Literal, unit: int, low: int, high: int) -> Expr | None:
    """`x * unit <op> literal` as `x <op> literal / unit`, rounded to the side that keeps the meaning."""
    bound = derived(_quotient, literal, rest=(function, unit, low, high, x.dtype))
    return None if bound is None else Call(function, (x, bound), BOOLEAN)


def _quotient(literal: Literal, function: str, unit: int, low: int, high: int, dtype: DType) -> Literal | None:
    value = literal.value
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    if literal.type.kind is Kind.TIMESTAMP and abs(value) == INFINITE_INSTANT:
        return None
    if value % unit and function in (words.EQ, words.NEQ):
        return None
    upward = function in (words.LT, words.GTE)
    bound = -(-value // unit) if upward else value // unit
    return Literal(bound, dtype) if low <= bound <= high else None


def on_nothing(call: AggregateCall) -> Literal:
    """An aggregate's value for no rows."""
    return Literal(aggregate_of(call).empty, call.type)
