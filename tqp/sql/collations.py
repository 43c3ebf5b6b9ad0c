"""What is compared by a form of it: text with a collation (`tqp.functions.collations`), and VARIANT, by bytes that are equal, and
in the order, as its values are.

What compares takes the keys of what it compares (`keys_of`, `key_of`), so that the plan knows nothing of collations. They are
a part of the types that columns and expressions have, or the session's where these have none (`by_default`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.errors import BindError
from tqp.functions.aggregates.registry import numbers_of_variants
from tqp.functions.bind import bind, coerce
from tqp.functions.collations import common, form, has_form, name_of, with_default
from tqp.functions.promotion import common_type, forced_type
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal, SortKey
from tqp.ir.inputs import derived
from tqp.ir.plan import Plan, Shared
from tqp.ir.visit import definitions, rewrite_query
from tqp.types import VARCHAR, VARIANT, DType, Kind, list_of

__all__ = [
    "aggregated", "by_default", "collated", "collation_of", "found_by_keys", "has_key", "key_of", "keys_of", "sort_key_of",
    "typed", "without_marks",
]  # fmt: skip

_MARK: Final = "collated"
"""The call that COLLATE is until all is bound, its second argument the collation: it is not the expression that it marks."""
_OF_VARIANT: Final = "variant_comparator"
"""The function that gives the form of a VARIANT."""
_EXTREMES: Final = {"min": "arg_min", "max": "arg_max"}
_BY_KEY: Final = ("arg_min", "arg_max", "argmin", "argmax", "min_by", "max_by")
"""How the names of aggregates begin that give a value by the least or greatest of others."""

_DEFAULT: Final[ContextVar[str]] = ContextVar("default collation", default="")


@contextmanager
def by_default(name: str) -> Iterator[None]:
    """Text that has no collation is compared by the one of that name, "" for none."""
    before = _DEFAULT.set(name)
    try:
        yield
    finally:
        _DEFAULT.reset(before)


def collation_of(node: exp.Expr) -> str:
    """The collation that COLLATE names; UnsupportedError for one that there is not."""
    parts = [part.name for part in node.parts] if isinstance(node, exp.Column) else [node.name]
    return name_of(".".join(parts))


def collated(expr: Expr, name: str) -> Expr:
    """Text with a collation, instead of what it has."""
    if expr.dtype != VARCHAR:
        raise BindError("COLLATE takes VARCHAR", hint="cast it")
    return Call(_MARK, (expr, Literal(name, VARCHAR)), DType(Kind.VARCHAR, collation=name))


def typed(expr: Expr, dtype: DType) -> Expr:
    """The expression with a type that is its own but for collations."""
    if not dtype.is_collated:
        return expr
    if isinstance(expr, Literal) and dtype.collation:
        return derived(_literal, expr, rest=(dtype.collation,)) or expr
    return replace(expr, type=dtype) if isinstance(expr, Call | Cast | ColumnRef) else Cast(expr, dtype)


def _literal(literal: Literal, collation: str) -> Literal:
    return Literal(literal.value, DType(Kind.VARCHAR, collation=collation), literal.typed)


def _of(dtype: DType) -> DType:
    """The type with the collation that it has by default."""
    default = _DEFAULT.get()
    return with_default(dtype, default) if default else dtype


def has_key(dtype: DType) -> bool:
    """Whether values of the type are compared by something else than themselves."""
    return dtype == VARIANT or has_form(_of(dtype))


def key_of(expr: Expr) -> Expr:
    """What an expression is compared by."""
    return bind(_OF_VARIANT, expr) if expr.dtype == VARIANT else form(expr, _of(expr.dtype))


def keys_of(exprs: Sequence[Expr]) -> tuple[Expr, ...]:
    """What expressions that meet are compared by, all as VARIANT where one is; BindError where they have several collations."""
    if any(expr.dtype == VARIANT for expr in exprs):
        return tuple([bind(_OF_VARIANT, coerce(expr, VARIANT)) for expr in exprs])
    if not (_DEFAULT.get() or any(expr.dtype.is_collated for expr in exprs)):
        return tuple(exprs)
    if any(expr.dtype.is_nested for expr in exprs):
        dtype = _of(forced_type(*(expr.dtype for expr in exprs)))
        return tuple([form(coerce(expr, dtype), dtype) for expr in exprs]) if has_form(dtype) else tuple(exprs)
    name = common([expr.dtype for expr in exprs]) or _DEFAULT.get()
    # Text is compared as what else it meets; an ENUM that meets text which is no constant is text.
    if any(expr.dtype.kind not in (Kind.VARCHAR, Kind.ENUM, Kind.NULL) for expr in exprs):
        return tuple(exprs)
    if all(is_text_literal(expr) for expr in exprs if expr.dtype == VARCHAR) and any(
        expr.dtype.kind is Kind.ENUM for expr in exprs
    ):
        return tuple(exprs)
    dtype = DType(Kind.VARCHAR, collation=name)
    return tuple([expr if expr.dtype.kind is Kind.NULL else form(coerce(expr, VARCHAR), dtype) for expr in exprs])


def found_by_keys(of: Expr, value: Expr) -> tuple[Expr, Expr]:
    """A list and a value that is looked for in it, as what they are compared by."""
    element = of.dtype.element
    if element is None or not (_DEFAULT.get() or of.dtype.is_collated or value.dtype.is_collated):
        return of, value
    dtype = common_type(element, value.dtype)
    if dtype is None or not has_form(_of(dtype)):
        return of, value
    common([element, value.dtype])
    of, value = coerce(of, list_of(dtype)), coerce(value, dtype)
    return form(of, list_of(_of(dtype))), form(value, _of(dtype))


def sort_key_of(key: SortKey) -> SortKey:
    """The key by the collation of what is sorted by."""
    return replace(key, expr=key_of(key.expr)) if has_key(key.expr.dtype) else key


def aggregated(name: str, args: Sequence[Expr], distinct: bool) -> tuple[str, tuple[Expr, ...]]:
    """The aggregate, and of what, that an aggregate of a VARIANT or of text with a collation is."""
    if not args or not any(has_key(arg.dtype) for arg in args):
        return name, tuple(args)
    first, *rest = args
    if name in _EXTREMES and len(rest) <= 1:
        return _EXTREMES[name], (first, key_of(first), *rest)
    if name == "count" and distinct:
        return name, tuple(map(key_of, args))
    if name.startswith(_BY_KEY):
        # The first is shown, by the others it is found.
        return name, (first, *map(key_of, rest))
    return name, numbers_of_variants(name, tuple(args)) or tuple(args)


def without_marks(plan: Plan) -> Plan:
    """The plan without the calls that COLLATE was."""
    known: dict[int, Plan] = {}

    def bare(node: Plan) -> Plan | None:
        return replace(node, definition=known[id(node.definition)]) if isinstance(node, Shared) else None

    for tree in (*definitions(plan), plan):
        known[id(tree)] = rewrite_query(tree, bare, within=_unmarked)
    return known[id(plan)]


def _unmarked(node: Expr) -> Expr | None:
    return node.args[0] if isinstance(node, Call) and node.function == _MARK else None
