"""Products and distances of lists of numbers whose sizes only the rows know; those of arrays are matrix operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.lists.rows import Elements, valid_together
from tqp.kernels import waits
from tqp.kernels.reduce import scatter_sum
from tqp.kernels.roots import square_root
from tqp.kernels.rows import select

__all__ = ["OfLists", "cosine", "distance", "inner", "of_lists"]

OfLists = Callable[[Tensor, Tensor, Tensor, int], Tensor]
"""From the elements (m,) float64 of both sides, the rows (m,) int64 that own them, and the number of rows, to values (n,)."""


def inner(x: Tensor, y: Tensor, owners: Tensor, rows: int) -> Tensor:
    """The inner product, 0 of no elements."""
    return scatter_sum(x * y, owners, rows)


def distance(x: Tensor, y: Tensor, owners: Tensor, rows: int) -> Tensor:
    """The Euclidean distance, 0 of no elements."""
    return square_root(scatter_sum((x - y).square(), owners, rows))


def cosine(x: Tensor, y: Tensor, owners: Tensor, rows: int) -> Tensor:
    """The cosine of the angle between both, NaN where one is 0 in all elements."""
    x, y = _scaled(x, owners, rows), _scaled(y, owners, rows)
    squares = scatter_sum(x.square(), owners, rows) * scatter_sum(y.square(), owners, rows)
    return (scatter_sum(x * y, owners, rows) / square_root(squares)).clamp(-1, 1)


def _scaled(x: Tensor, owners: Tensor, rows: int) -> Tensor:
    """The elements over a power of two, so that no square leaves the range of floats."""
    most = torch.zeros(rows, dtype=x.dtype, device=x.device).scatter_reduce_(0, owners, x.abs(), "amax")
    return torch.ldexp(x, -torch.frexp(most).exponent.index_select(0, owners))


def of_lists(args: Sequence[Column], compute: OfLists, name: str) -> tuple[Tensor, Tensor]:
    """`compute` of two lists (n,) in each row, and of how many elements that is, (n,).

    ExecutionError where two that are no NULL have other numbers of elements, or an element is NULL. Cost: some passes over the
    elements.
    """
    left, right = (Elements(arg) for arg in args)
    rows = left.counts.shape[0]
    valid = valid_together(args)
    differ = left.counts != right.counts
    if valid is not None:
        differ = differ & valid
    if waits.truth(differ.any(), "lists of other lengths are an error"):
        raise ExecutionError(f"{name} takes lists of one length")
    places = right.starts.index_select(0, left.owners) + left.within
    owners, x, y = left.owners, left.values, right.values
    if valid is not None:
        mine = select(valid.index_select(0, owners))
        owners, places, x = owners.index_select(0, mine), places.index_select(0, mine), x.take(mine)
    y = y.take(places)
    present = valid_together((x, y))
    if present is not None and waits.truth(~present.all(), "an element that is NULL is an error"):
        raise ExecutionError(f"{name} takes lists without NULL")
    count = owners.shape[0]
    return compute(x.data.expand(count).double(), y.data.expand(count).double(), owners, rows), left.counts
