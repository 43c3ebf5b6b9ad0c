"""Columns of text and of bytes: from Arrow to codes into a dictionary."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import EMPTY, Dictionary
from tqp.data.layout import narrowest
from tqp.data.to_arrow import few_strings, from_truths, truths
from tqp.types import BLOB, VARCHAR

__all__ = ["is_near_unique", "text_column"]

_DTYPES: Final = {pa.large_string(): VARCHAR, pa.large_binary(): BLOB}
_SAMPLE_ROWS: Final = 20_000
_FIRST_ROWS: Final = 4096
_ALWAYS_ENCODED: Final = 100_000
"""Up to so many rows a sorted dictionary costs next to nothing."""


def text_column(array: pa.ChunkedArray) -> Column:
    """The strings (plain or dictionary-encoded) as a VARCHAR or BLOB column on the CPU, with bounds on its codes.

    Repeating text: a sorted dictionary of the strings that occur and the narrowest codes; NULL rows have code 0.
    Near-unique text: all rows' strings in row order as an unsorted dictionary and int32 codes 0, 1, 2, …; NULL rows
    hold an empty string there. A column without any string has a dictionary of one empty string.
    """
    kind = _coded_type(array.type)
    dtype = _DTYPES[kind]
    if pa.types.is_dictionary(array.type):
        if any(chunk.dictionary.null_count for chunk in array.chunks):
            array = array.cast(kind).dictionary_encode()
    elif is_near_unique(array):
        return _in_row_order(array, kind)
    else:
        array = _plain(array).dictionary_encode()
    chunks = [chunk for chunk in array.unify_dictionaries().chunks if len(chunk)]
    values, ranks = _ranked(chunks, kind)
    bounds = (0, max(len(values) - 1, 0))
    width = narrowest(*bounds)
    assert width is not None
    codes = torch.zeros(len(array), dtype=width, device="cpu")
    targets = torch.from_numpy(ranks).to(width)
    start = 0
    for chunk in chunks if len(ranks) else []:
        part = codes[start : start + len(chunk)]
        torch.index_select(targets, 0, torch.from_numpy(_indices(chunk)), out=part)
        if chunk.null_count:
            part.numpy()[~from_truths(chunk.is_valid())] = 0
        start += len(chunk)
    dictionary = Dictionary(values if len(values) else few_strings([EMPTY[kind]], kind), is_sorted=True)
    return Column(codes, dtype, _valid(array), dictionary, bounds)


def _indices(chunk: pa.DictionaryArray) -> npt.NDArray[Any]:
    """(rows,) int32 or int64, 0 where NULL."""
    indices = chunk.indices.fill_null(0) if chunk.null_count else chunk.indices
    found = np.from_dlpack(indices)
    return np.require(found, found.dtype if found.dtype in (np.int32, np.int64) else np.int64, ["W"])


def _mark(used: npt.NDArray[np.bool_], chunk: pa.DictionaryArray) -> None:
    """Note which entries occur, by no more rows than it takes until all have."""
    start, size = 0, _FIRST_ROWS
    while start < len(chunk) and not used.all():
        part = chunk.indices.slice(start, size)
        indices = part.drop_null() if part.null_count else part
        used[np.from_dlpack(indices)] = True
        start, size = start + size, 4 * size


def _ranked(chunks: list[pa.DictionaryArray], kind: pa.DataType) -> tuple[pa.Array, npt.NDArray[Any]]:
    """The sorted distinct strings that occur, and old code → new code (of strings that do not occur: anything)."""
    if not chunks:
        return few_strings([], kind), np.empty(0, np.int8)
    values = chunks[0].dictionary.cast(kind)
    used = np.zeros(len(values), np.bool_)
    for chunk in chunks:
        _mark(used, chunk)
    kept = values if used.all() else values.filter(truths(used))
    ordered, places = Dictionary(kept, is_sorted=False).ranked()
    count = len(ordered)
    ranks = np.zeros(len(values), np.int8 if count <= 2**7 else np.int16 if count <= 2**15 else np.int32)
    ranks[used] = places.numpy()
    return ordered.values, ranks


def is_near_unique(array: pa.ChunkedArray) -> bool:
    """Whether a dictionary would hold more than about half of the rows; always False up to 100,000 rows.

    Judged by samples of consecutive rows, a small one first, a larger one only where the small one hardly repeats: by how many
    of their strings occur once and how many twice there (Chao's estimator).
    """
    rows = len(array)
    return rows > _ALWAYS_ENCODED and all(_hardly_repeats(array, sample) for sample in (_SAMPLE_ROWS, 2 * _SAMPLE_ROWS))


def _hardly_repeats(array: pa.ChunkedArray, rows: int) -> bool:
    half = min(rows, len(array)) // 2
    sample = pa.chunked_array([*array.slice(0, half).chunks, *array.slice(len(array) - half).chunks], array.type)
    known = len(sample) - sample.null_count
    counts = np.from_dlpack(pc.value_counts(_plain(sample).drop_null()).field("counts"))
    if len(counts) <= 0.5 * known:
        return False
    once, twice = np.count_nonzero(counts == 1), np.count_nonzero(counts == 2)
    unseen = once * once / (2 * twice) if twice else float("inf")
    return bool(len(counts) + unseen > 0.5 * len(array) * known / len(sample))


def _plain(array: pa.ChunkedArray) -> pa.ChunkedArray:
    # Arrow's compute functions know views of strings, and bytes of one length, only in part.
    is_plain = array.type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    return array if is_plain else array.cast(_coded_type(array.type))


def _coded_type(kind: pa.DataType) -> pa.DataType:
    """What dictionaries hold the values of an Arrow type as: large_string, or large_binary for bytes."""
    if pa.types.is_dictionary(kind):
        return _coded_type(kind.value_type)
    is_text = kind in (pa.string(), pa.large_string(), pa.string_view())
    return pa.large_string() if is_text else pa.large_binary()


def _valid(array: pa.ChunkedArray) -> Tensor | None:
    if array.null_count == 0:
        return None
    valid = np.concatenate([from_truths(chunk.is_valid()) for chunk in array.chunks])
    return torch.from_numpy(valid)


def _in_row_order(array: pa.ChunkedArray, kind: pa.DataType) -> Column:
    valid = _valid(array)
    pieces = [chunk.cast(kind).fill_null(few_strings([EMPTY[kind]], kind)[0]) for chunk in array.chunks if len(chunk)]
    values = pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces)
    codes = torch.arange(len(array), dtype=torch.int32, device="cpu")
    dictionary = Dictionary(values, is_sorted=False)
    return Column(codes, _DTYPES[kind], valid, dictionary, (0, len(array) - 1))
