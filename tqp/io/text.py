"""Text columns: from Arrow strings to codes into a dictionary."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.column import Column, Dictionary, narrowest
from tqp.types import VARCHAR

__all__ = ["is_near_unique", "text_column"]

_SAMPLE_ROWS: Final = 20_000
_ALWAYS_ENCODED: Final = 100_000
"""Up to so many rows a sorted dictionary costs next to nothing."""


def text_column(array: pa.ChunkedArray, device: torch.device) -> Column:
    """The strings (plain or dictionary-encoded) as a VARCHAR column with bounds on its codes.

    Repeating text: a sorted dictionary and the narrowest codes. Near-unique text: all rows' strings in row order as
    an unsorted dictionary, and int32 codes 0, 1, 2, …; NULL rows hold an empty string there. NULL rows have code 0
    otherwise. A column without any string has a dictionary of one empty string.
    """
    if not pa.types.is_dictionary(array.type):
        if is_near_unique(array):
            return _in_row_order(array, device)
        array = array.dictionary_encode()
    array = _with_sorted_dictionary(array)
    chunk = array.chunk(0)
    values = chunk.dictionary
    bounds = (0, max(len(values) - 1, 0))
    width = narrowest(*bounds)
    assert width is not None
    valid = _valid(array)
    codes = torch.empty(len(array), dtype=width, device="cpu")
    codes.numpy()[:] = chunk.indices.fill_null(0).to_numpy(zero_copy_only=False)
    dictionary = Dictionary(values if len(values) else pa.array([""], pa.large_string()), is_sorted=True)
    return Column(codes, VARCHAR, valid, dictionary, bounds).to(device)


def is_near_unique(array: pa.ChunkedArray) -> bool:
    """Whether a dictionary would hold most of the rows, by a sample of consecutive and of scattered rows."""
    rows = len(array)
    if rows <= _ALWAYS_ENCODED:
        return False
    step = rows // _SAMPLE_ROWS
    scattered = pa.array(np.arange(_SAMPLE_ROWS, dtype=np.int64) * step)
    sample = array.take(scattered)
    known = len(sample) - sample.null_count
    return known > 0 and pc.count_distinct(sample).as_py() > 0.9 * known and _repeats_little(array, rows)


def _repeats_little(array: pa.ChunkedArray, rows: int) -> bool:
    # A sample all of different strings may still come from a few hundred thousand of them: look at more rows
    # before giving up on a dictionary.
    part = array.slice(0, min(rows, 16 * _SAMPLE_ROWS))
    spread = pa.chunked_array([*part.chunks, *array.slice(max(rows - 16 * _SAMPLE_ROWS, 0)).chunks], array.type)
    known = len(spread) - spread.null_count
    return known > 0 and pc.count_distinct(spread).as_py() > 0.5 * min(known, rows)


def _valid(array: pa.ChunkedArray) -> Tensor | None:
    if array.null_count == 0:
        return None
    valid = np.concatenate([chunk.is_valid().to_numpy(zero_copy_only=False) for chunk in array.chunks])
    return torch.from_numpy(valid)


def _in_row_order(array: pa.ChunkedArray, device: torch.device) -> Column:
    valid = _valid(array)
    pieces = [chunk.cast(pa.large_string()).fill_null("") for chunk in array.chunks if len(chunk)]
    values = pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces)
    codes = torch.arange(len(array), dtype=torch.int32, device=device)
    dictionary = Dictionary(values, is_sorted=False)
    valid = None if valid is None else valid.to(device)
    return Column(codes, VARCHAR, valid, dictionary, (0, len(array) - 1))
