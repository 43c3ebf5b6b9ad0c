"""The fields of many texts of one form, such as the year and the month of dates: read from their bytes, and written.

A form is a series of steps. Each reads, or writes, one thing behind what the one before it did; a number takes as many digits
as it may have and gives none of them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.division import trunc_div
from tqp.kernels.loops.fields import (
    BLANKS,
    END,
    FRACTION,
    NAME,
    NUMBER,
    OFFSET,
    SEPARATOR,
    TAIL,
    TEXT,
    WORD,
    read_fields,
    write_fields,
)
from tqp.kernels.operation import Variant, operation

__all__ = [
    "BLANKS", "END", "FRACTION", "NAME", "NUMBER", "OFFSET", "SEPARATOR", "TAIL", "TEXT", "WORD", "Step", "read", "written",
]  # fmt: skip

_SCALE: Final = 9
_LONGEST: Final = 20
"""Bytes of a number of 64 bits."""
_SIZE: Final = "how many bytes are written"


@dataclass(frozen=True, slots=True)
class Step:
    """What stands next in a text.

    `code` says what: `TEXT` the first of `texts`; `BLANKS` one or more of them; `SEPARATOR` these or a T; `NUMBER` `most` digits or
    fewer, from `low` to `high`; `FRACTION` as many digits of a fraction, which is counted in billionths; `TAIL` a point and its
    digits, those beyond `most` passed over, or nothing; `NAME` one of `texts`, which are of small letters, in letters of either
    case: its number; `OFFSET` +hh, +hhmm, +hh:mm or +hh:mm:ss in seconds; `WORD` letters, digits and _/+- behind blanks: where
    they begin and, one field further, where they end; `END` nothing, not even a blank.

    Written, a `NUMBER` has at least `most` digits, one below 0 no more than it has, a `TAIL` `most` without the zeros at its end
    (nothing of 0), and `TEXT` and `NAME` are that of the `texts` which the field says.

    `slot` is its field; -1 where it has none, which is 0.
    """

    code: int
    slot: int = -1
    most: int = 0
    low: int = 0
    high: int = 10**_SCALE
    texts: tuple[bytes, ...] = ()


@lru_cache(maxsize=256)
def _program(steps: tuple[Step, ...]) -> tuple[Any, Any, Any]:
    """The steps as the loops take them: their numbers, all texts end to end, and where each of these ends."""
    numbers: list[int] = []
    texts: list[bytes] = []
    for step in steps:
        first = len(texts)
        texts += step.texts
        numbers += [step.code, step.slot, step.most, step.low, step.high, first, len(texts)]
    ends = np.cumsum([0, *map(len, texts)])
    return np.array(numbers, np.int64), np.frombuffer(b"".join(texts) or b" ", np.uint8).copy(), ends


# Reading --------------------------------------------------------------------------------------------------------------

_READ = (
    torch.uint8, torch.int64, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.bool,
)  # fmt: skip


def _loop_reads(data: Tensor, begins: Tensor, stops: Tensor, steps: Sequence[Step], slots: int) -> bool:
    return read_fields.ready(len(begins), *_READ)


def _read_by_loop(
    data: Tensor, begins: Tensor, stops: Tensor, steps: Sequence[Step], slots: int
) -> tuple[Tensor, Tensor]:
    rows = len(begins)
    fields, good = np.zeros(slots * rows, np.int64), np.empty(rows, np.bool_)
    strings = data.contiguous().numpy(), begins.contiguous().numpy(), stops.contiguous().numpy()
    read_fields(*strings, *_program(tuple(steps)), fields, good)
    return torch.from_numpy(fields).reshape(slots, rows), torch.from_numpy(good)


@operation(Variant(_read_by_loop, "cpu", "each byte is looked at once", _loop_reads))
def read(data: Tensor, begins: Tensor, stops: Tensor, steps: Sequence[Step], slots: int) -> tuple[Tensor, Tensor]:
    """The fields of the strings `data[begins[i]:stops[i]]`, (slots, n) int64, and which of them have the form, (n,) bool.

    Blanks may stand around what the steps read. Fields of other strings are 0; of two steps with one field the last counts.
    """
    reader = _Reader(data, begins, stops, slots)
    for step in steps:
        reader.take(step)
    reader.skip_blanks()
    good = reader.good & (reader.at == stops)
    return torch.where(good, reader.fields, 0), good


class _Reader:
    """Where all strings have been read up to, and what was found."""

    def __init__(self, data: Tensor, begins: Tensor, stops: Tensor, slots: int) -> None:
        # Behind the last string stands something.
        self.data = torch.cat([data, data.new_zeros(1)])
        self.stops, self.at = stops, begins
        self.good = torch.ones_like(begins, dtype=torch.bool)
        self.fields = torch.zeros((slots, len(begins)), dtype=torch.int64, device=data.device)
        self._ends: dict[str, Tensor] = {}
        self.skip_blanks()

    def byte(self, at: Tensor) -> Tensor:
        """The byte there, (n,) int64; -1 beyond the string's end."""
        found = self.data.index_select(0, at.clamp(max=len(self.data) - 1)).long()
        return torch.where(at < self.stops, found, -1)

    def end_of(self, kind: str, at: Tensor) -> Tensor:
        """Where the bytes of that kind end that stand there."""
        if kind not in self._ends:
            others = ~_KINDS[kind](self.data.long())
            size = len(self.data)
            places = torch.where(others, torch.arange(size, device=self.data.device), size)
            self._ends[kind] = places.flip(0).cummin(0).values.flip(0)
        return torch.minimum(self._ends[kind].index_select(0, at.clamp(max=len(self.data) - 1)), self.stops)

    def skip_blanks(self) -> None:
        self.at = self.end_of("blank", self.at)

    def digits(self, at: Tensor, most: int) -> tuple[Tensor, Tensor]:
        """The number of so many digits at most that begins there, and how many it has."""
        value, count = torch.zeros_like(at), torch.zeros_like(at)
        for place in range(most):
            byte = self.byte(at + place)
            more = (count == place) & _KINDS["digit"](byte)
            value = torch.where(more, value * 10 + byte - ord("0"), value)
            count = count + more
        return value, count

    def stands(self, text: bytes, *, any_case: bool = False) -> Tensor:
        """Whether the text stands here."""
        found = torch.ones_like(self.good)
        for place, wanted in enumerate(text):
            byte = self.byte(self.at + place)
            found &= (byte == wanted) | ((byte + 32 == wanted) & (byte >= ord("A"))) if any_case else byte == wanted
        return found

    def take(self, step: Step) -> None:
        """What a step reads."""
        value: Tensor | None = None
        if step.code == TEXT:
            self._advance(self.stands(step.texts[0]), len(step.texts[0]))
        elif step.code in (BLANKS, SEPARATOR):
            end = self.end_of("blank", self.at)
            if step.code == SEPARATOR:
                end = torch.where(self.stands(b"T"), self.at + 1, end)
            self._advance(end > self.at, end - self.at)
        elif step.code == NUMBER:
            value, count = self.digits(self.at, step.most)
            self._advance((count > 0) & (value >= step.low) & (value <= step.high), count)
        elif step.code == FRACTION:
            value, count = self._fraction(self.at, step.most)
            self._advance(count > 0, count)
        elif step.code == TAIL:
            has_point = self.stands(b".")
            value, _ = self._fraction(self.at + 1, step.most)
            value = torch.where(has_point, value, 0)
            self.at = torch.where(has_point, self.end_of("digit", self.at + 1), self.at)
        elif step.code == NAME:
            value = self._name(step.texts)
        elif step.code == OFFSET:
            value = self._offset()
        elif step.code == END:
            self._advance(self.at == self.stops, 0)
        else:
            self.skip_blanks()
            value = self.at
            end = self.end_of("word", self.at)
            self.fields[step.slot + 1] = end
            self._advance(end > self.at, end - self.at)
        if step.slot >= 0 and value is not None:
            self.fields[step.slot] = value

    def _advance(self, is_read: Tensor, by: Tensor | int) -> None:
        self.good = self.good & is_read
        self.at = self.at + by

    def _fraction(self, at: Tensor, most: int) -> tuple[Tensor, Tensor]:
        value, count = self.digits(at, most)
        powers = torch.tensor([10 ** (_SCALE - size) for size in range(most + 1)], device=at.device)
        return value * powers.index_select(0, count), count

    def _name(self, texts: Sequence[bytes]) -> Tensor:
        found, size = torch.full_like(self.at, -1), torch.zeros_like(self.at)
        # Of two that stand there the first counts.
        for number in reversed(range(len(texts))):
            stands = self.stands(texts[number], any_case=True)
            found, size = torch.where(stands, number, found), torch.where(stands, len(texts[number]), size)
        self._advance(found >= 0, size)
        return found

    def _offset(self) -> Tensor:
        sign = self.byte(self.at)
        hours, count = self.digits(self.at + 1, 2)
        good = ((sign == ord("+")) | (sign == ord("-"))) & (count == 2)
        at = self.at + 3
        total = hours * 3600
        has_colon = self.byte(at) == ord(":")
        minutes, count = self.digits(at + has_colon, 2)
        has_minutes = count == 2
        good &= ~has_colon | has_minutes
        total = total + torch.where(has_minutes, minutes * 60, 0)
        at = at + torch.where(has_minutes, 2 + has_colon.long(), 0)
        has_colon = has_colon & (self.byte(at) == ord(":"))
        seconds, count = self.digits(at + 1, 2)
        good &= ~has_colon | (count == 2)
        total = total + torch.where(has_colon, seconds, 0)
        self._advance(good, at + torch.where(has_colon, 3, 0) - self.at)
        return torch.where(sign == ord("-"), -total, total)


