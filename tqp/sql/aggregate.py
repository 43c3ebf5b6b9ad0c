"""Aggregate calls: found in expressions, collected, and replaced by the columns an `Aggregate` will give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.aggregates import bind_aggregate, find_aggregate, find_by_syntax
from tqp.ir.expr import AggregateCall, ColumnRef, Exists, Expr, InSubquery, Literal, ScalarSubquery, SortKey
from tqp.ir.plan import Aggregate, Field, GroupingSets, Plan, Project
from tqp.ir.symbols import canonical
from tqp.ir.visit import expressions, free_symbols, rewrite, rewrite_plan, subplans, symbols, walk, with_expressions
from tqp.sql.collations import aggregated, has_key, key_of, sort_key_of
from tqp.sql.collected import Aggregates
from tqp.sql.columns import conditions
from tqp.sql.context import Context
from tqp.sql.directions import direction
from tqp.sql.distinct_by_keys import listed, of_listed
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.literals import is_constant, signed
from tqp.sql.names import display, inner_name
from tqp.sql.operators import call, choose, condition, flat
from tqp.sql.refusals import refusal, written_name
from tqp.sql.unread import operands
from tqp.types import BIGINT, BOOLEAN, NULL, VARIANT

__all__ = ["Grouping", "aggregates_in", "arguments", "function_name", "has_aggregate", "kept", "sort_key"]


@dataclass(frozen=True)
class Grouping:
    """A grouped input: the plan, and what each group key expression has become."""

    plan: Plan
    keys: Mapping[Expr, ColumnRef]
    hidden: frozenset[str]

    def column(self, column: Field) -> Field:
        """An output column; one that is a column of the input is that of the key now."""
        key = self.keys.get(column.ref)
        return column if key is None else Field(key.symbol, column.name, column.dtype)

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
        # A subquery is bound anew where it is written again: it is the same one except for its symbols.
        form = canonical(expr)
        for key, ref in self.keys.items():
            if canonical(key) == form:
                return ref
        return self._inside(expr)

    def _inside(self, expr: Expr) -> Expr | None:
        """What a subquery may read of the groups: keys that read columns, which are NULL where they are absent."""
        match expr:
            case ScalarSubquery() | Exists():
                return type(expr)(self._within(expr.plan))
            case InSubquery():
                return InSubquery(expr.operands, self._within(expr.plan))
        key = self.keys.get(expr)
        return key if symbols(expr) else None

    def _within(self, plan: Plan) -> Plan:
        if not self.keys or free_symbols(plan).isdisjoint(self.hidden):
            return plan
        return rewrite_plan(
            plan, lambda node: with_expressions(node, tuple(rewrite(expr, self._inside) for expr in expressions(node)))
        )


def group(context: Context, plan: Plan, keys: Iterable[tuple[Expr, str]], aggregates: Aggregates) -> Grouping:
    """The plan grouped by the (expression, name) keys, with all aggregates collected so far."""
    own = frozenset(field.symbol for field in plan.schema)
    mapping: dict[Expr, ColumnRef] = {}
    computed: list[tuple[Field, Expr]] = []
    shown: dict[Expr, tuple[str, Field]] = {}
    sets = aggregates.sets
    firsts: dict[Field, AggregateCall] = {}
    places: dict[Field, int] = {}
    # Small keys first: a key within a larger one is replaced before the larger one is met.
    for expr, name in sorted(keys, key=lambda key: sum(1 for _ in walk(key[0]))):
        if expr in shown:
            continue
        canonical = rewrite(expr, mapping.get)
        if has_key(expr.dtype):
            # Of values that are alike the first one is shown.
            alike = key_of(expr)
            key, form = context.field(name, expr.dtype), context.field(name, alike.dtype)
            computed.append((form, alike))
            firsts[key] = bind_aggregate("first", (expr,))
            shown[expr] = (form.symbol, key if sets is None else context.field(name, alike.dtype))
            mapping[canonical] = key.ref
            if sets is not None:
                places[key] = (aggregates.keys or []).index(expr)
            continue
        if isinstance(expr, ColumnRef) and expr.symbol in own:
            key = Field(expr.symbol, name, expr.dtype)
        elif canonical in mapping:
            continue
        else:
            key = context.field(name, expr.dtype)
            computed.append((key, expr))
            mapping[canonical] = key.ref
        shown[expr] = (key.symbol, key)
        if sets is not None:
            # NULL in the rows of sets without it, and so another column than the input's.
            shown[expr] = (key.symbol, context.field(name, expr.dtype))
            mapping[canonical] = shown[expr][1].ref
    if computed:
        kept = plan.schema
        plan = Project(
            plan,
            (*kept, *(key for key, _ in computed)),
            (*(column.ref for column in kept), *(expr for _, expr in computed)),
        )
    absent = {key: aggregates.mark((place,), key.name) for key, place in places.items()}
    calls, fields = (*aggregates.calls, *firsts.values()), (*aggregates.calls.values(), *firsts)
    if sets is None:
        symbols_of_keys = tuple(dict.fromkeys(symbol for symbol, _ in shown.values()))
        return Grouping(Aggregate(plan, symbols_of_keys, fields, calls), mapping, own - set(symbols_of_keys))
    chosen = [shown[expr] for expr in aggregates.keys or ()]
    fields = (*(column for _, column in chosen), *aggregates.marks.values(), *fields)
    symbols_of_keys = tuple(symbol for symbol, _ in chosen)
    plan = GroupingSets(plan, symbols_of_keys, sets, tuple(aggregates.marks), calls, fields)
    return Grouping(_without_absent(context, plan, absent, mapping), mapping, own)


def _without_absent(context: Context, plan: Plan, absent: Mapping[Field, Expr], mapping: dict[Expr, ColumnRef]) -> Plan:
    """The rows of grouping sets with the first values of keys, which are NULL where `absent` says 1, as columns of their own."""
    if not absent:
        return plan
    shown = {key.ref: context.field(key.name, key.dtype) for key in absent}
    values = [
        choose([call("eq", mark, Literal(0, BIGINT))], [key.ref], Literal(None, NULL)) for key, mark in absent.items()
    ]
    mapping.update({expr: shown[ref].ref for expr, ref in mapping.items() if ref in shown})
    return Project(plan, (*plan.schema, *shown.values()), (*(column.ref for column in plan.schema), *values))


def has_aggregate(node: exp.Expr | None) -> bool:
    """Whether an aggregate call stands in the expression, subqueries aside; what a window calls itself is none."""
    return node is not None and any(True for _ in aggregates_in(node))


def aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """The outermost aggregate calls of the expression, subqueries aside; what a window calls itself is none."""
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


def function_name(node: exp.Expr) -> str:
    """The name of the aggregate that a syntax node calls; where tqp has none of it, the SQL name."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    function = find_by_syntax(node.key)
    if function is not None:
        return function.name
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key


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


