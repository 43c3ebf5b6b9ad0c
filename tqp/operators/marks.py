"""Which rows came before, and their numbers: looked up by integers of a range that is not too wide, else by grouping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.align import concat
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.operators.keys import group_rows
from tqp.types import DType

__all__ = ["Marks", "Numbers", "can_mark"]

_MARKED: Final = 2**28
"""Values of one column are marked as seen in an array of so many at the most."""
_WHY: Final = "which rows of a step are new"


class Marks:
    """Which integers came before: a byte for each from `low` on, and the row that came last of those at hand."""

    def __init__(self) -> None:
        self.low = 0
        self._seen: Tensor | None = None
        self._seen_ones = memoryview(b"")
        """The same, read and written one by one; on the CPU alone."""
        self._row: Tensor | None = None
        self._null = False

    @property
    def size(self) -> int:
        """How many integers have a mark."""
        return 0 if self._seen is None else self._seen.shape[0]

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """What it is made of."""
        for name, tensor in (("seen", self._seen), ("row", self._row)):
            if tensor is not None:
                yield name, tensor

    def new(self, column: Column) -> Tensor | None:
        """The first rows of the integers that are new, which then are not; None where their range is too wide to mark."""
        if column.is_wide:
            return None
        data = column.data.long()
        nulls = None
        if column.valid is not None:
            nulls = select(~column.valid)
            valid = select(column.valid)
            data = data.index_select(0, valid)
        chosen = torch.empty(0, dtype=torch.int64, device=data.device)
        if data.shape[0]:
            low, high = waits.limits(data, _WHY)
            if not self._covers(low, high, data.device):
                return None
            assert self._seen is not None and self._row is not None
            places = data - self.low
            fresh = select(~self._seen.index_select(0, places))
            places = places.index_select(0, fresh)
            # Of equal ones the row that is written last.
            self._row.scatter_(0, places, fresh)
            chosen = fresh.index_select(0, select(self._row.index_select(0, places) == fresh))
            self._seen.index_fill_(0, places, True)
            if column.valid is not None:
                chosen = valid.index_select(0, chosen)
        if nulls is not None and nulls.shape[0] and not self._null:
            self._null = True
            chosen = torch.cat((chosen, nulls[:1]))
        return chosen

    def new_ones(self, values: Sequence[Any]) -> list[int] | None:
        """The same of a few integers, None of a NULL, that are on the host: the places of the new ones."""
        numbers = [value for value in values if value is not None]
        if numbers and not self._covers(min(numbers), max(numbers), torch.device("cpu")):
            return None
        seen, low, chosen = self._seen_ones, self.low, []
        for place, value in enumerate(values):
            if value is None:
                if not self._null:
                    self._null = True
                    chosen.append(place)
            elif not seen[value - low]:
                seen[value - low] = True
                chosen.append(place)
        return chosen

    def _covers(self, low: int, high: int, device: torch.device) -> bool:
        """Make room for the integers low .. high beside those of before, if that is not too much."""
        if self._seen is not None:
            low, high = min(low, self.low), max(high, self.low + self._seen.shape[0] - 1)
        size = high - low + 1
        if size > _MARKED:
            return False
        if self._seen is None or size > self._seen.shape[0]:
            # Some more, so that a range that grows a little with each step is not copied each time.
            size = min(size + size // 2, _MARKED)
            seen = torch.zeros(size, dtype=torch.bool, device=device)
            if self._seen is not None:
                before = self.low - low
                seen[before : before + self._seen.shape[0]] = self._seen
            self._seen, self.low = seen, low
            if device.type == "cpu":
                self._seen_ones = seen.numpy().data  # host: on the CPU
            self._row = torch.empty(size, dtype=torch.int64, device=device)
        return True


def can_mark(dtype: DType) -> bool:
    """Whether values of the type are integers that may be marked."""
    return dtype.is_integer or dtype.is_temporal


class Numbers:
    """Numbers distinct rows of keys 0, 1, 2, … as they come."""

    def __init__(self, marks: bool) -> None:
        """`marks`: there is one key, whose type `can_mark`."""
        self._marks = Marks() if marks else None
        self._low = 0
        self._numbers: Tensor | None = None
        self._null = 0
        self._count = 0

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """What it is made of."""
        if self._marks is not None:
            yield from self._marks.tensors()
        if self._numbers is not None:
            yield "number", self._numbers

    def of(self, keys: Sequence[Column], known: Callable[[], Sequence[Column]]) -> tuple[Tensor, Tensor]:
        """The numbers (n,) int64 of rows of `keys`, and the rows (m,) that have new ones, in the order of these.

        `known`: the keys that have numbers, in the order of these.
        """
        if self._marks is not None:
            fresh = self._marks.new(keys[0])
            if fresh is not None:
                return self._marked(keys[0], fresh), fresh
            self._marks, self._numbers = None, None
        rows, count = len(keys[0]), self._count
        if count:
            keys = [concat([old, new], [count, rows]) for old, new in zip(known(), keys, strict=True)]
        ids, firsts, _ = group_rows(keys, None)
        numbers = firsts.long()
        groups = select(numbers >= count)
        # In the order of the rows, whatever that of the groups.
        places, order = torch.sort(numbers.index_select(0, groups))
        groups = groups.index_select(0, order)
        self._count = count + groups.shape[0]
        new = torch.arange(count, self._count, dtype=torch.int64, device=numbers.device)
        numbers = numbers.index_copy(0, groups, new)
        return numbers.index_select(0, ids[count:].long()), places - count

    def _marked(self, column: Column, fresh: Tensor) -> Tensor:
        assert self._marks is not None
        low, size = self._marks.low, self._marks.size
        device = column.device
        if self._numbers is None or size > self._numbers.shape[0]:
            numbers = torch.zeros(size, dtype=torch.int64, device=device)
            if self._numbers is not None:
                before = self._low - low
                numbers[before : before + self._numbers.shape[0]] = self._numbers
            self._numbers, self._low = numbers, low
        new = torch.arange(self._count, self._count + fresh.shape[0], dtype=torch.int64, device=device)
        self._count += fresh.shape[0]
        data = column.data.long()
        if column.valid is None:
            self._numbers.index_copy_(0, data.index_select(0, fresh) - low, new)
            return self._numbers.index_select(0, data - low)
        is_value = column.valid.index_select(0, fresh)
        values, nulls = select(is_value), select(~is_value)
        rows = fresh.index_select(0, values)
        self._numbers.index_copy_(0, data.index_select(0, rows) - low, new.index_select(0, values))
        if nulls.shape[0]:
            self._null = waits.number(new.index_select(0, nulls)[0], _WHY)
        places = torch.where(column.valid, data - low, 0)
        found = self._numbers.index_select(0, places) if size else torch.zeros_like(data)
        return torch.where(column.valid, found, self._null)
