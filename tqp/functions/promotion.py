"""Implicit casts: the one type that values of several types become when they meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from tqp.errors import BindError
from tqp.functions.union_types import common_members, members_cast, problem
from tqp.types import (
    BIGNUM,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    HUGEINT,
    JSON,
    MOST_MEMBERS,
    NULL,
    VARCHAR,
    VARIANT,
    DType,
    Kind,
    array,
    decimal,
    struct,
    union,
)

__all__ = [
    "MAX_PRECISION", "castable", "common_type", "compared_type", "decimal_of_integer", "forced_type", "may_hold_values",
    "matched_fields",
]  # fmt: skip

_Pair = Callable[[DType, DType], DType | None]

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
    Kind.UHUGEINT: 38,
}

_SIGNED = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.HUGEINT)
_UNSIGNED = (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT, Kind.UHUGEINT)
_INSTANTS = (
    Kind.DATE,
    Kind.TIMESTAMP_S,
    Kind.TIMESTAMP_MS,
    Kind.TIMESTAMP,
    Kind.TIMESTAMP_NS,
    Kind.TIMESTAMPTZ,
    Kind.TIMESTAMPTZ_NS,
)
# The order in which a set operation settles on the later type where no implicit cast exists.
_FORCED_ORDER = (
    Kind.NULL, Kind.BOOLEAN, Kind.TINYINT, Kind.UTINYINT, Kind.SMALLINT, Kind.USMALLINT, Kind.INTEGER, Kind.UINTEGER,
    Kind.BIGINT, Kind.UBIGINT, Kind.HUGEINT, Kind.UHUGEINT, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE, Kind.TIMETZ,
    Kind.TIME, Kind.TIME_NS, Kind.DATE, Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP, Kind.TIMESTAMP_NS, Kind.TIMESTAMPTZ,
    Kind.TIMESTAMPTZ_NS, Kind.INTERVAL, Kind.VARCHAR, Kind.BIT, Kind.BLOB, Kind.UUID, Kind.BIGNUM,
)  # fmt: skip


def common_type(*dtypes: DType) -> DType | None:
    """The type that implicit casts give values of all these types, or None where there is none.

    NULL goes with anything, BOOLEAN with integers, integers widen, an integer and a DECIMAL give a DECIMAL that holds
    both (at most 38 digits), exact and FLOAT give FLOAT, integers and FLOAT go to BIGNUM,
    DOUBLE takes all numbers, DATE goes to TIMESTAMP, arrays of one size go by their elements, beside JSON anything becomes that,
    and else beside VARIANT. Other text meets text only: whether a text *literal* takes another type is decided where literals
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
    """The column type of a set operation or VALUES list: as `common_type`, and else the later type.

    Only bits, bytes, UUIDs and BIGNUM are later than text.
    A struct beside a map becomes that map. Of times with and without an offset the
    first one counts.
    """
    return reduce(_forced_pair, dtypes, NULL)


def castable(have: DType, dtype: DType) -> bool:
    """Whether values of one type can be cast to the other, of which one is nested."""
    if have in (dtype, NULL, JSON) or dtype.is_text or dtype == VARIANT:
        return True
    if have.is_union or dtype.is_union:
        return problem(have, dtype) is None and all(castable(*pair) for pair in members_cast(have, dtype))
    if have.is_text or have == VARIANT:
        return True
    if not have.is_nested or not dtype.is_nested:
        return not have.is_nested and not dtype.is_nested
    if have.is_struct and dtype.kind is Kind.MAP:
        assert dtype.element is not None
        value = dtype.element.children[1]
        return _has_names(have) and all(castable(field.type, value) for field in have.fields)
    if have.is_struct or dtype.is_struct:
        if not (have.is_struct and dtype.is_struct):
            return False
        pairs = matched_fields(have, dtype)
        return pairs is not None and all(
            place is None or castable(have.fields[place].type, field.type)
            for place, field in zip(pairs, dtype.fields, strict=True)
        )
    if (have.kind is Kind.MAP) is not (dtype.kind is Kind.MAP):
        return False
    assert have.element is not None and dtype.element is not None
    return castable(have.element, dtype.element)


