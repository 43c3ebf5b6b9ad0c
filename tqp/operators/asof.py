"""ASOF joins: each row with the nearest of the other side, found in its order.

Rows of both sides are told apart by their keys, numbered together, and searched by their value in one sorted sequence of the right
side's (group, value). See `tqp.ir.plan.AsofJoin`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.align import align, concat
from tqp.functions.order import digits
from tqp.ir import words
from tqp.ir.expr import Expr, Literal, SortKey
from tqp.ir.plan import AsofKind
from tqp.ir.show import show_expr
from tqp.kernels import waits
from tqp.kernels.nearest import nearest, ranked
from tqp.kernels.rows import select
from tqp.operators.batch import Part as Origin
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.instructions import Place, Writer
from tqp.operators.keys import all_valid, group_rows, order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink
from tqp.operators.results import Part, Relation, Result, Slot
from tqp.operators.setops import nulls_like, stacked
from tqp.types import NULL

__all__ = ["AsofSink", "Candidates", "CandidatesSink"]

_PACKED: Final = 2**40
"""Groups that are numbered by their keys' digits alone."""
_RANGE: Final = "the range of a key"
_ANY: Final = Literal(None, NULL)
"""What is sorted is there already."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The right side: its columns, and the values of its keys and, last, of what is compared."""

    columns: Mapping[str, Column]
    rows: int
    values: tuple[Column, ...]

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield from self.columns.items()
        for place, value in enumerate(self.values):
            yield f"value_{place}", value.data
            if value.valid is not None:
                yield f"value_{place}_valid", value.valid


