"""Choosing and repeating rows: masks to row ids, ranges to row pairs, keys to table offsets.

On the CPU some steps run in NumPy on zero-copy views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ExecutionError
from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.loops.counting import repeat_ranges, rows_of_ranges
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.loops.sorting import order_by_lead, order_by_radix
from tqp.kernels.operation import STATE, Variant, operation

__all__ = [
    "clip",
    "count_true",
    "expand",
    "is_ascending",
    "offsets",
    "or_minus_one",
    "order_within",
    "order_within_pair",
    "pair_sizes",
    "positions",
    "profile",
    "row_dtype",
    "select",
    "sorted_rows",
    "stable_order",
    "within",
]

_TOO_MANY = 2**60
"""So many numbers of 64 bits have more bytes than 63 bits count."""

Profile = tuple[list[tuple[int, int]], int]

ROWS = "the number of rows"
_SHARE = "how many rows pass decides what is done next"
ORDER = "whether a key ascends picks the algorithm"
_PROFILE = "the ranges of keys and which of them decide pick the algorithm"

_BITS_A_ROW = 2**11
"""Among more rows than so many for each that is wanted, a bit for each takes longer than a sort of the wanted ones."""

_RADIX_ROWS = 2**11
"""Fewer rows are sorted before a radix sort has cleared its counters."""

_UNSIGNED: dict[torch.dtype, Any] = {torch.int32: np.uint32, torch.int64: np.uint64}


def _select_by_numpy(mask: Tensor) -> Tensor:
    if STATE.watchers:
        waits.expected(ROWS)
    return torch.from_numpy(mask.numpy().nonzero()[0])  # host: NumPy, no tensor


@operation(Variant(_select_by_numpy, "cpu", "NumPy is 3 to 12 times faster than `torch.nonzero`"))
def select(mask: Tensor) -> Tensor:
    """Ascending row ids (m,) int64 where `mask` (n,) bool is True. One pass; a sync on a GPU."""
    return waits.places(mask, ROWS)


def _count_true_by_numpy(mask: Tensor) -> int:
    if STATE.watchers:
        waits.expected(_SHARE)
    return int(np.count_nonzero(mask.numpy()))  # host: NumPy, no tensor


@operation(Variant(_count_true_by_numpy, "cpu", "NumPy counts bytes eight at a time"))
def count_true(mask: Tensor) -> int:
    """How many of `mask` (n,) bool are True. One pass; a sync on a GPU."""
    return waits.number(torch.count_nonzero(mask), _SHARE)


@operation()
def pair_sizes(counts: Tensor) -> tuple[int, int]:
    """The sum of `counts` (p,) integers >= 0, and a number that none exceeds; one sync on a GPU.

    ExecutionError for a sum that no memory holds so many numbers for, which might leave 64 bits.
    """
    if counts.numel() == 0:
        return 0, 0
    total, most = waits.several((counts.sum(dtype=torch.int64), counts.max()), "the number of pairs")
    if most * counts.numel() >= _TOO_MANY:
        # Only then may the sum have wrapped.
        about = waits.number(counts.sum(dtype=torch.float64), "the number of pairs")
        if about >= _TOO_MANY:
            raise ExecutionError(f"about {about:.3g} rows or elements are asked for at once", hint="ask for fewer")
    return total, most


@operation()
def expand(starts: Tensor, counts: Tensor, sizes: tuple[int, int] | None = None) -> tuple[Tensor, Tensor]:
    """All positions of the ranges starts[p] .. starts[p] + counts[p] - 1, one range after the other.

    `starts` and `counts` are (p,) int32 or int64, counts >= 0. Returns probe rows (m,), int32 where p allows and no pass is needed
    for that, and positions (m,) of the dtype of `starts`, which holds them, with m = counts.sum(): memory is proportional to the
    output. `starts[p]` is not read where counts[p] is 0. `sizes` is what `pair_sizes` says, if that is known. Cost: few passes over
    p and m; on a GPU a sync, another one for `sizes`.
    """
    checkpoint()
    device = counts.device
    if counts.numel() == 0:
        return torch.empty(0, dtype=row_dtype(0), device=device), torch.empty_like(starts)
    total, most = sizes or pair_sizes(counts)
    if most <= 1:
        rows = select(counts > 0)
        return rows, starts.index_select(0, rows)
    return positions(starts, counts, total)


def _positions_by_loop(starts: Tensor, counts: Tensor, total: int) -> tuple[Tensor, Tensor]:
    if STATE.watchers:
        waits.expected(ROWS)
    probe = torch.empty(total, dtype=row_dtype(counts.shape[0]), device=counts.device)
    found = torch.empty(total, dtype=starts.dtype, device=counts.device)
    repeat_ranges(starts.contiguous().numpy(), counts.contiguous().numpy(), probe.numpy(), found.numpy())
    return probe, found


def _repeats(starts: Tensor, counts: Tensor, total: int) -> bool:
    return repeat_ranges.ready(total, starts.dtype, counts.dtype, row_dtype(counts.shape[0]), starts.dtype)


@operation(Variant(_positions_by_loop, "cpu", "each range is written once, in one pass", _repeats))
def positions(starts: Tensor, counts: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """`expand` of ranges of `total` positions, of which there is one at least."""
    # A running sum over 1 a position, with a jump where a range begins, takes half the time of `repeat_interleave`.
    rows = select(counts > 0)
    lengths, begins = counts.index_select(0, rows), starts.index_select(0, rows)
    first = torch.cumsum(lengths, 0, dtype=torch.int64)[:-1]
    rows = rows.to(row_dtype(counts.shape[0]))
    probe = torch.zeros(total, dtype=rows.dtype, device=counts.device)
    probe[:1] = rows[:1]
    probe.scatter_(0, first, rows[1:] - rows[:-1])
    position = torch.ones(total, dtype=begins.dtype, device=counts.device)
    position[:1] = begins[:1]
    position.scatter_(0, first, begins[1:] - begins[:-1] - lengths[:-1].to(begins.dtype) + 1)
    return torch.cumsum(probe, 0, out=probe), torch.cumsum(position, 0, out=position)


def _sorted_by_bits(order: Tensor, starts: Tensor, counts: Tensor, total: int, rows: int) -> Tensor:
    if STATE.watchers:
        waits.expected(ROWS)
    words = np.zeros(-(-rows // 64), np.uint64)
    found = torch.empty(total, dtype=torch.int32, device=order.device)
    ranges = starts.contiguous().numpy(), counts.contiguous().numpy()
    rows_of_ranges(*ranges, order.contiguous().numpy(), words, found.numpy())
    return found


def _bits_pay(order: Tensor, starts: Tensor, counts: Tensor, total: int, rows: int) -> bool:
    kinds = (starts.dtype, counts.dtype, order.dtype, torch.uint64, torch.int32)
    return (
        rows <= _BITS_A_ROW * total
        and all(kind is torch.int32 for kind in kinds[:3])
        and rows_of_ranges.ready(total, *kinds)
    )


@operation(Variant(_sorted_by_bits, "cpu", "marks bits and reads them in order, nothing is sorted", _bits_pay))
def sorted_rows(order: Tensor, starts: Tensor, counts: Tensor, total: int, rows: int) -> Tensor:
    """What `order` (k,) has in the ranges starts[p] .. starts[p] + counts[p] - 1, ascending (total,), of its dtype.

    `starts` and `counts` (p,) are integers, `total` is the sum of `counts`; what is found are different numbers below `rows`.
    Cost: a sort of `total` numbers.
    """
    _, places = expand(starts, counts, (total, total))
    return torch.sort(order.index_select(0, places)).values


def row_dtype(rows: int) -> torch.dtype:
    """What holds the ids of so many rows: int32 where it does, half the memory that gathers read."""
    return torch.int32 if rows < 2**31 else torch.int64


def offsets(key: Tensor, minimum: int) -> Tensor:
    """`key` (n,) integers minus `minimum`, as int32 or int64 (n,), modulo the width.

    For a table of up to 2**30 entries, minimum + entries <= 2**63, every key of the table gets its place and no other
    key an offset in the table's range: so one check against the table's size settles both ends.
    """
    # Keys that wrap around in 32 bits land at 2**31 - minimum or above.
    small = -(2**31) <= minimum <= 2**30
    width = torch.int32 if key.dtype != torch.int64 and small else torch.int64
    key = key.to(width)
    return key if minimum == 0 else key - minimum


def _within_unsigned(offset: Tensor, size: int) -> Tensor:
    unsigned = _UNSIGNED[offset.dtype]
    return torch.from_numpy(np.less(offset.numpy().view(unsigned), unsigned(size)))


@operation(Variant(_within_unsigned, "cpu", "as unsigned, negative offsets are above every size: one pass, not three"))
def within(offset: Tensor, size: int) -> Tensor:
    """(n,) bool: 0 <= offset < size, for int32 or int64 offsets."""
    return (offset >= 0) & (offset < size)


def _clip_unsigned(offset: Tensor, size: int) -> Tensor:
    unsigned = _UNSIGNED[offset.dtype]
    clipped = np.minimum(offset.numpy().view(unsigned), unsigned(size))
    return torch.from_numpy(clipped.view(offset.numpy().dtype))


@operation(Variant(_clip_unsigned, "cpu", "as for `within`"))
def clip(offset: Tensor, size: int) -> Tensor:
    """`offset` where 0 <= offset < size, else `size`: the sentinel entry behind the last one of a table."""
    return torch.where((offset >= 0) & (offset < size), offset, size)


def _or_minus_one_by_numpy(x: Tensor, mask: Tensor) -> Tensor:
    return torch.from_numpy(np.bitwise_or(x.numpy(), np.subtract(mask.numpy().view(np.int8), np.int8(1))))


@operation(
    Variant(_or_minus_one_by_numpy, "cpu", "one pass that widens as it goes: NumPy buffers, torch makes a tensor")
)
def or_minus_one(x: Tensor, mask: Tensor) -> Tensor:
    """`x` (n,) integers where `mask` (n,) bool is True, else -1.

    Bits beat `torch.where`, which branches: a tenth of the time on mixed masks.
    """
    return x | (mask.to(x.dtype) - 1)


def _is_ascending_by_numpy(key: Tensor, *, strictly: bool = False) -> bool:
    if STATE.watchers:
        waits.expected(ORDER)
    values = key.numpy()
    order = np.less_equal if strictly else np.less
    for part in (values[:256], values):
        if order(part[1:], part[:-1]).any():
            return False
    return True


@operation(Variant(_is_ascending_by_numpy, "cpu", "most unsorted keys show it in their first rows"))
def is_ascending(key: Tensor, *, strictly: bool = False) -> bool:
    """Whether `key` (n,) never falls (strictly: always rises). One pass; a sync on a GPU."""
    broken = key[1:] <= key[:-1] if strictly else key[1:] < key[:-1]
    return not waits.truth(broken.any(), ORDER)


def _profile_by_numpy(key: Tensor, *others: Tensor) -> Profile:
    if STATE.watchers:
        waits.expected(_PROFILE)
    keys = [one.numpy() for one in (key, *others)]
    if not _falls([one[:256] for one in keys]).any() and not _falls(keys).any():
        ends = [(key[0], key[-1]), *map(torch.aminmax, others)]
        return [(int(low), int(high)) for low, high in ends], 0
    deciding = len(keys)
    while deciding > 1 and not any(_falls([part]).any() for part in (keys[deciding - 1][:256], keys[deciding - 1])):
        deciding -= 1
    return [(int(low), int(high)) for low, high in map(torch.aminmax, (key, *others))], deciding


def _falls(keys: Sequence[Any]) -> Any:
    """bool (n - 1,): which rows are greater than the next, by the first key, where that is equal by the second, …"""
    falls = None
    for key in reversed(keys):
        here = key[1:] < key[:-1]
        falls = here if falls is None else here | ((key[1:] == key[:-1]) & falls)
    return falls


@operation(
    Variant(
        _profile_by_numpy,
        "cpu",
        "most unsorted keys show it in their first rows; a sorted one has its limits at its ends",
    )
)
def profile(key: Tensor, *others: Tensor) -> Profile:
    """(Least, greatest) of each of some integer keys (n,), n > 0, and how many of them decide a stable order, the first key first.

    None does where the rows lie in order; keys at the end do not that ascend with the rows, such as the rows' own numbers.
    Two passes a key, three more if there are several; one sync on a GPU.
    """
    keys = (key, *others)
    limits = [limit for one in keys for limit in torch.aminmax(one)]
    falls = [_falls(keys), *map(_falls, [[one] for one in others])]
    found = waits.several((*limits, *(fall.any() for fall in falls)), _PROFILE)
    ends, (any_falls, *each_falls) = found[: 2 * len(keys)], found[2 * len(keys) :]
    deciding = 1 + max((place for place, fall in enumerate(each_falls, 1) if fall), default=0)
    return list(zip(ends[::2], ends[1::2], strict=True)), deciding if any_falls else 0


@operation()
def stable_order(key: Tensor, low: int | None = None, high: int | None = None) -> Tensor:
    """Row order (n,) int64 that sorts an integer `key` (n,) ascending, equal rows in their order.

    `low` and `high` are limits of the key (None: read from it, a sync on a GPU). One sort.
    """
    checkpoint()
    rows = key.shape[0]
    if rows <= 1:
        return torch.arange(rows, device=key.device)
    if low is None or high is None:
        low, high = waits.limits(key, "the range of a key picks the algorithm")
    return order_within(key, low, high)


def _order_by_radix(key: Tensor, low: int, high: int) -> Tensor:
    rows = key.shape[0]
    order = torch.empty(rows, dtype=torch.int64, device=key.device)
    spare, other = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    order_by_radix(integers(key), low, (high - low).bit_length(), rows.bit_length(), order.numpy(), spare, other)
    return order


def _fits_radix(key: Tensor, low: int, high: int) -> bool:
    rows = key.shape[0]
    return (
        rows >= _RADIX_ROWS
        and (high - low).bit_length() + rows.bit_length() <= 64
        and order_by_radix.ready(rows, width(key), int, int, int, torch.int64, torch.uint64, torch.uint64)
    )


def _bits(key: Tensor, low: int) -> Any:
    """key - low as NumPy's 64-bit numbers without sign."""
    return np.subtract(key.long().contiguous().numpy().view(np.uint64), np.uint64(low % 2**64))


