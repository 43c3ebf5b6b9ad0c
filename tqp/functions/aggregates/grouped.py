"""The values of each group side by side: what aggregates see that need all of a group's values at once.

Such an aggregate has no states that could be merged. It is a function from `Grouped`, the rows of all groups that take part, to the
results, and asks for no more order than it needs: none at all, the order that the call asks for, or that of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.nested import of_lengths
from tqp.functions.align import concat
from tqp.functions.compared import compared, told_apart
from tqp.functions.order import digits, order_digits, ranks
from tqp.kernels import frequent, group, ordered, reduce, selection, sort, waits
from tqp.kernels.rows import select
from tqp.types import DType

__all__ = ["Collect", "Distances", "Enough", "Framed", "Grouped", "Orders"]

Orders = dict[object, Tensor]
"""Orders of the same rows that several calls ask for, by what they are orders of."""


_BLOCK: Final = 2**18
"""So many distances are computed at a time."""


@dataclass(eq=False)
class Grouped:
    """The rows that take part in a call: `args` (n,), of the groups `ids` (n,) int64, in the order of the source.

    Those with a NULL argument are left out before, unless the aggregate keeps them. `order` are integer keys (n,) of the call's
    ORDER BY, the most significant first; `dtype` is the type of the results. `known` has what was sorted already.
    `in_sequence`: the rows of one group lie after those of the other. `times` (n,) int64: how many equal rows each stands for,
    which only what asks `how_often` is given; None: for itself.
    """

    args: tuple[Column, ...]
    ids: Tensor
    groups: int
    dtype: DType
    order: Sequence[Tensor] = ()
    known: Orders = field(default_factory=dict)
    in_sequence: bool = False
    times: Tensor | None = None

    @property
    def rows(self) -> int:
        return self.ids.shape[0]

    @property
    def device(self) -> torch.device:
        return self.ids.device

    @cached_property
    def counts(self) -> Tensor:
        """(groups,) int64: how many rows each group has."""
        if self.groups == 1:
            return torch.full((1,), self.rows, dtype=torch.int64, device=self.device)
        return reduce.count(self.ids, self.groups)

    @cached_property
    def begins(self) -> Tensor:
        """(groups,) int64: the place of each group's first row, where groups lie one after the other."""
        return torch.cumsum(self.counts, 0) - self.counts

    @cached_property
    def sequence(self) -> Tensor:
        """(n,) int64: the rows of one group after the other, in the order that the call asks for, else that of the source."""
        if self.in_sequence and not self.order:
            return torch.arange(self.rows, device=self.device)
        if not self.order:
            return sort.by_group(self.ids, self.groups)
        return self._sorted("sequence", self.order)

    @cached_property
    def by_place(self) -> Tensor:
        """(n,) int64: all rows in the order that the call asks for, whatever their groups."""
        return sort.argsort(self.order)

    @cached_property
    def places(self) -> Tensor:
        """(n,) int64: the place of each row in the order that the call asks for, which it does."""
        return torch.empty_like(self.ids).index_copy_(0, self.by_place, torch.arange(self.rows, device=self.device))

    def ascending(self, column: Column) -> Tensor:
        """(n,) int64: the rows of one group after the other, by the values of a column (n,) without NULL."""
        return self._sorted("values" if column is self.args[0] else None, order_digits(column))

    def nth(self, column: Column, places: Sequence[Tensor]) -> list[Column]:
        """The values (groups,) at each of some places (groups,) int64 of a column (n,) without NULL, n > 0, in order of its values.

        Of groups without rows anything. What is one number is selected, other values are sorted.
        """
        if compared(column) is not column or column.has_elements or column.dtype.has_children:
            order, last = self.ascending(column), self.rows - 1
            return [column.take(order.index_select(0, (self.begins + place).clamp(max=last))) for place in places]
        column = column.in_order()
        return self._selected(column.data, column, places)

    def _selected(self, values: Tensor, like: Column, places: Sequence[Tensor]) -> list[Column]:
        """As `nth`, of values (n,) that lie as those of a column do."""
        dtype = like.data.dtype
        keys = values.to(torch.int8) if dtype is torch.bool else values
        found = selection.nth(keys, self.ids, self.groups, torch.stack(list(places)))
        found = group.float_from_key(found, dtype) if dtype.is_floating_point else found.to(dtype)
        return [replace(like, data=part, valid=None) for part in found.unbind(0)]

    def nth_distance(
        self, column: Column, centers: Column, distances: Distances, places: Sequence[Tensor]
    ) -> list[Column]:
        """As `nth`, of the distances of a column (n,) from the `centers` (groups,) of its groups."""
        like = distances(column.slice(0, 0), centers.slice(0, 0))
        if like.has_elements:
            return self.nth(distances(column, centers.take(self.ids)), places)
        found = torch.empty(self.rows, dtype=like.data.dtype, device=self.device)
        # What leads to the distances of all rows would leave the cores' caches, and be fresh memory.
        for start in range(0, self.rows, _BLOCK):
            stop = min(start + _BLOCK, self.rows)
            found[start:stop] = distances(column.slice(start, stop), centers.take(self.ids[start:stop])).data
        return self._selected(found, like, places)

    def listed(self, column: Column) -> Column:
        """Lists (groups,) of the values of a column (n,) of each group, in `sequence`; NULL of no rows."""
        return of_lengths(self.counts, column.take(self.sequence), self.dtype, self.counts > 0)

    def most_frequent(self, column: Column) -> Tensor:
        """(groups,) int64: the first row, in the order that the call asks for, with the value of a column (n,) without NULL that
        comes most often, of several values with that which comes first. Of groups without rows any row."""
        groups, firsts, pairs = self.equal(column)
        times = self.how_often(pairs, firsts.shape[0])
        most = torch.zeros(self.groups, dtype=torch.int64, device=self.device)
        reduce.extreme_at_(most, groups, times, True)
        best = select(times == most.index_select(0, groups))
        earliest = firsts
        if self.order:
            earliest = reduce.extreme_at_(torch.full_like(firsts, self.rows), pairs, self.places, False)
        first = torch.full((self.groups,), self.rows, dtype=torch.int64, device=self.device)
        reduce.extreme_at_(first, groups.index_select(0, best), earliest.index_select(0, best), False)
        chosen = first.clamp(max=self.rows - 1)
        return self.by_place.index_select(0, chosen) if self.order else chosen

    def _sorted(self, name: str | None, keys: Sequence[Tensor]) -> Tensor:
        found = self.known.get(name)
        if found is None:
            found = sort.argsort([*([self.ids] if self.groups > 1 else []), *keys] or [self.ids])
            if name is not None:
                self.known[name] = found
        return found

    def equal(self, column: Column) -> tuple[Tensor, Tensor, Tensor]:
        """The pairs (p,) of a group and a value of a column (n,) without NULL.

        Their groups, the first row of each, and which pair each row is: (n,) int64.
        """
        pairs, firsts, _ = group.group_ids_multi([self.ids, *_value_keys(column)])
        return self.ids.index_select(0, firsts), firsts, pairs

    def how_often(self, numbers: Tensor, count: int) -> Tensor:
        """(count,) int64: how many rows have each of the `numbers` (n,) int64, 0 .. count - 1."""
        if self.times is None:
            return reduce.count(numbers, count)
        found = torch.zeros(count, dtype=torch.int64, device=self.device)
        return reduce.add_at_(found, numbers, self.times)

    def nothing(self) -> Column:
        """NULL for all groups."""
        return constant(None, self.dtype, self.device).expand(self.groups)


