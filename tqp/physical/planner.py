"""From an optimized Plan to a Program.

`stream` turns a plan into a source and stages, as far as rows can flow; what must see all rows first (a breaker) ends a
pipeline in a sink, and the stream goes on from its result. A shared definition runs once, before its first reader.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from tqp.data.reading import Excerpt
from tqp.errors import InternalError
from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import AggregateCall, Expr, Literal
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    Schema,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)  # fmt: skip
from tqp.ir.visit import expressions, symbols
from tqp.operators.aggregate import AggregateSink
from tqp.operators.asof import AsofSink, CandidatesSink
from tqp.operators.choice import Choice
from tqp.operators.collect import CollectSink
from tqp.operators.filter import FilterStage, ProjectStage, in_order
from tqp.operators.generate import GeneratedSource, GenerateStage
from tqp.operators.grouping_sets import GroupingSetsSink
from tqp.operators.keyed import Fold
from tqp.operators.operator import Sink
from tqp.operators.pivot import PivotSink
from tqp.operators.recursion import FoundSink, FoundSource, SeedSink, StepSink, WorkingSource
from tqp.operators.recursion import Recursion as Iterated
from tqp.operators.results import R, Relation, Slot
from tqp.operators.scan import NumberedSource, ResultSource, TableSource, ValuesSource
from tqp.operators.setops import SetKind, SetOpSink, UnionSink
from tqp.operators.sort import LimitSink, SortSink
from tqp.operators.window import WindowSink
from tqp.optimizer.cardinality import Estimator
from tqp.physical import joins
from tqp.physical.expected import filter_of
from tqp.physical.filtered_scans import KeyFilters
from tqp.physical.finest import finest_sets
from tqp.physical.nearest import lower_nearest
from tqp.physical.pipeline import Few, Many, Pipeline, Stream
from tqp.physical.program import Program
from tqp.physical.reduce import reduced
from tqp.physical.repeat import ends_early, interleave, repeat
from tqp.physical.target import Target
from tqp.stack import deep
from tqp.types import BIGINT, BOOLEAN

__all__ = ["Planner", "lower"]

_HERE: Final = Target()
"""One thread of the CPU."""


def lower(plan: Plan, target: Target = _HERE) -> Program:
    """The program of a plan for a target; its last pipeline collects the plan's schema."""
    planner = Planner(target)
    needed = tuple(dict.fromkeys(item.symbol for item in plan.schema))
    result = planner.finish(plan, needed)
    return Program.of(planner.pipelines, plan.schema, result, target)


