"""Arrow arrays out of NumPy and Python and back, for what any first query makes.

`pa.array`, `pa.scalar` and `to_numpy` do the same, and import pandas, where that is installed, when one of them is first called:
most of what the first look at a file takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["few_integers", "few_strings", "from_truths", "integers", "texts", "truths"]


def few_strings(strings: Sequence[str | bytes | None], kind: pa.DataType) -> pa.Array:
    """The strings, None for NULL, as `large_string` or `large_binary`."""
    encoded = [string.encode() if isinstance(string, str) else string or b"" for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    content = [pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(kind, len(encoded), [_known(strings), *content])


def texts(
    data: np.ndarray[Any, np.dtype[Any]], offsets: np.ndarray[Any, np.dtype[np.int64]], kind: pa.DataType
) -> pa.Array:
    """The strings `data[offsets[i]:offsets[i + 1]]` as `large_string`, of UTF-8, or as `large_binary`, over the same memory.

    The bytes of `data` in any shape; `offsets` (n + 1,), ascending from 0 on. What is not contiguous is copied.
    """
    content = [pa.py_buffer(np.ascontiguousarray(array)) for array in (offsets, data)]
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, *content])


def few_integers(numbers: Sequence[int | None], kind: pa.DataType) -> pa.Array:
    """The integers, None for NULL, as a type of integers. OverflowError for one that does not fit."""
    data = np.array([0 if number is None else number for number in numbers], str(kind))
    return pa.Array.from_buffers(kind, len(data), [_known(numbers), pa.py_buffer(data)])


def _known(values: Sequence[object]) -> pa.Buffer | None:
    if None not in values:
        return None
    return truths(np.array([value is not None for value in values])).buffers()[1]


def integers(
    values: np.ndarray[Any, np.dtype[Any]], valid: np.ndarray[Any, np.dtype[np.bool_]] | None = None
) -> pa.Array:
    """An array (n,) of an integer dtype as the Arrow array of that type, over the same memory where it is contiguous.

    NULL where it is not `valid` ((n,)).
    """
    flat = np.ascontiguousarray(values)
    known = None if valid is None else truths(valid).buffers()[1]
    return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [known, pa.py_buffer(flat)])


def truths(values: np.ndarray[Any, np.dtype[np.bool_]]) -> pa.Array:
    """An array (n,) of truth values as BOOLEANs of Arrow, a bit each."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(np.packbits(values, bitorder="little"))])


def from_truths(array: pa.BooleanArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """What `truths` makes of an array, which has no NULLs."""
    bits = np.frombuffer(array.buffers()[1] or b"", np.uint8)
    return np.unpackbits(bits, count=array.offset + len(array), bitorder="little")[array.offset :].view(np.bool_)
