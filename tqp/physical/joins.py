"""How a Join becomes stages: which side is probed, what the build side is made of.

In order of preference for the build side: a stored table through an index of one of its columns (nothing is built; its
filter is a mask, or is applied to the few rows found), a bitmap of keys (semi and anti joins on a bounded integer), else
the rows materialised and indexed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqp.data.layout import Bounds, narrowest
from tqp.data.statistics import ColumnStatistics
from tqp.functions.bind import bind
from tqp.ir import words
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.lineage import lineage, stored_statistics
from tqp.ir.plan import Filter, Join, Plan, Project, Scan
from tqp.ir.visit import conjunction, conjuncts, rename, symbols
from tqp.operators.build import AliveSink, BitmapSink, BuildRef, BuildSink, ResidentBuild, SlotBuild
from tqp.operators.filter import FilterStage, ProjectStage, in_order
from tqp.operators.membership import MembershipStage
from tqp.operators.probe import ProbeStage
from tqp.operators.scan import ResultSource, TableSource
from tqp.operators.setops import FullJoinSink
from tqp.optimizer.cardinality import estimate
from tqp.physical.program import Stream

if TYPE_CHECKING:
    from tqp.physical.planner import Planner

__all__ = ["lower_join"]

_BITMAP_KEYS = 2**28
"""Largest key range kept as a bitmap: 256 MiB of bools."""

_FEW = 0.25
"""An index is preferred to scanning the indexed table when it reads less than this share of its rows."""


def lower_join(planner: Planner, plan: Join, needed: frozenset[str]) -> Stream:
    """The stream of a join with at least the symbols `needed`."""
    if plan.kind == "right":
        plan = Join("left", plan.right, plan.left, tuple((right, left) for left, right in plan.keys), plan.residual)
    if plan.kind == "full":
        return _full(planner, plan, needed)
    if plan.kind == "inner" and len(plan.keys) and _prefers_swap(plan):
        plan = Join("inner", plan.right, plan.left, tuple((right, left) for left, right in plan.keys), plan.residual)
    indexed = _Indexed.find(plan)
    if indexed is not None:
        return _probe_index(planner, plan, indexed, needed)
    limits = _bitmap_limits(plan) if plan.kind in ("semi", "anti") and plan.residual is None else None
    if limits is not None:
        ((ours, theirs),) = plan.keys
        slot = planner.add(planner.stream(plan.right, symbols(theirs)), BitmapSink(theirs, limits))
        stream = planner.stream(plan.left, needed | symbols(ours))
        return stream.then(MembershipStage(plan.kind, slot, ours, plan.null_aware))
    return _probe_built(planner, plan, needed)


def _read(plan: Join) -> frozenset[str]:
    """Symbols that the join's own expressions read."""
    read = frozenset[str]()
    for ours, theirs in plan.keys:
        read |= symbols(ours) | symbols(theirs)
    return read if plan.residual is None else read | symbols(plan.residual)


def _made(plan: Plan) -> frozenset[str]:
    return frozenset(item.symbol for item in plan.schema)


def _probe_built(planner: Planner, plan: Join, needed: frozenset[str], track: bool = False) -> Stream:
    residual_reads = frozenset[str]() if plan.residual is None else symbols(plan.residual)
    wanted = residual_reads if plan.kind in ("semi", "anti", "mark") else needed | residual_reads
    if plan.kind == "mark" or plan.null_aware:
        wanted = wanted | _read(plan)
    payload = tuple(item.symbol for item in plan.right.schema if item.symbol in wanted)
    keys = tuple(theirs for _, theirs in plan.keys)
    below = frozenset(payload).union(*map(symbols, keys))
    slot = planner.add(planner.stream(plan.right, below), BuildSink(keys, payload, estimate(plan.left)))
    stream = planner.stream(plan.left, (needed | _read(plan)) & _made(plan.left))
    return stream.then(_stage(plan, SlotBuild(slot), tuple(ours for ours, _ in plan.keys), plan.residual, track))


def _stage(
    plan: Join, build: BuildRef, keys: tuple[Expr, ...], residual: Expr | None, track: bool = False
) -> ProbeStage:
    comparison = None
    if plan.kind == "mark" or plan.null_aware:
        comparison = conjunction(tuple(bind(words.EQ, ours, theirs) for ours, theirs in plan.keys))
    return ProbeStage(plan.kind, build, keys, residual, plan.mark, plan.null_aware, comparison, track)


def _full(planner: Planner, plan: Join, needed: frozenset[str]) -> Stream:
    left = Join("left", plan.left, plan.right, plan.keys, plan.residual)
    carried = tuple(item.symbol for item in plan.schema if item.symbol in needed)
    stream = _probe_built(planner, left, needed, track=True)
    probe = stream.stages[-1]
    assert isinstance(probe, ProbeStage) and isinstance(probe.build, SlotBuild)
    return Stream(ResultSource(planner.add(stream, FullJoinSink(probe.build.slot, carried))))