def _is_between(byte: Tensor, first: str, last: str) -> Tensor:
    return (byte >= ord(first)) & (byte <= ord(last))


def _is_word(byte: Tensor) -> Tensor:
    found = _is_between(byte, "0", "9") | _is_between(byte | 32, "a", "z") & (byte < 128)
    for other in "_/+-":
        found |= byte == ord(other)
    return found


_KINDS: Final = {
    "blank": lambda byte: (byte == ord(" ")) | _is_between(byte, "\t", "\r"),
    "digit": lambda byte: _is_between(byte, "0", "9"),
    "word": _is_word,
}


# Writing --------------------------------------------------------------------------------------------------------------

_WRITTEN = (torch.int64, torch.int64, torch.uint8, torch.int64, torch.uint8, torch.int64)


def _loop_writes(fields: Tensor, steps: Sequence[Step]) -> bool:
    return write_fields.ready(fields.shape[1], *_WRITTEN)


def _written_by_loop(fields: Tensor, steps: Sequence[Step]) -> tuple[Tensor, Tensor]:
    rows = fields.shape[1]
    longest = sum(max([len(text) for text in step.texts], default=max(step.most, _LONGEST) + 1) for step in steps)
    data, bounds = np.empty(rows * longest, np.uint8), np.empty(rows + 1, np.int64)
    size = write_fields(fields.contiguous().numpy().reshape(-1), *_program(tuple(steps)), data, bounds)
    # Most of the room was left.
    return torch.from_numpy(data[:size].copy()), torch.from_numpy(bounds)