@handles(exp.WithinGroup, *_aggregate_kinds())
def _plain(binder: ExprBinder, node: exp.Expr) -> Expr:
    return aggregate_call(binder, node)


def aggregate_call(binder: ExprBinder, node: exp.Expr, condition_node: exp.Expr | None = None) -> Expr:
    """The column of an aggregate call, `condition_node` its FILTER."""
    if isinstance(node, exp.Lag | exp.Lead | exp.Rank | exp.DenseRank | exp.PercentRank | exp.CumeDist | exp.Ntile):
        raise binder.context.error(node, f"{node.sql_name().lower()} needs OVER (…)")
    inner = binder.of_rows("an aggregate")
    name, args, distinct, order = _parts(inner, node)
    if name == "count" and not args:
        name = "count_star"
    keep = None if condition_node is None else kept(inner, condition_node)
    of_all = listed(name, tuple(args), keep, tuple(order)) if distinct else None
    called, given = aggregated(name, args, distinct)
    if distinct and any(key.expr not in {*args, *map(key_of, args)} for key in order):
        raise binder.context.error(node, "an aggregate with DISTINCT can only be ordered by its arguments")
    if find_aggregate(name) is None:
        raise refusal(written_name(node, binder.context.text), "aggregate")
    aggregates = _collector(binder, node, (*args, *(key.expr for key in order), *(() if keep is None else (keep,))))
    if of_all is not None:
        values = aggregates.add(of_all, inner_name(node, binder.context.text))
        return of_listed(name, values, tuple(args[1:]))
    call = bind_aggregate(called, given, distinct=distinct, filter=keep, order=tuple(order))
    if call.distinct and any(arg.dtype == VARIANT for arg in call.args):
        raise UnsupportedError(
            f"{name} of DISTINCT VARIANT and other columns is not supported", hint="cast it: v::INTEGER"
        )
    binder.context.calls(call, node)
    return aggregates.add(call, inner_name(node, binder.context.text))


