"""The nearest of stored rows: the distances to all of them, or down a tree of boxes away from most of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.loops.neighbours import CITY, EUCLID, LARGEST, descend
from tqp.kernels.operation import Variant, operation

__all__ = ["Boxes", "apart", "boxes_of", "closest", "descends"]

_LEAF: Final = 16
"""About so many rows are in a leaf."""
_MEASURES: Final = {1.0: CITY, 2.0: EUCLID, math.inf: LARGEST}


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Stored rows by halves: a full tree whose node i has the children 2i + 1 and 2i + 2, on the CPU.

    `points` (m, f) float64 in the order of the leaves, `places` (m,) int64 where each is stored; `corners` (nodes, 2, f) float64
    the least and the greatest of each column in a node, `bounds` (nodes, 2) int64 its first point and the one behind its last.
    """

    points: Tensor
    places: Tensor
    corners: Tensor
    bounds: Tensor


def boxes_of(points: Tensor) -> Boxes:
    """The tree of rows (m, f) float64 on the CPU, m > 0: each half is cut where its widest column has its middle."""
    count = points.shape[0]
    levels = max(0, math.ceil(math.log2(count / _LEAF)))
    order = torch.arange(count, device=points.device)
    corners: list[Tensor] = []
    bounds: list[tuple[int, int]] = []
    level = [(0, count)]
    for depth in range(levels + 1):
        halves: list[tuple[int, int]] = []
        for start, stop in level:
            inside = points.index_select(0, order[start:stop])
            least, most = inside.amin(0), inside.amax(0)
            corners.append(torch.stack([least, most]))
            bounds.append((start, stop))
            if depth < levels:
                column = inside[:, (most - least).argmax()]
                order[start:stop] = order[start:stop][column.argsort(stable=True)]
                middle = (start + stop) // 2
                halves += [(start, middle), (middle, stop)]
        level = halves
    return Boxes(
        points.index_select(0, order),
        order,
        torch.stack(corners),
        torch.tensor(bounds, dtype=torch.int64, device=points.device),
    )


def apart(rows: Tensor, points: Tensor, power: float) -> Tensor:
    """The distances (b, m) of rows (b, f) from points (m, f): of Minkowski with a power, which may be infinite."""
    # Without matrix products, so that equal rows are at distance 0.
    return torch.cdist(rows, points, p=power, compute_mode="donot_use_mm_for_euclid_dist")


def descends(rows: int, device: torch.device, boxes: Boxes, power: float) -> bool:
    """Whether so many rows on a device go down the tree, for which they need no memory."""
    kinds = (torch.float64, torch.float64, torch.int64, torch.float64, torch.int64, int, int, int, torch.int64)
    work = rows * boxes.places.shape[0]
    return device.type == "cpu" and power in _MEASURES and descend.ready(work, *kinds)


def _by_tree(rows: Tensor, points: Tensor, boxes: Boxes, count: int, power: float) -> Tensor:
    found = torch.empty((rows.shape[0], count), dtype=torch.int64, device=rows.device)
    parts = (rows, boxes.points, boxes.places, boxes.corners, boxes.bounds, found)
    own, points_, places, corners, bounds, out = [part.contiguous().view(-1).numpy() for part in parts]
    descend(own, points_, places, corners, bounds, rows.shape[1], count, _MEASURES[power], out)
    return found


def _fits(rows: Tensor, points: Tensor, boxes: Boxes, count: int, power: float) -> bool:
    return descends(rows.shape[0], rows.device, boxes, power)


@operation(
    Variant(
        _by_tree,
        "cpu",
        "a tree leaves out most stored rows where there are few columns, and equal ones cost nothing",
        _fits,
    ),
    untraceable="neighbours belong to models",
)
def closest(rows: Tensor, points: Tensor, boxes: Boxes, count: int, power: float) -> Tensor:
    """The places (b, count) of the nearest points (m, f) of rows (b, f), all float64; of equally near ones the first.

    `boxes`: the tree of the points; count <= m. Nearest first, in no certain order where they are equally near. Any places for
    rows with NaN.
    """
    distances = apart(rows, points, power)
    found, places = torch.topk(distances, count, dim=1, largest=False)
    tied = (distances <= found[:, -1:]).sum(dim=1) > count
    rows_tied = waits.places(tied, "equally distant rows have to be chosen among")
    if rows_tied.shape[0]:
        chosen = distances.index_select(0, rows_tied).sort(dim=1, stable=True)
        places.index_copy_(0, rows_tied, chosen.indices[:, :count])
    return places
