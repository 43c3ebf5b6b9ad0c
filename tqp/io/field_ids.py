"""The numbers of fields in Parquet files that are written: Arrow has them in the metadata of fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

import pyarrow as pa

from tqp.errors import BindError

__all__ = ["with_field_ids"]

_OWN: Final = "__duckdb_field_id"
_HINT: Final = "FIELD_IDS {a: 1, b: {__duckdb_field_id: 2, element: 3}}, or FIELD_IDS 'auto'"


def with_field_ids(schema: pa.Schema, given: Any) -> pa.Schema:
    """The schema with the numbers that are `given`: by the names of fields, in a dict for what is in one, or "auto" for all.

    BindError for a name that is no field, and for a number that is none or stands twice.
    """
    if given == "auto":
        numbers = count()
        return pa.schema([_numbered(field, numbers) for field in schema])
    if not isinstance(given, Mapping):
        raise BindError("FIELD_IDS is no struct of numbers", hint=_HINT)
    seen: set[int] = set()
    return pa.schema(_given(list(schema), given, seen))


def _numbered(field: pa.Field, numbers: Iterator[int]) -> pa.Field:
    """The field and those in it with the next numbers."""
    own = field.with_metadata({"PARQUET:field_id": str(next(numbers))})
    return own.with_type(_of_inner(field.type, [_numbered(one, numbers) for one in _inner(field.type)]))


def _given(fields: list[pa.Field], given: Mapping[str, Any], seen: set[int]) -> list[pa.Field]:
    wanted = {name.lower(): told for name, told in given.items() if name != _OWN}
    unknown = wanted.keys() - {field.name.lower() for field in fields}
    if unknown:
        raise BindError(f"FIELD_IDS: there is no field {min(unknown)!r}", hint=_HINT)
    return [
        _with_number(field, wanted[low], seen) if (low := field.name.lower()) in wanted else field for field in fields
    ]


def _with_number(field: pa.Field, told: Any, seen: set[int]) -> pa.Field:
    number = told.get(_OWN) if isinstance(told, Mapping) else told
    if isinstance(told, Mapping):
        field = field.with_type(_of_inner(field.type, _given(_inner(field.type), told, seen)))
        if number is None:
            return field
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise BindError(f"FIELD_IDS: {field.name!r} has {number!r}, which is no number from 0 on", hint=_HINT)
    if number in seen:
        raise BindError(f"FIELD_IDS: {number} stands twice", hint=_HINT)
    seen.add(number)
    return field.with_metadata({"PARQUET:field_id": str(number)})


def _inner(kind: pa.DataType) -> list[pa.Field]:
    """The fields in a type, by the names that Parquet has for them; an array's, as in DuckDB, have no number of their own."""
    if pa.types.is_struct(kind):
        return list(kind)
    if pa.types.is_map(kind):
        return [kind.key_field.with_name("key"), kind.item_field.with_name("value")]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [kind.value_field.with_name("element")]
    return []


def _of_inner(kind: pa.DataType, fields: list[pa.Field]) -> pa.DataType:
    """The type with these fields in it."""
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    if pa.types.is_map(kind):
        return pa.map_(*fields)
    if pa.types.is_large_list(kind):
        return pa.large_list(fields[0])
    return pa.list_(fields[0]) if pa.types.is_list(kind) else kind
