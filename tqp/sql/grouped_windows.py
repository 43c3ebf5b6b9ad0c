"""Window functions over grouping sets: the groupings in a subquery, the windows over it.

The groupings are a union whose sides are bound apart, while a window sees the rows of all. So what a window, or an expression
around one, reads of the groups becomes a column of a subquery with the GROUP BY, and the windows stand in a SELECT over that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from tqp.sql.context import Context
from tqp.sql.names import display
from tqp.sql.unread import discard
from tqp.sql.window import has_window

__all__ = ["over_groupings"]

_KEYS = (exp.Group, exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple, exp.Paren)
# What goes above the windows, or with them.
_ABOVE = ("order", "limit", "offset", "qualify", "windows", "distinct", "with_")


def over_groupings(context: Context, node: exp.Select) -> exp.Select | None:
    """The SELECT as one over a subquery that groups; None where none of its grouping sets meets a window."""
    parts = [*node.expressions, node.args.get("qualify"), node.args.get("order")]
    if not any(map(has_window, parts)):
        return None
    numbers = [key for key in node.args["group"].find_all(exp.Literal) if isinstance(key.parent, _KEYS)]
    stars = [item for item in node.expressions if item.is_star]
    if numbers or stars:
        context.gap(
            (*numbers, *stars)[0],
            "window functions over grouping sets by number, or with *, are not supported",
            hint="name the columns",
        )
        return None
    split = _Split({item.alias.lower(): has_window(item) for item in node.expressions if item.alias})
    items = [split.item(item, display(item.unalias(), context.text)) for item in node.expressions]
    above = exp.Select(expressions=items)
    for part in ("qualify", "windows", "order"):
        value = node.args.get(part)
        if value is not None:
            above.set(part, [split.rebuilt(one) for one in value] if isinstance(value, list) else split.rebuilt(value))
    for part in ("limit", "offset", "distinct"):
        if node.args.get(part) is not None:
            above.set(part, node.args[part].copy())
    grouped = node.copy()
    for part in _ABOVE:
        grouped.set(part, None)
    grouped.set("expressions", split.columns or [exp.alias_(exp.Literal.number(1), "row")])
    source = exp.Subquery(this=grouped, alias=exp.TableAlias(this=exp.to_identifier("grouped", quoted=True)))
    above.set("from_", exp.From(this=source))
    return above


@dataclass
class _Split:
    """Collects the columns of the subquery. `aliases`: those of the SELECT list, and whether a window stands in each."""

    aliases: dict[str, bool]
    columns: list[exp.Expr] = field(default_factory=list)
    names: dict[exp.Expr, str] = field(default_factory=dict)

    def item(self, node: exp.Expr, name: str) -> exp.Expr:
        """An item of the SELECT list, under its alias or else the name that it has."""
        inner, alias = node.unalias(), node.alias
        if not self._has_window(inner):
            value: exp.Expr = self._column(inner, alias)
        else:
            value = self.rebuilt(inner)
        return exp.alias_(value, alias or name, quoted=True)

    def rebuilt(self, node: exp.Expr) -> exp.Expr:
        """A copy of the node over the columns of the subquery."""
        copy = node.copy()
        for key, value in list(copy.args.items()):
            keeps_kind = key == "this" and isinstance(
                node, exp.Window | exp.Filter | exp.IgnoreNulls | exp.RespectNulls
            )
            if isinstance(value, list):
                copy.set(key, [self._part(one, False) for one in value])
            else:
                copy.set(key, self._part(value, keeps_kind))
        return copy

    def _part(self, value: Any, keeps_kind: bool) -> Any:
        if not isinstance(value, exp.Expr) or isinstance(value, exp.Star | exp.DataType):
            return value
        if keeps_kind or isinstance(value, exp.If) or not isinstance(value, exp.Condition | exp.Subquery):
            return self.rebuilt(value)
        constant = isinstance(value, exp.Literal | exp.Null | exp.Boolean | exp.Parameter | exp.Placeholder)
        if constant or (isinstance(value, exp.Column) and not value.table and value.name.lower() in self.aliases):
            return value.copy()
        return self.rebuilt(value) if self._has_window(value) else self._column(value)

    def _has_window(self, node: exp.Expr) -> bool:
        if has_window(node):
            return True
        return any(self.aliases.get(column.name.lower(), False) for column in node.find_all(exp.Column))

    def _column(self, node: exp.Expr, alias: str = "") -> exp.Column:
        if node in self.names:
            discard(node)
        else:
            self.names[node] = alias or f"grouped_{len(self.names) + 1}"
            self.columns.append(exp.alias_(node.copy(), self.names[node], quoted=True))
        return exp.column(exp.to_identifier(self.names[node], quoted=True))
