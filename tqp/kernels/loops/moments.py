"""Loops over groups of floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop, part

__all__ = ["comoments_of_rows", "group_comoments", "group_moments", "group_shapes", "moments_of_rows", "shapes_of_rows"]

_F = torch.float64


@loop((_F, _F, _F, torch.int64, _F, _F, _F, _F))
def group_moments(
    weight: Any, mean: Any, squares: Any, ids: Any, count: Any, least: Any, middle: Any, total: Any
) -> None:
    """Write to `count`, `middle` and `total` (g,), all 0 before, the moments of parts (n,) in groups `ids` (n,).

    `least` (g,) is room to work in. Three passes, each in the order of the rows, so that all is rounded as by `grouped`.
    """
    for group in range(count.size):
        least[group] = np.inf
    for row in range(ids.size):
        group = ids[row]
        count[group] += weight[row]
        # NaN is not less than anything.
        if weight[row] > 0 and mean[row] < least[group]:
            least[group] = mean[row]
    for group in range(count.size):
        least[group] /= 2
    for row in range(ids.size):
        if weight[row] > 0:
            group = ids[row]
            middle[group] += (mean[row] / 2 - least[group]) * (weight[row] / max(count[group], 1.0))
    for group in range(count.size):
        middle[group] = 2 * ((least[group] if count[group] > 0 else 0.0) + middle[group])
    for row in range(ids.size):
        group = ids[row]
        apart = mean[row] - middle[group]
        total[group] += squares[row] + (apart * apart * weight[row] if weight[row] > 0 else 0.0)


@part
def _mean(mean: Any, value: Any, share: Any) -> Any:
    """The mean with one more value, of that share of all: infinite or NaN as a sum is."""
    if np.isfinite(mean) and np.isfinite(value):
        return mean + (value - mean) * share
    return mean + value if share < 1.0 else value


@loop((_F, _F, _F, _F, _F, _F, torch.int64, _F, _F, _F, _F, _F, _F))
def group_comoments(
    weight: Any, y: Any, x: Any, yy: Any, xx: Any, yx: Any, ids: Any, count: Any, mean_y: Any, mean_x: Any, all_yy: Any,
    all_xx: Any, all_yx: Any,
) -> None:  # fmt: skip
    """Write to the last six, (g,) and all 0 before, how many there are of the parts (n,) in groups `ids` (n,), their means, and the
    sums of products of differences from these (Welford, 1962). One pass, a division a row.
    """
    for row in range(ids.size):
        own = weight[row]
        if own > 0:
            group = ids[row]
            total = count[group] + own
            share = own / total
            factor = count[group] * share
            apart_y, apart_x = y[row] - mean_y[group], x[row] - mean_x[group]
            all_yy[group] += yy[row] + apart_y * apart_y * factor
            all_xx[group] += xx[row] + apart_x * apart_x * factor
            all_yx[group] += yx[row] + apart_y * apart_x * factor
            mean_y[group] = _mean(mean_y[group], y[row], share)
            mean_x[group] = _mean(mean_x[group], x[row], share)
            count[group] = total


@loop((_F, _F, _F, _F, _F, torch.int64, _F, _F, _F, _F, _F))
def group_shapes(
    weight: Any, values: Any, squares: Any, cubes: Any, fourths: Any, ids: Any, count: Any, mean: Any, all_squares: Any,
    all_cubes: Any, all_fourths: Any,
) -> None:  # fmt: skip
    """As `group_comoments`, of one value a part: the sums of the second, third and fourth powers of differences from the mean."""
    for row in range(ids.size):
        own = weight[row]
        if own > 0:
            group = ids[row]
            before = count[group]
            total = before + own
            middle = _mean(mean[group], values[row], own / total)
            a, b = mean[group] - middle, values[row] - middle
            if before == 0:
                a = 0.0
            two, three = all_squares[group], all_cubes[group]
            all_fourths[group] += (
                a * (4 * three + a * (6 * two + before * a * a))
                + fourths[row] + b * (4 * cubes[row] + b * (6 * squares[row] + own * b * b))
            )  # fmt: skip
            all_cubes[group] += a * (3 * two + before * a * a) + cubes[row] + b * (3 * squares[row] + own * b * b)
            all_squares[group] += before * a * a + squares[row] + own * b * b
            mean[group] = middle
            count[group] = total


@loop((_F, torch.int64, _F, _F, _F, _F))
def moments_of_rows(values: Any, ids: Any, count: Any, least: Any, middle: Any, total: Any) -> None:
    """`group_moments` of rows: parts of one value each, of weight 1 and without squares."""
    for group in range(count.size):
        least[group] = np.inf
    for row in range(ids.size):
        group = ids[row]
        count[group] += 1.0
        if values[row] < least[group]:
            least[group] = values[row]
    for group in range(count.size):
        least[group] /= 2
        # Room for the share of a row, until the third pass adds to it.
        total[group] = 1.0 / max(count[group], 1.0)
    for row in range(ids.size):
        group = ids[row]
        middle[group] += (values[row] / 2 - least[group]) * total[group]
    for group in range(count.size):
        middle[group] = 2 * ((least[group] if count[group] > 0 else 0.0) + middle[group])
        total[group] = 0.0
    for row in range(ids.size):
        group = ids[row]
        apart = values[row] - middle[group]
        total[group] += apart * apart


@loop((_F, _F, torch.int64, _F))
def comoments_of_rows(y: Any, x: Any, ids: Any, states: Any) -> None:
    """`group_comoments` of rows: parts of one pair each, of weight 1. `states` (g * 6,) has those of a group side by side."""
    for row in range(ids.size):
        at = ids[row] * 6
        before = states[at]
        total = before + 1.0
        share = 1.0 / total
        factor = before * share
        apart_y, apart_x = y[row] - states[at + 1], x[row] - states[at + 2]
        states[at + 3] += apart_y * apart_y * factor
        states[at + 4] += apart_x * apart_x * factor
        states[at + 5] += apart_y * apart_x * factor
        states[at + 1] = _mean(states[at + 1], y[row], share)
        states[at + 2] = _mean(states[at + 2], x[row], share)
        states[at] = total


@loop((_F, torch.int64, _F))
def shapes_of_rows(values: Any, ids: Any, states: Any) -> None:
    """`group_shapes` of rows: parts of one value each, of weight 1. `states` (g * 5,) has those of a group side by side."""
    for row in range(ids.size):
        at = ids[row] * 5
        before = states[at]
        total = before + 1.0
        middle = _mean(states[at + 1], values[row], 1.0 / total)
        a, b = states[at + 1] - middle, values[row] - middle
        if before == 0:
            a = 0.0
        two, three = states[at + 2], states[at + 3]
        states[at + 4] += a * (4 * three + a * (6 * two + before * a * a)) + b * (b * (b * b))
        states[at + 3] += a * (3 * two + before * a * a) + b * (b * b)
        states[at + 2] += before * a * a + b * b
        states[at + 1] = middle
        states[at] = total