class Planner:
    """Collects the pipelines of one program."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.rows = Estimator().rows
        self.pipelines: list[Pipeline] = []
        self.filters = KeyFilters(target.limits.key_filter_rows)
        self._definitions: dict[Plan, Slot[Relation]] = {}
        self._recursions: dict[str, tuple[Slot[Iterated], Schema]] = {}
        """Those around what is lowered, by their names, and their columns."""

    def add(self, stream: Stream, sink: Sink[R], unless: Few | Many | None = None) -> Slot[R]:
        """One more pipeline; returns its slot. `unless`: when nobody reads it."""
        slot = Slot[R](len(self.pipelines))
        stream = reduced(stream, sink, self.target.limits)
        self.pipelines.append(Pipeline(slot, stream.source, stream.stages, sink, stream.choices, stream.detour, unless))
        return slot

    @deep
    def finish(self, plan: Plan, needed: tuple[str, ...]) -> Slot[Relation]:
        """The slot of a relation with the symbols `needed` of the plan."""
        slot = self._breaker(plan, needed)
        if slot is not None:
            return slot
        return self.add(self.stream(plan, frozenset(needed)), CollectSink(needed))

    @deep
    def stream(self, plan: Plan, needed: frozenset[str]) -> Stream:
        """The plan's rows with at least the symbols `needed`."""
        match plan:
            case Scan():
                return self._scan(plan, needed, ())
            case Shared():
                return self._shared(plan, needed)
            case Values():
                return Stream(ValuesSource(plan))
            case Filter():
                conditions = conjuncts(plan.predicate)
                below = needed.union(*map(symbols, conditions))
                if isinstance(plan.input, Scan):
                    return self._scan(plan.input, below, conditions)
                stream = self.stream(plan.input, below)
                return stream.then(FilterStage(in_order(conditions))) if conditions else stream
            case Project():
                chosen = [(f, e) for f, e in zip(plan.fields, plan.exprs, strict=True) if f.symbol in needed]
                below = frozenset[str]().union(*(symbols(expr) for _, expr in chosen))
                stage = ProjectStage(tuple(f for f, _ in chosen), tuple(e for _, e in chosen))
                return self.stream(plan.input, below).then(stage)
            case Join():
                return joins.lower_join(self, plan, needed)
            case SetOp() if plan.kind == "union" and not plan.all:
                return self.stream(_distinct(plan), needed)
            case Generate(input=Values(fields=(), rows=((),)), padded=False):
                fields = plan.fields if any(field.symbol in needed for field in plan.fields) else ()
                return Stream(GeneratedSource(plan.function, plan.args, fields, plan.numbered))
            case Generate():
                below = needed.union(*map(symbols, plan.args)) - {field.symbol for field in plan.fields}
                return self.stream(plan.input, below).then(GenerateStage(plan))
            case AsofJoin():
                return Stream(ResultSource(self._asof(plan, needed)))
            case NearestJoin():
                return Stream(ResultSource(lower_nearest(self, plan, needed)))
            case Recursion():
                fields = tuple(f for f in plan.fields if f.symbol in needed)
                names = tuple((f.symbol, f.symbol) for f in fields)
                return Stream(WorkingSource(self._recursion(plan), names, fields, whole=True))
            case Working():
                slot, fields = self._recursions[plan.name]
                pairs = [(f, fields[c]) for f, c in zip(plan.fields, plan.columns, strict=True) if f.symbol in needed]
                columns = tuple((f.symbol, there.symbol) for f, there in pairs)
                return Stream(WorkingSource(slot, columns, tuple(f for f, _ in pairs), plan.whole))
            case DependentJoin():
                raise InternalError("a dependent join is left after decorrelation")
            case Window() if _numbers_rows(plan):
                return self._numbered(plan, needed)
            case Aggregate() | GroupingSets() | Pivot() | Sort() | TopN() | Limit() | SetOp() | Window():
                return Stream(ResultSource(self.finish(plan, tuple(s for s in _symbols(plan) if s in needed))))
            case _:
                assert_never(plan)

    def _scan(self, plan: Scan, needed: frozenset[str], conditions: tuple[Expr, ...]) -> Stream:
        """The rows of a stored table that pass the conditions, and that some join needs as far as its keys are known by then."""
        stream = Stream(TableSource(_narrow(plan, needed)))
        if plan.source.excerpt is not None:
            stream = stream.chose(_of_groups(plan.source.excerpt))
        if conditions:
            stream = stream.then(filter_of(plan, conditions, self.target.limits))
        for stage in self.filters.of(plan):
            stream = stream.then(stage)
        return stream

    def _breaker(self, plan: Plan, needed: tuple[str, ...]) -> Slot[Relation] | None:
        """The slot of a plan that ends a pipeline by itself, else None."""
        match plan:
            case Limit(limit=0) | TopN(limit=0):
                return self.add(Stream(ValuesSource(Values(plan.schema, ()))), CollectSink(needed))
            case Aggregate():
                plan = _counted(plan, needed)
                below = frozenset(plan.keys).union(*map(symbols, expressions(plan)))
                return self.add(self.stream(plan.input, below), AggregateSink(plan, self.rows(plan.input)))
            case GroupingSets():
                calls = tuple(map(_counting, plan.aggregates))
                plan = GroupingSets(plan.input, plan.keys, plan.sets, plan.marked, calls, plan.fields)
                below = frozenset(plan.keys).union(*map(symbols, expressions(plan)))
                finest, choices = finest_sets(plan, self.rows, self.target.limits.united_groups)
                sink = GroupingSetsSink(plan, self.rows(plan.input), finest)
                return self.add(self.stream(plan.input, below).chose(*choices), sink)
            case Pivot():
                plan = plan.narrowed(frozenset(needed))
                return self.add(self.stream(plan.input, plan.reads), PivotSink(plan))
            case Sort() | TopN():
                below = frozenset(needed).union(*(symbols(key.expr) for key in plan.keys))
                carried = tuple(s for s in _symbols(plan) if s in below)
                limit, offset = (plan.limit, plan.offset) if isinstance(plan, TopN) else (None, 0)
                return self.add(self.stream(plan.input, below), SortSink(plan.keys, carried, limit, offset))
            case Limit():
                carried = tuple(s for s in _symbols(plan) if s in needed)
                stream = self._as_it_comes(_first(self.stream(plan.input, frozenset(needed)), plan), plan, carried)
                return self.add(stream, LimitSink(plan.limit, plan.offset, carried))
            case Window():
                return None if _numbers_rows(plan) else self._window(plan, needed)
            case SetOp() if plan.kind != "union":
                return self._set_operation(plan, plan.kind)
            case SetOp() if plan.all:
                return self._union(plan, needed)
            case (
                Scan() | Shared() | Values() | Filter() | Project() | Join() | SetOp() | Generate() | AsofJoin() | NearestJoin()
                | Recursion() | Working() | DependentJoin()
            ):  # fmt: skip
                return None
            case _:
                assert_never(plan)

    def _set_operation(self, plan: SetOp, kind: SetKind) -> Slot[Relation]:
        left, right = plan.inputs
        ours, theirs = tuple(_symbols(left)), tuple(_symbols(right))
        sink = SetOpSink(kind, plan.all, self.finish(left, ours), ours, theirs, tuple(_symbols(plan)))
        return self.add(self.stream(right, frozenset(theirs)), sink)

    def _union(self, plan: SetOp, needed: tuple[str, ...]) -> Slot[Relation]:
        """One sink for all inputs: it reads what lies above, and the rows of the last one are its own."""
        places = [place for place, item in enumerate(plan.fields) if item.symbol in needed]
        names = tuple([plan.fields[place].symbol for place in places])
        above = []
        for one in plan.inputs[:-1]:
            read = _at(one, places)
            above.append((self.finish(one, read), read))
        last = plan.inputs[-1]
        read = _at(last, places)
        return self.add(self.stream(last, frozenset(read)), UnionSink(tuple(above), read, names))

    def _window(self, plan: Window, needed: tuple[str, ...]) -> Slot[Relation]:
        """One pipeline for the window and for those below it whose columns none of them reads."""
        below = frozenset(needed)
        plans: list[Window] = []
        current: Plan = plan
        while isinstance(current, Window):
            made = {item.symbol for item in current.fields}
            if any(made & symbols(expr) for above in plans for expr in expressions(above)):
                break
            if plans and (current.most is not None or plans[-1].most is not None):
                # It leaves out rows that the others read.
                break
            if _numbers_rows(current):
                break
            below = (below - made).union(*map(symbols, expressions(current)))
            plans.append(current)
            current = current.input
        carried = tuple(s for s in _symbols(current) if s in below)
        return self.add(self.stream(current, below), WindowSink(tuple(plans), carried))

    def _numbered(self, plan: Window, needed: frozenset[str]) -> Stream:
        """Rows as they come, with their numbers: those of the source where each of its rows comes through, else of a result."""
        made = [item.symbol for item in plan.fields]
        below = needed.difference(made)
        stream = self.stream(plan.input, below)
        if (
            not isinstance(stream.source, TableSource | ResultSource | NumberedSource)
            or stream.detour is not None
            or not all(isinstance(stage, ProjectStage) for stage in stream.stages)
        ):
            carried = tuple(s for s in _symbols(plan.input) if s in below)
            stream = Stream(ResultSource(self.add(stream, CollectSink(carried))))
        read = tuple(symbol for symbol in made if symbol in needed)
        return replace(stream, source=NumberedSource(stream.source, read)) if read else stream

    def _recursion(self, plan: Recursion) -> Slot[Iterated]:
        """The slot of all rows of a recursion."""
        seed, step = tuple(_symbols(plan.seed)), tuple(_symbols(plan.step))
        sink = SeedSink(seed, plan.fields, plan.distinct, _fold(plan))
        slot = self.add(self.stream(plan.seed, frozenset(seed)), sink)
        before, start = self._recursions, len(self.pipelines)
        self._recursions = {**before, plan.name: (slot, plan.fields)}
        self.add(self.stream(plan.step, frozenset(step)), StepSink(slot, step, sink.into, plan.most))
        self._recursions = before
        repeat(self.pipelines, start, slot)
        return slot

    def _as_it_comes(self, stream: Stream, plan: Limit, carried: tuple[str, ...]) -> Stream:
        """The rows of a LIMIT over a recursion, which ends as soon as they are there: each step's rows are taken at once."""
        source = stream.source
        if plan.limit is None or not isinstance(source, WorkingSource) or not source.whole or self._recursions:
            return stream
        if not stream.stages or not ends_early(self.pipelines, source.recursion):
            return stream
        last = replace(source, whole=False)
        self.add(replace(stream, source=last), FoundSink(source.recursion, carried, plan.limit + plan.offset))
        interleave(self.pipelines, source.recursion)
        fields = tuple(field for field in plan.schema if field.symbol in carried)
        return Stream(FoundSource(source.recursion, tuple((name, name) for name in carried), fields, whole=True))

    def _asof(self, plan: AsofJoin, needed: frozenset[str]) -> Slot[Relation]:
        ours, theirs = (tuple(side) for side in zip(*plan.keys, plan.order, strict=True))
        right = tuple(s for s in _symbols(plan.right) if s in needed and plan.kind not in ("semi", "anti"))
        below = frozenset(right).union(*map(symbols, theirs))
        candidates = self.add(self.stream(plan.right, below), CandidatesSink(right, theirs))
        left = tuple(s for s in _symbols(plan.left) if s in needed)
        stream = self.stream(plan.left, frozenset(left).union(*map(symbols, ours)))
        return self.add(stream, AsofSink(plan.kind, candidates, left, right, ours, plan.comparison))

    def _shared(self, plan: Shared, needed: frozenset[str]) -> Stream:
        slot = self._definitions.get(plan.definition)
        if slot is None:
            slot = self.finish(plan.definition, tuple(_symbols(plan.definition)))
            self._definitions[plan.definition] = slot
        pairs = zip(plan.fields, plan.columns, strict=True)
        return Stream(ResultSource(slot, tuple((f.symbol, c) for f, c in pairs if f.symbol in needed)))


