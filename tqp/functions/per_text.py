"""Functions of texts in Python that run once a distinct text, or a distinct combination of texts, and what they give as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.nested import of_lengths
from tqp.errors import ExecutionError
from tqp.functions.entries import Entries, mapped, spread
from tqp.functions.joined_text import coded
from tqp.functions.measured import by_values
from tqp.functions.registry import Args
from tqp.types import BIGINT, BLOB, BOOLEAN, JSON, UBIGINT, VARCHAR, VARIANT, DType, Kind

__all__ = ["column_of", "per_text"]

_CPU: Final = torch.device("cpu")
_STORED: Final = {
    VARCHAR: (pa.large_string(), ""), JSON: (pa.large_string(), "null"), BOOLEAN: (pa.bool_(), False),
    UBIGINT: (pa.int64(), 0), BIGINT: (pa.int64(), 0), VARIANT: (pa.large_string(), ""), BLOB: (pa.large_binary(), b""),
}  # fmt: skip


def per_text(compute: Callable[..., Any], args: Args, out: DType, *, strict: bool = True) -> Column:
    """The results of a function of texts and integers of Python, run once a distinct combination: a value, a list, or None.

    An ExecutionError of it is that of the rows that have the combination. Without `strict` it gets None for a NULL.
    """

    def tried(*operands: Any) -> Any:
        # No row has what stands for NULL in a dictionary.
        if strict and None in operands:
            return None
        try:
            return compute(*operands)
        except ExecutionError as error:
            return error

    entries = spread(args, nulls=not strict)
    results = mapped(tried, entries)
    failed = pa.array([isinstance(result, ExecutionError) for result in results], pa.bool_())
    entries.check(failed, args if strict else (), lambda place: results[place])
    return _finished(entries, [None if isinstance(one, ExecutionError) else one for one in results], out)


def _finished(entries: Entries, results: Sequence[Any], out: DType) -> Column:
    """The column of the results of the entries: None is NULL, a list one of values of the element type."""
    known = torch.tensor([result is not None for result in results], dtype=torch.bool, device=_CPU)
    if not out.is_list:
        stored, empty = _STORED[out]
        values = pa.array([empty if result is None else result for result in results], stored)
        return replace(entries.finish(values, out), valid=entries.rows(known))
    if not results:
        by_values()
    return entries.column(column_of(results, out))


def column_of(values: Sequence[Any], dtype: DType) -> Column:
    """Values of Python (n,) as a column on the CPU: texts, truth values, counts and lists of them, None as NULL."""
    valid = torch.tensor([value is not None for value in values], dtype=torch.bool, device=_CPU)
    if dtype.kind is Kind.LIST:
        assert dtype.element is not None
        lists = [value or [] for value in values]
        counts = torch.tensor([len(value) for value in lists], dtype=torch.int64, device=_CPU)
        return of_lengths(counts, column_of(list(chain.from_iterable(lists)), dtype.element), dtype, valid)
    stored, empty = _STORED[dtype]
    filled = pa.array([empty if value is None else value for value in values], stored)
    if dtype.is_coded:
        return coded(filled, None, _CPU, dtype).with_valid(valid)
    found = torch.from_numpy(np.array(filled))
    bounds = (0, int(found.max())) if dtype.is_integer and len(values) else None  # host: on the CPU
    return Column(found, dtype, valid, None, bounds)
