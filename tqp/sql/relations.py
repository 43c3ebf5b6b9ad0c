"""FROM: tables, derived tables, WITH references and joins, as one plan and the names it brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Field, Join, JoinKind, Plan, Project, Scan, Schema, Shared, Values
from tqp.ir.visit import free_symbols
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import call, condition, flat
from tqp.sql.predict import is_prediction, prediction_source, predictions_of
from tqp.sql.query import bind_query
from tqp.sql.scope import Common, Cte, Relation, Scope
from tqp.stack import deep

__all__ = ["bind_from"]

Ctes = Mapping[str, Cte]
ONE_ROW = Values((), ((),))


def bind_from(context: Context, node: exp.Select, parent: Scope | None, ctes: Ctes) -> tuple[Plan, Scope]:
    """The plan of a SELECT's FROM (one row without columns where there is none) and its scope."""
    source = node.args.get("from_")
    first = (ONE_ROW, Scope(parent)) if source is None else _item(context, source.this, parent, ctes)
    return _joined(context, first, node.args.get("joins") or (), ctes)


@deep
def _item(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> tuple[Plan, Scope]:
    alias = node.args.get("alias")
    if isinstance(node, exp.Table):
        if is_prediction(node):
            plan, relation, data = _predicted(context, node, ctes)
            if data is not None:
                return plan, Scope(parent, [data, relation if alias is None else replace(relation, name=alias.name)])
        else:
            plan, relation = _table(context, node, ctes)
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
        plan, scope = _item(context, node.this, parent, ctes)
        if alias is None:
            return plan, scope
        relation = Relation("", tuple(replace(column, name=name) for name, column in scope.columns()))
    elif isinstance(node, exp.Subquery | exp.Values | exp.Query):
        plan = bind_query(context, node, parent, ctes)
        relation = Relation("", distinct_names(plan.schema))
    else:
        what = "LATERAL" if isinstance(node, exp.Lateral) else f"{node.key.upper()} in FROM"
        context.gap(node, f"{what} is not supported")
        plan, relation = ONE_ROW, Relation("", ())
    if alias is not None and alias.name:
        relation = Relation(alias.name, relation.fields)
    if alias is not None and alias.args.get("columns"):
        relation = _renamed(context, node, relation, [column.name for column in alias.args["columns"]])
    return _joined(context, (plan, Scope(parent, [relation])), node.args.get("joins") or (), ctes)


def _joined(context: Context, first: tuple[Plan, Scope], joins: Sequence[exp.Join], ctes: Ctes) -> tuple[Plan, Scope]:
    """An item of FROM and what follows it: JOINs bind first, then the commas between them.

    As in DuckDB, ON sees what stands before the comma, too. Where JOINs keep to their left side, `a, b JOIN c` has the rows
    of `(a, b) JOIN c`, and is that. RIGHT and FULL JOIN must be done before, and so without a look at `a`.
    """
    plan, scope = first
    before: Scope | None = None
    place = 0
    while place <= len(joins):
        end = next((index for index in range(place, len(joins)) if _is_comma(joins[index])), len(joins))
        group = joins[place:end]
        done: Plan | None = None
        if before is not None:
            item, scope = _item(context, joins[place - 1].this, before.parent, ctes)
            _check_names(context, joins[place - 1], before, scope)
            if any(join.side in ("RIGHT", "FULL") for join in group):
                done, plan = plan, item
            else:
                plan = Join("inner", plan, item)
        for join in group:
            plan, scope = _join(context, join, plan, scope, before, ctes)
            hidden = None if done is None else free_symbols(plan) & {column.symbol for column in done.schema}
            if hidden:
                context.gap(
                    join,
                    "ON that names what stands before a comma is not supported beside RIGHT or FULL JOIN",
                    hint="write CROSS JOIN instead of the comma, or a subquery",
                )
                done = None
        if done is not None:
            plan = Join("inner", done, plan)
        before = scope if before is None else before.extended(scope)
        place = end + 1
    assert before is not None
    return plan, before


def _is_comma(join: exp.Join) -> bool:
    return join.args.keys() <= {"this"} or not any(value for name, value in join.args.items() if name != "this")


def _check_names(context: Context, join: exp.Join, left: Scope, right: Scope) -> None:
    for relation in right.relations:
        if relation.name and left.relation(relation.name) is not None and not relation.qualifier:
            raise context.error(join.this, f"table name {relation.name} stands twice in FROM", hint="give one an alias")


def distinct_names(schema: Schema) -> Schema:
    """The columns of a derived table: a name met again gets _1, _2, …."""
    seen: set[str] = set()
    result = []
    for column in schema:
        name, count = column.name, 0
        while name.lower() in seen:
            count += 1
            name = f"{column.name}_{count}"
        seen.add(name.lower())
        result.append(column if name == column.name else replace(column, name=name))
    return tuple(result)


def _renamed(context: Context, node: exp.Expr, relation: Relation, names: list[str]) -> Relation:
    if len(names) > len(relation.fields):
        raise context.error(
            node,
            f"{relation.name or 'the subquery'} has {len(relation.fields)} columns but {len(names)} column aliases",
        )
    named = tuple(replace(column, name=name) for column, name in zip(relation.fields, names, strict=False))
    return replace(relation, fields=(*named, *relation.fields[len(names) :]))


def _table(context: Context, node: exp.Table, ctes: Ctes) -> tuple[Plan, Relation]:
    target = node.this
    if isinstance(target, exp.Identifier):
        name = ".".join(part.name for part in node.parts)
        cte = ctes.get(name.lower())
        if cte is not None and not node.db:
            return _cte(context, node, cte, name)
        shown, path_like = target.name, target.quoted
    elif isinstance(target, exp.ReadCSV | exp.ReadParquet | exp.Func):
        name, shown, path_like = _file_of(target), "", True
    else:
        raise UnsupportedError(f"{target.key.upper()} in FROM is not supported")
    with context.at(node):
        found = context.lookup(name)
    if found is None:
        raise _unknown_table(context, node, name, ctes)
    if path_like:
        shown = PurePath(name).stem
    if isinstance(found, Plan):
        plan = _reference(context, found)
        return plan, Relation(shown, plan.schema, node.db)
    fields = tuple(context.field(column, dtype) for column, dtype in found.schema)
    scan = Scan(found, tuple(column for column, _ in found.schema), fields)
    return scan, Relation(shown, fields, node.db)


def _predicted(context: Context, node: exp.Table, ctes: Ctes) -> tuple[Plan, Relation, Relation | None]:
    """ML.PREDICT: the columns of its table or query, then the predictions.

    With `DATA = t AS d` the former are a relation of their own, the second one here.
    """
    model, source = prediction_source(context, node)
    plan, scope = _item(context, source, None, ctes)
    added = predictions_of(context, node, model, scope, ctes)
    columns = tuple(replace(column, name=name) for name, column in scope.columns())
    fields = (*columns, *(field for field, _ in added))
    project = Project(plan, fields, (*(column.ref for column in columns), *(expr for _, expr in added)))
    if len(scope.relations) == 1 and source.args.get("alias") is not None:
        return project, Relation("", tuple(field for field, _ in added)), Relation(scope.relations[0].name, columns)
    name = scope.relations[0].name if len(scope.relations) == 1 else ""
    return project, Relation(name, distinct_names(fields)), None


def _file_of(function: exp.Expr) -> str:
    argument = function.this if isinstance(function.this, exp.Expr) else None
    arguments: list[Any] = [argument] if argument is not None else []
    arguments += function.expressions
    name = function.name if isinstance(function, exp.Anonymous) else function.key
    if name.lower() not in ("readcsv", "readparquet", "read_csv", "read_parquet", "read_csv_auto", "parquet_scan"):
        raise UnsupportedError(
            f"table function {name} is not supported", hint="read_parquet('…') and read_csv('…') are"
        )
    if len(arguments) != 1 or not isinstance(arguments[0], exp.Literal) or not arguments[0].is_string:
        raise UnsupportedError(f"{name} takes one path, as a text constant")
    return str(arguments[0].this)


def _unknown_table(context: Context, node: exp.Table, name: str, ctes: Ctes) -> Exception:
    known = list(context.known()) if context.known is not None else []
    names = [*known, *ctes]
    hint = near(name, names) or (f"tables: {', '.join(sorted(names)[:8])}" if names else None)
    return context.error(node, f"no table {name}", hint=hint)


def _cte(context: Context, node: exp.Expr, cte: Cte, name: str) -> tuple[Plan, Relation]:
    if not cte.bound:
        plan = bind_query(context, cte.query, cte.scope, cte.ctes)
        if len(cte.columns) > len(plan.schema):
            raise context.error(node, f"{name} has {len(plan.schema)} columns but {len(cte.columns)} column aliases")
        cte.bound.append(plan)
    plan = _reference(context, cte.bound[0], cte.columns)
    return plan, Relation(name, plan.schema)


def _reference(context: Context, plan: Plan, names: tuple[str, ...] = ()) -> Plan:
    """A use of a plan that may have others: under symbols of its own, the first columns called `names`."""
    columns = distinct_names(plan.schema)
    all_names = (*names, *(column.name for column in columns[len(names) :]))
    fields = tuple(context.field(name, column.dtype) for name, column in zip(all_names, columns, strict=True))
    return Shared(plan, tuple(column.symbol for column in plan.schema), fields)


def _join(
    context: Context, node: exp.Join, plan: Plan, scope: Scope, before: Scope | None, ctes: Ctes
) -> tuple[Plan, Scope]:
    """One JOIN; `before` is what its ON sees beside both sides."""
    right, right_scope = _item(context, node.this, scope.parent, ctes)
    for left_scope in (scope, before):
        if left_scope is not None:
            _check_names(context, node, left_scope, right_scope)
    both = scope.extended(right_scope)
    if node.method not in ("", "NATURAL") or (node.side, node.kind) not in _KINDS:
        words = [word for word in (node.method, node.side, node.kind) if word]
        context.gap(node, f"{' '.join(words)} JOIN is not supported")
        return plan, both
    kind = _KINDS[node.side, node.kind]
    names = (
        _shared(scope, right_scope)
        if node.method == "NATURAL"
        else [name.name for name in node.args.get("using") or ()]
    )
    if node.method == "NATURAL" and not names:
        raise context.error(node, "NATURAL JOIN of tables without a column name in common")
    on = node.args.get("on")
    if names:
        return _using(context, node, kind, (plan, scope), (right, right_scope), names)
    residual: Expr | None = None
    if on is not None:
        seen = both if before is None else replace(both, parent=before)
        residual = condition(ExprBinder(context, seen, ctes, "ON").bind(on))
        if isinstance(residual, Literal) and residual.value is True and kind == "inner":
            residual = None
    elif kind != "inner":
        raise context.error(node, f"{kind.upper()} JOIN needs ON or USING")
    joined = Join(kind, plan, right, residual=residual)
    return joined, scope if kind in ("semi", "anti") else both


_KINDS: dict[tuple[str, str], JoinKind] = {
    ("", ""): "inner", ("", "INNER"): "inner", ("", "CROSS"): "inner",
    ("LEFT", ""): "left", ("RIGHT", ""): "right", ("FULL", ""): "full",
    ("LEFT", "OUTER"): "left", ("RIGHT", "OUTER"): "right", ("FULL", "OUTER"): "full",
    ("", "SEMI"): "semi", ("", "ANTI"): "anti", ("LEFT", "SEMI"): "semi", ("LEFT", "ANTI"): "anti",
}  # fmt: skip


def _shared(left: Scope, right: Scope) -> list[str]:
    names = {name.lower() for name, _ in right.columns()}
    return [name for name, _ in left.columns() if name.lower() in names]


def _using(
    context: Context,
    node: exp.Join,
    kind: JoinKind,
    left: tuple[Plan, Scope],
    right: tuple[Plan, Scope],
    names: list[str],
) -> tuple[Plan, Scope]:
    """A join by columns of the same name, which then count as one column."""
    (left_plan, left_scope), (right_plan, right_scope) = left, right
    pairs = [
        (name, _only(context, node, left_scope, name, "left"), _only(context, node, right_scope, name, "right"))
        for name in names
    ]
    with context.at(node):
        residual = flat("and", [call("eq", a.ref, b.ref) for _, a, b in pairs])
    plan: Plan = Join(kind, left_plan, right_plan, residual=residual)
    if kind in ("semi", "anti"):
        return plan, left_scope
    common: dict[str, tuple[Common, ...]] = {}
    merged: list[tuple[Field, Expr]] = []
    for name, a, b in pairs:
        before = (scope.common.get(name.lower(), ()) for scope in (left_scope, right_scope))
        members = frozenset({a.symbol, b.symbol}).union(*(same.members for found in before for same in found))
        if kind == "full":
            value = call("coalesce", a.ref, b.ref)
            column = context.field(a.name, value.dtype)
            merged.append((column, value))
        else:
            column = b if kind == "right" else a
        common[name.lower()] = (Common(column, members),)
    if merged:
        kept = plan.schema
        fields = (*kept, *(column for column, _ in merged))
        plan = Project(plan, fields, (*(column.ref for column in kept), *(value for _, value in merged)))
    scope = left_scope.extended(right_scope)
    scope.common.update(common)
    return plan, scope


def _only(context: Context, node: exp.Join, scope: Scope, name: str, side: str) -> Field:
    found = scope.find(name)
    if len(found) == 1:
        return found[0][1]
    if found:
        raise context.error(node, f"column name {name} in USING is ambiguous on the {side} side")
    names = [column for column, _ in scope.columns()]
    raise context.error(node, f"no column {name} on the {side} side of the join", hint=near(name, names))
