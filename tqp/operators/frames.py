"""What windows need beside their frames: another order of the rows inside of a call, DISTINCT, and any aggregate over frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.aggregates import FrameForm, aggregate_of
from tqp.functions.aggregates.grouped import Framed
from tqp.functions.align import concat
from tqp.functions.order import value_digits
from tqp.functions.windows import Order
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall
from tqp.kernels import group, once, sort, window
from tqp.kernels.frequent import cuts
from tqp.kernels.rows import expand, select
from tqp.operators.called import Rows
from tqp.operators.collected import aggregate_groups
from tqp.operators.keys import all_valid
from tqp.operators.states import filtered

__all__ = ["inner_order", "over_distinct", "over_frames"]


def inner_order(partitions: window.Runs, codes: Sequence[Tensor]) -> Order:
    """The rows of each partition by integers (n,) each, the most significant first; equal ones in the order of the window."""
    found = sort.argsort([partitions.number, *codes])
    own = torch.arange(found.shape[0], device=found.device)
    starts = group.run_starts(partitions.number.index_select(0, found))
    for code in codes:
        starts = starts | group.run_starts(code.index_select(0, found))
    places = torch.empty_like(found).index_copy_(0, found, own)
    return Order(found, places, starts.cumsum(0).index_select(0, places))


def over_distinct(call: AggregateCall, form: FrameForm, args: tuple[Column, ...], frame: window.Frame) -> Column:
    """An aggregate of the different values in each frame, from its arguments (n,), NULL where its FILTER fails.

    Frames that grow from the partition's start see a value first where its partition does: the other rows are left out. Other
    frames of one range: see `kernels.once`. Of frames that leave out rows in the middle each row is paired with those that it
    sees: as much work as the frames are long together.
    """
    count = len(args[0])
    if count == 0:
        return form(args, call.type, frame)
    ids, _, _ = group.group_ids_multi([digit for arg in args for digit in value_digits(arg)])
    if len(frame.ranges) > 1:
        return over_frames(call, Rows(args, ids, count), frame, ids.device)
    earlier = once.earlier_rows(ids)
    if frame.growing is not None:
        first = earlier < window.start_of(frame.growing)
        return form(filtered(args, first), call.type, frame)
    return form(args, call.type, window.Frame(frame.ranges, earlier=earlier))


def over_frames(call: AggregateCall, rows: Rows, frame: window.Frame, device: torch.device) -> Column:
    """The call (n,) over each row's frame, whatever it asks for: each is a group of the rows (n,), in the window's order.

    The rows of some frames at a time are put one below the other and aggregated as groups are. The cost is that of all frames
    together, so of frames that grow over a long partition the square of its rows. Some aggregates need no such rows
    (`AggregateFunction.of_ranges`).
    """
    of_ranges = aggregate_of(call).of_ranges
    if of_ranges is not None and not call.distinct and not call.order and of_ranges(rows.args, len(frame.ranges)):
        return _of_ranges(call, rows, frame)
    parts, lengths = [], []
    for first, last in pairwise(cuts(window.size(frame))):
        checkpoint()
        frames, places = _rows_of(frame, first, last)
        own = replace(rows.grouped(places, frames, last - first), in_sequence=len(frame.ranges) == 1)
        parts.append(aggregate_groups(call, own, device))
        lengths.append(last - first)
    return concat(parts, lengths)


def _of_ranges(call: AggregateCall, rows: Rows, frame: window.Frame) -> Column:
    """The call (n,) over each row's frame, as a group that is ranges of the rows."""
    keeps_nulls = aggregate_of(call).keeps_nulls
    mask, valid, ranges = rows.passes, None if keeps_nulls else all_valid(rows.args), frame.ranges
    if valid is not None:
        mask = valid if mask is None else mask & valid
    args = rows.args
    if mask is not None:
        # What is left out is no place of any frame.
        before = torch.cat((torch.zeros(1, dtype=torch.int64, device=mask.device), mask.cumsum(0)))
        ranges = [(before.index_select(0, low), before.index_select(0, high)) for low, high in ranges]
        chosen = select(mask)
        args = tuple(arg.take(chosen) for arg in args)
    if not keeps_nulls:
        args = tuple(arg.with_valid(None) for arg in args)
    collect = aggregate_of(call).collect
    assert collect is not None
    ids = torch.zeros(len(args[0]), dtype=torch.int64, device=rows.ids.device)
    return collect(Framed(args, ids, rows.ids.shape[0], call.type, ranges=ranges))


def _rows_of(frame: window.Frame, first: int, last: int) -> tuple[Tensor, Tensor]:
    """Which of the frames from `first` up to `last`, numbered from 0, has which places; those of a frame ascend."""
    pairs = [expand(low[first:last], (high - low)[first:last]) for low, high in frame.ranges]
    return torch.cat([frames.long() for frames, _ in pairs]), torch.cat([places for _, places in pairs])
