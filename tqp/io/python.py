"""From columns to the Python values that DuckDB gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.column import Column
from tqp.io.export import column_to_arrow
from tqp.types import Kind

__all__ = ["column_to_python"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def column_to_python(column: Column, rows: int) -> list[Any]:
    """The values as bool, int, float, Decimal, str, date, time, datetime, timedelta or tuple; None for NULL.

    HUGEINT gives int, INTERVAL a timedelta with months of 30 days, TIMESTAMPTZ a datetime in UTC.
    """
    host = column.expand(rows).to(torch.device("cpu"))  # sync: the result leaves the device
    if host.dtype.kind is Kind.NULL:
        return [None] * rows
    if host.valid is not None and bool(host.valid.all()):
        host = host.with_valid(None)
    if host.dtype.is_integer or host.dtype.is_float or host.dtype.kind is Kind.BOOLEAN:
        values = _wide(host) if host.data.ndim == 2 else host.data.tolist()
    elif host.dtype.is_array:
        values = [tuple(row) for row in host.data.tolist()]
    elif host.dtype.kind is Kind.INTERVAL:
        values = [timedelta(months * 30 + days, 0, micros) for months, days, micros in _filled(host)]
    elif host.dtype.kind is Kind.TIMESTAMPTZ:
        values = [_EPOCH + timedelta(0, 0, micros) for micros in _filled(host)]
    else:
        array: pa.Array | pa.ChunkedArray = column_to_arrow(host, rows)
        return array.to_pylist()  # type: ignore[no-any-return]
    if host.valid is None:
        return values
    return [value if known else None for value, known in zip(values, host.valid.tolist(), strict=True)]


def _filled(column: Column) -> list[Any]:
    """The stored values with 0 for NULL, whose data may be anything."""
    data = column.data
    if column.valid is not None:
        shape = (-1, *[1] * (data.ndim - 1))
        data = torch.where(column.valid.reshape(shape), data, 0)
    return data.tolist()


def _wide(column: Column) -> list[int]:
    limbs = column.data.contiguous().numpy()
    lows = limbs[:, 1].view(np.uint64) if limbs[:, 1].flags.c_contiguous else limbs[:, 1].copy().view(np.uint64)
    return [(high << 64) + low for high, low in zip(limbs[:, 0].tolist(), lows.tolist(), strict=True)]
