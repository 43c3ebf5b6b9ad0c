"""Functions of lists that compare elements, where these are compared by a form of them."""

from __future__ import annotations

from typing import Final

from tqp.functions.bind import bind
from tqp.ir.expr import Expr, Literal
from tqp.sql.collations import found_by_keys, has_key, key_of, keys_of
from tqp.types import BIGINT, VARCHAR, VARIANT

__all__ = ["by_keys"]


def _named(*names: str) -> frozenset[str]:
    return frozenset(f"{kind}_{name}" for kind in ("list", "array") for name in names)


_SEARCHES: Final = _named("contains", "has", "position", "indexof")
"""They look for an element."""
_MEETING: Final = _named("has_any", "has_all")
"""They look for the elements of a list in another one."""
_SORTS: Final = _named("sort", "reverse_sort")
_ORDERS: Final = _named("grade_up") | {"grade_up"}
_AGGREGATES: Final = _named("aggregate", "aggr") | {"aggregate"}


def by_keys(name: str, args: tuple[Expr, ...]) -> Expr | None:
    """The call of a function of lists by the keys of elements; None where it compares none, or these are their own keys."""
    if name in _SEARCHES and len(args) == 2:
        return bind(name, *found_by_keys(*args))
    if name in _MEETING and len(args) == 2 and all(arg.dtype.is_nested for arg in args):
        return bind(name, *keys_of(args))
    if not args or args[0].dtype == VARIANT or not args[0].dtype.is_nested or not has_key(args[0].dtype):
        return None
    of, *words = args
    if name in _ORDERS:
        return bind(name, key_of(of), *words)
    if name in _SORTS:
        descending = [Literal("desc", VARCHAR), *(words or [Literal("nulls last", VARCHAR)])]
        return _sorted(of, descending if "reverse" in name else words)
    if name in _AGGREGATES and len(words) == 1:
        return _extreme(of, words[0])
    return None


def _sorted(of: Expr, words: list[Expr]) -> Expr:
    return bind("list_select", of, bind("list_grade_up", key_of(of), *words))


def _extreme(of: Expr, aggregate: Expr) -> Expr | None:
    """The least or the greatest element, the first of those that are alike; None for other aggregates."""
    name = str(aggregate.value).lower() if isinstance(aggregate, Literal) else ""
    if name not in ("min", "max"):
        return None
    words = [Literal("asc" if name == "min" else "desc", VARCHAR), Literal("nulls last", VARCHAR)]
    return bind("list_extract", _sorted(of, [*words]), Literal(1, BIGINT))
