"""Stars: which columns `*` and `t.*` stand for, with EXCLUDE, REPLACE, RENAME and patterns for their names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Field, Project, Values
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import condition
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unread import discard
from tqp.types import BIGINT, BOOLEAN, VARCHAR

__all__ = ["NAME", "PLACE", "Chosen", "columns_of", "names_where", "of_root", "some", "star_in"]

Ctes = Mapping[str, Cte]
_SHOWN: Final = 8
NAME: Final = "name"
PLACE: Final = "place"
_PATTERNS: Final = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike)
_AROUND: Final = (exp.Not, exp.Escape)


@dataclass(frozen=True)
class Chosen:
    """A column that a star stands for: the name that it gets, its own, and the column or what REPLACE has in its place."""

    shown: str
    name: str
    source: Field | exp.Expr

    def node(self) -> exp.Expr:
        """It as a part of an expression; a column is this one, whatever else has its name."""
        if isinstance(self.source, exp.Expr):
            return self.source.copy()
        made = exp.column(self.name)
        made.meta["field"] = self.source
        return made


def of_root(context: Context, scope: Scope, ctes: Ctes, node: exp.Expr) -> list[Chosen] | None:
    """The columns of an item of a SELECT list that is a star, with a pattern for their names or without; None of others.

    BindError for a star without tables, or a pattern that leaves no columns.
    """
    star, table = star_in(node)
    if star is None:
        return None
    found = columns_of(context, scope, star, node, table)
    pattern = star.args.get("ilike")
    if pattern is None and isinstance(node, exp.Star | exp.Column):
        return found
    if star.args.get("replace") or star.args.get("rename"):
        raise context.error(node, "REPLACE and RENAME do not go with a pattern for the names of *")
    names = [column.name for column in found]
    if pattern is not None:
        tested: exp.Expr = exp.ILike(this=exp.column(NAME), expression=pattern.copy())
    else:
        tested, pattern = _of_the_name(node)
    if not isinstance(pattern, exp.Literal | exp.Null | exp.Parameter | exp.Placeholder) or pattern.is_number:
        raise context.error(pattern, "a pattern for the names of * is a text constant")
    return some(context, node, found, names_where(context, names, ctes, lambda binder: binder.bind(tested)))


def star_in(node: exp.Expr) -> tuple[exp.Star | None, str | None]:
    """The star that an item is, below its pattern; and the table it is of."""
    while isinstance(node, (*_AROUND, *_PATTERNS)):
        node = node.this
    table = node.table or None if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else None
    star = node.this if isinstance(node, exp.Column) else node
    return (star, table) if isinstance(star, exp.Star) else (None, None)


def _of_the_name(node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """The condition that a pattern is of a name, and the pattern."""
    made = node.copy()
    inner = made
    while isinstance(inner, _AROUND):
        inner = inner.this
    name, pattern = exp.column(NAME), inner.expression
    inner.set("this", name)
    return made, pattern


def columns_of(context: Context, scope: Scope, star: exp.Expr, node: exp.Expr, table: str | None) -> list[Chosen]:
    """What a star stands for, with its EXCLUDE, REPLACE and RENAME."""
    excluded, replaced, renamed = (star.args.get(part) or [] for part in ("except_", "replace", "rename"))
    left_out = _keys(context, excluded, "EXCLUDE")
    instead = _keys(context, replaced, "REPLACE")
    called: dict[_Key, exp.Expr] = {}
    for item in renamed:
        discard(item)
        called[_key(item.this)] = item
    for one, words, another, others in (
        (left_out, "EXCLUDE", instead, "REPLACE"), (left_out, "EXCLUDE", called, "RENAME"), (instead, "REPLACE", called, "RENAME"),
    ):  # fmt: skip
        for twice in one.keys() & another.keys():
            raise context.error(one[twice], f"column {twice[1]} stands both in {words} and in {others}")
    columns = _seen(context, scope, node, table, left_out)
    if not columns and not scope.relations:
        raise context.error(node, "* needs a FROM")
    names = [name for name, _ in columns]
    _require(context, scope, table, {**left_out, **instead, **called}, names)
    result = []
    by_table = any(relation is not None for relation, _ in (*left_out, *instead, *called))
    for name, column in columns:
        key: _Key = (None, name.lower())
        tables = _tables_of(scope, column) if by_table and isinstance(column, Field) else []
        of_table: list[_Key] = [(relation, name.lower()) for relation in tables]
        if key in left_out:
            continue
        substitute = next((instead[one] for one in (key, *of_table) if one in instead), None)
        shown = next((called[one].alias for one in (key, *of_table) if one in called), name)
        if substitute is not None:
            if substitute.find(exp.Columns) is not None:
                raise context.error(substitute, "COLUMNS(…) is not allowed in REPLACE")
            result.append(Chosen(substitute.alias, name, substitute.this))
        else:
            result.append(Chosen(shown, name, column))
    return result


_Key = tuple[str | None, str]


def _key(item: exp.Expr) -> _Key:
    table = item.table.lower() or None if isinstance(item, exp.Column) else None
    return table, item.name.lower()


def _keys(context: Context, items: Iterable[exp.Expr], words: str) -> dict[_Key, exp.Expr]:
    found: dict[_Key, exp.Expr] = {}
    for item in items:
        key = (None, item.alias.lower()) if isinstance(item, exp.Alias) else _key(item)
        if key in found:
            raise context.error(item, f"{words} names {key[1]} twice")
        found[key] = item
    return found


def _seen(
    context: Context, scope: Scope, node: exp.Expr, table: str | None, left_out: Mapping[_Key, exp.Expr]
) -> Sequence[tuple[str, Field | exp.Expr]]:
    """The columns that a star sees, without those that EXCLUDE names with their table; of a struct its fields."""
    if table is not None:
        relation = scope.relation(table)
        found = [] if relation is not None else scope.find(table)
        if len(found) == 1 and found[0][1].dtype.is_struct:
            return [(one.name, exp.column(one.name, table=table)) for one in found[0][1].dtype.fields]
        if relation is None:
            raise context.error(node, f"no table {table} in FROM", hint=near(table, scope.tables()))
        return [
            (column.name, column)
            for column in relation.fields
            if (relation.name.lower(), column.name.lower()) not in left_out
        ]
    for relation in scope.relations:
        twin = next((one for one in scope.relations if one is not relation and _are_twins(relation, one)), None)
        if twin is not None:
            raise context.error(node, f"table name {twin.name} stands twice in FROM", hint="give one an alias")
    hidden = {
        column.symbol
        for relation in scope.relations
        for column in relation.fields
        if (relation.name.lower(), column.name.lower()) in left_out
    }
    return scope.columns(hidden)


def _are_twins(one: Relation, other: Relation) -> bool:
    """Whether two tables are called alike, and a column of each: then no name means it, even one that USING merged."""
    if not one.name or one.name.lower() != other.name.lower() or one.schema != other.schema:
        return False
    return not {column.name.lower() for column in one.fields}.isdisjoint(column.name.lower() for column in other.fields)


def _require(
    context: Context, scope: Scope, table: str | None, items: Mapping[_Key, exp.Expr], names: Collection[str]
) -> None:
    """BindError for a name of EXCLUDE, REPLACE or RENAME that the star does not have."""
    present = {name.lower() for name in names}
    for (relation, name), item in items.items():
        if relation is None:
            if name not in present:
                raise context.error(item, f"* has no column {name}", hint=near(name, names))
            continue
        known = scope.relation(relation)
        if known is None or not known.called(name) or (table is not None and table.lower() != relation):
            raise context.error(item, f"* has no column {relation}.{name}", hint=near(name, names))


def _tables_of(scope: Scope, column: Field) -> list[str]:
    """The tables, in lower case, that have the column; of one that USING merged the first."""
    merged = next((one for one in scope.common.get(column.name.lower(), ()) if one.field.symbol == column.symbol), None)
    symbols = {column.symbol} if merged is None else merged.members
    found = [one.name.lower() for one in scope.relations if any(field.symbol in symbols for field in one.fields)]
    return found if merged is None else found[:1]


def names_where(
    context: Context, names: Sequence[str], ctes: Ctes, condition_of: Callable[[ExprBinder], Expr]
) -> dict[str, bool]:
    """For each of the names whether a condition holds, in which it is the column `name`, and its place from 1 `place`."""
    name, place = context.field(NAME, VARCHAR), context.field(PLACE, BIGINT)
    binder = ExprBinder(context, Scope(None, [Relation("", (name, place))]), ctes, "the choice of columns")
    rows = tuple((Literal(text, VARCHAR), Literal(number, BIGINT)) for number, text in enumerate(names, 1))
    kept = context.field("kept", BOOLEAN)
    plan = Project(Values((name, place), rows), (name, kept), (name.ref, condition(condition_of(binder))))
    return {text: bool(holds) for text, holds in context.computed(plan)}


def some(context: Context, node: exp.Expr, columns: Sequence[Chosen], kept: Mapping[str, bool]) -> list[Chosen]:
    """The columns whose names are kept; BindError where there are none."""
    found = [column for column in columns if kept[column.name]]
    if not found:
        names = ", ".join(column.name for column in columns[:_SHOWN])
        raise context.error(node, "no column has such a name", hint=f"there are {names}")
    return found
