"""Aggregation into slots that are known beforehand: one for all rows, or one for each key that there may be."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from tqp.data.column import Column
from tqp.ir.plan import Aggregate
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.keys import GroupLayout
from tqp.operators.results import Relation
from tqp.operators.states import Arguments, Groups, States

__all__ = ["DirectAggregation", "KeylessAggregation", "most_slots"]


def most_slots(limits: Limits, rows: float) -> int:
    """So many slots may be there for about so many rows."""
    return int(max(limits.few_groups, min(limits.direct_groups, limits.group_slots * rows)))


class KeylessAggregation:
    """One group of all rows; a state a worker."""

    def __init__(self, plan: Aggregate, arguments: Arguments) -> None:
        self._plan = plan
        self._arguments = arguments

    def local(self) -> States:
        return States(self._plan, 1, self._arguments)

    def consume(self, local: States, batch: Batch) -> None:
        local.update(batch, None)

    def finish(self, locals: list[States]) -> Relation:
        total = self.total(locals)
        return self.present(total, total.finish(None))

    def groups(self, locals: list[States]) -> list[Groups]:
        """No key columns, and the state of the one group."""
        return [([], self.total(locals))]

    def total(self, locals: list[States]) -> States:
        """The states of all workers as one."""
        total = self.local()
        for local in locals:
            total.merge(local, None)
        return total

    def present(self, states: States, columns: dict[str, Column]) -> Relation:
        """The result, of results (slots,) by symbol."""
        return Relation(columns, 1)


class DirectAggregation:
    """Groups whose packed key is the place of their state; arrays of states a worker."""

    def __init__(self, plan: Aggregate, arguments: Arguments, layout: GroupLayout) -> None:
        assert layout.size is not None
        self._plan = plan
        self._arguments = arguments
        self.layout = layout
        self.size = layout.size

    def local(self) -> States:
        return States(self._plan, self.size, self._arguments)

    def slots(self, batch: Batch) -> Tensor:
        """The slot (rows,) int64 of each row."""
        return self.layout.encode([batch.column(symbol).expand(batch.rows) for symbol in self._plan.keys]).long()

    def consume(self, local: States, batch: Batch) -> None:
        local.update(batch, self.slots(batch))

    def add(self, local: States, batch: Batch, slots: Tensor) -> None:
        """`consume`, where the slots are known."""
        local.update(batch, slots)

    def finish(self, locals: list[States]) -> Relation:
        total = self.total(locals)
        present = select(total.seen > 0)
        return self._of(present, total.finish(present))

    def groups(self, locals: list[States]) -> list[Groups]:
        """The key columns of all groups that have rows, and their states."""
        return [self.present_groups(self.total(locals))]

    def merged(self, pieces: Sequence[Groups]) -> Groups:
        """The groups of pieces, each with these keys, which may repeat, and states."""
        total = self.local()
        for keys, states in pieces:
            total.merge(states, self.layout.encode(keys).long())
        return self.present_groups(total)

    def present_groups(self, total: States) -> Groups:
        """The key columns of the groups that have rows, and their states."""
        present = select(total.seen > 0)
        return list(self.layout.decode(present)), total.pick(present)

    def total(self, locals: list[States]) -> States:
        """The states of all workers as one."""
        states = [local for local in locals if local.rows]
        total = states[0] if states else self.local()
        for other in states[1:]:
            total.merge(other, None)
        return total

    def present(self, states: States, columns: dict[str, Column]) -> Relation:
        """The groups that have rows, of results (slots,) by symbol."""
        present = select(states.seen > 0)
        return self._of(present, {symbol: column.take(present) for symbol, column in columns.items()})

    def _of(self, present: Tensor, columns: dict[str, Column]) -> Relation:
        keys = dict(zip(self._plan.keys, self.layout.decode(present), strict=True))
        return Relation({**keys, **columns}, present.shape[0])
