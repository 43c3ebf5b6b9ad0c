"""The calendar on the host for many days that lie close together: each day, or month, is computed once and looked up."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.kernels import calendar

__all__ = ["days_of", "of_day"]


def of_day(compute: Callable[[Tensor], Tensor], days: Tensor) -> Tensor:
    """What a function of the day gives, (…, n), for `days` (n,) int64 on the CPU."""
    if not len(days):
        return compute(days)
    first, last = (int(end) for end in days.aminmax())  # host: on the CPU
    if last - first >= len(days):
        return compute(days)
    return compute(torch.arange(first, last + 1, device="cpu")).index_select(-1, days - first)


def days_of(year: Tensor, month: Tensor, day: Tensor) -> tuple[Tensor, Tensor]:
    """The day numbers of dates, int64, and of which of them the month has such a day: `day` is from 1 on. All on the CPU.

    The three have one shape or are numbers without one; months that are none give any day.
    """

    def firsts(year: Tensor, month: Tensor) -> tuple[Tensor, Tensor]:
        return calendar.days_from_civil(year, month, torch.ones_like(month)), calendar.days_in_month(year, month)

    first, last = (int(end) for end in year.aminmax()) if year.numel() else (0, 0)  # host: on the CPU
    months = (last - first + 1) * 12
    if months >= year.numel():
        start, size = firsts(year, month)
    else:
        years = torch.arange(first, last + 1, device="cpu").repeat_interleave(12)  # host: on the CPU
        starts, sizes = firsts(years, torch.arange(months, device="cpu") % 12 + 1)
        place = (year * 12 + (month - (first * 12 + 1))).clamp_(0, months - 1)
        start, size = starts.take(place), sizes.take(place)
    return start + day - 1, day <= size
