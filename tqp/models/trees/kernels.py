"""The ways to run an ensemble of trees, and the choice among them.

On the CPU a compiled loop is the fastest for all trees: `blocks` of columns, or `rows` of a matrix of which trees read many
columns. Elsewhere, and until it is compiled, tensor operations run them, by measured cost: bit vectors and sums of leaf numbers
(`bits`), or traversal a level at a time (`walk`). Every kernel but `rows` first finds the cell of each used feature (`cells`).
Costs are nanoseconds a row of one CPU core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from torch import Tensor

from tqp.device import limits_on
from tqp.kernels.forest import is_compiled, is_walk_compiled
from tqp.kernels.loops.loop import mode
from tqp.models.features import Feature, side_by_side
from tqp.models.trees.bits import WORDS, BitVector
from tqp.models.trees.blocks import Blocks
from tqp.models.trees.cells import shape
from tqp.models.trees.ensemble import LEAF, Ensemble
from tqp.models.trees.rows import Rows
from tqp.models.trees.walk import Traversal

__all__ = ["BitVector", "Blocks", "Costs", "Kernel", "Traversal", "choose"]

_LEVEL = 2.8  # a level of a tree in traversal
_WORD = {8: 0.05, 16: 0.08, 32: 0.17, 64: 0.35}  # a feature of a tree, by bits of its words


_MANY = 2**16  # Rows for which the loop is compiled when a model comes
_WIDE = 2**6  # Numbers of a matrix that are worth as much as a row


class Kernel(Protocol):
    """An ensemble made ready to run; constants move to the features' device when they are first met there."""

    @property
    def why(self) -> str:
        """Which kernel it is, and what for."""
        ...

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The scores (outputs, n) of the ensemble's dtype of sums."""
        ...


@dataclass(frozen=True, slots=True)
class Costs:
    """What an ensemble's shape says of its kernels, in nanoseconds a row."""

    leaves: int
    levels: int
    used: int
    size: int
    walk: float
    bits: float
    top: float

    @staticmethod
    def of(trees: Ensemble) -> Costs:
        leaves = int(trees.leaves().max(initial=1))  # host: NumPy
        levels = len(trees.levels()) - 1
        used = len(trees.used())
        size = next((bits for bits, _ in WORDS if leaves <= bits), 64)
        bits = trees.trees * (used * _WORD[size] + (1.6 if size < 64 else 2.2))
        top = bits + _LEVEL * max(0, levels - 5) * trees.trees
        return Costs(leaves, levels, used, size, _LEVEL * levels * trees.trees, bits, top)

    @property
    def least(self) -> float:
        """The cost of the kernel that is chosen, except for oblivious trees."""
        return min(self.walk, self.bits if self.leaves <= 64 else self.top)


class _Best:
    """Blocks where their loop is compiled, else the tensor operations of least cost; both are made when they first run."""

    def __init__(self, trees: Ensemble) -> None:
        self._trees = trees
        is_compiled(_MANY, trees.sums)  # asked for in good time

    @cached_property
    def _blocks(self) -> Blocks:
        return Blocks(self._trees)

    @cached_property
    def _tensors(self) -> Kernel:
        return _of_tensors(self._trees)

    @cached_property
    def _rows(self) -> Rows | None:
        return Rows(self._trees) if Rows.is_worth_it(self._trees) else None

    @property
    def why(self) -> str:
        return self._tensors.why if mode() == "off" else self._blocks.why

    def scores(self, features: Sequence[Feature]) -> Tensor:
        rows, device = shape(features)
        trees = self._trees
        if not limits_on(device).tree_loops:
            return self._tensors.scores(features)
        whole = side_by_side(features)
        if (
            whole is not None
            and self._rows is not None
            and is_walk_compiled(whole.numel() // _WIDE, trees.dtype, trees.sums)
        ):
            return self._rows.scores(whole)
        return (self._blocks if is_compiled(rows, trees.sums) else self._tensors).scores(features)


def choose(trees: Ensemble) -> Kernel:
    """The fastest kernel for a device, once it has rows there."""
    return _Best(trees)


def _of_tensors(trees: Ensemble) -> Kernel:
    """The tensor operations with the least estimated cost."""
    costs = Costs.of(trees)
    leaves, levels = costs.leaves, costs.levels
    depth = _oblivious_depth(trees)
    if depth is not None and depth < 16:
        why = f"all splits of a level are equal, so {costs.used} features add up to the leaf number"
        return BitVector(trees, "sum", why)
    if leaves <= 64 and costs.bits <= costs.walk:
        times = (
            f"about {costs.bits / 1000:.2f} µs a row against {costs.walk / 1000:.2f} by traversal of {levels} levels"
        )
        return BitVector(trees, "and", f"{leaves} leaves fit in {costs.size} bits, {times}")
    if leaves > 64 and costs.top <= costs.walk:
        return Traversal(trees, f"{leaves} leaves in a tree, {levels} levels", bits=True)
    return Traversal(
        trees, f"{leaves} leaves in a tree, {levels} levels; bit vectors of {costs.used} features cost more"
    )


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
