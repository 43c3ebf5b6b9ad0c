"""UNPIVOT: columns become rows, those of each column beside those of the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Final

from sqlglot import exp

from tqp.functions.promotion import common_type
from tqp.ir.plan import Plan
from tqp.ir.visit import free_symbols
from tqp.sql.columns import copies, holds_columns
from tqp.sql.context import Context, near
from tqp.sql.query import bind_query
from tqp.sql.scope import Cte, Relation, Scope, distinct_names
from tqp.sql.stars import of_root
from tqp.types import DType

__all__ = ["SOURCE", "of_source", "unpivoted", "with_source"]

Ctes = Mapping[str, Cte]
SOURCE: Final = "pivot source"
"""The name under which the rows are read: no identifier, so that no table of the user has it."""


def with_source(context: Context, node: exp.Pivot, plan: Plan, ctes: Ctes) -> Ctes:
    """The names, and one for the rows that PIVOT or UNPIVOT works on, which are computed once."""
    if free_symbols(plan):
        context.gap(node, "PIVOT and UNPIVOT of what reads columns of a query around it are not supported")
    names = tuple(column.name for column in plan.schema)
    return {**ctes, SOURCE: Cte(node, names, None, {}, [plan])}


def of_source(items: Sequence[exp.Expr], group: exp.Group | None = None) -> exp.Select:
    """SELECT items FROM the rows."""
    table = exp.Table(this=exp.to_identifier(SOURCE, quoted=True))
    return exp.Select(expressions=list(items), from_=exp.From(this=table), group=group)


def unpivoted(context: Context, node: exp.Pivot, plan: Plan, ctes: Ctes) -> Plan:
    """The rows of UNPIVOT, a branch for each of its columns; `plan` shows which these may be."""
    written, name, values, keeps_nulls = _parts(context, node)
    written = [_by_number(item) for item in written]
    scope = Scope(None, [Relation("", plan.schema)])
    rows = [row for item in written for row in _rows(context, scope, ctes, plan, item)]
    for _, exprs in rows:
        if len(exprs) != len(values):
            raise context.error(
                node, f"UNPIVOT has {len(values)} names for values, but {len(exprs)} columns beside each other"
            )
    used = set[str]()
    for _, exprs in rows:
        for expr in exprs:
            used.add(_named(context, plan, expr))
    distinct = distinct_names(plan.schema)
    kept = [new.name for own, new in zip(plan.schema, distinct, strict=True) if own.name not in used]
    ctes = {**ctes, SOURCE: Cte(node, tuple(column.name for column in distinct), None, {}, [plan])}
    dtypes = _types(context, node, rows, ctes)
    branches: list[exp.Expr] = []
    for text, exprs in rows:
        cells = [
            exp.cast(expr.copy(), exp.DataType.build(str(dtype), dialect="duckdb"))
            for expr, dtype in zip(exprs, dtypes, strict=True)
        ]
        items: list[exp.Expr] = [exp.column(column, quoted=True) for column in kept]
        items.append(exp.alias_(exp.Literal.string(text), name, quoted=True))
        items += [exp.alias_(cell, value, quoted=True) for cell, value in zip(cells, values, strict=True)]
        branch = of_source(items)
        if not keeps_nulls:
            known = [exp.Not(this=exp.Is(this=expr.copy(), expression=exp.Null())) for expr in exprs]
            branch.set("where", exp.Where(this=exp.and_(*known, copy=False)))
        branches.append(branch)
    whole = reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), branches)
    return bind_query(context, whole, None, ctes)


def _parts(context: Context, node: exp.Pivot) -> tuple[list[exp.Expr], str, list[str], bool]:
    """The columns as written, the name of the column for their names, those for their values, and whether NULLs stay."""
    fields = node.args.get("fields")
    keeps_nulls = bool(node.args.get("include_nulls"))
    if fields is None:
        into = node.args.get("into")
        if into is None:
            return list(node.expressions), "name", ["value"], keeps_nulls
        return list(node.expressions), into.this.name, [item.name for item in into.expressions], keeps_nulls
    node.args.get("value_columns_first")
    (choice,) = fields
    first = node.expressions[0]
    values = [item.name for item in (first.expressions if isinstance(first, exp.Tuple) else [first.unnest()])]
    return list(choice.expressions), choice.this.name, values, keeps_nulls


def _rows(context: Context, scope: Scope, ctes: Ctes, plan: Plan, item: exp.Expr) -> list[tuple[str, list[exp.Expr]]]:
    """The rows that an item stands for: what each is called, and its expressions."""
    alias = item.args["alias"].name if isinstance(item, exp.Alias | exp.PivotAlias) else None
    inner = item.this if isinstance(item, exp.Alias | exp.PivotAlias) else item
    if isinstance(inner, exp.Tuple):
        names = [_named(context, plan, part) for part in inner.expressions]
        return [(alias or "_".join(names), list(inner.expressions))]
    chosen = of_root(context, scope, ctes, inner)
    if chosen is not None:
        return [(alias or column.shown, [column_of(column.name)]) for column in chosen]
    exprs = [_by_name(copy.node) for copy in copies(context, scope, ctes, inner)] if holds_columns(inner) else [inner]
    return [(alias or _named(context, plan, expr), [expr]) for expr in exprs]


def column_of(name: str) -> exp.Expr:
    """The column of that name, whatever characters that has."""
    return exp.column(name, quoted=True)


def _by_name(node: exp.Expr) -> exp.Expr:
    """The expression with the columns of a COLUMNS(…), which are those of the plan, by their names instead."""
    return node.transform(lambda part: column_of(part.name) if "field" in part.meta else part)


def _by_number(item: exp.Expr) -> exp.Expr:
    """An item in which numbers mean the columns that are called so."""
    if isinstance(item, exp.Alias | exp.PivotAlias):
        return type(item)(this=_by_number(item.this), alias=item.args["alias"])
    if isinstance(item, exp.Tuple):
        return exp.Tuple(expressions=[_by_number(part) for part in item.expressions])
    is_number = isinstance(item, exp.Literal) and not item.is_string
    return column_of(item.name) if is_number else item


def _named(context: Context, plan: Plan, node: exp.Expr) -> str:
    """The column that an expression is of, as the rows call it; BindError where they do not have it, or there are several."""
    columns = list(node.find_all(exp.Column))
    if len(columns) != 1:
        raise context.error(node, f"an expression of UNPIVOT is of one column, not of {len(columns)}")
    name, names = columns[0].name, [column.name for column in plan.schema]
    meant = [own for own in names if own.lower() == name.lower()]
    if not meant:
        raise context.error(node, f"no column {name} to unpivot", hint=near(name, names))
    if len(meant) > 1:
        raise context.error(node, f"column name {name} is ambiguous", hint="a subquery gives them other names")
    return meant[0]


def _types(context: Context, node: exp.Expr, rows: Sequence[tuple[str, list[exp.Expr]]], ctes: Ctes) -> list[DType]:
    """The types of the columns for values: what those of all rows have in common."""
    exprs = [expr for _, cells in rows for expr in cells]
    plan = bind_query(
        context, of_source([exp.alias_(expr.copy(), f"x{n}") for n, expr in enumerate(exprs)]), None, ctes
    )
    dtypes = [column.dtype for column in plan.schema]
    width = len(rows[0][1])
    result = []
    for place in range(width):
        known = dtypes[place]
        for other in dtypes[place::width]:
            common = common_type(known, other)
            if common is None or known.is_text != other.is_text:
                raise context.error(node, f"UNPIVOT cannot combine {known} and {other}", hint="cast one of them")
            known = common
        result.append(known)
    return result
