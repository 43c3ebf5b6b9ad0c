"""Casts of BIT, whose values are stored as the texts of their digits: text, bytes, and the bits of numbers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.bytes import bits_of_text
from tqp.functions.casts.checked import checked
from tqp.functions.casts.text import cast_text, wide_entries
from tqp.functions.entries import Entries, each, spread
from tqp.functions.measured import by_values
from tqp.types import BIT, BLOB, BOOLEAN, VARCHAR, DType, Kind, integer_range

__all__ = ["cast_bits"]

_FLOATS: Final = {Kind.FLOAT: (">f", 4), Kind.DOUBLE: (">d", 8)}


def cast_bits(column: Column, to: DType, safe: bool) -> Column:
    """BIT from and to text, BLOB, BOOLEAN and numbers, of which it has the bits; what is none is an error, or NULL if `safe`."""
    have = column.dtype
    if have == BIT:
        return _from_bits(column, to, safe)
    if have.is_text:
        return _read(column, bits_of_text, lambda text: f"could not convert string '{text}' to BIT", safe)
    if have == BLOB:
        return _read(column, _of_bytes, lambda _: "could not convert an empty BLOB to BIT", safe)
    if have == BOOLEAN or have.is_integer:
        low, high = (0, 1) if have == BOOLEAN else integer_range(have)
        size = 128 if high > 2**64 else 8 if have == BOOLEAN else (high - low).bit_length()
        plain = replace(column, data=column.data.to(torch.int8), dtype=BIT) if have == BOOLEAN else column
        # Wide numbers have no entries but their texts.
        entries = spread([cast_text(column, VARCHAR, False) if column.is_wide else plain])
        made = each(lambda number: f"{int(number) % 2**size:0{size}b}", pa.large_string(), entries)
        return entries.finish(made, BIT).with_valid(column.valid)
    if have.is_float:
        form, size = _FLOATS[have.kind]
        entries = spread([cast_text(column, VARCHAR, False)])
        made = each(
            lambda text: f"{int.from_bytes(struct.pack(form, float(text)), 'big'):0{8 * size}b}",
            pa.large_string(),
            entries,
        )
        return entries.finish(made, BIT).with_valid(column.valid)
    return no_cast(column, to, safe)


def _of_bytes(value: bytes) -> str | None:
    return f"{int.from_bytes(value, 'big'):0{8 * len(value)}b}" if value else None


def _from_bits(column: Column, to: DType, safe: bool) -> Column:
    if to.is_text:
        return replace(column, dtype=to)
    if to == BLOB:
        entries = spread([column])
        made = each(lambda bits: int(bits, 2).to_bytes(-(-len(bits) // 8), "big"), pa.large_binary(), entries)
        return entries.finish(made, to).with_valid(column.valid)
    if to == BOOLEAN or to.is_integer or to.is_float:
        return _number(column, to, safe)
    return no_cast(column, to, safe)


def _number(column: Column, to: DType, safe: bool) -> Column:
    entries = spread([column])
    values = _texts(entries)
    low, high = integer_range(to) if to.is_integer else (0, 0)
    size = 8 if to == BOOLEAN else 8 * _FLOATS[to.kind][1] if to.is_float else 128 if high > 2**64 else 0
    size = size or (high - low).bit_length()
    fits = [len(bits) <= size for bits in values]
    numbers = [int(bits, 2) if fit else 0 for bits, fit in zip(values, fits, strict=True)]
    valid = checked(column, entries, fits, lambda row: f"the {len(values[row])} bits do not fit a {to}", safe)
    if to == BOOLEAN:
        return Column(entries.rows(torch.tensor([number > 0 for number in numbers], device="cpu")), to, valid)
    if to.is_float:
        form, width = _FLOATS[to.kind]
        floats = [struct.unpack(form, number.to_bytes(width, "big"))[0] for number in numbers]
        return Column(entries.rows(torch.from_numpy(np.array(floats, f"f{width}"))), to, valid)
    signed = [number - 2**size if low < 0 and number > high else number for number in numbers]
    if any(number > high for number in signed):
        # A UHUGEINT of two limbs has no 128th bit.
        valid = checked(
            column, entries, [number <= high for number in signed], lambda _: f"the bits do not fit a {to}", safe
        )
        signed = [min(number, high) for number in signed]
    return wide_entries(signed, entries, to, valid)


def _texts(entries: Entries) -> list[Any]:
    found: list[Any] = entries.array(0).to_pylist()
    if not found:
        by_values()
    return found


def _read(column: Column, read: Callable[[Any], str | None], problem: Callable[[Any], str], safe: bool) -> Column:
    entries = spread([column])
    values = _texts(entries)
    found = [read(value) for value in values]
    good = [one is not None for one in found]
    valid = checked(column, entries, good, lambda row: problem(values[row]), safe)
    strings = pa.array([one or "0" for one in found], pa.large_string())
    return entries.finish(strings, BIT).with_valid(valid)