def _by_lead(lead: Any, rest: Tensor, bits: int) -> Tensor | None:
    """The order by (lead, rest); None where another sort is faster."""
    rows = rest.shape[0]
    order = torch.empty(rows, dtype=torch.int64, device=rest.device)
    spare, other = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    is_done = order_by_lead(lead, rest.numpy(), bits, rows.bit_length(), order.numpy(), spare, other)
    return order if is_done else None


def _order_by_lead(key: Tensor, low: int, high: int) -> Tensor:
    order = _by_lead(_bits(key, low), key.long().contiguous(), (high - low).bit_length())
    return torch.sort(key, stable=True).indices if order is None else order


def _leads(key: Tensor, low: int, high: int) -> bool:
    rows = key.shape[0]
    kinds = (torch.uint64, torch.int64, int, int, torch.int64, torch.uint64, torch.uint64)
    return rows >= _RADIX_ROWS and rows < 2**34 and order_by_lead.ready(rows, *kinds)


@operation(
    Variant(_order_by_radix, "cpu", "a pass for ten bits of the key, each a fraction of a comparing sort", _fits_radix),
    Variant(_order_by_lead, "cpu", "the leading bits settle the order of nearly all rows", _leads),
)
def order_within(key: Tensor, low: int, high: int) -> Tensor:
    """`stable_order` of a key (n,) that lies within low .. high."""
    if -(2**31) <= low and high < 2**31:
        key = key.int()
    return torch.sort(key, stable=True).indices


