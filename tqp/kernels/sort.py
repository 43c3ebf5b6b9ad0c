"""Ordering rows: order-preserving integer keys, stable multi-key argsort, top-k.

A sort key is an integer tensor whose ascending order is the wanted order; `order_key` makes such keys from
columns. Floats go through `group.float_key`, wide integers through two limbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import compare, waits
from tqp.kernels.group import float_key
from tqp.kernels.loops.counting import rows_by_slot
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.loops.sorting import first_by_group
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.reduce import count, extreme_rows, maximum, minimum
from tqp.kernels.rows import ROWS, order_within, order_within_pair, profile, select, stable_order
from tqp.kernels.wide import unsigned_order

__all__ = [
    "SAMPLE", "argsort", "by_group", "end_of_groups", "first_of_groups", "kth", "not_behind", "order_key", "ranges", "top_k",
]  # fmt: skip


_BOUND = "what bounds the candidates"

SAMPLE = 2**14
"""At least so many rows bound what may be among the first of many more."""

_LEADS = 2**32
"""A key of so many values is sorted together with the one behind it."""


@operation()
def order_key(
    data: Tensor,
    valid: Tensor | None,
    descending: bool,
    nulls_first: bool,
    low: int | None = None,
    high: int | None = None,
) -> list[Tensor]:
    """Integer keys, the most significant first, whose ascending order is the order asked for. Usually one key.

    `data` is (n,) bool, integer or float, or (n, 2) wide; `valid` (n,) bool or None. NULLs come first or last as asked,
    whatever the direction. NaN is the greatest float and -0.0 equals 0.0. `low` and `high` are proven limits of the
    valid integers (both or none; without them they are read from the data, a sync on a GPU). Keys of a narrow
    enough range are zero-based and int32.
    """
    if data.ndim == 2:
        parts = [data[:, 0], unsigned_order(data[:, 1])]
        keys = [~part if descending else part for part in parts]
        return keys if valid is None else [_null_key(valid, nulls_first), *(_blank(key, valid) for key in keys)]
    if data.dtype.is_floating_point:
        data, low, high = float_key(data), None, None
    elif data.dtype is torch.bool:
        data, low, high = data.to(torch.int8), 0, 1
    if data.numel() == 0:
        return [torch.empty(0, dtype=torch.int32, device=data.device)]
    if low is None or high is None:
        # NULL rows hold anything: 0 at most widens the range.
        [(low, high)] = ranges([data if valid is None else _blank(data, valid)])
    size = high - low + 1
    width = torch.int32 if size < 2**31 - 1 else torch.int64
    if size >= 2**63 - 1:
        key = ~data if descending else data
        return [key] if valid is None else [_null_key(valid, nulls_first), _blank(key, valid)]
    # Codes 1 .. size leave 0 for NULLs first and size + 1 for NULLs last; without NULLs they start at 0.
    base = 1 if valid is not None and nulls_first else 0
    data = data.long() if width is torch.int64 or data.dtype is torch.int64 or _far(low, high) else data.int()
    codes = (high - data if descending else data - low).to(width)
    if base:
        codes += base
    if valid is None:
        return [codes]
    # Codes of NULL rows are garbage: multiplied away, several times faster than `torch.where` on mixed masks.
    return [codes.mul_(valid) if nulls_first else codes.sub_(size).mul_(valid).add_(size)]


def _far(low: int, high: int) -> bool:
    """Differences of 32-bit numbers with these limits may leave 32 bits."""
    return low <= -(2**30) or high >= 2**30


def _null_key(valid: Tensor, nulls_first: bool) -> Tensor:
    return (valid if nulls_first else ~valid).to(torch.int8)


def _blank(key: Tensor, valid: Tensor) -> Tensor:
    """`key`, 0 where NULL."""
    return key * valid


@operation()
def ranges(keys: Sequence[Tensor]) -> list[tuple[int, int]]:
    """(minimum, maximum) of each non-empty integer key. One pass each; one sync on a GPU."""
    flat = waits.several(
        [limit for key in keys for limit in torch.aminmax(key)], "the ranges of keys pick their packing"
    )
    return list(zip(flat[::2], flat[1::2], strict=True))


def _packed(keys: Sequence[Tensor], limits: Sequence[tuple[int, int]]) -> list[tuple[Tensor, int]]:
    """Neighbouring keys, within these limits, joined into zero-based keys with their sizes, as few as 63 bits allow."""
    packed: list[tuple[Tensor, int]] = []
    for key, (low, high) in zip(keys, limits, strict=True):
        checkpoint()
        size = high - low + 1
        if size == 1:
            continue
        if size >= 2**63:
            packed.append((key, size))
        elif packed and packed[-1][1] * size < 2**63:
            codes, count = packed[-1]
            packed[-1] = ((codes.long() * size).add_(key.long() - low), count * size)
        else:
            wide = size >= 2**31 or key.dtype is torch.int64 or low <= -(2**31)
            packed.append((key.long() - low if wide or _far(low, high) else key.int() - low, size))
    return packed


@operation()
def argsort(keys: Sequence[Tensor]) -> Tensor:
    """Row order (n,) int64 that sorts by the integer `keys` (n,) each, the most significant first, all ascending.

    Stable: equal rows keep their order. At least one key. Keys are packed by their ranges into as few integers as
    possible and sorted from the least significant; those at the end that ascend with the rows are left out. A sync on a GPU.
    """
    device, rows = keys[0].device, keys[0].numel()
    if rows <= 1:
        return torch.arange(rows, device=device)
    ranges_of_keys, deciding = profile(*keys)
    packed = _packed(keys[:deciding], ranges_of_keys[:deciding])
    order: Tensor | None = None
    while packed:
        checkpoint()
        key, size = packed.pop()
        # Two at a time where the first leaves enough bits to the second.
        lead, lead_size = packed.pop() if packed and packed[-1][1] <= _LEADS else (None, 1)
        limits = (0, size - 1) if size < 2**63 else (-(2**63), 2**63 - 1)
        if order is not None:
            key = key.index_select(0, order)
            lead = lead if lead is None else lead.index_select(0, order)
        found = stable_order(key, *limits) if lead is None else order_within_pair(lead, lead_size, key, *limits)
        order = found if order is None else order.index_select(0, found)
    return torch.arange(rows, device=device) if order is None else order


def _by_counting(ids: Tensor, groups: int) -> Tensor:
    starts = torch.zeros(groups + 2, dtype=torch.int32, device="cpu")
    order = torch.empty(ids.shape[0], dtype=torch.int32, device="cpu")
    is_sorted = rows_by_slot(integers(ids), 0, starts.numpy(), order.numpy())
    return torch.arange(ids.shape[0], device="cpu") if is_sorted else order.long()


def _counts(ids: Tensor, groups: int) -> bool:
    return ids.shape[0] < 2**31 and rows_by_slot.ready(ids.shape[0], width(ids), int, torch.int32, torch.int32)


@operation(Variant(_by_counting, "cpu", "counts and places, two passes; no sort", _counts))
def by_group(ids: Tensor, groups: int) -> Tensor:
    """(n,) int64: the rows of each group `ids` (n,) int64, 0 .. groups - 1, after those of the one before. A stable sort."""
    return order_within(ids, 0, max(groups - 1, 0))


def not_behind(data: Tensor, valid: Tensor | None, bound: float, descending: bool, nulls_first: bool) -> Tensor:
    """(n,) bool: which rows come no later than the value `bound` in the order asked for, as far as one comparison tells.

    `data` (n,) integers or floats, `valid` (n,) bool or None. NaN is the greatest float, as for `order_key`; `bound` is none,
    and may be an integer that `data` has no room for.
    """
    if data.dtype.is_floating_point:
        mask = ~compare.lt(data, bound) if descending else compare.le(data, bound)
    else:
        limits = torch.iinfo(data.dtype)
        near = min(max(int(bound), limits.min), limits.max)
        mask = compare.ge(data, near) if descending else compare.le(data, near)
    if valid is None:
        return mask
    return mask | ~valid if nulls_first else mask & valid


@operation()
def top_k(keys: Sequence[Tensor], k: int) -> Tensor:
    """The first `k` entries of `argsort(keys)`: (min(k, n),) int64 row ids in order.

    For k much smaller than n a sample bounds the k-th first key, one comparison finds the candidates, and only
    those are sorted.
    """
    rows = keys[0].numel()
    sample = max(SAMPLE, isqrt(rows * k))
    if k <= 0 or rows < 4 * sample:
        return argsort(keys)[: max(k, 0)]
    first = keys[0]
    bound = kth(first[:: rows // sample], k)
    candidates = select(first <= bound)
    if candidates.shape[0] > 4 * sample:
        candidates = _settle_ties(keys, candidates, k)
    order = argsort([key.index_select(0, candidates) for key in keys])
    return candidates.index_select(0, order[:k])


def _settle_ties(keys: Sequence[Tensor], candidates: Tensor, k: int) -> Tensor:
    """k of the `candidates` that are the top k, where many share the k-th first key: the other keys choose among those."""
    first = keys[0].index_select(0, candidates)
    bound = kth(first, k)
    below, tied = candidates.index_select(0, select(first < bound)), candidates.index_select(0, select(first == bound))
    wanted = k - below.shape[0]
    if len(keys) > 1:
        tied = tied.index_select(0, top_k([key.index_select(0, tied) for key in keys[1:]], wanted))
    return torch.cat((below, tied[:wanted]))


def _kth_by_partition(key: Tensor, k: int) -> int:
    if STATE.watchers:
        waits.expected(_BOUND)
    return int(np.partition(key.numpy(), k - 1)[k - 1])


@operation(Variant(_kth_by_partition, "cpu", "a selection in vectors"))
def kth(key: Tensor, k: int) -> int:
    """The k-th smallest value of `key` (n,) integers, 1 <= k <= n."""
    return waits.number(torch.kthvalue(key, k).values, _BOUND)


def _first_by_loop(key: Tensor, ids: Tensor, groups: int, most: int) -> Tensor:
    if STATE.watchers:
        waits.expected(ROWS)
    best = np.full(groups * most, 2**63 - 1, np.int64)
    found = np.empty(key.shape[0], np.int64)
    rows = first_by_group(integers(key), integers(ids), most, best, found)
    return torch.from_numpy(found[:rows].copy())


def _first_is_compiled(key: Tensor, ids: Tensor, groups: int, most: int) -> bool:
    return first_by_group.ready(key.shape[0], width(key), torch.int64, int, torch.int64, torch.int64)


@operation(Variant(_first_by_loop, "cpu", "two passes and a few keys of each group, not a sort", _first_is_compiled))
def first_of_groups(key: Tensor, ids: Tensor, groups: int, most: int) -> Tensor:
    """Ascending rows (m,) int64 whose `key` (n,) is no greater than the `most`-th least of their group `ids` (n,) int64.

    All rows of groups that have no more; most >= 1. A loop keeps 8 bytes for each of the `most` of a group,
    else it is a sort; a sync on a GPU.
    """
    limits = torch.iinfo(key.dtype)
    order = order_within(key, limits.min, limits.max)
    order = order.index_select(0, order_within(ids.index_select(0, order), 0, max(groups - 1, 0)))
    sizes = count(ids, groups)
    # Nobody asks for the bound of a group without rows.
    places = (torch.cumsum(sizes, 0) - sizes + sizes.clamp(max=most) - 1).clamp(min=0)
    bounds = key.index_select(0, order.index_select(0, places))
    return select(key <= bounds.index_select(0, ids))


def end_of_groups(keys: Sequence[Tensor], ids: Tensor, groups: int, last: bool) -> Tensor:
    """(groups,) int64: the first or last row of each group `ids` (n,) int64 in the ascending order of integer `keys` (n,) each.

    Of equal rows the first, or the last; of groups without rows n. No sort: a pass over the keys, packed into as few as possible,
    of which each but the last leaves fewer rows to the next. A sync on a GPU.
    """
    rows = ids.shape[0]
    if rows and len(keys) > 1:
        keys = [key for key, _ in _packed(keys, ranges(keys))]
    kept: Tensor | None = None
    for whole in keys[:-1]:
        key = whole if kept is None else whole.index_select(0, kept)
        best = (maximum if last else minimum)(key, ids, groups)
        chosen = select(key == best.index_select(0, ids))
        kept, ids = chosen if kept is None else kept.index_select(0, chosen), ids.index_select(0, chosen)
    least = keys[-1] if keys else torch.zeros(1, dtype=torch.int32, device=ids.device).expand(rows)
    found = extreme_rows(least if kept is None else least.index_select(0, kept), ids, groups, last)
    if kept is None:
        return found
    count = kept.shape[0]
    return torch.where(found < count, kept.index_select(0, found.clamp(max=count - 1)), rows)
