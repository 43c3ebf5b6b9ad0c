"""The ways to run an ensemble of trees, and the choice among them by measured cost.

Bit vectors and sums of leaf numbers are in `tree_bits`, traversal a level at a time in `tree_walk`. Every kernel first
finds the cell of each used feature (`tree_cells`). Costs are nanoseconds a row of one CPU core.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from torch import Tensor

from tqp.models.features import Feature
from tqp.models.tree_bits import WORDS, BitVector
from tqp.models.tree_walk import Traversal
from tqp.models.trees import LEAF, Ensemble

__all__ = ["BitVector", "Kernel", "Traversal", "choose"]

_LEVEL = 2.8  # a level of a tree in traversal
_WORD = {8: 0.05, 16: 0.08, 32: 0.17, 64: 0.35}  # a feature of a tree, by bits of its words


class Kernel(Protocol):
    """An ensemble made ready to run; constants move to the features' device when they are first met there."""

    why: str

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The scores (outputs, n) of the ensemble's dtype of sums."""
        ...


def choose(trees: Ensemble) -> Kernel:
    """The kernel with the least estimated cost."""
    leaves = int(trees.leaves().max(initial=1))
    levels = len(trees.levels()) - 1
    used = len(trees.used())
    depth = _oblivious_depth(trees)
    if depth is not None and depth < 16:
        return BitVector(trees, "sum", f"all splits of a level are equal, so {used} features add up to the leaf number")
    walk = _LEVEL * levels * trees.trees
    size = next((bits for bits, _ in WORDS if leaves <= bits), 64)
    bits = trees.trees * (used * _WORD[size] + (1.6 if size < 64 else 2.2))
    if leaves <= 64 and bits <= walk:
        costs = f"about {bits / 1000:.2f} µs a row against {walk / 1000:.2f} by traversal of {levels} levels"
        return BitVector(trees, "and", f"{leaves} leaves fit in {size} bits, {costs}")
    saved = _LEVEL * min(5, levels) * trees.trees
    if leaves > 64 and bits <= saved:
        return Traversal(trees, f"{leaves} leaves in a tree, {levels} levels", bits=True)
    return Traversal(trees, f"{leaves} leaves in a tree, {levels} levels; bit vectors of {used} features cost more")


def _oblivious_depth(trees: Ensemble) -> int | None:
    """The depth of the deepest tree where each level of a tree has one split and left and right are complete."""
    deepest = 0
    for root in trees.roots:
        level = np.array([root])
        depth = 0
        while trees.feature[level[0]] != LEAF:
            first = level[0]
            same = (
                (trees.feature[level] == trees.feature[first])
                & (trees.threshold[level] == trees.threshold[first])
                & (trees.missing_left[level] == trees.missing_left[first])
            )
            if not same.all() or any(int(node) in trees.sets for node in level):
                return None
            level = np.concatenate([trees.left[level], trees.right[level]])
            depth += 1
        if not (trees.feature[level] == LEAF).all():
            return None
        deepest = max(deepest, depth)
    return deepest if trees.trees else None
