"""The SELECT list: which columns it asks for, and what * stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from tqp.ir.plan import Field
from tqp.sql.context import Context, near
from tqp.sql.scope import Scope

__all__ = ["Item", "select_list"]

_SHOWN = 8


@dataclass(frozen=True)
class Item:
    """One column of the SELECT list: a column that * stands for, or an expression; and the name it gets."""

    name: str
    source: Field | exp.Expr
    alias: str | None = None


def select_list(context: Context, node: exp.Select, scope: Scope) -> list[Item]:
    """The columns that a SELECT asks for, in order; * as the columns that it stands for.

    BindError for a * without tables, or one that leaves no columns.
    """
    items: list[Item] = []
    for expression in node.expressions:
        # LIKE is an operator around the star, ILIKE mostly a part of it.
        whole = expression.this if isinstance(expression, exp.Like | exp.ILike) else expression
        star = whole.this if isinstance(whole, exp.Column) else whole
        if isinstance(star, exp.Star):
            found = _star(context, star, whole, scope, whole.table or None if isinstance(whole, exp.Column) else None)
            pattern = star.args.get("ilike") or (None if whole is expression else expression.expression)
            items += found if pattern is None else _matching(context, expression, star, pattern, found)
        elif isinstance(expression, exp.Alias):
            items.append(Item(expression.alias, expression.this, expression.alias))
        else:
            items.append(Item("", expression))
    return items


def _star(context: Context, star: exp.Expr, node: exp.Expr, scope: Scope, table: str | None) -> list[Item]:
    if table is None:
        columns = scope.columns()
    else:
        relation = scope.relation(table)
        if relation is None:
            raise context.error(node, f"no table {table} in FROM", hint=near(table, scope.tables()))
        columns = [(column.name, column) for column in relation.fields]
    if not columns and not scope.relations:
        raise context.error(node, "* needs a FROM")
    names = [name for name, _ in columns]
    excluded = {item.name.lower(): item for item in star.args.get("except_") or ()}
    replaced = {item.alias.lower(): item for item in star.args.get("replace") or ()}
    renamed = {item.this.name.lower(): item for item in star.args.get("rename") or ()}
    present = {name.lower() for name in names}
    for key, item in {**excluded, **replaced, **renamed}.items():
        if key not in present:
            raise context.error(item, f"* has no column {key}", hint=near(key, names))
    result = []
    for name, column in columns:
        key = name.lower()
        if key in excluded:
            continue
        if key in replaced:
            result.append(Item(name, replaced[key].this))
        else:
            result.append(Item(renamed[key].alias if key in renamed else name, column))
    return result


def _matching(context: Context, node: exp.Expr, star: exp.Star, pattern: exp.Expr, items: list[Item]) -> list[Item]:
    """`* LIKE 'a%'`: the columns whose names match."""
    if star.args.get("replace") or star.args.get("rename"):
        raise context.error(node, "REPLACE and RENAME do not go with a pattern for the names of *")
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise context.error(pattern, "a pattern for the names of * is a text constant")
    parts = [{"%": ".*", "_": "."}.get(char) or re.escape(char) for char in str(pattern.this)]
    matches = re.compile("".join(parts), re.DOTALL | (0 if isinstance(node, exp.Like) else re.IGNORECASE)).fullmatch
    negated = bool(node.args.get("negate"))
    kept = [item for item in items if (matches(item.name) is None) == negated]
    if not kept:
        names = ", ".join(item.name for item in items[:_SHOWN])
        raise context.error(node, "* has no such column", hint=f"its columns are {names}")
    return kept
