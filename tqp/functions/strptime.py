"""strptime: timestamps of text in a given format.

As in DuckDB a number takes as many digits as it may have and gives none of them back, blanks in the format stand for one or more of
them, and what is given twice counts as given last. Of day and month, the day or week of the year and ISO's week one decides:
which, follows from the order in which they stand (`_deciding`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.to_arrow import truths
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.days import days_of
from tqp.functions.entries import Entries, spread, string
from tqp.functions.formats import letter_of, pieces_of
from tqp.functions.periods import DAY_NAMES, MONTH_NAMES
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.slices import Slices
from tqp.functions.time_zones import known_zone
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.kernels import calendar, fields, offsets
from tqp.kernels.calendar import DAY, HOUR, INFINITE_INSTANT, MINUTE, SECOND
from tqp.kernels.fields import BLANKS, FRACTION, NAME, NUMBER, OFFSET, TEXT, WORD, Step
from tqp.types import TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ, VARCHAR, DType, Kind

__all__ = ["by_format", "require_format"]


def _names(names: tuple[str, ...], letters: int | None = None) -> tuple[bytes, ...]:
    return tuple(name[:letters].lower().encode() for name in names)


# Of each specifier what it reads, and how.
_NUMBERS: Final = {
    "Y": ("year", 4, 0, 9999), "G": ("iso_year", 4, 0, 9999), "y": ("year", 2, 0, 99), "m": ("month", 2, 1, 12),
    "d": ("day", 2, 1, 31), "j": ("of_year", 3, 1, 366), "U": ("week", 2, 0, 53), "W": ("week", 2, 0, 53),
    "V": ("iso_week", 2, 1, 53), "w": ("weekday", 1, 0, 6), "u": ("iso_day", 1, 1, 7), "H": ("hour", 2, 0, 23),
    "I": ("hour", 2, 1, 12), "M": ("minute", 2, 0, 59), "S": ("second", 2, 0, 59),
}  # fmt: skip
_READ: Final = {
    **{letter: (name, Step(NUMBER, 0, most, low, high)) for letter, (name, most, low, high) in _NUMBERS.items()},
    "f": ("fraction", Step(FRACTION, 0, 6)), "g": ("fraction", Step(FRACTION, 0, 3)), "n": ("fraction", Step(FRACTION, 0, 9)),
    "b": ("month", Step(NAME, 0, texts=_names(MONTH_NAMES, 3))), "B": ("month", Step(NAME, 0, texts=_names(MONTH_NAMES))),
    "a": ("", Step(NAME, texts=_names(DAY_NAMES, 3))), "A": ("", Step(NAME, texts=_names(DAY_NAMES))),
    "p": ("half", Step(NAME, 0, texts=(b"am", b"pm"))), "z": ("offset", Step(OFFSET, 0)), "Z": ("zone", Step(WORD, 0)),
    "%": ("", Step(TEXT, texts=(b"%",))),
}  # fmt: skip
_ADDED: Final = {"b": 1, "B": 1, "y": 1900}
"""By which what is read is more; a year of two digits before 69 is a hundred years later."""
_RIVALS: Final = {"j": ("", "Y"), "U": ("", "Y"), "W": ("", "Y"), "G": ("", "V"), "V": ("", "G")}
"""After which of them such a specifier decides of the day; after a day or month it is passed over, after others it is an error."""
_BLANKS: Final = " \t\n\v\f\r"
_SPECIALS: Final = (Step(NAME, 0, texts=(b"epoch", b"infinity", b"-infinity")),)
_SPECIAL_INSTANTS: Final = (0, INFINITE_INSTANT, -INFINITE_INSTANT)


@dataclass(frozen=True, slots=True)
class _Format:
    """What a format reads: its steps, how many fields they have, and by name which of these counts and its specifier.

    `day_by` is what the day follows from: "d" or "Y", day and month; `j`, `U`, `W`, `G` or `V`; None where the format has two of
    them that do not go together, so that no text is in it.
    """

    steps: tuple[Step, ...]
    slots: int
    chosen: dict[str, tuple[int, str]]
    day_by: str | None


@lru_cache(maxsize=64)
def _format(pattern: str) -> _Format:
    """ExecutionError for what is no format."""
    if not pattern:
        raise ExecutionError("strptime needs a format, not an empty string")
    steps: list[Step] = []
    chosen: dict[str, tuple[int, str]] = {}
    letters = ""
    slots = 0
    for piece in pieces_of(pattern):
        if not piece.startswith("%"):
            for part in re.findall(r"\s+|\S+", piece, re.ASCII):
                steps.append(Step(TEXT, texts=(part.encode(),)) if part[0] not in _BLANKS else Step(BLANKS))
            continue
        letter = letter_of(piece, "strptime")
        if letter not in _READ:
            raise ExecutionError(f"strptime does not know the format {piece}")
        name, step = _READ[letter]
        if name:
            chosen[name] = slots, letter
            step = replace(step, slot=slots)
            slots += 2 if letter == "Z" else 1
        steps.append(step)
        letters += letter
    return _Format(tuple(steps), slots, chosen, _deciding(letters))


def _deciding(letters: str) -> str | None:
    """What the day follows from, as `_Format` says."""
    day_by = ""
    for letter in letters.replace("y", "Y"):
        rivals = _RIVALS.get(letter)
        if rivals is not None:
            if day_by in rivals:
                day_by = letter
            elif day_by != "d" and (letter, day_by) != ("G", "Y"):
                return None
        elif letter in "md":
            day_by = "d"
        elif letter == "Y" and day_by in ("", "G", "V"):
            day_by = "Y"
    return day_by


class _Fields:
    """What the strings have in a format: `found` (slots, n) int64."""

    def __init__(self, form: _Format, found: Tensor) -> None:
        self.form, self.found = form, found

    def __contains__(self, name: str) -> bool:
        return name in self.form.chosen

    def __call__(self, name: str, default: int) -> Tensor:
        if name not in self:
            return torch.tensor(default, dtype=torch.int64, device="cpu")
        slot, letter = self.form.chosen[name]
        values = self.found[slot] + _ADDED.get(letter, 0)
        return torch.where(values < 1969, values + 100, values) if letter == "y" else values

    def days(self) -> tuple[Tensor, Tensor]:
        """The days since 1970, and which of them there are."""
        one = torch.ones((), dtype=torch.int64, device="cpu")
        good = torch.ones((), dtype=torch.bool, device="cpu")
        year = self("year", 1900)
        match self.form.day_by:
            case "G" | "V":
                fourth = calendar.days_from_civil(self("iso_year", 1900), one, one * 4)
                return _monday(fourth) + (self("iso_week", 1) - 1) * 7 + self("iso_day", 1) - 1, good
            case "U" | "W" as by:
                first = calendar.days_from_civil(year, one, one)
                start = _monday(first) - int(by == "U")
                start = torch.where(start >= first, start - 7, start)
                shift = torch.remainder(self("weekday", 0) - int(by == "W"), 7) if "weekday" in self else 0
                return start + self("week", 0) * 7 + shift, good
            case "j":
                first, of_year = calendar.days_from_civil(year, one, one), self("of_year", 1)
                return first + of_year - 1, of_year <= calendar.days_from_civil(year + 1, one, one) - first
        return days_of(year, self("month", 1), self("day", 1))

    def micros(self) -> tuple[Tensor, Tensor]:
        """The microseconds since 1970 that clocks show, and which of them there are."""
        days, good = self.days()
        hour = self("hour", 0)
        if "half" in self:
            good = good & (hour <= 12)
            hour = torch.remainder(hour, 12) + 12 * self("half", 0)
        time = hour * HOUR + self("minute", 0) * MINUTE + self("second", 0) * SECOND
        return days * DAY + time + calendar.floor_div(self("fraction", 0), 1000) - self("offset", 0) * SECOND, good


def _monday(day: Tensor) -> Tensor:
    """The Monday of its week."""
    return day - torch.remainder(day + 3, 7)


def _in_zones(shown: Tensor, names: Slices) -> tuple[Tensor, Tensor]:
    """The instants at which clocks of the named zones show these times, and of which there are such zones."""
    distinct, numbers = names.encoded()
    zones = [known_zone(name) for name in distinct.to_pylist()]
    found = shown
    for number, zone in enumerate(zones):
        checkpoint()
        if zone is not None and not zone.is_utc:
            there = offsets.instants(shown, zone.starts, zone.offsets)
            found = torch.where(numbers == number, there, found)
    known = torch.tensor([zone is not None for zone in zones], dtype=torch.bool, device="cpu")
    return found, known.index_select(0, numbers)


def _read_by(pattern: str, strings: pa.Array, out: DType) -> tuple[Tensor, Tensor]:
    """The strings (k,) in a format as stored values of `out`, int64, and which of them are in it; both on the CPU."""
    form = _format(pattern)
    slices = Slices.of(strings)
    found, good = fields.read(slices.data, slices.begins, slices.stops, form.steps, form.slots)
    if form.day_by is None:
        good = torch.zeros_like(good)
    read = _Fields(form, found)
    micros, there = read.micros()
    micros, good = micros.expand(len(good)), good & there
    if "zone" in read and "offset" not in read:
        slot = form.chosen["zone"][0]
        micros, known = _in_zones(micros, Slices(slices.data, found[slot], found[slot + 1]))
        good = good & known
    values = micros
    if out == TIMESTAMP_NS:
        good = good & (micros.abs() < INFINITE_INSTANT // 1000)
        values = micros * 1000 + torch.remainder(read("fraction", 0), 1000)
    values = torch.where(good, values, 0)
    # As in DuckDB these are such instants whatever the format; few formats read them.
    if not form.chosen or not bool(good.all()):  # host: on the CPU
        rest = torch.arange(len(good), device="cpu")
        if form.chosen:
            rest = rest[~good]  # host: on the CPU
        begins, stops = slices.begins.index_select(0, rest), slices.stops.index_select(0, rest)
        number, is_special = fields.read(slices.data, begins, stops, _SPECIALS, 1)
        if bool(is_special.any()):  # host: on the CPU
            instants = torch.tensor(_SPECIAL_INSTANTS, dtype=torch.int64, device="cpu")
            rest, number = rest[is_special], number[0][is_special]  # host: on the CPU
            values[rest], good[rest] = instants.index_select(0, number), True
    return values, good


def require_format(pattern: str) -> None:
    """ExecutionError for what is no format."""
    _format(pattern)


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


def _read(args: Args, out: DType) -> tuple[Entries, Tensor, Tensor]:
    if not args[1].is_constant:
        raise UnsupportedError("strptime with a column of formats", hint="give the format as a literal")
    entries = spread(args)
    return entries, *_read_by(string(args[1]), entries.array(0), out)


@scalar("strtotime", "strptime", types=_types, on_host=True)
def _strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args, out)
    strings = entries.operands[0]
    message = f"is not in the format {string(args[1])!r}"
    entries.check(
        truths((~good).numpy()),
        args,
        lambda row: f"strptime: string '{strings[row].as_py()}' {message}",
        "try_strptime gives NULL instead; a list of formats is tried in turn",
    )
    return Column(entries.rows(values), out)


@scalar("try_strptime", types=_types, on_host=True)
def _try_strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args, out)
    return Column(entries.rows(values), out, entries.rows(good))


def by_format(column: Column, pattern: str) -> Column:
    """Text in a format as TIMESTAMPs, NULL where it is not in it. ExecutionError for what is no format."""
    entries, values, good = _read((column, constant(pattern, VARCHAR, column.device)), TIMESTAMP)
    valid = entries.rows(good)
    return Column(entries.rows(values), TIMESTAMP, valid if column.valid is None else valid & column.valid)
