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
def _hash(key: Any) -> Any:
    """The hash of a key of one word. Parts get numbers alone: an array is counted in and out."""
    return _mixed(key * _MIX)


@part
def _joined(found: Any, key: Any) -> Any:
    """What is found of the words of a key so far, and of one more."""
    return ((found ^ (found >> 32)) + key) * _MIX


@part
def _mixed(found: Any) -> Any:
    """The hash of what was found of all words."""
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
    step, one = np.uint64(width), np.uint64(1)
    count = records.size // width
    # One loop for each form of records: what is the same for all is known to be so.
    first, second = masks[0], masks[min(1, masks.size - 1)]
    owners = np.empty(0 if masks.size == 1 else count, np.uint16)
    if masks.size == 1:
        for row in range(count):
            sizes[np.uint64(_hash(records[np.uint64(row) * step] & first)) >> shift] += 1
    else:
        for row in range(count):
            start = np.uint64(row) * step
            found = _joined((records[start] & first) * _MIX, records[start + one] & second)
            if masks.size > 2:
                for word in range(2, masks.size):
                    found = _joined(found, records[start + np.uint64(word)] & masks[word])
            own = np.uint64(_mixed(found)) >> shift
            owners[row] = own
            sizes[own] += 1
    places = np.empty(sizes.size, np.uint64)
    total = 0
    for share in range(sizes.size):
        places[share] = total
        total += sizes[share] * width
    if width == 1:
        for row in range(count):
            own = np.uint64(_hash(records[row] & first)) >> shift
            place = places[own]
            places[own] = place + step
            divided[place] = records[row]
        return
    for row in range(count):
        start = np.uint64(row) * step
        if masks.size == 1:
            own = np.uint64(_hash(records[start] & first)) >> shift
        else:
            own = np.uint64(owners[row])
        place = places[own]
        places[own] = place + step
        divided[place] = records[start]
        divided[place + one] = records[start + one]
        if width > 2:
            for word in range(2, width):
                divided[place + np.uint64(word)] = records[start + np.uint64(word)]


@loop((_WORDS, int, _WORDS, int, torch.int32, _WORDS))
def number_records(records: Any, width: int, masks: Any, bits: int, ids: Any, keys: Any) -> int:
    """Number the distinct keys of the records of one of 2**bits shares as they come: how many there are.

    Writes each record's number to `ids` (n,), and each number's key to `keys`, as many words as there are `masks`.
    """
    count = ids.size
    size = 1
    while (1 << size) < count + count // 2:
        size += 1
    slots = np.full(1 << size, -1, np.int32)
    drop = np.uint64(bits)
    shift = np.uint64(64 - size)
    most = np.uint64((1 << size) - 1)
    one = np.uint64(1)
    step = np.uint64(width)
    words = masks.size
    first, second = masks[0], masks[min(1, words - 1)]
    groups = 0
    if words == 1:
        for row in range(count):
            key = records[np.uint64(row) * step] & first
            place = (np.uint64(_hash(key)) << drop) >> shift
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
        start = np.uint64(row) * step
        found = _joined((records[start] & first) * _MIX, records[start + one] & second)
        if words > 2:
            for word in range(2, words):
                found = _joined(found, records[start + np.uint64(word)] & masks[word])
        place = (np.uint64(_mixed(found)) << drop) >> shift
        group = slots[place]
        while group >= 0:
            own = np.uint64(group) * np.uint64(words)
            differs = keys[own] ^ (records[start] & first)
            differs |= keys[own + one] ^ (records[start + one] & second)
            if words > 2:
                for word in range(2, words):
                    differs |= keys[own + np.uint64(word)] ^ (records[start + np.uint64(word)] & masks[word])
            if differs == 0:
                break
            place = (place + one) & most
            group = slots[place]
        if group < 0:
            group = np.int32(groups)
            slots[place] = group
            own = np.uint64(groups) * np.uint64(words)
            keys[own] = records[start] & first
            keys[own + one] = records[start + one] & second
            if words > 2:
                for word in range(2, words):
                    keys[own + np.uint64(word)] = records[start + np.uint64(word)] & masks[word]
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
