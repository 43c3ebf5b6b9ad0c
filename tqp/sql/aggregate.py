"""Aggregate calls: found in expressions, collected, and replaced by the columns an `Aggregate` will give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.aggregates import bind_aggregate, find_aggregate
from tqp.ir.expr import AggregateCall, ColumnRef, Exists, Expr, InSubquery, Literal, ScalarSubquery, SortKey
from tqp.ir.plan import Aggregate, Field, Plan, Project
from tqp.ir.symbols import canonical
from tqp.ir.visit import expressions, free_symbols, rewrite, rewrite_plan, subplans, symbols, walk, with_expressions
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.names import display
from tqp.sql.operators import call as bind_call
from tqp.sql.operators import condition, flat, negate
from tqp.sql.unread import operands
from tqp.types import BIGINT

__all__ = ["Aggregates", "Grouping", "aggregate_name", "arguments", "has_aggregate", "sort_key"]

_NAMES = {
    "stddev": "stddev_samp",
    "stddevsamp": "stddev_samp",
    "stddevpop": "stddev_pop",
    "variance": "var_samp",
    "variancepop": "var_pop",
    "logicaland": "bool_and",
    "logicalor": "bool_or",
    "anyvalue": "any_value",
    "groupconcat": "string_agg",
    "percentilecont": "quantile_cont",
    "percentiledisc": "quantile_disc",
    "quantile": "quantile_disc",
    "approxdistinct": "approx_count_distinct",
    "arrayagg": "list",
    "countif": "count_if",
    "argmax": "arg_max",
    "argmin": "arg_min",
    "covarsamp": "covar_samp",
    "covarpop": "covar_pop",
}


@dataclass
class Aggregates:
    """The aggregate calls of one SELECT, each with the field it becomes; equal calls are one.

    `places` remembers where each column was first named, for errors. `absent` are the keys of other grouping sets,
    which are NULL in this one.
    """

    context: Context
    calls: dict[AggregateCall, Field] = field(default_factory=dict)
    places: dict[str, exp.Expr] = field(default_factory=dict)
    absent: list[Expr] = field(default_factory=list)
    grouped: bool = False
    """Whether there is a GROUP BY, so that grouping() has a meaning."""

    def symbols(self) -> set[str]:
        """The symbols of the calls' columns."""
        return {column.symbol for column in self.calls.values()}

    def add(self, call: AggregateCall, name: str) -> ColumnRef:
        """The column that holds the call's result."""
        if call not in self.calls:
            self.calls[call] = self.context.field(name, call.dtype)
        return self.calls[call].ref


@dataclass(frozen=True)
class Grouping:
    """A grouped input: the plan, and what each group key expression has become."""

    plan: Plan
    keys: Mapping[Expr, Expr]
    hidden: frozenset[str]

    def over(self, aggregates: Aggregates, expr: Expr) -> Expr:
        """An expression over the ungrouped input as one over the groups; BindError for a column of single rows."""
        result = rewrite(expr, self._key)
        for symbol in sorted(symbols(result) & self.hidden):
            context, node = aggregates.context, aggregates.places.get(symbol)
            raise context.error(
                node,
                f"column {node.name if node is not None else symbol} is neither grouped by nor inside an aggregate",
                hint="add it to GROUP BY, or use any_value() where any of its values will do",
            )
        return result

    def _key(self, expr: Expr) -> Expr | None:
        found = self.keys.get(expr)
        if found is not None or not any(True for _ in subplans(expr)):
            return found
        # A subquery is bound anew where it is written again: it is the same one but for its symbols.
        form = canonical(expr)
        for key, ref in self.keys.items():
            if canonical(key) == form:
                return ref
        return self._inside(expr)

    def _inside(self, expr: Expr) -> Expr | None:
        """What a subquery may read of the groups: keys that are columns, which are NULL where they are absent."""
        match expr:
            case ColumnRef():
                return self.keys.get(expr)
            case ScalarSubquery() | Exists():
                return type(expr)(self._within(expr.plan))
            case InSubquery():
                return InSubquery(expr.operands, self._within(expr.plan))
        return None

    def _within(self, plan: Plan) -> Plan:
        if not self.keys or free_symbols(plan).isdisjoint(self.hidden):
            return plan
        return rewrite_plan(
            plan, lambda node: with_expressions(node, tuple(rewrite(expr, self._inside) for expr in expressions(node)))
        )


