"""Where groups of a regular expression lie in many strings: two passes over each, by tables of bytes.

The first goes from the end to the begin and keeps for each place which ways to go on lead to a match: that is a state, one of few,
as it follows from the one behind it and a byte. The second goes from the begin and takes at each place the first way, in the order
in which the expression prefers them, of those that do. So neither ever goes back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.loops.automata import find_all_groups, find_groups
from tqp.kernels.operation import Variant, operation

__all__ = ["NOTHING", "NO_MATCH", "SLOTS", "Automaton", "all_are_looked_for", "all_groups", "are_looked_for", "groups"]

NOTHING = -1
"""Where a group lies that no part of the match is in."""
NO_MATCH = -2
"""What the first place is of a string that does not match."""

SLOTS = 8
"""So many places of a string are found at most, two of each group."""

_KINDS = (
    torch.uint8, torch.int64, torch.int64, torch.uint8, int, torch.uint8, torch.int32, int, torch.int64,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """Tables of s states and m nodes, of which the first is where strings begin.

    `back` (s * 256,) uint8: the state before a byte, by that behind it; `last`: that at the end of strings. `accepts` (s,)
    uint8: those of the begin of a string that matches. `ahead` (m * s,) int32: by the node one is at and the state of the place,
    where the node behind the next byte has its part of this table, or -1 where no more is saved; in the lowest eight bits one for
    each of the `slots`, up to `SLOTS`, that is this place.
    """

    back: Tensor
    last: int
    accepts: Tensor
    ahead: Tensor
    slots: int


def _by_loop(data: Tensor, offsets: Tensor, automaton: Automaton) -> Tensor:
    ends = offsets.contiguous().numpy()
    places = np.empty((len(ends) - 1) * automaton.slots, np.int64)
    tables = [table.contiguous().numpy() for table in (automaton.back, automaton.accepts, automaton.ahead)]
    back, accepts, ahead = tables
    find_groups(
        data.contiguous().numpy(),
        ends[:-1],
        ends[1:],
        back,
        automaton.last,
        accepts,
        ahead,
        automaton.slots,
        places,
    )
    return torch.from_numpy(places).view(-1, automaton.slots)


def are_looked_for(rows: int) -> bool:
    """Whether the loop is there for so many strings; without it other engines are faster."""
    return find_groups.ready(rows, *_KINDS)


def _loop_is_there(data: Tensor, offsets: Tensor, automaton: Automaton) -> bool:
    return are_looked_for(len(offsets) - 1)


@operation(Variant(_by_loop, "cpu", "states stay in registers, tables in the cache", _loop_is_there))
def groups(data: Tensor, offsets: Tensor, automaton: Automaton) -> Tensor:
    """Where each slot lies in `data`, `NOTHING` or in the first one `NO_MATCH`: (n, slots) int64. Strings as in `text.like`."""
    begins, stops = offsets[:-1], offsets[1:]
    rows = begins.shape[0]
    places = torch.full((rows, automaton.slots), NOTHING, dtype=torch.int64, device=data.device)
    if not rows:
        return places
    longest = waits.number((stops - begins).max(), "how long strings are")
    state = torch.full_like(begins, automaton.last)
    states = [state]
    for step in range(longest):
        at = stops - 1 - step
        is_there = at >= begins
        byte = data.index_select(0, at.clamp(0)).long()
        before = automaton.back.index_select(0, state * 256 + byte).long()
        state = torch.where(is_there, before, state)
        states.append(state)
    by_left = torch.stack(states, 1)
    node = torch.zeros_like(begins)
    for step in range(longest + 1):
        left = (stops - begins - step).clamp(0)
        now = by_left.gather(1, left.unsqueeze(1)).squeeze(1)
        goes_on = node >= 0
        entry = automaton.ahead.index_select(0, node.clamp(0) + now).long()
        for slot in range(automaton.slots):
            is_saved = goes_on & ((entry >> slot & 1) > 0)
            places[:, slot] = torch.where(is_saved, begins + step, places[:, slot])
        node = torch.where(goes_on, entry >> 8, node)
    accepted = automaton.accepts.index_select(0, state) > 0
    none = torch.full_like(places, NOTHING)
    none[:, 0] = NO_MATCH
    return torch.where(accepted.unsqueeze(1), places, none)


_ALL_KINDS = (
    torch.uint8, torch.int64, torch.uint8, int, torch.uint8, torch.int32, int, torch.int64, torch.int64, torch.int64,
)  # fmt: skip


def all_are_looked_for(rows: int) -> bool:
    """Whether `all_groups` is there for so many strings."""
    return find_all_groups.ready(rows, *_ALL_KINDS)


def all_groups(data: Tensor, offsets: Tensor, automaton: Automaton) -> tuple[Tensor, Tensor, Tensor]:
    """How many matches each string has that do not overlap, (n,) int64, and where the last group of each lies, (m,) int64 twice.

    The first two slots are the whole match; no match is empty, nor must one begin where the string does. For strings that
    `all_are_looked_for`, on the CPU.
    """
    counts = np.empty(len(offsets) - 1, np.int64)
    # No match is shorter than a byte; what is not written takes no memory.
    firsts, lasts = np.empty((2, data.shape[0]), np.int64)
    total = find_all_groups(
        data.contiguous().numpy(), offsets.contiguous().numpy(), automaton.back.contiguous().numpy(), automaton.last,
        automaton.accepts.contiguous().numpy(), automaton.ahead.contiguous().numpy(), automaton.slots, counts, firsts, lasts,
    )  # fmt: skip
    return torch.from_numpy(counts), torch.from_numpy(firsts[:total].copy()), torch.from_numpy(lasts[:total].copy())
