"""Aggregates of the shape of a distribution of floats: skewness and kurtosis."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.aggregates.accumulator import valid_or_zero
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.aggregates.signatures import doubles
from tqp.kernels import shapes, waits, window
from tqp.kernels.roots import square_root
from tqp.types import DOUBLE, DType

__all__: list[str] = []

_Value = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""From how many values there are, and the means of the second, third and fourth powers of their differences from the mean."""


def _parts(column: Column) -> shapes.Shape:
    """Each row by itself."""
    values = valid_or_zero(column)
    none = torch.zeros_like(values)
    weight = torch.ones_like(values) if column.valid is None else column.valid.double()
    return weight, values, none, none, none


class _Shape:
    """States of groups: `value` of what is known, NULL of fewer values than `least` and of such as do not differ."""

    value: _Value
    least: int
    name: str

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        self.parts: shapes.Shape = tuple(torch.zeros(5, groups, dtype=torch.float64, device=device))

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        into = torch.zeros(rows, dtype=torch.int64, device=seen.device) if ids is None else ids.long()
        column = args[0].expand(rows)
        self.parts = shapes.joint(self.parts, shapes.of_rows(column.data, column.valid, into, seen.shape[0]))

    def merge(self, other: _Shape, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        theirs = other.parts if ids is None else shapes.grouped(other.parts, ids.long(), seen.shape[0])
        self.parts = shapes.joint(self.parts, theirs)

    def pick(self, other: _Shape, rows: Tensor) -> None:
        self.parts = tuple(part.index_select(0, rows) for part in other.parts)

    def finish(self, seen: Tensor) -> Column:
        return _finished(self.parts, type(self).value, self.least, self.name)


def _finished(parts: shapes.Shape, value: _Value, least: int, name: str) -> Column:
    """ExecutionError where the value is no finite number."""
    count, _, squares, cubes, fourths = parts
    each = count.clamp(min=1)
    found = value(count, squares / each, cubes / each, fourths / each)
    known = (count >= least) & (squares != 0)
    if waits.truth((known & ~found.isfinite()).any(), "a shape out of range is an error"):
        raise ExecutionError(f"{name} is out of range: values are infinite, NaN, or too far apart")
    return Column(torch.where(known, found, 0.0), DOUBLE, known)


def _skewness(count: Tensor, second: Tensor, third: Tensor, fourth: Tensor) -> Tensor:
    return square_root(count * (count - 1)) / (count - 2) * third / second**1.5


def _excess(count: Tensor, second: Tensor, third: Tensor, fourth: Tensor) -> Tensor:
    return fourth / second**2 - 3


def _kurtosis(count: Tensor, second: Tensor, third: Tensor, fourth: Tensor) -> Tensor:
    """Corrected for samples."""
    excess = _excess(count, second, third, fourth)
    return (count - 1) / ((count - 2) * (count - 3)) * ((count + 1) * excess + 6)


def _register(called: str, value: _Value, least: int) -> None:
    def over(args: tuple[Column, ...], dtype: DType, frame: window.Frame) -> Column:
        found = window.frame_fold(_parts(args[0]), (0.0,) * 5, shapes.joint, frame)
        return _finished(found, value, least, called)

    form = type(called, (_Shape,), {"value": staticmethod(value), "least": least, "name": called})
    aggregate(called, types=doubles, over_frames=over)(form)


_register("skewness", _skewness, 3)
_register("kurtosis", _kurtosis, 4)
_register("kurtosis_pop", _excess, 2)
