"""FROM: tables, derived tables, WITH references and joins, as one plan and the names it brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from sqlglot import exp

from tqp.catalog.definitions import COLUMN_FUNCTIONS, SYSTEM_FUNCTIONS, View
from tqp.errors import BindError, UnsupportedError
from tqp.io.files import READERS, FileCall, is_path
from tqp.ir.plan import Plan, Project, Scan, Shared, Values
from tqp.ir.source import Source
from tqp.keywords import quoted_name
from tqp.sql.context import Context, listed, near
from tqp.sql.file_functions import file_call
from tqp.sql.histograms import HISTOGRAMS, histogram_plan
from tqp.sql.joins import beside, joined_with
from tqp.sql.operators import cast
from tqp.sql.pivot import pivoted
from tqp.sql.predict import is_prediction, prediction_source, predictions_of
from tqp.sql.query import bind_query
from tqp.sql.query_texts import QUERY_FUNCTIONS, query_plan
from tqp.sql.recursion import bind_recursion, working_table
from tqp.sql.samples import sampled
from tqp.sql.scope import Cte, Relation, Scope, distinct_names
from tqp.sql.table_functions import bind_table_function, renamed_by_alias, table_function_name
from tqp.sql.views import view_plan
from tqp.stack import deep
from tqp.types import TIMESTAMPTZ

__all__ = ["bind_from"]

Ctes = Mapping[str, Cte]
ONE_ROW = Values((), ((),))


def bind_from(
    context: Context, source: exp.From | None, joins: Sequence[exp.Join], parent: Scope | None, ctes: Ctes
) -> tuple[Plan, Scope]:
    """The plan of a SELECT's FROM (one row without columns where there is none) with its joins, and its scope."""
    first = (ONE_ROW, Scope(parent)) if source is None else _item(context, source.this, parent, parent, ctes)
    return _joined(context, first, joins, ctes)


@deep
def _item(
    context: Context, node: exp.Expr, parent: Scope | None, around: Scope | None, ctes: Ctes
) -> tuple[Plan, Scope]:
    """One item of FROM; the queries and arguments in it see the columns of `around`: what stands before it, and `parent`."""
    alias = node.args.get("alias")
    call = _called(node)
    if call is None and isinstance(node, exp.Lateral):
        node = node.this
    if call is not None and table_function_name(call) in QUERY_FUNCTIONS:
        plan = _reference(context, query_plan(context, call))
        relation = Relation("", plan.schema)
    elif call is not None and table_function_name(call) in HISTOGRAMS:
        plan = histogram_plan(context, call, ctes)
        relation = Relation("", plan.schema)
    elif call is not None:
        numbered = node.args.get("offset" if isinstance(node, exp.Unnest) else "ordinality")
        plan, relation = bind_table_function(context, call, around, ctes, bool(numbered))
        if alias is not None:
            relation = _aliased_function(relation, table_function_name(call), alias, numbered)
        return _furnished(context, node, plan, Scope(parent, [relation]), ctes)
    elif isinstance(node, exp.Table) and isinstance(node.this, exp.Values):
        plan = bind_query(context, node.this, around, ctes)
        relation = Relation("", plan.schema)
    elif isinstance(node, exp.Table):
        if is_prediction(node):
            plan, relation, data = _predicted(context, node, ctes)
            if data is not None:
                return plan, Scope(parent, [data, relation if alias is None else replace(relation, name=alias.name)])
        else:
            plan, relation = _table(context, node, ctes)
    elif isinstance(node, exp.Subquery) and _is_joined(node.this):
        plan, scope = _item(context, node.this, parent, around, ctes)
        if alias is None:
            return _furnished(context, node, plan, scope, ctes)
        relation = Relation("", tuple(replace(column, name=name) for name, column in scope.columns()))
    elif isinstance(node, exp.Subquery | exp.Values | exp.Query):
        plan = bind_query(context, node, around, ctes)
        relation = Relation("", plan.schema)
    else:
        context.gap(node, f"{node.key.upper()} in FROM is not supported")
        plan, relation = ONE_ROW, Relation("", ())
    if alias is not None and alias.name:
        relation = Relation(alias.name, relation.fields, hidden=relation.hidden)
    # What a name means has its own names: those of the stand-in for what PIVOT reads may repeat, and are ambiguous then.
    named = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
    if not named or alias is not None and alias.args.get("columns"):
        relation = _renamed(context, node, relation, alias)
    return _furnished(context, node, plan, Scope(parent, [relation]), ctes)


