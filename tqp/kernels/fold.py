"""Folding rows with any associative combination: running, and by groups.

A state is a tuple of tensors (n,) each, one value of each tensor a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.folding import add_carefully, fold_bits
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import count
from tqp.kernels.sort import argsort

__all__ = ["BITS", "Combine", "State", "bits", "compensated", "grouped", "scan", "with_error"]

State = tuple[Tensor, ...]
Combine = Callable[[State, State], State]

BITS: Final = ((torch.bitwise_and, -1), (torch.bitwise_or, 0), (torch.bitwise_xor, 0))
"""How bits are combined, and what changes none."""


def scan(states: State, starts: Tensor, combine: Combine) -> State:
    """Of each row: the states from the last start up to it, combined. Pairs first, then the rows between (Blelloch, 1990)."""
    rows = starts.shape[0]
    if rows == 1:
        return states
    even = rows - rows % 2
    late = starts[1::2]
    right = tuple(state[1::2] for state in states)
    both = combine(tuple(state[0:even:2] for state in states), right)
    pairs = tuple(torch.where(late, alone, joint) for alone, joint in zip(right, both, strict=True))
    done = scan(pairs, starts[0:even:2] | late, combine)
    result = tuple(torch.empty_like(state) for state in states)
    others = tuple(state[2::2] for state in states)
    joined = combine(tuple(state[: others[0].shape[0]] for state in done), others)
    for into, state, odd, alone, joint in zip(result, states, done, others, joined, strict=True):
        into[0] = state[0]
        into[1::2] = odd
        into[2::2] = torch.where(starts[2::2], alone, joint)
    return result


@operation()
def grouped(states: State, neutral: tuple[float, ...], combine: Combine, ids: Tensor | None, groups: int) -> State:
    """`states` ((n,) each) of the rows of each group combined: (groups,) each, `neutral` where a group has no row.

    `ids` (n,) int64; None where there is but one group. `combine` is associative; rows are taken in their order. A sort, and some
    4 passes.
    """
    rows, device = states[0].shape[0], states[0].device
    if rows == 0:
        return tuple(
            torch.full((groups,), value, dtype=state.dtype, device=device)
            for value, state in zip(neutral, states, strict=True)
        )
    if ids is None:
        ids = torch.zeros(rows, dtype=torch.int64, device=device)
    order = argsort([ids])
    sorted_ids = ids.index_select(0, order)
    starts = torch.zeros(rows, dtype=torch.bool, device=device)
    starts[1:] = sorted_ids[1:] != sorted_ids[:-1]
    done = scan(tuple(state.index_select(0, order) for state in states), starts, combine)
    sizes = count(ids, groups)
    last = (sizes.cumsum(0) - 1).clamp(min=0)
    some = sizes > 0
    return tuple(
        torch.where(some, state.index_select(0, last), torch.full((), value, dtype=state.dtype, device=device))
        for state, value in zip(done, neutral, strict=True)
    )


def _bits_by_loop(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int, which: int) -> tuple[Tensor, Tensor]:
    found = torch.full((groups,), BITS[which][1], dtype=torch.int64, device=values.device)
    some = torch.zeros(groups, dtype=torch.bool, device=values.device)
    known = np.empty(0, np.bool_) if valid is None else valid.contiguous().numpy()
    fold_bits(integers(values), known, ids.contiguous().numpy(), which, found.numpy(), some.numpy())
    return some, found


def _folds_bits(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int, which: int) -> bool:
    return fold_bits.ready(ids.shape[0], width(values), torch.bool, torch.int64, int, torch.int64, torch.bool)


@operation(Variant(_bits_by_loop, "cpu", "one pass, not a sort", _folds_bits))
def bits(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int, which: int) -> tuple[Tensor, Tensor]:
    """The bits of `values` (n,) integers of each group `ids` (n,) int64 combined by `BITS[which]`.

    Of rows in which `valid` (n,) bool holds; None: of all. Which groups have such a row, (groups,) bool, and the bits (groups,)
    int64, those that change nothing of a group that has none.
    """
    combine, neutral = BITS[which]
    own = values.long() if valid is None else torch.where(valid, values.long(), neutral)
    known = torch.ones_like(own) if valid is None else valid.long()
    some, found = grouped((known, own), (0, neutral), lambda a, b: (a[0] | b[0], combine(a[1], b[1])), ids, groups)
    return some > 0, found


def with_error(a: State, b: State) -> State:
    """The sum of two sums, each with what it lacks, and what the new one lacks, exactly (Knuth, TAOCP 4.2.2).

    Of infinities the error is NaN.
    """
    total = a[0] + b[0]
    back = total - a[0]
    return total, a[1] + b[1] + ((a[0] - (total - back)) + (b[0] - back))


def _compensated_by_loop(totals: Tensor, losses: Tensor | None, ids: Tensor, groups: int) -> State:
    total, lost = torch.zeros(2, groups, dtype=torch.float64, device=ids.device)
    lacking = np.empty(0, np.float64) if losses is None else losses.contiguous().numpy()
    add_carefully(totals.contiguous().numpy(), lacking, ids.contiguous().numpy(), total.numpy(), lost.numpy())
    return total, lost


def _adds_carefully(totals: Tensor, losses: Tensor | None, ids: Tensor, groups: int) -> bool:
    doubles = torch.float64, torch.float64
    return add_carefully.ready(ids.shape[0], *doubles, torch.int64, *doubles)


@operation(Variant(_compensated_by_loop, "cpu", "one pass, not a sort", _adds_carefully))
def compensated(totals: Tensor, losses: Tensor | None, ids: Tensor, groups: int) -> State:
    """The sums (groups,) of finite `totals` (n,) float64 of each group `ids` (n,) int64, and with `losses` (n,) what they lack.

    None: the totals lack nothing.
    """
    lacking = torch.zeros_like(totals) if losses is None else losses
    return grouped((totals, lacking), (0.0, 0.0), with_error, ids, groups)
