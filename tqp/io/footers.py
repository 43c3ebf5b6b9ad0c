"""What the footers of Parquet files say of a column's values: the limits of each row group.

Writers may cut texts short and leave NaN out, or say nothing; so what is made of it are limits, and where they are in doubt none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import torch

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.data.reading import GroupZones
from tqp.data.to_arrow import few_integers
from tqp.data.zones import Zones
from tqp.errors import TqpError
from tqp.io.arrow import column_from_arrow

__all__ = ["Chunk", "chunks", "group_zones", "is_text", "place_of", "same_zones", "stored_limits"]

_UNITS: Final = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_DAYS: Final = pa.date32()


class Chunk(NamedTuple):
    """A column in one row group, and how the file says its values."""

    meta: pq.ColumnChunkMetaData
    schema: pq.ColumnSchema


class _Ends(NamedTuple):
    """The limits of a row group: both None where it has no value."""

    low: Any
    high: Any


def place_of(metadata: pq.FileMetaData, name: str) -> int | None:
    """Where a column that is not nested stands among the leaves; None where it cannot be told."""
    places = [place for place in range(metadata.num_columns) if metadata.schema.column(place).path == name]
    return places[0] if len(places) == 1 else None


def chunks(
    footers: Sequence[pq.FileMetaData], groups: Sequence[tuple[int, int]], names: Sequence[str]
) -> list[Chunk] | None:
    """The column in these row groups (file, group in it), by what each file calls it; None where one does not say where it is."""
    places = [place_of(footer, name) for footer, name in zip(footers, names, strict=True)]
    found = []
    for file, group in groups:
        place = places[file]
        if place is None:
            return None
        footer = footers[file]
        found.append(Chunk(footer.row_group(group).column(place), footer.schema.column(place)))
    return found


def stored_limits(kind: pa.DataType, found: Sequence[Chunk]) -> Bounds | None:
    """Limits of the stored integers of a column; None where the footers do not say them."""
    if pa.types.is_unsigned_integer(kind) or (pa.types.is_temporal(kind) and getattr(kind, "unit", "us") != "us"):
        return None
    limits: list[Bounds] = []
    for chunk, _ in found:
        told = chunk.statistics
        if told is None:
            return None
        if told.has_null_count and told.null_count == chunk.num_values:
            continue
        if not told.has_min_max or not isinstance(told.min_raw, int) or not isinstance(told.max_raw, int):
            return None
        limits.append((told.min_raw, told.max_raw))
    return (min(low for low, _ in limits), max(high for _, high in limits)) if limits else None


def group_zones(kind: pa.DataType, found: Sequence[Chunk]) -> GroupZones | None:
    """The limits of a column of an Arrow type in row groups; None where the footers say nothing that helps."""
    if not _is_told(kind):
        return None
    told = [_ends(kind, chunk) for chunk in found]
    if all(ends is None for ends in told):
        return None
    nulls = [not (s := chunk.meta.statistics) or not s.has_null_count or s.null_count > 0 for chunk in found]
    known = [_Ends(None, None) if ends is None else ends for ends in told]
    lows, highs = (_column(kind, found[0].schema, side) for side in zip(*known, strict=True))
    return None if lows is None or highs is None else _zones(lows, highs, nulls, [ends is None for ends in told])


def same_zones(values: pa.Array) -> GroupZones | None:
    """The limits of a column that has one value in each row group: values (groups,)."""
    column = column_from_arrow(values)
    return _zones(column, column, values.is_null().to_pylist(), [False] * len(values))


def _zones(lows: Column, highs: Column, nulls: list[bool], unknown: list[bool]) -> GroupZones | None:
    if lows.data.ndim != 1 or lows.data.dtype is torch.bool:
        return None
    has_null = torch.tensor(nulls, dtype=torch.bool, device="cpu")
    return GroupZones(Zones(1, lows, highs, has_null), torch.tensor(unknown, dtype=torch.bool, device="cpu"))


def _ends(kind: pa.DataType, chunk: Chunk) -> _Ends | None:
    """The limits of a row group, as the file says them; None where it does not."""
    told = chunk.meta.statistics
    if told is None:
        return None
    if told.has_null_count and told.null_count == chunk.meta.num_values:
        return _Ends(None, None)
    if not told.has_min_max:
        return None
    low, high = told.min_raw, told.max_raw
    if pa.types.is_floating(kind):
        # A NaN, which is greater than all numbers, is in no limit that a file says.
        return _Ends(-inf if isnan(low) else low, nan) if isinstance(low, float) else None
    if pa.types.is_unsigned_integer(kind):
        return _Ends(low % 2**kind.bit_width, high % 2**kind.bit_width)
    if is_text(kind):
        try:
            return _Ends(low.decode(), high.decode())
        except UnicodeDecodeError:
            return None
    if pa.types.is_decimal(kind):
        low, high = (_units(end) for end in (low, high))
    return _Ends(low, high) if isinstance(low, int) and isinstance(high, int) else None


def _units(end: int | bytes) -> int:
    """A decimal in units of its last digit, as files store it."""
    return int.from_bytes(end, "big", signed=True) if isinstance(end, bytes) else end


def _column(kind: pa.DataType, schema: pq.ColumnSchema, ends: Sequence[Any]) -> Column | None:
    """What the file says of row groups, as a column is made of the file's values."""
    try:
        return column_from_arrow(_array(kind, schema, ends))
    except (pa.ArrowException, TqpError, OverflowError, KeyError):
        return None


def _array(kind: pa.DataType, schema: pq.ColumnSchema, ends: Sequence[Any]) -> pa.Array:
    if pa.types.is_decimal(kind):
        return pa.array([None if end is None else Decimal(f"{end}e{-kind.scale}") for end in ends], kind)
    if pa.types.is_timestamp(kind):
        unit = _UNITS[json.loads(schema.logical_type.to_json())["timeUnit"]]
        return few_integers(ends, pa.int64()).cast(pa.timestamp(unit, kind.tz)).cast(kind)
    if pa.types.is_date32(kind):
        return few_integers(ends, pa.int32()).cast(_DAYS)
    if pa.types.is_integer(kind):
        return few_integers(ends, kind)
    return pa.array(ends, kind)


def _is_told(kind: pa.DataType) -> bool:
    """Whether limits of such values are understood."""
    signed = pa.types.is_integer(kind) and not pa.types.is_uint64(kind)
    floats = pa.types.is_float32(kind) or pa.types.is_float64(kind)
    times = pa.types.is_timestamp(kind) or pa.types.is_date32(kind)
    return signed or floats or times or is_text(kind) or pa.types.is_decimal128(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether values of the type are strings, one by one."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())
