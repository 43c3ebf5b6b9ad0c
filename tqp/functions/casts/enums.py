"""Casts of ENUM: its values are places among its labels, so that as text they are codes into a dictionary of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Encoding, narrowest
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.hints import hint_for
from tqp.functions.entries import spread
from tqp.functions.measured import by_values
from tqp.types import VARCHAR, DType, Kind, stored_range

__all__ = ["cast_enum", "labels_of"]

_KEPT = 256


@lru_cache(_KEPT)
def labels_of(dtype: DType) -> Dictionary:
    """The labels of an ENUM as a dictionary, in their order."""
    values = pa.array(dtype.labels, pa.large_string())
    return Dictionary(values, is_sorted=list(dtype.labels) == sorted(dtype.labels, key=str.encode))


def cast_enum(column: Column, to: DType, safe: bool, cast: Callable[[Column, DType, bool], Column]) -> Column:
    """ENUM to text, at no cost, and by way of it to anything; text to ENUM, with an ExecutionError, or NULL if `safe`, for one
    that is no label."""
    if column.dtype.kind is Kind.ENUM:
        bounds = column.bounds or stored_range(column.dtype)
        text = replace(
            column, dtype=VARCHAR, dictionary=labels_of(column.dtype), bounds=bounds, encoding=Encoding.CODES
        )
        return cast(text, to, safe)
    return _read(column, to, safe) if column.dtype.is_text else no_cast(column, to, safe)


def _read(column: Column, to: DType, safe: bool) -> Column:
    entries = spread([column])
    strings = entries.operands[0]
    if not len(strings):
        by_values()
    places = pc.index_in(strings, labels_of(to).values)
    bad, valid = places.is_null(), column.valid
    if places.null_count:
        if not safe:
            entries.check(
                bad, [column], lambda row: f"could not convert string '{strings[row].as_py()}' to {to}", hint_for(to)
            )
        good = entries.rows(torch.from_numpy(~bad.to_numpy(zero_copy_only=False)))
        valid = good if valid is None else valid & good
    bounds = stored_range(to)
    found = torch.from_numpy(places.fill_null(0).to_numpy(zero_copy_only=False, writable=True))
    return Column(entries.rows(found.to(narrowest(*bounds))), to, valid, None, bounds)
