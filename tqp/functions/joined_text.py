"""Texts of elements put together list by list, and texts of rows as a column: Arrow's strings in between."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.entries import Entries
from tqp.functions.measured import by_values
from tqp.kernels import waits
from tqp.types import VARCHAR, DType

__all__ = ["HOST", "coded", "joined", "strings"]

HOST = "text is made on the host"


def strings(column: Column) -> pa.Array:
    """The strings of a text column (n,) as `large_string`, NULL where it is."""
    assert column.dictionary is not None
    mask = None if column.valid is None else ~waits.array(column.valid, HOST)
    return column.dictionary.values.take(pa.array(waits.array(column.data, HOST), mask=mask))


def joined(counts: Tensor, parts: pa.Array, separator: pa.Array | pa.Scalar) -> pa.Array:
    """The strings (n,) of `counts` (n,) int64 of the `parts` each, with the separator, or that of the row, between them."""
    ends = torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)])
    lists = pa.LargeListArray.from_arrays(pa.array(waits.array(ends, HOST)), parts)
    return pc.binary_join(lists, separator)


def coded(rows: pa.Array, valid: Tensor | None, device: torch.device, out: DType = VARCHAR) -> Column:
    """Strings (n,), of which those where not `valid` mean nothing, as a column of a type of text."""
    if valid is not None:
        rows = pc.if_else(pa.array(waits.array(valid, HOST)), rows, pa.scalar("", pa.large_string()))
    if len(rows) == 0:
        by_values()
    found = pc.dictionary_encode(rows)
    codes = torch.from_numpy(np.from_dlpack(found.indices).astype(np.int32))
    entries = Entries([], codes.to(device), False, len(found.dictionary), device)
    return entries.finish(found.dictionary, out).with_valid(valid)
