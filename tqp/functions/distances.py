"""How much two texts differ: once for each distinct pair, many pairs at a time. Characters count: code points, as in DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.to_arrow import few_strings, truths
from tqp.functions.code_points import CODES, CodePoints, code_points
from tqp.functions.entries import Entries, spread
from tqp.functions.registry import Args, Kernel, scalar
from tqp.functions.signatures import fixed
from tqp.interrupt import checkpoint
from tqp.kernels import distances, pairs
from tqp.types import BIGINT, DOUBLE, VARCHAR, DType

__all__: list[str] = []

_OfBlock = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of strings: the signs of all, (m,) uint8 or int32, and where the left and the right ones begin and end, (n,) int64."""

    signs: Tensor
    lefts: tuple[Tensor, Tensor]
    rights: tuple[Tensor, Tensor]

    @property
    def lengths(self) -> tuple[Tensor, Tensor]:
        """Those of the left and the right strings, (n,) int64."""
        (begins, stops), (starts, ends) = self.lefts, self.rights
        return stops - begins, ends - starts

    def measured(self, measure: str, result: Tensor) -> None:
        """The measure of each pair, written to the result (n,)."""
        lengths, others = self.lengths
        if pairs.are_short(lengths, others) and pairs.are_measured(measure, self.signs, result):
            pairs.measured(measure, self.signs, self.lefts, self.rights, result)
            return
        (begins, _), (starts, _) = self.lefts, self.rights
        function, tables = _BLOCKS[measure]
        for chosen, width, other in distances.blocks(lengths, others, tables):
            checkpoint()
            result[chosen] = function(
                distances.rows_of_signs(self.signs, begins[chosen], width),
                lengths[chosen],
                distances.rows_of_signs(self.signs, starts[chosen], other),
                others[chosen],
            ).to(result.dtype)


_BLOCKS: Final[dict[str, tuple[_OfBlock, bool]]] = {
    "damerau_levenshtein": (distances.damerau_levenshtein, True),
    "hamming": (distances.hamming, False),
    "jaccard": (distances.jaccard, False),
    "jaro": (distances.jaro, False),
    "jaro_winkler": (partial(distances.jaro, winkler=True), False),
    "levenshtein": (distances.levenshtein, False),
}
"""What measures a block of pairs, and whether it keeps a table for each."""


def _pairs(entries: Entries) -> _Pairs:
    """The texts that are the first two operands: ASCII, or the numbers of the characters that there are."""
    sides = [
        operand if isinstance(operand, pa.Array) else few_strings([operand], pa.large_string())
        for operand in entries.operands[:2]
    ]
    first, second = map(code_points, sides)
    signs = np.concatenate([first.codes, second.codes])
    if signs.dtype != np.uint8:
        every = CodePoints(signs, first.bounds)
        numbers = np.zeros(CODES, np.int32)
        numbers[every.distinct] = np.arange(len(every.distinct))
        signs = numbers.astype(np.uint8 if len(every.distinct) <= 256 else np.int32)[signs]

    def places(bounds: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        begins, stops = (np.broadcast_to(part, entries.count).copy() for part in (bounds[:-1], bounds[1:]))
        return torch.from_numpy(begins), torch.from_numpy(stops)

    return _Pairs(torch.from_numpy(signs), places(first.bounds), places(second.bounds + len(first.codes)))


def _require(entries: Entries, args: Args, failed: Tensor, message: str) -> None:
    entries.check(truths(failed.numpy()), args, lambda entry: message)


def _same_lengths(entries: Entries, args: Args, lefts: Tensor, rights: Tensor) -> None:
    name = "hamming compares texts of"
    _require(entries, args, lefts != rights, f"{name} equal length")
    _require(entries, args, lefts == 0, f"{name} at least 1 character")


def _not_empty(entries: Entries, args: Args, lefts: Tensor, rights: Tensor) -> None:
    _require(entries, args, (lefts == 0) | (rights == 0), "jaccard takes no empty text")


def _measured(measure: str, check: Callable[[Entries, Args, Tensor, Tensor], None] | None = None) -> Kernel:
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
        given = _pairs(entries)
        if check is not None:
            check(entries, args, *given.lengths)
        result = torch.zeros(entries.count, dtype=torch.float64 if out == DOUBLE else torch.int64, device="cpu")
        given.measured(measure, result)
        return entries.finish(result.numpy(), out)

    return kernel


def _similar(measure: str) -> Kernel:
    """A similarity, 0 where it is less than the third argument."""
    plain = _measured(measure)

    def kernel(args: Args, out: DType) -> Column:
        found = plain(args[:2], out)
        if len(args) == 2:
            return found
        least = args[2].data
        return Column(torch.where(found.data >= least, found.data, torch.zeros_like(found.data)), out)

    return kernel


for _names, _out, _kernel in (
    ("levenshtein editdist3", BIGINT, _measured("levenshtein")),
    ("damerau_levenshtein", BIGINT, _measured("damerau_levenshtein")),
    ("hamming mismatches", BIGINT, _measured("hamming", _same_lengths)),
    ("jaccard", DOUBLE, _measured("jaccard", _not_empty)),
):
    scalar(*_names.split(), types=fixed(_names.split()[0], _out, VARCHAR, VARCHAR), on_distinct=True)(_kernel)

for _names, _kernel in (
    ("jaro_similarity", _similar("jaro")),
    ("jaro_winkler_similarity jarowinklersimilarity", _similar("jaro_winkler")),
):
    _types = fixed(_names.split()[0], DOUBLE, VARCHAR, VARCHAR, DOUBLE, optional=1)
    scalar(*_names.split(), types=_types)(_kernel)