def _is_joined(node: exp.Expr) -> bool:
    """Whether what stands in parentheses is a table, or the first item of a join."""
    return isinstance(node, exp.Table) or isinstance(node, exp.Subquery | exp.Values) and bool(node.args.get("joins"))


def _furnished(context: Context, node: exp.Expr, plan: Plan, scope: Scope, ctes: Ctes) -> tuple[Plan, Scope]:
    """An item of FROM with what stands behind its name: its sample, PIVOT and UNPIVOT, and the joins in its parentheses."""
    plan = sampled(context, node.args.get("sample"), plan)
    for pivot in node.args.get("pivots") or ():
        plan, scope = _pivoted(context, pivot, plan, scope, ctes)
    return _joined(context, (plan, scope), node.args.get("joins") or (), ctes)


def _pivoted(context: Context, node: exp.Pivot, plan: Plan, scope: Scope, ctes: Ctes) -> tuple[Plan, Scope]:
    """PIVOT or UNPIVOT of what stands before it in FROM."""
    columns = tuple(replace(column, name=name) for name, column in scope.columns())
    plan = pivoted(context, node, Project(plan, columns, tuple(column.ref for column in columns)), ctes)
    alias = node.args.get("alias")
    relation = Relation(alias.name if alias is not None else "", plan.schema)
    return plan, Scope(scope.parent, [_renamed(context, node, relation, alias)])


def _joined(context: Context, first: tuple[Plan, Scope], joins: Sequence[exp.Join], ctes: Ctes) -> tuple[Plan, Scope]:
    """An item of FROM and what follows it: JOINs bind first, then the commas between them.

    As in DuckDB, ON sees what stands before the comma, too. Where JOINs keep to their left side, `a, b JOIN c` has the rows
    of `(a, b) JOIN c`, and is that. RIGHT, FULL and POSITIONAL JOIN must be done before.
    """
    plan, scope = first
    before: Scope | None = None
    place = 0
    while place <= len(joins):
        end = next((index for index in range(place, len(joins)) if _is_comma(joins[index])), len(joins))
        group = joins[place:end]
        done: Plan | None = None
        if before is not None:
            item, scope = _item(context, joins[place - 1].this, before.parent, before, ctes)
            if any(join.side in ("RIGHT", "FULL") or join.method == "POSITIONAL" for join in group):
                done, plan = plan, item
            else:
                plan = beside(context, joins[place - 1], "inner", plan, item, None)
        for join in group:
            around = scope if before is None else before.extended(scope)
            if not (join.args.get("on") or join.args.get("using")):
                # With nothing between them the parser takes these for the table's own.
                join.set("pivots", [*(join.this.args.pop("pivots", None) or ()), *(join.args.get("pivots") or ())])
            right = _item(context, join.this, scope.parent, around, ctes)
            plan, scope = joined_with(context, join, (plan, scope), right, before, ctes)
            for pivot in join.args.get("pivots") or ():
                plan, scope = _pivoted(context, pivot, plan, scope, ctes)
        if done is not None:
            plan = beside(context, joins[place - 1], "inner", done, plan, None)
        before = scope if before is None else before.extended(scope)
        place = end + 1
    assert before is not None
    return plan, before


def _is_comma(join: exp.Join) -> bool:
    return join.args.keys() <= {"this"} or not any(value for name, value in join.args.items() if name != "this")


def _renamed(context: Context, node: exp.Expr, relation: Relation, alias: exp.Expr | None) -> Relation:
    """The columns under the names that an alias lists for the first of them; a name met again gets a number."""
    names = [column.name for column in alias.args.get("columns") or ()] if alias is not None else []
    if len(names) > len(relation.fields):
        raise context.error(
            node,
            f"{relation.name or 'the subquery'} has {len(relation.fields)} columns but {len(names)} column aliases",
        )
    named = tuple(replace(column, name=name) for column, name in zip(relation.fields, names, strict=False))
    return replace(relation, fields=distinct_names((*named, *relation.fields[len(names) :])))


