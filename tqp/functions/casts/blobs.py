r"""Casts of BLOB: from and to text in which `\xAA` is a byte, once per distinct value."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.bytes import bytes_of, shown
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.entries import each, spread
from tqp.functions.measured import by_values
from tqp.types import BLOB, DType

__all__ = ["cast_blob"]


def cast_blob(column: Column, to: DType, safe: bool) -> Column:
    """Text to BLOB or BLOB to text; ExecutionError for a text that spells no bytes, or NULL if `safe`."""
    if column.dtype == BLOB:
        if not to.is_text:
            return no_cast(column, to, safe)
        entries = spread([column])
        return entries.finish(each(shown, pa.large_string(), entries), to).with_valid(column.valid)
    if not column.dtype.is_text:
        return no_cast(column, to, safe)
    entries = spread([column])
    strings = entries.operands[0]
    if not len(strings):
        by_values()
    found = each(bytes_of, pa.large_binary(), entries)
    bad = pc.is_null(found)
    valid = column.valid
    if found.null_count:
        if not safe:
            hint = f"write other bytes than ASCII as \\xFF; {NULL_INSTEAD}"
            entries.check(bad, [column], lambda row: f"could not convert string '{strings[row].as_py()}' to BLOB", hint)
        good = entries.rows(torch.from_numpy(~bad.to_numpy(zero_copy_only=False)))
        valid = good if valid is None else valid & good
    return entries.finish(found.fill_null(b""), to).with_valid(valid)
