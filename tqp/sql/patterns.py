"""LIKE, GLOB and regular expressions."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.re2 import groups_of
from tqp.functions.structs import pack
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call, cast, choose, negate
from tqp.types import INTEGER, NULL, VARCHAR, list_of, struct

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
    if isinstance(third, exp.Array):
        names, parts = _of_groups(binder, node, third, "regexpextract")
        return choose([call("is_null", binder.bind(node.this))], [Literal(None, NULL)], pack(names, parts))
    group = binder.bind(third)
    if letters is None and group.dtype.is_text:
        return call("regexpextract", *args, Literal(0, INTEGER), group)
    given = [] if letters is None else [binder.bind(letters)]
    if isinstance(group, Literal) and group.is_null:
        # No group at all: '' for every match.
        return call("left", call("regexpextract", *args, Literal(0, INTEGER), *given), Literal(0, INTEGER))
    return call("regexpextract", *args, group, *given)


def _of_groups(binder: ExprBinder, node: exp.Func, third: exp.Array, function: str) -> tuple[list[str], list[Expr]]:
    """The names of fields for the first groups, and what the function gives for each of these."""
    names = [name.name for name in third.expressions]
    pattern, letters = binder.bind(node.expression), node.args.get("parameters")
    if not names or not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        raise BindError("regexp_extract into a struct takes a constant pattern, and a name at least")
    given = [] if letters is None else [binder.bind(letters)]
    if groups_of(pattern.value) < len(names):
        raise BindError(f"{len(names)} names, but the pattern has {groups_of(pattern.value)} groups")
    # Bound anew for each: a subquery may stand but once in a plan.
    parts = [
        call(function, binder.bind(node.this), pattern, Literal(place, INTEGER), *given)
        for place in range(1, len(names) + 1)
    ]
    return names, parts


@handles(exp.RegexpReplace)
def _replace(binder: ExprBinder, node: exp.RegexpReplace) -> Expr:
    letters = node.args.get("modifiers")
    parts = [node.this, node.expression, node.args["replacement"], *([] if letters is None else [letters])]
    args = [binder.bind(part) for part in parts]
    if letters is None and not node.args.get("single_replace"):
        args.append(Literal("g", VARCHAR))
    return call("regexpreplace", *args)


@handles(exp.RegexpExtractAll)
def _extract_all(binder: ExprBinder, node: exp.RegexpExtractAll) -> Expr:
    third = node.args.get("group")
    if isinstance(third, exp.Array):
        names, lists = _of_groups(binder, node, third, "regexp_extract_all")
        found = cast(call("list_zip", *lists), list_of(struct([(name, VARCHAR) for name in names])))
        return choose([call("is_null", binder.bind(node.this))], [Literal(None, found.dtype)], found)
    parts = (node.this, node.expression, third, node.args.get("parameters"))
    args = [binder.bind(part) for part in parts if part is not None]
    if len(args) > 2 and args[2].dtype.is_nested:
        raise binder.context.error(third, "the names of regexp_extract_all are written as a list: ['a', 'b']")
    return call("regexp_extract_all", *args)
