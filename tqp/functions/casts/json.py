"""Casts to JSON and from it. Text becomes JSON where it is JSON, anything else what `to_json` makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.casts.json_making import json_of
from tqp.functions.casts.json_reading import read
from tqp.functions.entries import Entries, mapped, spread
from tqp.functions.json_text import parsed
from tqp.functions.text_slices import slices_of
from tqp.interrupt import checkpoint
from tqp.kernels import json
from tqp.types import JSON, DType

__all__ = ["cast_json", "unread"]

Cast = Callable[[Column, DType, bool], Column]


def cast_json(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """Any type to JSON, or JSON to any; to VARCHAR its text as it stands, to others the value that it says.

    Text that is no JSON, and JSON of another kind of value, raises ExecutionError if a row that is not NULL has it, or is NULL
    if `safe`.
    """
    if to == JSON:
        return _checked(column, safe) if column.dtype.is_text else json_of(column, cast)
    if to.is_text:
        return replace(column, dtype=to)
    return read(column, to, cast, is_strict=not safe, is_cast=True)


def _checked(column: Column, safe: bool) -> Column:
    entries, reasons = unread(column)
    if not reasons:
        return replace(column, dtype=JSON)
    bad = np.zeros(entries.count, np.bool_)
    bad[list(reasons)] = True
    if not safe:
        entries.check(pa.array(bad), [column], lambda row: reasons[row], NULL_INSTEAD)
    # So every text in a dictionary of JSON is JSON, also one that stands for NULL.
    entries = spread([column])
    texts = pc.if_else(pa.array(bad), pa.scalar("null", pa.large_string()), entries.array(0))
    good = entries.rows(torch.from_numpy(~bad))
    valid = good if column.valid is None else good & column.valid
    return entries.finish(texts, JSON).with_valid(valid)


def unread(column: Column) -> tuple[Entries, dict[int, str]]:
    """The entries of texts, and of those that are no JSON why. One of Python alone where the loop cannot tell."""
    places: Sequence[int]
    if column.is_constant or not json.are_read(len(column)):
        entries = spread([column])
        places, reasons = range(entries.count), mapped(_wrong, entries)
    else:
        own, entries = slices_of(column)
        left = torch.nonzero(~json.are_json(own.data, own.begins, own.stops)).flatten()  # host: on the CPU
        places, reasons = left.tolist(), list(map(_wrong, own.take(left).strings().to_pylist()))  # host: on the CPU
    pairs = zip(places, reasons, strict=True)
    return entries, {place: reason for place, reason in pairs if reason is not None}


def _wrong(text: str) -> str | None:
    """Why a text is no JSON; None where it is."""
    checkpoint()
    try:
        parsed(text)
    except ExecutionError as error:
        return error.message
    return None
