"""The units of time: their names and what each is worth."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from tqp.errors import BindError
from tqp.kernels.calendar import HOUR, MINUTE, SECOND
from tqp.types import BIGINT, INTEGER, DType

__all__ = ["INTERVAL_UNITS", "INTERVAL_WORDS", "MICROS_OF", "MONTHS_OF", "PARTS", "Unit", "part_name"]

_SYNONYMS = {
    "year": "yr y years yrs", "month": "mon months mons", "day": "days d dayofmonth", "decade": "dec decades decs",
    "century": "cent centuries c", "millennium": "mil millenniums millennia mils millenium", "quarter": "quarters",
    "microsecond": "microseconds us usec usecs usecond useconds",
    "millisecond": "milliseconds ms msec msecs msecond mseconds", "second": "sec seconds secs s",
    "minute": "min minutes mins m", "hour": "hr hours hrs h", "epoch": "",
    "dow": "dayofweek weekday", "isodow": "", "week": "weeks w weekofyear", "doy": "dayofyear",
    "yearweek": "", "isoyear": "", "era": "", "julian": "jd", "timezone": "", "timezone_hour": "",
    "timezone_minute": "",
}  # fmt: skip
PARTS = {name: part for part, others in _SYNONYMS.items() for name in (part, *others.split())}

# What the unit is worth: months, days or microseconds, in the layout of INTERVAL.
MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
MICROS_OF = {"microsecond": 1, "millisecond": 1000, "second": SECOND, "minute": MINUTE, "hour": HOUR}


class Unit(NamedTuple):
    """A unit of INTERVAL: the function that makes intervals of it, and what a count is cut down to (None: not at all)."""

    maker: str
    counted: DType | None


def _interval_units() -> dict[str, Unit]:
    units = {part: Unit(f"to_{part}s", BIGINT) for part in ("hour", "minute", "microsecond")}
    units |= {part: Unit(f"to_{part}s", None) for part in ("second", "millisecond")}
    units |= {part: Unit(f"to_{part}s", INTEGER) for part in ("decade", "year", "quarter", "month", "week", "day")}
    return units | {"century": Unit("to_centuries", INTEGER), "millennium": Unit("to_millennia", INTEGER)}


INTERVAL_UNITS = _interval_units()
INTERVAL_WORDS = frozenset(INTERVAL_UNITS) | {unit.maker.removeprefix("to_") for unit in INTERVAL_UNITS.values()}
"""The words that may follow INTERVAL and a number: no abbreviations."""


def part_name(name: str) -> str:
    """The canonical name of a date part; BindError where there is none."""
    part = PARTS.get(name.lower())
    if part is None:
        near = get_close_matches(name, _SYNONYMS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the parts are {', '.join(_SYNONYMS)}"
        raise BindError(f"there is no date part {name!r}", hint=hint)
    return part
