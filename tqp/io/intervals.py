"""INTERVAL and the lengths of time of NumPy, pandas and polars, which are of microseconds alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError

__all__ = ["interval_microseconds", "with_days"]

_DAY: Final = 86_400_000_000


def with_days(column: Column, *, floor: bool = False) -> Column:
    """The INTERVAL column with days taken out of its microseconds, as DuckDB reads lengths of NumPy, pandas and Python.

    Those of NumPy and pandas are parted towards zero, and 30 days are a month; `floor` parts those of `timedelta`
    objects, whose seconds are never negative and which know no months.
    """
    micros = column.data[:, 2]
    days = torch.div(micros, _DAY, rounding_mode="floor" if floor else "trunc")
    months = torch.zeros_like(days) if floor else torch.div(days, 30, rounding_mode="trunc")
    return replace(column, data=torch.stack([months, days - months * 30, micros - days * _DAY], 1))


def interval_microseconds(column: Column, name: str) -> npt.NDArray[np.int64]:
    """(n,) the lengths of an INTERVAL column on the host with months of 30 days; 0 for NULL.

    Raises ExecutionError, which says the column `name`, where 64 bits do not hold one.
    """
    cells = column.data.numpy()
    if column.valid is not None:
        cells = np.where(column.valid.numpy()[:, None], cells, 0)
    months, days, micros = cells.T
    # Days fit 64 bits in any case; what they are in microseconds may not, which floats see well enough.
    whole = months * 30 + days
    rough = whole.astype(np.float64) * _DAY + micros
    if (np.abs(rough) >= 2.0**63 - 2048).any():
        row = int(np.flatnonzero(np.abs(rough) >= 2.0**63 - 2048)[0])
        raise ExecutionError(
            f"column {name!r}, row {row}: an INTERVAL of more than 292,000 years has no length in microseconds",
            hint="cast it to VARCHAR, or use arrow()",
        )
    lengths: npt.NDArray[np.int64] = whole * _DAY + micros
    return lengths
