"""Lookup structures of a join's build side: from an integer key to positions or ranges of build rows.

A lookup is data; what makes one and what looks keys up in it are operations.

Keys are integers (m,), already packed to one and free of NULLs. What `probe` returns refers to *build rows*: places in
`keys`, or, where `rows` was given, the row ids there. Keys outside the table are misses. Probe keys may have another integer
width than the build keys, and `valid` (n,) bool or None marks the probe rows whose key is not NULL.

Unique keys: `DenseLookup`, `DirectLookup`, `SortedLookup`, `HashedLookup`, whose `probe` gives positions (n,), -1 for a miss.
Others: `CsrLookup`, `CsrSortedLookup`, `CsrHashedLookup`, whose `probe` gives (starts (n,), counts (n,)) into `order`; `order`
None means that a start is itself a build row. `rows.expand` turns these into row pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import hashing, waits
from tqp.kernels.group import run_starts
from tqp.kernels.hashing import HashTable
from tqp.kernels.keysets import bitmap, contains
from tqp.kernels.loops.counting import rows_by_slot
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.rows import ORDER, clip, is_ascending, offsets, or_minus_one, row_dtype, select, stable_order, within

__all__ = [
    "CsrHashedLookup", "CsrLookup", "CsrSortedLookup", "DenseLookup", "DirectLookup", "HashedLookup", "Lookup",
    "RangeLookup", "SortedLookup", "UniqueLookup", "build", "by_key", "csr_direct", "csr_sorted", "dense",
    "direct", "find", "key_set", "positions_by_search", "positions_by_table", "positions_in_order", "ranges_by_search",
    "ranges_by_table", "ranges_of_few", "unique_sorted",
]  # fmt: skip

_OFFSETS: Final = 2**30
"""No table has more entries: 32 bits hold all offsets then (`rows.offsets`)."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseLookup:
    """Keys minimum, minimum + 1, ... in this order: the position is the offset."""

    minimum: int
    rows: int

    is_unique = True

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> Tensor:
        """Positions (n,), -1 for a miss; `in_range` promises that every valid key is in the table's range.

        The result may be `key` itself: do not change it in place.
        """
        return positions_in_order(key, valid, self.minimum, self.rows, in_range)


@dataclass(frozen=True, slots=True, eq=False)
class DirectLookup:
    """A direct-address table of unique keys: `table` (size + 1,), -1 where no key is and in the sentinel at the end."""

    table: Tensor
    minimum: int

    is_unique = True

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> Tensor:
        """As `DenseLookup.probe`; one gather."""
        return positions_by_table(key, valid, self.table, self.minimum, in_range)


