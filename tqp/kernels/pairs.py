"""How much two strings differ, pair by pair in compiled loops; `tqp.kernels.distances` does the same for blocks of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels.loops.distances import (
    count_differing,
    count_edits,
    count_edits_and_exchanges,
    share_of_kinds,
    share_of_matches,
)
from tqp.kernels.loops.loop import Kind, Loop

__all__ = ["are_measured", "are_short", "measured"]

_Sizes = npt.NDArray[np.int64]
_Room = Callable[[_Sizes, _Sizes], int]


def _row(lefts: _Sizes, rights: _Sizes) -> int:
    return int(rights.max()) + 1  # host: NumPy, no tensor


def _table(lefts: _Sizes, rights: _Sizes) -> int:
    return int(((lefts + 1) * (rights + 1)).max())  # host: NumPy, no tensor


def _both(lefts: _Sizes, rights: _Sizes) -> int:
    return int((lefts + rights).max())  # host: NumPy, no tensor


@dataclass(frozen=True, slots=True)
class _Measure:
    """A loop, what its table of signs holds, how many cells it wants for strings of such lengths, and what it is told besides."""

    loop: Loop[..., None]
    table: torch.dtype | None = None
    room: _Room | None = None
    told: tuple[bool, ...] = ()


_MEASURES: Final = {
    "damerau_levenshtein": _Measure(count_edits_and_exchanges, torch.int64, _table),
    "hamming": _Measure(count_differing),
    "jaccard": _Measure(share_of_kinds, torch.int64),
    "jaro": _Measure(share_of_matches, torch.uint64, _both, (False,)),
    "jaro_winkler": _Measure(share_of_matches, torch.uint64, _both, (True,)),
    "levenshtein": _Measure(count_edits, torch.uint64, _row),
}
_PLACES: Final[tuple[Kind, ...]] = (torch.int64,) * 4
_PAIRS: Final = 1 << 16
"""So many are measured at once, as no query is interrupted meanwhile."""
_CELLS: Final = 1 << 26
"""Of the tables of strings that are measured at once: some tenths of a second."""


def are_measured(measure: str, signs: Tensor, result: Tensor) -> bool:
    """Whether the loop is there for such signs and results; of counts (n,) int64 or shares (n,) float64."""
    found = _MEASURES[measure]
    tables = () if found.table is None else (found.table,)
    cells = () if found.room is None else (torch.int64,)
    return found.loop.ready(len(result), signs.dtype, *_PLACES, *tables, *cells, *map(type, found.told), result.dtype)


def are_short(lefts: Tensor, rights: Tensor) -> bool:
    """Whether no pair of strings of those lengths, (n,) int64 on the CPU, takes a loop longer than a query may be stopped."""
    return bool((lefts.numpy() * rights.numpy()).max(initial=0) <= _CELLS)  # host: NumPy, no tensor


def _parts(sizes: _Sizes) -> Iterator[slice]:
    """The pairs, whose tables have so many cells, as many at a time as may be measured at once; one at least."""
    before, start = np.cumsum(sizes), 0
    while start < len(sizes):
        most = (before[start - 1] if start else 0) + _CELLS
        stop = min(max(int(np.searchsorted(before, most, "right")), start + 1), start + _PAIRS)
        yield slice(start, stop)
        start = stop


def measured(
    measure: str, signs: Tensor, lefts: tuple[Tensor, Tensor], rights: tuple[Tensor, Tensor], result: Tensor
) -> None:
    """Write to `result` (n,) how much the strings of each pair differ, or are alike.

    Those of pair i are `signs[lefts[0][i]:lefts[1][i]]` and `signs[rights[0][i]:rights[1][i]]`, on the CPU. Signs are (m,) small
    integers from 0 on, as there is a table of them; places are (n,) int64. For what `are_measured`.
    """
    found = _MEASURES[measure]
    own = signs.contiguous().numpy()
    kinds = int(own.max(initial=0)) + 1  # host: NumPy, no tensor
    bounds: list[_Sizes] = [bound.contiguous().numpy() for bound in (*lefts, *rights)]
    sizes = (bounds[1] - bounds[0]) * (bounds[3] - bounds[2])
    for part in _parts(sizes):
        checkpoint()
        begins, stops, starts, ends = (bound[part] for bound in bounds)
        scratch = []
        if found.table is not None:
            scratch.append(torch.zeros(kinds, dtype=found.table, device="cpu").numpy())
        if found.room is not None:
            scratch.append(np.empty(found.room(stops - begins, ends - starts), np.int64))
        found.loop(own, begins, stops, starts, ends, *scratch, *found.told, result.numpy()[part])
