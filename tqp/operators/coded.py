"""Conditions on a text by its codes: in a sorted dictionary entries that pass often lie side by side.

So do those that equal a string, are less than it, or begin with it. Then rows compare their codes, many at a time, instead of each
looking up what is known of its entry.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.kernels import compare
from tqp.kernels.operation import is_tracing
from tqp.kernels.runs import one_run

__all__ = ["CodeRange", "CodeRanges"]


@dataclass(frozen=True, slots=True)
class CodeRange:
    """A condition that holds for the codes first .. last - 1 of 0 .. `entries` - 1, or (not `inside`) for all others."""

    first: int
    last: int
    entries: int
    inside: bool

    def holds(self, codes: Tensor) -> Tensor:
        """(n,) bool, of codes (n,) of any width that holds all of them."""
        first, last = self.first, self.last
        if last - first == 1:
            return compare.eq(codes, first) if self.inside else compare.ne(codes, first)
        if last == self.entries:
            return compare.ge(codes, first) if self.inside else compare.lt(codes, first)
        if first == 0:
            return compare.lt(codes, last) if self.inside else compare.ge(codes, last)
        if self.inside:
            return compare.ge(codes, first).logical_and_(compare.lt(codes, last))
        return compare.lt(codes, first).logical_or_(compare.ge(codes, last))


class CodeRanges:
    """The ranges of conditions on texts in one run, whose dictionaries have `a_row` entries for each row of a batch, at most."""

    def __init__(self, a_row: int) -> None:
        self._a_row = a_row
        self._known: dict[Hashable, CodeRange | None] = {}

    def of(self, key: Hashable, found: Column, entries: int, rows: int) -> CodeRange | None:
        """The range of the condition `key` whose values are `found` (entries,), or one more for NULL, for a batch of so many rows.

        None where it is no range, or NULL for an entry but not for NULL. A pass over the entries, once.
        """
        # What is compiled takes other constants, with which other entries pass.
        if found.data.dtype is not torch.bool or entries > rows * self._a_row or is_tracing():
            return None
        if key not in self._known:
            self._known[key] = _range_of(found, entries)
        return self._known[key]


def _range_of(found: Column, entries: int) -> CodeRange | None:
    valid = found.valid
    is_strict = len(found) == entries if valid is None else one_run(valid) == (0, entries, True)
    run = one_run(found.data[:entries]) if is_strict else None
    return None if run is None else CodeRange(run[0], run[1], entries, run[2])
