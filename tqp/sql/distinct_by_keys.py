"""Aggregates of DISTINCT values that are compared by a form of them: of the first of those that are alike."""

from __future__ import annotations

from tqp.functions.aggregates import bind_aggregate, find_aggregate
from tqp.functions.aggregates.registry import numbers_of_variants
from tqp.functions.bind import bind
from tqp.ir.expr import AggregateCall, Expr, Literal, SortKey
from tqp.sql.collations import has_key, key_of
from tqp.types import VARCHAR, VARIANT

__all__ = ["listed", "of_listed"]

_LISTS = frozenset({"list", "array_agg"})
_OF_VALUES = frozenset({"count", "entropy", "histogram", "max", "min"})
"""Aggregates that are of the keys, for which equal values count once, or that as in DuckDB tell apart what is alike."""
_TELLING_APART = frozenset({"entropy", "histogram"})
"""Those of them that of variants, which no plan tells apart, are of the list as well."""


def listed(name: str, args: tuple[Expr, ...], keep: Expr | None, order: tuple[SortKey, ...]) -> AggregateCall | None:
    """The list of all values that an aggregate with DISTINCT is of by `of_listed`; None for one that needs no list."""
    if not args or not all(isinstance(arg, Literal) for arg in args[1:]):
        return None
    if name in _OF_VALUES and not (name in _TELLING_APART and args[0].dtype == VARIANT):
        return None
    function = find_aggregate(name)
    if (
        function is None
        or function.is_macro
        or not has_key(args[0].dtype)
        or numbers_of_variants(name, args) is not None
    ):
        return None
    return bind_aggregate("list", (args[0],), filter=keep, order=order)


def of_listed(name: str, values: Expr, others: tuple[Expr, ...]) -> Expr:
    """The aggregate of that name, with its other arguments, of the first ones of a list of values."""
    firsts = bind("list_distinct", values) if name in _TELLING_APART else bind("list_firsts", values, key_of(values))
    return firsts if name in _LISTS else bind("list_aggregate", firsts, Literal(name, VARCHAR), *others)
