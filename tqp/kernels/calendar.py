"""The proleptic Gregorian calendar by integer arithmetic on tensors.

Days count from 1970-01-01, times in microseconds; year 0 is 1 BC. Every function is element-wise on int64 tensors of any
one shape (or shapes that broadcast), has no NULL rule, no error and no sync; it gives int64. (`day_number` is of one date on the
host.) Sources: H. Hinnant,
"chrono-Compatible Low-Level Date Algorithms"; ISO 8601 for weeks.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.kernels.division import floor_div, trunc_div

__all__ = [
    "DAY", "FIRST_INSTANT", "HOUR", "INFINITE_DAY", "INFINITE_INSTANT", "MINUTE", "SECOND", "add_months", "age",
    "civil_from_days", "day_number", "days_from_civil", "days_in_month", "field", "floor_div", "split", "trunc_div", "truncate",
]  # fmt: skip

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
INFINITE_DAY = 2**31 - 1
INFINITE_INSTANT = 2**63 - 1
"""As days and as microseconds these stand for `infinity`, their negatives for `-infinity`."""
FIRST_INSTANT = -9_223_372_022_400_000_000
"""The microseconds of the first TIMESTAMP, in 290309-12-22 BC."""


def split(micros: Tensor) -> tuple[Tensor, Tensor]:
    """Timestamps as days and the microseconds within the day (0..DAY-1)."""
    days = floor_div(micros, DAY)
    return days, micros - days * DAY


def civil_from_days(days: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Year, month (1..12) and day (1..31)."""
    shifted = days + 719468  # from 0000-03-01, so that the leap day ends a year
    era = floor_div(shifted, 146097)
    day_of_era = shifted - era * 146097
    year_of_era = floor_div(
        day_of_era - floor_div(day_of_era, 1460) + floor_div(day_of_era, 36524) - floor_div(day_of_era, 146096), 365
    )
    day_of_year = day_of_era - (365 * year_of_era + floor_div(year_of_era, 4) - floor_div(year_of_era, 100))
    from_march = floor_div(5 * day_of_year + 2, 153)
    day = day_of_year - floor_div(153 * from_march + 2, 5) + 1
    month = torch.where(from_march < 10, from_march + 3, from_march - 9)
    return year_of_era + era * 400 + (month <= 2), month, day


def days_from_civil(year: Tensor, month: Tensor, day: Tensor) -> Tensor:
    """The day number; `day` may lie beyond the month's end and just counts on."""
    year = year - (month <= 2).to(torch.int64)
    era = floor_div(year, 400)
    year_of_era = year - era * 400
    from_march = torch.where(month > 2, month - 3, month + 9)
    day_of_year = floor_div(153 * from_march + 2, 5) + day - 1
    day_of_era = year_of_era * 365 + floor_div(year_of_era, 4) - floor_div(year_of_era, 100) + day_of_year
    return era * 146097 + day_of_era - 719468


def day_number(year: int, month: int, day: int) -> int | None:
    """`days_from_civil` of one date on the host; None where there is no such date."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= (28 + leap if month == 2 else 30 + (month + month // 8) % 2):
        return None
    year -= month <= 2
    from_march = month - 3 if month > 2 else month + 9
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * from_march + 2) // 5 + day - 719469


def days_in_month(year: Tensor, month: Tensor) -> Tensor:
    """28..31."""
    leap = (torch.remainder(year, 4) == 0) & ((torch.remainder(year, 100) != 0) | (torch.remainder(year, 400) == 0))
    usual = 30 + torch.remainder(month + floor_div(month, 8), 2)
    return torch.where(month == 2, 28 + leap.to(torch.int64), usual)


def add_months(days: Tensor, months: Tensor | int) -> Tensor:
    """The same day so many months later; the month's last day where it has no such day."""
    year, month, day = civil_from_days(days)
    count = year * 12 + month - 1 + months
    year = floor_div(count, 12)
    month = count - year * 12 + 1
    return days_from_civil(year, month, torch.minimum(day, days_in_month(year, month)))


def age(end: Tensor, start: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Months, days and microseconds from timestamp `start` to `end`, all of one sign, counted by the calendar."""
    sign = torch.where(end < start, -1, 1)
    low_days, low_time = split(torch.minimum(start, end))
    high_days, high_time = split(torch.maximum(start, end))
    low_year, low_month, low_day = civil_from_days(low_days)
    high_year, high_month, high_day = civil_from_days(high_days)
    borrow = (high_time < low_time).to(torch.int64)
    micros = high_time - low_time + borrow * DAY
    days = high_day - low_day - borrow
    short = (days < 0).to(torch.int64)
    days = days + short * days_in_month(low_year, low_month)
    months = (high_year - low_year) * 12 + high_month - low_month - short
    return sign * months, sign * days, sign * micros


def _iso(days: Tensor) -> tuple[Tensor, Tensor]:
    """ISO 8601 year and week (1..53): those of the Thursday of the same week."""
    thursday = floor_div(days + 3, 7) * 7
    year, _, _ = civil_from_days(thursday)
    return year, floor_div(thursday - _new_year(year), 7) + 1


def _new_year(year: Tensor) -> Tensor:
    one = torch.ones_like(year)
    return days_from_civil(year, one, one)


def _since_zero(year: Tensor, span: int) -> Tensor:
    """Centuries or millennia, which have no number 0."""
    return torch.where(year > 0, floor_div(year - 1, span) + 1, trunc_div(year, span) - 1)


def field(part: str, days: Tensor) -> Tensor:
    """One field of a date: the parts of SQL's EXTRACT that a day has."""
    match part:
        case "dow":
            return torch.remainder(days + 4, 7)
        case "isodow":
            return torch.remainder(days + 3, 7) + 1
        case "week":
            return _iso(days)[1]
        case "isoyear":
            return _iso(days)[0]
        case "yearweek":
            year, week = _iso(days)
            return year * 100 + torch.where(year > 0, week, -week)
    year, month, day = civil_from_days(days)
    match part:
        case "year":
            return year
        case "month":
            return month
        case "day":
            return day
        case "quarter":
            return floor_div(month - 1, 3) + 1
        case "decade":
            return trunc_div(year, 10)
        case "century":
            return _since_zero(year, 100)
        case "millennium":
            return _since_zero(year, 1000)
        case "era":
            return (year > 0).to(torch.int64)
        case "doy":
            return days - _new_year(year) + 1
    raise ValueError(f"a date has no {part}")


def truncate(part: str, days: Tensor) -> Tensor:
    """The first day of the period that holds the day: week to millennium."""
    match part:
        case "week" | "yearweek":
            return floor_div(days + 3, 7) * 7 - 3
        case "isoyear":
            year, _ = _iso(days)
            return truncate("week", days_from_civil(year, torch.ones_like(year), torch.full_like(year, 4)))
    year, month, _ = civil_from_days(days)
    one = torch.ones_like(year)
    match part:
        case "month":
            return days_from_civil(year, month, one)
        case "quarter":
            return days_from_civil(year, floor_div(month - 1, 3) * 3 + 1, one)
        case "year":
            return _new_year(year)
        case "decade":
            return _new_year(trunc_div(year, 10) * 10)
        case "century":
            return _new_year(trunc_div(year, 100) * 100)
        case "millennium":
            return _new_year(trunc_div(year, 1000) * 1000)
    raise ValueError(f"dates cannot be truncated to {part}")
