"""Grouping keys and group ids.

Group ids are (n,) int64, dense 0 .. groups - 1; the representative of a group is its first row. Which number a group has is
open, unless `ordered` asks for numbers that ascend with the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import hashing, waits
from tqp.kernels.loops.floats import order_doubles
from tqp.kernels.loops.hashing import number_by_range
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.reduce import count
from tqp.kernels.rows import ROWS, profile, select, stable_order

__all__ = [
    "cuts",
    "distinct_within",
    "float_from_key",
    "float_key",
    "group_ids",
    "group_ids_multi",
    "ids_by_key",
    "ids_by_keys",
    "ids_by_table",
    "mark_",
    "row_ids",
    "run_starts",
    "share_rows",
]

Groups = tuple[Tensor, Tensor, int]

_BLOCK = 2**18
_DISTINCT = "how many values differ"
_CUTS = "how many rows the groups have says which are worked on together"
_COLLISION = "whether unlike keys have one hash"
_IMAGES = {torch.float32: (torch.int32, 2**31 - 1), torch.float64: (torch.int64, 2**63 - 1)}


def _bits_in_order(x: Tensor) -> Tensor:
    image, magnitude = _IMAGES[x.dtype]
    # + 0.0 turns -0.0 into 0.0. A negative float's bits order backwards: flip all but the sign.
    bits = (x + 0.0).view(image)
    flips = (bits >> magnitude.bit_length()).bitwise_and_(magnitude)
    return flips.bitwise_xor_(bits).long()


def _are_numbers(x: Tensor) -> bool:
    return not np.isnan(x.numpy()).any()


def _key_by_loop(x: Tensor) -> Tensor:
    keys = torch.empty(x.shape, dtype=torch.int64, device=x.device)
    order_doubles(x.contiguous().view(torch.int64).numpy().reshape(-1), keys.numpy().reshape(-1))
    return keys


def _orders(x: Tensor) -> bool:
    return x.dtype is torch.float64 and order_doubles.ready(x.numel(), torch.int64, torch.int64)


@operation(
    Variant(_key_by_loop, "cpu", "one pass instead of five", _orders),
    Variant(_bits_in_order, "cpu", "values without NaN, as most are, need no second look", _are_numbers),
)
def float_key(x: Tensor) -> Tensor:
    """Order-preserving int64 image, of the same shape, of float32 or float64: -0.0 is 0.0, all NaN are one and the greatest."""
    return torch.where(x.isnan(), _IMAGES[x.dtype][1], _bits_in_order(x))


def float_from_key(key: Tensor, dtype: torch.dtype) -> Tensor:
    """The floats of `float_key`'s image; NaN comes back as a NaN."""
    image, magnitude = _IMAGES[dtype]
    bits = key.to(image)
    return (bits ^ ((bits >> magnitude.bit_length()) & magnitude)).view(dtype)


def _run_starts_by_numpy(key: Tensor) -> Tensor:
    starts = torch.zeros(key.shape[0], dtype=torch.bool, device=key.device)
    values = key.numpy()
    np.not_equal(values[1:], values[:-1], out=starts.numpy()[1:])
    return starts


@operation(Variant(_run_starts_by_numpy, "cpu", "NumPy's loops are vectorised for narrow outputs"))
def run_starts(key: Tensor) -> Tensor:
    """bool (n,): the first row of each run of equal keys, but False at row 0, so that its cumsum numbers the runs."""
    starts = torch.zeros(key.shape[0], dtype=torch.bool, device=key.device)
    torch.ne(key[1:], key[:-1], out=starts[1:])
    return starts


def _number_runs(starts: Tensor) -> tuple[Tensor, Tensor]:
    """Run number of each row and the first row of each run, of a non-empty key."""
    ids = torch.cumsum(starts, 0)
    starts[:1] = True  # a slice is filled, one place would be copied from the host
    return ids, select(starts)


@operation()
def group_ids(key: Tensor, ordered: bool = False) -> Groups:
    """Group ids (n,), representatives (g,) int64 and g, of an integer key (n,) of any width; exact.

    Sorted keys are numbered run by run, keys of a range of few times n through a table, others are hashed or sorted.
    Cost: about 5 passes or one sort; syncs on a GPU.
    """
    checkpoint()
    rows = key.shape[0]
    if rows == 0:
        empty = torch.empty(0, dtype=torch.int64, device=key.device)
        return empty, empty.clone(), 0
    [(low, high)], deciding = profile(key)
    if not deciding:
        ids, representatives = _number_runs(run_starts(key))
        return ids, representatives, representatives.shape[0]
    size = high - low + 1
    if size <= max(4 * rows, 2**14):
        return _in_order_of_table(key, low, size) if ordered else ids_by_table(key, low, size)
    return _in_order_of_sort(key, low, high) if ordered else ids_by_key(key, low, high)


