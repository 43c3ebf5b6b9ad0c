"""Products and distances of vectors, row by row.

Operands are (n, d), or (d,) for one vector that goes with all rows; float32 or float64, the result (n,) (or ()) of the
same dtype. Rows are taken in blocks that stay in cache, so that temporaries are small and memory is read once.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.kernels.host import on_host
from tqp.kernels.rows import select

__all__ = ["cosine", "distance", "inner"]

_BLOCK = 2**18
"""Elements of a block."""


def inner(a: Tensor, b: Tensor) -> Tensor:
    """The inner product: a matrix-vector product where one side is a single vector."""
    if a.ndim == 1 and b.ndim == 1:
        return torch.dot(a, b)
    if b.ndim == 1:
        return torch.mv(a, b)
    if a.ndim == 1:
        return torch.mv(b, a)
    return _by_blocks(lambda x, y: (x * y).sum(-1), a, b)


def distance(a: Tensor, b: Tensor) -> Tensor:
    """The Euclidean distance, from the differences themselves."""
    return _by_blocks(lambda x, y: (x - y).square_().sum(-1).sqrt_(), a, b)


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of the angle, within -1 .. 1; NaN where a vector is zero or not finite.

    Rows whose squares leave the range of the floats are computed again, scaled. A sync on a GPU.
    """
    if b.ndim == 2 and a.ndim == 1:
        a, b = b, a
    own = b.square().sum(-1) if b.ndim == 1 else None
    result = _by_blocks(lambda x, y: _ratio(x @ y if own is not None else (x * y).sum(-1), x, y, own), a, b)
    odd = result.isnan()
    if result.ndim == 0:
        result = torch.where(odd, _scaled_cosine(a, b), result)
    elif not on_host(odd) or bool(odd.any()):  # sync: on the host alone
        rows = select(odd)
        x = a.index_select(0, rows)
        y = b if b.ndim == 1 else b.index_select(0, rows)
        result = result.index_copy(0, rows, _scaled_cosine(x, y))
    return result.clamp(-1, 1)


def _ratio(product: Tensor, x: Tensor, y: Tensor, own: Tensor | None = None) -> Tensor:
    """product / (|x| |y|), NaN where the squares leave what the floats hold with all digits; `own` is |y|² if known."""
    squares = x.square().sum(-1) * (y.square().sum(-1) if own is None else own)
    limits = torch.finfo(squares.dtype)
    held = (squares > limits.tiny / limits.eps) & (squares < torch.inf)
    return torch.where(held, product / squares.sqrt(), torch.nan)


def _scaled_cosine(x: Tensor, y: Tensor) -> Tensor:
    x, y = _scaled(x), _scaled(y)
    return (x * y).sum(-1) / (x.square().sum(-1) * y.square().sum(-1)).sqrt()


def _scaled(x: Tensor) -> Tensor:
    """Vectors of the same directions whose largest element is 1."""
    return x / x.abs().amax(-1, keepdim=True)


def _by_blocks(compute: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor) -> Tensor:
    if a.ndim == 1 and b.ndim == 2:
        a, b = b, a
    if a.ndim == 1 or a.numel() <= _BLOCK:
        return compute(a, b)
    result = torch.empty(a.shape[0], dtype=a.dtype, device=a.device)
    step = max(1, _BLOCK // a.shape[1])
    for start in range(0, a.shape[0], step):
        part = slice(start, start + step)
        result[part] = compute(a[part], b if b.ndim == 1 else b[part])
    return result
