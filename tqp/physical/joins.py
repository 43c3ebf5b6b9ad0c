"""How a join becomes stages over what its build side is made of.

What that is, and which side is probed, is chosen in `choose.py`: a stored table through an index of one of its columns (nothing
is built; its filter is a mask, or is applied to the few rows found), the distinct keys where only counts whether one is there,
else the rows materialised and indexed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Protocol, assert_never

from tqp.functions.bind import bind
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Expr
from tqp.ir.plan import Aggregate, Field, Join, Plan, Project, Scan
from tqp.ir.visit import rename, symbols
from tqp.operators.aggregate import AggregateSink
from tqp.operators.bands import Band, bands_of
from tqp.operators.build import AliveSink, BuildRef, BuildSink, Built, ResidentBuild, SlotBuild
from tqp.operators.choice import Choice
from tqp.operators.filter import FilterStage, ProjectStage, in_order
from tqp.operators.membership import Members, MembershipStage, MembersSink
from tqp.operators.operator import Sink
from tqp.operators.probe import ProbeStage
from tqp.operators.results import Alive, R, Relation, Slot
from tqp.operators.scan import ResultSource, TableSource
from tqp.operators.setops import FullJoinSink
from tqp.physical.choose import (
    ON_ROWS_FOUND,
    ChosenJoin,
    Index,
    KeysAlone,
    Materialized,
    choose_filter,
    choose_join,
    stored_keys,
    swapped,
)
from tqp.physical.expected import filter_of
from tqp.physical.filtered_scans import KeyFilters
from tqp.physical.pipeline import Detour, Few, Many, Stream
from tqp.physical.target import Target

__all__ = ["Lowering", "lower_join", "narrowed", "pairs"]


class Lowering(Protocol):
    """What the planner does for a join."""

    target: Target
    filters: KeyFilters

    def add(self, stream: Stream, sink: Sink[R], unless: Few | Many | None = None) -> Slot[R]:
        """One more pipeline; returns its slot. `unless`: when nobody reads it."""
        ...

    def finish(self, plan: Plan, needed: tuple[str, ...]) -> Slot[Relation]:
        """The slot of a relation with the symbols `needed` of the plan."""
        ...

    def stream(self, plan: Plan, needed: frozenset[str]) -> Stream:
        """The plan's rows with at least the symbols `needed`."""
        ...

    def rows(self, plan: Plan) -> float:
        """About how many rows the plan has."""
        ...


def lower_join(planner: Lowering, plan: Join, needed: frozenset[str]) -> Stream:
    """The stream of a join with at least the symbols `needed`."""
    chosen = choose_join(plan, planner.target.limits, planner.rows)
    plan, way = chosen.plan, chosen.way
    match way:
        case Index():
            return _probe_index(planner, plan, way, needed, chosen.choices)
        case Materialized() if plan.kind == "full":
            stream = _full(planner, plan, needed)
        case KeysAlone() | Materialized() if chosen.if_few is not None:
            stream = _probe_or_look_up(planner, chosen, way, chosen.if_few, needed)
        case KeysAlone():
            stream = _probe_keys(planner, plan, needed)
        case Materialized() if chosen.reduces:
            stream = _probe_reduced(planner, plan, needed)
        case Materialized():
            stream = _probe_built(planner, plan, _build(planner, plan, needed), needed)
        case _:
            assert_never(way)
    return stream.chose(*chosen.choices)


def pairs(planner: Lowering, plan: Join, rows: Slot[Relation], needed: frozenset[str]) -> Stream:
    """The matching pairs of an inner join in the order of its left side, whose right side lies in `rows`."""
    there = _There(right_rows=rows)
    return _probe_built(planner, plan, _build(planner, plan, needed, there), needed, there)


@dataclass(frozen=True)
class _There:
    """Which sides of a join lie in slots already, with all columns that the join needs."""

    left_rows: Slot[Relation] | None = None
    right_rows: Slot[Relation] | None = None

    def left(self, planner: Lowering, plan: Join, needed: frozenset[str]) -> Stream:
        return planner.stream(plan.left, needed) if self.left_rows is None else Stream(ResultSource(self.left_rows))

    def right(self, planner: Lowering, plan: Join, needed: frozenset[str]) -> Stream:
        return planner.stream(plan.right, needed) if self.right_rows is None else Stream(ResultSource(self.right_rows))


_NOTHING: Final = _There()


def _probe_keys(
    planner: Lowering, plan: Join, needed: frozenset[str], there: _There = _NOTHING, unless: Few | None = None
) -> Stream:
    """`unless`: when nobody reads the keys."""
    ours, theirs = (tuple(side) for side in zip(*plan.keys, strict=True))
    below = frozenset[str]().union(*map(symbols, theirs))
    stored = stored_keys(plan.right, theirs, planner.target.limits) if there.right_rows is None else None
    sink = MembersSink(theirs, planner.rows(plan.left), stored)
    slot = planner.add(there.right(planner, plan, below), sink, unless)
    if there is _NOTHING:
        planner.filters.add(plan, slot, ours)
    stream = there.left(planner, plan, (needed | _read(plan)) & _made(plan.left))
    return stream.then(MembershipStage(plan.kind, slot, ours, plan.mark, plan.null_aware))


