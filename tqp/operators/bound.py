"""How far behind a row of a top-n query may lie: a bound of its first key, which all workers share."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.ir.expr import SortKey
from tqp.kernels import sort, waits
from tqp.kernels.rows import select
from tqp.locks import Lock
from tqp.operators.keys import order_keys

__all__ = ["Bound", "FirstKeyBound"]

_BOUND = "what bounds the candidates"


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that `wanted` rows do not lie behind; codes of a text mean something in their dictionary alone."""

    value: int | float
    dictionary: Dictionary | None


@dataclass(frozen=True, slots=True)
class _Best:
    """The best of the values that were told of, as many as are wanted."""

    values: Tensor
    dictionary: Dictionary | None


class FirstKeyBound:
    """Leaves out rows that `wanted` rows come before by `key`. Safe between threads.

    The first rows of a sample bound those of a batch; the best of those that came bound the next ones. Compares values as they
    lie in memory, so that no key is made of rows that are left out; wide numbers, intervals, arrays and truth values have no bound.
    """

    def __init__(self, key: SortKey, wanted: int) -> None:
        self._key = key
        self._wanted = wanted
        self._lock = Lock()
        self._bound: Bound | None = None
        self._best: _Best | None = None

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
        return select(sort.not_behind(column.data, column.valid, bound.value, key.descending, key.nulls_first))

    @property
    def known(self) -> Bound | None:
        """What is known by now."""
        return self._bound

    def learn(self, column: Column) -> None:
        """Take note of the key of some rows, each of which is told of once: `wanted` of all of them are a bound."""
        column = column.ranked()
        if not _is_plain(column):
            return
        values = _known_values(column)
        with self._lock:
            best = self._best
            if best is not None and best.dictionary is column.dictionary:
                values = torch.cat((best.values, values))
            if values.shape[0] > self._wanted:
                values = torch.topk(values, self._wanted, largest=self._key.descending, sorted=False).values
            self._best = _Best(values, column.dictionary)
            if values.shape[0] == self._wanted:
                last = values.min() if self._key.descending else values.max()
                self._bound = Bound(_number(last), column.dictionary)

    def _of_sample(self, column: Column) -> Bound | None:
        size = max(sort.SAMPLE, isqrt(len(column) * self._wanted))
        if len(column) < 4 * size:
            return None
        step = len(column) // size
        sample = column.map(lambda tensor: tensor[::step].contiguous())
        order = sort.top_k(order_keys(sample, self._key), self._wanted)
        return _value(sample.take(order[self._wanted - 1 : self._wanted]))


def _is_plain(column: Column) -> bool:
    """Whether a value is one number in memory, in the order of the values."""
    # Truth values have no sign; the places of nested values are in no order.
    is_number = column.data.ndim == 1 and column.data.dtype.is_signed
    return is_number and not column.is_constant and not column.dtype.is_nested


def _known_values(column: Column) -> Tensor:
    """Those of a column's values that bound others: neither NULL nor NaN."""
    data, known = column.data, column.valid
    if data.dtype.is_floating_point:
        known = ~data.isnan() if known is None else known & ~data.isnan()
    return data if known is None else data.index_select(0, select(known))


def _value(column: Column) -> Bound | None:
    """The value of a column of one row; None for NULL and NaN, which bound nothing."""
    values = _known_values(column)
    return Bound(_number(values[0]), column.dictionary) if values.shape[0] else None


def _number(value: Tensor) -> int | float:
    return waits.real(value, _BOUND) if value.dtype.is_floating_point else waits.number(value, _BOUND)
