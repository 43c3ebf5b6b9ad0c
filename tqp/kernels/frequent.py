"""What comes most often in frames of rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import group, reduce, waits
from tqp.kernels.fold import State, scan
from tqp.kernels.loops.frames import slide_modes
from tqp.kernels.operation import Variant, operation
from tqp.kernels.rows import expand, select
from tqp.kernels.sort import argsort

__all__ = ["PAIRS", "cuts", "most_frequent"]

PAIRS = 2**22
"""Pairs of a row and a frame that it is in which are looked at together."""


def cuts(sizes: Tensor) -> list[int]:
    """Numbers 0 = c[0] < c[1] < … = n, n > 0, between which frames of `sizes` (n,) have about `PAIRS` rows, or are one."""
    ends = sizes.cumsum(0)
    total = waits.number(ends[-1], "how many pairs of rows and frames there are")
    limits = torch.arange(1, total // PAIRS + 1, device=ends.device) * PAIRS
    inner = waits.numbers(torch.searchsorted(ends, limits), "where to cut the pairs")
    return sorted({0, *inner, sizes.shape[0]})


def _by_loop(numbers: Tensor, low: Tensor, high: Tensor) -> Tensor:
    rows = numbers.shape[0]
    found = torch.zeros_like(low)
    nexts, firsts = (torch.empty(rows, dtype=torch.int64, device="cpu") for _ in range(2))
    counts, of_counts = (torch.zeros(size, dtype=torch.int64, device="cpu") for size in (rows, rows + 1))
    given = [one.contiguous() for one in (numbers, low, high)]
    slide_modes(*[one.numpy() for one in (*given, nexts, counts, firsts, of_counts, found)])
    return found


def _is_compiled(numbers: Tensor, low: Tensor, high: Tensor) -> bool:
    return slide_modes.ready(numbers.shape[0], *[torch.int64] * 8)


@operation(Variant(_by_loop, "cpu", "from one frame to the next by the rows that come and go", _is_compiled))
def most_frequent(numbers: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """(m,) int64: the first row in each of m ranges [low, high) of the number that comes most often there.

    Of several numbers that of the one which comes first; 0 of empty ranges. `numbers` (n,) int64 are in 0 .. n - 1. Ranges that
    grow from where others end (`window.Frame.growing`): a sort and some passes. Others: all their rows, some at a time. Syncs.
    """
    if not low.shape[0] or not numbers.shape[0]:
        return torch.zeros_like(low)
    begins, run = _runs(low)
    ends = torch.cat((begins[1:], torch.full_like(begins[:1], numbers.shape[0])))
    grows = (begins[1:] > begins[:-1]).all() & (high <= ends.index_select(0, run)).all()
    if waits.truth(grows, "frames that grow are one running count"):
        return _growing(numbers, begins, low, high)
    return torch.cat(list(_of_pairs(numbers, low, high)))


def _runs(low: Tensor) -> tuple[Tensor, Tensor]:
    """The values (r,) of runs of equal ones, and the run of each row (m,)."""
    starts = group.run_starts(low)
    first = torch.zeros(1, dtype=torch.int64, device=low.device)
    return low.index_select(0, torch.cat((first, select(starts)))), starts.cumsum(0)


def _growing(numbers: Tensor, begins: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Of ranges that begin at some of `begins`, and end before the next: how often each row's number has come, and the most."""
    own = torch.arange(numbers.shape[0], device=numbers.device)
    run = torch.searchsorted(begins, own, right=True)
    order = argsort([run, numbers])
    sorted_runs, sorted_numbers = run.index_select(0, order), numbers.index_select(0, order)
    starts = group.run_starts(sorted_runs) | group.run_starts(sorted_numbers)
    first = torch.cummax(torch.where(starts, own, 0), 0).values
    back = torch.empty_like(order).index_copy_(0, order, own)
    times = (own - first).index_select(0, back)
    firsts = order.index_select(0, first).index_select(0, back)
    _, best = scan((times, firsts), group.run_starts(run), _more)
    return torch.where(low < high, best.index_select(0, (high - 1).clamp(min=0)), 0)


def _more(a: State, b: State) -> State:
    later = (b[0] > a[0]) | ((b[0] == a[0]) & (b[1] < a[1]))
    return torch.where(later, b[0], a[0]), torch.where(later, b[1], a[1])


def _of_pairs(numbers: Tensor, low: Tensor, high: Tensor) -> Iterator[Tensor]:
    rows = numbers.shape[0]
    for start, stop in pairwise(cuts(high - low)):
        checkpoint()
        frames, places = expand(low[start:stop], (high - low)[start:stop])
        frames = frames.long()
        found = torch.zeros(stop - start, dtype=torch.int64, device=low.device)
        if not places.shape[0]:
            yield found
            continue
        pairs, firsts, _ = group.group_ids_multi([frames * rows + numbers.index_select(0, places)])
        times, owners = reduce.count(pairs, firsts.shape[0]), frames.index_select(0, firsts)
        most = reduce.extreme_at_(torch.zeros_like(found), owners, times, True)
        best = select(times == most.index_select(0, owners))
        place = torch.full_like(found, rows)
        reduce.extreme_at_(
            place, owners.index_select(0, best), places.index_select(0, firsts.index_select(0, best)), False
        )
        yield torch.where(most > 0, place, 0)
