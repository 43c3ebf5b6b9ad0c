"""Clusters of vectors: centers near which they lie, by k-means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from tqp.interrupt import checkpoint

__all__ = ["Spread", "centers", "members", "pieces"]

Spread = Callable[[Sequence[Callable[[], Tensor]]], list[Tensor]]
"""Does tasks, perhaps side by side, and gives what each gives."""


def centers(vectors: Tensor, count: int, rounds: int, at_once: int, spread: Spread) -> Tensor:
    """(count, d) centers of vectors (n, d) of floats, count <= n: Lloyd's iteration from vectors at equal steps.

    `at_once` pairs of a vector and a center are compared together. `rounds` times n * count * d operations.
    """
    rows = vectors.shape[0]
    found = vectors.index_select(0, torch.arange(count, device=vectors.device) * rows // count)
    for _ in range(rounds):
        nearest = members(lambda start, stop: vectors[start:stop], rows, found, at_once, spread)
        sums = torch.zeros_like(found).index_add_(0, nearest, vectors)
        sizes = torch.bincount(nearest, minlength=count).unsqueeze(1)
        found = torch.where(sizes > 0, sums / sizes.clamp(min=1), found)
    return found


def members(take: Callable[[int, int], Tensor], rows: int, centers: Tensor, at_once: int, spread: Spread) -> Tensor:
    """(rows,) int64: the center nearest to each vector; `take` gives the vectors (m, d) from a row to another."""
    squares = centers.square().sum(1)

    def nearest(start: int, stop: int) -> Tensor:
        checkpoint()
        return torch.addmm(squares, take(start, stop), centers.T, alpha=-2).argmin(1)

    parts = spread([partial(nearest, *piece) for piece in pieces(rows, max(1, at_once // centers.shape[0]))])
    return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.int64, device=centers.device)


def pieces(rows: int, size: int) -> Iterator[tuple[int, int]]:
    """The first row and the one after the last of each `size` rows."""
    return ((start, min(start + size, rows)) for start in range(0, rows, size))
