"""Indexes that a table keeps of its columns: some from their first use, others where that is likely to pay.

A *value index* has the rows of each value of a column. It is made once several queries asked for it, as a scan is cheaper for one
that comes alone. Which values there are is kept once a query has found out. *Inverted lists* of a column of vectors are made as a
value index is. All of these, of all tables together, keep within a budget; the least recently used go first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final, Generic, Protocol, TypeVar
from weakref import WeakSet

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, Encoding
from tqp.data.lists import InvertedLists
from tqp.kernels import waits
from tqp.kernels.clusters import Spread
from tqp.kernels.join import CsrLookup, csr_direct
from tqp.kernels.measures import Measure
from tqp.kernels.rows import row_dtype, select
from tqp.locks import Lock

__all__ = ["Answer", "Index", "Indexes", "ValueIndex", "bounds_of"]


class Index(Protocol):
    """A structure over a column by which its rows are found."""

    @property
    def nbytes(self) -> int:
        """Bytes beside those of the column itself."""
        ...


T = TypeVar("T", bound=Index)


def bounds_of(column: Column) -> Bounds | None:
    """The range in which all values of a stored column lie, if each is an integer or a code that stands for one value."""
    if column.encoding not in (Encoding.FLAT, Encoding.CODES) or column.is_constant or column.data.dtype is torch.bool:
        return None
    if column.dictionary is not None and not column.dictionary.is_sorted:
        return None
    return None if column.data.dtype.is_floating_point or not len(column) else column.bounds


@dataclass(frozen=True, slots=True, eq=False)
class ValueIndex:
    """The rows of each value of a column, NULL's aside, as an index of a bounded key has them."""

    lookup: CsrLookup

    @property
    def nbytes(self) -> int:
        """Bytes beside those of the column."""
        order = self.lookup.order
        return self.lookup.starts.nbytes + (0 if order is None else order.nbytes)

    @staticmethod
    def size(column: Column, bounds: Bounds) -> int:
        """The most bytes that one of the column takes."""
        return row_dtype(len(column)).itemsize * (len(column) + bounds[1] - bounds[0] + 3)

    @staticmethod
    def of(column: Column, bounds: Bounds) -> ValueIndex:
        """That of a column within these bounds. Two passes over its rows, by counting (`csr_direct`)."""
        data, rows = column.data, None
        if column.valid is not None:
            rows = select(column.valid)
            data = data.index_select(0, rows)
            rows = rows.to(row_dtype(len(column)))
        return ValueIndex(csr_direct(data, *bounds, rows))

    def ranges(self, slots: Tensor) -> tuple[Tensor, Tensor, int]:
        """(starts (m,), counts (m,), their sum) of values by how far they are from the least; a sync on a GPU."""
        begins = self.lookup.starts.index_select(0, slots)
        counts = self.lookup.starts[1:].index_select(0, slots) - begins
        return begins, counts, waits.number(counts.sum(), "how many rows an index has for some values")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of asking for an index, and why it is there or not."""

    index: ValueIndex | None
    reason: str


@dataclass(slots=True)
class _Kept(Generic[T]):
    index: T
    used: int


_TURNS: Final = count()
_TABLES: Final[WeakSet[Indexes]] = WeakSet()
_ROOM: Final = Lock()
"""For whoever makes a value index, or room for one."""


class Indexes:
    """Those of one table, by column. Safe to use from several threads."""

    def __init__(self) -> None:
        self._made: dict[str, Index] = {}
        self._values: dict[str, _Kept[ValueIndex]] = {}
        self._keys: dict[str, _Kept[Index]] = {}
        self._lists: dict[tuple[str, Measure], _Kept[InvertedLists]] = {}
        self._asks: dict[str | tuple[str, Measure], int] = {}
        self._unlisted: set[tuple[str, Measure]] = set()
        self._listing = Lock()
        """For whoever makes lists, which takes long."""
        with _ROOM:
            _TABLES.add(self)

    def of(self, column: str, make: Callable[[], T]) -> T:
        """What `make` gives, an `Index` of the column, which is made once and stays."""
        found = self._made.get(column)
        if found is None:
            found = make()
            self._made[column] = found
        return found  # type: ignore[return-value]

    def there(self, column: str) -> ValueIndex | None:
        """The value index of the column, if it is there."""
        kept = self._values.get(column)
        if kept is None:
            return None
        kept.used = next(_TURNS)
        return kept.index

    def ask(self, name: str, column: Column, bounds: Bounds, asks: int, budget: int) -> Answer:
        """The value index of the column called `name`, made when queries asked for it `asks` times, within a `budget` of bytes.

        Those least recently used make room, of whatever table.
        """
        index = self.there(name)
        if index is not None:
            return Answer(index, "it is there")
        size = ValueIndex.size(column, bounds)
        if size > budget:
            return Answer(None, f"it would take {size:,} bytes, and {budget:,} are allowed")
        with _ROOM:
            index = self.there(name)
            if index is not None:
                return Answer(index, "it is there")
            self._asks[name] = asked = self._asks.get(name, 0) + 1
            if asked < asks:
                return Answer(None, f"it is made when {asks} queries asked for it, and {asked} did")
            _make_room(budget - size)
            index = ValueIndex.of(column, bounds)
            self._values[name] = _Kept(index, next(_TURNS))
            return Answer(index, f"it was made, as {asked} queries asked for it")

    def lists(
        self, name: str, measure: Measure, column: Column, asks: int, budget: int, at_once: int, spread: Spread
    ) -> tuple[InvertedLists | None, str]:
        """The inverted lists of the column called `name` for a measure, as `ask` has value indexes, and why they are there or not.

        `at_once` and `spread` are for `InvertedLists.of`.
        """
        key = name, measure
        with self._listing:
            kept = self._lists.get(key)
            if kept is not None:
                kept.used = next(_TURNS)
                return kept.index, "they are there"
            size = InvertedLists.size(column)
            if size > budget:
                return None, f"they would take {size:,} bytes, and {budget:,} are allowed"
            if key in self._unlisted:
                return None, "no lists can be made of its vectors"
            self._asks[key] = asked = self._asks.get(key, 0) + 1
            if asked < asks:
                return None, f"they are made when {asks} queries asked for them, and {asked} did"
            made = InvertedLists.of(column, measure, at_once, spread)
            if made is None:
                self._unlisted.add(key)
                return None, "no lists can be made of its vectors"
            with _ROOM:
                _make_room(budget - made.nbytes)
                self._lists[key] = _Kept(made, next(_TURNS))
            return made, "they were made"

    def keys(self, column: str) -> Index | None:
        """What `keep_keys` was given for the column, if it is there."""
        kept = self._keys.get(column)
        if kept is None:
            return None
        kept.used = next(_TURNS)
        return kept.index

    def keep_keys(self, column: str, index: Index, budget: int) -> None:
        """Keep which values the column has, if the `budget` of bytes has room: what a query has made is there for the next one."""
        with _ROOM:
            if column not in self._keys and index.nbytes <= budget:
                _make_room(budget - index.nbytes)
                self._keys[column] = _Kept(index, next(_TURNS))

    def kept(self) -> Iterator[tuple[str, int]]:
        """The columns that have one, and its bytes; a column may come twice."""
        yield from ((column, index.nbytes) for column, index in list(self._made.items()))
        yield from ((column, kept.index.nbytes) for column, kept in list(self._values.items()))
        yield from ((column, one.index.nbytes) for column, one in list(self._keys.items()))
        yield from ((column, lists.index.nbytes) for (column, _), lists in list(self._lists.items()))

    def _lent(self) -> Iterator[tuple[int, int, Callable[[], None]]]:
        """When each of those was used that go where room is needed, its bytes, and how it goes."""
        for column, kept in self._values.items():
            yield kept.used, kept.index.nbytes, partial(self._let_go, column)
        for column, one in self._keys.items():
            yield one.used, one.index.nbytes, partial(self._keys.__delitem__, column)
        for key, lists in self._lists.items():
            yield lists.used, lists.index.nbytes, partial(self._unlist, key)

    def _let_go(self, column: str) -> None:
        # It is asked for anew.
        del self._values[column], self._asks[column]

    def _unlist(self, key: tuple[str, Measure]) -> None:
        del self._lists[key], self._asks[key]


def _make_room(budget: int) -> None:
    """Let go of what was used least recently until the others take no more than `budget` bytes together."""
    kept = [one for table in list(_TABLES) for one in table._lent()]
    total = sum(size for _, size, _ in kept)
    for _, size, let_go in sorted(kept, key=lambda one: one[0]):
        if total <= budget:
            return
        let_go()
        total -= size
