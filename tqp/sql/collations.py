"""COLLATE: text that is compared, ordered and grouped by a form of it, in small letters, without accents or composed; and VARIANT,
which is always compared by such a form: bytes that are equal, and in the order, as its values are.

A collation is a thing of binding alone: a call marks an expression with one, what compares takes the keys of what is marked
(`collation_key`), and the marks are gone from the plan (`without_collations`). As no column keeps one, a query in FROM, or beside
another one, may not give what is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.bind import bind, coerce
from tqp.ir.expr import Call, Case, Cast, Expr, Literal, SortKey
from tqp.ir.plan import Plan, Shared
from tqp.ir.visit import definitions, expressions, postorder, rewrite_query, walk, walk_query
from tqp.sql.context import Context
from tqp.types import VARCHAR, VARIANT, Kind

__all__ = [
    "aggregated", "collated", "collation_key", "collation_of", "keys_of", "like", "looks_for_text", "name_of",
    "sort_key_of", "without_collations",
]  # fmt: skip

_MARK: Final = "collated"
"""The call that marks text with a collation, its second argument."""
_STEPS: Final = {
    "nocase": "lower",
    "noaccent": "strip_accents",
    "nfc": "nfc_normalize",
    "icu_noaccent": "strip_accents",
}
"""What each part of a collation makes of text before it is compared."""
_BINARY: Final = ("binary", "c", "posix")
"""Those that compare text as it stands."""
_OF_VARIANT: Final = "variant_comparator"
"""What stands for the collation of a VARIANT: the function that gives its form."""
_EXTREMES: Final = {"min": "arg_min", "max": "arg_max"}
_BY_KEY: Final = ("arg_min", "arg_max", "argmin", "argmax", "min_by", "max_by")
"""How the names of aggregates begin that give a value by the least or greatest of others."""
_UNORDERED: Final = frozenset(
    ("any_value", "arbitrary", "first", "first_value", "lag", "last", "last_value", "lead", "string_agg")
)
"""Aggregates and window functions that compare no values."""
_COLLECTING: Final = _UNORDERED | {
    "array_agg", "json_group_array", "json_group_object", "list", "variant_group_array", "variant_group_object",
}  # fmt: skip
"""Those that compare no VARIANT; of text with a collation these would be lists that had to keep it."""
_SEARCHES: Final = frozenset(
    ("contains", "glob", "ilike", "in", "like", "starts_with", "startswith", "strpos", "strposition")
)


def name_of(node: exp.Expr) -> str:
    """The collation that COLLATE names, its parts in small letters; BindError for one that DuckDB has not either."""
    parts = [part.name for part in node.parts] if isinstance(node, exp.Column) else [node.name]
    name = ".".join(parts).lower()
    for part in name.split("."):
        if part not in _STEPS and not (part in _BINARY and part == name):
            hint = f"those supported are {', '.join(part.upper() for part in _STEPS)}, put together with points, and C"
            raise UnsupportedError(f"collation {part} is not supported", hint=hint)
    return name


def collated(expr: Expr, name: str) -> Expr:
    """Text marked with a collation, instead of what it is marked with."""
    if expr.dtype != VARCHAR:
        raise BindError("COLLATE takes VARCHAR", hint="cast it")
    return Call(_MARK, (expr, Literal(name, VARCHAR)), VARCHAR)


def collation_of(expr: Expr) -> str:
    """The collation of text: that which it is marked with, or which some part of it is made of; "" of none. A VARIANT has one."""
    if expr.dtype == VARIANT:
        return _OF_VARIANT
    if expr.dtype.kind is not Kind.VARCHAR:
        return ""
    known: str | None = expr.__dict__.get("_collation")
    if known is None:
        for node in postorder(expr):
            if "_collation" not in node.__dict__:
                object.__setattr__(node, "_collation", _own(node))
        known = expr.__dict__["_collation"]
    return known


def _own(node: Expr) -> str:
    """As `collation_of`, where that of all parts is known."""
    if isinstance(node, Call) and node.function == _MARK:
        name = node.args[1]
        assert isinstance(name, Literal)
        return str(name.value)
    if node.dtype.kind is not Kind.VARCHAR or not isinstance(node, Call | Cast | Case):
        return ""
    parts = (*node.values, node.default) if isinstance(node, Case) else node.children
    return _one([part.__dict__["_collation"] for part in parts])


def _one(names: Sequence[str]) -> str:
    found = [name for name in dict.fromkeys(names) if name]
    if len(found) > 1:
        raise BindError(f"text has collation {found[0]} here and {found[1]} there", hint="write COLLATE once")
    return found[0] if found else ""


def like(expr: Expr, parts: Sequence[Expr]) -> Expr:
    """Text with the collation of what it was made of; BindError where that has several."""
    name = _one([collation_of(part) for part in parts if part.dtype != VARIANT])
    return collated(expr, name) if name and expr.dtype.kind is Kind.VARCHAR else expr


def looks_for_text(name: str) -> bool:
    """Whether a function that is no comparison looks for one text in another by their keys."""
    return name in _SEARCHES


def collation_key(expr: Expr, name: str) -> Expr:
    """What an expression is compared by under a collation; itself where that is none, or it is no text and no VARIANT."""
    if expr.dtype == VARIANT:
        return bind(_OF_VARIANT, expr)
    if expr.dtype.kind is not Kind.VARCHAR or not name or name in _BINARY:
        return expr
    for part in dict.fromkeys(name.split(".")):
        expr = bind(_STEPS[part], expr)
    return expr


def keys_of(exprs: Sequence[Expr]) -> tuple[Expr, ...]:
    """What expressions that meet are compared by, all as VARIANT where one is; BindError where they have several collations."""
    if any(expr.dtype == VARIANT for expr in exprs):
        return tuple([collation_key(coerce(expr, VARIANT), _OF_VARIANT) for expr in exprs])
    name = _one([collation_of(expr) for expr in exprs])
    return tuple([collation_key(expr, name) for expr in exprs]) if name else tuple(exprs)


def sort_key_of(key: SortKey) -> SortKey:
    """The key by the collation of what is sorted by."""
    name = collation_of(key.expr)
    return replace(key, expr=collation_key(key.expr, name)) if name else key


def aggregated(name: str, args: Sequence[Expr], distinct: bool) -> tuple[str, tuple[Expr, ...]]:
    """The aggregate, and of what, that an aggregate of a VARIANT or of text with a collation is; UnsupportedError where that is
    none here."""
    if any(arg.dtype == VARIANT for arg in args):
        return _of_variant(name, tuple(args), distinct)
    collation = _one([collation_of(arg) for arg in args])
    if not collation:
        return name, tuple(args)
    if name in _EXTREMES and len(args) == 1:
        return _EXTREMES[name], (args[0], collation_key(args[0], collation))
    if name == "count":
        return name, tuple([collation_key(arg, collation) for arg in args]) if distinct else tuple(args)
    if name.startswith(_BY_KEY) and not distinct:
        # The first is shown, by the second it is found.
        return name, (args[0], *[collation_key(arg, collation) for arg in args[1:]])
    if distinct or name not in _UNORDERED:
        raise UnsupportedError(f"{name} of text with a collation is not supported", hint="COLLATE what it gives")
    return name, tuple(args)


def _of_variant(name: str, args: tuple[Expr, ...], distinct: bool) -> tuple[str, tuple[Expr, ...]]:
    first, *rest = args
    if name in _EXTREMES and not rest:
        return _EXTREMES[name], (first, collation_key(first, _OF_VARIANT))
    if name == "count" and distinct:
        return name, tuple([collation_key(arg, _OF_VARIANT) for arg in args])
    if name.startswith(_BY_KEY):
        # Of the first the value is shown, by the others it is found.
        return name, (first, *[collation_key(arg, _OF_VARIANT) for arg in rest])
    if distinct or name != "count" and name not in _COLLECTING:
        raise UnsupportedError(
            f"{name} of VARIANT is not supported", hint="cast it to the type that it has: v::INTEGER"
        )
    return name, args


def without_collations(context: Context, plan: Plan) -> Plan:
    """The plan without the marks; UnsupportedError where a column of a query within it, or a nested value, had to keep one."""
    if context.collations.keys() - {column.symbol for column in plan.schema}:
        hint = "COLLATE where it is compared, ordered or grouped by"
        raise UnsupportedError(
            "a query within another one that gives text with a collation is not supported", hint=hint
        )
    if not context.collates:
        return plan
    known: dict[int, Plan] = {}

    def bare(node: Plan) -> Plan | None:
        return replace(node, definition=known[id(node.definition)]) if isinstance(node, Shared) else None

    trees = (*definitions(plan), plan)
    for expr in (expr for tree in trees for node in walk_query(tree) for expr in expressions(node)):
        _check_nested(expr)
    for tree in trees:
        known[id(tree)] = rewrite_query(tree, bare, within=_unmarked)
    return known[id(plan)]


def _check_nested(expr: Expr) -> None:
    for node in walk(expr):
        if node.dtype.is_nested and any(collation_of(child) for child in node.children if child.dtype != VARIANT):
            raise UnsupportedError(
                "text with a collation in lists, structs and maps is not supported", hint="COLLATE what is taken out"
            )


def _unmarked(node: Expr) -> Expr | None:
    return node.args[0] if isinstance(node, Call) and node.function == _MARK else None
