"""Inputs that are hard for trees: random rows, rows on the thresholds and next to them, missing, huge and tiny values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from tqp.models.features import Coded, Feature, Numeric
from tqp.models.trees.ensemble import Ensemble
from tqp.models.trees.predictor import TreePredictor

Rows = npt.NDArray[np.float64]


def training(rows: int = 400, features: int = 5, seed: int = 0, *, missing: float = 0.0) -> Rows:
    """Normal features, some of them of few distinct values, one heavy-tailed."""
    random = np.random.default_rng(seed)
    table = random.normal(size=(rows, features))
    table[:, 1] = random.integers(-3, 4, rows)
    table[:, 2] = np.exp(3 * table[:, 2])
    table[random.random(table.shape) < missing] = np.nan
    return table


def hostile(trees: Ensemble, rows: int = 1500, seed: int = 1, *, missing: bool = True, huge: bool = True) -> Rows:
    """Rows for a model of these trees, around its thresholds."""
    random = np.random.default_rng(seed)
    table = training(rows, trees.features, seed)
    cuts = trees.cuts()
    for place in range(trees.features):
        near = cuts.get(place, np.zeros(1))
        near = np.append(near[np.isfinite(near)], 0.0)
        kind = np.float32 if trees.dtype is torch.float32 else np.float64
        picked = random.choice(near, rows).astype(kind)
        with np.errstate(over="ignore"):
            up, down = np.nextafter(picked, kind(np.inf)), np.nextafter(picked, kind(-np.inf))
        choices = [picked, up, down]
        choice = random.integers(0, 8, rows)
        for number, values in enumerate(choices):
            table[:, place] = np.where(choice == number, values, table[:, place])
        # Just above a float32 threshold in float64: rounded down onto it before it is compared.
        table[:, place] = np.where(choice == 3, np.nextafter(picked.astype(np.float64), np.inf), table[:, place])
        extremes = [1e-40, -1e-40, 0.0, -0.0, 1e-35, -1e-35]
        if huge:
            extremes += [1e18, -1e18, 2.0**31, 300.5]
        table[:, place] = np.where(choice == 4, random.choice(extremes, rows), table[:, place])
        if missing:
            table[random.random(rows) < 0.1, place] = np.nan
    return table


def numeric(table: Rows, dtype: torch.dtype = torch.float64) -> list[Feature]:
    """A numeric feature for each column."""
    return [Numeric(torch.tensor(column, dtype=dtype)) for column in table.T]


def coded(table: Rows, entries: int = 300) -> tuple[list[Feature], Rows]:
    """Features of few values of the same rows (all of one `codes`), and the table of them."""
    codes = torch.randint(0, entries, (len(table),), dtype=torch.int32, generator=torch.Generator().manual_seed(3))
    features: list[Feature] = [Coded(codes, torch.tensor(column[:entries])) for column in table.T]
    return features, table[:entries][codes.numpy()]


def trees_of(predictor: object) -> Ensemble:
    assert isinstance(predictor, TreePredictor)
    return predictor.trees


def labels(classes: Sequence[object] | None, index: torch.Tensor) -> npt.NDArray[np.generic]:
    assert classes is not None
    return np.asarray(classes)[index.numpy()]
