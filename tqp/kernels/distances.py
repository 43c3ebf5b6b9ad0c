"""How much strings differ, of many pairs at once: a step for each sign of the longer strings, and no step per pair.

Strings are rows of signs, (n, width) integers filled up with anything, beside their lengths (n,) int64: the bytes of ASCII, else
code points. A function takes pairs of about the same lengths (`blocks`), so that what fills up costs little.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from tqp.kernels import waits

__all__ = ["blocks", "damerau_levenshtein", "hamming", "jaccard", "jaro", "levenshtein", "rows_of_signs"]

_WIDTH = "how wide rows of signs are"
_CELLS = 1 << 18
"""Of one block and step: some temporaries of 4 bytes a cell stay in cache."""


def blocks(lefts: Tensor, rights: Tensor, tables: bool = False) -> Iterator[tuple[Tensor, int, int]]:
    """The pairs of strings of those lengths, (n,) int64, in blocks: which they are, and the most signs on each side.

    With `tables` a function keeps a table for each pair, not a row of one.
    """
    order = torch.argsort(lefts * (_most(rights) + 1) + rights)
    start = 0
    while start < order.shape[0]:
        # Halved until they fit, and until none is much longer than another.
        stop = min(order.shape[0], start + _CELLS)
        while True:
            pairs = order[start:stop]
            width, other = _most(lefts[pairs]), _most(rights[pairs])
            cells = (stop - start) * (other + 1) * (width // 16 + 1 if tables else 1)
            if stop - start == 1 or cells <= _CELLS and 2 * _least(lefts[pairs]) >= width - 16:
                break
            stop = start + (stop - start + 1) // 2
        yield pairs, width, other
        start = stop


def _most(lengths: Tensor) -> int:
    return waits.number(lengths.max(), _WIDTH) if lengths.shape[0] else 0


def _least(lengths: Tensor) -> int:
    return waits.number(lengths.min(), _WIDTH) if lengths.shape[0] else 0


def rows_of_signs(data: Tensor, begins: Tensor, width: int) -> Tensor:
    """Of the signs `data` the `width` ones from each of `begins` (n,) on, (n, width); behind the end stands the last one."""
    places = begins[:, None] + torch.arange(width, device=data.device)
    if not data.shape[0]:
        return torch.zeros_like(places, dtype=data.dtype)
    return data[places.clamp(max=data.shape[0] - 1)]


def levenshtein(left: Tensor, left_lengths: Tensor, right: Tensor, right_lengths: Tensor) -> Tensor:
    """Signs to insert, delete or replace, (n,) int64. A row of the usual table at a time, for all pairs."""
    columns = torch.arange(right.shape[1] + 1, device=right.device, dtype=torch.int32)
    row = columns.expand(left.shape[0], -1)
    for place in range(left.shape[1]):
        replaced = row[:, :-1] + (left[:, place : place + 1] != right)
        following = _with_inserted(torch.minimum(row[:, 1:] + 1, replaced), place + 1, columns)
        row = torch.where((left_lengths > place)[:, None], following, row)
    return row.gather(1, right_lengths[:, None])[:, 0].long()


def _with_inserted(cells: Tensor, first: int, columns: Tensor) -> Tensor:
    """A row of the table (n, m + 1): `first`, then the cells (n, m), or one more than that to the left if it is less."""
    whole = torch.nn.functional.pad(cells, (1, 0), value=first)
    return (whole - columns).cummin(1).values + columns


def damerau_levenshtein(left: Tensor, left_lengths: Tensor, right: Tensor, right_lengths: Tensor) -> Tensor:
    """As `levenshtein`, where signs side by side may also change places, between which others may be inserted or deleted."""
    pairs, width = left.shape
    columns = torch.arange(right.shape[1] + 1, device=right.device, dtype=torch.int32)
    table = columns.repeat(pairs, width + 1, 1)
    # The last row before this one whose sign is that of the column, and none (0) where there is not.
    rows = torch.zeros(right.shape, dtype=torch.int64, device=right.device)
    numbers = torch.arange(pairs, device=right.device)[:, None]
    for place in range(width):
        equal = left[:, place : place + 1] == right
        above = table[:, place]
        # The last column before this one whose sign is that of the row.
        seen = torch.where(equal, columns[1:], 0).cummax(1).values
        before = torch.nn.functional.pad(seen[:, :-1], (1, 0)).long()
        exchanged = table[numbers, (rows - 1).clamp(min=0), (before - 1).clamp(min=0)] + (place - rows) + 1
        exchanged = exchanged + (columns[:-1] - before)
        exchanged = torch.where((rows > 0) & (before > 0), exchanged, width + right.shape[1] + 1).int()
        cells = torch.minimum(torch.minimum(above[:, 1:] + 1, above[:, :-1] + ~equal), exchanged)
        table[:, place + 1] = _with_inserted(cells, place + 1, columns)
        rows = torch.where(equal, place + 1, rows)
    return table[numbers[:, 0], left_lengths, right_lengths].long()


def hamming(left: Tensor, left_lengths: Tensor, right: Tensor, right_lengths: Tensor) -> Tensor:
    """How many signs of strings of equal lengths differ, (n,) int64; of others, of those that both have."""
    size = min(left.shape[1], right.shape[1])
    inside = torch.arange(size, device=left.device) < torch.minimum(left_lengths, right_lengths)[:, None]
    return ((left[:, :size] != right[:, :size]) & inside).sum(1)


def jaccard(left: Tensor, left_lengths: Tensor, right: Tensor, right_lengths: Tensor) -> Tensor:
    """Of the signs that stand in one of the strings, the share that stands in both, (n,) float64."""
    if left.dtype == torch.uint8:
        first, second = _kinds(left, left_lengths), _kinds(right, right_lengths)
        return (first & second).sum(1).double() / (first | second).sum(1)
    first, ones = _in_order(left, left_lengths)
    second, others = _in_order(right, right_lengths)
    place = torch.searchsorted(second, first).clamp(max=max(second.shape[1] - 1, 0))
    common = ((second.gather(1, place) == first) & ones).sum(1) if second.shape[1] else ones.sum(1) * 0
    return common.double() / (ones.sum(1) + others.sum(1) - common)


def _kinds(strings: Tensor, lengths: Tensor) -> Tensor:
    """Which of the 256 bytes stand in each string, (n, 256) bool."""
    inside = torch.arange(strings.shape[1], device=strings.device) < lengths[:, None]
    found = torch.zeros((strings.shape[0], 257), dtype=torch.bool, device=strings.device)
    return found.scatter_(1, torch.where(inside, strings.long(), 256), True)[:, :256]


def _in_order(strings: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of each string in their order, -1 before them, and which are the first ones of their kind."""
    inside = torch.arange(strings.shape[1], device=strings.device) < lengths[:, None]
    found = torch.where(inside, strings, -1).sort(1).values.contiguous()
    before = torch.nn.functional.pad(found[:, :-1], (1, 0), value=-1)
    return found, (found != before) & (found >= 0)


