"""Arrow arrays out of NumPy and Python, for what any first query makes.

`pa.array` does the same, and imports pandas, where that is installed, when it is first called: a fifth of what a first query takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["few_strings", "integers"]


def few_strings(strings: Sequence[str | bytes], kind: pa.DataType) -> pa.Array:
    """The strings, none of them NULL, as `large_string` or `large_binary`."""
    encoded = [string if isinstance(string, bytes) else string.encode() for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    return pa.Array.from_buffers(kind, len(encoded), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))])


def integers(values: np.ndarray[Any, np.dtype[Any]]) -> pa.Array:
    """An array (n,) of an integer dtype as the Arrow array of that type, over the same memory where it is contiguous."""
    flat = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [None, pa.py_buffer(flat)])
