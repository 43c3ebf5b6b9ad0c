"""Arguments for operations that choose and place rows."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, alone, flags, key_columns, ranged
from tests.kernels.strategies import LIMITS, integers, masks


def _mask(size: int) -> st.SearchStrategy[Tensor]:
    return masks(size).filter(lambda mask: mask is not None)


@st.composite
def _offsets(draw: st.DrawFn) -> Arguments:
    dtype = draw(st.sampled_from([torch.int32, torch.int64]))
    size = draw(st.integers(0, 20))
    limit = LIMITS[dtype]
    value = st.integers(-3, 25) | st.sampled_from([-limit, limit - 1, size, size - 1])
    return torch.tensor(draw(st.lists(value, max_size=30)), dtype=dtype), size


@st.composite
def _masked(draw: st.DrawFn) -> Arguments:
    (offset, _) = draw(_offsets())
    return offset, draw(_mask(len(offset)))


@st.composite
def _tall(draw: st.DrawFn) -> Arguments:
    """The same, often of so many rows that a radix sort pays."""
    key, low, high = draw(ranged())
    return (key.repeat(2**12 // len(key)) if draw(st.booleans()) else key), low, high


@st.composite
def _led(draw: st.DrawFn) -> Arguments:
    """A key as `_tall` gives it behind a lead of few values or many."""
    key, low, high = draw(_tall())
    size = draw(st.sampled_from([2, 5, 1000, 2**32]))
    lead = torch.tensor(draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=7)), dtype=torch.int64)
    return lead.repeat(len(key) // len(lead) + 1)[: len(key)], size, key, low, high


@st.composite
def _ranges(draw: st.DrawFn) -> Arguments:
    pairs = draw(st.lists(st.tuples(st.integers(0, 50), st.integers(0, draw(st.sampled_from([1, 4])))), max_size=12))
    return torch.tensor([start for start, _ in pairs]).int(), torch.tensor([count for _, count in pairs]).int()


@st.composite
def _some_ranges(draw: st.DrawFn) -> Arguments:
    starts, counts = draw(_ranges().filter(lambda ranges: bool(ranges[1].sum() > 0)))
    wide = draw(st.booleans())
    return (starts.long(), counts.long(), int(counts.sum())) if wide else (starts, counts, int(counts.sum()))


@st.composite
def _ordered_ranges(draw: st.DrawFn) -> Arguments:
    """Ranges of an order that do not overlap, how many rows are in them, and how many there are."""
    order = torch.tensor(draw(st.permutations(range(draw(st.integers(1, 150))))), dtype=torch.int32)
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=10)))
    pairs = [(start, end - start) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    kind = draw(st.sampled_from([torch.int32, torch.int32, torch.int64]))
    starts, counts = (torch.tensor([pair[place] for pair in pairs], dtype=kind) for place in range(2))
    return order, starts, counts, sum(count for _, count in pairs), len(order) + draw(st.sampled_from([0, 70]))


@st.composite
def _owned(draw: st.DrawFn) -> Arguments:
    """Counts of ranges, some of them longer than what a loop writes at once, the number of the first, and their sum."""
    counts = torch.tensor(draw(st.lists(st.integers(0, 20), min_size=1, max_size=12)), dtype=torch.int64)
    kind = draw(st.sampled_from([torch.int32, torch.int64]))
    return counts.to(kind), draw(st.sampled_from([0, 5, 2**31 - 3])), int(counts.sum())


@st.composite
def _placed(draw: st.DrawFn) -> Arguments:
    counts, _, total = draw(_owned())
    kind = counts.dtype
    start = st.integers(-50, 50) | st.just(LIMITS[kind] - 21)
    starts = draw(st.lists(start, min_size=len(counts), max_size=len(counts)))
    return torch.tensor(starts, dtype=kind), counts, total


@st.composite
def _put(draw: st.DrawFn) -> Arguments:
    """What is written to, values of several widths and shapes, how many of them lie together, and where these go: anywhere."""
    counts = draw(st.lists(st.integers(0, 5), min_size=1, max_size=12))
    order = draw(st.permutations(range(len(counts))))
    targets, end = [0] * len(counts), 0
    for one in order:
        targets[one], end = end, end + counts[one]
    kind = draw(st.sampled_from([torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.float64]))
    shape = draw(st.sampled_from([(), (2,)]))
    values = torch.arange(1, sum(counts) * (2 if shape else 1) + 1).view(-1, *shape).to(kind)
    found = torch.zeros((end + 1, *shape), dtype=kind)
    width = draw(st.sampled_from([torch.int32, torch.int64]))
    return found, values, torch.tensor(counts, dtype=width), torch.tensor(targets)


@st.composite
def _followed(draw: st.DrawFn) -> Arguments:
    """Ranges, most of which follow each other, often more than are looked at first."""
    counts = torch.tensor(draw(st.lists(st.integers(0, 3), min_size=1, max_size=12)), dtype=torch.int64)
    counts = counts.repeat(draw(st.sampled_from([1, 100])))
    starts = draw(st.integers(0, 9)) + counts.cumsum(0) - counts
    if draw(st.booleans()):
        starts[draw(st.integers(0, len(starts) - 1))] += 1
    return starts, counts


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "repeats.follow_from": _followed(),
    "repeats.owners": _owned(),
    "repeats.places": _placed(),
    "repeats.put_": _put(),
    "rows.clip": _offsets(),
    "rows.count_true": flags(),
    "rows.expand": _ranges(),
    "rows.is_ascending": alone(integers()),
    "rows.or_minus_one": _masked(),
    "rows.order_within": _tall(),
    "rows.order_within_pair": _led(),
    "rows.pair_sizes": _ranges().map(lambda args: args[1:]),
    "rows.positions": _some_ranges(),
    "rows.profile": key_columns().map(tuple),
    "rows.select": flags(),
    "runs.one_run": st.lists(st.tuples(st.booleans(), st.integers(1, 5)), min_size=1, max_size=5).map(
        lambda runs: (torch.tensor([value for value, times in runs for _ in range(times)]),)
    ),
    "rows.sorted_rows": _ordered_ranges(),
    "rows.stable_order": alone(integers()),
    "rows.within": _offsets(),
}
