"""Loops that fold rows into the states of their groups, where no scatter of tensors does."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop

__all__ = [
    "LANES", "add_by_group", "add_carefully", "count_by_group", "extreme_by_group", "fold_bits", "put_in_registers",
    "sum_registers",
]  # fmt: skip

LANES: Final = 4
"""So many rows side by side, often of one group, go to different places: what is written can be read some cycles later."""

_AND: Final = 0
_OR: Final = 1
_GREATEST: Final = 2**63 - 1
_FIRST_FACTOR: Final = np.uint64(0xFF51AFD7ED558CCD)
_SECOND_FACTOR: Final = np.uint64(0xC4CEB9FE1A85EC53)
_HALF: Final = np.uint64(33)
_ONE: Final = np.uint64(1)
_TOP: Final = np.uint64(2**63)


@loop(*((width, torch.bool, torch.int64, int, torch.int64, torch.bool) for width in WIDTHS))
def fold_bits(values: Any, valid: Any, ids: Any, which: int, into: Any, some: Any) -> None:
    """Combine the bits of `values` (n,) with those of their groups `into` (g,): 0 by AND, 1 by OR, 2 by exclusive OR.

    Of rows in which `valid` (n,) holds, of all if it is (0,); `some` (g,) is set where there is one.
    """
    every = valid.size == 0
    if which == _AND:
        for row in range(ids.size):
            if every or valid[row]:
                into[ids[row]] &= np.int64(values[row])
                some[ids[row]] = True
    elif which == _OR:
        for row in range(ids.size):
            if every or valid[row]:
                into[ids[row]] |= np.int64(values[row])
                some[ids[row]] = True
    else:
        for row in range(ids.size):
            if every or valid[row]:
                into[ids[row]] ^= np.int64(values[row])
                some[ids[row]] = True


@loop(*((width, int, torch.int64) for width in WIDTHS))
def count_by_group(ids: Any, lane: int, counts: Any) -> None:
    """Add to `counts` the rows of each group `ids` (n,): those of group i to the places i, lane + i, 2 lane + i, … in turn.

    `lane` is at least the number of groups, `counts` (LANES * lane,); or it is 0, where one place is for all.
    """
    one, two, three = counts[lane:], counts[2 * lane :], counts[3 * lane :]
    whole = ids.size - ids.size % LANES
    for row in range(0, whole, LANES):
        counts[ids[row]] += 1
        one[ids[row + 1]] += 1
        two[ids[row + 2]] += 1
        three[ids[row + 3]] += 1
    for row in range(whole, ids.size):
        counts[ids[row]] += 1


@loop(*((torch.int64, width, int, torch.int64) for width in (torch.int8, torch.int16, *WIDTHS)))
def add_by_group(ids: Any, values: Any, lane: int, sums: Any) -> None:
    """Add the integers `values` (n,) to the `sums` of their groups, modulo 2**64; places are those of `count_by_group`."""
    one, two, three = sums[lane:], sums[2 * lane :], sums[3 * lane :]
    whole = ids.size - ids.size % LANES
    for row in range(0, whole, LANES):
        sums[ids[row]] += values[row]
        one[ids[row + 1]] += values[row + 1]
        two[ids[row + 2]] += values[row + 2]
        three[ids[row + 3]] += values[row + 3]
    for row in range(whole, ids.size):
        sums[ids[row]] += values[row]


@loop((torch.float64, torch.float64, torch.int64, torch.float64, torch.float64))
def add_carefully(totals: Any, losses: Any, ids: Any, total: Any, lost: Any) -> None:
    """Add sums (n,) and what they lack to those of their groups (g,), with the error of each addition (Knuth, TAOCP 4.2.2).

    Sums that lack nothing have (0,) `losses`.
    """
    exact = losses.size == 0
    for row in range(ids.size):
        group = ids[row]
        own, value = total[group], totals[row]
        both = own + value
        back = both - own
        error = (own - (both - back)) + (value - back)
        lost[group] += error if exact else losses[row] + error
        total[group] = both


@loop(*((width, torch.int64, bool, torch.int64, torch.int64) for width in WIDTHS))
def extreme_by_group(key: Any, ids: Any, largest: bool, best: Any, found: Any) -> None:
    """Write to `found` (g,), n before, the first row with the least `key` (n,) of each group, or the last with the greatest.

    `best` (g,) has the greatest number before, or the least, and is room to work in.
    """
    rows = ids.size
    if largest:
        for row in range(rows):
            group, own = ids[row], np.int64(key[row])
            if own >= best[group]:
                best[group] = own
                found[group] = row
    else:
        for row in range(rows):
            group, own = ids[row], np.int64(key[row])
            if own < best[group] or (own == _GREATEST and found[group] == rows):
                best[group] = own
                found[group] = row


@loop((torch.int64, torch.int64, int, int, torch.uint8))
def put_in_registers(keys: Any, ids: Any, bits: int, greatest: int, registers: Any) -> None:
    """Let `keys` (n,) take part in the 2**bits registers of their groups, ranks up to `greatest`; all registers in one row."""
    shift = np.uint64(bits)
    rest = np.uint64(64 - bits)
    for row in range(ids.size):
        found = np.uint64(keys[row])
        found = (found ^ (found >> _HALF)) * _FIRST_FACTOR
        found = (found ^ (found >> _HALF)) * _SECOND_FACTOR
        found ^= found >> _HALF
        place = (ids[row] << bits) + np.int64(found >> rest)
        left = found << shift
        rank = 1
        while rank < greatest and left < _TOP:
            left <<= _ONE
            rank += 1
        if registers[place] < rank:
            registers[place] = rank


@loop((torch.uint8, int, int, torch.int64, torch.int64))
def sum_registers(registers: Any, size: int, greatest: int, total: Any, empty: Any) -> None:
    """Write to `total` (g,) the sum of 2**(greatest - rank) of each group's registers that are not 0, to `empty` how many are."""
    for group in range(total.size):
        every: Any = 0
        none = 0
        for place in range(group * size, group * size + size):
            rank = np.int64(registers[place])
            none += rank == 0
            every += (1 << (greatest - rank)) * (rank > 0)
        total[group] = every
        empty[group] = none