@dataclass(frozen=True, eq=False)
class _Indexed:
    """A build side that is a stored table, filtered: its scan, the conditions, and the join key that is a column of it."""

    scan: Scan
    conditions: tuple[Expr, ...]
    renames: dict[str, Expr]
    place: int
    column: str
    facts: ColumnStatistics

    @staticmethod
    def of(plan: Plan, keys: tuple[Expr, ...]) -> _Indexed | None:
        """The best index for these keys of `plan`: of a unique column, else of a sorted one."""
        base = _stored(plan)
        if base is None:
            return None
        scan, conditions, renames = base
        best: _Indexed | None = None
        for place, key in enumerate(keys):
            key = rename(key, renames)
            if not isinstance(key, ColumnRef) or key.dtype.is_text or not (key.dtype.is_exact or key.dtype.is_temporal):
                continue
            column = scan.column(key.symbol)
            assert column is not None
            facts = scan.source.statistics(column)
            if facts.minimum is None or facts.maximum is None or facts.nulls:
                continue
            if facts.maximum - facts.minimum > max(32 * facts.rows, 2**20):
                continue
            found = _Indexed(scan, conditions, renames, place, column, facts)
            if facts.is_unique:
                return found
            if facts.is_sorted and best is None:
                best = found
        return best

    @staticmethod
    def find(plan: Join) -> _Indexed | None:
        """An index for the build side of a join, if using it pays."""
        if plan.kind == "mark" or plan.null_aware:
            return None
        found = _Indexed.of(plan.right, tuple(theirs for _, theirs in plan.keys))
        if found is None or found.facts.is_unique:
            return found
        return found if not found.conditions or found.reads(plan.left) < _FEW else None

    def reads(self, probe: Plan) -> float:
        """The share of the table's rows that a probe by all rows of `probe` looks at."""
        return estimate(probe) / max(self.facts.distinct, 1)


def _stored(plan: Plan) -> tuple[Scan, tuple[Expr, ...], dict[str, Expr]] | None:
    """A scan under filters and renaming projects, its conditions in the scan's symbols, and what renames to what."""
    conditions: list[tuple[Plan, Expr]] = []
    node, renaming = plan, False
    while not isinstance(node, Scan):
        if isinstance(node, Filter):
            conditions += [(node.input, part) for part in conjuncts(node.predicate)]
        elif isinstance(node, Project) and all(isinstance(expr, ColumnRef) for expr in node.exprs):
            renaming = True
        else:
            return None
        node = node.input
    renames = {item.symbol: _origin(plan, item.ref) for item in plan.schema} if renaming else {}
    return node, tuple(_origin(below, part) for below, part in conditions), renames


def _origin(plan: Plan, expr: Expr) -> Expr:
    """The expression over the columns of the scan that the plan is of."""
    *_, (_, origin) = lineage(plan, expr)
    return origin


def _prefers_swap(plan: Join) -> bool:
    """Whether probing the left side's table by an index of it beats scanning it, the right side being small."""
    found = _Indexed.of(plan.left, tuple(ours for ours, _ in plan.keys))
    if found is None or found.facts.is_unique and not _is_filtered_less(plan):
        return False
    return found.reads(plan.right) < _FEW


def _is_filtered_less(plan: Join) -> bool:
    return estimate(plan.right) < _FEW * estimate(plan.left)


def _probe_index(planner: Planner, plan: Join, found: _Indexed, needed: frozenset[str]) -> Stream:
    inner = plan.kind == "inner"
    rest = [(ours, theirs) for place, (ours, theirs) in enumerate(plan.keys) if place != found.place]
    residual = [rename(bind(words.EQ, ours, theirs), found.renames) for ours, theirs in rest]
    if plan.residual is not None:
        residual += [rename(part, found.renames) for part in conjuncts(plan.residual)]
    alive = None
    late: tuple[Expr, ...] = ()
    if found.conditions:
        if found.reads(plan.left) < _FEW:
            late = in_order(found.conditions)
        else:
            masked = _columns(found.scan, frozenset[str]().union(*map(symbols, found.conditions)))
            alive = planner.add(
                Stream(TableSource(masked), (FilterStage(in_order(found.conditions)),)), AliveSink(masked)
            )
    if not inner:
        residual += late
    outer = needed if plan.kind in ("inner", "left", "single") else frozenset[str]()
    shown = [rename(item.ref, found.renames) for item in plan.right.schema if item.symbol in outer]
    read = frozenset[str]().union(*map(symbols, (*shown, *residual, *late)))
    build = ResidentBuild(_columns(found.scan, read), found.column, alive)
    stream = planner.stream(plan.left, (needed | _read(plan)) & _made(plan.left))
    key = plan.keys[found.place][0]
    condition = conjunction(tuple(residual)) if residual else None
    stream = stream.then(_stage(plan, build, (key,), condition))
    if inner and late:
        stream = stream.then(FilterStage(late))
    named = [s for s in plan.right.schema if s.symbol in outer and s.symbol in found.renames]
    if named:
        stream = stream.then(ProjectStage(tuple(named), tuple(found.renames[s.symbol] for s in named)))
    return stream


def _columns(scan: Scan, needed: frozenset[str]) -> Scan:
    """The scan with only the columns `needed`, one at least."""
    pairs = [(c, f) for c, f in zip(scan.columns, scan.fields, strict=True) if f.symbol in needed]
    pairs = pairs or [(scan.columns[0], scan.fields[0])]
    return Scan(scan.source, tuple(c for c, _ in pairs), tuple(f for _, f in pairs))


def _bitmap_limits(plan: Join) -> Bounds | None:
    """The limits of a build side's only key, where their span is worth one bool a value; None where it is not."""
    if len(plan.keys) != 1:
        return None
    ((_, key),) = plan.keys
    facts = stored_statistics(plan.right, key)
    if facts is None or facts.minimum is None or facts.maximum is None or key.dtype.is_text:
        return None
    if narrowest(facts.minimum, facts.maximum) is None:
        # Keys of two limbs are no places in a bitmap, however few they are.
        return None
    span = facts.maximum - facts.minimum
    small = span <= _BITMAP_KEYS and span <= 64 * max(estimate(plan.right), 2**14)
    return (facts.minimum, facts.maximum) if small else None
