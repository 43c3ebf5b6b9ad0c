"""Several labels a row: the places that each output chooses, and the labels there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.models.steps import Constant

__all__ = ["Labels", "chosen", "texts_of_labels"]

Labels = tuple[tuple[str, ...], ...]
"""The texts that each output chooses from."""
_TABLES: Final = {"b": torch.int64, "i": torch.int64, "u": torch.int64}


def texts_of_labels(classes: Sequence[Any]) -> Labels | None:
    """The labels of each output as texts where some output has such, as in the array that a library makes of them; else None."""
    plain = [np.asarray(labels).tolist() for labels in classes]  # host: NumPy
    if not any(isinstance(label, str) for labels in plain for label in labels):
        return None
    return tuple(tuple(map(str, labels)) for labels in plain)


def chosen(classes: Sequence[Any]) -> Callable[[Sequence[Tensor]], Tensor]:
    """A function of the places (n,) int64 that each output chooses among its `classes`.

    It gives the places (n, outputs) int64 of labels that are text, else the labels there: int64, or float64 for fractions.
    """
    if texts_of_labels(classes) is not None:
        return lambda places: torch.stack(list(places), dim=1)
    numbers = [np.asarray(np.asarray(labels).tolist()) for labels in classes]  # host: NumPy
    dtypes = {_TABLES.get(labels.dtype.kind, torch.float64) for labels in numbers}
    dtype = dtypes.pop() if len(dtypes) == 1 else torch.float64
    tables = [Constant(labels, dtype) for labels in numbers]

    def labels_there(places: Sequence[Tensor]) -> Tensor:
        pairs = zip(tables, places, strict=True)
        return torch.stack([table.on(index.device).index_select(0, index) for table, index in pairs], dim=1)

    return labels_there