def _read(plan: Join) -> frozenset[str]:
    """Symbols that the join's own expressions read."""
    read = frozenset[str]()
    for ours, theirs in plan.keys:
        read |= symbols(ours) | symbols(theirs)
    return read if plan.residual is None else read | symbols(plan.residual)


def _made(plan: Plan) -> frozenset[str]:
    return frozenset(item.symbol for item in plan.schema)


def _build(
    planner: Lowering,
    plan: Join,
    needed: frozenset[str],
    there: _There = _NOTHING,
    unless: Few | None = None,
    asked: Slot[Members] | None = None,
) -> Slot[Built]:
    """The slot of the right side's rows with their index. `unless`: when nobody reads it. `asked`: all keys that are looked up."""
    residual_reads = frozenset[str]() if plan.residual is None else symbols(plan.residual)
    wanted = residual_reads if plan.kind in ("semi", "anti", "mark") else needed | residual_reads
    if plan.kind == "mark" or plan.null_aware:
        wanted = wanted | _read(plan)
    payload = tuple(item.symbol for item in plan.right.schema if item.symbol in wanted)
    keys = tuple(theirs for _, theirs in plan.keys)
    below = frozenset(payload).union(*map(symbols, keys))
    # Of equal rows one is enough to tell whether there is a match, or a comparison with NULL. Many rows of one key and others
    # of the residual are left as they are: to tell these apart takes longer than to look at them.
    distinct = plan.kind in ("semi", "anti", "mark") and (plan.residual is None or not plan.keys)
    bands, _ = _bands(plan)
    below = below.union(*(symbols(band.theirs) for band in bands))
    sink = BuildSink(keys, payload, planner.rows(plan.left), distinct, bands)
    stream = there.right(planner, plan, below)
    if asked is not None:
        stream = stream.then(MembershipStage("semi", asked, keys, is_optional=True))
    return planner.add(stream, sink, unless)


def _probe_reduced(planner: Lowering, plan: Join, needed: frozenset[str]) -> Stream:
    """The left side's rows are collected; of the right one's only those are built on that they ask for."""
    below = (needed | _read(plan)) & _made(plan.left)
    rows = planner.finish(plan.left, tuple(item.symbol for item in plan.left.schema if item.symbol in below))
    there = _There(left_rows=rows)
    ours = tuple(ours for ours, _ in plan.keys)
    asked = planner.add(Stream(ResultSource(rows)), MembersSink(ours, planner.rows(plan.right)))
    return _probe_built(planner, plan, _build(planner, plan, needed, there, asked=asked), needed, there)


def _probe_built(
    planner: Lowering,
    plan: Join,
    slot: Slot[Built],
    needed: frozenset[str],
    there: _There = _NOTHING,
    track: bool = False,
) -> Stream:
    ours = tuple(ours for ours, _ in plan.keys)
    if there is _NOTHING:
        planner.filters.add(plan, SlotBuild(slot), ours)
    stream = there.left(planner, plan, (needed | _read(plan)) & _made(plan.left))
    return stream.then(_stage(plan, SlotBuild(slot), ours, plan.residual, track))


def _stage(
    plan: Join, build: BuildRef, keys: tuple[Expr, ...], residual: Expr | None, track: bool = False
) -> ProbeStage:
    comparison = None
    if plan.kind == "mark" or plan.null_aware:
        comparison = conjunction(tuple(bind(words.EQ, ours, theirs) for ours, theirs in plan.keys))
    bands, others = _bands(plan) if isinstance(build, SlotBuild) else ((), None)
    return ProbeStage(plan.kind, build, keys, residual, plan.mark, plan.null_aware, comparison, track, bands, others)


def _bands(plan: Join) -> tuple[tuple[Band, ...], Expr | None]:
    """What finds ranges of the right side's rows where there is no key, and the other conditions.

    Not where it counts whether a condition is NULL: a row that is not looked at tells nothing.
    """
    if plan.keys or plan.kind == "mark" or plan.null_aware:
        return (), None
    bands, others = bands_of(plan.residual, _made(plan.left), _made(plan.right))
    return bands, conjunction(others) if others else None


def _full(planner: Lowering, plan: Join, needed: frozenset[str]) -> Stream:
    left = Join("left", plan.left, plan.right, plan.keys, plan.residual)
    carried = tuple(item.symbol for item in plan.schema if item.symbol in needed)
    build = _build(planner, left, needed)
    stream = _probe_built(planner, left, build, needed, track=True)
    return Stream(ResultSource(planner.add(stream, FullJoinSink(build, carried))))