def _table(context: Context, node: exp.Table, ctes: Ctes) -> tuple[Plan, Relation]:
    target = node.this
    if isinstance(target, exp.Identifier):
        name = ".".join(part.name for part in node.parts)
        cte = ctes.get(name.lower())
        if cte is not None and not node.db:
            return _cte(context, node, cte, name)
        around = ctes.get(target.name.lower()) if node.db.lower() == "recurring" else None
        if around is not None and around.iterated is not None:
            plan = working_table(context, around.iterated, whole=True)
            return plan, Relation(target.name, plan.schema, node.db, node.db)
        shown, path_like = target.name, target.quoted and not node.db and is_path(name)
    elif isinstance(target, exp.Func) and table_function_name(target) in READERS:
        call = file_call(context, target)
        name, shown, path_like = call, call.function, False
    elif isinstance(target, exp.Func):
        name = _system_table(context, target)
        shown, path_like = table_function_name(target), False
    else:
        raise UnsupportedError(f"{target.key.upper()} in FROM is not supported")
    with context.at(node):
        found = context.lookup(name)
    if found is None:
        raise _unknown_table(context, node, name, ctes)
    if path_like and name.lower() not in map(str.lower, context.known() if context.known is not None else ()):
        shown = PurePath(name).stem
    schema = node.db or context.session.schema_of(name)
    if isinstance(found, View):
        plan = view_plan(context, node, found)
        if len(found.columns) > len(plan.schema):
            raise context.error(node, f"the view {found.name} names {len(found.columns)} columns of {len(plan.schema)}")
        plan = _reference(context, plan, found.columns)
        return plan, Relation(shown, plan.schema, node.db, schema)
    if isinstance(found, Plan):
        context.reads_plans = True
        plan = _reference(context, found)
        return plan, Relation(shown, plan.schema, node.db, schema)
    fields = tuple(context.field(column, dtype) for column, dtype in found.schema)
    hidden = tuple(context.field(column, dtype) for column, dtype in found.hidden)
    columns = tuple(column for column, _ in (*found.schema, *found.hidden))
    scan: Plan = Scan(found, columns, (*fields, *hidden), _registered(context, name, found))
    if found.local:
        fields = tuple(context.field(one.name, TIMESTAMPTZ if one.name in found.local else one.dtype) for one in fields)
        read = tuple(cast(one.ref, own.dtype) for one, own in zip(scan.schema, fields, strict=False))
        scan = Project(scan, (*fields, *hidden), (*read, *(one.ref for one in hidden)))
    return scan, Relation(shown, fields, node.db, schema, hidden=hidden)


def _registered(context: Context, name: str, found: Source) -> str:
    """The name that a table is registered under, where it is not the source's own; "" for what has none, as a path."""
    if isinstance(name, FileCall) or context.known is None or name.lower() == found.name.lower():
        return ""
    return next((known for known in context.known() if known.lower() == name.lower()), "")


def _predicted(context: Context, node: exp.Table, ctes: Ctes) -> tuple[Plan, Relation, Relation | None]:
    """ML.PREDICT: the columns of its table or query, then the predictions.

    With `DATA = t AS d` the former are a relation of their own, the second one here.
    """
    model, source = prediction_source(context, node)
    plan, scope = _item(context, source, None, None, ctes)
    added = predictions_of(context, node, model, scope, ctes)
    columns = tuple(replace(column, name=name) for name, column in scope.columns())
    fields = (*columns, *(field for field, _ in added))
    project = Project(plan, fields, (*(column.ref for column in columns), *(expr for _, expr in added)))
    if len(scope.relations) == 1 and source.args.get("alias") is not None:
        return project, Relation("", tuple(field for field, _ in added)), Relation(scope.relations[0].name, columns)
    name = scope.relations[0].name if len(scope.relations) == 1 else ""
    return project, Relation(name, distinct_names(fields)), None


