"""Loops over records: rows as a few 64-bit words each, in which fields lie bit by bit (`tqp.kernels.records`).

Records (n, width) int64 are handed over flat. The first words hold the key, as far as `masks` says; their hash is
`tqp.kernels.hashing.mixed`. Its upper bits pick a record's share, those below its place in the hash table of the share. Places are
numbers without a sign, as those with one may count from the end, which takes a look.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.hashing import MIX
from tqp.kernels.loops.loop import loop, part

__all__ = ["divide_records", "number_records", "put_field", "sum_field", "sum_reals"]

_MIX: Final = MIX - 2**64
_WORDS: Final = torch.int64


@part
def _hash(records: Any, start: int, masks: Any) -> Any:
    """The hash of the key of the record that starts there."""
    found = (records[start] & masks[0]) * _MIX
    for word in range(1, masks.size):
        found = ((found ^ (found >> 32)) + (records[start + word] & masks[word])) * _MIX
    return (found ^ (found >> 32)) * _MIX


@loop(
    *(
        (width, torch.bool, int, int, _WORDS, int, int)
        for width in (torch.bool, torch.int8, torch.int16, torch.int32, _WORDS)
    )
)
def put_field(values: Any, valid: Any, low: int, shift: int, records: Any, word: int, width: int) -> None:
    """Put values (n,) less `low`, `shift` bits up, into a word of records; where not `valid` (n,), 0. No `valid`: all are."""
    if valid.size:
        for row in range(values.size):
            if valid[row]:
                records[row * width + word] |= (np.int64(values[row]) - low) << shift
    else:
        for row in range(values.size):
            records[row * width + word] |= (np.int64(values[row]) - low) << shift


@loop((_WORDS, int, _WORDS, int, _WORDS, _WORDS))
def divide_records(records: Any, width: int, masks: Any, bits: int, divided: Any, sizes: Any) -> None:
    """Write records to `divided`, share by share, in the order in which they come; adds to `sizes` (2**bits,), 0 before."""
    shift = np.uint64(64 - bits)
    for start in range(0, records.size, width):
        sizes[np.uint64(_hash(records, start, masks)) >> shift] += 1
    places = np.empty(sizes.size, np.uint64)
    total = 0
    for share in range(sizes.size):
        places[share] = total
        total += sizes[share] * width
    if width == 1:
        for row in range(records.size):
            own = np.uint64(_hash(records, row, masks)) >> shift
            place = places[own]
            places[own] = place + np.uint64(1)
            divided[place] = records[row]
        return
    for start in range(0, records.size, width):
        own = np.uint64(_hash(records, start, masks)) >> shift
        place = places[own]
        places[own] = place + np.uint64(width)
        for word in range(width):
            divided[place + np.uint64(word)] = records[start + word]


@loop((_WORDS, int, _WORDS, int, torch.int32, _WORDS))
def number_records(records: Any, width: int, masks: Any, bits: int, ids: Any, keys: Any) -> int:
    """Number the distinct keys of the records of one of 2**bits shares as they come: how many there are.

    Writes each record's number to `ids` (n,), and each number's key to `keys`, as many words as there are `masks`.
    """
    count = ids.size
    own = 1
    while (1 << own) < count + count // 2:
        own += 1
    slots = np.full(1 << own, -1, np.int32)
    drop = np.uint64(bits)
    shift = np.uint64(64 - own)
    most = np.uint64((1 << own) - 1)
    one = np.uint64(1)
    words = masks.size
    groups = 0
    if words == 1:
        mask = masks[0]
        for row in range(count):
            key = records[row * width] & mask
            place = (np.uint64(_hash(records, row * width, masks)) << drop) >> shift
            group = slots[place]
            while group >= 0 and keys[np.uint64(group)] != key:
                place = (place + one) & most
                group = slots[place]
            if group < 0:
                group = np.int32(groups)
                slots[place] = group
                keys[groups] = key
                groups += 1
            ids[row] = group
        return groups
    for row in range(count):
        start = row * width
        place = (np.uint64(_hash(records, start, masks)) << drop) >> shift
        group = slots[place]
        while group >= 0:
            differs = 0
            for word in range(words):
                differs |= keys[group * words + word] ^ (records[start + word] & masks[word])
            if differs == 0:
                break
            place = (place + one) & most
            group = slots[place]
        if group < 0:
            group = np.int32(groups)
            slots[place] = group
            for word in range(words):
                keys[groups * words + word] = records[start + word] & masks[word]
            groups += 1
        ids[row] = group
    return groups


@loop((_WORDS, int, torch.int32, int, int, int, int, int, int, _WORDS))
def sum_field(
    records: Any,
    width: int,
    ids: Any,
    word: int,
    shift: int,
    mask: int,
    low: int,
    flag: int,
    flag_shift: int,
    sums: Any,
) -> None:
    """Add a field of each record, where its bit in the word `flag` is set (-1: everywhere), to `sums` (g,) by `ids`."""
    if flag < 0:
        for row in range(ids.size):
            sums[np.uint64(ids[row])] += ((records[row * width + word] >> shift) & mask) + low
    else:
        for row in range(ids.size):
            # No branch: which rows have no value is not foreseen.
            found = (records[row * width + flag] >> flag_shift) & 1
            sums[np.uint64(ids[row])] += (((records[row * width + word] >> shift) & mask) + low) * found


@loop((torch.float64, int, torch.int32, int, _WORDS, int, int, torch.float64))
def sum_reals(reals: Any, width: int, ids: Any, word: int, records: Any, flag: int, flag_shift: int, sums: Any) -> None:
    """`sum_field` of a word that is a float: `reals` are the same memory as `records`."""
    for row in range(ids.size):
        if flag < 0 or (records[row * width + flag] >> flag_shift) & 1:
            sums[np.uint64(ids[row])] += reals[row * width + word]
