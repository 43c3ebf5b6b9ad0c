"""Intervals from text and from constants, as months, days and microseconds.

DuckDB rounds the fraction of a unit to a whole smaller unit, and which one depends on the unit: a fraction of a year (or
more) counts in months, that of a quarter in months and days, those of smaller units go down to microseconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from tqp.functions.units import MICROS_OF, MONTHS_OF, PARTS
from tqp.kernels.calendar import DAY, HOUR, MINUTE, SECOND

__all__ = ["Span", "in_range", "interval_of", "span_of"]

Span = tuple[int, int, int]
"""Months, days and microseconds."""

_NUMBER = re.compile(r"[ \t\n]*(-?)(\d+)(?:\.(\d*))?[ \t\n]*([a-zA-Z]*)", re.ASCII)
# What follows the seconds is not read, as in DuckDB.
_CLOCK = re.compile(r"[ \t\n]*(-?)(\d+):(\d{0,2})(?::(?:(\d{1,2})(?:\.(\d*))?(?s:.*))?)?", re.ASCII)
_AGO = re.compile(r"[ \t\n]*ago[ \t\n]*", re.IGNORECASE)
_BLANK = " \t\n"
_DAYS_A_MONTH = 30


def in_range(span: Sequence[int]) -> bool:
    """Whether months and days fit 32 bits and microseconds 64."""
    return all(-(2**bits) <= field < 2**bits for field, bits in zip(span, (31, 31, 63), strict=True))


def interval_of(text: str) -> Span | None:
    """The interval that a text such as `1 year -2.5 days 03:04:05.6` or `@ 3 months ago` says.

    A number without a unit counts seconds, if it is all there is. None where the text is no interval, or a field of it is out
    of range.
    """
    at = 1 if text.startswith("@") else 0
    alone = _NUMBER.fullmatch(text, at)
    if alone is not None and not alone[4]:
        found = _piece("second", alone)
        return found if found is not None and in_range(found) else None
    total: Span = (0, 0, 0)
    start = at
    while text[at:].strip(_BLANK):
        clock = _CLOCK.fullmatch(text, at)
        match = None if clock is not None else _NUMBER.match(text, at)
        if match is None and clock is None and at > start and _AGO.fullmatch(text, at):
            turned = (-total[0], -total[1], -total[2])
            return turned if in_range(turned) else None
        piece = _time(clock) if clock is not None else None if match is None else _piece(match[4].lower(), match)
        if piece is None or not in_range(piece):
            return None
        total = (total[0] + piece[0], total[1] + piece[1], total[2] + piece[2])
        if not in_range(total):
            return None
        at = len(text) if match is None else match.end()
    return total if at > start else None


def _time(match: re.Match[str]) -> Span | None:
    sign = -1 if match[1] else 1
    minutes, seconds = int(match[3] or 0), int(match[4] or 0)
    if minutes > 59 or seconds > 59:
        return None
    micros = int(match[2]) * HOUR + minutes * MINUTE + seconds * SECOND + int(((match[5] or "") + "000000")[:6])
    return 0, 0, sign * micros


def _piece(name: str, match: re.Match[str]) -> Span | None:
    unit = PARTS.get(name)
    number = int(match[2])
    if unit is None or number >= 2**63:
        return None
    return span_of(unit, -number if match[1] else number, float(f"{match[1]}0.{match[3] or 0}"))


def span_of(unit: str, number: int, fraction: float = 0.0) -> Span | None:
    """`number` and a fraction (of the same sign, below 1) of a unit; None for a date part that intervals do not have."""
    if unit == "quarter":
        months = fraction * 3
        return number * 3 + math.trunc(months), _rounded((months - math.trunc(months)) * _DAYS_A_MONTH), 0
    if unit == "month":
        days = fraction * _DAYS_A_MONTH
        return number, math.trunc(days), _rounded((days - math.trunc(days)) * DAY)
    if unit in MONTHS_OF:
        return number * MONTHS_OF[unit] + _rounded(fraction * MONTHS_OF[unit]), 0, 0
    if unit == "week":
        days = fraction * 7
        return 0, number * 7 + math.trunc(days), _rounded((days - math.trunc(days)) * DAY)
    if unit == "day":
        return 0, number, _rounded(fraction * DAY)
    if unit in MICROS_OF:
        part = 0 if unit == "microsecond" else _rounded(fraction * MICROS_OF[unit])
        return 0, 0, number * MICROS_OF[unit] + part
    return None


def _rounded(value: float) -> int:
    """To the nearest integer, halves away from zero."""
    whole = math.trunc(value)
    return whole + (0 if abs(value - whole) < 0.5 else 1 if value > 0 else -1)
