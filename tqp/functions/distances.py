"""How much two texts differ: once for each distinct pair, many pairs at a time. Characters count: code points, as in DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.functions.entries import Entries, spread
from tqp.functions.registry import Args, Kernel, scalar
from tqp.functions.signatures import fixed
from tqp.interrupt import checkpoint
from tqp.kernels import distances
from tqp.types import BIGINT, DOUBLE, VARCHAR, DType

__all__: list[str] = []

_OfBlock = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def _of_pairs(
    function: _OfBlock, tables: bool, left: pa.Array, right: pa.Array, result: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The function of each pair (n,) of strings, written to the result."""
    (first, first_ends), (second, second_ends) = _signs(left, right)
    lengths, others = first_ends.diff(), second_ends.diff()
    for pairs, width, other in distances.blocks(lengths, others, tables):
        checkpoint()
        result[pairs.numpy()] = function(
            distances.rows_of_signs(first, first_ends[pairs], width),
            lengths[pairs],
            distances.rows_of_signs(second, second_ends[pairs], other),
            others[pairs],
        ).numpy()
    return result


def _signs(*sides: pa.Array) -> list[tuple[Tensor, Tensor]]:
    """The signs of all strings of a side and where each string begins: bytes where all are ASCII, else code points."""
    found = [_bytes(strings) for strings in sides]
    if all(data.numpy().max(initial=0) < 128 for data, _ in found):
        return found
    return [(_code_points(data), _places(data)[offsets]) for data, offsets in found]


def _bytes(strings: pa.Array) -> tuple[Tensor, Tensor]:
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    # Those of these strings alone: Arrow keeps others, and room, beside them.
    first, last = (int(offsets[place]) for place in (0, -1))  # host: on the CPU
    return data[first:last], offsets - first


def _code_points(data: Tensor) -> Tensor:
    wide = data.numpy().tobytes().decode().encode("utf-32-le")
    return torch.from_numpy(np.frombuffer(wide, np.int32).copy())


def _places(data: Tensor) -> Tensor:
    """How many characters begin before each place of the bytes, the end included."""
    begins = (data & 0xC0) != 0x80
    return torch.nn.functional.pad(begins.cumsum(0), (1, 0))


def _require(entries: Entries, args: Args, failed: pa.Array, message: str) -> None:
    entries.check(failed.fill_null(False), args, lambda entry: message)


def _sizes(entries: Entries) -> tuple[pa.Array, pa.Array]:
    return pc.utf8_length(entries.array(0)), pc.utf8_length(entries.array(1))


def _same_lengths(entries: Entries, args: Args) -> None:
    left, right = _sizes(entries)
    name = "hamming compares texts of"
    _require(entries, args, pc.not_equal(left, right), f"{name} equal length")
    _require(entries, args, pc.equal(left, 0), f"{name} at least 1 character")


def _not_empty(entries: Entries, args: Args) -> None:
    left, right = _sizes(entries)
    _require(entries, args, pc.or_(pc.equal(left, 0), pc.equal(right, 0)), "jaccard takes no empty text")


def _counted(function: _OfBlock, check: Callable[[Entries, Args], None] | None = None, tables: bool = False) -> Kernel:
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
        if check is not None:
            check(entries, args)
        zeros = np.zeros(entries.count, np.float64 if out == DOUBLE else np.int64)
        return entries.finish(_of_pairs(function, tables, entries.array(0), entries.array(1), zeros), out)

    return kernel


def _similar(winkler: bool) -> Kernel:
    """A similarity, 0 where it is less than the third argument."""
    plain = _counted(partial(distances.jaro, winkler=winkler))

    def kernel(args: Args, out: DType) -> Column:
        found = plain(args[:2], out)
        if len(args) == 2:
            return found
        least = args[2].data
        return Column(torch.where(found.data >= least, found.data, torch.zeros_like(found.data)), out)

    return kernel


for _names, _out, _kernel in (
    ("levenshtein editdist3", BIGINT, _counted(distances.levenshtein)),
    ("damerau_levenshtein", BIGINT, _counted(distances.damerau_levenshtein, tables=True)),
    ("hamming mismatches", BIGINT, _counted(distances.hamming, _same_lengths)),
    ("jaccard", DOUBLE, _counted(distances.jaccard, _not_empty)),
):
    scalar(*_names.split(), types=fixed(_names.split()[0], _out, VARCHAR, VARCHAR), on_distinct=True)(_kernel)

for _names, _kernel in (
    ("jaro_similarity", _similar(winkler=False)),
    ("jaro_winkler_similarity jarowinklersimilarity", _similar(winkler=True)),
):
    _types = fixed(_names.split()[0], DOUBLE, VARCHAR, VARCHAR, DOUBLE, optional=1)
    scalar(*_names.split(), types=_types)(_kernel)
