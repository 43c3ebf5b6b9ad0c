"""USING KEY of a recursive query: its keys, and what is made of the other columns of rows with the same key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from tqp.functions.aggregates import bind_aggregate, find_aggregate
from tqp.ir import words
from tqp.ir.expr import AggregateCall, ColumnRef
from tqp.ir.plan import Field
from tqp.sql.aggregate import arguments, function_name
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.names import display
from tqp.sql.scope import Relation, Scope
from tqp.types import DType

__all__ = ["Folded", "fold_of"]

_HINT = "as in USING KEY (a, max(b))"


@dataclass(frozen=True)
class Folded:
    """The places of the keys, the aggregates that make the other columns, and the types of all."""

    key: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    types: tuple[DType, ...]


def fold_of(context: Context, items: Sequence[exp.Expr], name: str, columns: tuple[Field, ...]) -> Folded:
    """What the items of USING KEY say of rows with these columns.

    A column is a key, a call of an aggregate makes the column that its alias or its first argument names, and of the others the
    last value is kept. BindError for anything else, and where there is no key.
    """
    binder = ExprBinder(context, Scope(None, [Relation(name, columns)]), {}, "USING KEY")
    keys: list[int] = []
    calls: dict[int, AggregateCall] = {}
    for item in items:
        node, alias = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, "")
        if isinstance(node, exp.Column | exp.Identifier):
            if alias:
                raise context.error(node, "only an aggregate takes an alias in USING KEY")
            column = binder.bind(node if isinstance(node, exp.Column) else exp.column(node))
            if not isinstance(column, ColumnRef):
                raise context.error(node, f"USING KEY takes columns of {name}", hint=_HINT)
            place = _place(columns, column)
            if place not in keys:
                keys.append(place)
            continue
        place, call = _call(context, binder, node, alias, columns)
        if place in calls:
            raise context.error(node, f"{columns[place].name} is made twice in USING KEY", hint="give one an alias")
        calls[place] = call
    if not keys:
        raise context.error(items[0], "USING KEY needs a column as key", hint=_HINT)
    for place in calls:
        if place in keys:
            raise context.error(items[0], f"{columns[place].name} is a key, and made by an aggregate, in USING KEY")
    others = [place for place in range(len(columns)) if place not in keys]
    made = {place: calls.get(place) or bind_aggregate(words.LAST, (columns[place].ref,)) for place in others}
    types = tuple(made[place].dtype if place in made else column.dtype for place, column in enumerate(columns))
    return Folded(tuple(keys), tuple(made.values()), types)


def _call(
    context: Context, binder: ExprBinder, node: exp.Expr, alias: str, columns: tuple[Field, ...]
) -> tuple[int, AggregateCall]:
    """The call of an aggregate, and the place of the column that it makes."""
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
        # So the parser writes any_value.
        node = node.this
    function = function_name(node)
    shown = display(node, context.text)
    if isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls):
        raise context.error(node, "an aggregate in USING KEY takes no FILTER, DISTINCT or ORDER BY")
    if find_aggregate(function) is None:
        hint = _HINT if isinstance(node, exp.Func) else "a key is a column"
        raise context.error(node, f"{shown} is neither a column nor a call of an aggregate in USING KEY", hint=hint)
    with context.at(node):
        args, distinct, order = arguments(binder, node)
        if distinct or order:
            raise context.error(node, "an aggregate in USING KEY takes no FILTER, DISTINCT or ORDER BY")
        if function == "count" and not args:
            function = "count_star"
        call = bind_aggregate(function, tuple(args))
    if alias:
        names = [column.name for column in columns]
        place = next((place for place, one in enumerate(names) if one.lower() == alias.lower()), None)
        if place is None:
            raise context.error(node, f"no column {alias} for {shown} in USING KEY", hint=near(alias, names))
        return place, call
    first = args[0] if args else None
    if not isinstance(first, ColumnRef):
        raise context.error(node, f"{shown} in USING KEY names no column", hint=f"{shown} AS {columns[-1].name}")
    return _place(columns, first), call


def _place(columns: tuple[Field, ...], column: ColumnRef) -> int:
    return next(place for place, field in enumerate(columns) if field.symbol == column.symbol)
