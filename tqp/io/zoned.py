"""Results in a time zone: the same instants, which frames and arrays show as its clocks do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tqp.types import DType, Kind

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["arrow_in_zone", "pandas_in_zone", "polars_in_zone"]


def arrow_in_zone(table: pa.Table, zone: str) -> pa.Table:
    """The table with the zone in the types of its timestamps with a time zone."""
    for place, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_timestamp(kind) and kind.tz not in (None, zone):
            kind = pa.timestamp(kind.unit, zone)
            table = table.set_column(place, field.with_type(kind), table.column(place).cast(kind))
    return table


def pandas_in_zone(frame: pandas.DataFrame, dtypes: Sequence[DType], zone: str) -> pandas.DataFrame:
    """The frame, changed."""
    for place, dtype in enumerate(dtypes):
        if dtype.in_microseconds.kind is Kind.TIMESTAMPTZ:
            frame.isetitem(place, frame.iloc[:, place].dt.tz_convert(zone))
    return frame


def polars_in_zone(frame: polars.DataFrame, dtypes: Sequence[DType], zone: str) -> polars.DataFrame:
    """The frame with other columns in the places of these."""
    for place, dtype in enumerate(dtypes):
        if dtype.in_microseconds.kind is Kind.TIMESTAMPTZ:
            frame = frame.replace_column(place, frame.to_series(place).dt.convert_time_zone(zone))
    return frame
