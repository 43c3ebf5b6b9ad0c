"""strftime and strptime: dates and timestamps in a given format."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.entries import Entries, spread, string
from tqp.functions.instants import INFINITY
from tqp.functions.periods import DAY_NAMES, MONTH_NAMES
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.temporal import instant_type
from tqp.ir.expr import Expr
from tqp.kernels import calendar
from tqp.kernels.calendar import DAY, HOUR, INFINITE_INSTANT, MINUTE, SECOND
from tqp.types import TIMESTAMP, VARCHAR, DType, Kind

__all__: list[str] = []

_SHORTHANDS = {"%c": "%Y-%m-%d %H:%M:%S", "%x": "%Y-%m-%d", "%X": "%H:%M:%S", "%T": "%H:%M:%S", "%h": "%b"}
_MAY_BE_SHORT = frozenset("dmyHIMSj")


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _split(pattern: str) -> list[str]:
    """Specifiers such as `%Y` or `%-d`, and the literal text between them."""
    pieces = re.findall(r"%-?.|[^%]+|%", pattern, re.DOTALL)
    return [part for piece in pieces for part in ([piece] if piece not in _SHORTHANDS else _split(_SHORTHANDS[piece]))]


def _letter(piece: str, function: str) -> str:
    """What a specifier is for; ExecutionError for a dash where there are no zeros to leave out."""
    if piece == "%" or (piece[1] == "-" and piece[-1] not in _MAY_BE_SHORT):
        raise ExecutionError(f"{function} does not know the format {piece}")
    return piece[-1]


def _timetostr_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"strftime takes a value and a format, not {len(args)} arguments")
    if args[0].dtype.is_text and not args[1].dtype.is_text:  # DuckDB takes the arguments in either order
        return (VARCHAR, instant_type(args[1], "strftime")), VARCHAR
    return (instant_type(args[0], "strftime"), VARCHAR), VARCHAR


@scalar("timetostr", "strftime", types=_timetostr_types)
def _strftime(args: Args, out: DType) -> Column:
    column, pattern = (args[0], args[1]) if args[1].dtype.is_text else (args[1], args[0])
    if not pattern.is_constant:
        raise UnsupportedError("strftime with a column of formats", hint="give the format as a literal")
    entries = spread([column])
    values = torch.from_numpy(entries.operands[0].to_numpy(zero_copy_only=False, writable=True)).long()
    limit = INFINITY[column.dtype.kind]
    sign = (values == limit).long() - (values == -limit).long()
    values = torch.where(sign == 0, values, 0)
    days, time = (values, torch.zeros_like(values)) if column.dtype.kind is Kind.DATE else calendar.split(values)
    pieces: list[Any] = [
        _formatted(piece, days, time, column.dtype.kind is Kind.TIMESTAMPTZ) for piece in _split(string(pattern))
    ]
    blank = pa.array([""], pa.large_string()).take(pa.array(np.zeros(entries.count, dtype=np.int64)))
    shown = pc.binary_join_element_wise(blank, *pieces, _text(""))
    if bool(sign.any()):  # host: on the CPU
        known = pc.if_else(pa.array((sign > 0).numpy()), _text("infinity"), _text("-infinity"))
        shown = pc.if_else(pa.array((sign == 0).numpy()), shown, known)
    return entries.finish(shown, out)


def _number(values: Tensor, width: int) -> pa.Array:
    """Numbers with leading zeros, but for negative ones."""
    numbers = pa.array(values.numpy())
    shown = numbers.cast(pa.large_string())
    return pc.if_else(pc.less(numbers, 0), shown, pc.utf8_lpad(shown, width=width, padding="0"))


def _name(codes: Tensor, names: tuple[str, ...], letters: int | None = None) -> pa.Array:
    return pa.array([name[:letters] for name in names], pa.large_string()).take(pa.array(codes.numpy()))


def _formatted(piece: str, days: Tensor, time: Tensor, zoned: bool) -> Any:
    """One specifier for all values, or literal text."""
    if not piece.startswith("%"):
        return _text(piece)
    padded, letter = piece[1:2] != "-", _letter(piece, "strftime")

    def field(part: str) -> Tensor:
        return calendar.field(part, days)

    hour = calendar.floor_div(time, HOUR)
    numbers: dict[str, tuple[Callable[[], Tensor], int]] = {
        "Y": (lambda: field("year"), 4),
        "y": (lambda: torch.remainder(field("year").abs(), 100), 2),
        "m": (lambda: field("month"), 2),
        "d": (lambda: field("day"), 2),
        "j": (lambda: field("doy"), 3),
        "H": (lambda: hour, 2),
        "I": (lambda: torch.remainder(hour + 11, 12) + 1, 2),
        "M": (lambda: calendar.floor_div(torch.remainder(time, HOUR), MINUTE), 2),
        "S": (lambda: calendar.floor_div(torch.remainder(time, MINUTE), SECOND), 2),
        "f": (lambda: torch.remainder(time, SECOND), 6),
        "g": (lambda: calendar.floor_div(torch.remainder(time, SECOND), 1000), 3),
        "n": (lambda: torch.remainder(time, SECOND) * 1000, 9),
        "w": (lambda: field("dow"), 1),
        "u": (lambda: field("isodow"), 1),
        "G": (lambda: field("isoyear"), 4),
        "V": (lambda: field("week"), 2),
        "U": (lambda: calendar.floor_div(field("doy") + 6 - field("dow"), 7), 2),
        "W": (lambda: calendar.floor_div(field("doy") + 6 - torch.remainder(field("dow") + 6, 7), 7), 2),
    }
    if letter in numbers:
        compute, width = numbers[letter]
        return _number(compute(), width if padded else 1)
    match letter:
        case "a" | "A":
            return _name(field("dow"), DAY_NAMES, 3 if letter == "a" else None)
        case "b" | "B":
            return _name(field("month") - 1, MONTH_NAMES, 3 if letter == "b" else None)
        case "p":
            return _name((hour >= 12).long(), ("AM", "PM"))
        case "%":
            return _text("%")
        case "z":
            return _text("+00")
        case "Z":
            return _text("UTC" if zoned else "")
    raise ExecutionError(f"strftime does not know the format {piece}")


# Reading ------------------------------------------------------------------------------------------------------------


def _names(names: tuple[str, ...], letters: int | None = None) -> str:
    return "|".join(name[:letters] for name in names)


_READ = {
    "Y": r"(\d{1,4})", "y": r"(\d{1,2})", "m": r"(\d{1,2})", "d": r"(\d{1,2})", "j": r"(\d{1,3})", "H": r"(\d{1,2})",
    "I": r"(\d{1,2})", "M": r"(\d{1,2})", "S": r"(\d{1,2})", "f": r"(\d{1,6})", "g": r"(\d{1,3})", "p": "([AaPp][Mm])",
    "b": f"((?i:{_names(MONTH_NAMES, 3)}))", "B": f"((?i:{_names(MONTH_NAMES)}))", "%": "%",
    "a": f"(?i:{_names(DAY_NAMES, 3)})", "A": f"(?i:{_names(DAY_NAMES)})",
}  # fmt: skip
_NOT_READ = {
    "z": "time zones", "Z": "time zones", "n": "nanoseconds", "G": "ISO years", "V": "weeks", "U": "weeks", "W": "weeks",
    "u": "days of the week as numbers", "w": "days of the week as numbers",
}  # fmt: skip
_DATE_LETTERS = frozenset("mbBd")


def _reader(pattern: str) -> Callable[[str], int | None]:
    """From a string in the format to microseconds; None where it is not in the format."""
    if not pattern:
        raise ExecutionError("strptime needs a format, not an empty string")
    regex = ""
    letters: list[str] = []
    for piece in _split(pattern):
        if not piece.startswith("%"):
            # Blanks in the format stand for any number of them.
            regex += re.sub(r"(?:\\?\s)+", r"\\s*", re.escape(piece))
            continue
        letter = _letter(piece, "strptime")
        if letter in _NOT_READ:
            raise UnsupportedError(f"strptime does not read {_NOT_READ[letter]} ({piece})")
        if letter not in _READ:
            raise ExecutionError(f"strptime does not know the format {piece}")
        regex += _READ[letter]
        letters += [] if letter in "aA%" else [letter]
    compiled = re.compile(rf"\s*{regex}\s*", re.ASCII)

    def read(text: str) -> int | None:
        word = text.strip().lower()
        if word in _SPECIAL:
            return _SPECIAL[word]
        match = compiled.fullmatch(text)
        # What is given twice counts as given last.
        return None if match is None else _micros(dict(zip(letters, match.groups(), strict=True)))

    return read


_SPECIAL = {"epoch": 0, "infinity": INFINITE_INSTANT, "-infinity": -INFINITE_INSTANT}


def _month(found: dict[str, str]) -> int:
    for letter in ("b", "B"):
        if letter in found:
            return [name[:3].lower() for name in MONTH_NAMES].index(found[letter][:3].lower()) + 1
    return int(found.get("m", 1))


def _hour(found: dict[str, str]) -> int | None:
    """The hour of the day; AM and PM go with hours up to 12."""
    hour = int(found.get("I", found.get("H", 0)))
    if "I" in found and not 1 <= hour <= 12:
        return None
    if "p" in found:
        return None if hour > 12 else hour % 12 + (12 if found["p"].upper() == "PM" else 0)
    return hour if hour <= 23 else None


def _micros(found: dict[str, str]) -> int | None:
    year = int(found.get("Y", 1900))
    if "y" in found:
        year = int(found["y"]) + (1900 if int(found["y"]) >= 69 else 2000)
    month, day = _month(found), int(found.get("d", 1))
    hour = _hour(found)
    minute, second = int(found.get("M", 0)), int(found.get("S", 0))
    micros = int(found.get("f", found.get("g", "0")).ljust(6, "0"))
    if not 1 <= month <= 12 or hour is None or minute > 59 or second > 59:
        return None
    date = torch.tensor([year, month, day], dtype=torch.int64, device="cpu")
    if not 1 <= day <= int(calendar.days_in_month(date[0], date[1])):  # host: on the CPU
        return None
    days = int(calendar.days_from_civil(date[0], date[1], date[2]))  # host: on the CPU
    if "j" in found:
        if not 1 <= int(found["j"]) <= 366:
            return None
        # The day of the year gives way to a day or month.
        days += 0 if _DATE_LETTERS & found.keys() else int(found["j"]) - 1
    return days * DAY + hour * HOUR + minute * MINUTE + second * SECOND + micros


def _strptime_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"strptime takes a string and a format, not {len(args)} arguments")
    for arg in args:
        if not arg.dtype.is_text and arg.dtype.kind is not Kind.NULL:
            raise BindError(f"strptime takes two strings, not {arg.dtype}")
    return (VARCHAR, VARCHAR), TIMESTAMP


def _read(args: Args) -> tuple[Entries, Tensor, np.ndarray[Any, Any]]:
    if not args[1].is_constant:
        raise UnsupportedError("strptime with a column of formats", hint="give the format as a literal")
    entries = spread(args)
    read = _reader(string(args[1]))
    values = [read(text) for text in entries.operands[0].to_pylist()]
    good = np.array([value is not None for value in values], dtype=np.bool_)
    filled = torch.tensor([value or 0 for value in values], dtype=torch.int64, device="cpu")
    return entries, filled, good


@scalar("strtotime", "strptime", types=_strptime_types)
def _strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args)
    strings = entries.operands[0]
    message = f"is not in the format {string(args[1])!r}"
    entries.check(pa.array(~good), args, lambda row: f"strptime: string '{strings[row].as_py()}' {message}")
    return Column(entries.rows(values), out)


@scalar("try_strptime", types=_strptime_types)
def _try_strptime(args: Args, out: DType) -> Column:
    entries, values, good = _read(args)
    return Column(entries.rows(values), out, entries.rows(torch.from_numpy(good)))
