"""From numbers to cells: between which two thresholds of the ensemble a value lies, exactly.

All splits of a feature ask the same question, so it is answered once a row (`kernels/cuts.py`); the kernels then work on small
integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.kernels.cuts import Cuts, locate
from tqp.models.features import Coded, Feature, Numeric, dense
from tqp.models.trees.ensemble import Ensemble

__all__ = ["Cells", "Located", "goes_left", "locate_block", "locate_table", "shape"]


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The cell of a feature in each row: cells (n,) int32, or cells (k,) of the table that `codes` (n,) points to."""

    cells: Tensor
    codes: Tensor | None

    def rows(self) -> Tensor:
        """The cells (n,) int32."""
        return self.cells if self.codes is None else self.cells.index_select(0, self.codes)


class Cells:
    """The cells of one feature on one device: cell i holds cuts[i-1] < x <= cuts[i]; the last but one what is above,
    the last one NaN.
    """

    def __init__(self, cuts: npt.NDArray[np.float64], dtype: torch.dtype, device: torch.device) -> None:
        self.dtype = dtype
        self.cuts = Cuts(torch.tensor(cuts, dtype=dtype, device=device))

    def locate(self, feature: Feature) -> Located:
        """The cells of a numeric or coded feature; a coded one is compared once for each entry of its table."""
        if isinstance(feature, Coded):
            return Located(self(feature.values.to(self.dtype)), feature.codes)
        return Located(self(dense(feature, self.dtype)), None)

    def __call__(self, values: Tensor) -> Tensor:
        """The cells (n,) int32 of the values (n,) of the dtype."""
        return locate(values, self.cuts)


def goes_left(trees: Ensemble, node: int, cuts: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Where an inner node sends each cell of its feature: (len(cuts) + 2,), the last entry for a missing value."""
    values = np.append(cuts, np.inf)
    if node in trees.sets:
        low, high = trees.sets[node][:, :1], trees.sets[node][:, 1:]
        left = (((low < values) | np.isneginf(low)) & (values <= high)).any(axis=0)
    else:
        left = values <= trees.threshold[node]
        left[-1] = False
    return np.append(left, trees.missing_left[node])


def shape(features: Sequence[Feature]) -> tuple[int, torch.device]:
    """Rows and device."""
    first = features[0]
    rows = (
        first.codes if isinstance(first, Coded) else first.values if isinstance(first, Numeric) else first.column.data
    )
    return rows.shape[0], rows.device


def locate_table(cells: Cells, feature: Feature) -> Located | None:
    """The cells of a coded feature's table, found once for all blocks."""
    return cells.locate(feature) if isinstance(feature, Coded) else None


def locate_block(known: Located | None, cells: Cells, feature: Feature, start: int, stop: int) -> Located:
    """The cells of rows start..stop-1."""
    if known is not None and known.codes is not None:
        return Located(known.cells, known.codes[start:stop])
    if isinstance(feature, Numeric):
        return cells.locate(Numeric(feature.values[start:stop]))
    raise TypeError("trees read numbers; an encoder has to come before them")