def kept(binder: ExprBinder, node: exp.Expr) -> Expr:
    """The condition of a FILTER, which holds for all columns of its COLUMNS(…)."""
    parts = conditions(binder.context, binder.scope, binder.ctes, node)
    return condition(binder.bind(exp.and_(*parts, copy=False) if len(parts) > 1 else parts[0]))


_WITHIN_GROUP: dict[type[exp.Expr], str] = {
    exp.PercentileCont: "quantile_cont", exp.PercentileDisc: "quantile_disc", exp.Mode: "mode",
}  # fmt: skip
"""What goes with WITHIN GROUP, and is an aggregate of the values that it orders."""


def _parts(binder: ExprBinder, node: exp.Expr) -> tuple[str, list[Expr], bool, list[SortKey]]:
    """The name of the aggregate that a node calls, its arguments, whether they are DISTINCT, and its ORDER BY."""
    if not isinstance(node, exp.WithinGroup):
        if isinstance(node, exp.PercentileCont | exp.PercentileDisc):
            raise binder.context.error(node, f"{node.sql_name().lower()} needs WITHIN GROUP (ORDER BY …)")
        return function_name(node), *arguments(binder, node, _key_of_call)
    name = _WITHIN_GROUP.get(type(node.this))
    if name is None:
        hint = "percentile_cont, percentile_disc and mode do"
        raise binder.context.error(node, f"{function_name(node.this)} knows no WITHIN GROUP", hint=hint)
    args, distinct, order = arguments(binder, node.this, _key_of_call)
    order += [_values_in_order(binder, key) for key in node.expression.expressions]
    if len(order) != 1 or distinct:
        raise binder.context.error(node, "WITHIN GROUP takes one ORDER BY key, and no DISTINCT")
    if len(args) != (name != "mode"):
        raise binder.context.error(node, f"{name} WITHIN GROUP takes {'no' if name == 'mode' else 'one'} argument")
    return name, args, distinct, order


def _collector(binder: ExprBinder, node: exp.Expr, reads: tuple[Expr, ...]) -> Aggregates:
    """Where an aggregate that reads this belongs: to the innermost query that one of its columns is of.

    In a subquery that is a query around it where no column is the subquery's own; BindError where that query cannot have
    an aggregate at this place.
    """
    read = frozenset[str]().union(*map(symbols, reads))
    if not read:
        _refuse_alias_around(binder, node)
    owner = binder.scope.owner(read) or binder.scope
    aggregates = binder.aggregates if owner is binder.scope else owner.aggregates
    if aggregates is None:
        shown = display(node, binder.context.text)
        raise binder.context.error(node, f"{binder.clause} cannot contain the aggregate {shown}")
    if not aggregates.symbols.isdisjoint(read):
        shown = display(node, binder.context.text)
        raise binder.context.error(node, f"the aggregate {shown} contains another one of the same query")
    return aggregates


def _refuse_alias_around(binder: ExprBinder, node: exp.Expr) -> None:
    """A gap where an aggregate that reads no column reads an alias of a query around, to which it would belong."""
    for column in node.find_all(exp.Column):
        if binder.scope.alias(column) is not None:
            shown = display(node, binder.context.text)
            return binder.context.gap(
                column,
                f"the aggregate {shown} reads the alias {column.name} of a query around and no column, which is not supported",
                hint="write what it stands for",
            )


