"""The sink of grouping sets: the finest groupings over the rows, all others over their groups.

The input is aggregated once by all keys, or at the same time by the keys of several sets where all keys together would hardly
repeat. Every other set's groups are made of these, whose states merge (`coarser`). Aggregates that must see all
rows of a group at once (DISTINCT, `first`) do the same with rows instead of states; of many rows each set is made by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant, empty
from tqp.data.layout import Encoding
from tqp.errors import InternalError
from tqp.ir.plan import Aggregate, Field, GroupingSets
from tqp.ir.show import show_call
from tqp.ir.visit import expressions
from tqp.operators.aggregate import AggregateSink, Grouping
from tqp.operators.batch import Batch
from tqp.operators.choice import Choice
from tqp.operators.coarser import Coarser, together
from tqp.operators.collected import Collected, CollectedAggregation
from tqp.operators.instructions import Writer
from tqp.operators.keys import group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, PreparedSink, Run, Sink
from tqp.operators.partials import below
from tqp.operators.results import Relation
from tqp.operators.slots import DirectAggregation, KeylessAggregation
from tqp.operators.states import call_layouts, write_calls
from tqp.types import BIGINT

__all__ = ["GroupingSetsSink", "few_groups", "rows_by"]

_OVER_GROUPS: Final = "coarser sets over finer groups"
_OVER_ROWS: Final = "every set over the rows"
_SETS_A_WORKER: Final = 2
"""So many sets of many rows are made at a time: some have one group, which nobody shares."""

Local = TypeVar("Local")


@dataclass(frozen=True, eq=False)
class GroupingSetsSink(Sink[Relation]):
    """Groups by every set of `plan`; `source_rows` as for `AggregateSink`.

    `finest`: places of the keys by which rows are grouped; each set is within one of these.
    """

    plan: GroupingSets
    source_rows: float
    finest: tuple[tuple[int, ...], ...]

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        plan = self.plan
        layouts.expect(self.source_rows)
        keys = {item.symbol: layouts.of(key).picked() for key, item in zip(plan.keys, plan.key_fields, strict=True)}
        marks = {item.symbol: replace(Layout.of_type(BIGINT), is_nullable=False) for item in plan.mark_fields}
        return keys | marks | call_layouts(layouts, plan.aggregate_fields, plan.aggregates)

    def prepare(self, run: Run, layouts: Layouts) -> PreparedSink[Any, Relation]:
        plan = self.plan
        whole = AggregateSink(self._grouped(tuple(range(len(plan.keys)))), self.source_rows)
        unmerged = whole.unmerged(layouts)
        if unmerged is None and any(call.distinct for call in plan.aggregates):
            unmerged = "an aggregate is DISTINCT"
        if unmerged is not None:
            collected = whole.collected(run, layouts, unmerged)
            run.note(self, *run.notes(whole), _choice(_OVER_ROWS, _OVER_GROUPS, "states cannot be merged"))
            return _OverRows(plan, whole.plan, collected, layouts, run)
        groupings: list[Grouping[Any]] = []
        for places in self.finest:
            sink = AggregateSink(self._grouped(places), self.source_rows)
            groupings.append(sink.merging(run, layouts, sink.plan, self))
            run.note_also(self, *run.notes(sink))
        run.note_also(self, _choice(_OVER_GROUPS, _OVER_ROWS, "states are merged"))
        return (_OverGroups if len(groupings) == 1 else _OverGroupings)(self, groupings, layouts, run)

    def _grouped(self, places: tuple[int, ...]) -> Aggregate:
        """The aggregation by the keys at these places."""
        plan = self.plan
        keys = tuple(dict.fromkeys(plan.keys[place] for place in places))
        return Aggregate(plan.input, keys, plan.aggregate_fields, plan.aggregates)

    @property
    def rows_by(self) -> Aggregate | None:
        """The aggregation of the rows, if it is one."""
        return self._grouped(self.finest[0]) if len(self.finest) == 1 else None

    @property
    def expressions(self) -> Expressions:
        return (expressions(self.plan),)

    def write(self, writer: Writer) -> None:
        plan = self.plan
        writer.read(plan.keys)
        places = writer.values(expressions(plan))
        made = tuple([field.symbol for field in (*plan.key_fields, *plan.mark_fields)])
        facts = {"sets": plan.sets, "marked": plan.marked, "finest": self.finest, "source_rows": self.source_rows}
        writer.add("group by sets", plan.keys, made, writer.size("g"), (_OVER_GROUPS, _OVER_ROWS), facts)
        write_calls(writer, plan.aggregate_fields, plan.aggregates, places)
        symbols = tuple([field.symbol for field in plan.fields])
        writer.leave("collect", symbols, symbols)

    def describe(self) -> str:
        named = zip(self.plan.aggregate_fields, self.plan.aggregates, strict=True)
        calls = ", ".join(f"{field.symbol} = {show_call(call)}" for field, call in named)
        return f"aggregate by {len(self.plan.sets)} sets of {', '.join(self.plan.keys) or 'nothing'}: {calls or 'distinct keys'}"


def rows_by(sink: Sink[Any]) -> Aggregate | None:
    """The one aggregation that takes the rows of a sink, if there is one."""
    if isinstance(sink, AggregateSink):
        return sink.plan
    return sink.rows_by if isinstance(sink, GroupingSetsSink) else None


def few_groups(sink: PreparedSink[Any, Any]) -> KeylessAggregation | DirectAggregation | None:
    """What takes the rows of a prepared sink, if all groups that there may be are known ahead."""
    inner = sink.inner if isinstance(sink, _OverGroups) else sink
    return inner if isinstance(inner, KeylessAggregation | DirectAggregation) else None


def _choice(chosen: str, other: str, reason: str) -> Choice:
    return Choice("grouping sets", chosen, (other,), reason)


class _Prepared(Generic[Local]):
    """What sees all rows, and the groups of all sets made of what it keeps."""

    # No abstract class: every pipeline asks whether its sink is one of these.

    def __init__(self, plan: GroupingSets, layouts: Layouts, run: Run) -> None:
        self._plan = plan
        self._run = run
        self._keys = {key: layouts.of(key).grouped() for key in plan.keys}

    def _sets(self, locals: list[Local]) -> Iterator[Relation]:
        """The groups of all sets, some at a time."""
        raise NotImplementedError

    def finish(self, locals: list[Local]) -> Relation:
        pieces = list(self._sets(locals))
        if not pieces:
            # Without rows only empty sets have groups, and none may: then no set at all stands for the types.
            pieces = [self._nothing()]
        return below(self._run, pieces)

    def _nothing(self) -> Relation:
        """No groups."""
        raise NotImplementedError

    def _absent(self, field: Field, symbol: str, groups: int) -> Column:
        """NULLs for so many groups of sets without that key, in the form in which other sets have it."""
        layout = self._keys[symbol]
        if layout.encoding is Encoding.CODES and not layout.dictionary:
            return constant(None, field.dtype, self._run.device).expand(groups)
        hidden = torch.zeros(groups, dtype=torch.bool, device=self._run.device)
        blank = empty(layout, self._run.device).map(lambda part: part.new_zeros((groups, *part.shape[1:])))
        return blank.with_valid(hidden)

    def _shown(
        self, sets: Sequence[tuple[int, ...]], of_set: Tensor | None, keys: Mapping[str, Column], groups: int
    ) -> dict[str, Column]:
        """Keys and marks of groups of some sets by symbol; `of_set` (groups,) says of which each is, None: of the only one."""
        plan, device = self._plan, self._run.device
        columns: dict[str, Column] = {}
        for place, (field, symbol) in enumerate(zip(plan.key_fields, plan.keys, strict=True)):
            key = keys.get(symbol)
            present = [place in one for one in sets]
            if not any(present):
                columns[field.symbol] = self._absent(field, symbol, groups)
            elif key is None:
                raise InternalError(f"a set shows the key {symbol}, by which its groups are not grouped")
            elif all(present):
                columns[field.symbol] = key
            else:
                shown = torch.tensor(present, dtype=torch.bool, device=device).index_select(0, _of(of_set))
                columns[field.symbol] = key.with_valid(shown if key.valid is None else key.valid & shown)
        for field, places in zip(plan.mark_fields, plan.marked, strict=True):
            bits = torch.tensor([plan.mark(one, places) for one in sets], dtype=torch.int64, device=device)
            marks = bits.expand(groups) if of_set is None else bits.index_select(0, of_set)
            columns[field.symbol] = Column(marks, BIGINT)
        return columns


def _of(of_set: Tensor | None) -> Tensor:
    assert of_set is not None, "of one set alone a key is shown or not"
    return of_set


class _OverRows(_Prepared[Collected]):
    """Every set is made of the rows."""

    def __init__(
        self, plan: GroupingSets, whole: Aggregate, inner: CollectedAggregation, layouts: Layouts, run: Run
    ) -> None:
        super().__init__(plan, layouts, run)
        self._whole = whole
        self._inner = inner
        self.local = inner.local
        self.consume = inner.consume

    def _sets(self, locals: list[Collected]) -> Iterator[Relation]:
        columns, rest, rows = self._inner.rows(locals)
        plan, device = self._plan, self._run.device
        keys = dict(zip(self._whole.keys, columns, strict=True))
        if not rows:
            for one in plan.sets:
                if not one:
                    yield self._relation([one], None, {}, rest, torch.zeros(0, dtype=torch.int64, device=device), 1)
            return
        step = self._run.limits.grouped_at_once // rows
        if step < 2:
            yield from self._apart(keys, rest, rows)
            return
        codes = {symbol: group_rows([key], None)[::2] for symbol, key in keys.items()}
        for start in range(0, len(plan.sets), step):
            sets = plan.sets[start : start + step]
            named = [[plan.keys[place] for place in one] for one in sets]
            index, ids, representatives, groups = together(named, codes, rows, device)
            shown = {symbol: key.take(representatives % rows) for symbol, key in keys.items()}
            taken = [column.take(index) for column in rest]
            yield self._relation(sets, representatives // rows, shown, taken, ids, groups)

    def _apart(self, keys: Mapping[str, Column], rest: list[Column], rows: int) -> Iterator[Relation]:
        """Each set as if it were the only one, over the same columns; as many at a time as keep all workers busy."""
        plan, run, inner = self._plan, self._run, self._inner
        step = _SETS_A_WORKER * run.threads
        for start in range(0, len(plan.sets), step):
            sets = plan.sets[start : start + step]
            named = [list(dict.fromkeys([plan.keys[place] for place in one])) for one in sets]
            found = run.side_by_side([partial(inner.grouped, [keys[key] for key in own], rows) for own in named])
            tasks = [inner.tasks(rest, ids, groups) for ids, _, groups in found]
            # What nobody can share is begun first.
            order = sorted(range(len(tasks)), key=lambda place: len(tasks[place]))
            done = iter(run.side_by_side([task for place in order for task in tasks[place]]))
            parts = {place: [next(done) for _ in tasks[place]] for place in order}
            for place, (one, own, (_, representatives, groups)) in enumerate(zip(sets, named, found, strict=True)):
                shown = self._shown([one], None, {key: keys[key].take(representatives) for key in own}, groups)
                yield Relation({**shown, **below(run, parts[place]).columns}, groups)

    def _nothing(self) -> Relation:
        _, rest, _ = self._inner.rows([])
        return self._relation([], None, {}, rest, torch.zeros(0, dtype=torch.int64, device=self._run.device), 0)

    def _relation(
        self,
        sets: Sequence[tuple[int, ...]],
        of_set: Tensor | None,
        keys: Mapping[str, Column],
        rest: list[Column],
        ids: Tensor,
        groups: int,
    ) -> Relation:
        shown = self._shown(sets, of_set, keys, groups)
        return Relation({**shown, **self._inner.results(rest, ids, groups)}, groups)


class _Merging(_Prepared[Local]):
    """Coarser sets are made of the states of the finest groups."""

    def __init__(self, sink: GroupingSetsSink, groupings: Sequence[Grouping[Any]], layouts: Layouts, run: Run) -> None:
        super().__init__(sink.plan, layouts, run)
        self._finest = sink.finest
        self._groupings = groupings
        self._coarser = Coarser(sink.plan, layouts, run, sink)

    def _locals(self, locals: list[Local], place: int) -> list[Any]:
        """The states of all workers for the grouping at that place."""
        raise NotImplementedError

    def _sets(self, locals: list[Local]) -> Iterator[Relation]:
        groups = [one.groups(self._locals(locals, place)) for place, one in enumerate(self._groupings)]
        for some in self._coarser.sets(dict(zip(self._finest, groups, strict=True))):
            states = some.states
            shown = self._shown(some.sets, some.of_set, some.keys, states.groups)
            yield Relation({**shown, **states.finish(None)}, states.groups)

    def _nothing(self) -> Relation:
        return Relation({**self._shown([], None, {}, 0), **self._coarser.nothing().finish(None)}, 0)


class _OverGroups(_Merging[Any]):
    """One grouping takes the rows."""

    def __init__(self, sink: GroupingSetsSink, groupings: Sequence[Grouping[Any]], layouts: Layouts, run: Run) -> None:
        super().__init__(sink, groupings, layouts, run)
        (self.inner,) = groupings
        self.local = self.inner.local
        self.consume = self.inner.consume

    def _locals(self, locals: list[Any], place: int) -> list[Any]:
        return locals


class _OverGroupings(_Merging[list[Any]]):
    """Several groupings take each batch."""

    def local(self) -> list[Any]:
        return [one.local() for one in self._groupings]

    def consume(self, local: list[Any], batch: Batch) -> None:
        for one, own in zip(self._groupings, local, strict=True):
            one.consume(own, batch)

    def _locals(self, locals: list[list[Any]], place: int) -> list[Any]:
        return [local[place] for local in locals]