@dataclass(frozen=True, eq=False)
class CandidatesSink(Sink[Candidates]):
    """Collects the right side's columns `symbols` and the values of `exprs`."""

    symbols: tuple[str, ...]
    exprs: tuple[Expr, ...]

    @property
    def expressions(self) -> Expressions:
        return (self.exprs,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return whole(layouts, self.symbols)

    def prepare(self, run: Run, layouts: Layouts) -> _Candidates:
        return _Candidates(self.symbols, run, layouts, self.exprs)

    def write(self, writer: Writer) -> None:
        values = writer.values(self.exprs)
        writer.leave("collect", (*values, *writer.read(self.symbols)), self.symbols)

    def describe(self) -> str:
        return f"collect {', '.join(self.symbols)}, to be found by {', '.join(map(show_expr, self.exprs))}"


class _Candidates(Gathered):
    def finish(self, locals: list[Pieces]) -> Candidates:
        relation, values = self.gathered(locals)
        return Candidates(relation.columns, relation.rows, tuple(values))


@dataclass(frozen=True, eq=False)
class AsofSink(Sink[Relation]):
    """Collects the left side and finds for each row its nearest one of `candidates`, of which it takes the columns `theirs`."""

    kind: AsofKind
    candidates: Slot[Candidates]
    symbols: tuple[str, ...]
    theirs: tuple[str, ...]
    exprs: tuple[Expr, ...]
    comparison: str

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.candidates,)

    @property
    def expressions(self) -> Expressions:
        return (self.exprs,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        ours = whole(layouts, self.symbols)
        if self.kind in ("right", "full"):
            ours = {symbol: replace(layout, is_nullable=True) for symbol, layout in ours.items()}
        found = run.columns(self.candidates)
        for symbol in self.theirs:
            column = found[symbol]
            layout = (column if isinstance(column, Layout) else column.layout).whole()
            ours[symbol] = replace(layout, is_nullable=True) if self.kind in ("left", "full") else layout
        return ours

    def prepare(self, run: Run, layouts: Layouts) -> _Asof:
        return _Asof(self, run, layouts)

    def write(self, writer: Writer) -> None:
        values = writer.values(self.exprs)
        inputs: tuple[Place, ...] = (self.candidates, *values, *writer.read(self.symbols))
        made = (*self.symbols, *self.theirs)
        writer.add("asof", inputs, made, writer.size(), kind=self.kind, comparison=self.comparison)
        writer.leave("collect", made, made)

    def describe(self) -> str:
        return f"asof join ({self.kind}) with result {self.candidates} by {', '.join(map(show_expr, self.exprs))}"


class _Asof(Gathered):
    def __init__(self, sink: AsofSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.symbols, run, layouts, sink.exprs)
        self._sink = sink
        self._run = run
        self._candidates = run.result(sink.candidates)

    def finish(self, locals: list[Pieces]) -> Relation:
        sink, theirs = self._sink, self._candidates
        left, values = self.gathered(locals)
        found = _nearest(theirs, values, left.rows, sink.comparison, self._run)
        matched = found >= 0
        if sink.kind in ("semi", "anti"):
            chosen = select(matched if sink.kind == "semi" else ~matched)
            return Relation(self._taken(left.columns, chosen), chosen.shape[0])
        columns = {symbol: theirs.columns[symbol] for symbol in sink.theirs}
        everyone = waits.truth(matched.all(), "whether all rows find one")
        if sink.kind in ("inner", "right") and not everyone:
            chosen = select(matched)
            left = Relation(self._taken(left.columns, chosen), chosen.shape[0])
            found = found.index_select(0, chosen)
            everyone = True
        origin = Origin(columns, found.clamp(min=0), None if everyone else matched)
        made = self._run.side_by_side([partial(origin.column, symbol) for symbol in columns])
        beside = dict(zip(columns, made, strict=True))
        joined = Relation({**left.columns, **beside}, left.rows)
        if sink.kind in ("inner", "left"):
            return joined
        alone = torch.ones(theirs.rows, dtype=torch.bool, device=found.device)
        alone[found if everyone else found.index_select(0, select(matched))] = False
        rest = select(alone)
        rows = rest.shape[0]
        padded = {symbol: nulls_like(column, rows) for symbol, column in left.columns.items()}
        names = (*left.columns, *columns)
        return stacked([(joined, names), (Relation({**padded, **self._taken(columns, rest)}, rows), names)], names)

    def _taken(self, columns: Mapping[str, Column], rows: Tensor) -> dict[str, Column]:
        taken = self._run.side_by_side([partial(column.take, rows) for column in columns.values()])
        return dict(zip(columns, taken, strict=True))


def _nearest(theirs: Candidates, values: Sequence[Column], rows: int, comparison: str, run: Run) -> Tensor:
    """The right row (rows,) of each left row; -1 for none."""
    ours_valid, theirs_valid = all_valid(values), all_valid(theirs.values)
    device = run.device
    our_rows = None if ours_valid is None else select(ours_valid)
    their_rows = None if theirs_valid is None else select(theirs_valid)
    mine = [_rows_of(column, our_rows) for column in values]
    others = [_rows_of(column, their_rows) for column in theirs.values]
    lengths = (len(mine[-1]), len(others[-1]))
    groups, our_ids, their_ids = _grouped(mine[:-1], others[:-1], lengths, device)
    value, other = _values(mine[-1], others[-1], lengths)
    strictly, above = comparison in (words.LT, words.GT), comparison in (words.LT, words.LTE)
    found = nearest(their_ids, other, our_ids, value, groups, strictly, above)
    if their_rows is not None and their_rows.shape[0]:
        found = torch.where(found >= 0, their_rows.index_select(0, found.clamp(min=0)), -1)
    if our_rows is None:
        return found
    return torch.full((rows,), -1, dtype=torch.int64, device=device).index_copy_(0, our_rows, found)


def _values(ours: Column, theirs: Column, lengths: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Both columns as int64 in the order of their values."""
    pair = [column.ranked() for column in align([ours, theirs])]
    if not ours.dtype.has_children:
        single = [digits(column) for column in pair]
        if len(single[0]) == 1:
            return single[0][0][0].long(), single[1][0][0].long()
    ranks = ranked(order_keys(concat(pair, list(lengths)), SortKey(_ANY)))
    return ranks[: lengths[0]], ranks[lengths[0] :]


def _rows_of(column: Column, rows: Tensor | None) -> Column:
    return column if rows is None else column.take(rows).with_valid(None)


def _grouped(
    ours: Sequence[Column], theirs: Sequence[Column], lengths: tuple[int, int], device: torch.device
) -> tuple[int, Tensor, Tensor]:
    """How many groups the keys may make, and the groups of our rows and of theirs; equal keys are of one group."""
    if not ours:
        zeros = [torch.zeros(length, dtype=torch.int64, device=device) for length in lengths]
        return 1, zeros[0], zeros[1]
    pairs = [align(pair) for pair in zip(ours, theirs, strict=True)]
    is_nested = any(mine.dtype.has_children for mine, _ in pairs)
    parts = [
        (a, b)
        for mine, other in ([] if is_nested else pairs)
        for (a, _), (b, _) in zip(digits(mine.canonical()), digits(other.canonical()), strict=True)
    ]
    if not is_nested and min(lengths):
        limits = [(waits.limits(a, _RANGE), waits.limits(b, _RANGE)) for a, b in parts]
        lows = [min(one[0], other[0]) for one, other in limits]
        sizes = [max(one[1], other[1]) - low + 1 for (one, other), low in zip(limits, lows, strict=True)]
        if prod(sizes) < _PACKED:
            ids = [torch.zeros(length, dtype=torch.int64, device=device) for length in lengths]
            for pair, low, size in zip(parts, lows, sizes, strict=True):
                ids = [found * size + (digit.long() - low) for found, digit in zip(ids, pair, strict=True)]
            return prod(sizes), ids[0], ids[1]
    both = [concat(pair, list(lengths)) for pair in pairs]
    found, _, groups = group_rows(both, None)
    return max(groups, 1), found[: lengths[0]].long(), found[lengths[0] :].long()