def _fold(plan: Recursion) -> Fold | None:
    """What USING KEY makes of the rows of a recursion, if it stands there."""
    if plan.key is None:
        return None
    symbols = tuple(_symbols(plan.seed))
    keys = tuple(symbols[place] for place in plan.key)
    return Fold(symbols, plan.fields, plan.key, Aggregate(plan.seed, keys, plan.folded, plan.aggregates), plan.distinct)


def _symbols(plan: Plan) -> list[str]:
    return [item.symbol for item in plan.schema]


def _narrow(scan: Scan, needed: frozenset[str]) -> Scan:
    pairs = [(c, f) for c, f in zip(scan.columns, scan.fields, strict=True) if f.symbol in needed]
    return replace(scan, columns=tuple(c for c, _ in pairs), fields=tuple(f for _, f in pairs))


def _numbers_rows(plan: Window) -> bool:
    """Whether all that the window says of a row is its number in the order in which rows come."""
    return (
        not plan.partition_by
        and not plan.order_by
        and all(one.call.function == words.ROW_NUMBER and not one.call.order for one in plan.calls)
    )


def _first(stream: Stream, plan: Limit) -> Stream:
    """The stream of a LIMIT, whose source makes no more rows than are asked for, if it makes them itself."""
    source = stream.source
    if plan.limit is None or not isinstance(source, GeneratedSource):
        return stream
    if not all(isinstance(stage, ProjectStage) for stage in stream.stages):
        return stream
    return replace(stream, source=replace(source, most=plan.offset + plan.limit))