def _pair_by_lead(lead: Tensor, size: int, key: Tensor, low: int, high: int) -> Tensor:
    bits = (high - low).bit_length()
    spare = 64 - (size - 1).bit_length()
    joined = _bits(key, low)
    if bits > spare:
        joined = np.right_shift(joined, np.uint64(bits - spare), out=joined)
    width = min(bits, spare)
    np.bitwise_or(joined, np.left_shift(_bits(lead, 0), np.uint64(width)), out=joined)
    order = _by_lead(joined, key.long().contiguous(), width + (size - 1).bit_length())
    return _one_after_the_other(lead, size, key, low, high) if order is None else order


def _lead_fits(lead: Tensor, size: int, key: Tensor, low: int, high: int) -> bool:
    return _leads(key, low, high)


def _one_after_the_other(lead: Tensor, size: int, key: Tensor, low: int, high: int) -> Tensor:
    order = order_within(key, low, high)
    return order.index_select(0, order_within(lead.index_select(0, order), 0, size - 1))


@operation(Variant(_pair_by_lead, "cpu", "one sort by the leading bits of both, not two and a gather", _lead_fits))
def order_within_pair(lead: Tensor, size: int, key: Tensor, low: int, high: int) -> Tensor:
    """The stable order (n,) int64 by `lead` (n,) within 0 .. size - 1, size > 1, and then by `key` (n,) within low .. high.

    The fewer bits `size` has, the more of the key's are looked at with it.
    """
    return _one_after_the_other(lead, size, key, low, high)
