"""GROUP BY: the keys by which rows are groups, written as expressions, by number, by alias, or ALL."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.plan import Field
from tqp.ir.visit import rewrite, walk
from tqp.sql.aggregate import has_aggregate
from tqp.sql.context import Context
from tqp.sql.equal_keys import Apart, Key, placed, told_apart
from tqp.sql.expr import ExprBinder
from tqp.sql.grouping_sets import grouping_sets
from tqp.sql.names import inner_name
from tqp.sql.ordering import ordinal
from tqp.sql.select_list import Item
from tqp.sql.selection import Selection
from tqp.sql.unread import discard
from tqp.sql.window import has_window
from tqp.types import BOOLEAN

__all__ = ["bind_keys", "group_by_what_is_read", "parts_of"]

Keys = tuple[exp.Expr, ...]


def bind_keys(select: Selection, clause: exp.Group) -> None:
    """Learn the keys of a GROUP BY; none where it is ALL and every column is computed of groups."""
    context, items, binder = select.context, select.items, select.of_rows("GROUP BY")
    sets = grouping_sets(clause)
    if sets is not None:
        binder = replace(binder, unnests=select.key_unnests)
        select.keys, select.aggregates.sets, select.apart = _keys_of_sets(context, items, binder, sets)
    elif clause.args.get("all") or len(clause.expressions) == 1 and _is_star(clause.expressions[0]):
        keys = [_key(context, binder, item) for item in items if _is_key(binder, item.source)]
        select.keys = keys or None
        select.of_all = True
    else:
        binder = replace(binder, unnests=select.key_unnests)
        parts = [one for item in clause.expressions for one in parts_of(item)]
        select.keys = [_bound_key(context, items, binder, part) for part in parts]
    if select.keys is not None:
        select.aggregates.keys = [expr for expr, _ in select.keys]


def group_by_what_is_read(select: Selection, condition: Expr) -> None:
    """Make keys of the columns that HAVING reads as they are, as GROUP BY ALL does."""
    keys = select.keys or []
    grouped = {expr for expr, _ in keys}
    rest = rewrite(condition, lambda expr: Literal(True, BOOLEAN) if expr in grouped else None)
    names = {field.ref: field.name for relation in select.scope.relations for field in relation.fields}
    read = dict.fromkeys(expr for expr in walk(rest) if isinstance(expr, ColumnRef) and expr in names)
    select.keys = keys + [(column, names[column]) for column in read]
    select.aggregates.keys = [expr for expr, _ in select.keys]


def _is_star(item: exp.Expr) -> bool:
    """Whether it is a star, which means ALL; of a table, too, whichever that is."""
    of_table = isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    if of_table:
        discard(item)
    return of_table or isinstance(item, exp.Star)


def parts_of(item: exp.Expr) -> list[exp.Expr]:
    """The keys that are written as one row, or the one key."""
    return list(item.expressions) if isinstance(item, exp.Tuple) else [item]


def _is_key(binder: ExprBinder, source: exp.Expr | Field) -> bool:
    """Whether GROUP BY ALL groups by it: it names a column, and is not computed of groups, nor are the aliases that it names."""
    if isinstance(source, Field):
        return True
    if source.find(exp.Column) is None or _is_of_groups(source):
        return False
    waiting, met = [source], set[str]()
    while waiting:
        for column in waiting.pop().find_all(exp.Column):
            name = column.name.lower()
            aliased = None if column.table or name in met else binder.aliases.get(name)
            if (
                not isinstance(aliased, exp.Expr)
                or binder.scope.resolve(binder.context, column, outwards=False) is not None
            ):
                continue
            if _is_of_groups(aliased):
                return False
            met.add(name)
            waiting.append(aliased)
    return True


def _is_of_groups(source: exp.Expr) -> bool:
    return has_aggregate(source) or has_window(source)


def _keys_of_sets(
    context: Context, items: list[Item], binder: ExprBinder, sets: list[Keys]
) -> tuple[list[tuple[Expr, str]], tuple[tuple[int, ...], ...], Apart]:
    """The keys of all sets, each once; the sets as places of their keys; and what of keys that are equal tells them apart."""
    keys: list[Key] = []
    places: dict[int, int] = {}
    for node in {id(key): key for one in sets for key in one}.values():
        expr, name = _bound_key(context, items, binder, node)
        key = Key(node, expr, name, *_named_item(context, items, binder, node))
        places[id(node)] = placed(binder, keys, key)
    found = tuple(tuple(sorted({places[id(key)] for key in one})) for one in sets)
    named, apart = told_apart(context, keys)
    return named, found, apart


def _named_item(
    context: Context, items: list[Item], binder: ExprBinder, key: exp.Expr
) -> tuple[int | None, str | None]:
    """The place of the output column that a key names, if it is one; and its alias, if the key is that."""
    index = ordinal(context, key, len(items), "GROUP BY")
    column = key.unnest()
    if index is not None or not isinstance(column, exp.Column) or column.table:
        return index, None
    name = column.name.lower()
    if name not in binder.aliases or binder.scope.resolve(context, column, outwards=False) is not None:
        return None, None
    aliased = (place for place, item in enumerate(items) if item.alias and item.alias.lower() == name)
    return max(place for place in aliased if not isinstance(items[place].source, Field)), name


def _bound_key(context: Context, items: list[Item], binder: ExprBinder, key: exp.Expr) -> tuple[Expr, str]:
    index = ordinal(context, key, len(items), "GROUP BY")
    if index is not None:
        return _key(context, replace(binder, whole=key), items[index])
    return replace(binder, whole=key.unnest()).bind(key), inner_name(key, context.text)


def _key(context: Context, binder: ExprBinder, item: Item) -> tuple[Expr, str]:
    if isinstance(item.source, Field):
        return item.source.ref, item.name
    return binder.bind(item.source), item.name or inner_name(item.source, context.text)
