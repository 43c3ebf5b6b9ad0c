"""Aggregates of equal inputs by fewer keys are made of those by more: a total of the groups' totals, a ROLLUP written out.

`(SELECT sum(x) FROM t)` beside `SELECT k, sum(x) FROM t GROUP BY k` reads the groups, which become one shared definition, in place
of the rows. Inputs are equal if they differ in symbols alone, and in columns that are computed of them, as keys may be. Only
aggregates that are had exactly from what they are for parts of the rows are made so, and only where nothing else asks for some of
the groups: who wants few of them is not made to compute all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tqp.functions.aggregates import aggregate_of, bind_aggregate
from tqp.functions.bind import bind, coerce
from tqp.ir import words
from tqp.ir.expr import AggregateCall, ColumnRef, Expr, Literal
from tqp.ir.plan import Aggregate, Field, Filter, Join, Plan, Project, SetOp, Shared
from tqp.ir.symbols import all_symbols, renamed
from tqp.ir.visit import (
    call_expressions,
    definitions,
    expressions,
    rename,
    rewrite_plan,
    subplans,
    symbols,
    walk_plan,
    with_expressions,
)  # fmt: skip
from tqp.optimizer.equal import Numbers, equal_sets, named
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.rules.share import with_definitions

__all__ = ["roll_up"]


def roll_up(plan: Plan) -> Plan:
    """The plan with each such aggregate over the groups of a finer one."""
    # Those within others come to light when the others read groups.
    while places := _places(plan):
        done: dict[Plan, Plan] = {}
        for tree in (*definitions(plan), plan):
            done[tree] = rewrite_plan(with_definitions(tree, done), places.get)
        plan = done[plan]
    return plan


def _places(plan: Plan) -> dict[Plan, Plan]:
    """What replaces which aggregate; none of these is within another."""
    trees = (*definitions(plan), plan)
    nodes = (node for tree in trees for node in walk_plan(tree) if isinstance(node, Aggregate))
    finest: list[_Finest] = []
    for _, owners in equal_sets((node, _base(node.input)) for node in nodes):
        found: list[_Finest] = []
        for node, names in sorted(owners.items(), key=lambda pair: -len(pair[0].keys)):
            one = _Finest.of(node, names)
            finer = next((other for other in reversed(found) if other.holds(one)), None)
            if finer is None:
                found.append(one)
            else:
                finer.coarser.append(one)
        finest += [one for one in found if one.coarser and not _few_are_wanted(one.node, trees)]
    within = {below for one in finest for node in one.nodes for below in walk_plan(node.input)}
    outer = [one for one in finest if within.isdisjoint(one.nodes)]
    if not outer:
        return {}
    fresh = Symbols(plan)
    return {node: other for one in outer for node, other in one.rolled(fresh)}


def _few_are_wanted(node: Aggregate, trees: Iterable[Plan]) -> bool:
    """Whether a condition somewhere reads a key of the aggregate, above it or where its input is made."""
    aliases = set(node.keys)
    own = set(walk_plan(node.input))
    parts = [part for tree in trees for part in walk_plan(tree) if part not in own]
    before = -1
    while before < len(aliases):
        before = len(aliases)
        for part in parts:
            if isinstance(part, Project):
                pairs = zip(part.fields, part.exprs, strict=True)
                aliases.update(made.symbol for made, expr in pairs if not symbols(expr).isdisjoint(aliases))
            elif isinstance(part, Shared):
                pairs_of_columns = zip(part.fields, part.columns, strict=True)
                aliases.update(made.symbol for made, column in pairs_of_columns if column in aliases)
            elif isinstance(part, SetOp):
                columns = zip(part.fields, *(side.schema for side in part.inputs), strict=True)
                aliases.update(made.symbol for made, *of in columns if not aliases.isdisjoint(f.symbol for f in of))
    conditions = (expr for part in parts if isinstance(part, Filter | Join) for expr in expressions(part))
    return any(not symbols(expr).isdisjoint(aliases) for expr in conditions)


def _computed(plan: Plan) -> bool:
    """Whether it computes columns of its input, without subqueries."""
    return isinstance(plan, Project) and not any(map(subplans, plan.exprs))


def _base(plan: Plan) -> Plan:
    """What lies below the columns that are computed for an aggregate over `plan`."""
    while isinstance(plan, Project) and _computed(plan):
        plan = plan.input
    return plan


def _columns(plan: Plan) -> dict[str, Expr]:
    """The columns of `plan` as what they are of its base."""
    made: dict[str, Expr] = {item.symbol: item.ref for item in plan.schema}
    while isinstance(plan, Project) and _computed(plan):
        own = {item.symbol: expr for item, expr in zip(plan.fields, plan.exprs, strict=True)}
        made = {symbol: rename(expr, own) for symbol, expr in made.items()}
        plan = plan.input
    return made


@dataclass(slots=True)
class _Finest:
    """An aggregate, and those that are made of its groups.

    `keys` and `calls` are under the numbers of what lies below, `columns` those of its input that are numbers as they are.
    """

    node: Aggregate
    keys: tuple[Expr, ...]
    calls: tuple[AggregateCall, ...]
    columns: dict[str, Expr]
    coarser: list[_Finest] = field(default_factory=list)

    @staticmethod
    def of(node: Aggregate, names: Numbers) -> _Finest:
        """The aggregate alone."""
        numbered = {symbol: named(expr, names) for symbol, expr in _columns(node.input).items()}
        calls = with_expressions(node, tuple(rename(expr, numbered) for expr in expressions(node)))
        assert isinstance(calls, Aggregate)
        plain = ((symbol, expr) for symbol, expr in numbered.items() if isinstance(expr, ColumnRef))
        columns: dict[str, Expr] = {expr.symbol: ColumnRef(symbol, expr.dtype) for symbol, expr in plain}
        return _Finest(node, tuple(numbered[key] for key in node.keys), calls.aggregates, columns)

    @property
    def nodes(self) -> tuple[Aggregate, ...]:
        return (self.node, *(one.node for one in self.coarser))

    def holds(self, other: _Finest) -> bool:
        """Whether the other one can be had from the groups of this one."""
        if not set(other.keys) < set(self.keys) or not all(map(_adds_up, other.calls)):
            return False
        more = (expr for call in other.calls if call not in self.calls for expr in call_expressions(call))
        return all(symbols(expr) <= self.columns.keys() for expr in more)

    def rolled(self, names: Symbols) -> Iterator[tuple[Plan, Plan]]:
        """For each of the nodes what replaces it: a reader of their common definition."""
        calls = dict(zip(self.calls, self.node.aggregates, strict=True))
        made = {call: _fresh(item, names) for item, call in zip(self.node.fields, self.calls, strict=True)}
        for one in self.coarser:
            for item, call in zip(one.node.fields, one.calls, strict=True):
                if call not in calls:
                    calls[call], made[call] = _with(call, self.columns), _fresh(item, names)
        fresh = {symbol: names.fresh(symbol) for symbol in sorted(all_symbols(self.node.input))}
        whole = Aggregate(self.node.input, self.node.keys, tuple(made[call] for call in calls), tuple(calls.values()))
        definition = renamed(whole, fresh)
        of_keys = {key: fresh[symbol] for key, symbol in zip(self.keys, self.node.keys, strict=True)}
        for one in (self, *self.coarser):
            keys = tuple(of_keys[key] for key in one.keys)
            columns = (*keys, *(made[call].symbol for call in one.calls))
            if one is self:
                yield one.node, Shared(definition, columns, one.node.schema)
                continue
            parts = tuple(_fresh(item, names) for item in one.node.fields)
            groups = Shared(definition, columns, (*one.node.schema[: len(keys)], *parts))
            yield one.node, _totals(one.node, groups, parts, names)


def _fresh(item: Field, names: Symbols) -> Field:
    return Field(names.fresh(item.symbol), item.name, item.dtype)


def _with(call: AggregateCall, columns: Mapping[str, Expr]) -> AggregateCall:
    """A call that adds up, of other columns."""
    condition = None if call.filter is None else rename(call.filter, columns)
    return replace(call, args=tuple(rename(arg, columns) for arg in call.args), filter=condition)


def _adds_up(call: AggregateCall) -> bool:
    """Whether the call is had, bit by bit, from what it is for parts of the rows."""
    if call.distinct or call.order or aggregate_of(call).of_parts is None:
        return False
    return not (call.function == words.SUM and call.dtype.is_float)


def _totals(node: Aggregate, groups: Shared, parts: Iterable[Field], names: Symbols) -> Plan:
    """The aggregate's rows, of groups with its calls for `parts` of its rows."""
    fields: list[Field] = []
    calls: list[AggregateCall] = []
    exprs: list[Expr] = [ColumnRef(made.symbol, made.dtype) for made in node.schema[: len(node.keys)]]
    for part, call in zip(parts, node.aggregates, strict=True):
        function = aggregate_of(call)
        assert function.of_parts is not None
        total = bind_aggregate(function.of_parts, (part.ref,))
        fields.append(Field(names.fresh(part.symbol), part.name, total.dtype))
        calls.append(total)
        value: Expr = fields[-1].ref
        if function.empty is not None:
            value = bind(words.COALESCE, value, Literal(function.empty, value.dtype))
        exprs.append(coerce(value, call.dtype))
    return Project(Aggregate(groups, node.keys, tuple(fields), tuple(calls)), node.schema, tuple(exprs))
