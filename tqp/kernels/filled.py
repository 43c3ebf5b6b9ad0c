"""Lines through the nearest known points of sorted rows, as `fill` draws them."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["between", "nearest_points"]


def nearest_points(points: Tensor, start: Tensor, stop: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of each row the two rows of its run that a line goes through, whether there are both, and whether there is one at all.

    `points` (n,) bool are the rows that lines may go through; `start` and `stop` (n,) int64 where the row's run begins and ends.
    The first row is the last point up to the row itself, else the first one behind it; the second is the next one behind the
    first, else the one before it, and then they change places. Positions are (n,) int64, those of any row where there is none.
    """
    rows, device = points.shape[0], points.device
    own = torch.arange(rows, device=device)
    none = torch.full((), -1, dtype=torch.int64, device=device)
    end = torch.full((), rows, dtype=torch.int64, device=device)
    before = torch.cummax(torch.where(points, own, none), 0).values
    after = torch.cummin(torch.where(points, own, end).flip(0), 0).values.flip(0)
    before = torch.where(before >= start, before, none)
    after = torch.where(after < stop, after, end)
    first = torch.where(before >= 0, before, after)
    some = first < rows
    first = first.clamp(max=max(rows - 1, 0))
    behind = torch.where(first + 1 < stop, after.index_select(0, (first + 1).clamp(max=max(rows - 1, 0))), end)
    ahead = torch.where(first > start, before.index_select(0, (first - 1).clamp(min=0)), none)
    is_last = behind == rows
    both = some & ~(is_last & (ahead < 0))
    second = torch.where(is_last, ahead, behind)
    low = torch.where(is_last & both, second, first)
    high = torch.where(is_last, first, torch.where(both, second, first))
    return low, high, both, some


def between(low: Tensor, share: Tensor, high: Tensor) -> Tensor:
    """low * (1 - share) + high * share of float64 (n,) each, the first product not rounded before it is added, as in DuckDB."""
    rest, second = 1.0 - share, high * share
    product = low * rest
    total = product + second
    error = _error_of_product(low, rest, product)
    # What the sum lost (Knuth), and what the product did (Dekker): nothing that is finite is lost here.
    part = total - product
    lost = (product - (total - part)) + (second - part)
    exact = total + (lost + error)
    return torch.where(torch.isfinite(exact), exact, total)


def _error_of_product(a: Tensor, b: Tensor, product: Tensor) -> Tensor:
    a_high, b_high = _leading(a), _leading(b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _leading(a: Tensor) -> Tensor:
    """The leading half of the bits of a float64."""
    scaled = a * (2.0**27 + 1)
    return scaled - (scaled - a)
