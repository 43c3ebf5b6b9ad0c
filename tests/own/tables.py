"""A table of numbers, text and NULLs, and connections that cut it into small batches."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

import tqp

ROWS = 60


def table() -> pa.Table:
    rows = range(ROWS)
    return pa.table({
        "id": pa.array(rows, pa.int64()),
        "g": pa.array([row % 4 if row % 7 else None for row in rows], pa.int32()),
        "x": pa.array([row * 3 % 11 if row % 5 else None for row in rows], pa.int64()),
        "f": pa.array([row / 4 if row % 6 else None for row in rows], pa.float64()),
        "d": pa.array([Decimal(row) / 4 for row in rows], pa.decimal128(9, 2)),
        "s": pa.array(["abcd"[: row % 4] if row % 9 else None for row in rows]),
        "t": pa.array([row * 100 for row in rows], pa.date32()),
        "b": pa.array([row % 3 == 0 for row in rows]),
    })  # fmt: skip


def connected(**settings: Any) -> tqp.Connection:
    con = tqp.connect(**{"threads": 1, **settings})
    con.register("t", table())
    return con