def jaro(left: Tensor, left_lengths: Tensor, right: Tensor, right_lengths: Tensor, winkler: bool = False) -> Tensor:
    """Jaro's similarity, (n,) float64 from 0 to 1; with `winkler` more where the first four signs are equal and it is above 0.7."""
    if not left.shape[1]:
        return torch.zeros(left.shape[0], dtype=torch.float64, device=left.device)
    places = torch.arange(left.shape[1], device=left.device)
    window = (torch.maximum(left_lengths, right_lengths) // 2 - 1).clamp(min=0)[:, None]
    free = places < left_lengths[:, None]
    matched = torch.zeros(right.shape, dtype=torch.bool, device=right.device)
    for place in range(right.shape[1]):
        near = (places - place).abs() <= window
        fits = free & near & (left == right[:, place : place + 1]) & (right_lengths > place)[:, None]
        found, first = fits.max(1)
        matched[:, place] = found
        free = free & ~((places == first[:, None]) & found[:, None])
    taken = ~free & (places < left_lengths[:, None])
    common = matched.sum(1)
    moved = (_gathered(left, taken, common) != _gathered(right, matched, common)).sum(1) // 2
    known = common.clamp(min=1).double()
    share = (known / left_lengths + known / right_lengths + (known - moved) / known) / 3.0
    share = torch.where(common > 0, share, 0.0)
    if not winkler:
        return share
    size = min(4, left.shape[1], right.shape[1])
    alike = (left[:, :size] == right[:, :size]) & (
        torch.arange(size, device=left.device) < torch.minimum(left_lengths, right_lengths)[:, None]
    )
    prefix = alike.long().cumprod(1).sum(1)
    return torch.where(share > 0.7, share + prefix.double() * 0.1 * (1.0 - share), share)


def _gathered(strings: Tensor, chosen: Tensor, counts: Tensor) -> Tensor:
    """The chosen signs of each string in their order, (n, most) int32; -1 behind them."""
    most = _most(counts)
    order = (~chosen).byte().argsort(dim=1, stable=True)[:, :most]
    found = strings.gather(1, order).int()
    return torch.where(torch.arange(most, device=strings.device) < counts[:, None], found, -1)
