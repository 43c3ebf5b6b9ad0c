"""From columns to the Python values that DuckDB gives."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.nested import elements, field, lengths
from tqp.data.transfer import on_host
from tqp.data.unions import members, tag
from tqp.errors import ExecutionError
from tqp.functions.casts import uuids
from tqp.functions.casts.bignums import cast_bignum
from tqp.functions.casts.text import cast_text
from tqp.functions.instants import floored
from tqp.functions.offset_times import clock, offset_of
from tqp.functions.zoned_kernels import text_in_zone
from tqp.io.export import column_to_arrow
from tqp.io.variants import variants_to_python
from tqp.kernels.calendar import INFINITE_DAY, INFINITE_INSTANT
from tqp.types import BIGNUM, TIME_NS, TIMETZ, UNITS_A_SECOND, VARCHAR, VARIANT, DType, Kind

__all__ = ["column_to_python"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RANGES: Final = {
    Kind.DATE: (-719_162, 2_932_896),
    Kind.TIME: (0, 86_399_999_999),
    Kind.TIMESTAMP: (-62_135_596_800_000_000, 253_402_300_799_999_999),
    Kind.TIMESTAMPTZ: (-62_135_596_800_000_000, 253_402_300_799_999_999),
}
"""The stored values that Python's date, time and datetime can be."""
_INFINITE: Final = {
    Kind.DATE: (INFINITE_DAY, date.min, date.max),
    Kind.TIMESTAMP: (INFINITE_INSTANT, datetime.min, datetime.max),
    Kind.TIMESTAMPTZ: (INFINITE_INSTANT, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
}


def column_to_python(column: Column, rows: int, zone: str = "UTC") -> list[Any]:
    """The values as bool, int, float, Decimal, str, date, time, datetime, timedelta or tuple; None for NULL.

    HUGEINT gives int, INTERVAL a timedelta with months of 30 days, TIMESTAMPTZ a datetime in the `zone`. As in DuckDB a BIGNUM,
    and a date, time or timestamp that Python does not have, is its text (`0044-03-15 (BC)`, `24:00:00`), and an infinite one the
    first or last that Python has. Raises ExecutionError for an INTERVAL beyond a timedelta.
    """
    (host,) = on_host([column.expand(rows)])
    if host.dtype.kind is Kind.NULL:
        return [None] * rows
    if host.valid is not None and bool(host.valid.all()):  # host: the result has left
        host = host.with_valid(None)
    if host.dtype.is_integer or host.dtype.is_float or host.dtype.kind is Kind.BOOLEAN:
        values = _wide(host) if host.is_wide else host.data.tolist()  # host: the result has left
    elif host.dtype.has_children:
        values = _nested(host, zone)
    elif host.dtype.is_array:
        values = [tuple(row) for row in host.data.tolist()]  # host: the result has left
    elif host.dtype.kind is Kind.INTERVAL:
        values = [_length(*cell) for cell in _filled(host).tolist()]  # host: the result has left
    elif host.dtype.is_temporal:
        values = _moments(_in_microseconds(host), rows, zone)
    elif host.dtype == TIMETZ:
        values = _offset_times(host, rows)
    elif host.dtype == BIGNUM:
        return column_to_python(cast_bignum(host, VARCHAR, False), rows)
    elif host.dtype == VARIANT:
        values = variants_to_python(host, lambda leaves: column_to_python(leaves, len(leaves), zone))
    elif host.dtype.kind is Kind.UUID:
        values = [UUID(bytes=value) for value in uuids.bytes_of(host).to_pylist()]
    else:
        array: pa.Array | pa.ChunkedArray = column_to_arrow(host, rows)
        return array.to_pylist()  # type: ignore[no-any-return]
    if host.valid is None:
        return values
    return [
        value if known else None for value, known in zip(values, host.valid.tolist(), strict=True)
    ]  # host: the result has left


def _nested(column: Column, zone: str) -> list[Any]:
    """Lists, dicts by key or field, tuples for structs without names, and of UNIONs the values of their members."""
    dtype = column.dtype
    if dtype.is_struct:
        rows = len(column)
        parts = [column_to_python(field(column, place), rows, zone) for place in range(len(dtype.fields))]
        if not parts:
            return [{} for _ in range(rows)]
        if dtype.is_row:
            return list(zip(*parts, strict=True))
        names = [one.name for one in dtype.fields]
        return [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)]
    if dtype.is_union:
        known = [column_to_python(one, len(column), zone) for one in members(column)]
        numbers = tag(column).data.tolist()  # host: the result has left
        return [known[number][row] for row, number in enumerate(numbers)]
    _, child = elements(column)
    ends = torch.cumsum(lengths(column), 0).tolist()  # host: the result has left
    if dtype.kind is Kind.MAP:
        keys, values = (column_to_python(field(child, place), len(child), zone) for place in (0, 1))
        # As DuckDB: what can be no key of a dict stands beside its values.
        ranges = [slice(start, stop) for start, stop in zip([0, *ends], ends, strict=False)]
        if _is_unhashable(child.children[0].dtype):
            return [{"key": keys[part], "value": values[part]} for part in ranges]
        return [dict(zip(keys[part], values[part], strict=True)) for part in ranges]
    items = column_to_python(child, len(child), zone)
    if dtype.size:
        # An array is a tuple; of a NULL, whose place is filled later, an empty one.
        return [tuple(items[start:stop]) for start, stop in zip([0, *ends], ends, strict=False)]
    return [items[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]


def _is_unhashable(dtype: DType) -> bool:
    """Whether values of the type are no keys of a dict: those that are nested, but for UNIONs of others."""
    if dtype.is_union:
        return any(_is_unhashable(one.type) for one in dtype.fields)
    return dtype.is_nested or dtype == VARIANT


def _filled(column: Column) -> torch.Tensor:
    """The stored values with 0 for NULL, whose data may be anything."""
    if column.valid is None:
        return column.data
    valid = column.valid.unsqueeze(-1) if column.has_elements else column.valid
    return torch.where(valid, column.data, 0)


def _length(months: int, days: int, microseconds: int) -> timedelta:
    try:
        return timedelta(months * 30 + days, 0, microseconds)
    except OverflowError:
        raise ExecutionError(
            "an INTERVAL is longer than a timedelta of Python can be", hint="cast it to VARCHAR"
        ) from None


def _in_microseconds(column: Column) -> Column:
    """A time or timestamp of another unit as one of microseconds, without its nanoseconds."""
    if column.dtype == TIME_NS:
        return floored(replace(column, data=_filled(column)))
    if not column.dtype.is_other_unit:
        return column
    stored = _filled(column).to(torch.int64)
    unit = UNITS_A_SECOND[column.dtype.kind]
    micros = stored // 1000 if unit > 10**6 else stored * (10**6 // unit)
    ends = stored.abs() == INFINITE_INSTANT
    return replace(column, data=torch.where(ends, stored, micros), dtype=column.dtype.in_microseconds, bounds=None)


def _offset_times(column: Column, rows: int) -> list[Any]:
    """Times with their time zones; 24:00:00 as its text."""
    stored = replace(column, data=_filled(column), valid=None, bounds=None)
    times = column_to_python(clock(stored), rows)
    zones = offset_of(stored.data).tolist()  # host: the result has left
    found = [
        value if isinstance(value, str) else value.replace(tzinfo=timezone(timedelta(0, seconds)))
        for value, seconds in zip(times, zones, strict=True)
    ]
    for place, value in enumerate(times):
        if isinstance(value, str):
            found[place] = column_to_arrow(stored.slice(place, place + 1), 1)[0].as_py()
    return found


def _moments(column: Column, rows: int, zone: str) -> list[Any]:
    # A narrow tensor would wrap the limits that it is compared with.
    stored = _filled(column).to(torch.int64)
    low, high = _RANGES[column.dtype.kind]
    outside = (stored < low) | (stored > high)
    if not bool(outside.any()):  # host: the result has left
        return _plain_moments(replace(column, data=stored, valid=None, bounds=None), rows, zone)
    values = _plain_moments(replace(column, data=torch.where(outside, 0, stored), valid=None, bounds=None), rows, zone)
    places = outside.nonzero().reshape(-1)  # host: the result has left
    far = Column(stored.index_select(0, places), column.dtype)
    shown = text_in_zone(far, zone) if far.dtype.kind is Kind.TIMESTAMPTZ else cast_text(far, VARCHAR, False)
    texts = column_to_arrow(shown, len(places)).to_pylist()
    infinite, first, last = _INFINITE.get(column.dtype.kind, (None, None, None))
    for place, number, text in zip(places.tolist(), far.data.tolist(), texts, strict=True):  # host: the result has left
        values[place] = last if number == infinite else first if infinite and number == -infinite else text
    return values


def _plain_moments(column: Column, rows: int, zone: str) -> list[Any]:
    if column.dtype.kind is Kind.TIMESTAMPTZ:
        moments = [_EPOCH + timedelta(0, 0, micros) for micros in column.data.tolist()]  # host: the result has left
        if zone == "UTC":
            return moments
        # A datetime of year 1 or 9999 may have none in another zone.
        clocks = ZoneInfo(zone)
        return [moment.astimezone(clocks) if 1 < moment.year < 9999 else moment for moment in moments]
    return column_to_arrow(column, rows).to_pylist()  # type: ignore[no-any-return]


def _wide(column: Column) -> list[int]:
    limbs = column.data.contiguous().numpy()
    lows = limbs[:, 1].view(np.uint64) if limbs[:, 1].flags.c_contiguous else limbs[:, 1].copy().view(np.uint64)
    return [
        (high << 64) + low for high, low in zip(limbs[:, 0].tolist(), lows.tolist(), strict=True)
    ]  # host: the result has left
