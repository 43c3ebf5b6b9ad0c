"""What Python functions give, as Arrow: dicts are structs or maps, and only the type that a function announced says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

from tqp.errors import UnsupportedError, with_article
from tqp.io.export import arrow_type
from tqp.io.values import HugeIntegers, array_of_objects
from tqp.types import DType, Kind

__all__ = ["array_of_results"]


def array_of_results(values: Sequence[Any], result: DType) -> pa.Array | pa.ChunkedArray | HugeIntegers:
    """The values, None for NULL, for a column of type `result`: of types of their own, which a cast makes its.

    Raises UnsupportedError as `array_of_objects`, and for what is no dict of keys where `result` has a MAP.
    """
    if not _has_map(result):
        return array_of_objects(values)
    if result.kind is Kind.MAP:
        assert result.element is not None
        key, value = result.element.children
        entries = [None if given is None else list(_mapping(given, result).items()) for given in values]
        flat = [entry for listed in entries if listed is not None for entry in listed]
        if any(name is None for name, _ in flat):
            raise UnsupportedError("a key of a MAP is never NULL, and one is None")
        keys, items = (_inner([entry[place] for entry in flat], dtype) for place, dtype in enumerate((key, value)))
        return pa.MapArray.from_arrays(_offsets(entries), keys, items)
    if result.is_struct:
        rows = [None if given is None else _mapping(given, result) for given in values]
        fields = [
            _inner([None if row is None else row.get(field.name) for row in rows], field.type)
            for field in result.fields
        ]
        missing = pa.array([row is None for row in rows], pa.bool_())
        return pa.StructArray.from_arrays(fields, [field.name for field in result.fields], mask=missing)
    assert result.element is not None
    elements = [element for listed in values if listed is not None for element in listed]
    return pa.ListArray.from_arrays(_offsets(values), _inner(elements, result.element))


def _has_map(dtype: DType) -> bool:
    return dtype.kind is Kind.MAP or any(map(_has_map, dtype.children))


def _mapping(given: Any, wanted: DType) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise UnsupportedError(f"{wanted} is made of dicts, and this is {with_article(type(given).__name__)}")
    return given


def _inner(values: list[Any], dtype: DType) -> pa.Array:
    found = array_of_results(values, dtype)
    if isinstance(found, HugeIntegers):
        raise UnsupportedError("integers beyond 64 bits within other values are not supported")
    whole = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    return pa.nulls(len(whole), arrow_type(dtype)) if pa.types.is_null(whole.type) else whole


def _offsets(lists: Sequence[Sequence[Any] | None]) -> pa.Array:
    """Where each begins in all of them, and where the last ends; NULL of one that is None."""
    ends = list(accumulate([0 if one is None else len(one) for one in lists], initial=0))
    starts = [None if one is None else start for one, start in zip(lists, ends[:-1], strict=True)]
    return pa.array([*starts, ends[-1]], pa.int32())
