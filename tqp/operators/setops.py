"""Sinks that put the rows of a pipeline below those of an earlier one: set operations, and what a full join adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.errors import InternalError
from tqp.functions.align import concat
from tqp.kernels.reduce import count
from tqp.kernels.rows import select, stable_order
from tqp.operators.build import Built
from tqp.operators.collect import Gathered, Pieces, in_order, whole
from tqp.operators.common_rows import WAYS, common_rows
from tqp.operators.instructions import Place, Writer
from tqp.operators.keys import group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Run, Sink
from tqp.operators.results import Relation, Result, Slot

__all__ = ["FullJoinSink", "SetKind", "SetOpSink", "UnionSink", "nulls_like", "stacked"]

SetKind = Literal["intersect", "except"]


@dataclass(frozen=True, eq=False)
class UnionSink(Sink[Relation]):
    """UNION ALL: the pipeline's columns `symbols`, below those of earlier relations.

    `above` are the earlier ones in their order, each with its symbols; `names` are the symbols of the result.
    """

    above: tuple[tuple[Slot[Relation], tuple[str, ...]], ...]
    symbols: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return tuple(slot for slot, _ in self.above)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return _together(run, layouts, (*self.above, (None, self.symbols)), self.names)

    def prepare(self, run: Run, layouts: Layouts) -> _Union:
        return _Union(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs: tuple[Place, ...] = (*self.reads, *writer.read(self.symbols))
        above = tuple([symbols for _, symbols in self.above])
        writer.add("union all", inputs, self.names, writer.size(), above=above)
        writer.leave("collect", self.names, self.names)

    def describe(self) -> str:
        return f"union all below {_results(self.reads)}"


class _Union(Gathered):
    def __init__(self, sink: UnionSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._above = [(run.result(slot), symbols) for slot, symbols in sink.above]
        self._names = sink.names

    def finish(self, locals: list[Pieces]) -> Relation:
        return stacked([*self._above, (self.relation(locals), self.symbols)], self._names)


def stacked(relations: list[tuple[Relation, tuple[str, ...]]], names: tuple[str, ...]) -> Relation:
    """One relation below the other, column by column: `names[i]` is symbol i of each."""
    lengths = [relation.rows for relation, _ in relations]
    columns: dict[str, Column] = {}
    for place, name in enumerate(names):
        columns[name] = concat([relation.columns[symbols[place]] for relation, symbols in relations], lengths)
    return Relation(columns, sum(lengths))


def _together(
    run: Run,
    layouts: Layouts,
    relations: Sequence[tuple[Slot[Relation] | None, tuple[str, ...]]],
    names: tuple[str, ...],
) -> dict[str, Layout]:
    """The layouts of `stacked`; None stands for the batches."""
    found: dict[str, list[Layout]] = {name: [] for name in names}
    for slot, symbols in relations:
        for name, symbol in zip(names, symbols, strict=True):
            column = layouts.of(symbol, settled=True) if slot is None else run.columns(slot)[symbol]
            found[name].append(column if isinstance(column, Layout) else column.layout)
    return {name: Layout.together(parts) for name, parts in found.items()}


@dataclass(frozen=True, eq=False)
class SetOpSink(Sink[Relation]):
    """INTERSECT [ALL] or EXCEPT [ALL] of an earlier relation, the left side, and the pipeline's rows.

    `left_symbols` and `symbols` are the columns of the two sides in the order in which they are compared.
    """

    kind: SetKind
    all: bool
    left: Slot[Relation]
    left_symbols: tuple[str, ...]
    symbols: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.left,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        both = _together(run, layouts, ((self.left, self.left_symbols), (None, self.symbols)), self.names)
        return both if self.all else {name: layout.grouped() for name, layout in both.items()}

    def prepare(self, run: Run, layouts: Layouts) -> _SetOperation:
        return _SetOperation(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs: tuple[Place, ...] = (self.left, *writer.read(self.symbols))
        ways = () if self.all else WAYS
        writer.add(self.kind, inputs, self.names, writer.size(), ways, all=self.all, above=(self.left_symbols,))
        writer.leave("collect", self.names, self.names)

    def describe(self) -> str:
        return f"{self.kind}{' all' if self.all else ''} with {_results(self.reads)}"


class _SetOperation(Gathered):
    def __init__(self, sink: SetOpSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._run = run
        self._sink = sink
        self._left = run.result(sink.left)

    def finish(self, locals: list[Pieces]) -> Relation:
        sink, left = self._sink, self._left
        if not sink.all:
            common = common_rows(self._run, sink, self._pieces(), _expanded(in_order(locals)), sink.kind == "intersect")
            if common is not None:
                return Relation(dict(zip(sink.names, common, strict=True)), len(common[0]))
        both = stacked([(left, sink.left_symbols), (self.relation(locals), sink.symbols)], sink.names)
        if both.rows == 0:
            return both
        ids, representatives, groups = group_rows(list(both.columns.values()), None)
        ours, theirs = count(ids[: left.rows], groups), count(ids[left.rows :], groups)
        if sink.all:
            chosen = select(self._kept(ids[: left.rows], ours, theirs))
        else:
            met = theirs > 0 if sink.kind == "intersect" else theirs == 0
            chosen = representatives.index_select(0, select((ours > 0) & met))
        return Relation({name: column.take(chosen) for name, column in both.columns.items()}, chosen.shape[0])

    def _pieces(self) -> list[list[Column]]:
        """The left side as workers take it."""
        left, step = self._left, self._run.limits.smallest_batch
        columns = [left.columns[symbol].expand(left.rows) for symbol in self._sink.left_symbols]
        return [[column.slice(start, start + step) for column in columns] for start in range(0, left.rows, step)]

    def _kept(self, ids: Tensor, ours: Tensor, theirs: Tensor) -> Tensor:
        """Which rows of the left side stay with ALL: (rows,) bool.

        Rows themselves, as values that are equal need not look so (INTERVAL 1 MONTH and 30 DAY). `ids` (rows,) are their groups,
        of which each side has `ours` and `theirs` rows.
        """
        order = stable_order(ids, 0, max(ours.shape[0] - 1, 0))
        sorted_ids = ids.index_select(0, order)
        first = (ours.cumsum(0) - ours).index_select(0, sorted_ids)
        before = torch.arange(ids.shape[0], dtype=torch.int64, device=ids.device) - first
        paired = torch.zeros_like(ids, dtype=torch.bool)
        paired.index_copy_(0, order, before < theirs.index_select(0, sorted_ids))
        return paired if self._sink.kind == "intersect" else ~paired


def _expanded(pieces: Pieces) -> list[list[Column]]:
    """The columns of pieces without constants."""
    return [[column.expand(rows) for column in columns] for _, rows, columns in pieces]


@dataclass(frozen=True, eq=False)
class FullJoinSink(Sink[Relation]):
    """The rows of a left join and, below them, the build rows that no probe row touched, the probe side NULL.

    The probe of the pipeline marks what it touches. Some of `symbols` are the build side's, in the slot `build`.
    """

    build: Slot[Built]
    symbols: tuple[str, ...]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.build,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return {symbol: replace(layout, is_nullable=True) for symbol, layout in whole(layouts, self.symbols).items()}

    def prepare(self, run: Run, layouts: Layouts) -> _FullJoin:
        return _FullJoin(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs: tuple[Place, ...] = (self.build, *writer.read(self.symbols))
        writer.add("with unmatched", inputs, self.symbols, writer.size())
        writer.leave("collect", self.symbols, self.symbols)

    def describe(self) -> str:
        return f"collect {', '.join(self.symbols)}, and the rows of build {self.build} without a partner"


class _FullJoin(Gathered):
    def __init__(self, sink: FullJoinSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts)
        self._built = run.result(sink.build)

    def finish(self, locals: list[Pieces]) -> Relation:
        joined, built = self.relation(locals), self._built
        if built.touched is None:
            raise InternalError("the probe of a full join does not mark what it touches")
        alone = select(~built.touched)
        rows = alone.shape[0]
        rest = {
            symbol: built.columns[symbol].take(alone) if symbol in built.columns else nulls_like(column, rows)
            for symbol, column in joined.columns.items()
        }
        return stacked([(joined, self.symbols), (Relation(rest, rows), self.symbols)], self.symbols)


def nulls_like(like: Column, rows: int) -> Column:
    """NULLs (rows,) in the layout of another column."""
    device = like.device
    data = torch.zeros((rows, *like.data.shape[1:]), dtype=like.data.dtype, device=device)
    return replace(like, data=data, valid=torch.zeros(rows, dtype=torch.bool, device=device))


def _results(slots: tuple[Slot[Result], ...]) -> str:
    return f"result{'s' if len(slots) > 1 else ''} {', '.join(map(str, slots))}"
