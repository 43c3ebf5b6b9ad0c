"""Implicit casts: the one type that values of several types become when they meet."""

from __future__ import annotations

from functools import reduce

from tqp.errors import BindError
from tqp.types import BOOLEAN, DOUBLE, FLOAT, NULL, VARCHAR, DType, Kind, array, decimal

__all__ = ["MAX_PRECISION", "common_type", "compared_type", "decimal_of_integer", "forced_type"]

MAX_PRECISION = 38

_DIGITS = {
    Kind.TINYINT: 3,
    Kind.SMALLINT: 5,
    Kind.INTEGER: 10,
    Kind.BIGINT: 19,
    Kind.HUGEINT: 38,
    Kind.UTINYINT: 3,
    Kind.USMALLINT: 5,
    Kind.UINTEGER: 10,
    Kind.UBIGINT: 20,
}

_SIGNED = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.HUGEINT)
_UNSIGNED = (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT)
_INSTANTS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
# The order in which a set operation settles on the later type where no implicit cast exists.
_FORCED_ORDER = (
    Kind.NULL, Kind.BOOLEAN, Kind.TINYINT, Kind.UTINYINT, Kind.SMALLINT, Kind.USMALLINT, Kind.INTEGER, Kind.UINTEGER,
    Kind.BIGINT, Kind.UBIGINT, Kind.HUGEINT, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE, Kind.DATE, Kind.TIME,
    Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL, Kind.VARCHAR,
)  # fmt: skip


def common_type(*dtypes: DType) -> DType | None:
    """The type that implicit casts give values of all these types, or None where there is none.

    NULL goes with anything, BOOLEAN with integers, integers widen, an integer and a DECIMAL give a DECIMAL that holds
    both (at most 38 digits), exact and FLOAT give FLOAT, DOUBLE takes all numbers, DATE goes to TIMESTAMP, arrays of one
    size go by their elements. Text meets text only: whether a text *literal* takes another type is decided where literals
    are seen.
    """
    result: DType | None = NULL
    for dtype in dtypes:
        if result is None:
            return None
        result = _pair(result, dtype)
    return result


def compared_type(common: DType, *dtypes: DType) -> DType:
    """The type in which values of these types, whose `common_type` is given, are compared.

    No digit behind the point may be rounded away for that, so a DECIMAL keeps the largest scale; a number too large for it then
    is an error.
    """
    scale = max((dtype.scale for dtype in dtypes), default=0)
    return decimal(MAX_PRECISION, scale) if common.is_decimal and common.scale < scale else common


def forced_type(*dtypes: DType) -> DType:
    """The column type of a set operation or VALUES list: as `common_type`, and else the later type (text is last)."""
    return reduce(_forced_pair, dtypes, NULL)


def decimal_of_integer(dtype: DType) -> DType:
    """The DECIMAL(p, 0) that holds an integer type."""
    return decimal(_DIGITS[dtype.kind], 0)


def _forced_pair(a: DType, b: DType) -> DType:
    common = _pair(a, b)
    if common is not None:
        return common
    if a.is_nested or b.is_nested:
        raise BindError(f"types {a} and {b} do not go together in one column")
    if a == VARCHAR or b == VARCHAR:
        return VARCHAR
    return max(a, b, key=lambda dtype: _FORCED_ORDER.index(dtype.kind))


def _pair(a: DType, b: DType) -> DType | None:
    if a == b or b == NULL:
        return a
    if a == NULL:
        return b
    if a.is_numeric and b.is_numeric:
        return _numeric(a, b)
    if a.element is not None and b.element is not None:
        return _nested(a, b, _pair(a.element, b.element))
    if a == BOOLEAN and b.is_integer:
        return b
    if b == BOOLEAN and a.is_integer:
        return a
    if a.kind in _INSTANTS and b.kind in _INSTANTS:
        return max(a, b, key=lambda dtype: _INSTANTS.index(dtype.kind))
    return None


def _nested(a: DType, b: DType, element: DType | None) -> DType | None:
    """A written list takes the type of an array of as many elements."""
    if element is None or a.size != b.size:
        return None
    return array(element, a.size) if a.is_array or b.is_array else DType(Kind.LIST, element=element, size=a.size)


def _numeric(a: DType, b: DType) -> DType:
    if a == DOUBLE or b == DOUBLE:
        return DOUBLE
    if a == FLOAT or b == FLOAT:
        return FLOAT
    if a.is_integer and b.is_integer:
        return _integer(a, b)
    if a.is_decimal and b.is_decimal:
        return _decimal(a, b)
    if a.is_integer:
        a, b = b, a
    digits = max(a.precision - a.scale, _DIGITS[b.kind])
    return decimal(min(MAX_PRECISION, digits + a.scale), a.scale)


def _integer(a: DType, b: DType) -> DType:
    for family in (_SIGNED, _UNSIGNED):
        if a.kind in family and b.kind in family:
            return max(a, b, key=lambda dtype: family.index(dtype.kind))
    signed, unsigned = (a, b) if a.kind in _SIGNED else (b, a)
    # The signed type one wider than the unsigned one holds all of its values.
    wider = _SIGNED[_UNSIGNED.index(unsigned.kind) + 1]
    return DType(max(signed.kind, wider, key=_SIGNED.index))


def _decimal(a: DType, b: DType) -> DType:
    digits = max(a.precision - a.scale, b.precision - b.scale)
    scale = max(a.scale, b.scale)
    if digits + scale > MAX_PRECISION:
        # Digits before the point win over digits behind it.
        scale = MAX_PRECISION - digits
    return decimal(max(1, digits + scale), scale)
