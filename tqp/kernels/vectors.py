"""Products and distances of vectors, row by row.

Operands are (n, d), or (d,) for one vector that goes with all rows; float32 or float64, the result (n,) (or ()) of the
same dtype. Rows are taken in blocks, so that temporaries are small; on the CPU they stay in cache and memory is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Concatenate, Final, ParamSpec

import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.operation import Variant, operation
from tqp.kernels.rows import select

__all__ = ["cosine", "cosine_of_pairs", "distance", "distance_of_pairs", "inner", "inner_of_pairs", "stacked"]

P = ParamSpec("P")

_IN_CACHE: Final = 2**18
"""Elements of a block of the variants for the CPU."""
_BLOCK: Final = 2**26
"""Elements of a block elsewhere, where every operation costs its launch: temporaries of some hundred megabytes."""
_SPARE: Final = 4
"""A matrix product may compute so many times the pairs that are asked for: it is that much faster a pair."""


def _in_blocks(kernel: Callable[Concatenate[int, P], Tensor]) -> Callable[P, Tensor]:
    """The operation of a kernel that takes the elements of a block first."""

    def in_cache(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        return kernel(_IN_CACHE, *args, **kwargs)

    def plain(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        return kernel(_BLOCK, *args, **kwargs)

    return operation(Variant(in_cache, "cpu", "blocks stay in cache"))(update_wrapper(plain, kernel))


@operation(untraceable="rows of arrays are not part of a compiled function")
def stacked(elements: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    """Vectors (n, d), or (d,), of their d elements (n,), or ()."""
    return torch.stack([element.to(dtype) for element in elements], dim=-1)


@_in_blocks
def inner(block: int, a: Tensor, b: Tensor) -> Tensor:
    """The inner product: a matrix-vector product where one side is a single vector."""
    if a.ndim == 1 and b.ndim == 1:
        return torch.dot(a, b)
    if b.ndim == 1:
        return torch.mv(a, b)
    if a.ndim == 1:
        return torch.mv(b, a)
    return _by_blocks(_products, a, b, block)


def _products(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum(-1)


@_in_blocks
def distance(block: int, a: Tensor, b: Tensor) -> Tensor:
    """The Euclidean distance, from the differences themselves."""
    return _by_blocks(_distances, a, b, block)


def _distances(x: Tensor, y: Tensor) -> Tensor:
    return (x - y).square_().sum(-1).sqrt_()


@_in_blocks
def cosine(block: int, a: Tensor, b: Tensor) -> Tensor:
    """The cosine of the angle, within -1 .. 1; NaN where a vector is zero or not finite.

    Rows whose squares leave the range of the floats are computed again, scaled. A sync on a GPU.
    """
    if b.ndim == 2 and a.ndim == 1:
        a, b = b, a
    own = b.square().sum(-1) if b.ndim == 1 else None

    def compute(x: Tensor, y: Tensor) -> Tensor:
        return _cosines(x, y) if own is None else _ratio(x @ y, x.square().sum(-1) * own)

    result = _by_blocks(compute, a, b, block)
    if result.ndim == 0:
        return torch.where(result.isnan(), _scaled_cosine(a, b), result).clamp(-1, 1)
    return _repaired(result, lambda rows: (a.index_select(0, rows), b if b.ndim == 1 else b.index_select(0, rows)))


def _cosines(x: Tensor, y: Tensor) -> Tensor:
    return _ratio((x * y).sum(-1), x.square().sum(-1) * y.square().sum(-1))


@_in_blocks
def inner_of_pairs(block: int, a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """(p,) the inner products of the rows a[i] and b[j], of a (n, d), b (m, d) and i, j (p,) row ids.

    Where the pairs are about all of the rows that they come from, one matrix product; else the rows are gathered block by
    block. Never (p, d). A sync on a GPU.
    """
    rectangle = _rectangle(a, b, i, j)
    if rectangle is None:
        return _gathered(_products, a, b, i, j, block)
    x, y, places = rectangle
    return (x @ y.T).reshape(-1).index_select(0, places)


@_in_blocks
def distance_of_pairs(block: int, a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """(p,) the Euclidean distances of the rows a[i] and b[j]; see `inner_of_pairs`. Always from the differences."""
    return _gathered(_distances, a, b, i, j, block)


@_in_blocks
def cosine_of_pairs(block: int, a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """(p,) the cosines between the rows a[i] and b[j]; see `inner_of_pairs` and `cosine`. Two syncs on a GPU."""
    rectangle = _rectangle(a, b, i, j)
    if rectangle is None:
        result = _gathered(_cosines, a, b, i, j, block)
    else:
        x, y, places = rectangle
        squares = x.square().sum(-1).unsqueeze(1) * y.square().sum(-1)
        result = _ratio(x @ y.T, squares).reshape(-1).index_select(0, places)
    return _repaired(
        result, lambda rows: (a.index_select(0, i.index_select(0, rows)), b.index_select(0, j.index_select(0, rows)))
    )


def _rectangle(a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
    """The rows x of a and y of b that the pairs come from, and their places in x × y; None where most pairs do not occur."""
    if i.shape[0] == 0:
        return None
    limits = waits.numbers(
        torch.stack((*torch.aminmax(i), *torch.aminmax(j))), "how far rows are apart picks the algorithm"
    )
    (low, high), (first, last) = limits[:2], limits[2:]
    width = last - first + 1
    if (high - low + 1) * width > _SPARE * i.shape[0]:
        return None
    return a[low : high + 1], b[first : last + 1], (i.long() - low) * width + (j.long() - first)


def _gathered(
    compute: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor, i: Tensor, j: Tensor, block: int
) -> Tensor:
    result = torch.empty(i.shape[0], dtype=a.dtype, device=a.device)
    step = max(1, block // a.shape[1])
    for start in range(0, i.shape[0], step):
        part = slice(start, start + step)
        result[part] = compute(a.index_select(0, i[part]), b.index_select(0, j[part]))
    return result


def _ratio(product: Tensor, squares: Tensor) -> Tensor:
    """product / √squares, NaN where the squares leave what the floats hold with all digits."""
    limits = torch.finfo(squares.dtype)
    held = (squares > limits.tiny / limits.eps) & (squares < torch.inf)
    return torch.where(held, product / squares.sqrt(), torch.nan)


def _repaired(result: Tensor, vectors: Callable[[Tensor], tuple[Tensor, Tensor]]) -> Tensor:
    """The cosines with those that are NaN computed again, of the scaled `vectors` of such rows."""
    rows = select(result.isnan())
    if rows.shape[0]:
        result = result.index_copy(0, rows, _scaled_cosine(*vectors(rows)))
    return result.clamp(-1, 1)


def _scaled_cosine(x: Tensor, y: Tensor) -> Tensor:
    x, y = _scaled(x), _scaled(y)
    return (x * y).sum(-1) / (x.square().sum(-1) * y.square().sum(-1)).sqrt()


def _scaled(x: Tensor) -> Tensor:
    """Vectors of the same directions whose largest element is 1."""
    return x / x.abs().amax(-1, keepdim=True)


def _by_blocks(compute: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor, block: int) -> Tensor:
    if a.ndim == 1 and b.ndim == 2:
        a, b = b, a
    if a.ndim == 1 or a.numel() <= block:
        return compute(a, b)
    result = torch.empty(a.shape[0], dtype=a.dtype, device=a.device)
    step = max(1, block // a.shape[1])
    for start in range(0, a.shape[0], step):
        part = slice(start, start + step)
        result[part] = compute(a[part], b if b.ndim == 1 else b[part])
    return result
