"""From columns to the Python values that DuckDB gives."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.transfer import on_host
from tqp.errors import ExecutionError
from tqp.functions.casts.text import cast_text
from tqp.io.export import column_to_arrow
from tqp.kernels.calendar import INFINITE_DAY, INFINITE_INSTANT
from tqp.types import VARCHAR, Kind

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


def column_to_python(column: Column, rows: int) -> list[Any]:
    """The values as bool, int, float, Decimal, str, date, time, datetime, timedelta or tuple; None for NULL.

    HUGEINT gives int, INTERVAL a timedelta with months of 30 days, TIMESTAMPTZ a datetime in UTC. As in DuckDB a date,
    time or timestamp that Python does not have is its text (`0044-03-15 (BC)`, `24:00:00`), and an infinite one the
    first or last that Python has. Raises ExecutionError for an INTERVAL beyond a timedelta.
    """
    (host,) = on_host([column.expand(rows)])
    if host.dtype.kind is Kind.NULL:
        return [None] * rows
    if host.valid is not None and bool(host.valid.all()):  # host: the result has left
        host = host.with_valid(None)
    if host.dtype.is_integer or host.dtype.is_float or host.dtype.kind is Kind.BOOLEAN:
        values = _wide(host) if host.is_wide else host.data.tolist()  # host: the result has left
    elif host.dtype.is_array:
        values = [tuple(row) for row in host.data.tolist()]  # host: the result has left
    elif host.dtype.kind is Kind.INTERVAL:
        values = [_length(*cell) for cell in _filled(host).tolist()]  # host: the result has left
    elif host.dtype.is_temporal:
        values = _moments(host, rows)
    else:
        array: pa.Array | pa.ChunkedArray = column_to_arrow(host, rows)
        return array.to_pylist()  # type: ignore[no-any-return]
    if host.valid is None:
        return values
    return [
        value if known else None for value, known in zip(values, host.valid.tolist(), strict=True)
    ]  # host: the result has left


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


def _moments(column: Column, rows: int) -> list[Any]:
    # A narrow tensor would wrap the limits that it is compared with.
    stored = _filled(column).to(torch.int64)
    low, high = _RANGES[column.dtype.kind]
    outside = (stored < low) | (stored > high)
    if not bool(outside.any()):  # host: the result has left
        return _plain_moments(replace(column, data=stored, valid=None, bounds=None), rows)
    values = _plain_moments(replace(column, data=torch.where(outside, 0, stored), valid=None, bounds=None), rows)
    places = outside.nonzero().reshape(-1)  # host: the result has left
    far = Column(stored.index_select(0, places), column.dtype)
    texts = column_to_arrow(cast_text(far, VARCHAR, False), len(places)).to_pylist()
    infinite, first, last = _INFINITE.get(column.dtype.kind, (None, None, None))
    for place, number, text in zip(places.tolist(), far.data.tolist(), texts, strict=True):  # host: the result has left
        values[place] = last if number == infinite else first if infinite and number == -infinite else text
    return values


def _plain_moments(column: Column, rows: int) -> list[Any]:
    if column.dtype.kind is Kind.TIMESTAMPTZ:
        return [_EPOCH + timedelta(0, 0, micros) for micros in column.data.tolist()]  # host: the result has left
    return column_to_arrow(column, rows).to_pylist()  # type: ignore[no-any-return]


def _wide(column: Column) -> list[int]:
    limbs = column.data.contiguous().numpy()
    lows = limbs[:, 1].view(np.uint64) if limbs[:, 1].flags.c_contiguous else limbs[:, 1].copy().view(np.uint64)
    return [
        (high << 64) + low for high, low in zip(limbs[:, 0].tolist(), lows.tolist(), strict=True)
    ]  # host: the result has left