@operation(Variant(_written_by_loop, "cpu", "each byte is written once", _loop_writes))
def written(fields: Tensor, steps: Sequence[Step]) -> tuple[Tensor, Tensor]:
    """Strings of what the steps show of the fields (slots, n) int64: their bytes (m,) uint8, and the offsets (n + 1,) int64.

    Numbers have at most `most` digits, or those that they need, if these are more; a `TAIL` is from 0 on.
    """
    rows, device = fields.shape[1], fields.device
    zero = torch.zeros(rows, dtype=torch.int64, device=device)
    columns: list[_Column] = []
    for step in steps:
        columns += _shown(step, fields[step.slot] if step.slot >= 0 else zero)
    bounds = torch.zeros(rows + 1, dtype=torch.int64, device=device)
    if not columns or not rows:
        return torch.empty(0, dtype=torch.uint8, device=device), bounds
    # Most columns have a byte in all strings, or in none.
    counts = waits.numbers(torch.stack([kept.sum() for _, kept in columns]), _SIZE)
    shown = torch.stack(
        [column for (column, _), count in zip(columns, counts, strict=True) if count] or [zero.byte()], 1
    )
    kept = torch.stack([kept for (_, kept), count in zip(columns, counts, strict=True) if count] or [zero.bool()], 1)
    torch.cumsum(kept.sum(1), 0, out=bounds[1:])
    if all(count in (0, rows) for count in counts) and any(counts):
        return shown.reshape(-1), bounds
    return waits.masked(shown.reshape(-1), kept.reshape(-1), _SIZE), bounds


_Column = tuple[Tensor, Tensor]
"""A byte of each string, (n,) uint8, and in which of them it is written."""


def _shown(step: Step, values: Tensor) -> list[_Column]:
    """The bytes that a step writes."""
    device = values.device
    if step.code in (TEXT, NAME):
        width = max(map(len, step.texts))
        table = torch.tensor([list(text.ljust(width)) for text in step.texts], dtype=torch.uint8, device=device)
        sizes = torch.tensor([len(text) for text in step.texts], device=device).index_select(0, values)
        return [(table[:, place].index_select(0, values), sizes > place) for place in range(width)]
    most = step.most
    if step.code == NUMBER and len(values):
        low, high = waits.limits(values, _SIZE)
        most = max(most, len(str(high)), len(str(-low)))
    is_negative = values < 0
    is_tail = step.code == TAIL
    columns: list[_Column] = []
    left, kept = values, torch.zeros_like(is_negative)
    for place in range(most):
        rest = trunc_div(left, 10)
        digit = (left - rest * 10).abs()
        # Of a tail the digits down to the last that is not 0; of a number those from the first such on.
        kept = kept | (digit != 0) if is_tail else (left != 0) | ~is_negative if place < step.most else left != 0
        columns.append(((digit + ord("0")).byte(), kept))
        left = rest
    mark = ord(".") if is_tail else ord("-")
    columns.append((torch.full_like(is_negative, mark, dtype=torch.uint8), values > 0 if is_tail else is_negative))
    return columns[::-1]