@dataclass(eq=False)
class Framed(Grouped):
    """The frames of a window as groups that share rows: `ranges` are the places [low, high) of each frame's rows, (groups,) int64.

    `counts`, `nth`, `nth_distance`, `listed` and `most_frequent` are known, which is all that some aggregates ask for; the last two
    of frames of one range. Values are not gathered for each frame: `nth` sorts the rows once and walks down the bits of their
    places, O(n log n) whatever the frames (`kernels.ordered`), lists are ranges of one child.
    """

    ranges: Sequence[tuple[Tensor, Tensor]] = ()

    @cached_property
    def counts(self) -> Tensor:
        return torch.stack([high - low for low, high in self.ranges]).sum(0)

    def nth(self, column: Column, places: Sequence[Tensor]) -> list[Column]:
        order = self.known.get("order") if column is self.args[0] else None
        if order is None:
            order = sort.argsort(order_digits(column))
            if column is self.args[0]:
                self.known["order"] = order
        own = torch.arange(self.rows, device=self.device)
        numbers = torch.empty_like(order).index_copy_(0, order, own)
        # All of them at once: what a level costs beside its look-ups is the same for one as for several.
        ranges = [(low.repeat(len(places)), high.repeat(len(places))) for low, high in self.ranges]
        found = ordered.nth_smallest(numbers, ranges, torch.cat(list(places))).clamp(max=self.rows - 1)
        return [column.take(order.index_select(0, part)) for part in found.view(len(places), -1)]

    def nth_distance(
        self, column: Column, centers: Column, distances: Distances, places: Sequence[Tensor]
    ) -> list[Column]:
        """The values nearest to a center lie side by side in their order: a binary search for where they begin.

        As many times `nth` as the longest frame has bits. Distances are integers of 64 bits, or finite.
        """
        count = len(places)
        wanted = torch.cat(list(places))
        centers = centers.take(torch.arange(self.groups, device=self.device).repeat(count))
        low, high = torch.zeros_like(wanted), (self.counts.repeat(count) - 1 - wanted).clamp(min=0)

        def distance(place: Tensor) -> Tensor:
            parts = self.nth(column, list(place.clamp(min=0).chunk(count)))
            return distances(concat(parts, [self.groups] * count), centers).data

        longest = waits.number(high.max(), "the longest frame decides how many steps") if wanted.shape[0] else 0
        for _ in range(longest.bit_length()):
            middle = (low + high) // 2
            beyond = (low < high) & (distance(middle) > distance(middle + wanted + 1))
            low, high = torch.where(beyond, middle + 1, low), torch.where(beyond, high, middle)
        first, last = distance(low), distance(low + wanted)
        sample = distances(column.slice(0, 0), centers.slice(0, 0))
        found = torch.maximum(first, last)
        return [replace(sample, data=part, bounds=None) for part in found.chunk(count)]

    def listed(self, column: Column) -> Column:
        ((low, high),) = self.ranges
        return Column(torch.stack((low, high - low), 1), self.dtype, high > low, children=(column,))

    def most_frequent(self, column: Column) -> Tensor:
        numbers, _, _ = group.group_ids_multi(_value_keys(column))
        return frequent.most_frequent(numbers, *self.ranges[0])


def _value_keys(column: Column) -> list[Tensor]:
    """Integers (n,) that are equal together just where the values of a column without NULL are."""
    column = told_apart(column).canonical()
    return [ranks(column)] if column.dtype.has_children else [digit for digit, _ in digits(column)]


Collect = Callable[[Grouped], Column]
"""From the rows of all groups to the results (groups,)."""

Enough = Callable[[Grouped], Tensor | None]
"""From some of the rows of groups to those (m,) int64 of them that any result with them may be made of, of each group that has rows
one at least; None: all."""

Distances = Callable[[Column, Column], Column]
"""From values (n,) and as many others to how far they are from them."""
