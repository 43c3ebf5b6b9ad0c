"""strptime: timestamps of text in a given format, once per distinct string.

As in DuckDB a number takes as many digits as it may have and gives none of them back, blanks in the format stand for one or more of
them, and what is given twice counts as given last. Of day and month, the day or week of the year and ISO's week one decides:
which, follows from the order in which they stand (`_State`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.entries import Entries, spread, string
from tqp.functions.formats import letter_of, pieces_of
from tqp.functions.periods import DAY_NAMES, MONTH_NAMES
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.time_zones import TimeZone, known_zone
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.kernels import calendar
from tqp.kernels.calendar import DAY, FIRST_INSTANT, HOUR, INFINITE_INSTANT, MINUTE, SECOND
from tqp.types import TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ, VARCHAR, DType, Kind

__all__ = ["by_format", "require_format"]


def _names(names: tuple[str, ...], letters: int | None = None) -> str:
    return "|".join(name[:letters] for name in names)


_READ: Final = {
    **{letter: r"(\d{1,4}+)" for letter in "YG"},
    **{letter: r"(\d{1,2}+)" for letter in "ymdHIMSUWV"},
    **{letter: r"(\d)" for letter in "wu"},
    "j": r"(\d{1,3}+)", "n": r"(\d{1,9}+)", "f": r"(\d{1,6}+)", "g": r"(\d{1,3}+)", "p": "([AaPp][Mm])",
    "b": f"((?i:{_names(MONTH_NAMES, 3)}))", "B": f"((?i:{_names(MONTH_NAMES)}))", "%": "%",
    "a": f"(?i:{_names(DAY_NAMES, 3)})", "A": f"(?i:{_names(DAY_NAMES)})",
    "Z": r"\s*+([\w/+-]++)", "z": r"([+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)",
}  # fmt: skip
_LIMITS: Final = {
    "m": (1, 12), "d": (1, 31), "j": (1, 366), "U": (0, 53), "W": (0, 53), "V": (1, 53), "w": (0, 6), "u": (1, 7), "H": (0, 23),
    "I": (1, 12), "M": (0, 59), "S": (0, 59),
}  # fmt: skip
_SPECIAL: Final = {"epoch": 0, "infinity": INFINITE_INSTANT, "-infinity": -INFINITE_INSTANT}


@dataclass(slots=True)
class _State:
    """What was read so far. `day_by` is what the day follows from: day and month ("d"), `j`, `U`, `W`, `G` or `V`."""

    year: int = 1900
    month: int = 1
    day: int = 1
    of_year: int = 1
    week: int = 0
    weekday: int | None = None
    iso_year: int = 1900
    iso_week: int = 1
    iso_day: int = 1
    hour: int = 0
    minute: int = 0
    second: int = 0
    micros: int = 0
    nanos: int = 0
    """Beyond the microseconds."""
    offset: int | None = None
    zone: TimeZone | None = None
    half: str = ""
    day_by: str = ""

    def take(self, letter: str, text: str) -> bool:
        """Note what a specifier has read; whether that is in its range and may stand beside the others."""
        if letter == "Z":
            self.zone = known_zone(text)
            return self.zone is not None
        if letter in _NOTED_AS_TEXT:
            _NOTED_AS_TEXT[letter](self, text)
            return True
        number = int(text)
        low, high = _LIMITS.get(letter, (0, number))
        if not low <= number <= high:
            return False
        setattr(self, _FIELDS[letter], number)
        rivals = _RIVALS.get(letter)
        if rivals is not None:
            if self.day_by in rivals:
                self.day_by = letter
            elif self.day_by != "d" and (letter, self.day_by) != ("G", "Y"):
                return False
        elif letter in "md":
            self.day_by = "d"
        elif letter == "Y" and self.day_by in ("", "G", "V"):
            self.day_by = "Y"
        return True

    def days(self) -> int | None:
        """The day since 1970; None for a day that the month does not have."""
        match self.day_by:
            case "G" | "V":
                fourth = _day(self.iso_year, 1, 4)
                return _monday(fourth) + (self.iso_week - 1) * 7 + self.iso_day - 1
            case "U" | "W":
                first = _day(self.year, 1, 1)
                start = _monday(first) - (self.day_by == "U")
                start -= 7 if start >= first else 0
                shift = 0 if self.weekday is None else (self.weekday - (self.day_by == "W")) % 7
                return start + self.week * 7 + shift
            case "j":
                first = _day(self.year, 1, 1)
                return first + self.of_year - 1 if self.of_year <= _day(self.year + 1, 1, 1) - first else None
        return calendar.day_number(self.year, self.month, self.day)

    def instant(self) -> int | None:
        """Microseconds since 1970; None where there is no such day or hour, or no such timestamp."""
        days = self.days()
        if self.half and self.hour > 12:
            return None
        if days is None:
            return None
        hour = self.hour % 12 + (12 if self.half == "PM" else 0) if self.half else self.hour
        micros = days * DAY + hour * HOUR + self.minute * MINUTE + self.second * SECOND + self.micros
        if self.offset is not None:
            micros -= self.offset
        elif self.zone is not None:
            return self.zone.instant(micros)
        return micros if FIRST_INSTANT <= micros < INFINITE_INSTANT else None


_FIELDS: Final = {
    "Y": "year", "m": "month", "d": "day", "j": "of_year", "U": "week", "W": "week", "w": "weekday", "G": "iso_year",
    "V": "iso_week", "u": "iso_day", "H": "hour", "I": "hour", "M": "minute", "S": "second",
}  # fmt: skip
_RIVALS: Final = {"j": ("", "Y"), "U": ("", "Y"), "W": ("", "Y"), "G": ("", "V"), "V": ("", "G")}
"""After which of them such a specifier decides of the day; after a day or month it is passed over, after others it is an error."""


def _short_year(state: _State, text: str) -> None:
    number = int(text)
    state.take("Y", str(number + (1900 if number >= 69 else 2000)))


def _month(state: _State, text: str) -> None:
    # Not by number, its month does not decide of the day.
    state.month = [name[:3].lower() for name in MONTH_NAMES].index(text[:3].lower()) + 1


def _fraction(state: _State, text: str) -> None:
    state.micros = int(text.ljust(6, "0"))


def _nanoseconds(state: _State, text: str) -> None:
    digits = text.ljust(9, "0")
    state.micros, state.nanos = int(digits[:6]), int(digits[6:])


def _half(state: _State, text: str) -> None:
    state.half = text.upper()


def _offset(state: _State, text: str) -> None:
    digits = text[1:].replace(":", "").ljust(6, "0")
    length = int(digits[:2]) * HOUR + int(digits[2:4]) * MINUTE + int(digits[4:]) * SECOND
    state.offset = -length if text[0] == "-" else length


_NOTED_AS_TEXT: Final[dict[str, Callable[[_State, str], None]]] = {
    "y": _short_year, "b": _month, "B": _month, "f": _fraction, "g": _fraction, "n": _nanoseconds, "p": _half, "z": _offset,
}  # fmt: skip


def _day(year: int, month: int, day: int) -> int:
    found = calendar.day_number(year, month, day)
    assert found is not None
    return found


def _monday(day: int) -> int:
    """The Monday of its week."""
    return day - (day + 3) % 7


def _reader(pattern: str) -> Callable[[str], int | None]:
    """From a string in the format to microseconds; None where it is not in the format."""
    if not pattern:
        raise ExecutionError("strptime needs a format, not an empty string")
    regex = ""
    letters: list[str] = []
    for piece in pieces_of(pattern):
        if not piece.startswith("%"):
            regex += re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(piece))
            continue
        letter = letter_of(piece, "strptime")
        if letter not in _READ:
            raise ExecutionError(f"strptime does not know the format {piece}")
        regex += _READ[letter]
        letters += [] if letter in "aA%" else [letter]
    compiled = re.compile(rf"\s*+{regex}\s*", re.ASCII)

    def read(text: str) -> int | None:
        word = text.strip().lower()
        if word in _SPECIAL:
            return _SPECIAL[word]
        match = compiled.fullmatch(text)
        state = _State()
        if match is None or not all(map(state.take, letters, match.groups())):
            return None
        found = state.instant()
        if found is None or "n" not in letters:
            return found
        return found * 1000 + state.nanos if abs(found) < INFINITE_INSTANT // 1000 else None

    return read


def require_format(pattern: str) -> None:
    """ExecutionError for what is no format."""
    _reader(pattern)


def _types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 2, "strptime")
    for arg in args:
        if not arg.dtype.is_text and arg.dtype.kind is not Kind.NULL:
            raise BindError(f"strptime takes two strings, not {arg.dtype}")
    return (VARCHAR, VARCHAR), decide(_made_by, args[1]) if isinstance(args[1], Literal) else TIMESTAMP


def _made_by(pattern: Literal) -> DType:
    """What a format makes."""
    if pattern.value == "":
        raise BindError("strptime needs a format, not an empty string")
    pieces = pieces_of(pattern.value) if isinstance(pattern.value, str) else []
    zoned = "%z" in pieces or "%Z" in pieces
    if zoned and "%n" in pieces:
        raise UnsupportedError("strptime of nanoseconds in a time zone is not supported", hint="read them by %f")
    return TIMESTAMPTZ if zoned else TIMESTAMP_NS if "%n" in pieces else TIMESTAMP


def _read(args: Args) -> tuple[Entries, Tensor, np.ndarray[Any, Any]]:
    if not args[1].is_constant:
        raise UnsupportedError("strptime with a column of formats", hint="give the format as a literal")
    entries = spread(args)
    read = _reader(string(args[1]))
    values = [read(text) for text in entries.operands[0].to_pylist()]
    good = np.array([value is not None for value in values], dtype=np.bool_)
    filled = torch.tensor([value or 0 for value in values], dtype=torch.int64, device="cpu")
    return entries, filled, good


@scalar("strtotime", "strptime", types=_types, on_host=True)
def _strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args)
    strings = entries.operands[0]
    message = f"is not in the format {string(args[1])!r}"
    entries.check(
        pa.array(~good),
        args,
        lambda row: f"strptime: string '{strings[row].as_py()}' {message}",
        "try_strptime gives NULL instead; a list of formats is tried in turn",
    )
    return Column(entries.rows(values), out)


@scalar("try_strptime", types=_types, on_host=True)
def _try_strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args)
    return Column(entries.rows(values), out, entries.rows(torch.from_numpy(good)))


def by_format(column: Column, pattern: str) -> Column:
    """Text in a format as TIMESTAMPs, NULL where it is not in it. ExecutionError for what is no format."""
    entries, values, good = _read((column, constant(pattern, VARCHAR, column.device)))
    valid = entries.rows(torch.from_numpy(good))
    return Column(entries.rows(values), TIMESTAMP, valid if column.valid is None else valid & column.valid)
