"""Casts of UUID, which is a number of 128 bits: from and to text and BLOB."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.to_arrow import texts
from tqp.errors import ExecutionError
from tqp.functions import exact
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.bytes import uuid_of
from tqp.functions.casts.hints import hint_for
from tqp.functions.casts.text import wide_entries
from tqp.functions.entries import Entries, spread
from tqp.functions.measured import by_values
from tqp.kernels import waits
from tqp.types import BLOB, UHUGEINT, UUID, DType, stored_range

__all__ = ["bytes_of", "cast_uuid", "spelled"]

_BYTES = 16
_DASHES = (8, 13, 18, 23)
_LENGTH = 36
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def cast_uuid(column: Column, to: DType, safe: bool) -> Column:
    """UUID to text or BLOB, or these to UUID; ExecutionError for what is none, or NULL if `safe`."""
    if {column.dtype, to} == {UUID, UHUGEINT}:
        return _moved(column, to)
    if column.dtype == UUID:
        if not to.is_coded:
            return no_cast(column, to, safe)
        found = spelled(column.with_valid(None)).cast(pa.large_string()) if to.is_text else bytes_of(column)
        return (
            Entries([], None, column.is_constant, len(found), column.device).finish(found, to).with_valid(column.valid)
        )
    return _read(column, to, safe) if column.dtype.is_coded else no_cast(column, to, safe)


def _moved(column: Column, to: DType) -> Column:
    """UUID as UHUGEINT and back: the first is stored as its number - 2**127. ExecutionError for numbers beyond 127 bits."""
    limbs = exact.as_wide(column)
    beyond = limbs[..., 0] >= 0
    if column.dtype == UUID and exact.first_bad(beyond, (column,)) is not None:
        raise ExecutionError("a UUID from 80000000-… on is beyond the 127 bits of a UHUGEINT here")
    high = limbs[..., 0] ^ torch.tensor(-(2**63), dtype=torch.int64, device=column.device)
    return exact.wide_column(torch.stack((high, limbs[..., 1]), -1), to, stored_range(to)).with_valid(column.valid)


def _read(column: Column, to: DType, safe: bool) -> Column:
    entries = spread([column])
    values = entries.operands[0].to_pylist()
    if not values:
        by_values()
    read = _of_bytes if column.dtype == BLOB else uuid_of
    found = [read(value) for value in values]
    valid, bad = column.valid, [number is None for number in found]
    if any(bad):
        if not safe:
            entries.check(
                pa.array(bad), [column], lambda row: f"could not convert {_quoted(values[row])} to UUID", hint_for(to)
            )
        good = entries.rows(~torch.tensor(bad, dtype=torch.bool, device="cpu"))
        valid = good if valid is None else valid & good
    return wide_entries([0 if number is None else number for number in found], entries, to, valid)


def _of_bytes(value: bytes) -> int | None:
    return int.from_bytes(value, "big") - 2**127 if len(value) == _BYTES else None


def _quoted(value: str | bytes) -> str:
    return f"string '{value}'" if isinstance(value, str) else f"a BLOB of {len(value)} bytes"


def bytes_of(column: Column) -> pa.Array:
    """The 16 bytes of each, those of NULL rows anything, as a large_binary array; on the host."""
    limbs = waits.array(exact.as_wide(column), "what a UUID looks like is found on the host").reshape(-1, 2).copy()
    limbs[:, 0] ^= np.int64(-(2**63))
    data = limbs.astype(">i8")
    offsets = np.arange(len(data) + 1, dtype=np.int64) * _BYTES
    return texts(data, offsets, pa.large_binary())


def spelled(column: Column) -> pa.Array:
    """The text of each as a large_string array; NULL where it is NULL, on the host."""
    values = bytes_of(column)
    rows = len(values)
    raw = np.frombuffer(values.buffers()[2], np.uint8).reshape(rows, _BYTES)
    digits = _DIGITS[np.stack((raw >> 4, raw & 15), axis=2).reshape(rows, 2 * _BYTES)]
    text = np.full((rows, _LENGTH), ord("-"), np.uint8)
    text[:, [place for place in range(_LENGTH) if place not in _DASHES]] = digits
    offsets = np.arange(rows + 1, dtype=np.int64) * _LENGTH
    strings = texts(text, offsets, pa.large_string())
    if column.valid is None:
        return strings
    valid = waits.array(column.valid, "what a UUID looks like is found on the host").reshape(-1)
    return strings.take(pa.array(np.arange(rows), mask=~valid))