def may_hold_values(have: DType, dtype: DType) -> bool:
    """Whether TRY_CAST gives more than NULL for a value of a nested type, if only around what cannot be cast: lists of NULLs.

    BindError for structs that no cast takes apart, which are an error under TRY_CAST, too.
    """
    if have.is_struct and (
        dtype.kind is Kind.MAP and not _has_names(have) or dtype.is_struct and not _match(have, dtype)
    ):
        raise BindError(f"{have} cannot become {dtype}", hint="the fields of one have no names of the other")
    if have.is_union or dtype.is_union:
        return problem(have, dtype) is None
    if have.is_struct:
        return dtype.kind is Kind.MAP or dtype.is_struct
    if (have.kind is Kind.MAP) is not (dtype.kind is Kind.MAP) or have.element is None or dtype.element is None:
        return False
    may_hold_values(have.element, dtype.element)
    return True


def _has_names(dtype: DType) -> bool:
    return bool(dtype.fields) and bool(dtype.fields[0].name)


def _match(have: DType, dtype: DType) -> bool:
    pairs = matched_fields(have, dtype)
    if pairs is None:
        return False
    for place, field in zip(pairs, dtype.fields, strict=True):
        if place is not None:
            may_hold_values(have.fields[place].type, field.type)
    return True


def matched_fields(have: DType, dtype: DType) -> list[int | None] | None:
    """For each field of a STRUCT the place of that of another one that becomes it: by names, or in order where one side has none.

    None of a place: NULL becomes it. None at all where no field goes with another, or their numbers differ without names.
    """
    if not have.fields or not dtype.fields or not have.fields[0].name or not dtype.fields[0].name:
        return list(range(len(dtype.fields))) if len(have.fields) == len(dtype.fields) else None
    places = [have.field(field.name) for field in dtype.fields]
    return None if all(place is None for place in places) else places


def decimal_of_integer(dtype: DType) -> DType:
    """The DECIMAL(p, 0) that holds an integer type."""
    return decimal(_DIGITS[dtype.kind], 0)


def _forced_pair(a: DType, b: DType) -> DType:
    common = _pair(a, b)
    if common is not None:
        return common
    if a.is_nested or b.is_nested:
        met = _forced_nested(a, b)
        if met is None:
            raise BindError(f"types {a} and {b} do not go together")
        return met
    if {a.kind, b.kind} == {Kind.TIME, Kind.TIMETZ}:
        return a
    kinds = (VARCHAR if dtype.kind is Kind.ENUM else dtype for dtype in (a, b))
    return max(kinds, key=lambda dtype: _FORCED_ORDER.index(dtype.kind))


def _forced_nested(a: DType, b: DType) -> DType | None:
    """As `forced_type` where one is nested: by what is in them; text becomes what it meets. None where that is no type."""
    if a.is_union and b.is_union:
        return _union(a, b, _forced_pair)
    if {a.kind, b.kind} == {Kind.STRUCT, Kind.MAP}:
        of, entries = (a, b) if a.is_struct else (b, a)
        return entries if castable(of, entries) else None
    if a.is_nested and b.is_nested:
        return _nested(a, b, _forced_pair)
    nested, other = (a, b) if a.is_nested else (b, a)
    return nested if other == VARCHAR else None


