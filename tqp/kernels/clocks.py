"""Calendar steps of instants by the clocks of a time zone, as ICU does them: see `tqp.kernels.offsets` for what a zone is.

All is element-wise on int64 tensors of microseconds since 1970, without NULLs, errors or waits; what leaves 64 bits wraps.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.kernels import calendar
from tqp.kernels.calendar import DAY
from tqp.kernels.division import floor_rest, trunc_div, trunc_rest
from tqp.kernels.offsets import instants, offsets_at

__all__ = ["add", "add_days", "difference", "whole_days", "whole_months"]

Zone = tuple[Tensor, Tensor]
"""`starts` and `offsets`."""


def add(micros: Tensor, months: Tensor, days: Tensor, time: Tensor, zone: Zone) -> Tensor:
    """Months, then days, on the clock; the time passes after them, or before if any of the three is negative."""
    first = (months < 0) | (days < 0) | (time < 0)
    found = add_days(_add_months(torch.where(first, micros + time, micros), months, zone), days, zone)
    return torch.where(first, found, found + time)


def _add_months(micros: Tensor, months: Tensor, zone: Zone) -> Tensor:
    day, clock = calendar.split(micros + offsets_at(micros, *zone))
    moved = instants(calendar.add_months(day, months) * DAY + clock, *zone)
    return torch.where(months == 0, micros, moved)


def add_days(micros: Tensor, days: Tensor, zone: Zone) -> Tensor:
    """The same time on the clock so many days later, or as much after it as clocks are put forward over it."""
    before = offsets_at(micros, *zone)
    moved = micros + days * DAY
    back = trunc_rest(before - offsets_at(moved, *zone), DAY)
    again = moved + back
    shows = floor_rest(again + offsets_at(again, *zone), DAY) == floor_rest(micros + before, DAY)
    return torch.where(shows | (back >= 0), again, moved)


def whole_days(start: Tensor, end: Tensor, zone: Zone) -> Tensor:
    """How many days may be added to `start` without passing `end`."""
    shown = end + offsets_at(end, *zone) - start - offsets_at(start, *zone)
    return _not_beyond(start, end, trunc_div(shown, DAY), lambda days: add_days(start, days, zone))


def whole_months(start: Tensor, end: Tensor, zone: Zone) -> Tensor:
    """How many months may be added to `start` without passing `end`: from the 31st to a 30th, fewer back than forth."""
    count = _month_shown(end, zone) - _month_shown(start, zone)
    # Twice: what is moved may go beyond the month's end, where clocks skip its last day.
    for _ in range(2):
        count = _not_beyond(start, end, count, lambda months: _add_months(start, months, zone))
    return count


def _month_shown(micros: Tensor, zone: Zone) -> Tensor:
    year, month, _ = calendar.civil_from_days(calendar.split(micros + offsets_at(micros, *zone))[0])
    return year * 12 + month


def _not_beyond(start: Tensor, end: Tensor, count: Tensor, moved: Callable[[Tensor], Tensor]) -> Tensor:
    """The count, or one less where it goes beyond the end."""
    sign = torch.where(end < start, -1, 1)
    return torch.where((moved(count) - end) * sign > 0, count - sign, count)


def difference(start: Tensor, end: Tensor, zone: Zone) -> tuple[Tensor, Tensor]:
    """Whole days from one to the other, and the microseconds left."""
    days = whole_days(start, end, zone)
    return days, end - add_days(start, days, zone)
