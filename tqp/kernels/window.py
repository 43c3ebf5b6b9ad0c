"""Window functions over rows that lie sorted by (partition, order).

A *run* is a sequence of neighbouring rows that belong together: a partition, or within it the rows that are equal in order
(peers). A *frame* is for each row the rows it sees. Nothing here loops over rows or runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import moments, once, waits
from tqp.kernels.fold import Combine, State, scan
from tqp.kernels.operation import operation
from tqp.kernels.reduce import carried, limbs
from tqp.kernels.rows import select

__all__ = [
    "Frame", "Runs", "between", "cume_dist", "dense_rank", "frame_count", "frame_extreme", "frame_float_sum",
    "frame_fold", "frame_moments", "frame_sum", "frame_sum_wide", "moved", "nth", "ntile", "percent_rank", "rank", "row_number",
    "runs", "shifted", "size", "start_of", "stop_of", "tile", "without_peers", "without_row",
]  # fmt: skip

Range = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """`number` (n,) int64: the run of each row, from 0; `begins` (r + 1,) int64: its first row, and n at the end."""

    number: Tensor
    begins: Tensor


@operation()
def runs(starts: Tensor) -> Runs:
    """The runs that begin where `starts` (n,) bool is True; at row 0 in any case, n > 0."""
    rows = starts.shape[0]
    starts = starts.clone()
    starts[:1] = True
    end = torch.full((1,), rows, dtype=torch.int64, device=starts.device)
    return Runs(torch.cumsum(starts, 0) - 1, torch.cat((select(starts), end)))


def start_of(runs: Runs) -> Tensor:
    """(n,) int64: the first row of each row's run."""
    return runs.begins.index_select(0, runs.number)


def stop_of(runs: Runs) -> Tensor:
    """(n,) int64: the row after the last of each row's run."""
    return runs.begins.index_select(0, runs.number + 1)


def _positions(like: Tensor) -> Tensor:
    return torch.arange(like.shape[0], device=like.device)


def row_number(partitions: Runs) -> Tensor:
    """(n,) int64, from 1."""
    return _positions(partitions.number) - start_of(partitions) + 1


def rank(partitions: Runs, peers: Runs) -> Tensor:
    """(n,) int64, from 1, with gaps after peers."""
    return start_of(peers) - start_of(partitions) + 1


def dense_rank(partitions: Runs, peers: Runs) -> Tensor:
    """(n,) int64, from 1, without gaps."""
    return peers.number - peers.number.index_select(0, start_of(partitions)) + 1


def percent_rank(partitions: Runs, peers: Runs) -> Tensor:
    """(n,) float64: (rank - 1) / (rows - 1), 0 in a partition of one row."""
    start = start_of(partitions)
    others = stop_of(partitions) - start - 1
    return (start_of(peers) - start).double() / others.clamp(min=1)


def cume_dist(partitions: Runs, peers: Runs) -> Tensor:
    """(n,) float64: the share of rows up to the last peer."""
    start = start_of(partitions)
    return (stop_of(peers) - start).double() / (stop_of(partitions) - start)


def ntile(partitions: Runs, tiles: Tensor) -> Tensor:
    """(n,) int64, from 1: the row's among `tiles` (n,) int64 >= 1 near-equal parts, the longer ones first."""
    start = start_of(partitions)
    return tile(_positions(start) - start, stop_of(partitions) - start, tiles)


