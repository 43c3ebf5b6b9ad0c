"""Trees by traversal: all rows go down one tree together, a level at a time, from the root or from where bits end."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.models.features import Feature
from tqp.models.trees.bits import BitVector
from tqp.models.trees.cells import Cells, goes_left, locate_block, locate_table, shape
from tqp.models.trees.ensemble import LEAF, Ensemble

__all__ = ["Traversal"]


class Traversal:
    """All rows go down one tree together, a level at a time; the cells of a block lie feature by feature in cache.

    A node compares a code with its rank; a split in which missing values go left, or a set split, reads a column of codes
    of its own, so that this is all a node ever does. The right child follows the left one; a leaf stays where it is.
    With `bits` the top of each tree, up to 64 branches, is a bit vector, and the rows start where it sends them.
    """

    def __init__(self, trees: Ensemble, why: str, *, bits: bool = False) -> None:
        self.why = f"bit vector of 64 branches, then traversal: {why}" if bits else f"traversal: {why}"
        self.places = sorted(trees.used())
        self.cuts = trees.cuts()
        self.dtype, self.sums, self.base = (
            trees.dtype,
            trees.sums,
            torch.tensor(trees.base, dtype=trees.sums, device="cpu"),
        )
        self.columns: list[tuple[int, npt.NDArray[np.int32] | None]] = []
        known: dict[tuple[int, bytes], int] = {}
        column = np.zeros(len(trees.feature), dtype=np.int32)
        rank = np.full(len(trees.feature), np.iinfo(np.int32).max, dtype=np.int32)
        for node in np.flatnonzero(trees.feature != LEAF):
            place = int(trees.feature[node])
            cuts = self.cuts[place]
            if int(node) in trees.sets:
                codes = np.where(goes_left(trees, int(node), cuts), 0, 1).astype(np.int32)
                rank[node], key = 0, codes.tobytes()
            else:
                rank[node] = np.searchsorted(cuts, trees.threshold[node])
                codes = np.arange(len(cuts) + 2, dtype=np.int32)
                codes[-1] = -1 if trees.missing_left[node] else len(cuts) + 1
                key = b"left" if trees.missing_left[node] else b"right"
            if (place, key) not in known:
                known[place, key] = len(self.columns)
                self.columns.append((place, None if key == b"right" else codes))
            column[node] = known[place, key]
        cut = [top_nodes(trees, int(root)) if bits else [int(root)] for root in trees.roots]
        walks = [_Walk.of(trees, tree, starts, column, rank) for tree, starts in enumerate(cut)]
        self.trees = [walk for walk, _ in walks]
        self.top = BitVector(_tops(trees, [place for _, place in walks]), "and", why, self.cuts) if bits else None
        self._ready: dict[torch.device, tuple[list[Cells], list[tuple[int, Tensor | None]], list[_Walk]]] = {}

    def _on(self, device: torch.device) -> tuple[list[Cells], list[tuple[int, Tensor | None]], list[_Walk]]:
        if device not in self._ready:
            self._ready[device] = (
                [Cells(self.cuts[place], self.dtype, device) for place in self.places],
                [
                    (self.places.index(place), None if codes is None else torch.from_numpy(codes).to(device))
                    for place, codes in self.columns
                ],
                [tree.to(device) for tree in self.trees],
            )
        return self._ready[device]

    def scores(self, features: Sequence[Feature]) -> Tensor:
        rows, device = shape(features)
        total = self.base.to(device)[:, None].repeat(1, rows)
        cells, columns, walks = self._on(device)
        coded = [locate_table(cell, features[place]) for cell, place in zip(cells, self.places, strict=True)]
        limits = limits_on(device)
        block = limits.tree_rows or max(1024, limits.tree_bytes // (4 * max(1, len(columns))))
        for start in range(0, rows, block):
            stop = min(start + block, rows)
            located = [
                locate_block(known, cell, features[place], start, stop)
                for known, cell, place in zip(coded, cells, self.places, strict=True)
            ]
            codes = torch.empty((len(columns), stop - start), dtype=torch.int32, device=device)
            for column, (place, recode) in enumerate(columns):
                feature = located[place]
                moved = feature.cells if recode is None else recode.index_select(0, feature.cells)
                codes[column] = moved if feature.codes is None else moved.index_select(0, feature.codes)
            row = torch.arange(stop - start, dtype=torch.int32, device=device)
            if self.top is None:
                for walk in walks:
                    walk.add(codes, row, torch.zeros_like(row), total[:, start:stop])
                continue
            for walk, (_, values) in zip(walks, self.top.chosen(located, stop - start, device), strict=True):
                walk.add(codes, row, values[0], total[:, start:stop])
        return total


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """One tree for traversal: nodes level by level, (nodes,) int32; leaf values by output; where they are added."""

    column: Tensor
    rank: Tensor
    left: Tensor
    leaf: list[Tensor]
    target: int
    levels: int

    @staticmethod
    def of(
        trees: Ensemble, tree: int, starts: list[int], column: npt.NDArray[np.int32], rank: npt.NDArray[np.int32]
    ) -> tuple[_Walk, dict[int, int]]:
        """The nodes below `starts`, and the number of each start."""
        order = list(starts)
        left: list[int] = []
        end, levels = len(order), 0
        for place, node in enumerate(order):  # grows while it is read
            if place == end:
                end, levels = len(order), levels + 1
            if trees.feature[node] == LEAF:
                left.append(place)
            else:
                left.append(len(order))
                order += [int(trees.left[node]), int(trees.right[node])]
        leaf = trees.leaf[order]
        walk = _Walk(
            torch.from_numpy(column[order]),
            torch.from_numpy(rank[order]),
            torch.tensor(left, dtype=torch.int32, device="cpu"),
            [torch.tensor(leaf[:, output], dtype=trees.sums, device="cpu") for output in range(leaf.shape[1])],
            int(trees.target[tree]),
            levels,
        )
        return walk, {node: place for place, node in enumerate(starts)}

    def to(self, device: torch.device) -> _Walk:
        leaf = [values.to(device) for values in self.leaf]
        return _Walk(self.column.to(device), self.rank.to(device), self.left.to(device), leaf, self.target, self.levels)

    def add(self, codes: Tensor, row: Tensor, node: Tensor, total: Tensor) -> None:
        """Add the leaf values of codes (columns, n) to the scores (outputs, n); the rows start at `node` (n,) int32."""
        flat = codes.view(-1)
        offset = self.column * len(row)
        for _ in range(self.levels):
            found = flat.index_select(0, offset.index_select(0, node).add_(row))
            right = found > self.rank.index_select(0, node)
            node = self.left.index_select(0, node).add_(right)
        for output, values in enumerate(self.leaf):
            total[self.target + output].add_(values.index_select(0, node))


def top_nodes(trees: Ensemble, root: int) -> list[int]:
    """Up to 64 nodes that every row passes one of, chosen so that the longest way on from them is short."""
    order = [root]
    for node in order:  # grows while it is read
        if trees.feature[node] != LEAF:
            order += [int(trees.left[node]), int(trees.right[node])]
    height: dict[int, int] = {}
    for node in reversed(order):
        inner = trees.feature[node] != LEAF
        height[node] = 1 + max(height[int(trees.left[node])], height[int(trees.right[node])]) if inner else 0
    tops = [(-height[root], root)]
    while len(tops) < 64 and tops[0][0] < 0:
        _, node = heapq.heappop(tops)
        for child in (int(trees.left[node]), int(trees.right[node])):
            heapq.heappush(tops, (-height[child], child))
    return [node for _, node in tops]


def _tops(trees: Ensemble, starts: list[dict[int, int]]) -> Ensemble:
    """The tops of the trees: their leaves are the `starts`, with their numbers as values."""
    feature, leaf = trees.feature.copy(), np.zeros((len(trees.feature), 1))
    for tree in starts:
        for node, number in tree.items():
            feature[node], leaf[node] = LEAF, number
    sets = {node: intervals for node, intervals in trees.sets.items() if feature[node] != LEAF}
    return replace(
        trees, feature=feature, leaf=leaf, sets=sets, sums=torch.int32, base=np.zeros(1), target=0 * trees.target
    )
