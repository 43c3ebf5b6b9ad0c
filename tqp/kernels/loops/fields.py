"""Loops that read the fields of texts of one form, and write them (`tqp.kernels.fields` says what the steps of a form are)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import loop, part

__all__ = [
    "BLANKS", "END", "FRACTION", "NAME", "NUMBER", "OFFSET", "SEPARATOR", "TAIL", "TEXT", "WIDTH", "WORD", "read_fields",
    "write_fields",
]  # fmt: skip

WIDTH: Final = 7
"""Numbers of a step: what it is, its field, the digits that it may have, the least and the greatest value, and which of the texts
are its own, from one on and up to another."""

TEXT: Final = 0
BLANKS: Final = 1
SEPARATOR: Final = 2
NUMBER: Final = 3
FRACTION: Final = 4
TAIL: Final = 5
NAME: Final = 6
OFFSET: Final = 7
WORD: Final = 8
END: Final = 9

_ZERO: Final = ord("0")
_POINT: Final = ord(".")
_COLON: Final = ord(":")
_PLUS: Final = ord("+")
_MINUS: Final = ord("-")
_T: Final = ord("T")
_SCALE: Final = 9
"""Digits behind the point of what a fraction is counted in."""

_TEN: Final = np.uint64(10)
_HUNDRED: Final = np.uint64(100)

_IS_BLANK: Final = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_IS_WORD: Final = np.array([chr(byte).isalnum() or chr(byte) in "_/+-" for byte in range(128)] + [False] * 128)
_LOWERED: Final = np.array([byte + 32 if 65 <= byte <= 90 else byte for byte in range(256)], np.uint8)


@part
def _digits(data: Any, at: int, stop: int, most: int) -> tuple[int, int]:
    """The number that begins there, of so many digits at most, and how many it has."""
    value: Any = 0
    count = 0
    while count < most and at + count < stop:
        digit = np.int64(data[at + count]) - _ZERO
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        count += 1
    return value, count


@part
def _after_blanks(data: Any, at: int, stop: int) -> int:
    while at < stop and _IS_BLANK[data[at]]:
        at += 1
    return at


@part
def _name(data: Any, at: int, stop: int, texts: Any, ends: Any, first: int, last: int) -> int:
    """Which of the texts, in any letter case, begins there; -1 for none."""
    for name in range(first, last):
        size = ends[name + 1] - ends[name]
        if at + size > stop:
            continue
        same = 0
        while same < size and _LOWERED[data[at + same]] == texts[ends[name] + same]:
            same += 1
        if same == size:
            return name
    return -1


@part
def _offset(data: Any, at: int, stop: int) -> tuple[int, int]:
    """The seconds of an offset that begins there, and where it ends; -1 for none."""
    if at >= stop or (data[at] != _PLUS and data[at] != _MINUS):
        return 0, -1
    sign = -1 if data[at] == _MINUS else 1
    hours, count = _digits(data, at + 1, stop, 2)
    if count < 2:
        return 0, -1
    at += 3
    minutes, seconds = 0, 0
    if at < stop and data[at] == _COLON:
        minutes, count = _digits(data, at + 1, stop, 2)
        if count < 2:
            return 0, -1
        at += 3
        if at < stop and data[at] == _COLON:
            seconds, count = _digits(data, at + 1, stop, 2)
            if count < 2:
                return 0, -1
            at += 3
    else:
        minutes, count = _digits(data, at, stop, 2)
        if count < 2:
            minutes = 0
        else:
            at += 2
    return sign * (hours * 3600 + minutes * 60 + seconds), at


@loop(
    (torch.uint8, torch.int64, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.bool), alone=True
)
def read_fields(
    data: Any, begins: Any, stops: Any, steps: Any, texts: Any, ends: Any, fields: Any, read: Any
) -> None:  # fmt: skip
    """Write to `fields` (slots * n,) what the steps read in the strings `data[begins[i]:stops[i]]`, and to `read` (n,) whether they
    read all of it."""
    rows = begins.size
    slots = fields.size // rows if rows else 0
    for row in range(rows):
        stop = stops[row]
        at = _after_blanks(data, begins[row], stop)
        is_read = True
        step = 0
        while step < steps.size and is_read:
            code, most = steps[step], steps[step + 2]
            first, last = steps[step + 5], steps[step + 6]
            value = 0
            if code == NUMBER:
                value, count = _digits(data, at, stop, most)
                at += count
                is_read = count > 0 and steps[step + 3] <= value <= steps[step + 4]
            elif code == TEXT:
                begin, end = ends[first], ends[last]
                is_read = at + end - begin <= stop
                while begin < end and is_read:
                    is_read = data[at] == texts[begin]
                    at += 1
                    begin += 1
            elif code == BLANKS:
                end = _after_blanks(data, at, stop)
                is_read = end > at
                at = end
            elif code == SEPARATOR:
                if at < stop and data[at] == _T:
                    at += 1
                else:
                    end = _after_blanks(data, at, stop)
                    is_read = end > at
                    at = end
            elif code == FRACTION:
                value, count = _digits(data, at, stop, most)
                at += count
                is_read = count > 0
                for _ in range(_SCALE - count):
                    value *= 10
            elif code == TAIL:
                if at < stop and data[at] == _POINT:
                    value, count = _digits(data, at + 1, stop, most)
                    at += 1 + count
                    for _ in range(_SCALE - count):
                        value *= 10
                    while at < stop and _ZERO <= data[at] <= _ZERO + 9:
                        at += 1
            elif code == NAME:
                name = _name(data, at, stop, texts, ends, first, last)
                is_read = name >= 0
                if is_read:
                    at += ends[name + 1] - ends[name]
                    value = name - first
            elif code == OFFSET:
                value, end = _offset(data, at, stop)
                is_read = end >= 0
                at = end
            elif code == END:
                is_read = at == stop
            else:
                at = _after_blanks(data, at, stop)
                value = at
                while at < stop and _IS_WORD[data[at]]:
                    at += 1
                is_read = at > value
                fields[(steps[step + 1] + 1) * rows + row] = at
            if steps[step + 1] >= 0:
                fields[steps[step + 1] * rows + row] = value
            step += WIDTH
        if is_read:
            is_read = _after_blanks(data, at, stop) == stop
        read[row] = is_read
        if not is_read:
            for slot in range(slots):
                fields[slot * rows + row] = 0


@part
def _write_number(written: Any, to: int, value: Any, least: int) -> int:
    """Write a number of at least so many digits, one below 0 of no more than it has: where it ends."""
    left = np.uint64(value)
    if value < 0:
        left = ~left + np.uint64(1)
        written[to] = _MINUS
        to += 1
        least = 1
    count, rest = 1, left // _TEN
    while rest != 0:
        count += 1
        rest //= _TEN
    count = max(count, least)
    for place in range(count - 1, -1, -1):
        rest = left // _TEN
        written[to + place] = _ZERO + np.uint8(left - rest * _TEN)
        left = rest
    return to + count


@loop((torch.int64, torch.int64, torch.uint8, torch.int64, torch.uint8, torch.int64), alone=True)
def write_fields(fields: Any, steps: Any, texts: Any, ends: Any, written: Any, bounds: Any) -> int:
    """Write to `written` strings of what the steps show of `fields` (slots * n,), end to end, and to `bounds` (n + 1,) where each
    ends: how many bytes."""
    rows = bounds.size - 1
    to = 0
    bounds[0] = 0
    for row in range(rows):
        for step in range(0, steps.size, WIDTH):
            code, slot, most, first = steps[step], steps[step + 1], steps[step + 2], steps[step + 5]
            value = fields[slot * rows + row] if slot >= 0 else 0
            if code == NUMBER:
                if (most == 4 and 0 <= value < 10000) or (most == 2 and 0 <= value < 100):
                    left = np.uint64(value)
                    for pair in range(most - 2, -1, -2):
                        rest = left // _HUNDRED
                        both = left - rest * _HUNDRED
                        written[to + pair] = _ZERO + np.uint8(both // _TEN)
                        written[to + pair + 1] = _ZERO + np.uint8(both % _TEN)
                        left = rest
                    to += most
                else:
                    to = _write_number(written, to, value, most)
            elif code == TAIL:
                if value > 0:
                    written[to] = _POINT
                    to = _write_number(written, to + 1, value, most)
                    while written[to - 1] == _ZERO:
                        to -= 1
            else:
                begin, end = ends[first + value], ends[first + value + 1]
                if end - begin == 1:
                    written[to] = texts[begin]
                    to += 1
                    continue
                for place in range(begin, end):
                    written[to + place - begin] = texts[place]
                to += end - begin
        bounds[row + 1] = to
    return to
