"""SELECT: its clauses in the order they take effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import ColumnRef, Expr, SortKey
from tqp.ir.plan import Aggregate, Field, Filter, Plan, Project
from tqp.ir.visit import subplans, symbols
from tqp.sql.aggregate import group, has_aggregate
from tqp.sql.collected import Aggregates, Windows
from tqp.sql.context import Context
from tqp.sql.equal_keys import Apart, Key, placed, told_apart
from tqp.sql.expr import ExprBinder
from tqp.sql.grouping_sets import grouping_sets
from tqp.sql.names import display, inner_name
from tqp.sql.operators import condition
from tqp.sql.ordering import limited, order_keys, ordinal, sorted_by
from tqp.sql.query import query_form
from tqp.sql.relations import bind_from
from tqp.sql.scope import Cte, Scope
from tqp.sql.select_list import Item, select_list
from tqp.sql.window import has_window

Ctes = Mapping[str, Cte]
Keys = tuple[exp.Expr, ...]

_MOST_LEVELS: Final = 500
"""Each column holds the whole expression of those below it, so that the work of planning grows by the square."""


@query_form(exp.Select)
def _select(context: Context, node: exp.Select, parent: Scope | None, ctes: Ctes) -> Plan:
    """The plan of a SELECT with its ORDER BY and LIMIT."""
    _refuse(context, node)
    bound = _bind_once(context, node, parent, ctes)
    return _finished(context, node, ctes, bound)


@dataclass(frozen=True)
class Bound:
    """A SELECT before its output is projected: the input, the output columns, and the sort keys over both."""

    plan: Plan
    fields: tuple[Field, ...]
    exprs: tuple[Expr, ...]
    order: tuple[SortKey, ...]


def _bind_once(context: Context, node: exp.Select, parent: Scope | None, ctes: Ctes) -> Bound:
    """The SELECT without its ORDER BY, DISTINCT and LIMIT."""
    plan, scope = bind_from(context, node, parent, ctes)
    items = select_list(context, node, scope)
    aliases: dict[str, exp.Expr | Expr] = {}
    for item in items:
        if item.alias and not isinstance(item.source, Field):
            aliases.setdefault(item.alias.lower(), item.source)
    binder = ExprBinder(context, scope, ctes, "WHERE", aliases)
    where = node.args.get("where")
    if where is not None:
        plan = Filter(plan, condition(binder.bind(where.this)))

    aggregates = Aggregates(context)
    grouper = replace(binder, clause="GROUP BY")
    keys, apart = _group_keys(context, node, items, grouper, aggregates)
    plan = apart.over(plan)
    windows = Windows.of(context, node)
    scope.aggregates = aggregates
    aliases = {**aliases, **apart.names}
    collecting = replace(binder, clause="SELECT", aggregates=aggregates, windows=windows, aliases=aliases)
    outputs = _outputs(items, collecting, apart)
    having = node.args.get("having")
    kept = None
    if having is not None:
        kept = condition(_having_binder(collecting, keys or []).bind(having.this))
    columns = [_named(context, item, expr, scope) for item, expr in zip(items, outputs, strict=True)]
    qualify = node.args.get("qualify")
    chosen = None
    if qualify is not None:
        chosen = condition(replace(collecting, clause="QUALIFY").bind(qualify.this))
        if not windows.specs:
            raise context.error(
                qualify, "QUALIFY needs a window function, here or in SELECT", hint="use WHERE or HAVING"
            )
    meant = [apart.meant(output) for output in outputs]
    order = _order(context, node, replace(collecting, clause="ORDER BY"), items, meant, columns)

    if keys is None and aggregates.calls:
        keys = []
    if keys is None:
        plan = windows.over(plan, lambda expr: expr)
    else:
        grouping = group(context, plan, keys, aggregates)
        plan = grouping.plan
        outputs = [grouping.over(aggregates, expr) for expr in outputs]
        if kept is not None:
            plan = Filter(plan, grouping.over(aggregates, kept))
        order = tuple(replace(key, expr=grouping.over(aggregates, key.expr)) for key in order)
        plan = windows.over(plan, lambda expr: grouping.over(aggregates, expr))
        chosen = None if chosen is None else grouping.over(aggregates, chosen)
        columns = [grouping.column(column) for column in columns]
    if chosen is not None:
        plan = Filter(plan, chosen)
    return Bound(plan, _unique(context, columns), tuple(outputs), order)


def _refuse(context: Context, node: exp.Select) -> None:
    """Remember what has a way around it; the rest that no SELECT may have yet is found as unread."""
    distinct = node.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        context.gap(distinct, "DISTINCT ON is not supported", hint="GROUP BY those columns, any_value() of the rest")


def _group_keys(
    context: Context, node: exp.Select, items: list[Item], binder: ExprBinder, aggregates: Aggregates
) -> tuple[list[tuple[Expr, str]] | None, Apart]:
    """The GROUP BY keys with names, which `aggregates` learns; None where the SELECT does not group."""
    clause = node.args.get("group")
    apart = Apart()
    if clause is None:
        return ([] if node.args.get("having") is not None else None), apart
    sets = grouping_sets(clause)
    if sets is not None:
        keys, aggregates.sets, apart = _keys_of_sets(context, items, binder, sets)
    elif clause.args.get("all"):
        keys = [_key(context, binder, item) for item in items if _is_key(item)]
        if not keys and node.args.get("having") is None:
            return None, apart
    else:
        parts = [one for item in clause.expressions for one in (item.expressions if _is_row(item) else [item])]
        keys = [_bound_key(context, items, binder, part) for part in parts]
    aggregates.keys = [expr for expr, _ in keys]
    return keys, apart


def _is_key(item: Item) -> bool:
    """Whether GROUP BY ALL groups by it: it names a column, and is not computed of groups."""
    source = item.source
    if isinstance(source, Field):
        return True
    return source.find(exp.Column) is not None and not has_aggregate(source) and not has_window(source)


def _is_row(item: exp.Expr) -> bool:
    return isinstance(item, exp.Tuple)


def _keys_of_sets(
    context: Context, items: list[Item], binder: ExprBinder, sets: list[Keys]
) -> tuple[list[tuple[Expr, str]], tuple[tuple[int, ...], ...], Apart]:
    """The keys of all sets, each once; the sets as places of their keys; and what of keys that are equal tells them apart."""
    keys: list[Key] = []
    places: dict[int, int] = {}
    for node in {id(key): key for one in sets for key in one}.values():
        expr, name = _bound_key(context, items, binder, node)
        key = Key(node, expr, name, *_named_item(context, items, binder, node))
        places[id(node)] = placed(binder, keys, key)
    found = tuple(tuple(sorted({places[id(key)] for key in one})) for one in sets)
    named, apart = told_apart(context, keys)
    return named, found, apart


def _named_item(
    context: Context, items: list[Item], binder: ExprBinder, key: exp.Expr
) -> tuple[int | None, str | None]:
    """The place of the output column that a key names, if it is one; and its alias, if the key is that."""
    index = ordinal(context, key, len(items), "GROUP BY")
    column = key.unnest()
    if index is not None or not isinstance(column, exp.Column) or column.table:
        return index, None
    name = column.name.lower()
    if name not in binder.aliases or binder.scope.resolve(context, column) is not None:
        return None, None
    aliased = (place for place, item in enumerate(items) if item.alias and item.alias.lower() == name)
    return next(place for place in aliased if not isinstance(items[place].source, Field)), name


def _bound_key(context: Context, items: list[Item], binder: ExprBinder, key: exp.Expr) -> tuple[Expr, str]:
    index = ordinal(context, key, len(items), "GROUP BY")
    if index is not None:
        return _key(context, binder, items[index])
    return binder.bind(key), inner_name(key, context.text)


def _key(context: Context, binder: ExprBinder, item: Item) -> tuple[Expr, str]:
    if isinstance(item.source, Field):
        return item.source.ref, item.name
    return binder.bind(item.source), item.name or inner_name(item.source, context.text)


def _outputs(items: list[Item], binder: ExprBinder, apart: Apart) -> list[Expr]:
    outputs: list[Expr] = []
    visible: dict[str, exp.Expr | Expr] = {}
    levels: dict[int, int] = {}
    for place, item in enumerate(items):
        if isinstance(item.source, Field):
            outputs.append(apart.items.get(place, item.source.ref))
            continue
        # An alias is visible to the items after it alone.
        expr = replace(binder, aliases=dict(visible)).bind(item.source)
        outputs.append(apart.items.get(place, expr))
        levels[id(expr)] = _level(expr, levels)
        if levels[id(expr)] > _MOST_LEVELS:
            message = f"more than {_MOST_LEVELS} columns that build on each other's aliases are not supported"
            raise UnsupportedError(message, hint="compute some of them in a subquery in FROM")
        if item.alias:
            name = item.alias.lower()
            visible.setdefault(name, apart.names.get(name) or (expr if _is_plain(binder, expr) else item.source))
    return outputs


def _level(expr: Expr, levels: Mapping[int, int]) -> int:
    """How many columns, one above the other, the expression builds on; `levels` has those of earlier ones, by identity."""
    above = 1
    pending = [expr]
    met: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        if node.children and id(node) in levels:
            above = max(above, levels[id(node)] + 1)
        else:
            pending.extend(node.children)
    return above


def _is_plain(binder: ExprBinder, expr: Expr) -> bool:
    """Whether the expression means the same wherever it stands in its SELECT: no subquery, nothing collected."""
    made = set() if binder.aggregates is None else binder.aggregates.symbols()
    if binder.windows is not None:
        made.update(made_of.symbol for calls in binder.windows.specs.values() for made_of in calls.values())
    return not any(True for _ in subplans(expr)) and not symbols(expr) & made


def _having_binder(binder: ExprBinder, keys: list[tuple[Expr, str]]) -> ExprBinder:
    """In HAVING an alias wins over a column, unless rows are grouped by that column."""
    grouped = {expr.symbol for expr, _ in keys if isinstance(expr, ColumnRef)}
    aliases = {
        name: source
        for name, source in binder.aliases.items()
        if not any(column.symbol in grouped for _, column in binder.scope.find(name))
    }
    return replace(binder, clause="HAVING", aliases=aliases, aliases_first=True, windows=None)


def _named(context: Context, item: Item, expr: Expr, scope: Scope) -> Field:
    name = item.name
    if not name:
        assert isinstance(item.source, exp.Expr)
        if isinstance(item.source, exp.Column):
            found = scope.resolve(context, item.source)
            name = item.source.name if found is None else found.name
        else:
            name = display(item.source, context.text)
    # A column of a query around this one is no column of this one's input.
    if isinstance(expr, ColumnRef) and (scope.parent is None or scope.parent.owner({expr.symbol}) is None):
        return Field(expr.symbol, name, expr.dtype)
    return context.field(name, expr.dtype)


def _order(
    context: Context, node: exp.Select, binder: ExprBinder, items: list[Item], outputs: list[Expr], columns: list[Field]
) -> tuple[SortKey, ...]:
    """The sort keys, over the columns of FROM and of the output."""
    by_name: dict[str, exp.Expr | Expr] = {}
    for item, column in zip(items, columns, strict=True):
        if item.alias:
            by_name.setdefault(item.alias.lower(), column.ref)
    whole = replace(binder, aliases=by_name, aliases_first=True)
    within = replace(binder, aliases=by_name)

    def bind(target: exp.Expr) -> Expr:
        expr = (whole if isinstance(target, exp.Column) else within).bind(target)
        if isinstance(target, exp.Column) and not target.table and target.name.lower() in by_name:
            return expr
        # Of columns that are keys of equal values, it is the last.
        for output, column in reversed(list(zip(outputs, columns, strict=True))):
            if output == expr:
                return column.ref
        return expr

    return order_keys(context, node, [column.ref for column in columns], bind)


def _unique(context: Context, columns: list[Field]) -> tuple[Field, ...]:
    """The output fields; one symbol names one column, so a column shown again gets a new one."""
    seen: set[str] = set()
    result = []
    for column in columns:
        if column.symbol in seen:
            column = context.field(column.name, column.dtype)
        seen.add(column.symbol)
        result.append(column)
    return tuple(result)


def _finished(context: Context, node: exp.Select, ctes: Ctes, bound: Bound) -> Plan:
    """DISTINCT, ORDER BY and LIMIT over the projected output."""
    plan, fields, order = bound.plan, bound.fields, bound.order
    shown = {column.symbol for column in fields}
    below = {column.symbol: column for column in plan.schema}
    read = [symbol for key in order for symbol in sorted(symbols(key.expr))]
    needed = {symbol: None for symbol in read if symbol in below and symbol not in shown}
    if node.args.get("distinct") is not None:
        if needed:
            context.gap(node.args["order"], "SELECT DISTINCT ordered by what it does not select is not supported")
            order = ()
        plan = Aggregate(Project(plan, fields, bound.exprs), tuple(column.symbol for column in fields), (), ())
    else:
        extra = tuple(below[symbol] for symbol in needed)
        plan = Project(plan, (*fields, *extra), (*bound.exprs, *(column.ref for column in extra)))
    plan = limited(context, node, sorted_by(context, plan, order), ctes)
    if plan.schema == fields:
        return plan
    return Project(plan, fields, tuple(column.ref for column in fields))
