"""ROLLUP, CUBE and GROUPING SETS: which groupings they stand for."""

from __future__ import annotations

from itertools import combinations, product
from math import prod

from sqlglot import exp

from tqp.errors import UnsupportedError

__all__ = ["grouping_sets"]

Grouping = tuple[exp.Expr, ...]


def grouping_sets(clause: exp.Expr | None) -> list[Grouping] | None:
    """The key lists that a GROUP BY clause asks for, each a grouping of its own; None for a plain GROUP BY.

    UnsupportedError where there are more than DuckDB takes.
    """
    if clause is None or not any(isinstance(item, _MANY) for item in clause.expressions):
        return None
    count = prod(map(_count, clause.expressions))
    if count > _MOST:
        raise UnsupportedError(f"{count} grouping sets are more than the {_MOST} that may be", hint="write fewer sets")
    choices = [_sets(item) for item in clause.expressions]
    return [tuple(key for part in combined for key in part) for combined in product(*choices)]


_MOST = 65_535
_MANY = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _count(item: exp.Expr) -> int:
    """How many sets an item of GROUP BY stands for."""
    if isinstance(item, exp.Rollup):
        return len(item.expressions) + 1
    if isinstance(item, exp.Cube):
        return int(2 ** len(item.expressions))
    return sum(map(_count, item.expressions)) if isinstance(item, exp.GroupingSets) else 1


def _sets(item: exp.Expr) -> list[Grouping]:
    parts = [_keys(part) for part in item.expressions] if isinstance(item, exp.Rollup | exp.Cube) else []
    if isinstance(item, exp.Rollup):
        return [_joined(parts[:count]) for count in range(len(parts), -1, -1)]
    if isinstance(item, exp.Cube):
        sizes = range(len(parts), -1, -1)
        return [_joined(list(chosen)) for size in sizes for chosen in combinations(parts, size)]
    if isinstance(item, exp.GroupingSets):
        return [grouping for part in item.expressions for grouping in _sets(part)]
    return [_keys(item)]


def _keys(item: exp.Expr) -> Grouping:
    if isinstance(item, exp.Tuple):
        return tuple(item.expressions)
    return _keys(item.this) if isinstance(item, exp.Paren) else (item,)


def _joined(parts: list[Grouping]) -> Grouping:
    return tuple(key for part in parts for key in part)
