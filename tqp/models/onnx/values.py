"""What flows through an ONNX graph: tensors, and rows that share a table of values so that a step can work on the table.

Text exists only as such tables; rows of text are codes. A matrix may be a list of columns as long as nothing needs it whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.kernels import waits

__all__ = [
    "Indexed", "Parts", "Strings", "Unsupported", "Value", "by_code", "by_row", "columns", "dense", "ints", "taken",
    "width",
]  # fmt: skip

Strings = npt.NDArray[np.object_]
"""Texts; None is a missing one, which equals no other."""


class Unsupported(ModelError):
    """An operator, attribute or type of ONNX that has no tensor program here; `what` names it."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is not a tensor operation here")


@dataclass(frozen=True, slots=True, eq=False)
class Indexed:
    """The value `table[codes]`: codes of any shape, integers in 0..k-1; a table (k, …) of numbers or (k,) of texts."""

    codes: Tensor
    table: Tensor | Strings


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The matrix (n, m) of the parts (n, m1), (n, m2), … side by side; tables of their parts are in row form."""

    parts: tuple[Tensor | Indexed, ...]


Value = Tensor | Strings | Indexed | Parts


def taken(indexed: Indexed) -> Tensor:
    """The numbers of an indexed value."""
    if not isinstance(indexed.table, Tensor):
        raise Unsupported("a step on rows of text")
    flat = indexed.table.index_select(0, indexed.codes.reshape(-1))
    return flat.reshape(*indexed.codes.shape, *indexed.table.shape[1:])


def dense(value: Value) -> Tensor:
    """The value as one tensor; Unsupported for text."""
    match value:
        case Tensor():
            return value
        case Indexed():
            return taken(value)
        case Parts():
            return torch.cat([dense(part) for part in value.parts], dim=1)
        case _:
            raise Unsupported("text where numbers are due")


def by_row(value: Indexed) -> Indexed | None:
    """The same value with codes (n,), so that an entry of the table is all of a row; None where rows have several codes."""
    codes, table = value.codes, value.table
    if codes.ndim == 0 or any(size != 1 for size in codes.shape[1:]):
        return None
    return Indexed(codes.reshape(-1), table.reshape(table.shape[0], *codes.shape[1:], *table.shape[1:]))


def by_code(value: Indexed) -> Indexed | None:
    """The same value with a table (k,), so that the codes have its shape; None where an entry is several values."""
    codes, table = value.codes, value.table
    if any(size != 1 for size in table.shape[1:]):
        return None
    return Indexed(codes.reshape(*codes.shape, *table.shape[1:]), table.reshape(-1))


def width(value: Value) -> int:
    """The columns of a matrix."""
    match value:
        case Parts():
            return sum(map(width, value.parts))
        case Indexed():
            return int(value.table.shape[1] if value.codes.ndim == 1 else value.codes.shape[1])
        case _:
            return int(value.shape[1])


def columns(value: Value) -> list[Tensor | Indexed]:
    """The columns of a matrix, each (n, 1); the tables in row form."""
    match value:
        case Parts():
            return [column for part in value.parts for column in columns(part)]
        case Indexed():
            found = by_row(value)
            if found is not None and found.table.ndim == 2:
                tables = [found.table[:, place : place + 1] for place in range(found.table.shape[1])]
                return [Indexed(found.codes, table) for table in tables]
            flat = by_code(value)
            assert flat is not None
            return [Indexed(codes, flat.table[:, None]) for codes in flat.codes.unbind(1)]
        case Tensor():
            return list(value.t().contiguous()[:, :, None].unbind(0))
        case _:
            raise Unsupported("a constant matrix of text")


def ints(value: Any) -> list[int]:
    """The integers of a shape, of axes, of positions: they are on the host already unless they depend on the rows."""
    return [int(item) for item in np.ravel(waits.array(value, "a shape that depends on rows"))]
