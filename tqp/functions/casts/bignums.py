"""Casts of BIGNUM, which is integers of any length: text, integers and floats, once per distinct value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from tqp.bignums import decoded, digits_of, encoded
from tqp.data.column import Column
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.bytes import bignum_of
from tqp.functions.casts.checked import checked
from tqp.functions.casts.text import cast_text, wide_entries
from tqp.functions.entries import Entries, each, spread
from tqp.functions.measured import by_values
from tqp.types import BIGNUM, DOUBLE, VARCHAR, DType, integer_range

__all__ = ["cast_bignum"]


def cast_bignum(column: Column, to: DType, safe: bool) -> Column:
    """BIGNUM from and to text, integers and DOUBLE, and from FLOAT, as DuckDB has it; NULL stays NULL.

    Text is rounded half away from zero, floats half to even. ExecutionError for what is no such number or does not fit, or NULL if
    `safe`; and for any other type.
    """
    have = column.dtype
    if have == BIGNUM:
        return _from_bignum(column, to, safe)
    if have.is_text:
        return _made(
            column, spread([column]), bignum_of, lambda text: f"could not convert string '{text}' to BIGNUM", safe
        )
    if have.is_integer:
        # Wide numbers have no entries but their texts.
        entries = spread([cast_text(column, VARCHAR, False) if column.is_wide else column])
        return _made(column, entries, lambda number: encoded(int(number)), str, safe)
    if have.is_float:
        entries = spread([cast_text(column, VARCHAR, False)])
        return _made(column, entries, _of_float, lambda text: f"the {have} {text} is no BIGNUM", safe)
    return no_cast(column, to, safe)


def _of_float(text: str) -> bytes | None:
    value = float(text)
    return encoded(round(value)) if math.isfinite(value) else None


def _from_bignum(column: Column, to: DType, safe: bool) -> Column:
    entries = spread([column])
    if to.is_text:
        found = each(lambda value: digits_of(decoded(value)), pa.large_string(), entries)
        return entries.finish(found, to).with_valid(column.valid)
    if not (to.is_integer or to == DOUBLE):
        return no_cast(column, to, safe)
    numbers = [decoded(value) for value in _values(entries)]
    if to == DOUBLE:
        floats = [_as_float(number) for number in numbers]
        good = [one is not None for one in floats]
    else:
        low, high = integer_range(to)
        good = [low <= number <= high for number in numbers]
    valid = checked(
        column, entries, good, lambda row: f"the BIGNUM {digits_of(numbers[row])} is out of range of {to}", safe
    )
    if to == DOUBLE:
        return Column(entries.rows(torch.from_numpy(np.array([one or 0.0 for one in floats], np.float64))), to, valid)
    return wide_entries([number if fits else 0 for number, fits in zip(numbers, good, strict=True)], entries, to, valid)


def _as_float(number: int) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def _values(entries: Entries) -> list[Any]:
    found: list[Any] = entries.array(0).to_pylist()
    if not found:
        by_values()
    return found


def _made(
    column: Column, entries: Entries, read: Callable[[Any], bytes | None], problem: Callable[[Any], str], safe: bool
) -> Column:
    values = _values(entries)
    found = [read(value) for value in values]
    valid = checked(column, entries, [one is not None for one in found], lambda row: problem(values[row]), safe)
    numbers = pa.array([one or b"" for one in found], pa.large_binary())
    return entries.finish(numbers, BIGNUM).with_valid(valid)
