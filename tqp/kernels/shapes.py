"""The shape of the values of groups: how many, their mean, and the sums of the second, third and fourth powers of the differences
from it, (g,) float64 each.

Parts are put together as Pébay (2008) does. An empty part changes nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.kernels import means
from tqp.kernels.loops.moments import group_shapes, shapes_of_rows
from tqp.kernels.moments import known
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import scatter_sum

__all__ = ["Shape", "grouped", "joint", "of_rows", "together"]

Shape = tuple[Tensor, ...]


def _moved(part: Shape, mean: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The three sums of parts, of the differences from another mean."""
    count, own, squares, cubes, fourths = part
    by = torch.where(count > 0, own - mean, 0.0)
    return (
        squares + count * by**2,
        cubes + by * (3 * squares + count * by**2),
        fourths + by * (4 * cubes + by * (6 * squares + count * by**2)),
    )


def joint(a: Shape, b: Shape) -> Shape:
    """Two parts as one: all (g,)."""
    count = a[0] + b[0]
    both = (a[0] > 0) & (b[0] > 0)
    between = a[1] + (b[1] - a[1]) * (b[0] / count.clamp(min=1))
    mean = torch.where(both, between, torch.where(b[0] > 0, b[1], a[1]))
    ours, theirs = _moved(a, mean), _moved(b, mean)
    return (
        count,
        mean,
        *(torch.where(both, x + y, torch.where(b[0] > 0, y, x)) for x, y in zip(ours, theirs, strict=True)),
    )


def grouped(part: Shape, ids: Tensor, groups: int) -> Shape:
    """Parts (n,) with group numbers (n,) int64 as one each group; a value by itself is a part."""
    weight, mean, squares, cubes, fourths = part
    return together(weight, mean, squares, cubes, fourths, ids, groups)


def _by_loop(
    weight: Tensor, mean: Tensor, squares: Tensor, cubes: Tensor, fourths: Tensor, ids: Tensor, groups: int
) -> Shape:
    found = torch.zeros(5, groups, dtype=torch.float64, device=ids.device)
    given = [one.contiguous().numpy() for one in (weight, mean, squares, cubes, fourths, ids)]
    group_shapes(*given, *found.numpy())
    return tuple(found)


def _is_compiled(
    weight: Tensor, mean: Tensor, squares: Tensor, cubes: Tensor, fourths: Tensor, ids: Tensor, groups: int
) -> bool:
    real = torch.float64
    return groups > 1 and group_shapes.ready(ids.shape[0], *[real] * 5, torch.int64, *[real] * 5)


@operation(Variant(_by_loop, "cpu", "one pass over the rows instead of a score", _is_compiled))
def together(
    weight: Tensor, mean: Tensor, squares: Tensor, cubes: Tensor, fourths: Tensor, ids: Tensor, groups: int
) -> Shape:
    """`grouped` of parts (n,) float64. Six scatters, two gathers."""
    count = scatter_sum(weight, ids, groups)
    middle = means.grouped(weight, mean, count, ids)
    part = weight, mean, squares, cubes, fourths
    return count, middle, *(scatter_sum(one, ids, groups) for one in _moved(part, middle.index_select(0, ids)))


def _rows_by_loop(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Shape:
    states = torch.zeros(groups * 5, dtype=torch.float64, device=ids.device)
    numbers, own = known(valid, values, ids)
    shapes_of_rows(numbers, own, states.numpy())
    return tuple(states.view(groups, 5).t().contiguous())


def _rows_are_compiled(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> bool:
    real = torch.float64
    return groups > 1 and shapes_of_rows.ready(ids.shape[0], real, torch.int64, real)


@operation(Variant(_rows_by_loop, "cpu", "makes no parts of the rows", _rows_are_compiled))
def of_rows(values: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> Shape:
    """`grouped` of values (n,) float64 by themselves, without those where `valid` (n,) bool does not hold."""
    weight = torch.ones_like(values) if valid is None else valid.double()
    values = values if valid is None else torch.where(valid, values, 0.0)
    none = torch.zeros_like(values)
    return together(weight, values, none, none, none, ids, groups)
