"""What an implicit cast of one type to another costs: by that DuckDB chooses the member of a UNION that a value becomes."""

from __future__ import annotations

from typing import Final

from tqp.types import JSON, VARCHAR, DType, Kind

__all__ = ["implicit_cost"]

_COSTS: Final = {
    Kind.BIGINT: 101, Kind.INTEGER: 102, Kind.HUGEINT: 103, Kind.DOUBLE: 104, Kind.DECIMAL: 105, Kind.TIMESTAMP_NS: 119,
    Kind.TIMESTAMP: 120, Kind.TIMESTAMP_MS: 121, Kind.TIMESTAMP_S: 122, Kind.TIMESTAMPTZ: 123, Kind.TIMESTAMPTZ_NS: 124,
    Kind.VARCHAR: 149,
}  # fmt: skip
"""By the type that a value becomes."""
_OTHERS: Final = 110

_SIGNED: Final = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.HUGEINT)
_UNSIGNED: Final = (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER, Kind.UBIGINT, Kind.UHUGEINT)
_OF_INTEGERS: Final = frozenset({Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE, Kind.BIGNUM})
_ZONED: Final = frozenset({Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ_NS})

_WIDER: Final = {
    **{kind: {*_SIGNED[place + 1 :], *_OF_INTEGERS} for place, kind in enumerate(_SIGNED)},
    **{kind: {*_UNSIGNED[place + 1 :], *_SIGNED[place + 1 :], *_OF_INTEGERS} for place, kind in enumerate(_UNSIGNED)},
    Kind.FLOAT: {Kind.DOUBLE, Kind.BIGNUM},
    Kind.BIGNUM: {Kind.DOUBLE},
    Kind.DECIMAL: {Kind.FLOAT, Kind.DOUBLE},
    Kind.DATE: {Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP, Kind.TIMESTAMP_NS, *_ZONED},
    Kind.TIMESTAMP_S: {Kind.TIMESTAMP_MS, Kind.TIMESTAMP, Kind.TIMESTAMP_NS, *_ZONED},
    Kind.TIMESTAMP_MS: {Kind.TIMESTAMP, Kind.TIMESTAMP_NS, *_ZONED},
    Kind.TIMESTAMP: {Kind.TIMESTAMP_NS, *_ZONED},
    Kind.TIMESTAMP_NS: {Kind.TIMESTAMP},
    Kind.TIMESTAMPTZ: {Kind.TIMESTAMPTZ_NS},
    Kind.ENUM: {Kind.VARCHAR},
}
"""The kinds of types that values of a kind become without a word."""


def implicit_cost(have: DType, to: DType) -> int | None:
    """The cost of the implicit cast, 0 where nothing is to be done; None where there is none."""
    if to == JSON:
        return None if have == JSON else int(have.is_text or have.kind is Kind.ENUM)
    if to.is_union:
        return _of_union(have, to)
    if have.kind in (Kind.LIST, Kind.ARRAY) and to.kind in (Kind.LIST, Kind.ARRAY):
        return _of_list(have, to)
    if have.is_struct and to.is_struct:
        return _of_struct(have, to)
    if have.kind is to.kind:
        # Digits, labels, keys and values do not matter.
        return 0
    return _COSTS.get(to.kind, _OTHERS) if to.kind in _WIDER.get(have.kind, ()) else None


def _of_list(have: DType, to: DType) -> int | None:
    """That of the elements; a list that becomes one is preferred to an array, and an array the other way around."""
    assert have.element is not None and to.element is not None
    if have.size and to.size and have.size != to.size:
        return None
    cost = implicit_cost(have.element, to.element)
    if cost is None:
        return None
    if bool(have.size) is bool(to.size):
        return max(cost - 1, 0)
    return cost + 1 if have.size else cost


def _of_struct(have: DType, to: DType) -> int | None:
    if [one.name.lower() for one in have.fields] != [one.name.lower() for one in to.fields]:
        return None
    costs = [implicit_cost(one.type, other.type) for one, other in zip(have.fields, to.fields, strict=True)]
    known = [cost for cost in costs if cost is not None]
    return max(known, default=0) if len(known) == len(costs) else None


def _of_union(have: DType, to: DType) -> int | None:
    """Of a value the cost of the nearest member. A UNION needs all of its names there; what has no implicit cast counts nothing."""
    if not have.is_union:
        costs = [implicit_cost(have, one.type) for one in to.fields if not (one.type == JSON and have == VARCHAR)]
        return min((cost for cost in costs if cost is not None), default=None)
    places = [to.field(one.name) for one in have.fields]
    found = [
        implicit_cost(one.type, to.fields[place].type)
        for one, place in zip(have.fields, places, strict=True)
        if place is not None
    ]
    return None if None in places else max((cost for cost in found if cost is not None), default=0)