def _probe_or_look_up(
    planner: Lowering, chosen: ChosenJoin, way: KeysAlone | Materialized, index: Index, needed: frozenset[str]
) -> Stream:
    """One side's rows are collected. Are they few, they find theirs by an index of the other side, which is a stored table.

    Else the join runs as it would have: so is what is only an estimate now decided when the rows are there.
    """
    plan = chosen.plan
    side = plan.left if chosen.few_left else plan.right
    below = (needed | _read(plan)) & _made(side)
    rows = planner.finish(side, tuple(item.symbol for item in side.schema if item.symbol in below))
    there = _There(left_rows=rows) if chosen.few_left else _There(right_rows=rows)
    most = planner.target.limits.index_share * max(index.facts.distinct, 1)
    few = Few(rows, most, f"{plan.kind} join", f"index on {index.name}", chosen.name)
    if isinstance(way, KeysAlone):
        probed = _probe_keys(planner, plan, needed, there, few)
    else:
        probed = _probe_built(planner, plan, _build(planner, plan, needed, there, few), needed, there)
    started = plan if chosen.few_left else swapped(plan)
    if chosen.distinct:
        started, rows = _distinct(planner, started, rows, few)
    looked_up = _through_index(started, Stream(ResultSource(rows)), index, needed, None, in_order(index.conditions))
    return replace(probed, detour=Detour(few, looked_up.source, looked_up.stages))


def _distinct(planner: Lowering, plan: Join, rows: Slot[Relation], few: Few) -> tuple[Join, Slot[Relation]]:
    """The join with each combination of the keys of its left side once, and their slot; `rows` are those of that side."""
    fields = tuple(
        Field(f"key {place} of result {rows}", f"key {place}", ours.dtype) for place, (ours, _) in enumerate(plan.keys)
    )
    keys = Project(plan.left, fields, tuple(ours for ours, _ in plan.keys))
    distinct = Aggregate(keys, tuple(field.symbol for field in fields), (), ())
    stream = Stream(ResultSource(rows)).then(ProjectStage(keys.fields, keys.exprs))
    slot = planner.add(stream, AggregateSink(distinct, few.rows), Many(few))
    pairs = tuple((field.ref, theirs) for field, (_, theirs) in zip(fields, plan.keys, strict=True))
    return Join(plan.kind, distinct, plan.right, pairs, plan.residual), slot


def _probe_index(
    planner: Lowering, plan: Join, found: Index, needed: frozenset[str], choices: tuple[Choice, ...]
) -> Stream:
    alive = None
    late: tuple[Expr, ...] = ()
    filtered = choose_filter(found, planner.rows(plan.left), planner.target.limits)
    if filtered is not None:
        choices = (*choices, filtered)
        if filtered.chosen == ON_ROWS_FOUND:
            late = in_order(found.conditions)
        else:
            masked = narrowed(found.scan, frozenset[str]().union(*map(symbols, found.conditions)))
            passing = filter_of(masked, found.conditions, planner.target.limits)
            alive = planner.add(Stream(TableSource(masked), (passing,)), AliveSink(masked))
    if alive is not None:
        build = ResidentBuild(narrowed(found.scan, frozenset()), found.column, alive)
        planner.filters.add(plan, build, (plan.keys[found.place][0],))
    stream = planner.stream(plan.left, (needed | _read(plan)) & _made(plan.left))
    return _through_index(plan, stream, found, needed, alive, late).chose(*choices)


def _through_index(
    plan: Join,
    stream: Stream,
    found: Index,
    needed: frozenset[str],
    alive: Slot[Alive] | None,
    late: tuple[Expr, ...],
) -> Stream:
    """The rows of `stream`, the join's left side, with those found by the index; `late` are conditions on these."""
    inner = plan.kind == "inner"
    rest = [(ours, theirs) for place, (ours, theirs) in enumerate(plan.keys) if place != found.place]
    residual = [rename(bind(words.EQ, ours, theirs), found.renames) for ours, theirs in rest]
    if plan.residual is not None:
        residual += [rename(part, found.renames) for part in conjuncts(plan.residual)]
    if not inner:
        residual += late
    outer = needed if plan.kind in ("inner", "left", "single") else frozenset[str]()
    shown = [rename(item.ref, found.renames) for item in plan.right.schema if item.symbol in outer]
    read = frozenset[str]().union(*map(symbols, (*shown, *residual, *late)))
    build = ResidentBuild(narrowed(found.scan, read), found.column, alive)
    key = plan.keys[found.place][0]
    condition = conjunction(tuple(residual)) if residual else None
    stream = stream.then(_stage(plan, build, (key,), condition))
    if inner and late:
        stream = stream.then(FilterStage(late))
    named = [s for s in plan.right.schema if s.symbol in outer and s.symbol in found.renames]
    if named:
        stream = stream.then(ProjectStage(tuple(named), tuple(found.renames[s.symbol] for s in named)))
    return stream


def narrowed(scan: Scan, needed: frozenset[str]) -> Scan:
    """The scan with only the columns `needed`, one at least."""
    pairs = [(c, f) for c, f in zip(scan.columns, scan.fields, strict=True) if f.symbol in needed]
    pairs = pairs or [(scan.columns[0], scan.fields[0])]
    return replace(scan, columns=tuple(c for c, _ in pairs), fields=tuple(f for _, f in pairs))
