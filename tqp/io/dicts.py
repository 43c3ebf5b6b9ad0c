"""Columns of dicts, and of lists of them, as DuckDB reads them: STRUCT where all have the same keys in the same order, else MAP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa

from tqp.errors import UnsupportedError

__all__ = ["array_of_dicts", "has_dicts"]

Read = Callable[[Sequence[Any]], Any]
"""From values that are no dicts, with None for NULL, to an array."""


def has_dicts(values: Iterable[Any]) -> bool:
    """Whether one of the values is a dict, or a list or tuple that begins with one: elements of others are not looked at."""
    return any(
        isinstance(value, dict) or (isinstance(value, list | tuple) and has_dicts(_first(value))) for value in values
    )


def _first(values: Sequence[Any]) -> Sequence[Any]:
    return next(((value,) for value in values if value is not None), ())


def array_of_dicts(values: Sequence[Any], read: Read) -> pa.Array:
    """The values, None for NULL, of which one has a dict in it; those that are none go to `read`.

    UnsupportedError, whose message is the reason, for those that have no type in common.
    """
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, dict) for value in known):
        return _dicts(values, known, read)
    if known and has_dicts(known) and all(isinstance(value, list | tuple) for value in known):
        items = array_of_dicts([item for value in known for item in value], read)
        return pa.ListArray.from_arrays(_offsets(values), items, mask=_nulls(values))
    if has_dicts(known):
        raise UnsupportedError("it mixes dicts with other objects: make them of one type, or texts by str()")
    kinds = set(map(type, known))
    if str in kinds and kinds <= _PLAIN:
        values = [None if value is None else _text(value) for value in values]
    found = read(values)
    if not isinstance(found, pa.Array | pa.ChunkedArray):
        raise UnsupportedError("a dict in it has integers beyond 64 bits")
    return found if isinstance(found, pa.Array) else found.combine_chunks()


_PLAIN: Final = {str, int, float, bool, Decimal, date, datetime}
"""Values of dicts that are texts beside texts, as in DuckDB."""


def _text(value: Any) -> str | None:
    """Its text, None for a NaN."""
    if value != value:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _dicts(values: Sequence[Any], known: Sequence[dict[Any, Any]], read: Read) -> pa.Array:
    keys = tuple(known[0])
    if keys and all(tuple(value) == keys for value in known):
        if keys == ("key", "value") and all(map(_is_written_out, known)):
            made = [None if value is None else dict(zip(value["key"], value["value"], strict=True)) for value in values]
            return _maps(made, read)
        parts = [array_of_dicts([None if value is None else value[key] for value in values], read) for key in keys]
        return pa.StructArray.from_arrays(parts, [str(key) for key in keys], mask=_nulls(values))
    return _maps(values, read)


def _is_written_out(value: dict[Any, Any]) -> bool:
    """Whether it has lists of as many keys as values, as a MAP may be written."""
    keys, items = value["key"], value["value"]
    return isinstance(keys, list) and isinstance(items, list) and len(keys) == len(items) == len(set(map(str, keys)))


def _maps(values: Sequence[Any], read: Read) -> pa.Array:
    known = [value for value in values if value is not None]
    for value in known:
        if len(set(map(str, value))) < len(value):
            raise UnsupportedError("a dict in it has two keys of the same text")
    keys = pa.array([str(key) for value in known for key in value], pa.string())
    items = array_of_dicts([item for value in known for item in value.values()], read)
    return pa.MapArray.from_arrays(_offsets(values), keys, items, mask=_nulls(values))


def _offsets(values: Sequence[Any]) -> pa.Array:
    ends = [0]
    for value in values:
        ends.append(ends[-1] + (0 if value is None else len(value)))
    return pa.array(ends, pa.int32())


def _nulls(values: Sequence[Any]) -> pa.Array | None:
    hidden = [value is None for value in values]
    return pa.array(hidden) if any(hidden) else None