def group(context: Context, plan: Plan, keys: Iterable[tuple[Expr, str]], aggregates: Aggregates) -> Grouping:
    """The plan grouped by the (expression, name) keys, with all aggregates collected so far."""
    own = frozenset(field.symbol for field in plan.schema)
    mapping: dict[Expr, Expr] = {}
    computed: list[tuple[Field, Expr]] = []
    key_symbols: dict[str, None] = {}
    # Small keys first: a key within a larger one is replaced before the larger one is met.
    wanted = [*((expr, None) for expr in aggregates.absent), *keys]
    for expr, name in sorted(wanted, key=lambda key: sum(1 for _ in walk(key[0]))):
        if name is None:
            mapping[rewrite(expr, mapping.get)] = Literal(None, expr.dtype)
            continue
        if isinstance(expr, ColumnRef) and expr.symbol in own:
            key_symbols[expr.symbol] = None
            continue
        canonical = rewrite(expr, mapping.get)
        if canonical in mapping:
            continue
        key = context.field(name, expr.dtype)
        mapping[canonical] = key.ref
        computed.append((key, expr))
        key_symbols[key.symbol] = None
    hidden = own - key_symbols.keys()
    if computed:
        kept = plan.schema
        plan = Project(
            plan,
            (*kept, *(key for key, _ in computed)),
            (*(column.ref for column in kept), *(expr for _, expr in computed)),
        )
    calls = aggregates.calls
    return Grouping(Aggregate(plan, tuple(key_symbols), tuple(calls.values()), tuple(calls)), mapping, hidden)


def has_aggregate(node: exp.Expr | None) -> bool:
    """Whether an aggregate call stands in the expression, subqueries aside; what a window calls itself is none."""
    return node is not None and any(True for _ in _aggregates_in(node))


def _aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, exp.Query):
            continue
        if isinstance(current, exp.Window):
            stack.extend(_below_window(current))
        elif _is_aggregate(current):
            yield current
        else:
            stack.extend(current.iter_expressions())


def _below_window(window: exp.Window) -> Iterator[exp.Expr]:
    """The expressions that a window call computes with."""
    yield from (part for part in window.iter_expressions() if part is not window.this)
    call = window.this
    while isinstance(call, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(call, exp.Filter):
            yield call.expression
        call = call.this
    yield from call.iter_expressions()


def aggregate_name(key: str) -> str:
    """The name of an aggregate by its syntax node's key."""
    return _NAMES.get(key, key)


def _is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, exp.AggFunc):
        return True
    return isinstance(node, exp.Anonymous) and find_aggregate(node.name.lower()) is not None


def _aggregate_kinds() -> list[type[exp.Expr]]:
    kinds: list[type[exp.Expr]] = []
    stack: list[type[exp.Expr]] = [exp.AggFunc]
    while stack:
        kind = stack.pop()
        kinds.append(kind)
        stack.extend(kind.__subclasses__())
    return kinds


@handles(*_aggregate_kinds())
def _plain(binder: ExprBinder, node: exp.Expr) -> Expr:
    return aggregate_call(binder, node)


