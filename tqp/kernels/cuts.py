"""Between which two of some ascending cuts a number lies, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.cuts import find_cells
from tqp.kernels.operation import Variant, operation

__all__ = ["Cuts", "locate"]

_CELLS: Final = 4096
"""Of a grid."""
_FEW: Final = 512
"""Numbers for which a grid is not worth its number of operations."""
_TAILS: Final = (0.0, 0.02, 0.1)
"""Shares of the cuts that a grid may leave out at either end, where they lie far apart."""


class Grid(NamedTuple):
    """A regular grid over the cuts: where it begins, its cells a unit, how many cuts lie before each cell (int32), the cuts with
    infinity behind them, and how many steps of a binary search are left within a cell.
    """

    origin: float
    scale: float
    starts: Tensor
    padded: Tensor
    steps: int


@dataclass(frozen=True, eq=False)
class Cuts:
    """Ascending numbers: `values` (k,), float32 or float64."""

    values: Tensor

    @cached_property
    def grid(self) -> Grid | None:
        """The grid with the fewest steps; None where no cut is finite. For cuts on the CPU."""
        finite = self.values[self.values.isfinite()].double().numpy()
        if not len(finite):
            return None
        grids = [self._grid(*np.quantile(finite, [tail, 1 - tail]).tolist()) for tail in _TAILS]  # host: NumPy
        return min(grids, key=lambda grid: grid.steps)

    def _grid(self, low: float, high: float) -> Grid:
        cuts = self.values
        scale = (_CELLS - 1) / (high - low) if high > low else 0.0
        if not scale <= torch.finfo(cuts.dtype).max:
            scale = 0.0
        counts = np.bincount(_places(cuts, low, scale).numpy(), minlength=_CELLS)
        steps = int(counts.max()).bit_length()  # host: NumPy
        starts = torch.from_numpy((np.cumsum(counts) - counts).astype(np.int32))
        padding = torch.full((2**steps,), torch.inf, dtype=cuts.dtype, device=cuts.device)
        return Grid(low, scale, starts, torch.cat([cuts, padding]), steps)


def _places(values: Tensor, low: float, scale: float) -> Tensor:
    """The cell of the grid that each value lies in."""
    return ((values - low).mul_(scale).clamp_(0, _CELLS - 1)).nan_to_num_(0.0).to(torch.int32)


def _by_grid(numbers: Tensor, cuts: Cuts) -> Tensor:
    assert cuts.grid is not None
    low, scale, starts, padded, steps = cuts.grid
    # Rounding keeps the order, so a cut of an earlier place is below the number and one of a later place is not.
    found = starts.index_select(0, _places(numbers, low, scale))
    for step in reversed(range(steps)):
        above = padded[2**step - 1 :].index_select(0, found) < numbers
        found.add_(above, alpha=2**step)
    return found.masked_fill_(numbers.isnan(), cuts.values.shape[0] + 1)


def _by_loop(numbers: Tensor, cuts: Cuts) -> Tensor:
    assert cuts.grid is not None
    low, scale, starts, padded, steps = cuts.grid
    found = torch.empty(numbers.shape, dtype=torch.int32, device=numbers.device)
    grid = torch.tensor([low, scale, _CELLS - 1], dtype=numbers.dtype, device=numbers.device).numpy()
    missing = cuts.values.shape[0] + 1
    find_cells(
        numbers.contiguous().numpy(),
        grid[:1],
        grid[1:2],
        grid[2:],
        missing,
        starts.numpy(),
        padded.numpy(),
        steps,
        found.numpy(),
    )
    return found


def _is_compiled(numbers: Tensor, cuts: Cuts) -> bool:
    if not _are_worth_a_grid(numbers, cuts):
        return False
    kind = numbers.dtype
    return find_cells.ready(numbers.shape[0], kind, kind, kind, kind, int, torch.int32, kind, int, torch.int32)


def _are_worth_a_grid(numbers: Tensor, cuts: Cuts) -> bool:
    return numbers.shape[0] >= _FEW and cuts.grid is not None


@operation(
    Variant(_by_loop, "cpu", "the grid row by row, in one pass: 2 to 4 times faster than its operations", _is_compiled),
    Variant(
        _by_grid,
        "cpu",
        "a grid and a few steps of search as whole-column operations: 5 to 8 times faster than row by row",
        _are_worth_a_grid,
    ),
)
def locate(numbers: Tensor, cuts: Cuts) -> Tensor:
    """How many of the cuts (k,) are below each of `numbers` (n,) of their dtype: (n,) int32, k + 1 for NaN. One search a number."""
    found = torch.bucketize(numbers.contiguous(), cuts.values.contiguous(), out_int32=True)
    return found.masked_fill_(numbers.isnan(), cuts.values.shape[0] + 1)