def _system_table(context: Context, function: exp.Expr) -> str:
    """The name of the table that describes the connection, or a table of it, which a function gives."""
    name = table_function_name(function)
    if name in COLUMN_FUNCTIONS:
        (of,) = function.expressions if len(function.expressions) == 1 else (None,)
        if isinstance(of, exp.Column):
            return f"{name}({'.'.join(quoted_name(part.name) for part in of.parts)})"
        if not isinstance(of, exp.Literal) or not of.is_string:
            raise context.error(function, f"{name} takes the name of a table", hint=f"{name}('t')")
        return f"{name}({of.name})"
    if function.expressions:
        raise BindError(f"{name} takes no arguments")
    return f"{name}()"


def _unknown_table(context: Context, node: exp.Table, name: str, ctes: Ctes) -> Exception:
    known = list(context.known()) if context.known is not None else []
    names = [*known, *ctes]
    hint = near(name, names) or (f"tables: {listed(sorted(names))}" if names else None)
    if "." in name and isinstance(node.this, exp.Identifier) and node.this.args.get("quoted"):
        hint = "a file is known by its ending: .parquet, .csv, .json, .arrow; read_csv('…') and its kin read one of another name"
    return context.error(node, f"no table {name}", hint=hint)


def _cte(context: Context, node: exp.Expr, cte: Cte, name: str) -> tuple[Plan, Relation]:
    if cte.iterated is not None:
        plan = working_table(context, cte.iterated, whole=False)
        return plan, Relation(name, plan.schema)
    if cte.circular:
        hint = "WITH RECURSIVE takes first UNION [ALL] second, of which the second one reads it"
        raise context.error(node, f"circular reference to {name}", hint=hint)
    if not cte.bound:
        if cte.recursive:
            plan = bind_recursion(context, cte, name)
        else:
            plan = bind_query(context, cte.query, cte.scope, cte.ctes)
        cte.bound.append(plan)
    # Names beyond the columns mean nothing, as in DuckDB.
    plan = _reference(context, cte.bound[0], cte.columns[: len(cte.bound[0].schema)])
    # No list of columns stands behind the stand-in for what PIVOT reads.
    return plan, Relation(name, distinct_names(plan.schema) if isinstance(cte.node, exp.CTE) else plan.schema)


def _reference(context: Context, plan: Plan, names: tuple[str, ...] = ()) -> Plan:
    """A use of a plan that may have others: under symbols of its own, the first columns called `names`."""
    rest = plan.schema[len(names) :] if names else distinct_names(plan.schema)
    all_names = (*names, *(column.name for column in rest))
    fields = tuple(context.field(name, column.dtype) for name, column in zip(all_names, plan.schema, strict=True))
    for name, column in zip(names, plan.schema, strict=False):
        context.wrote(column.symbol, name)
    return Shared(plan, tuple(column.symbol for column in plan.schema), fields)


def _called(node: exp.Expr) -> exp.Expr | None:
    """The call of a table function that an item of FROM is; None where it is something else."""
    if isinstance(node, exp.Unnest):
        return node
    call = node.this if isinstance(node, exp.Table | exp.Lateral) else None
    if not isinstance(call, exp.Func):
        return None
    if isinstance(node, exp.Table) and is_prediction(node):
        return None
    name = table_function_name(call)
    return None if name in READERS or name in SYSTEM_FUNCTIONS | COLUMN_FUNCTIONS else call


def _aliased_function(relation: Relation, function: str, alias: exp.TableAlias, numbered: Any) -> Relation:
    columns = [column.name for column in alias.args.get("columns") or ()]
    if isinstance(numbered, exp.Identifier):
        columns.append(numbered.name)
    if not columns:
        return renamed_by_alias(relation, function, alias.name)
    # Names beyond the columns mean nothing, as in DuckDB.
    named = [replace(column, name=name) for column, name in zip(relation.fields, columns, strict=False)]
    return Relation(alias.name, (*named, *relation.fields[len(named) :]), hidden=relation.hidden)
