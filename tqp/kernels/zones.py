"""What the values of blocks of rows lie between."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import torch
from torch import Tensor

__all__ = ["Ends", "count", "ends", "places", "runs"]

_AT_ONCE = 2**21
"""Rows whose copies, made where there are NULLs or NaN, are there at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Of each of some blocks of rows the least and the greatest value.

    `lows`, `highs` (blocks,) of the dtype of the values; the order of floats is SQL's, NaN the greatest, but a low is no NaN: of
    NaN alone it is infinite. `known`, `nulls` (blocks,) bool or None: where a block has a value at all, and where it has a NULL;
    None: all have, none has. Where there is no value the ends mean nothing.
    """

    lows: Tensor
    highs: Tensor
    known: Tensor | None
    nulls: Tensor | None


def ends(data: Tensor, valid: Tensor | None, block: int) -> Ends:
    """The ends of blocks of `block` rows of `data` (n,) signed integers or floats; the last one may have fewer. n >= 1.

    A pass over the rows for each end (int64: one for both), one more for NULLs (`valid` (n,) bool or None) and for NaN.
    """
    step = max(_AT_ONCE // block, 1) * block
    starts = range(0, data.shape[0], step)
    return _joined([
        _part(data[at : at + step], None if valid is None else valid[at : at + step], block) for at in starts
    ])  # fmt: skip


def _joined(parts: list[Ends]) -> Ends:
    """The blocks of several parts, one below the other; all of them know of NULLs, or none."""
    lows, highs = (torch.cat([getattr(part, end) for part in parts]) for end in ("lows", "highs"))
    known = [part.known for part in parts if part.known is not None]
    nulls = [part.nulls for part in parts if part.nulls is not None]
    return Ends(lows, highs, torch.cat(known) if known else None, torch.cat(nulls) if nulls else None)


def _part(data: Tensor, valid: Tensor | None, block: int) -> Ends:
    whole = data.shape[0] // block * block
    parts = []
    for start, stop, size in ((0, whole, block), (whole, data.shape[0], data.shape[0] - whole)):
        if start < stop:
            rows = data[start:stop].view(-1, size)
            parts.append(_of_matrix(rows, None if valid is None else valid[start:stop].view(-1, size)))
    return _joined(parts)


def _of_matrix(data: Tensor, valid: Tensor | None) -> Ends:
    """The ends of the rows of a matrix."""
    least: float = -inf
    most: float = inf
    if not data.dtype.is_floating_point:
        limits = torch.iinfo(data.dtype)
        least, most = limits.min, limits.max
    low = high = data
    if data.dtype.is_floating_point:
        low = torch.where(data.isnan(), most, data)
    if valid is None and data.dtype is torch.int64:
        # One pass; of narrower ones each end is found by wider instructions.
        return Ends(*torch.aminmax(data, dim=1), None, None)
    if valid is None:
        return Ends(low.amin(1), high.amax(1), None, None)
    low, high = torch.where(valid, low, most), torch.where(valid, high, least)
    return Ends(low.amin(1), high.amax(1), valid.any(1), ~valid.all(1))


def count(mask: Tensor) -> int:
    """How many are true of a mask (n,) bool in the host's memory."""
    return int(np.count_nonzero(mask.numpy()))  # host: NumPy, no tensor


def places(mask: Tensor) -> list[int]:
    """The places of the true values of a mask (n,) bool in the host's memory."""
    found: list[int] = mask.numpy().nonzero()[0].tolist()  # host: NumPy, no tensor
    return found


def runs(mask: Tensor) -> list[tuple[int, int]]:
    """The runs of true values of a mask (n,) bool in the host's memory: the first place of each, and the one after its last."""
    edges = np.diff(mask.numpy().astype(np.int8), prepend=0, append=0).nonzero()[0]  # host: NumPy, no tensor
    places: list[int] = edges.tolist()  # host: NumPy, no tensor
    return list(zip(places[::2], places[1::2], strict=True))