def _by_loop_and_table(key: Tensor, low: int, size: int) -> Groups:
    if STATE.watchers:
        waits.expected(ROWS)
    ids = torch.empty(key.shape[0], dtype=torch.int64, device=key.device)
    firsts = np.empty(min(key.shape[0], size), np.int64)
    groups = number_by_range(integers(key), low, np.full(size, -1, np.int32), ids.numpy(), firsts)
    return ids, torch.from_numpy(firsts[:groups].copy()), groups


def _is_compiled(key: Tensor, low: int, size: int) -> bool:
    return number_by_range.ready(key.shape[0], width(key), int, torch.int32, torch.int64, torch.int64)


@operation(Variant(_by_loop_and_table, "cpu", "one pass, which numbers groups as they come", _is_compiled))
def ids_by_table(key: Tensor, low: int, size: int) -> Groups:
    """`group_ids` of a non-empty key within low .. low + size - 1, through a table of that range."""
    return _in_order_of_table(key, low, size)


def _in_order_of_table(key: Tensor, low: int, size: int) -> Groups:
    """Through a table of the key's range that holds each key's first row."""
    rows = key.shape[0]
    # 64-bit keys far apart cannot be here, but key - low of a narrow dtype may leave its width.
    offset = key.long() if low == 0 else key.long() - low
    first = torch.full((size,), rows, dtype=torch.int64, device=key.device)
    first.scatter_reduce_(0, offset, torch.arange(rows, device=key.device), "amin")
    present = first < rows
    slots = select(present)
    groups = slots.shape[0]
    if groups == size:
        return offset, first, groups
    ids = (torch.cumsum(present, 0) - 1).index_select(0, offset)
    return ids, first.index_select(0, slots), groups


def _by_hash(key: Tensor, low: int, high: int) -> Groups:
    if STATE.watchers:
        waits.expected(ROWS)
    _, ids, firsts = hashing.number(key)
    return ids, firsts, firsts.shape[0]


def _hashes(key: Tensor, low: int, high: int) -> bool:
    return hashing.can_number(key)


@operation(Variant(_by_hash, "cpu", "a look into a hash table a row, not a sort", _hashes))
def ids_by_key(key: Tensor, low: int, high: int) -> Groups:
    """`group_ids` of a non-empty key within low .. high."""
    return _in_order_of_sort(key, low, high)


def _in_order_of_sort(key: Tensor, low: int, high: int) -> Groups:
    order = stable_order(key, low, high)
    sorted_ids, starts = _number_runs(run_starts(key.index_select(0, order)))
    ids = torch.empty_like(sorted_ids).scatter_(0, order, sorted_ids)
    return ids, order.index_select(0, starts), starts.shape[0]


def _row_ids_by_strings(rows: Tensor) -> Tensor:
    if STATE.watchers:
        waits.expected(_DISTINCT)
    keys = float_key(rows) if rows.dtype.is_floating_point else rows
    strings = np.ascontiguousarray(keys.numpy())
    whole = strings.view(np.dtype((np.void, strings.dtype.itemsize * strings.shape[1]))).reshape(-1)
    return torch.from_numpy(np.unique(whole, return_inverse=True)[1].astype(np.int64))


@operation(Variant(_row_ids_by_strings, "cpu", "rows sort as strings of bytes, several times faster than by columns"))
def row_ids(rows: Tensor) -> Tensor:
    """(n,) int64 numbers below n, equal just where the rows of an (n, d) tensor are; -0.0 is 0.0, all NaN are one.

    Which number a row gets is open. Cost: one sort of the rows; a sync on a GPU.
    """
    keys = float_key(rows) if rows.dtype.is_floating_point else rows
    ids: Tensor = waits.unique(keys, _DISTINCT, dim=0, return_inverse=True)[1]
    return ids


def _distinct_by_numpy(values: Tensor, low: int, span: int) -> int:
    if STATE.watchers:
        waits.expected(_DISTINCT)
    numbers = values.numpy()
    marks = np.zeros(span, np.bool_)
    marks[np.subtract(numbers, low, dtype=np.int64) if low else numbers] = True
    return int(np.count_nonzero(marks))  # host: NumPy, no tensor


@operation(Variant(_distinct_by_numpy, "cpu", "NumPy marks several times faster, and takes narrow indices"))
def distinct_within(values: Tensor, low: int, span: int) -> int:
    """How many of low .. low + span - 1 occur in integers (n,) of that range, by one byte for each; a wait."""
    present = torch.zeros(span, dtype=torch.bool, device=values.device)
    # A block at a time: 64-bit places of all rows would leave the cores' caches.
    for part in torch.split(values, _BLOCK):
        present.scatter_(0, part.long() - low, True)
    return waits.number(present.sum(), _DISTINCT)


