"""COLUMNS(…): the expression around it, for each of the columns that it chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from tqp.ir.expr import Expr, Literal
from tqp.sql.arrows import require_lambda
from tqp.sql.context import Context, near
from tqp.sql.dialect import called
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call, cast
from tqp.sql.scope import Cte, Scope
from tqp.sql.stand_ins import SPREAD
from tqp.sql.stars import NAME, PLACE, Chosen, columns_of, names_where, of_root, some, star_in
from tqp.sql.unread import discard
from tqp.types import INTEGER, VARCHAR

__all__ = ["Copy", "conditions", "copies", "holds_columns", "is_all", "sort_targets", "with_filters"]

Ctes = Mapping[str, Cte]
_BACKSLASHED: Final = re.compile(r"\\(.?)", re.DOTALL)
_UNPACK: Final = "UNPACK"


@dataclass(frozen=True)
class Copy:
    """An expression for one column of its COLUMNS(…), or for all of them between the arguments of a call.

    `pattern` is the regular expression that chose the column.
    """

    node: exp.Expr
    column: Chosen | None = None
    pattern: str | None = None

    def name(self) -> str:
        """What the output is called without an alias; nothing where that is the text of the expression."""
        return "" if self.column is None or isinstance(self.column.source, exp.Expr) else self.column.name

    def alias(self, context: Context, node: exp.Expr, written: str) -> str:
        r"""The alias as it is written except for `\0`, the name of the column, and `\1`, a group of the regular expression."""
        column = self.column
        if column is None:
            return written

        def part(match: re.Match[str]) -> str:
            code = match[1]
            if code == "\\":
                return code
            if not code.isascii() or not code.isdigit():
                raise context.error(
                    node, rf"the alias {written} has a \ before what is no digit", hint=r"write \\ for it"
                )
            if code == "0":
                return column.name
            if self.pattern is None:
                raise context.error(node, f"the alias {written} asks for a group, but there is no regular expression")
            args = (Literal(column.name, VARCHAR), Literal(self.pattern, VARCHAR), Literal(int(code), INTEGER))
            return str(context.value(node, call("regexpextract", *args)))

        return _BACKSLASHED.sub(part, written) or column.name


def holds_columns(node: exp.Expr) -> bool:
    """Whether COLUMNS(…) stands in the expression, subqueries aside."""
    # To look for one anywhere is a fraction of the cost of looking for it where it counts.
    return _has_columns(node) and next(_columns_in(node), None) is not None


def _has_columns(node: exp.Expr) -> bool:
    """Whether COLUMNS(…) stands anywhere in it; each expression of a query is asked, and none of it counts as read."""
    pending: list[Any] = [node]
    while pending:
        one = pending.pop()
        if type(one) is list:
            pending += one
        elif isinstance(one, exp.Expr):
            if isinstance(one, exp.Columns):
                return True
            pending += one.args.values()
    return False


def copies(context: Context, scope: Scope, ctes: Ctes, node: exp.Expr) -> list[Copy]:
    """The expression, which holds COLUMNS(…), for each of its columns; BindError where it holds several that differ."""
    first, *others = _columns_in(node)
    for other in others:
        if other != first:
            raise context.error(other, "one expression takes the same COLUMNS(…) only")
        discard(other)
    chosen, pattern = _chosen(context, scope, ctes, first)
    if not _is_unpacked(first):
        if not chosen:
            discard(node)
        return [Copy(_with_column(node, column), column, pattern) for column in chosen]
    if not chosen:
        raise context.error(first, "*COLUMNS(…) leaves no columns")
    whole = exp.Paren(this=node.copy())
    for part in list(_columns_in(whole)):
        _unpack(context, part, chosen)
    return [Copy(whole.this)]


def conditions(context: Context, scope: Scope, ctes: Ctes, node: exp.Expr) -> list[exp.Expr]:
    """The parts of a WHERE that must all be true: those with COLUMNS(…) for each of its columns."""
    if not holds_columns(node):
        return [node]
    inner = node.unnest()
    if isinstance(inner, exp.And):
        return [part for side in (inner.this, inner.expression) for part in conditions(context, scope, ctes, side)]
    found = [copy.node for copy in copies(context, scope, ctes, node)]
    if not found:
        raise context.error(node, "COLUMNS(…) leaves no columns")
    return found


def sort_targets(context: Context, scope: Scope, ctes: Ctes, node: exp.Expr) -> list[exp.Expr]:
    """What an item of ORDER BY or DISTINCT ON sorts by: a * or COLUMNS(…) as its columns."""
    chosen = of_root(context, scope, ctes, node)
    if chosen is not None:
        return [column.node() for column in chosen]
    return [copy.node for copy in copies(context, scope, ctes, node)] if holds_columns(node) else [node]


def is_all(node: exp.Expr) -> bool:
    """Whether it is the * that GROUP BY and ORDER BY take for ALL."""
    inner = node.this if isinstance(node, exp.Columns) and not node.args.get("unpack") else node
    return isinstance(inner, exp.Star) and not any(inner.args.values())


def with_filters(context: Context, scope: Scope, ctes: Ctes, node: exp.Expr) -> exp.Expr:
    """The expression, each of whose FILTERs holds for all columns of its COLUMNS(…)."""
    if not _has_columns(node) or not any(holds_columns(part.this) for part in node.find_all(exp.Where)):
        return node
    whole = exp.Paren(this=node.copy())
    for part in list(whole.walk(prune=lambda part: isinstance(part, exp.Query))):
        if isinstance(part, exp.Where) and holds_columns(part.this):
            part.set("this", exp.and_(*conditions(context, scope, ctes, part.this), copy=False))
    inner: exp.Expr = whole.this
    return inner


@handles(exp.Columns)
def _not_here(binder: ExprBinder, node: exp.Columns) -> Expr:
    raise binder.context.error(node, f"COLUMNS(…) is not allowed in {binder.clause}")


def _columns_in(node: exp.Expr) -> Iterator[exp.Columns]:
    """The outermost COLUMNS(…) of an expression; those in a FILTER are conditions."""
    for part in node.walk(prune=lambda part: isinstance(part, exp.Query | exp.Columns | exp.Where)):
        if isinstance(part, exp.Columns):
            yield part


def _is_unpacked(node: exp.Columns) -> bool:
    return bool(node.args.get("unpack")) or _is_unpack_call(node.parent)


def _is_unpack_call(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == _UNPACK and len(node.expressions) == 1


def _with_column(node: exp.Expr, column: Chosen) -> exp.Expr:
    if isinstance(node, exp.Columns):
        return column.node()
    made = node.copy()
    for part in list(_columns_in(made)):
        part.replace(column.node())
    return made


def _unpack(context: Context, node: exp.Columns, columns: list[Chosen]) -> None:
    """Put the columns in the place of `*COLUMNS(…)`, which is one of the arguments of a call, a list or a row."""
    star: exp.Expr = node.parent if _is_unpack_call(node.parent) else node  # type: ignore[assignment]
    around = star.parent
    if not isinstance(around, exp.Func | exp.In | exp.Array | exp.Tuple | exp.Distinct):
        raise context.error(node, "*COLUMNS(…) goes between the arguments of a function", hint="write COLUMNS(…)")
    made = [column.node() for column in columns]
    if isinstance(around, exp.Anonymous) and around.name.startswith(SPREAD):
        around.replace(_call_of(context, around, made))
        return
    if star.arg_key == "expressions":
        around.set("expressions", [new for old in around.expressions for new in (made if old is star else [old])])
        return
    places = [name for name in around.arg_types if isinstance(around.args.get(name), exp.Expr | list)]
    written: list[exp.Expr] = []
    for name in places:
        value = around.args[name]
        written += value if isinstance(value, list) else [value]
    given = [new for old in written for new in (made if old is star else [old])]
    spread = type(around).from_arg_list(given).args  # type: ignore[union-attr]
    for name in dict.fromkeys([*places, *spread]):
        around.set(name, spread.get(name))


def _call_of(context: Context, node: exp.Anonymous, args: list[exp.Expr]) -> exp.Expr:
    """The call of the function that a stand-in is for; BindError where the parser has it not with so many arguments."""
    name, _ = node.name.removeprefix(SPREAD), node.expressions
    made = called(name, args)
    if made is None:
        raise context.error(node, f"{name.lower()} does not take {len(args)} arguments")
    if node._meta:
        made.meta.update(node._meta)
    return made


def _chosen(context: Context, scope: Scope, ctes: Ctes, node: exp.Columns) -> tuple[list[Chosen], str | None]:
    """The columns, and the regular expression that they were chosen by."""
    choice = node.this
    if choice.find(exp.Columns) is not None:
        raise context.error(choice, "COLUMNS(…) is not allowed in another one")
    star, table = star_in(choice)
    if star is not None and isinstance(choice, exp.Star | exp.Column):
        return columns_of(context, scope, star, choice, table), None
    columns = [Chosen(name, name, column) for name, column in scope.columns()]
    names = [column.name for column in columns]
    if not columns:
        raise context.error(node, "COLUMNS(…) needs a FROM")
    if isinstance(choice, exp.Lambda):
        test = _of_lambda(context, choice)
        return some(context, node, columns, names_where(context, names, ctes, lambda binder: binder.bind(test))), None
    binder = ExprBinder(context, Scope(), ctes, "COLUMNS(…)")
    if isinstance(choice, exp.Array) and choice.expressions:
        wanted = {_text(context, binder, item).lower(): item for item in choice.expressions}
        for name, item in wanted.items():
            if name not in map(str.lower, names):
                raise context.error(item, f"no column {name}", hint=near(name, names))
        return [column for column in columns if column.name.lower() in wanted], None
    pattern = _text(context, binder, choice)
    kept = names_where(
        context,
        names,
        ctes,
        lambda binder: call("regexplike", binder.bind(exp.column(NAME)), Literal(pattern, VARCHAR)),
    )
    return some(context, node, columns, kept), pattern


def _text(context: Context, binder: ExprBinder, node: exp.Expr) -> str:
    """The text that a constant expression is."""
    value = binder.bind(node)
    found = None
    if value.dtype.is_text:
        found = value.value if isinstance(value, Literal) else context.value(node, cast(value, VARCHAR))
    if not isinstance(found, str):
        raise context.error(node, "COLUMNS takes a regular expression, a list of names, a * or a lambda of the name")
    return found


def _of_lambda(context: Context, node: exp.Lambda) -> exp.Expr:
    """The condition that a lambda says of a column's name, and of its place."""
    require_lambda(context, node, "COLUMNS(lambda name: …)")
    parameters = [item.name.lower() for item in node.expressions]
    if len(parameters) > 2:
        raise context.error(node, "the lambda of COLUMNS takes a name, and maybe a place")
    meant = dict(zip(parameters, (NAME, PLACE), strict=False))
    whole = exp.Paren(this=node.this.copy())
    for part in list(whole.find_all(exp.Identifier)):
        column = part.parent if isinstance(part.parent, exp.Column) else part
        if isinstance(column, exp.Column) and (column.table or isinstance(column.this, exp.Star)):
            continue
        if part.name.lower() in meant:
            column.replace(exp.column(meant[part.name.lower()]))
        elif column.arg_key not in ("alias", "to"):
            raise context.error(part, f"no column {part.name} here", hint="the lambda of COLUMNS sees names alone")
    inner: exp.Expr = whole.this
    return inner
