"""Rows that are objects of Python: dicts, tuples, named tuples and dataclasses."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from tqp.errors import SourceError

__all__ = ["columns_of_rows", "is_rows"]


def is_rows(value: Any) -> bool:
    """Whether it is a list, not empty, of rows of one kind: all have names, all have places, or all are arrays or batches."""
    if type(value) not in (list, tuple) or not value:
        return False
    return any(all(map(is_one, value)) for is_one in (_is_named, _is_placed, _is_array, _is_batch))


def columns_of_rows(rows: list[Any]) -> dict[str, list[Any]]:
    """The values of each column, in the order in which names first come; None where a row does not have it.

    Rows without names have columns `column0`, `column1`, …; SourceError where they differ in length.
    """
    if all(map(_is_named, rows)):
        dicts = [_named(row) for row in rows]
        names = dict.fromkeys(name for row in dicts for name in row)
        if not names:
            raise SourceError("none of the rows has a value", hint="a table has at least one column")
        return {str(name): [row.get(name) for row in dicts] for name in names}
    width = len(rows[0])
    if not width:
        raise SourceError("row 0 has no values", hint="a table has at least one column")
    for place, row in enumerate(rows):
        if len(row) != width:
            raise SourceError(
                f"row {place} has {len(row)} values, and row 0 has {width}",
                hint="rows that lack values are dicts",
            )
    return {f"column{place}": [row[place] for row in rows] for place in range(width)}


def _is_named(row: Any) -> bool:
    return isinstance(row, dict) or hasattr(row, "_fields") or (is_dataclass(row) and not isinstance(row, type))


def _is_placed(row: Any) -> bool:
    return isinstance(row, list | tuple) and not hasattr(row, "_fields")


def _is_array(row: Any) -> bool:
    return isinstance(row, np.ndarray | torch.Tensor)


def _is_batch(row: Any) -> bool:
    return isinstance(row, pa.RecordBatch)


def _named(row: Any) -> dict[Any, Any]:
    if isinstance(row, dict):
        return row
    if hasattr(row, "_fields"):
        return dict(zip(row._fields, row, strict=True))
    return {field.name: getattr(row, field.name) for field in fields(row)}