@operation()
def group_ids_multi(keys: Sequence[Tensor], ordered: bool = False) -> Groups:
    """`group_ids` of several integer keys (n,) together; `ordered` by the first key, then the second, ...

    Keys are packed by their ranges; where 63 bits do not suffice, what is packed so far becomes dense ids, then the next
    key too if need be. Cost: two passes a key besides the `group_ids`; a sync on a GPU for all ranges.
    """
    if len(keys) == 1 or keys[0].shape[0] == 0:
        return group_ids(keys[0], ordered)
    limits = waits.several(
        [limit for key in keys for limit in torch.aminmax(key)], "the ranges of keys pick the packing"
    )
    ranges = list(zip(limits[::2], limits[1::2], strict=True))
    if prod(high - low + 1 for low, high in ranges) >= 2**63:
        return ids_by_keys(keys[0], keys[1:], ranges, ordered)
    joined, _ = _zero_based(keys[0], *ranges[0])
    for key, (low, high) in zip(keys[1:], ranges[1:], strict=True):
        checkpoint()
        codes, size = _zero_based(key, low, high)
        joined = (joined * size).add_(codes)
    return group_ids(joined, ordered)


def _by_hash_of_keys(
    first: Tensor, others: Sequence[Tensor], ranges: Sequence[tuple[int, int]], ordered: bool
) -> Groups:
    keys = (first, *others)
    if STATE.watchers:
        waits.expected(ROWS)
    mixed = hashing.mixed(keys)
    _, ids, firsts = hashing.number(mixed)
    differ = [key.index_select(0, firsts).index_select(0, ids).ne(key).any() for key in keys]
    if any(waits.several(differ, _COLLISION)):
        # Unlike rows have one hash: rows are numbered by it and one key, by that number and the next key, ...
        for key in keys:
            mixed = hashing.number(mixed)[1] * 2**32 + hashing.number(key)[1]
        _, ids, firsts = hashing.number(mixed)
    return ids, firsts, firsts.shape[0]


def _hashes_keys(first: Tensor, others: Sequence[Tensor], ranges: Sequence[tuple[int, int]], ordered: bool) -> bool:
    return not ordered and all(map(hashing.can_number, (first.long(), first, *others)))


@operation(Variant(_by_hash_of_keys, "cpu", "one look into a hash table a row for all keys together", _hashes_keys))
def ids_by_keys(first: Tensor, others: Sequence[Tensor], ranges: Sequence[tuple[int, int]], ordered: bool) -> Groups:
    """`group_ids_multi` of non-empty keys, `first` and `others`, within `ranges` that 63 bits do not hold together."""
    joined, size = _zero_based(first, *ranges[0])
    for key, (low, high) in zip(others, ranges[1:], strict=True):
        checkpoint()
        codes, count = _zero_based(key, low, high)
        if size * count >= 2**63:
            joined, _, size = group_ids(joined, ordered)
        if size * count >= 2**63:
            codes, _, count = group_ids(codes, ordered)
        joined, size = (joined * count).add_(codes), size * count
    return group_ids(joined, ordered)


def _zero_based(key: Tensor, low: int, high: int) -> tuple[Tensor, int]:
    """An int64 key less its minimum and the size of its range, as it is where the difference may leave 63 bits."""
    size = high - low + 1
    key = key.long()
    return (key if low == 0 or size >= 2**63 else key - low), size


@operation()
def cuts(ids: Tensor, groups: int, pieces: int) -> list[int]:
    """Numbers 0 = c[0] < c[1] < … = groups, which cut rows of groups `ids` (n,) int64, n > 0, into up to `pieces` >= 1 parts.

    These have about as many rows; groups stay whole. One pass; a wait.
    """
    sizes = count(ids, groups)
    # A group comes before the cut that its middle row comes before.
    middles = 2 * torch.cumsum(sizes, 0) - sizes
    targets = torch.arange(1, pieces, device=ids.device) * (2 * ids.shape[0]) // pieces
    inner = waits.numbers(torch.searchsorted(middles, targets, right=True), _CUTS)
    return sorted({0, *inner, groups})


@operation()
def share_rows(keys: Sequence[Tensor], shares: int) -> list[Tensor]:
    """The rows (m,) int64, ascending, of each of `shares` (a power of two) shares of rows (n,): those with equal integer keys
    are in the same one.

    By a hash of the keys, so that shares are about equal where most keys differ. A few passes a key and a stable sort of bytes; a
    sync on a GPU.
    """
    mixed = hashing.mixed(keys)
    share = (mixed >> (64 - 16)).bitwise_and_(shares - 1).int()
    order = stable_order(share, 0, shares - 1)
    sizes = waits.numbers(count(share, shares), "how many rows a share has")
    return list(torch.split(order, sizes))


def _mark_by_numpy(marks: Tensor, places: Tensor) -> Tensor:
    marks.numpy()[places.numpy()] = True
    return marks


@operation(Variant(_mark_by_numpy, "cpu", "NumPy marks several times faster"))
def mark_(marks: Tensor, places: Tensor) -> Tensor:
    """marks[places] = True, in place: `marks` (s,) bool, `places` (n,) int64 within, which may repeat."""
    return marks.index_fill_(0, places, True)
