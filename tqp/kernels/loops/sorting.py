"""Loops that sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import WIDTHS, loop, part

__all__ = ["first_by_group", "order_by_lead", "order_by_radix"]

_DIGIT = 10
"""Bits that a pass of a radix sort looks at: its 1024 counters, and the lines it writes to, stay in the nearest caches."""

_MOVES = 8
"""Moves a row by which rows with the same leading bits are put in order; more, and another sort is faster."""


@part
def _by_digits(tagged: Any, other: Any, passes: int, row_bits: int) -> Any:
    """`tagged` (n,) uint64 in the order of so many digits above the `row_bits` of a row's number.

    A pass writes to `other` (n,) what it reads of `tagged`, the next one the other way round: one of the two is the result.
    """
    buckets = 1 << _DIGIT
    mask = np.uint64(buckets - 1)
    numbers = np.uint64(row_bits)
    counts = np.zeros((passes, buckets), np.int64)
    for row in range(tagged.size):
        code = tagged[row] >> numbers
        for digit in range(passes):
            counts[digit, np.int64((code >> np.uint64(digit * _DIGIT)) & mask)] += 1
    for digit in range(passes):
        starts = counts[digit]
        total = 0
        for bucket in range(buckets):
            count = starts[bucket]
            starts[bucket] = total
            total += count
        shift = np.uint64(digit * _DIGIT) + numbers
        for row in range(tagged.size):
            one = tagged[row]
            place = np.int64((one >> shift) & mask)
            other[starts[place]] = one
            starts[place] += 1
        tagged, other = other, tagged
    return tagged


@loop(*((width, int, int, int, torch.int64, torch.uint64, torch.uint64) for width in WIDTHS))
def order_by_radix(key: Any, low: int, key_bits: int, row_bits: int, order: Any, spare: Any, other: Any) -> None:
    """Write to `order` (n,) int64 the rows of `key` (n,), ascending by key - low < 2**key_bits, equal ones in their order.

    n < 2**row_bits, key_bits + row_bits <= 64. `spare` and `other` (n,) uint64 are room to work in. A pass for ten bits of the key.
    Each row is sorted with its number in one integer, by the least digit first (LSD radix sort).
    """
    passes = (key_bits + _DIGIT - 1) // _DIGIT
    for row in range(key.size):
        code = np.uint64(np.int64(key[row]) - low)
        spare[row] = (code << np.uint64(row_bits)) | np.uint64(row)
    spare = _by_digits(spare, other, passes, row_bits)
    rows = np.uint64((1 << row_bits) - 1)
    for row in range(key.size):
        order[row] = np.int64(spare[row] & rows)


@loop((torch.uint64, torch.int64, int, int, torch.int64, torch.uint64, torch.uint64))
def order_by_lead(lead: Any, rest: Any, bits: int, row_bits: int, order: Any, spare: Any, other: Any) -> bool:
    """Write to `order` (n,) int64 the rows by (lead, rest), (n,) each, equal ones in their order.

    False where too many leads begin alike. lead < 2**bits, n < 2**row_bits. `spare` and `other` (n,) are room to work in. A
    radix sort by as many of the leading bits of `lead` as fit beside the row's number in whole digits; then rows that are equal
    in those are inserted one by one, which pays where they are few, or lie in order already.
    """
    passes = min((bits + _DIGIT - 1) // _DIGIT, (64 - row_bits) // _DIGIT)
    dropped = np.uint64(max(bits - passes * _DIGIT, 0))
    numbers = np.uint64(row_bits)
    for row in range(lead.size):
        code = lead[row] >> dropped
        spare[row] = (code << numbers) | np.uint64(row)
    spare = _by_digits(spare, other, passes, row_bits)
    rows = np.uint64((1 << row_bits) - 1)
    left = _MOVES * lead.size
    begin = 0
    for end in range(lead.size):
        tagged = spare[end]
        number: Any = np.int64(tagged & rows)
        if end == 0 or (tagged >> numbers) != (spare[end - 1] >> numbers):
            begin = end
        at = end
        while at > begin:
            before: Any = order[at - 1]
            if lead[before] < lead[number] or (lead[before] == lead[number] and rest[before] <= rest[number]):
                break
            order[at] = before
            at -= 1
            left -= 1
        order[at] = number
        if left < 0:
            return False
    return True


@loop(*((width, torch.int64, int, torch.int64, torch.int64) for width in WIDTHS))
def first_by_group(key: Any, ids: Any, most: int, best: Any, found: Any) -> int:
    """Write to `found` (n,) the rows whose `key` (n,) is no greater than the `most`-th least of their group `ids` (n,): how many.

    `best` (groups * most,) int64, all of the greatest number before, has each group's least keys then, ascending.
    """
    for row in range(key.size):
        value = np.int64(key[row])
        begin = ids[row] * most
        at = begin + most - 1
        if value < best[at]:
            while at > begin and best[at - 1] > value:
                best[at] = best[at - 1]
                at -= 1
            best[at] = value
    count = 0
    for row in range(key.size):
        if key[row] <= best[ids[row] * most + most - 1]:
            found[count] = row
            count += 1
    return count