def _of_groups(excerpt: Excerpt) -> Choice:
    reason = f"only there may lie what is asked for, in row groups: {len(excerpt.groups):,}"
    return Choice("read of the file", f"{excerpt.rows:,} rows", ("all",), reason)


def _at(plan: Plan, places: list[int]) -> tuple[str, ...]:
    """The symbols of the plan's columns at these places."""
    schema = plan.schema
    return tuple([schema[place].symbol for place in places])


def _distinct(plan: SetOp) -> Aggregate:
    rows = SetOp(plan.kind, True, plan.inputs, plan.fields)
    return Aggregate(rows, tuple(item.symbol for item in plan.fields), (), ())


def _counted(plan: Aggregate, needed: tuple[str, ...]) -> Aggregate:
    """Without the aggregates nobody reads."""
    fields, calls = [], []
    for item, call in zip(plan.fields, plan.aggregates, strict=True):
        if item.symbol not in needed:
            continue
        fields.append(item)
        calls.append(_counting(call))
    return Aggregate(plan.input, plan.keys, tuple(fields), tuple(calls))


def _counting(call: AggregateCall) -> AggregateCall:
    """count(*) FILTER as a count of TRUE."""
    if call.function == words.COUNT_STAR and call.filter is not None:
        return AggregateCall(words.COUNT, (Literal(True, BOOLEAN),), BIGINT, filter=call.filter)
    return call
