"""Groups of batches that come in the order of a key: those of different batches meet at the ends of these alone.

Tables are often written in the order of a key: of orders their lines, of days their events. Then the groups of a batch, but
those of its first and its last key, have no rows elsewhere, and are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.order import lasting_digits
from tqp.kernels import waits

__all__ = ["Meeting", "ascends", "meeting"]

_ORDER = "whether the keys of batches ascend, and where they end"
_ENDS = "where the last key of a batch begins, and where it ends in the next one"


@dataclass(frozen=True, slots=True)
class Meeting:
    """Of each piece the groups within, from the first number up to the second, and the others (m,) int64, which may go on in other
    pieces."""

    within: list[tuple[int, int]]
    ends: list[Tensor]

    @property
    def share(self) -> float:
        """How many of the groups lie at the ends of pieces."""
        ends = sum(rows.shape[0] for rows in self.ends)
        return ends / (ends + sum(last - first for first, last in self.within))


def ascends(keys: Sequence[Column]) -> bool:
    """Whether one of the key columns (n,), n > 0, has no NULL and never falls."""
    leads = [lead for key in keys if (lead := _lead(key)) is not None]
    return bool(leads) and any(waits.several([_is_ascending(lead) for lead in leads], _ORDER))


def meeting(pieces: Sequence[Sequence[Column]]) -> Meeting | None:
    """How the groups of pieces lie, given their key columns (groups,), none without groups; None where no key orders them.

    Two waits; a pass over a key, or several.
    """
    for columns in zip(*pieces, strict=True):
        if any(column.dictionary is not columns[0].dictionary for column in columns):
            continue
        leads = [lead for column in columns if (lead := _lead(column)) is not None]
        if len(leads) < len(columns):
            continue
        facts = waits.several([fact for lead in leads for fact in (_is_ascending(lead), lead[0], lead[-1])], _ORDER)
        firsts, lasts = facts[1::3], facts[2::3]
        if all(facts[::3]) and all(last <= first for last, first in zip(lasts, firsts[1:], strict=False)):
            return _cut(leads, firsts, lasts)
    return None


def _lead(column: Column) -> Tensor | None:
    """The one digit (n,) of a key without NULL."""
    if column.valid is not None or column.dtype.is_nested:
        return None
    digits = lasting_digits(column)
    return digits[0] if len(digits) == 1 else None


def _is_ascending(lead: Tensor) -> Tensor:
    return (lead[1:] >= lead[:-1]).all()


def _cut(leads: list[Tensor], firsts: list[int], lasts: list[int]) -> Meeting:
    """Each piece's groups of a key that no other piece has, and those at its ends."""
    met = [False, *(last == first for last, first in zip(lasts, firsts[1:], strict=False)), False]
    places = []
    for lead, (before, after) in zip(leads, pairwise(met), strict=True):
        size = torch.full((1,), lead.shape[0], device=lead.device)
        lead = lead.contiguous()
        begins = torch.searchsorted(lead, lead[:1], right=True) if before else torch.zeros_like(size)
        ends = torch.searchsorted(lead, lead[-1:]) if after else size
        places += [begins[0], ends[0]]
    found = waits.several(places, _ENDS)
    within, others = [], []
    for lead, first, last in zip(leads, found[::2], found[1::2], strict=True):
        if first > last:
            # A piece of one key lies at its ends altogether.
            first = last = 0
        rows = torch.arange(lead.shape[0], dtype=torch.int64, device=lead.device)
        within.append((first, last))
        others.append(torch.cat([rows[:first], rows[last:]]))
    return Meeting(within, others)
