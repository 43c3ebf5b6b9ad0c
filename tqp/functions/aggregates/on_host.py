"""Aggregates that Python computes from the values of each group, on the host, and that give a string for each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.functions.aggregates.grouped import Grouped
from tqp.kernels import waits
from tqp.types import DType

__all__ = ["in_groups", "of_groups", "strings"]

T = TypeVar("T")


def strings(rows: Grouped, why: str) -> list[Any]:
    """The strings of the first argument, of text or bytes, in `rows.sequence`. Waits for their codes."""
    column = rows.args[0]
    assert column.dictionary is not None
    codes = waits.fetched(column.data.index_select(0, rows.sequence), why)
    found: list[Any] = column.dictionary.values.take(pa.array(codes.numpy())).to_pylist()
    return found


def in_groups(rows: Grouped, values: Sequence[T], why: str) -> list[Sequence[T]]:
    """The values, which are in `rows.sequence`, of each group."""
    ends = [0, *waits.values(torch.cumsum(rows.counts, 0), why)]
    return [values[start:stop] for start, stop in pairwise(ends)]


def of_groups(rows: Grouped, found: pa.Array, dtype: DType) -> Column:
    """The column of a string for each group, `large_string` or `large_binary`; NULL where a group has no rows."""
    numbers = placed(torch.arange(rows.groups, dtype=torch.int32, device="cpu"), rows.device)
    return Column(numbers, dtype, rows.counts > 0, Dictionary(found, is_sorted=False))