@dataclass(frozen=True, slots=True, eq=False)
class SortedLookup:
    """Unique keys in ascending order for binary search; `rows` (m,) are their build rows (None: their places)."""

    keys: Tensor
    rows: Tensor | None

    is_unique = True

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> Tensor:
        """As `DenseLookup.probe`; one binary search a row."""
        return positions_by_search(key, valid, self.keys, self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class HashedLookup:
    """A hash table of unique keys, numbered in the order of the build rows; `rows` (m,) are these (None: their places)."""

    table: HashTable
    rows: Tensor | None

    is_unique = True

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> Tensor:
        """As `DenseLookup.probe`; a look into the table or two."""
        found = hashing.find(key, valid, self.table)
        if self.rows is None:
            return found
        return or_minus_one(self.rows.index_select(0, found.clamp(min=0)), found >= 0)


@dataclass(frozen=True, slots=True, eq=False)
class CsrLookup:
    """Rows of each key of a range: slot s holds entries starts[s] .. starts[s + 1] - 1 of `order` (None: build rows).

    `starts` has size + 2 entries; the slot after the last key, the sentinel, is empty. `present` (size,) bool, or None: which keys
    there are, asked first where they are few.
    """

    starts: Tensor
    order: Tensor | None
    minimum: int
    present: Tensor | None = None

    is_unique = False

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> tuple[Tensor, Tensor]:
        """(starts (n,), counts (n,)); counts is 0 for a miss. Two gathers."""
        if self.present is not None:
            return ranges_of_few(key, valid, self.present, self.starts, self.minimum, in_range)
        return ranges_by_table(key, valid, self.starts, self.minimum, in_range)


@dataclass(frozen=True, slots=True, eq=False)
class CsrSortedLookup:
    """Distinct keys ascending; key i has entries starts[i] .. starts[i + 1] - 1 of `order` (None: build rows)."""

    keys: Tensor
    starts: Tensor
    order: Tensor | None

    is_unique = False

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> tuple[Tensor, Tensor]:
        """As `CsrLookup.probe`; one binary search a row."""
        return ranges_by_search(key, valid, self.keys, self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class CsrHashedLookup:
    """A hash table of distinct keys; number i has entries starts[i] .. starts[i + 1] - 1 of `order`, as in `CsrLookup`."""

    table: HashTable
    starts: Tensor
    order: Tensor | None

    is_unique = False

    def probe(self, key: Tensor, valid: Tensor | None, in_range: bool = False) -> tuple[Tensor, Tensor]:
        """As `CsrLookup.probe`; a look into the table or two, and two gathers."""
        return ranges_by_table(hashing.find(key, valid, self.table), None, self.starts, 0)


UniqueLookup = DenseLookup | DirectLookup | SortedLookup | HashedLookup
RangeLookup = CsrLookup | CsrSortedLookup | CsrHashedLookup
Lookup = UniqueLookup | RangeLookup


def _slots(key: Tensor, valid: Tensor | None, minimum: int, size: int, in_range: bool) -> Tensor:
    """Table slots of probe keys, `size` (the sentinel) for misses."""
    offset = offsets(key, minimum)
    if valid is not None:
        return clip(or_minus_one(offset, valid), size)
    return offset if in_range else clip(offset, size)


@operation()
def positions_in_order(key: Tensor, valid: Tensor | None, minimum: int, rows: int, in_range: bool = False) -> Tensor:
    """`DenseLookup.probe`: positions (n,), int32 or int64, of keys (n,) among minimum .. minimum + rows - 1."""
    position = offsets(key, minimum)
    if not in_range:
        hit = within(position, rows)
        return or_minus_one(position, hit if valid is None else hit & valid)
    return position if valid is None else or_minus_one(position, valid)


@operation()
def positions_by_table(
    key: Tensor, valid: Tensor | None, table: Tensor, minimum: int, in_range: bool = False
) -> Tensor:
    """`DirectLookup.probe`: what `table` has for each key (n,), in its dtype. One gather."""
    return table.index_select(0, _slots(key, valid, minimum, table.shape[0] - 1, in_range))


@operation()
def positions_by_search(key: Tensor, valid: Tensor | None, keys: Tensor, rows: Tensor | None) -> Tensor:
    """`SortedLookup.probe`: the places (n,) of keys among ascending `keys` (m,) int64, or their `rows` (m,) there."""
    if keys.shape[0] == 0:
        return torch.full_like(key, -1, dtype=torch.int32)
    place, hit = find(key, keys)
    position = place if rows is None else rows.index_select(0, place)
    return or_minus_one(position, hit if valid is None else hit & valid)


@operation()
def ranges_by_table(
    key: Tensor, valid: Tensor | None, starts: Tensor, minimum: int, in_range: bool = False
) -> tuple[Tensor, Tensor]:
    """`CsrLookup.probe`: (starts (n,), counts (n,)) of the slots of keys (n,). Two gathers."""
    slots = _slots(key, valid, minimum, starts.shape[0] - 2, in_range)
    begins = starts.index_select(0, slots)
    return begins, starts[1:].index_select(0, slots) - begins


@operation()
def ranges_of_few(
    key: Tensor, valid: Tensor | None, present: Tensor, starts: Tensor, minimum: int, in_range: bool = False
) -> tuple[Tensor, Tensor]:
    """`ranges_by_table` of keys (n,) that are mostly not `present`: a byte tells so, and stays in a cache longer than `starts`."""
    there = select(contains(present, minimum, key, valid, in_range))
    begins, counts = ranges_by_table(key.index_select(0, there), None, starts, minimum, True)
    nothing = torch.zeros(key.shape[0], dtype=starts.dtype, device=key.device)
    return nothing.index_copy(0, there, begins), nothing.index_copy(0, there, counts)


@operation()
def ranges_by_search(key: Tensor, valid: Tensor | None, keys: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """`CsrSortedLookup.probe`: (starts (n,), counts (n,)) of keys (n,) among ascending `keys` (m,) int64."""
    if keys.shape[0] == 0:
        nothing = torch.zeros_like(key, dtype=torch.int32)
        return nothing, nothing
    place, hit = find(key, keys)
    begins = starts.index_select(0, place)
    return begins, (starts[1:].index_select(0, place) - begins) * (hit if valid is None else hit & valid)


@operation()
def find(key: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Of integers (n,): a place (n,) int64 among ascending `keys` (m,) int64, m > 0, and whether it is theirs.

    One binary search a row.
    """
    key = key.long().contiguous()
    place = torch.searchsorted(keys.contiguous(), key).clamp_(max=keys.shape[0] - 1)
    return place, keys.index_select(0, place) == key


def dense(minimum: int, rows: int) -> DenseLookup:
    """The lookup of keys minimum .. minimum + rows - 1 in this order."""
    return DenseLookup(minimum, rows)


def _offsets(keys: Tensor, minimum: int) -> Tensor:
    """int64 slots of build keys."""
    return keys.long() if minimum == 0 else keys.long() - minimum


def direct(keys: Tensor, minimum: int, maximum: int, rows: Tensor | None = None) -> DirectLookup:
    """The direct-address table of unique keys within minimum .. maximum; int32 positions where they fit.

    `rows` (m,) are the build rows to return (None: 0 .. m - 1). With repeated keys some row of each wins.
    """
    return DirectLookup(_table(_offsets(keys, minimum), maximum - minimum + 1, rows), minimum)


def _table(slots: Tensor, size: int, rows: Tensor | None) -> Tensor:
    if rows is None:
        rows = torch.arange(slots.shape[0], dtype=row_dtype(slots.shape[0]), device=slots.device)
    table = torch.full((size + 1,), -1, dtype=rows.dtype, device=slots.device)
    return table.scatter_(0, slots, rows)


@operation()
def unique_sorted(keys: Tensor, rows: Tensor | None = None) -> SortedLookup:
    """The binary-search lookup of unique keys of any range. One sort unless they ascend already."""
    if is_ascending(keys):
        return SortedLookup(keys.long(), rows)
    order = stable_order(keys)
    return SortedLookup(keys.index_select(0, order).long(), _renamed(order, rows))


def _renamed(order: Tensor, rows: Tensor | None) -> Tensor:
    """Build rows of the entries in `order`."""
    return order.to(row_dtype(order.shape[0])) if rows is None else rows.index_select(0, order)


def _csr_by_counting(keys: Tensor, minimum: int, maximum: int, rows: Tensor | None = None) -> CsrLookup:
    if STATE.watchers:
        waits.expected(ORDER)
    starts = torch.zeros(maximum - minimum + 3, dtype=torch.int32, device=keys.device)
    order = torch.empty(keys.shape[0], dtype=torch.int32, device=keys.device)
    is_sorted = rows_by_slot(integers(keys), minimum, starts.numpy(), order.numpy())
    return CsrLookup(starts, rows if is_sorted else _renamed(order, rows), minimum)


def _counts(keys: Tensor, minimum: int, maximum: int, rows: Tensor | None = None) -> bool:
    total = keys.shape[0]
    return total < 2**31 and rows_by_slot.ready(total, width(keys), int, torch.int32, torch.int32)


@operation(Variant(_csr_by_counting, "cpu", "counts and places, two passes; no sort", _counts))
def csr_direct(keys: Tensor, minimum: int, maximum: int, rows: Tensor | None = None) -> CsrLookup:
    """Rows by key through a table of the range minimum .. maximum. One sort unless the keys ascend already."""
    slots, size, total = _offsets(keys, minimum), maximum - minimum + 1, keys.shape[0]
    counts = torch.zeros(size + 2, dtype=row_dtype(total), device=keys.device)
    ones = torch.ones(total, dtype=counts.dtype, device=keys.device)
    # Counted one slot late, the running sum is where each slot starts.
    counts[1:].scatter_add_(0, slots, ones)
    starts = torch.cumsum(counts, 0, dtype=counts.dtype)
    if is_ascending(keys):
        return CsrLookup(starts, rows, minimum)
    return CsrLookup(starts, _renamed(stable_order(slots, 0, size - 1), rows), minimum)


@operation()
def csr_sorted(keys: Tensor, rows: Tensor | None = None) -> CsrSortedLookup:
    """Rows by key through binary search among the distinct keys. One sort unless the keys ascend already."""
    order = None
    if not is_ascending(keys):
        order = stable_order(keys)
        keys, rows = keys.index_select(0, order), _renamed(order, rows)
    starts = run_starts(keys)
    starts[:1] = True
    begins = select(starts)
    distinct = keys.index_select(0, begins).long()
    ends = torch.full((1,), keys.shape[0], dtype=torch.int64, device=keys.device)
    return CsrSortedLookup(distinct, torch.cat((begins, ends)).to(row_dtype(keys.shape[0])), rows)


def _hashed(keys: Tensor, unique: bool | None, rows: Tensor | None) -> Lookup:
    table, ids, firsts = hashing.number(keys)
    total, count = keys.shape[0], firsts.shape[0]
    if unique is not False and count == total:
        return HashedLookup(table, rows)
    counted = csr_direct(ids, 0, count - 1, rows)
    return CsrHashedLookup(table, counted.starts, counted.order)


def _hashes(keys: Tensor, unique: bool | None, rows: Tensor | None) -> bool:
    return hashing.can_number(keys)


@operation(Variant(_hashed, "cpu", "a key is found in one look, not in a binary search", _hashes))
def by_key(keys: Tensor, unique: bool | None, rows: Tensor | None) -> Lookup:
    """The lookup of keys (m,), m > 0, of any range; `unique` and `rows` as `build` has them."""
    if unique:
        return unique_sorted(keys, rows)
    lookup = csr_sorted(keys, rows)
    if unique is None and lookup.keys.shape[0] == keys.shape[0]:
        return SortedLookup(lookup.keys, lookup.order)
    return lookup


@operation()
def build(
    keys: Tensor,
    minimum: int,
    maximum: int,
    unique: bool | None = None,
    rows: Tensor | None = None,
    slots: int = 2**20,
    sparse: int | None = None,
) -> Lookup:
    """The cheapest exact lookup of `keys` (m,), all within minimum .. maximum.

    `unique` promises that no key repeats (or that some does); None finds out, and then decides between unique and range lookups.
    `slots` is the largest table that is worth its memory. With `sparse` slots a key or more, a byte for each says first which
    keys there are (None: never).
    """
    checkpoint()
    total, size = keys.shape[0], maximum - minimum + 1
    if total == 0:
        return SortedLookup(torch.empty(0, dtype=torch.int64, device=keys.device), rows)
    table_fits = size <= min(slots, _OFFSETS)
    if unique is not False and size >= total:
        if rows is None and size == total and is_ascending(keys, strictly=unique is None):
            return DenseLookup(minimum, total)
        if table_fits:
            own = _offsets(keys, minimum)
            places = _table(own, size, None)
            if unique or _each_won(places, own):
                return DirectLookup(places if rows is None else _table(own, size, rows), minimum)
        elif unique:
            return by_key(keys, unique, rows)
    if table_fits:
        lookup = csr_direct(keys, minimum, maximum, rows)
        if sparse is None or size < sparse * total:
            return lookup
        return CsrLookup(lookup.starts, lookup.order, minimum, bitmap(keys, minimum, maximum))
    return by_key(keys, unique, rows)


def _hashed_set(key: Tensor) -> SortedLookup | HashedLookup:
    return HashedLookup(hashing.number(key)[0], None)


@operation(Variant(_hashed_set, "cpu", "nothing is sorted, and a key is found in one look", hashing.can_number))
def key_set(key: Tensor) -> SortedLookup | HashedLookup:
    """Which integers there are among `key` (m,) of any range, in any order and repeated: only hit or miss of its `probe` counts."""
    return SortedLookup(waits.unique(key.long(), "which keys there are"), None)


def _each_won(table: Tensor, slots: Tensor) -> bool:
    """Whether every row is found in its own slot: no two share one."""
    own = torch.arange(slots.shape[0], dtype=table.dtype, device=table.device)
    return waits.are_equal(table.index_select(0, slots), own, "whether keys are unique picks the algorithm")
