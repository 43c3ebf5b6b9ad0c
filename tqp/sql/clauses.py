"""The clauses of a SELECT: one table, in the order in which they take effect, that drives binding and refusal.

A row says what SQL calls a clause, which arguments of the syntax node hold it, and what binds it. `CLAUSES` is gone through
twice. First each clause that is written is bound, over what those before it have found: that collects aggregates and window
calls, of which the last may stand in ORDER BY. What binds a clause gives the step that it is, and then the steps turn the plan
of FROM, one after the other, into that of the SELECT.

A row without a function is a clause that the parser knows, and tqp has not: it is refused by its name, as is all that
nobody reads (`unread.py`). A new clause is a row and a function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from sqlglot import exp

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import Field, Filter, Plan, Project
from tqp.sql.aggregate import group
from tqp.sql.collations import has_key, key_of
from tqp.sql.columns import conditions, sort_targets
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.group_keys import bind_keys, group_by_what_is_read, parts_of
from tqp.sql.limits import limited
from tqp.sql.literals import is_constant
from tqp.sql.operators import condition, flat
from tqp.sql.ordering import order_keys, ordinal
from tqp.sql.output import given_out
from tqp.sql.outputs import bind_outputs
from tqp.sql.query import query_form, with_ctes
from tqp.sql.reading import name_clause
from tqp.sql.relations import bind_from
from tqp.sql.samples import sampled
from tqp.sql.scope import Cte, Scope
from tqp.sql.select_list import select_list
from tqp.sql.selection import Selection

__all__ = ["CLAUSES", "Clause"]

Step = Callable[[Plan], Plan]


@dataclass(frozen=True)
class Clause:
    """A clause of a SELECT by its `name` in SQL, and the `arguments` of the syntax node that hold it.

    `bind` gets the SELECT and the values of the arguments, and gives what the clause does to the plan when all are bound; it is
    called where one of them says something, or `always`. None: refused, with what to write `instead`.
    """

    name: str
    arguments: tuple[str, ...]
    bind: Callable[..., Step | None] | None = None
    always: bool = False
    instead: str | None = None


@query_form(exp.Select)
def _select(context: Context, node: exp.Select, parent: Scope | None, ctes: Mapping[str, Cte]) -> Plan:
    """The plan of a SELECT, its clauses bound and then applied in the order of the table."""
    select = Selection.of(context, node, parent, ctes)
    steps: list[Step] = []
    said = node.args.get
    for clause in CLAUSES:
        if clause.bind is None:
            continue
        values = [said(name) for name in clause.arguments]
        step = clause.bind(select, *values) if clause.always or any(values) else None
        if step is not None:
            steps.append(step)
    for step in steps:
        select.plan = step(select.plan)
    return select.plan


def _with(select: Selection, _clause: exp.With) -> None:
    select.ctes = with_ctes(select.context, select.node, select.parent, select.ctes)


def _from(select: Selection, source: exp.From | None, joins: Sequence[exp.Join] | None) -> None:
    select.plan, select.scope = bind_from(select.context, source, joins or (), select.parent, select.ctes)


def _sample(select: Selection, clause: exp.TableSample) -> None:
    select.plan = sampled(select.context, clause, select.plan)


def _items(select: Selection, _items: list[exp.Expr]) -> None:
    """Which columns are asked for: clauses that are bound before their expressions know these by alias, of equal ones the last."""
    select.items = select_list(select.context, select.node, select.scope, select.ctes)
    for item in select.items:
        if item.alias and not isinstance(item.source, Field):
            select.aliases[item.alias.lower()] = item.source


def _where(select: Selection, clause: exp.Where) -> Step:
    binder = select.of_rows("WHERE")
    parts = conditions(select.context, select.scope, select.ctes, clause.this)
    kept = flat("and", [binder.bind(part) for part in parts])
    return lambda plan: Filter(plan, kept)


def _group(select: Selection, clause: exp.Group | None) -> Step:
    if clause is not None:
        bind_keys(select, clause)
    select.scope.aggregates = select.aggregates

    def grouped(plan: Plan) -> Plan:
        plan = select.apart.over(select.key_unnests.over(plan, lambda expr: expr))
        if select.keys is None and not select.aggregates.calls:
            return plan
        groups = group(select.context, plan, select.keys or (), select.aggregates)
        select.over = partial(groups.over, select.aggregates)
        select.column = groups.column
        return groups.plan

    return grouped


def _having(select: Selection, clause: exp.Having) -> Step:
    if select.keys is None:
        select.keys = []
    kept = condition(_having_binder(select.of_groups("HAVING"), select.keys).bind(clause.this))
    if select.of_all:
        group_by_what_is_read(select, kept)
    return lambda plan: Filter(plan, select.over(kept))


def _having_binder(binder: ExprBinder, keys: list[tuple[Expr, str]]) -> ExprBinder:
    """In HAVING an alias wins over a column, unless rows are grouped by that column."""
    grouped = {expr.symbol for expr, _ in keys if isinstance(expr, ColumnRef)}
    aliases = {
        name: source
        for name, source in binder.aliases.items()
        if not any(column.symbol in grouped for _, column in binder.scope.find(name))
    }
    return replace(binder, aliases=aliases, aliases_first=True, windows=None)


def _window(select: Selection, definitions: list[exp.Window]) -> None:
    select.windows.define(definitions)


def _outputs(select: Selection, _items: list[exp.Expr]) -> Step:
    bind_outputs(select)

    def computed(plan: Plan) -> Plan:
        plan = select.unnests.over(select.windows.over(plan, select.over), select.over)
        select.outputs = [select.over(expr) for expr in select.outputs]
        select.columns = [select.column(column) for column in select.columns]
        return plan

    return computed


def _qualify(select: Selection, clause: exp.Qualify) -> Step:
    kept = condition(select.of_groups("QUALIFY").bind(clause.this))
    if not select.windows.specs:
        raise select.context.error(
            clause, "QUALIFY needs a window function, here or in SELECT", hint="use WHERE or HAVING"
        )
    return lambda plan: Filter(plan, select.over(kept))


def _order(select: Selection, clause: exp.Order) -> Step:
    bind = _sorter(select, "ORDER BY")
    keys = order_keys(select.context, clause, select.of_rows("ORDER BY"), select.refs(), bind)

    def kept(plan: Plan) -> Plan:
        select.order = tuple(replace(key, expr=select.over(key.expr)) for key in keys)
        return plan

    return kept


def _distinct(select: Selection, clause: exp.Distinct) -> Step:
    keys = _distinct_keys(select, clause)
    if not keys and any(has_key(key.dtype) for key in select.refs()):
        keys = select.refs()
    all_keys = [key_of(key) for key in keys]

    def kept(plan: Plan) -> Plan:
        select.distinct = tuple(select.over(key) for key in all_keys)
        return plan

    return kept


def _distinct_keys(select: Selection, clause: exp.Distinct) -> list[Expr]:
    """The keys of DISTINCT ON; none for DISTINCT."""
    written, context, outputs = clause.args.get("on"), select.context, select.refs()
    bind = _sorter(select, "ORDER BY")
    found: list[Expr] = []
    for key in (part for item in ([] if written is None else written.expressions) for part in parts_of(item)):
        place = ordinal(context, key, len(outputs), "DISTINCT ON")
        if place is None and is_constant(key):
            raise context.error(key, "DISTINCT ON a constant keeps one row", hint="name a column or its number")
        if place is not None:
            found.append(outputs[place])
            continue
        found += [bind(part) for part in sort_targets(context, select.scope, select.ctes, key)]
    return found


def _sorter(select: Selection, clause: str) -> Callable[[exp.Expr], Expr]:
    """What an expression of ORDER BY or DISTINCT ON means, over the columns of FROM and of the output."""
    binder, items, columns = replace(select.of_groups(clause), unnests=select.unnests), select.items, select.columns
    outputs = [select.apart.meant(output) for output in select.outputs]
    by_name: dict[str, exp.Expr | Expr] = {}
    for item, column in zip(items, columns, strict=True):
        if item.alias:
            by_name[item.alias.lower()] = column.ref
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

    return bind


def _limit(select: Selection, limit: exp.Limit | exp.Fetch | None, offset: exp.Offset | None) -> Step:
    def taken(plan: Plan) -> Plan:
        select.plan = plan
        output = select.output()
        plan = limited(select.context, select.node, limit, offset, given_out(select.context, output), select.ctes)
        if plan.schema == output.fields:
            return plan
        return Project(plan, output.fields, tuple(column.ref for column in output.fields))

    return taken


CLAUSES: Final[tuple[Clause, ...]] = (
    Clause("WITH", ("with_",), _with),
    Clause("FROM", ("from_", "joins"), _from, always=True),
    Clause("USING SAMPLE", ("sample",), _sample),
    Clause("SELECT", ("expressions",), _items),
    Clause("WHERE", ("where",), _where),
    Clause("GROUP BY", ("group",), _group, always=True),
    Clause("HAVING", ("having",), _having),
    Clause("WINDOW", ("windows",), _window),
    Clause("SELECT", ("expressions",), _outputs),
    Clause("QUALIFY", ("qualify",), _qualify),
    Clause("DISTINCT", ("distinct",), _distinct),
    Clause("ORDER BY", ("order",), _order),
    Clause("LIMIT", ("limit", "offset"), _limit, always=True),
    # What the parser reads of other dialects.
    Clause("CLUSTER BY", ("cluster",), instead="ORDER BY"),
    Clause("CONNECT BY", ("connect",), instead="WITH RECURSIVE"),
    Clause("DISTRIBUTE BY", ("distribute",)),
    Clause("EXCLUDE here", ("exclude",), instead="SELECT * EXCLUDE (…)"),
    Clause("FOR", ("for_",)),
    Clause("FOR UPDATE", ("locks",)),
    Clause("FORMAT", ("format",)),
    Clause("HINT", ("hint",)),
    Clause("LATERAL VIEW", ("laterals",), instead="unnest(…)"),
    Clause("MATCH_RECOGNIZE", ("match",)),
    Clause("OPTION", ("options",)),
    Clause("PIVOT here", ("pivots",), instead="FROM (…) PIVOT (…)"),
    Clause("PREWHERE", ("prewhere",), instead="WHERE"),
    Clause("SELECT AS", ("kind",)),
    Clause("SELECT INTO", ("into",), instead="CREATE TABLE … AS"),
    Clause("SETTINGS", ("settings",)),
    Clause("SORT BY", ("sort",), instead="ORDER BY"),
    Clause("words before the columns of SELECT", ("operation_modifiers",)),
)

for _clause in CLAUSES:
    for _argument in _clause.arguments:
        # What is bound in a SELECT may stand where there is none.
        name_clause(_argument, _clause.name if _clause.bind is None else f"{_clause.name} here", _clause.instead)
