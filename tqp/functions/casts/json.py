"""Casts to JSON and from it. Text becomes JSON where it is JSON, anything else what `to_json` makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.json_making import json_of
from tqp.functions.casts.json_reading import read
from tqp.functions.entries import mapped, spread
from tqp.functions.json_text import parsed
from tqp.types import JSON, DType

__all__ = ["cast_json"]

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
    entries = spread([column])
    reasons = mapped(_wrong, entries)
    bad = np.array([reason is not None for reason in reasons], dtype=np.bool_)
    if not bad.any():
        return replace(column, dtype=JSON)
    if not safe:
        entries.check(pa.array(bad), [column], lambda row: str(reasons[row]))
    # So every text in a dictionary of JSON is JSON, also one that stands for NULL.
    texts = pc.if_else(pa.array(bad), pa.scalar("null", pa.large_string()), entries.array(0))
    good = entries.rows(torch.from_numpy(~bad))
    valid = good if column.valid is None else good & column.valid
    return entries.finish(texts, JSON).with_valid(valid)


def _wrong(text: str) -> str | None:
    """Why a text is no JSON; None where it is."""
    try:
        parsed(text)
    except ExecutionError as error:
        return error.message
    return None