@handles(exp.Grouping, exp.GroupingId)
def _grouping(binder: ExprBinder, node: exp.Expr) -> Expr:
    """One bit an argument, the last lowest: 1 where the rows are not grouped by it."""
    aggregates = binder.aggregates
    if aggregates is None:
        raise binder.context.error(node, f"{binder.clause} cannot contain grouping()")
    if aggregates.keys is None:
        raise binder.context.error(node, "grouping() has no meaning without GROUP BY")
    inner = replace(binder, aggregates=None, windows=None, unnests=None, clause="grouping()", aliases_first=False)
    places = []
    for item in node.expressions:
        key = inner.bind(item)
        if key not in aggregates.keys:
            raise binder.context.error(item, "grouping() takes keys of the GROUP BY")
        places.append(aggregates.keys.index(key))
    return aggregates.mark(tuple(places), inner_name(node, binder.context.text))


@handles(exp.Filter)
def _filter(binder: ExprBinder, node: exp.Filter) -> Expr:
    target = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
    if not (_is_aggregate(target) or isinstance(target, exp.WithinGroup)):
        raise UnsupportedError("FILTER goes with aggregates")
    return aggregate_call(binder, target, node.expression.this)


@handles(exp.IgnoreNulls)
def _ignore_nulls(binder: ExprBinder, node: exp.IgnoreNulls) -> Expr:
    if not isinstance(node.this, exp.AnyValue):
        raise UnsupportedError("IGNORE NULLS is not supported")
    return aggregate_call(binder, node.this)


def arguments(
    binder: ExprBinder, node: exp.Expr, key_of: Callable[[ExprBinder, exp.Expr], SortKey] | None = None
) -> tuple[list[Expr], bool, list[SortKey]]:
    """The arguments of a call, whether they are DISTINCT, and its ORDER BY, of whose keys each is bound by `key_of`."""
    distinct, order = False, []
    pending = list(node.expressions) if isinstance(node, exp.Anonymous) else operands(node)
    args: list[Expr] = []
    while pending:
        item = pending.pop(0)
        if isinstance(item, exp.Order):
            order += [(key_of or sort_key)(binder, key) for key in item.expressions]
            if item.this is not None:
                pending.insert(0, item.this)
        elif isinstance(item, exp.Distinct):
            distinct = True
            pending = [*item.expressions, *pending]
        elif isinstance(item, exp.Star) and isinstance(node, exp.Count) and not (args or pending or distinct):
            continue
        elif _is_star_of(item) and isinstance(node, exp.Count) and not (args or pending or distinct):
            args += _rows_of(binder, item)
        else:
            args.append(binder.bind(item))
    return args, distinct, order


def _is_star_of(node: exp.Expr) -> TypeGuard[exp.Column]:
    """Whether it is a plain `t.*`."""
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star) and not any(node.this.args.values())


def _rows_of(binder: ExprBinder, node: exp.Column) -> list[Expr]:
    """What `count(t.*)` counts: rows that hold one of `t`, or of what has a column t; all do except for outer joins."""
    relation = binder.scope.row(node.table, node.db or None)
    if relation is None and not node.db:
        relation = next((one for one in binder.scope.relations if one.called(node.table.lower())), None)
    if relation is None:
        raise binder.scope.unknown(binder.context, node)
    node.this  # noqa: B018  the star
    if not relation.is_optional:
        return []
    absent = flat("and", [call("is_null", column.ref) for column in relation.fields])
    return [choose([absent], [Literal(None, BOOLEAN)], Literal(True, BOOLEAN))]


def _key_of_call(binder: ExprBinder, node: exp.Expr) -> SortKey:
    """A key of the ORDER BY inside of an aggregate; BindError for a literal that is no integer, as in DuckDB."""
    key = node.this
    literal, _ = signed(key)
    is_integer = isinstance(literal, exp.Literal) and not literal.is_string and literal.name.isdigit()
    if is_constant(key) and not is_integer:
        raise binder.context.error(key, "ORDER BY a constant has no effect", hint="leave it out")
    return sort_key(binder, node)


def _values_in_order(binder: ExprBinder, node: exp.Expr) -> SortKey:
    """The values that an aggregate is of by WITHIN GROUP."""
    return SortKey(binder.bind(node.this), *direction(binder.context.session.order, node))


def sort_key(binder: ExprBinder, node: exp.Expr) -> SortKey:
    return sort_key_of(_values_in_order(binder, node))
