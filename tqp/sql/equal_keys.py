"""Keys of grouping sets that have equal values, and yet are keys of their own: one may be absent where the other is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from sqlglot import exp

from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.plan import Field, Plan, Project
from tqp.ir.symbols import canonical
from tqp.ir.visit import subplans, walk
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.types import INTEGER

__all__ = ["Apart", "Key", "placed", "told_apart"]


@dataclass(frozen=True)
class Key:
    """A key as it is written and what it means; the place of the output column that it names, and the alias, if it is one."""

    node: exp.Expr
    expr: Expr
    name: str
    item: int | None
    alias: str | None


@dataclass(frozen=True)
class Apart:
    """Columns of the input that hold keys of equal values each by itself, and what means these keys alone.

    `items` are output columns by their places, `names` aliases.
    """

    columns: list[tuple[Field, Expr]] = field(default_factory=list)
    items: dict[int, ColumnRef] = field(default_factory=dict)
    names: dict[str, ColumnRef] = field(default_factory=dict)

    def meant(self, output: Expr) -> Expr:
        """The expression that an output column was written as, also where it is one of these columns."""
        return next((expr for column, expr in self.columns if column.ref == output), output)

    def over(self, plan: Plan) -> Plan:
        """The input with these columns."""
        if not self.columns:
            return plan
        added, exprs = zip(*self.columns, strict=True)
        return Project(plan, (*plan.schema, *added), (*(column.ref for column in plan.schema), *exprs))


_NO_KEY: Final = Literal(0, INTEGER)


def placed(binder: ExprBinder, keys: list[Key], key: Key) -> int:
    """The place among `keys` of a key, which is added unless it is there: in the same words with the same meaning."""
    form = _form(key.expr)
    for place, other in enumerate(keys):
        _ask(key.expr, other.expr)
        if _form(other.expr) == form and _same_words(binder, other.node, key.node):
            return place
    if key.item is not None and key.item in {other.item for other in keys}:
        # An output column stands for one key; named again in other words it adds a key of one value.
        key = replace(key, expr=_NO_KEY, item=None, alias=None)
    keys.append(key)
    return len(keys) - 1


def told_apart(context: Context, keys: list[Key]) -> tuple[list[tuple[Expr, str]], Apart]:
    """The keys with their names, no two of them equal.

    Of equal ones all but the last become columns of the input; the last is what their expression means elsewhere.
    """
    last = {_form(key.expr): key for key in keys}
    apart = Apart()
    named: list[tuple[Expr, str]] = []
    for key in keys:
        if last[_form(key.expr)] is key and key.expr is not _NO_KEY:
            named.append((key.expr, key.name))
            continue
        column = context.field(key.name, key.expr.dtype)
        apart.columns.append((column, key.expr))
        named.append((column.ref, key.name))
        if key.item is not None:
            apart.items[key.item] = column.ref
        if key.alias is not None:
            apart.names[key.alias] = column.ref
    return named, apart


def _form(expr: Expr) -> object:
    """What equal keys have in common; a subquery is bound anew where it is written again."""
    return canonical(expr) if any(True for _ in subplans(expr)) else expr


def _kind(node: Expr) -> type[Expr]:
    return Literal if isinstance(node, Literal) else type(node)


def _ask(one: Expr, other: Expr) -> None:
    """Ask whether constants tell two keys apart: by the hashes alone, an input would not learn that a literal that is none does."""
    nodes = list(walk(one)), list(walk(other))
    if [_kind(node) for node in nodes[0]] != [_kind(node) for node in nodes[1]]:
        return
    for mine, its in zip(*nodes, strict=True):
        if mine.is_input != its.is_input and (mine if mine.is_input else its) != (its if mine.is_input else mine):
            return


def _same_words(binder: ExprBinder, one: exp.Expr, other: exp.Expr) -> bool:
    """Whether two keys that mean the same are written alike, except for case and parentheses."""
    one, other = one.unnest(), other.unnest()
    if type(one) is not type(other):
        return False
    if isinstance(one, exp.Literal):
        # The type of digits with an exponent does not tell them apart, and they are no input.
        exact = one.is_string or "e" not in f"{one.this}{other.this}".lower() or one.this == other.this
        return exact and binder.bind(one) == binder.bind(other)
    if isinstance(one, exp.Identifier):
        return bool(one.name.lower() == other.name.lower())
    if isinstance(one, exp.Placeholder) and not one.name:
        return False
    mine, others = list(_parts(one)), list(_parts(other))
    return len(mine) == len(others) and all(
        name == its_name
        and (
            _same_words(binder, part, its)
            if isinstance(part, exp.Expr) and isinstance(its, exp.Expr)
            else bool(part == its)
        )
        for (name, part), (its_name, its) in zip(mine, others, strict=True)
    )


def _parts(node: exp.Expr) -> Iterable[tuple[str, object]]:
    """The arguments of a node that are given, with their names."""
    lists = ([(name, one) for one in (part if isinstance(part, list) else [part])] for name, part in node.args.items())
    return ((name, part) for name, part in chain.from_iterable(lists) if part is not None and part is not False)
