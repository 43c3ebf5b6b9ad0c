"""The loop that reads texts of JSON, byte by byte, and finds what lies at a path (`tqp.kernels.json` says what it gives)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.json_scalars import (
    ARRAY,
    MINUS,
    MISSING,
    NINE,
    OBJECT,
    ODD,
    QUOTE,
    STRING,
    WORD,
    ZERO,
    number_end,
    string_end,
    word_end,
)  # fmt: skip
from tqp.kernels.loops.loop import loop, part
from tqp.kernels.loops.matching import fetch
from tqp.kernels.loops.slices import load_word

__all__ = ["ROOM", "SPACED", "compact_json", "find_in_json"]

SPACED: Final = 16
"""More by that, where blanks stand in it that are no part of a string."""

_DEEPEST: Final = 256
_LEVELS: Final = _DEEPEST + 1

_MOST: Final = 64
"""A shape has so many scalars at most, and of the bytes between them so many words."""
ROOM: Final = (_LEVELS + _MOST, 3 * _MOST + 3, 2 * _MOST)
_TRIES: Final = 64
"""Once so many more texts were of another shape than of the one before, the others are read without."""
_AHEAD: Final = 8
"""So many texts later one is read when its bytes are asked for."""
_LINE: Final = 64

_VALUE: Final = 0
_ELEMENT_OR_END: Final = 1
_KEY_OR_END: Final = 2
_KEY: Final = 3
_BEHIND: Final = 4

_COMMA: Final = ord(",")
_COLON: Final = ord(":")
_OPEN: Final = ord("[")
_CLOSE: Final = ord("]")
_BEGIN: Final = ord("{")
_END: Final = ord("}")

_ALL: Final = np.uint64(2**64 - 1)

_IS_BLANK: Final = np.isin(np.arange(256), list(b" \t\n\r"))


@part
def _is_name(data: Any, at: int, end: int, names: Any, first: int, last: int) -> bool:
    if end - at != last - first:
        return False
    for place in range(end - at):
        if data[at + place] != names[first + place]:
            return False
    return True


@part
def _found(
    data: Any, begin: int, stop: int, names: Any, ends: Any, places: Any, is_object: Any, slots: Any, border: int
) -> tuple[int, int, int, int]:
    """What lies at the path in one text, where it begins and where it ends; and how many scalars it has.

    Where each of these begins and ends is written to `slots`, which has room for `_MOST`.
    """
    steps, count = places.size, 0
    at, depth, state = begin, 0, _VALUE
    # Of the path: how many steps were taken, whether no more can be, and what element comes next where an element is looked for.
    taken, is_done, element, is_named = 0, False, 0, False
    what, first, last, inside, is_plain, is_spaced = MISSING, begin, begin, -1, True, False
    while True:
        while at < stop and _IS_BLANK[data[at]]:
            at += 1
            is_spaced = is_spaced or inside >= 0
        if at >= stop:
            break
        byte = data[at]
        if state == _KEY or (state == _KEY_OR_END and byte != _END):
            end, is_simple = string_end(data, at + 1, stop, border) if byte == QUOTE else (-1, False)
            if end < 0:
                return ODD, 0, 0, 0
            is_plain = is_plain and (inside < 0 or is_simple)
            is_named = False
            if not is_done and depth == taken + 1:
                if not is_simple:
                    return ODD, 0, 0, 0
                is_named = _is_name(data, at + 1, end, names, ends[taken], ends[taken + 1])
            at = end + 1
            while at < stop and _IS_BLANK[data[at]]:
                at += 1
                is_spaced = is_spaced or inside >= 0
            if at >= stop or data[at] != _COLON:
                return ODD, 0, 0, 0
            at += 1
            state = _VALUE
        elif state == _BEHIND or byte in (_CLOSE, _END):
            if depth == 0:
                return ODD, 0, 0, 0
            if byte == _COMMA and state == _BEHIND:
                state = _KEY if is_object[depth] else _VALUE
                at += 1
                continue
            is_ended = state == _BEHIND or state == (_KEY_OR_END if is_object[depth] else _ELEMENT_OR_END)
            if not is_ended or byte != (_END if is_object[depth] else _CLOSE):
                return ODD, 0, 0, 0
            if depth == taken + 1:
                is_done = True
            depth -= 1
            at += 1
            state = _BEHIND
            if inside == depth:
                last, inside = at, -1
        else:
            is_there = depth == 0
            if not is_done and depth == taken + 1 and depth > 0:
                if is_object[depth]:
                    is_there = is_named
                else:
                    is_there = element == places[taken]
                    element += 1
                if is_there:
                    taken += 1
            is_it = is_there and not is_done and taken == steps
            if is_it:
                first, is_done = at, True
            if byte in (_BEGIN, _OPEN):
                if depth + 1 >= _DEEPEST:
                    return ODD, 0, 0, 0
                if is_it:
                    what, inside = OBJECT if byte == _BEGIN else ARRAY, depth
                elif is_there and not is_done:
                    # A name is that of a member, a place that of an element.
                    is_done = (places[taken] < 0) != (byte == _BEGIN)
                    element = 0
                depth += 1
                is_object[depth] = byte == _BEGIN
                state = _KEY_OR_END if byte == _BEGIN else _ELEMENT_OR_END
                at += 1
                continue
            if byte == QUOTE:
                end, is_written = string_end(data, at + 1, stop, border)
                kind, end = STRING, end + 1 if end >= 0 else -1
            elif byte == MINUS or ZERO <= byte <= NINE:
                end, kind, is_written = number_end(data, at, stop)
            else:
                end, kind = word_end(data, at, stop)
                is_written = True
            if end < 0:
                return ODD, 0, 0, 0
            if is_it:
                what, last = kind, end
            elif is_there:
                is_done = True
            if is_it or inside >= 0:
                is_plain = is_plain and is_written
            if count < _MOST:
                slots[2 * count], slots[2 * count + 1] = at, end
            count += 1
            at = end
            state = _BEHIND
    if depth > 0 or state != _BEHIND or not is_plain:
        return ODD, 0, 0, 0
    return what + SPACED if is_spaced else what, first, last, count


@part
def _shape(data: Any, begin: int, stop: int, slots: Any, count: int, sizes: Any, words: Any, masks: Any) -> bool:
    """Write what stands around the scalars of a text: to `sizes` how many bytes before each and behind the last, to `words` these,
    eight at a time, and to `masks` which of the eight; whether they are not too many."""
    at, word = begin, 0
    for slot in range(count + 1):
        size = (slots[2 * slot] if slot < count else stop) - at
        sizes[slot] = size
        while size > 0:
            if word == _MOST:
                return False
            masks[word] = _ALL if size >= WORD else (np.uint64(1) << np.uint64(8 * size)) - np.uint64(1)
            words[word] = load_word(data, at) & masks[word]
            word += 1
            at += WORD
            size -= WORD
        at = slots[2 * slot + 1]
    return True


@part
def _has_shape(
    data: Any, begin: int, stop: int, slots: Any, kinds: Any, count: int, sizes: Any, words: Any, masks: Any
) -> bool:
    """Whether around the scalars of a text, `count`, stands the same: then it is JSON as well, and paths lead to the same places.

    Where the scalars are is written to `slots`, and to `kinds` what they are, `ODD` of what is not written as DuckDB does.
    """
    at, word = begin, 0
    border = data.size - WORD
    for slot in range(count + 1):
        size = sizes[slot]
        if at + size > stop:
            return False
        place = at
        at += size
        while place < at:
            if (load_word(data, place) ^ words[word]) & masks[word] != 0:
                return False
            place += WORD
            word += 1
        if slot == count or at >= stop:
            return slot == count and at == stop
        byte = data[at]
        slots[2 * slot] = at
        if byte == QUOTE:
            end, is_written = string_end(data, at + 1, stop, border)
            kind, end = STRING, end + 1 if end >= 0 else -1
        elif byte == MINUS or ZERO <= byte <= NINE:
            end, kind, is_written = number_end(data, at, stop)
        else:
            end, kind = word_end(data, at, stop)
            is_written = True
        if end < 0:
            return False
        kinds[slot] = kind if is_written else ODD
        at = slots[2 * slot + 1] = end
    return False


_FIND = (
    torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64,
    torch.uint8, torch.int64, torch.uint64,
)  # fmt: skip


@loop(_FIND, alone=True)
def find_in_json(
    data: Any, begins: Any, stops: Any, names: Any, ends: Any, places: Any, kinds: Any, firsts: Any, lasts: Any,
    flags: Any, bounds: Any, shape: Any,
) -> None:  # fmt: skip
    """Write to `kinds` (n,) what lies at a path in the texts `data[begins[i]:stops[i]]`, to `firsts` and `lasts` where.

    Step s of the path is the element `places[s]`, or below 0 the member whose name is `names[ends[s]:ends[s + 1]]`. `flags`,
    `bounds` and `shape` are `ROOM` for what is noted on the way.
    """
    # A text mostly has the shape of one before: the same bytes around its scalars, which are compared eight at a time.
    is_object, whats = flags[:_LEVELS], flags[_LEVELS:]
    slots, sizes = bounds[: 2 * _MOST + 2], bounds[2 * _MOST + 2 :]
    words, masks = shape[:_MOST], shape[_MOST:]
    border = data.size - WORD
    has_shape, count, alike, others = False, 0, 0, 0
    # Of what is found: what it is, among the scalars from which to which, and how far behind the one before each end is.
    what, one, other, head, tail = ODD, 0, 0, 0, 0
    for row in range(begins.size):
        begin, stop = begins[row], stops[row]
        if row + _AHEAD < begins.size:
            fetch(data, begins[row + _AHEAD])
            fetch(data, begins[row + _AHEAD] + _LINE)
        is_tried = stop <= border and others <= alike + _TRIES
        if is_tried and has_shape and _has_shape(data, begin, stop, slots, whats, count, sizes, words, masks):
            alike += 1
            kinds[row], firsts[row], lasts[row] = what, begin, begin
            if MISSING < what < ARRAY:
                kinds[row], firsts[row], lasts[row] = whats[one], slots[2 * one], slots[2 * one + 1]
            elif what != MISSING:
                firsts[row] = (slots[2 * one - 1] if one else begin) + head
                lasts[row] = (slots[2 * other - 1] if other else begin) + tail
                for slot in range(one, other):
                    if whats[slot] == ODD:
                        kinds[row], lasts[row] = ODD, firsts[row]
            continue
        kind, first, last, scalars = _found(data, begin, stop, names, ends, places, is_object, slots, border)
        kinds[row], firsts[row], lasts[row] = kind, first, last
        if is_tried:
            others += 1
            if kind != ODD and scalars <= _MOST:
                what, count, one, other = kind, scalars, 0, 0
                for slot in range(count):
                    one += slots[2 * slot] < first
                    other += slots[2 * slot] < last
                head = first - (slots[2 * one - 1] if one else begin)
                tail = last - (slots[2 * other - 1] if other else begin)
                has_shape = _shape(data, begin, stop, slots, count, sizes, words, masks)


@loop((torch.uint8, torch.int64, torch.int64, torch.uint8))
def compact_json(data: Any, begins: Any, stops: Any, copies: Any) -> int:
    """Write to `copies` the JSON `data[begins[i]:stops[i]]` without its blanks, and to `begins` and `stops` where: how many bytes.

    No byte in it is escaped.
    """
    to = 0
    for row in range(begins.size):
        at, stop = begins[row], stops[row]
        begins[row] = to
        is_text = False
        while at < stop:
            byte = data[at]
            if byte == QUOTE:
                is_text = not is_text
            if is_text or not _IS_BLANK[byte]:
                copies[to] = byte
                to += 1
            at += 1
        stops[row] = to
    return to
