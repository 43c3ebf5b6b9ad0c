"""TIME WITH TIME ZONE: times of the day, each with an offset from UTC. They are stored in one number, in their order.

That is the order of the times in UTC; of equal ones that with the larger offset is first. The number has the microseconds in UTC
after -15:59:59 in its upper bits, and in the lower 24 the seconds by which the offset is below 15:59:59.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from torch import Tensor

from tqp.data.column import Column
from tqp.functions.casts.absent import no_cast
from tqp.kernels import calendar
from tqp.kernels.calendar import DAY, SECOND
from tqp.types import TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ, DType

__all__ = [
    "MOST_OFFSET",
    "cast_offset_time",
    "clock",
    "in_utc",
    "of_clock",
    "of_utc",
    "offset_of",
    "read_offset_time",
    "stored_time",
]

MOST_OFFSET: Final = 57_599
"""Seconds that an offset may be ahead of UTC or behind it."""
_BITS: Final = 24
_LOW: Final = 2**_BITS - 1
_TIME: Final = re.compile(
    r"\s*(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?\s*(Z|([+-])(\d{2})(?::?(\d{2})|:(\d{2}):(\d{2}))?)?\s*",
    re.ASCII,
)


def stored_time(local: int, offset: int) -> int:
    """The number of a time of the day in microseconds, which clocks show that are so many seconds ahead of UTC."""
    return (local - offset * SECOND + MOST_OFFSET * SECOND) << _BITS | (MOST_OFFSET - offset)


def read_offset_time(text: str, *, needs_offset: bool = False) -> int | None:
    """The number of a time as it is written, in UTC without an offset; None where it is none."""
    match = _TIME.fullmatch(text)
    if match is None or (needs_offset and match[5] is None) or (match[5] is not None and match[3] is None):
        return None
    hours, minutes, seconds, micros = (
        int(match[1]),
        int(match[2]),
        int(match[3] or 0),
        int(f"{match[4] or ''}000000"[:6]),
    )
    local = ((hours * 60 + minutes) * 60 + seconds) * SECOND + micros
    ahead_minutes, ahead_seconds = int(match[8] or match[9] or 0), int(match[10] or 0)
    offset = (int(match[7] or 0) * 60 + ahead_minutes) * 60 + ahead_seconds
    if minutes > 59 or seconds > 59 or local > DAY or ahead_minutes > 59 or ahead_seconds > 59 or offset > MOST_OFFSET:
        return None
    return stored_time(local, -offset if match[6] == "-" else offset)


def offset_of(data: Tensor) -> Tensor:
    """The offsets (...) int64 in seconds."""
    return MOST_OFFSET - (data.long() & _LOW)


def in_utc(data: Tensor) -> Tensor:
    """The microseconds (...) int64 in UTC, from -15:59:59 to 39:59:59."""
    return (data.long() >> _BITS) - MOST_OFFSET * SECOND


def clock(column: Column) -> Column:
    """As TIME, what clocks show."""
    micros = in_utc(column.data) + offset_of(column.data) * SECOND
    return Column(micros, TIME, column.valid, None, (0, DAY))


def of_clock(time: Column, offset: Tensor | int) -> Column:
    """Times of the day with an offset in seconds."""
    micros = time.data.long() + (MOST_OFFSET - offset) * SECOND
    return Column(micros << _BITS | (MOST_OFFSET - offset), TIMETZ, time.valid)


def of_utc(micros: Tensor) -> Tensor:
    """The numbers (...) of times in UTC from the microseconds that they are before or after the beginning of a day."""
    return (micros.long().remainder(DAY) + MOST_OFFSET * SECOND) << _BITS | MOST_OFFSET


def cast_offset_time(column: Column, to: DType, safe: bool) -> Column:
    """TIMETZ to TIME, and TIME, TIMESTAMP and TIMESTAMPTZ, which is in UTC, to TIMETZ."""
    have = column.dtype
    if have == TIMETZ:
        return clock(column) if to == TIME else no_cast(column, to, safe)
    if have == TIME:
        return of_clock(column, 0)
    if have in (TIMESTAMP, TIMESTAMPTZ):
        return of_clock(replace(column, data=calendar.split(column.data.long())[1], dtype=TIME, bounds=None), 0)
    return no_cast(column, to, safe)
