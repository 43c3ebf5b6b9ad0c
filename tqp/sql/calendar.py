"""Dates, times and intervals as written in SQL, in plain integers (proleptic Gregorian, days since 1970-01-01)."""

from __future__ import annotations

import re
from datetime import time

__all__ = [
    "add_months", "civil_of", "days_of", "interval_of", "micros_of_day", "parse_date", "parse_interval",
    "parse_timestamp",
]  # fmt: skip

_DATE = re.compile(r"(-?\d{1,6})([-/ ])(\d{1,2})\2(\d{1,2})")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?")
_AMOUNT = re.compile(r"([+-]?\d+(?:\.\d*)?)\s*([A-Za-z]+)")
_CLOCK = re.compile(r"([+-]?)(\d+):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?")
_HOUR = 3_600_000_000
_DAY = 24 * _HOUR

# unit -> (months, days, microseconds) of one
_UNITS = {
    "year": (12, 0, 0), "yr": (12, 0, 0), "y": (12, 0, 0),
    "month": (1, 0, 0), "mon": (1, 0, 0),
    "quarter": (3, 0, 0), "decade": (120, 0, 0), "century": (1200, 0, 0), "millennium": (12000, 0, 0),
    "week": (0, 7, 0), "w": (0, 7, 0),
    "day": (0, 1, 0), "d": (0, 1, 0),
    "hour": (0, 0, _HOUR), "hr": (0, 0, _HOUR), "h": (0, 0, _HOUR),
    "minute": (0, 0, 60_000_000), "min": (0, 0, 60_000_000), "m": (0, 0, 60_000_000),
    "second": (0, 0, 1_000_000), "sec": (0, 0, 1_000_000), "s": (0, 0, 1_000_000),
    "millisecond": (0, 0, 1_000), "ms": (0, 0, 1_000), "msec": (0, 0, 1_000),
    "microsecond": (0, 0, 1), "us": (0, 0, 1), "usec": (0, 0, 1),
}  # fmt: skip
_PLURALS = {"centuries": "century", "millennia": "millennium", "mils": "millennium"}


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a date."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def civil_of(days: int) -> tuple[int, int, int]:
    """Year, month and day of the days since 1970-01-01."""
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def add_months(days: int, months: int) -> int:
    """The date so many months on; a day that the month has not becomes its last."""
    if months == 0:
        return days
    year, month, day = civil_of(days)
    extra, zero_based = divmod(month - 1 + months, 12)
    year, month = year + extra, zero_based + 1
    return days_of(year, month, min(day, _days_in(year, month)))


def micros_of_day(value: time) -> int:
    """Microseconds since midnight."""
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def parse_date(text: str) -> int | None:
    """Days of a date like 1998-12-01; None where it is none. A time of day behind it is dropped."""
    match = _DATE.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    if rest and parse_timestamp(text) is None:
        return None
    return _date(match)


def parse_timestamp(text: str) -> int | None:
    """Microseconds of a timestamp like 1998-12-01 10:00:00.5; None where it is none or names a zone."""
    match = _DATE.match(text)
    days = _date(match) if match else None
    if match is None or days is None:
        return None
    rest = text[match.end() :]
    if not rest:
        return days * _DAY
    clock = _TIME.fullmatch(rest[1:].removesuffix("Z")) if rest[0] in "T " else None
    if clock is None:
        return None
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return (
        days * _DAY + hour * _HOUR + minute * 60_000_000 + second * 1_000_000 + int((clock[4] or "0").ljust(6, "0")[:6])
    )


def interval_of(amount: int, unit: str) -> tuple[int, int, int] | None:
    """Months, days and microseconds of so many units; None where there is no such unit."""
    single = _unit(unit)
    return None if single is None else (amount * single[0], amount * single[1], amount * single[2])


def parse_interval(text: str) -> tuple[int, int, int] | None:
    """Months, days and microseconds of an interval like `1 year 2 days 03:04:05`; None where it is none."""
    total = (0, 0, 0)
    position = 0
    seen = False
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        clock = _CLOCK.match(text, position)
        amount = None if clock else _AMOUNT.match(text, position)
        match = clock or amount
        if match is None:
            return None
        part = _clock(clock) if clock else _amount(match[1], match[2])
        if part is None:
            return None
        total = (total[0] + part[0], total[1] + part[1], total[2] + part[2])
        position = match.end()
        seen = True
    return total if seen else None


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    micros = int(match[2]) * _HOUR + int(match[3]) * 60_000_000 + int(match[4] or 0) * 1_000_000
    micros += int((match[5] or "0").ljust(6, "0")[:6])
    return 0, 0, -micros if match[1] == "-" else micros


def _amount(number: str, unit: str) -> tuple[int, int, int] | None:
    single = _unit(unit)
    if single is None:
        return None
    if "." not in number:
        return interval_of(int(number), unit)
    # A fraction of a month counts in days (30 a month), one of a day in time, as in DuckDB.
    months, days, micros = (float(number) * part for part in single)
    days += (months - int(months)) * 30
    micros += (days - int(days)) * _DAY
    return int(months), int(days), round(micros)


def _unit(unit: str) -> tuple[int, int, int] | None:
    key = unit.lower()
    key = _PLURALS.get(key, key)
    return _UNITS.get(key) or _UNITS.get(key.removesuffix("s"))


def _date(match: re.Match[str]) -> int | None:
    year, month, day = int(match[1]), int(match[3]), int(match[4])
    if not 1 <= month <= 12 or not 1 <= day <= _days_in(year, month):
        return None
    return days_of(year, month, day)


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
