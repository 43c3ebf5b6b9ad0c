"""How far behind a row of a top-n query may lie: a bound of its first key, which all workers share."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.ir.expr import SortKey
from tqp.kernels import rows, sort, waits
from tqp.locks import Lock
from tqp.operators.keys import order_keys

__all__ = ["FirstKeyBound"]

_BOUND = "what bounds the candidates"


@dataclass(frozen=True, slots=True)
class _Bound:
    """A value that `wanted` rows do not lie behind; codes of a text mean something in their dictionary alone."""

    value: int | float
    dictionary: Dictionary | None


class FirstKeyBound:
    """Leaves out rows that `wanted` rows come before by `key`. Safe between threads.

    The first rows of a sample bound those of a batch; what was the best of one batch bounds the next ones. Compares values as they
    lie in memory, so that no key is made of rows that are left out; wide numbers, intervals, arrays and truth values have no bound.
    """

    def __init__(self, key: SortKey, wanted: int) -> None:
        self._key = key
        self._wanted = wanted
        self._lock = Lock()
        self._bound: _Bound | None = None

    def candidates(self, column: Column) -> Tensor | None:
        """Ascending rows (m,) int64 of the key's column (n,) that may be among the first; None: all may."""
        column = column.ranked()
        if not _is_plain(column):
            return None
        bound = self._bound
        if bound is None or bound.dictionary is not column.dictionary:
            bound = self._of_sample(column)
        if bound is None:
            return None
        key = self._key
        return rows.select(sort.not_behind(column.data, column.valid, bound.value, key.descending, key.nulls_first))

    def learn(self, column: Column) -> None:
        """Take note of the key of `wanted` rows, in order: of the last one."""
        column = column.ranked()
        if len(column) < self._wanted or not _is_plain(column):
            return
        found = _value(column.slice(self._wanted - 1, self._wanted))
        if found is None:
            return
        with self._lock:
            known = self._bound
            if known is None or known.dictionary is not found.dictionary or self._is_before(found, known):
                self._bound = found

    def _is_before(self, one: _Bound, other: _Bound) -> bool:
        return one.value > other.value if self._key.descending else one.value < other.value

    def _of_sample(self, column: Column) -> _Bound | None:
        size = max(sort.SAMPLE, isqrt(len(column) * self._wanted))
        if len(column) < 4 * size:
            return None
        step = len(column) // size
        sample = column.map(lambda tensor: tensor[::step].contiguous())
        order = sort.top_k(order_keys(sample, self._key), self._wanted)
        return _value(sample.take(order[self._wanted - 1 : self._wanted]))


def _is_plain(column: Column) -> bool:
    """Whether a value is one number in memory, in the order of the values."""
    # Truth values have no sign.
    return not column.is_constant and column.data.ndim == 1 and column.data.dtype.is_signed


def _value(column: Column) -> _Bound | None:
    """The value of a column of one row; None for NULL and NaN, which bound nothing."""
    if column.valid is not None and not waits.truth(column.valid[0], _BOUND):
        return None
    data = column.data[0]
    value = waits.real(data, _BOUND) if data.dtype.is_floating_point else waits.number(data, _BOUND)
    return _Bound(value, column.dictionary) if value == value else None
