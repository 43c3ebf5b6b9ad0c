"""strftime: dates and timestamps in a given format; what a format is made of."""

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
from tqp.functions.casts.text import offsets_as_text
from tqp.functions.entries import spread, string
from tqp.functions.instants import INFINITY
from tqp.functions.periods import DAY_NAMES, MONTH_NAMES
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.temporal import instant_type
from tqp.functions.time_zones import TimeZone, zone_named
from tqp.ir.expr import Expr
from tqp.ir.visit import subplans
from tqp.kernels import calendar, offsets
from tqp.kernels.calendar import HOUR, MINUTE, SECOND
from tqp.types import VARCHAR, DType, Kind

__all__ = ["formatted", "letter_of", "pieces_of"]

_SHORTHANDS = {"%c": "%Y-%m-%d %H:%M:%S", "%x": "%Y-%m-%d", "%X": "%H:%M:%S", "%T": "%H:%M:%S", "%h": "%b"}
_MAY_BE_SHORT = frozenset("dmyHIMSj")


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def pieces_of(pattern: str) -> list[str]:
    """Specifiers such as `%Y` or `%-d`, and the literal text between them."""
    pieces = re.findall(r"%-?.|[^%]+|%", pattern, re.DOTALL)
    return [
        part for piece in pieces for part in ([piece] if piece not in _SHORTHANDS else pieces_of(_SHORTHANDS[piece]))
    ]


def letter_of(piece: str, function: str) -> str:
    """What a specifier is for; ExecutionError for a dash where there are no zeros to leave out."""
    if piece == "%" or (piece[1] == "-" and piece[-1] not in _MAY_BE_SHORT):
        raise ExecutionError(f"{function} does not know the format {piece}")
    return piece[-1]


def _timetostr_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"strftime takes a value and a format, not {len(args)} arguments")
    if any(True for arg in args if arg.dtype.is_text for _ in subplans(arg)):
        raise BindError("the format of strftime is a constant, no subquery")
    if args[0].dtype.is_text and not args[1].dtype.is_text:  # DuckDB takes the arguments in either order
        return (VARCHAR, _shown_type(args[1])), VARCHAR
    return (_shown_type(args[0]), VARCHAR), VARCHAR


def _shown_type(expr: Expr) -> DType:
    return expr.dtype if expr.dtype.counts_nanoseconds else instant_type(expr, "strftime")


@scalar("timetostr", "strftime", types=_timetostr_types, on_host=True)
def _strftime(args: Args, out: DType) -> Column:
    column, pattern = (args[0], args[1]) if args[1].dtype.is_text else (args[1], args[0])
    return formatted(column, pattern, out)


def formatted(column: Column, pattern: Column, out: DType, zone: TimeZone | None = None) -> Column:
    """Instants in a constant format, as clocks of `zone` show a TIMESTAMPTZ (None: of UTC)."""
    if not pattern.is_constant:
        raise UnsupportedError("strftime with a column of formats", hint="give the format as a literal")
    if not string(pattern):
        raise ExecutionError("strftime needs a format, not an empty string")
    entries = spread([column])
    values = torch.from_numpy(entries.operands[0].to_numpy(zero_copy_only=False, writable=True)).long()
    limit = INFINITY[column.dtype.kind]
    sign = (values == limit).long() - (values == -limit).long()
    values = torch.where(sign == 0, values, 0)
    nanos = torch.zeros_like(values)
    if column.dtype.counts_nanoseconds:
        nanos, values = torch.remainder(values, 1000), calendar.floor_div(values, 1000)
    ahead: Any = None
    if column.dtype.in_microseconds.kind is Kind.TIMESTAMPTZ:
        zone = zone_named("UTC") if zone is None else zone
        ahead = offsets.offsets_at(values, zone.starts, zone.offsets)
        values = values + ahead
    days, time = (values, torch.zeros_like(values)) if column.dtype.kind is Kind.DATE else calendar.split(values)
    shown_zone = ("" if zone is None else zone.name, _text("+00") if ahead is None else offsets_as_text(ahead))
    pieces: list[Any] = [_formatted(piece, days, time, nanos, shown_zone) for piece in pieces_of(string(pattern))]
    blank = pa.array([""], pa.large_string()).take(pa.array(np.zeros(entries.count, dtype=np.int64)))
    shown = pc.binary_join_element_wise(blank, *pieces, _text(""))
    if bool(sign.any()):  # host: on the CPU
        known = pc.if_else(pa.array((sign > 0).numpy()), _text("infinity"), _text("-infinity"))
        shown = pc.if_else(pa.array((sign == 0).numpy()), shown, known)
    return entries.finish(shown, out)


def _number(values: Tensor, width: int) -> pa.Array:
    """Numbers with leading zeros, except for negative ones."""
    numbers = pa.array(values.numpy())
    shown = numbers.cast(pa.large_string())
    return pc.if_else(pc.less(numbers, 0), shown, pc.utf8_lpad(shown, width=width, padding="0"))


def _name(codes: Tensor, names: tuple[str, ...], letters: int | None = None) -> pa.Array:
    return pa.array([name[:letters] for name in names], pa.large_string()).take(pa.array(codes.numpy()))


def _formatted(piece: str, days: Tensor, time: Tensor, nanos: Tensor, zone: tuple[str, Any]) -> Any:
    """One specifier for all values, or literal text; `nanos` is what is behind the microseconds of `time`, `zone` the name of
    the time zone and the offsets as text."""
    if not piece.startswith("%"):
        return _text(piece)
    padded, letter = piece[1:2] != "-", letter_of(piece, "strftime")

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
        "n": (lambda: torch.remainder(time, SECOND) * 1000 + nanos, 9),
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
            return zone[1]
        case "Z":
            return _text(zone[0])
    raise ExecutionError(f"strftime does not know the format {piece}")
