"""LIKE, GLOB and regular expressions."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call, negate
from tqp.types import INTEGER, VARCHAR

__all__: list[str] = []


@handles(exp.Like, exp.ILike)
def _like(binder: ExprBinder, node: exp.Binary) -> Expr:
    return _like_with(binder, node, None)


@handles(exp.Escape)
def _escape(binder: ExprBinder, node: exp.Escape) -> Expr:
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise UnsupportedError("ESCAPE goes with LIKE and ILIKE")
    return _like_with(binder, node.this, node.expression)


def _like_with(binder: ExprBinder, node: exp.Binary, escape: exp.Expr | None) -> Expr:
    if isinstance(node.expression, exp.Any | exp.All):
        raise UnsupportedError("LIKE ANY and LIKE ALL are not supported", hint="write several LIKEs with OR or AND")
    args = [binder.bind(node.this), binder.bind(node.expression)]
    if escape is not None:
        args.append(binder.bind(escape))
    matched = call(node.key, *args)
    return negate(matched) if node.args.get("negate") else matched


@handles(exp.RegexpExtract)
def _extract(binder: ExprBinder, node: exp.RegexpExtract) -> Expr:
    args = [binder.bind(node.this), binder.bind(node.expression)]
    third, letters = node.args.get("group"), node.args.get("parameters")
    if third is None:
        return call("regexpextract", *args)
    group = binder.bind(third)
    if letters is None and group.dtype.is_text:
        return call("regexpextract", *args, Literal(0, INTEGER), group)
    given = [] if letters is None else [binder.bind(letters)]
    if isinstance(group, Literal) and group.is_null:
        # No group at all: '' for every match.
        return call("left", call("regexpextract", *args, Literal(0, INTEGER), *given), Literal(0, INTEGER))
    return call("regexpextract", *args, group, *given)


@handles(exp.RegexpReplace)
def _replace(binder: ExprBinder, node: exp.RegexpReplace) -> Expr:
    letters = node.args.get("modifiers")
    parts = [node.this, node.expression, node.args["replacement"], *([] if letters is None else [letters])]
    args = [binder.bind(part) for part in parts]
    if letters is None and not node.args.get("single_replace"):
        args.append(Literal("g", VARCHAR))
    return call("regexpreplace", *args)


@handles(exp.RegexpExtractAll, exp.RegexpSplit)
def _lists(binder: ExprBinder, node: exp.Func) -> Expr:
    raise UnsupportedError(
        f"{node.sql_name().lower()} gives a list, and lists are not supported", hint="regexp_extract gives one match"
    )
