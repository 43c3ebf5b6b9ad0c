"""Loops that say how much two strings differ, pair by pair (`tqp.kernels.pairs` says what they get and give).

The strings of pair i are `signs[begins[i]:stops[i]]` and `signs[starts[i]:ends[i]]`. Tables of the kinds of
signs hold zeros.

What stands where in a string of 64 signs or less is kept as bits of one word for each sign, so that a step looks at all places of
that string at once: of Levenshtein's table the differences from cell to cell in a row (H. Hyyrö, 2003), of Jaro's signs those that
are not matched yet. Longer strings are read cell by cell.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import Kind, loop, part

__all__ = ["count_differing", "count_edits", "count_edits_and_exchanges", "share_of_kinds", "share_of_matches"]

_PAIRS: Final[tuple[Kind, ...]] = (torch.uint8, torch.int64, torch.int64, torch.int64, torch.int64)

_WORD: Final = 64
_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_ALL: Final = np.uint64(2**64 - 1)


@part
def _mark(signs: Any, begin: int, size: int, places: Any) -> None:
    """Write to `places` of each sign the bits of where it stands."""
    for at in range(size):
        places[signs[begin + at]] |= _ONE << np.uint64(at)


@part
def _clear(signs: Any, begin: int, size: int, places: Any) -> None:
    for at in range(size):
        places[signs[begin + at]] = _NONE


@loop((*_PAIRS, torch.uint64, torch.int64, torch.int64), alone=True)
def count_edits(
    signs: Any, begins: Any, stops: Any, starts: Any, ends: Any, places: Any, cells: Any, counts: Any
) -> None:
    """Write Levenshtein's distances to `counts` (n,). `cells` has room for a row of the table."""
    for row in range(counts.size):
        begin, size, start, other = begins[row], stops[row] - begins[row], starts[row], ends[row] - starts[row]
        if size > _WORD and other <= _WORD:
            begin, size, start, other = start, other, begin, size
        if size == 0:
            counts[row] = other
        elif size <= _WORD:
            _mark(signs, begin, size, places)
            last = _ONE << np.uint64(size - 1)
            more, less, count = _ALL, _NONE, size
            for at in range(other):
                same = places[signs[start + at]]
                cross = (((same & more) + more) ^ more) | same | less
                up, down = less | ~(cross | more), cross & more
                count += (up & last) != _NONE
                count -= (down & last) != _NONE
                up, down = (up << _ONE) | _ONE, down << _ONE
                more, less = down | ~(cross | up), up & cross
            _clear(signs, begin, size, places)
            counts[row] = count
        else:
            for at in range(other + 1):
                cells[at] = at
            for place in range(size):
                sign, before = signs[begin + place], cells[0]
                cells[0] = place + 1
                for at in range(other):
                    cell = min(before + (signs[start + at] != sign), min(cells[at], cells[at + 1]) + 1)
                    before = cells[at + 1]
                    cells[at + 1] = cell
            counts[row] = cells[other]


@loop((*_PAIRS, torch.int64, torch.int64, torch.int64), alone=True)
def count_edits_and_exchanges(
    signs: Any, begins: Any, stops: Any, starts: Any, ends: Any, rows: Any, cells: Any, counts: Any
) -> None:
    """Write the distances of Damerau and Levenshtein to `counts` (n,). `cells` has room for a table.

    `rows` are those, of a pair's first string, that have each sign last.
    """
    for pair in range(counts.size):
        begin, size, start, other = begins[pair], stops[pair] - begins[pair], starts[pair], ends[pair] - starts[pair]
        width = other + 1
        for at in range(other):
            rows[signs[start + at]] = 0
        for at in range(other + 1):
            cells[at] = at
        for place in range(size):
            sign, column = signs[begin + place], 0
            above, here = place * width, (place + 1) * width
            cells[here] = place + 1
            for at in range(other):
                found = signs[start + at]
                cell = min(cells[above + at] + (found != sign), min(cells[here + at], cells[above + at + 1]) + 1)
                row = rows[found]
                if row > 0 and column > 0:
                    exchanged = cells[(row - 1) * width + column - 1] + (place - row) + 1 + (at - column)
                    cell = min(cell, exchanged)
                if found == sign:
                    column = at + 1
                cells[here + at + 1] = cell
            rows[sign] = place + 1
        counts[pair] = cells[size * width + other]
        for place in range(size):
            rows[signs[begin + place]] = 0


