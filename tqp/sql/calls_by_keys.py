"""Calls of functions that compare values and are no comparisons, where these are compared by a form of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tqp.functions.bind import bind
from tqp.functions.registry import Compared
from tqp.ir.expr import Expr, Literal
from tqp.sql.collations import found_by_keys, has_key, key_of, keys_of
from tqp.types import BIGINT, VARCHAR, VARIANT

__all__ = ["by_keys"]

_DESCENDING: Final = Literal("desc", VARCHAR)
_NULLS_LAST: Final = Literal("nulls last", VARCHAR)


def by_keys(name: str, compared: Compared, args: tuple[Expr, ...]) -> Expr:
    """The call of a function by the keys of what it compares; BindError where that has several collations."""
    if not args or any(arg.dtype == VARIANT for arg in args):
        return bind(name, *args)
    match compared:
        case Compared.ARGUMENTS:
            return bind(name, *map(key_of, args))
        case Compared.TEXTS:
            return bind(name, *keys_of(args))
        case Compared.ELEMENT if len(args) == 2:
            return bind(name, *found_by_keys(*args))
        case Compared.LISTS if all(arg.dtype.is_nested for arg in args):
            return bind(name, *keys_of(args))
    of, *words = args
    if of.dtype.is_nested and has_key(of.dtype):
        match compared:
            case Compared.ORDER:
                return bind(name, key_of(of), *words)
            case Compared.SORTED:
                return _sorted(of, words)
            case Compared.REVERSED:
                return _sorted(of, [_DESCENDING, *(words or [_NULLS_LAST])])
            case Compared.AGGREGATED if len(words) == 1 and isinstance(words[0], Literal):
                return _aggregated(name, of, words[0])
    return bind(name, *args)


def _sorted(of: Expr, words: Sequence[Expr]) -> Expr:
    return bind("list_select", of, bind("list_grade_up", key_of(of), *words))


def _aggregated(name: str, of: Expr, aggregate: Literal) -> Expr:
    """An aggregate of the elements: the least or the greatest is the first of those that are alike."""
    direction = {"min": Literal("asc", VARCHAR), "max": _DESCENDING}.get(str(aggregate.value).lower())
    if direction is None:
        return bind(name, of, aggregate)
    return bind("list_extract", _sorted(of, [direction, _NULLS_LAST]), Literal(1, BIGINT))
