"""Few rows of a recursive query USING KEY at a time, as values of Python: what `keyed.Folded` makes of them, key by key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tqp.functions.aggregates import aggregate_of
from tqp.ir import words
from tqp.ir.expr import AggregateCall, ColumnRef
from tqp.operators.keyed import Fold
from tqp.operators.novelty import Row

__all__ = ["KeyedRows", "ways_of"]

Way = Callable[[Any, Any], Any]
"""From the value of a key so far, and that of another row of it, to the value."""


def _first(old: Any, new: Any) -> Any:
    return old


def _last(old: Any, new: Any) -> Any:
    return new


def ways_of(fold: Fold) -> list[tuple[int, Way]] | None:
    """For each field of a fold the place of the column that it is made of, and how; None where some need more than that.

    Nor of floats as keys: Python tells one NaN from another.
    """
    if any(fold.fields[place].dtype.is_float for place in fold.key):
        return None
    calls = dict(zip([field.symbol for field in fold.plan.fields], fold.plan.aggregates, strict=True))
    ways: list[tuple[int, Way]] = []
    for place, field in enumerate(fold.fields):
        if place in fold.key:
            ways.append((place, _first))
            continue
        call = calls[field.symbol]
        way = _way(call)
        (argument, *others) = call.args or (None,)
        if way is None or others or not isinstance(argument, ColumnRef) or argument.symbol not in fold.symbols:
            return None
        ways.append((fold.symbols.index(argument.symbol), way))
    return ways


def _way(call: AggregateCall) -> Way | None:
    if call.filter is not None or call.order or call.distinct:
        return None
    if call.function == words.LAST:
        return _last
    if call.function == words.FIRST:
        return _first
    largest = aggregate_of(call).extreme
    if largest is None or not all(arg.dtype.is_exact or arg.dtype.is_temporal for arg in call.args):
        return None
    return partial(_extreme, max if largest else min)


def _extreme(choose: Callable[[Any, Any], Any], old: Any, new: Any) -> Any:
    return new if old is None else old if new is None else choose(old, new)


class KeyedRows:
    """The row of each key so far, of which there are `rows`; texts as their codes."""

    def __init__(self, fold: Fold, ways: Sequence[tuple[int, Way]], rows: Sequence[Row]) -> None:
        self._key = fold.key
        self._ways = ways
        self._known = {self._key_of(row): row for row in rows}

    def add(self, found: list[Row]) -> list[Row]:
        """Take the rows of a step; gives those that it made or changed."""
        known, before = self._known, dict[Row, Row | None]()
        for given in found:
            key = self._key_of(given)
            old = known.get(key)
            # In the order of the last rows of each key.
            before[key] = before.pop(key, old)
            values = [given[place] for place, _ in self._ways]
            if old is not None:
                values = [way(one, new) for (_, way), one, new in zip(self._ways, old, values, strict=True)]
            known[key] = tuple(values)
        return [known[key] for key, old in before.items() if old is None or not _are_same(known[key], old)]

    def _key_of(self, row: Row) -> Row:
        return tuple([row[place] for place in self._key])


def _are_same(row: Row, other: Row) -> bool:
    """Whether the values are equal, of which NaN is equal to itself."""
    return row == other or all(one == old or (one != one and old != old) for one, old in zip(row, other, strict=True))
