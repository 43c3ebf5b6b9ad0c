"""Trees that rows of a matrix go down by themselves: of many features a row meets few, and the others are not looked at."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.forest import Nodes, walk_rows_
from tqp.models.trees.ensemble import LEAF, Ensemble

__all__ = ["Rows"]

_LEVEL = 2.1  # nanoseconds a row that a level of a tree costs, on one core
_FEATURE = 30.0  # and finding the cells of a feature for the kernels that read columns


class Rows:
    """An ensemble without set splits, for matrices on the CPU."""

    def __init__(self, trees: Ensemble) -> None:
        self._dtype, self._sums = trees.dtype, trees.sums
        self._base = torch.tensor(trees.base, dtype=trees.sums, device="cpu")
        self._nodes = _nodes(trees)

    @staticmethod
    def is_worth_it(trees: Ensemble) -> bool:
        """Whether to follow the nodes costs less than to find the cells of all features that occur in one."""
        levels = int(trees.heights()[trees.roots].sum())  # host: NumPy
        return not trees.sets and levels * _LEVEL < len(trees.used()) * _FEATURE

    def scores(self, whole: Tensor) -> Tensor:
        """The scores (outputs, n) of a matrix (n, features)."""
        total = self._base[:, None].repeat(1, whole.shape[0])
        return walk_rows_(total, whole.to(self._dtype), self._nodes)


def _nodes(trees: Ensemble) -> Nodes:
    """The nodes of each tree by levels, the children of one side by side."""
    order: list[int] = []
    led: list[int] = []
    made: list[tuple[int, int, int]] = []
    for root, target in zip(trees.roots.tolist(), trees.target.tolist(), strict=True):  # host: NumPy
        first, level, levels = len(order), [root], -1
        while level:
            levels += 1
            following: list[int] = []
            start = len(order) + len(level)
            for node in level:
                inner = trees.feature[node] != LEAF
                led.append(start + len(following) if inner else len(order))
                order.append(node)
                following += [int(trees.left[node]), int(trees.right[node])] if inner else []
            level = following
        made.append((first, levels, target))
    placed = np.asarray(order, dtype=np.int64)
    is_leaf = trees.feature[placed] == LEAF
    feature = np.where(is_leaf, 0, trees.feature[placed])
    right = ~(is_leaf | trees.missing_left[placed])
    packed = np.asarray(led, dtype=np.int64) << 32 | right.astype(np.int64) << 31 | feature
    threshold = np.where(is_leaf, np.inf, trees.threshold[placed])
    return Nodes(
        np.asarray(made, dtype=np.int64).reshape(-1, 3),
        torch.from_numpy(packed),
        torch.tensor(threshold, dtype=trees.dtype, device="cpu"),
        torch.tensor(trees.leaf[placed].T, dtype=trees.sums, device="cpu").contiguous(),
    )
