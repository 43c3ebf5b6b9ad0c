"""Zone maps: what the values of each block of rows of a stored column lie between."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.kernels import waits
from tqp.kernels.zones import ends

__all__ = ["Zones", "make"]

_SAMPLE: Final = 16
_CLUSTERED: Final = 0.5
"""Blocks tell something if this share of them has values that spread over no more than this share of all."""
_WHETHER: Final = "whether blocks of a stored column differ"


@dataclass(frozen=True, slots=True, eq=False)
class Zones:
    """Of each block of `block` rows of a column (the last one may have fewer) the least and the greatest value.

    `lows`, `highs`: columns (blocks,) of the column's form, NULL where a block has no value. `nulls` (blocks,) bool: whether it has
    a NULL; None: none has.
    """

    block: int
    lows: Column
    highs: Column
    nulls: Tensor | None

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def nbytes(self) -> int:
        return self.lows.nbytes + self.highs.nbytes + (0 if self.nulls is None else self.nulls.nbytes)


def make(column: Column, block: int) -> Zones | None:
    """The zones of a stored column of at least one row; None where it has none, or a sample of blocks says that all are alike.

    Values of one element in the order of the tensor have zones: numbers, times, codes of a sorted dictionary. Costs a pass for each
    end, and one for NULLs; the sample is at most 16 blocks.
    """
    data, valid = column.data, column.valid
    if column.encoding not in (Encoding.FLAT, Encoding.CODES) or data.ndim != 1 or not data.dtype.is_signed:
        return None
    if column.dictionary is not None and not column.dictionary.is_sorted:
        return None
    if not _is_clustered(data, valid, block):
        return None
    found = ends(data, valid, block)
    ends_of = [found.lows, found.highs]
    if found.known is not None:
        # Codes lie within their dictionary, those of NULLs too.
        ends_of = [torch.where(found.known, end, data[::block]) for end in ends_of]
    lows, highs = (
        Column(end, column.dtype, found.known, column.dictionary, column.bounds, column.encoding) for end in ends_of
    )
    return Zones(block, lows, highs, found.nulls)


def _is_clustered(data: Tensor, valid: Tensor | None, block: int) -> bool:
    """Whether blocks spread evenly over the rows have other values each, or NULLs in some alone."""
    whole = data.shape[0] // block
    if whole < 2:
        return True
    places = [place * (whole - 1) // (_SAMPLE - 1) for place in range(_SAMPLE)] if whole > _SAMPLE else range(whole)
    rows = torch.cat([data[place * block : (place + 1) * block] for place in places])
    known = None if valid is None else torch.cat([valid[place * block : (place + 1) * block] for place in places])
    found = ends(rows, known, block)
    if found.nulls is not None and waits.truth(found.nulls.any() & ~found.nulls.all(), _WHETHER):
        return True
    lows, highs = found.lows.double(), found.highs.double()
    known = lows == lows if found.known is None else found.known
    least, most = (waits.masked(end, known & end.isfinite(), _WHETHER) for end in (lows, highs))
    if least.numel() == 0 or most.numel() == 0:
        return True
    # A block of NaN alone, or without a value, is one that differs; one that has others too spreads over nobody knows what.
    spread = torch.where(lows.isinf() & highs.isnan() | ~known, 0.0, (highs - lows).nan_to_num(inf))
    return waits.truth((spread <= _CLUSTERED * (most.max() - least.min())).double().mean() >= _CLUSTERED, _WHETHER)
