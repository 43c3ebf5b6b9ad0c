"""The expressions of a SELECT list, and the names of the columns that they become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import Field
from tqp.ir.visit import holds_plans, symbols
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.names import display
from tqp.sql.places import CALLED
from tqp.sql.scope import Scope
from tqp.sql.select_list import Item
from tqp.sql.selection import Selection
from tqp.sql.unnest import unnested_fields

__all__ = ["bind_outputs"]

_MOST_LEVELS: Final = 500
"""Each column holds the whole expression of those below it, so that the work of planning grows by the square."""


def bind_outputs(select: Selection) -> None:
    """Learn the expressions of the columns that a SELECT asks for, and what these are called."""
    apart = select.apart
    items: list[Item] = []
    outputs: list[Expr] = []
    # An alias is visible to the items after it alone, and so here once its item is bound. Of equal ones it is the last.
    visible: dict[str, exp.Expr | Expr] = {}
    named = {item.alias.lower(): place for place, item in enumerate(select.items) if item.alias}
    binder = select.of_groups("SELECT")
    binder.unnests, binder.aliases = select.unnests, visible
    levels: dict[int, int] = {}
    for place, item in enumerate(select.items):
        if isinstance(item.source, Field):
            items.append(item)
            outputs.append(apart.items.get(place, item.source.ref))
            continue
        fields = unnested_fields(binder, item.source)
        if fields is not None:
            # Whatever it is called.
            items += [Item(name, item.source) for name, _ in fields]
            outputs += [expr for _, expr in fields]
            continue
        expr = binder.bind(item.source)
        items.append(item)
        outputs.append(apart.items.get(place, expr))
        levels[id(expr)] = _level(expr, levels)
        if levels[id(expr)] > _MOST_LEVELS:
            message = f"more than {_MOST_LEVELS} columns that build on each other's aliases are not supported"
            raise UnsupportedError(message, hint="compute some of them in a subquery in FROM")
        name = (item.alias or "").lower()
        if named.get(name) == place:
            visible[name] = apart.names.get(name) or (expr if _is_plain(binder, expr) else item.source)
    select.items, select.outputs = items, outputs
    select.columns = [
        _named(select.context, item, expr, select.scope) for item, expr in zip(items, outputs, strict=True)
    ]


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
    read = symbols(expr)
    if binder.aggregates is not None and not binder.aggregates.symbols.isdisjoint(read):
        return False
    if binder.windows is not None and not binder.windows.symbols.isdisjoint(read):
        return False
    return not holds_plans(expr)


def _column_in(node: exp.Expr) -> exp.Column | None:
    """The column that is written here, in parentheses or not; what a macro's call became is none."""
    while isinstance(node, exp.Paren) and not (node._meta and CALLED in node._meta):
        node = node.this
    return node if isinstance(node, exp.Column) else None


def _named(context: Context, item: Item, expr: Expr, scope: Scope) -> Field:
    name = item.name
    if not name:
        assert isinstance(item.source, exp.Expr)
        column = _column_in(item.source)
        if column is not None:
            found = scope.resolve(context, column)
            name = column.name if found is None else found.name
        else:
            name = display(item.source, context.text)
    # A column of a query around this one is no column of this one's input.
    if isinstance(expr, ColumnRef) and (scope.parent is None or scope.parent.owner({expr.symbol}) is None):
        return Field(expr.symbol, name, expr.dtype)
    return context.field(name, expr.dtype)