def aggregate_call(binder: ExprBinder, node: exp.Expr, condition_node: exp.Expr | None = None) -> Expr:
    """The column of an aggregate call, `condition_node` its FILTER."""
    if isinstance(node, exp.Lag | exp.Lead | exp.Rank | exp.DenseRank | exp.PercentRank | exp.CumeDist | exp.Ntile):
        raise binder.context.error(node, f"{node.sql_name().lower()} needs OVER (…)")
    inner = replace(binder, aggregates=None, windows=None, clause="an aggregate", aliases_first=False)
    args, distinct, order = arguments(inner, node)
    name = node.name.lower() if isinstance(node, exp.Anonymous) else aggregate_name(node.key)
    if name == "count" and not args:
        name = "count_star"
    keep = None if condition_node is None else condition(inner.bind(condition_node))
    if distinct and any(key.expr not in args for key in order):
        raise binder.context.error(node, "with DISTINCT an aggregate is ordered by its arguments alone")
    if order and args and name in ("any_value", "arbitrary"):
        # The first one that is not NULL.
        name, present = "first", negate(bind_call("is_null", args[0]))
        keep = present if keep is None else flat("and", [keep, present])
    aggregates = _collector(binder, node, (*args, *(key.expr for key in order), *(() if keep is None else (keep,))))
    call = bind_aggregate(name, tuple(args), distinct=distinct, filter=keep, order=tuple(order))
    return aggregates.add(call, display(node, binder.context.text))


def _collector(binder: ExprBinder, node: exp.Expr, reads: tuple[Expr, ...]) -> Aggregates:
    """Where an aggregate that reads this belongs: to the innermost query that one of its columns is of.

    In a subquery that is a query around it where no column is the subquery's own; BindError where that query cannot have
    an aggregate at this place.
    """
    read = frozenset[str]().union(*map(symbols, reads))
    owner = binder.scope.owner(read) or binder.scope
    aggregates = binder.aggregates if owner is binder.scope else owner.aggregates
    shown = display(node, binder.context.text)
    if aggregates is None:
        raise binder.context.error(node, f"{binder.clause} cannot contain the aggregate {shown}")
    if not aggregates.symbols().isdisjoint(read):
        raise binder.context.error(node, f"the aggregate {shown} contains another one of the same query")
    return aggregates


@handles(exp.Grouping, exp.GroupingId)
def _grouping(binder: ExprBinder, node: exp.Expr) -> Expr:
    """One bit an argument, the last lowest: 1 where the rows are not grouped by it."""
    if binder.aggregates is None or not binder.aggregates.grouped:
        raise binder.context.error(node, f"grouping() has no meaning in {binder.clause}", hint="it goes with GROUP BY")
    bits = 0
    inner = replace(binder, aggregates=None, windows=None, clause="grouping()", aliases_first=False)
    for item in node.expressions:
        bits = 2 * bits + (inner.bind(item) in binder.aggregates.absent)
    return Literal(bits, BIGINT)


@handles(exp.Filter)
def _filter(binder: ExprBinder, node: exp.Filter) -> Expr:
    target = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
    if not _is_aggregate(target):
        raise UnsupportedError("FILTER goes with aggregates")
    return aggregate_call(binder, target, node.expression.this)


@handles(exp.IgnoreNulls)
def _ignore_nulls(binder: ExprBinder, node: exp.IgnoreNulls) -> Expr:
    if not isinstance(node.this, exp.AnyValue):
        raise UnsupportedError("IGNORE NULLS is not supported")
    return aggregate_call(binder, node.this)


def arguments(binder: ExprBinder, node: exp.Expr) -> tuple[list[Expr], bool, list[SortKey]]:
    distinct, order = False, []
    pending = list(node.expressions) if isinstance(node, exp.Anonymous) else operands(node)
    args: list[Expr] = []
    while pending:
        item = pending.pop(0)
        if isinstance(item, exp.Order):
            order += [sort_key(binder, key) for key in item.expressions]
            if item.this is not None:
                pending.insert(0, item.this)
        elif isinstance(item, exp.Distinct):
            distinct = True
            pending = [*item.expressions, *pending]
        elif isinstance(item, exp.Star) and isinstance(node, exp.Count) and not (args or pending or distinct):
            continue
        else:
            args.append(binder.bind(item))
    return args, distinct, order


def sort_key(binder: ExprBinder, node: exp.Expr) -> SortKey:
    return SortKey(binder.bind(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))