@loop((*_PAIRS, torch.int64), alone=True)
def count_differing(signs: Any, begins: Any, stops: Any, starts: Any, ends: Any, counts: Any) -> None:
    """Write to `counts` (n,) how many of the signs that both strings have differ."""
    for row in range(counts.size):
        begin, start, count = begins[row], starts[row], 0
        for at in range(min(stops[row] - begin, ends[row] - start)):
            count += signs[begin + at] != signs[start + at]
        counts[row] = count


@loop((*_PAIRS, torch.int64, torch.float64), alone=True)
def share_of_kinds(signs: Any, begins: Any, stops: Any, starts: Any, ends: Any, seen: Any, shares: Any) -> None:
    """Write Jaccard's similarities to `shares` (n,). `seen` are the numbers of the strings that have each sign last: two a pair."""
    for row in range(shares.size):
        first, second = 2 * row + 1, 2 * row + 2
        every, common = 0, 0
        for at in range(begins[row], stops[row]):
            every += seen[signs[at]] != first
            seen[signs[at]] = first
        for at in range(starts[row], ends[row]):
            last = seen[signs[at]]
            common += last == first
            every += last != first and last != second
            seen[signs[at]] = second
        shares[row] = common / every


@part
def _matched(signs: Any, begin: int, size: int, start: int, other: int, places: Any) -> tuple[int, int]:
    """How many signs of two strings of a word at most match, and how many of these stand in another order."""
    window = max(max(size, other) // 2 - 1, 0)
    _mark(signs, begin, size, places)
    free, matches, common = _ALL, _NONE, 0
    for at in range(other):
        # The places from at - window to at + window.
        near = (_ALL << np.uint64(max(at - window, 0))) & (_ALL >> np.uint64(max(_WORD - 1 - at - window, 0)))
        fits = places[signs[start + at]] & free & near
        if fits != _NONE:
            free &= ~(fits & (~fits + _ONE))
            matches |= _ONE << np.uint64(at)
            common += 1
    taken, moved, at = ~free, 0, 0
    while taken != _NONE:
        while matches & (_ONE << np.uint64(at)) == _NONE:
            at += 1
        lowest = taken & (~taken + _ONE)
        moved += (places[signs[start + at]] & lowest) == _NONE
        taken ^= lowest
        at += 1
    _clear(signs, begin, size, places)
    return common, moved


@part
def _matched_cells(signs: Any, begin: int, size: int, start: int, other: int, cells: Any) -> tuple[int, int]:
    """The same of any strings; the first of `cells` are 1 where a sign is matched, the others the signs that match, in turn."""
    window = max(max(size, other) // 2 - 1, 0)
    for place in range(size):
        cells[place] = 0
    common = 0
    for at in range(other):
        for place in range(max(at - window, 0), min(at + window + 1, size)):
            if cells[place] == 0 and signs[begin + place] == signs[start + at]:
                cells[place] = 1
                cells[size + common] = signs[start + at]
                common += 1
                break
    moved, count = 0, size
    for place in range(size):
        if cells[place] != 0:
            moved += signs[begin + place] != cells[count]
            count += 1
    return common, moved


@loop((*_PAIRS, torch.uint64, torch.int64, bool, torch.float64), alone=True)
def share_of_matches(
    signs: Any, begins: Any, stops: Any, starts: Any, ends: Any, places: Any, cells: Any, winkler: bool, shares: Any
) -> None:
    """Write Jaro's similarities to `shares` (n,), or those of Jaro and Winkler. `cells` has room for both strings."""
    for row in range(shares.size):
        begin, size, start, other = begins[row], stops[row] - begins[row], starts[row], ends[row] - starts[row]
        if size <= _WORD and other <= _WORD:
            common, moved = _matched(signs, begin, size, start, other, places)
        else:
            common, moved = _matched_cells(signs, begin, size, start, other, cells)
        if common == 0:
            shares[row] = 0.0
            continue
        share = (common / size + common / other + (common - moved // 2) / common) / 3.0
        if winkler and share > 0.7:
            alike = 0
            while alike < min(4, size, other) and signs[begin + alike] == signs[start + alike]:
                alike += 1
            share += alike * 0.1 * (1.0 - share)
        shares[row] = share
