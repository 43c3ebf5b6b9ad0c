"""FROM: tables, derived tables, WITH references and joins, as one plan and the names it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, cast

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Field, Join, JoinKind, Plan, Project, Scan, Schema, Values
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import call, condition, flat
from tqp.sql.predict import is_prediction, prediction_source, predictions_of
from tqp.sql.query import bind_query
from tqp.sql.scope import Common, Cte, Relation, Scope
from tqp.sql.views import with_own_symbols

__all__ = ["bind_from"]

Ctes = Mapping[str, Cte]
ONE_ROW = Values((), ((),))


def bind_from(context: Context, node: exp.Select, parent: Scope | None, ctes: Ctes) -> tuple[Plan, Scope]:
    """The plan of a SELECT's FROM (one row without columns where there is none) and its scope."""
    source = node.args.get("from_")
    plan, scope = (ONE_ROW, Scope(parent)) if source is None else _item(context, source.this, parent, ctes)
    for join in node.args.get("joins") or ():
        plan, scope = _join(context, join, plan, scope, ctes)
    return plan, scope


def _item(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> tuple[Plan, Scope]:
    alias = node.args.get("alias")
    if isinstance(node, exp.Table):
        if is_prediction(node.this):
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
    scope = Scope(parent, [relation])
    for join in node.args.get("joins") or ():
        plan, scope = _join(context, join, plan, scope, ctes)
    return plan, scope


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
        plan = _fresh(context, with_own_symbols(context, found))
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
    # Each reference has symbols of its own above the one shared plan.
    plan = _fresh(context, cte.bound[0], cte.columns)
    return plan, Relation(name, plan.schema)


def _fresh(context: Context, plan: Plan, names: tuple[str, ...] = ()) -> Plan:
    """The plan under new symbols, the first columns called `names`."""
    columns = distinct_names(plan.schema)
    all_names = (*names, *(column.name for column in columns[len(names) :]))
    fields = tuple(context.field(name, column.dtype) for name, column in zip(all_names, columns, strict=True))
    return Project(plan, fields, tuple(column.ref for column in plan.schema))


def _join(context: Context, node: exp.Join, plan: Plan, scope: Scope, ctes: Ctes) -> tuple[Plan, Scope]:
    right, right_scope = _item(context, node.this, scope.parent, ctes)
    for relation in right_scope.relations:
        if relation.name and scope.relation(relation.name) is not None and not relation.qualifier:
            raise context.error(node.this, f"table name {relation.name} stands twice in FROM", hint="give one an alias")
    both = scope.extended(right_scope)
    word = node.method if node.method != "NATURAL" else ""
    word = word or (node.kind if node.kind not in _KINDS else "")
    if word:
        context.gap(node, f"{word} JOIN is not supported")
        return plan, both
    kind = _kind(node)
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
        residual = condition(ExprBinder(context, both, ctes, "ON").bind(on))
        if isinstance(residual, Literal) and residual.value is True and kind == "inner":
            residual = None
    elif kind != "inner":
        raise context.error(node, f"{kind.upper()} JOIN needs ON or USING")
    joined = Join(kind, plan, right, residual=residual)
    return joined, scope if kind in ("semi", "anti") else both


_KINDS = ("", "INNER", "OUTER", "CROSS", "SEMI", "ANTI")


def _kind(node: exp.Join) -> JoinKind:
    if node.kind in ("SEMI", "ANTI"):
        return cast(JoinKind, node.kind.lower())
    return cast(JoinKind, node.side.lower()) if node.side else "inner"


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
    common: dict[str, Common] = {}
    merged: list[tuple[Field, Expr]] = []
    for name, a, b in pairs:
        before = left_scope.common.get(name.lower())
        members = frozenset({a.symbol, b.symbol}) | (before.members if before else frozenset())
        if kind == "full":
            value = call("coalesce", a.ref, b.ref)
            column = context.field(a.name, value.dtype)
            merged.append((column, value))
        else:
            column = b if kind == "right" else a
        common[name.lower()] = Common(column, members)
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