def _pair(a: DType, b: DType) -> DType | None:
    if a == b:
        return _collated(a, b) if b.is_collated and a is not b else a
    if b == NULL:
        return a
    if a == NULL:
        return b
    if JSON in (a, b):
        return JSON
    if VARIANT in (a, b):
        return VARIANT
    if a.is_union or b.is_union:
        return _union(a, b, _pair)
    if Kind.ENUM in (a.kind, b.kind):
        # With anything but itself an ENUM is text.
        return _pair(*(VARCHAR if dtype.kind is Kind.ENUM else dtype for dtype in (a, b)))
    if a.is_numeric and b.is_numeric:
        return _numeric(a, b)
    if BIGNUM in (a, b):
        return _beside_bignum(b if a == BIGNUM else a)
    if a.is_nested and b.is_nested:
        return _nested(a, b, _pair)
    if a == BOOLEAN and b.is_integer:
        return b
    if b == BOOLEAN and a.is_integer:
        return a
    if Kind.TIMESTAMP_NS in (a.kind, b.kind) and {a.kind, b.kind} & {Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ_NS}:
        return None
    if a.kind in _INSTANTS and b.kind in _INSTANTS:
        return max(a, b, key=lambda dtype: _INSTANTS.index(dtype.kind))
    return None


def _collated(a: DType, b: DType) -> DType:
    """Two types that are equal as one: text has the collation of the second, or else of the first."""
    if not b.is_collated:
        return a
    if a.collation or b.collation:
        return b if b.collation else a
    element = None if a.element is None or b.element is None else _collated(a.element, b.element)
    pairs = zip(a.fields, b.fields, strict=True)
    fields = tuple([replace(one, type=_collated(one.type, other.type)) for one, other in pairs])
    return replace(a, element=element, fields=fields)


def _nested(a: DType, b: DType, pair: _Pair) -> DType | None:
    """By what is in them: a list takes the type of an array, a struct has the fields of both, the first one's first."""
    if a.is_struct and b.is_struct:
        return _struct(a, b, pair)
    if a.is_record or b.is_record or (a.kind is Kind.MAP) is not (b.kind is Kind.MAP):
        return None
    assert a.element is not None and b.element is not None
    element = pair(a.element, b.element)
    if element is None or (a.size and b.size and a.size != b.size):
        return None
    if a.size or b.size:
        return array(element, max(a.size, b.size))
    return DType(a.kind, element=element)


def _union(a: DType, b: DType, pair: _Pair) -> DType | None:
    """The members of both, those of the first one first; of another type the UNION of which it becomes a member."""
    if not (a.is_union and b.is_union):
        of, other = (a, b) if a.is_union else (b, a)
        return of if problem(other, of) is None else None
    pairs = [(name, pair(x, y)) for name, x, y in common_members(a, b)]
    known = [(name, dtype) for name, dtype in pairs if dtype is not None]
    return union(known) if len(known) == len(pairs) <= MOST_MEMBERS else None


def _struct(a: DType, b: DType, pair: _Pair) -> DType | None:
    if not all(side.fields and side.fields[0].name for side in (a, b)):
        named = next((side for side in (a, b) if side.fields and side.fields[0].name), a)
        if len(a.fields) != len(b.fields):
            return None
        pairs = [(one.name, pair(x, y)) for one, x, y in zip(named.fields, a.children, b.children, strict=True)]
    else:
        pairs = [
            (one.name, one.type if (place := b.field(one.name)) is None else pair(one.type, b.children[place]))
            for one in a.fields
        ]
        pairs += [(one.name, one.type) for one in b.fields if a.field(one.name) is None]
    known = [(name, dtype) for name, dtype in pairs if dtype is not None]
    return struct(known) if len(known) == len(pairs) else None


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


def _beside_bignum(dtype: DType) -> DType | None:
    """What a BIGNUM and a value of another type are; it does not go with a DECIMAL."""
    return BIGNUM if dtype.is_integer or dtype == FLOAT else DOUBLE if dtype == DOUBLE else None


def _integer(a: DType, b: DType) -> DType:
    for family in (_SIGNED, _UNSIGNED):
        if a.kind in family and b.kind in family:
            return max(a, b, key=lambda dtype: family.index(dtype.kind))
    signed, unsigned = (a, b) if a.kind in _SIGNED else (b, a)
    if unsigned.kind is Kind.UHUGEINT:
        return DOUBLE if signed.kind is Kind.HUGEINT else HUGEINT
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
