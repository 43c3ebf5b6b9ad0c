"""The SELECT list: which columns it asks for, and what * stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from tqp.ir.plan import Field
from tqp.sql.columns import copies, holds_columns, with_filters
from tqp.sql.context import Context
from tqp.sql.numbered_columns import column_numbered
from tqp.sql.scope import Cte, Scope
from tqp.sql.stars import Chosen, of_root

__all__ = ["Item", "select_list"]


@dataclass(frozen=True)
class Item:
    """One column of the SELECT list: a column that * stands for, or an expression; and the name it gets."""

    name: str
    source: Field | exp.Expr
    alias: str | None = None


def select_list(context: Context, node: exp.Select, scope: Scope, ctes: Mapping[str, Cte]) -> list[Item]:
    """The columns that a SELECT asks for, in order; * and COLUMNS(…) as the columns that they stand for.

    BindError for a * without tables, or one that leaves no columns.
    """
    items: list[Item] = []
    for written in node.expressions:
        alias = written.alias if isinstance(written, exp.Alias) else None
        expression = written.this if isinstance(written, exp.Alias) else written
        expression = with_filters(context, scope, ctes, expression)
        chosen = of_root(context, scope, ctes, expression)
        if chosen is not None:
            items += [_item(column, alias) for column in chosen]
        elif holds_columns(expression):
            for copy in copies(context, scope, ctes, expression):
                name = None if alias is None else copy.alias(context, expression, alias)
                if copy.column is not None and isinstance(expression, exp.Columns):
                    items.append(_item(copy.column, name))
                else:
                    items.append(Item(name or copy.name(), copy.node, name))
        else:
            name = ""
            if isinstance(expression, exp.PositionalColumn):
                name = column_numbered(context, scope, expression).name
            items.append(Item(alias or name, expression, alias))
    if not items:
        raise context.error(node, "* leaves no columns")
    return items


def _item(column: Chosen, alias: str | None) -> Item:
    """A column of a star, as an expression where an alias is one for other expressions to use."""
    return Item(column.shown, column.source) if alias is None else Item(alias, column.node(), alias)