def tile(place: Tensor, rows: Tensor, tiles: Tensor) -> Tensor:
    """(n,) int64, from 1: the part of the row at a `place`, from 0, of `rows` (n,) int64 each, among `tiles` as for `ntile`.

    A place behind all of the rows is that of the last one.
    """
    place = torch.minimum(place, rows - 1)
    length, longer = rows // tiles, rows % tiles
    in_longer = longer * (length + 1)
    late = longer + (place - in_longer) // length.clamp(min=1)
    return torch.where(place < in_longer, place // (length + 1), late) + 1


def shifted(partitions: Runs, steps: Runs | None, by: Tensor | int, after: bool) -> Tensor:
    """(n,) int64: where the step `by` steps from the row's own begins (`after`: ends), kept within the partition.

    Steps are single rows, or `steps` within partitions. `by` (n,) int64 or one number, of any size.
    """
    start, stop = start_of(partitions), stop_of(partitions)
    rows = start.shape[0]
    by = by.clamp(-rows, rows) if isinstance(by, Tensor) else min(max(by, -rows), rows)
    if steps is None:
        return torch.minimum(torch.maximum(_positions(start) + (by + after), start), stop)
    first, last = steps.number.index_select(0, start), steps.number.index_select(0, stop - 1)
    wanted = torch.minimum(torch.maximum(steps.number + (by + after), first), last + 1)
    return steps.begins.index_select(0, wanted)


def moved(partitions: Runs, by: Tensor | int, eligible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Position (n,) int64 of the row `by` ((n,) int64 or one number) rows before each, and whether its partition has it.

    `eligible` (n,) bool: only such rows count as steps; no step stays on the row, whatever it is. Where there is no row,
    the position is that of any row.
    """
    start, stop = start_of(partitions), stop_of(partitions)
    own = _positions(start)
    rows = own.shape[0]
    by = by.clamp(-rows - 1, rows + 1) if isinstance(by, Tensor) else torch.full_like(own, by)
    if eligible is None:
        place = own - by
        exists = (place >= start) & (place < stop)
        return torch.where(exists, place, own), exists
    earlier, later = Frame([(start, own)]), Frame([(own + 1, stop)])
    before = nth(earlier, frame_count(eligible, earlier) - by, eligible)
    after = nth(later, -by - 1, eligible)
    place = torch.where(by > 0, before[0], torch.where(by < 0, after[0], own))
    return place, torch.where(by > 0, before[1], torch.where(by < 0, after[1], by == 0))


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Of each row: a few disjoint ranges [low, high) of positions, ascending, as (n,) int64 tensors with low <= high.

    `growing`: the partitions where every frame is one range that begins with its row's partition.
    `earlier`: only the first row of each value in a frame of one range counts; what it is says `kernels.once`.
    """

    ranges: Sequence[Range]
    growing: Runs | None = None
    earlier: Tensor | None = None


def between(low: Tensor, high: Tensor, growing: Runs | None = None) -> Frame:
    """The rows low .. high - 1, none where high <= low; `growing` as in `Frame`."""
    return Frame([_span(low, high)], growing)


def without_row(frame: Frame) -> Frame:
    """A frame of one range without the row itself."""
    own = _positions(frame.ranges[0][0])
    return Frame(_around(frame.ranges[0], own, own + 1))


def without_peers(frame: Frame, peers: Runs, keep_row: bool) -> Frame:
    """A frame of one range without the row's peers; `keep_row`: but with the row itself, if it was there."""
    (start, stop), own = frame.ranges[0], _positions(peers.number)
    before, after = _around((start, stop), start_of(peers), stop_of(peers))
    middle = [_span(torch.maximum(start, own), torch.minimum(stop, own + 1))] if keep_row else []
    return Frame([before, *middle, after])


def _around(whole: Range, low: Tensor, high: Tensor) -> list[Range]:
    return [_span(whole[0], torch.minimum(whole[1], low)), _span(torch.maximum(whole[0], high), whole[1])]


def _span(low: Tensor, high: Tensor) -> Range:
    return low, torch.maximum(low, high)


def size(frame: Frame) -> Tensor:
    """(n,) int64: how many rows each frame has."""
    first, *others = frame.ranges
    if frame.earlier is not None:
        return _sums(torch.ones_like(frame.earlier), frame)
    total = first[1] - first[0]
    for low, high in others:
        total = total + (high - low)
    return total


@operation()
def nth(frame: Frame, n: Tensor, eligible: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Position (n,) int64 of the n-th row, from 0, of each frame, or of its rows that are `eligible` ((n,) bool).

    And whether there is one; elsewhere the position is 0.
    """
    places, sums = None, None
    if eligible is not None:
        places, sums = select(eligible), _prefix(eligible)
    found = torch.zeros_like(n)
    exists = torch.zeros_like(n, dtype=torch.bool)
    n = n.clamp(min=-1)
    for low, high in frame.ranges:
        first = low if sums is None else sums.index_select(0, low)
        count = (high if sums is None else sums.index_select(0, high)) - first
        here = ~exists & (n >= 0) & (n < count)
        found = torch.where(here, first + n, found)
        exists = exists | here
        n = torch.where(exists | (n < 0), n, n - count)
    if places is not None:
        found = places.index_select(0, found) if places.shape[0] else torch.zeros_like(found)
    return found, exists


def _prefix(values: Tensor) -> Tensor:
    """(n + 1,) int64: the sums of the first 0, 1, …, n of `values` (n,) integers or bool, modulo 2**64."""
    total = torch.zeros(values.shape[0] + 1, dtype=torch.int64, device=values.device)
    torch.cumsum(values, 0, dtype=torch.int64, out=total[1:])
    return total


def _sums(values: Tensor, frame: Frame) -> Tensor:
    """(n,) int64 sums of integers or bool (n,) over each frame, modulo 2**64."""
    if frame.earlier is not None:
        return once.summed(values, frame.earlier, *frame.ranges[0])
    sums = _prefix(values)
    parts = [sums.index_select(0, high) - sums.index_select(0, low) for low, high in frame.ranges]
    return parts[0] if len(parts) == 1 else torch.stack(parts).sum(0)


def frame_count(chosen: Tensor, frame: Frame) -> Tensor:
    """(n,) int64: how many rows of each frame are True in `chosen` (n,) bool."""
    return _sums(chosen, frame)


@operation()
def frame_sum(values: Tensor, frame: Frame) -> Tensor:
    """(n,) int64 sums of integers (n,) over each frame.

    Exact where each frame's own sum fits 64 bits, which the caller has proven: the running sum may wrap, its differences
    do not. Two passes and two gathers a range.
    """
    return _sums(values, frame)


def frame_sum_wide(values: Tensor, frame: Frame) -> tuple[Tensor, Tensor]:
    """Exact sums (n, 2) over each frame of integers (n,) or wide numbers (n, 2), and where they leave 128 bits. n < 2**31."""
    # Each limb has 32 bits, so that the sum of fewer than 2**31 stays within 64.
    values = values.long() if values.ndim == 1 else values
    return carried([_sums(limb, frame) for limb in limbs(values)])


def frame_float_sum(values: Tensor, frame: Frame) -> Tensor:
    """(n,) float64 sums of floats (n,) over each frame, 0 where it is empty."""
    (total,) = frame_fold((values.double(),), (0.0,), lambda a, b: (a[0] + b[0],), frame)
    return total


@operation()
def frame_extreme(values: Tensor, chosen: Tensor | None, frame: Frame, largest: bool) -> Tensor:
    """The least or greatest of the integers (n,) that are True in `chosen` ((n,) bool), over each frame; 0 where there is none."""
    limits = torch.iinfo(values.dtype)
    neutral = limits.min if largest else limits.max
    if chosen is not None:
        values = torch.where(chosen, values, torch.full((), neutral, dtype=values.dtype, device=values.device))
    better = torch.maximum if largest else torch.minimum
    (best,) = frame_fold((values,), (neutral,), lambda a, b: (better(a[0], b[0]),), frame)
    some = (size(frame) if chosen is None else frame_count(chosen, frame)) > 0
    return torch.where(some, best, torch.zeros((), dtype=best.dtype, device=best.device))


def frame_moments(values: Tensor, chosen: Tensor | None, frame: Frame) -> State:
    """The moments of float64 (n,) over each frame; `chosen` as for `frame_extreme`."""
    weight = torch.ones_like(values) if chosen is None else chosen.double()
    values = values if chosen is None else torch.where(chosen, values, 0.0)
    return frame_fold((weight, values, torch.zeros_like(values)), (0.0, 0.0, 0.0), moments.joint, frame)


@operation()
def frame_fold(states: State, neutral: tuple[float, ...], combine: Combine, frame: Frame) -> State:
    """`states` ((n,) each, a row's own) combined over each frame's rows; `neutral` where a frame is empty.

    `combine` is associative and commutative, with `neutral`. No value outside a frame touches its result, so that NaN and
    infinities stay where they belong. Frames that grow from the partition's start: about 4 passes. Others: a segment tree, some
    2 gathers and combinations a range and level, as many levels as the longest frame has bits. A sync on a GPU.
    """
    device = states[0].device
    empty = tuple(
        torch.full((), value, dtype=state.dtype, device=device) for value, state in zip(neutral, states, strict=True)
    )
    if states[0].shape[0] == 0:
        return states
    if frame.earlier is not None:
        return once.folded(states, empty, combine, frame.earlier, *frame.ranges[0])
    if frame.growing is not None:
        ((low, high),) = frame.ranges
        starts = torch.zeros(states[0].shape[0], dtype=torch.bool, device=device)
        starts[frame.growing.begins[:-1]] = True
        return _chosen(scan(states, starts, combine), (high - 1).clamp(min=0), low < high, empty)
    return _climb(states, empty, combine, frame.ranges)


def _climb(states: State, empty: State, combine: Combine, ranges: Sequence[Range]) -> State:
    """Up a segment tree, adding to each range what a level has at its two ends."""
    result = tuple(value.expand(ranges[0][0].shape[0]) for value in empty)
    longest = torch.stack([(high - low).max() for low, high in ranges]).max()
    spans = list(ranges)
    level = states
    for _ in range(waits.number(longest, "the longest frame decides how many levels").bit_length()):
        checkpoint()
        last = level[0].shape[0] - 1
        for number, (low, high) in enumerate(spans):
            odd = (low < high) & (low & 1).bool()
            result = combine(result, _chosen(level, low.clamp(max=last), odd, empty))
            low = low + odd.long()
            odd = (low < high) & (high & 1).bool()
            high = high - odd.long()
            result = combine(result, _chosen(level, high.clamp(max=last), odd, empty))
            spans[number] = (low >> 1, high >> 1)
        if last % 2 == 0:
            level = tuple(torch.cat((state, value.reshape(1))) for state, value in zip(level, empty, strict=True))
        level = combine(tuple(state[0::2] for state in level), tuple(state[1::2] for state in level))
    return result


def _chosen(level: State, places: Tensor, mask: Tensor, empty: State) -> State:
    return tuple(
        torch.where(mask, state.index_select(0, places), value) for state, value in zip(level, empty, strict=True)
    )
