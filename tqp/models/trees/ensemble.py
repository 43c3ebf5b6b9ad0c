"""Tree ensembles in one form, whatever library they come from, and what can be proven about them.

A node sends a value left when it is at most the threshold, where both are of the ensemble's dtype (thresholds are rounded
once, when the model is imported), or, in a set split, when it lies in one of the intervals (low, high]; one that begins at
-inf has no beginning. A missing value (NaN) goes where the node says. The ensemble's scores are its base plus, tree by tree in
order, the values of the leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

__all__ = ["LEAF", "Ensemble", "Tree", "at_most", "below", "categories_left", "ensemble", "outside", "prune"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LEAF = -1  # the feature of a leaf


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One tree of n nodes, the root first: arrays (n,), leaf values (n, width), children as node numbers.

    `sets` gives the intervals (m, 2) that go left for nodes that are set splits; their threshold is not read.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    leaf: Floats
    missing_left: Bools
    sets: Mapping[int, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trees with their nodes in one numbering; fields as in `Tree`, a tree's nodes not necessarily side by side.

    `roots` (t,): the root of each tree. `target` (t,): the output that the first leaf value of a tree adds to (the others
    add to the outputs after it). A leaf is its own child. `base` (outputs,): the scores before the first tree. `dtype`:
    of the comparison; `sums`: of the scores.
    """

    features: int
    dtype: torch.dtype
    sums: torch.dtype
    roots: Ints
    target: Ints
    base: Floats
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    leaf: Floats
    missing_left: Bools
    sets: Mapping[int, Floats]

    @property
    def outputs(self) -> int:
        return len(self.base)

    @property
    def trees(self) -> int:
        return len(self.roots)

    def used(self) -> frozenset[int]:
        """The features that occur in a split."""
        return frozenset(int(place) for place in np.unique(self.feature) if place != LEAF)

    def cuts(self) -> dict[int, Floats]:
        """The ascending values at which a split of a feature can change its mind, for each used feature.

        They divide the line into cells: cell i holds cuts[i - 1] < x <= cuts[i], the last one all that is above.
        """
        found: dict[int, list[Any]] = {place: [] for place in sorted(self.used())}
        special = np.zeros(len(self.feature), dtype=bool)
        for node, intervals in self.sets.items():
            special[node] = True
            found[int(self.feature[node])].append(intervals[np.isfinite(intervals)])
        for place, values in found.items():
            values.append(self.threshold[(self.feature == place) & ~special])
        return {place: np.unique(np.concatenate(values)) for place, values in found.items()}

    def levels(self) -> list[Ints]:
        """The nodes by distance from their root; the last level holds leaves only."""
        levels = [np.unique(self.roots)]
        while True:
            inner = levels[-1][self.feature[levels[-1]] != LEAF]
            if not len(inner):
                return levels
            levels.append(np.concatenate([self.left[inner], self.right[inner]]))

    def heights(self) -> Ints:
        """The levels below each node, (m,)."""
        height = np.zeros(len(self.feature), dtype=np.int64)
        for level in reversed(self.levels()):
            inner = level[self.feature[level] != LEAF]
            height[inner] = 1 + np.maximum(height[self.left[inner]], height[self.right[inner]])
        return height

    def part(self, start: int, stop: int) -> Ensemble:
        """The trees start..stop-1 alone."""
        return _compact(replace(self, roots=self.roots[start:stop], target=self.target[start:stop]))

    def leaves(self) -> Ints:
        """The number of leaves of each tree, (t,)."""
        counts = (self.feature == LEAF).astype(np.int64)
        for level in reversed(self.levels()):
            inner = level[self.feature[level] != LEAF]
            counts[inner] = counts[self.left[inner]] + counts[self.right[inner]]
        return np.asarray(counts[self.roots], dtype=np.int64)


def at_most(threshold: npt.ArrayLike, dtype: torch.dtype) -> Floats:
    """The largest numbers of `dtype` that are <= the thresholds: x <= result is x <= threshold for every x of the dtype."""
    exact = np.asarray(threshold, dtype=np.float64)
    if dtype is torch.float64:
        return exact
    with np.errstate(over="ignore", under="ignore"):
        near = exact.astype(np.float32)
        down = np.nextafter(near, np.float32(-np.inf))
    return np.asarray(np.where(near.astype(np.float64) > exact, down, near), dtype=np.float64)


def below(threshold: npt.ArrayLike, dtype: torch.dtype) -> Floats:
    """The largest numbers of `dtype` that are < the thresholds (which are of the dtype)."""
    kind = np.float32 if dtype is torch.float32 else np.float64
    return np.asarray(np.nextafter(np.asarray(threshold, dtype=kind), kind(-np.inf)), dtype=np.float64)


def categories_left(codes: Sequence[float], dtype: torch.dtype, *, truncate: bool) -> Floats:
    """The intervals of the category codes: exactly these numbers or, with `truncate`, all that truncate to them.

    Only numbers from 0 on count as codes: -0.5 is none, for a category 0 also with `truncate`.
    """
    low = np.asarray(sorted(codes), dtype=np.float64)
    high = below(low + 1, dtype) if truncate else low
    return np.stack([below(low, dtype), high], axis=1)


def outside(intervals: Floats) -> Floats:
    """All that is not in the intervals, which are ascending and do not overlap."""
    ends = np.concatenate([[-np.inf], intervals.ravel(), [np.inf]]).reshape(-1, 2)
    return ends[ends[:, 0] < ends[:, 1]]


def ensemble(
    trees: Sequence[Tree],
    *,
    features: int,
    dtype: torch.dtype,
    base: npt.ArrayLike,
    sums: torch.dtype = torch.float64,
    target: Sequence[int] | None = None,
) -> Ensemble:
    """The trees as one ensemble; `base` has an entry for each output, `target` one for each tree (0 where None)."""
    sizes = [len(tree.feature) for tree in trees]
    starts = np.cumsum([0, *sizes])[:-1]
    width = trees[0].leaf.shape[1] if trees else 1

    def children(name: str) -> list[Ints]:
        return [
            np.where(tree.feature == LEAF, np.arange(size), getattr(tree, name)) + start
            for tree, size, start in zip(trees, sizes, starts, strict=True)
        ]

    def joined(arrays: list[Any], kind: type, empty: tuple[int, ...] = (0,)) -> Any:
        return np.concatenate(arrays).astype(kind) if arrays else np.empty(empty, dtype=kind)

    return Ensemble(
        features=features,
        dtype=dtype,
        sums=sums,
        roots=starts.astype(np.int64),
        target=np.zeros(len(trees), dtype=np.int64) if target is None else np.asarray(target, dtype=np.int64),
        base=np.asarray(base, dtype=np.float64),
        feature=joined([tree.feature for tree in trees], np.int64),
        threshold=joined([tree.threshold for tree in trees], np.float64),
        left=joined(children("left"), np.int64),
        right=joined(children("right"), np.int64),
        leaf=joined([tree.leaf for tree in trees], np.float64, (0, width)),
        missing_left=joined([tree.missing_left for tree in trees], np.bool_),
        sets={
            int(node + start): intervals
            for tree, start in zip(trees, starts, strict=True)
            for node, intervals in tree.sets.items()
        },
    )


def prune(trees: Ensemble, bounds: Mapping[int, tuple[float, float]]) -> Ensemble:
    """The ensemble without the branches that no row can take; equal scores for all rows within the bounds.

    `bounds`: inclusive limits of features, which are proven not to be missing either. Cost: a few passes over the nodes.
    """
    decided = np.full(len(trees.feature), -1, dtype=np.int64)
    numeric = trees.feature != LEAF
    numeric[list(trees.sets)] = False
    for place, limits in bounds.items():
        # Rows are rounded to the dtype before they are compared, so the limits are, too.
        low, high = (
            torch.tensor(limits, dtype=torch.float64, device="cpu").to(trees.dtype).double().tolist()  # host: NumPy
        )  # host: a constant
        here = numeric & (trees.feature == place)
        go_left, go_right = here & (trees.threshold >= high), here & (trees.threshold < low)
        decided[go_left], decided[go_right] = trees.left[go_left], trees.right[go_right]
        for node, intervals in trees.sets.items():
            if trees.feature[node] != place:
                continue
            if np.any((intervals[:, 0] < low) & (high <= intervals[:, 1])):
                decided[node] = trees.left[node]
            elif not np.any(((intervals[:, 0] < high) | np.isneginf(high)) & (low <= intervals[:, 1])):
                decided[node] = trees.right[node]
    if not np.any(decided >= 0):
        return trees
    goes_to = np.where(decided >= 0, decided, np.arange(len(decided)))
    while not np.array_equal(further := goes_to[goes_to], goes_to):
        goes_to = further
    shorter = replace(
        trees,
        roots=goes_to[trees.roots],
        left=goes_to[trees.left],
        right=goes_to[trees.right],
    )
    return _compact(shorter)


def _compact(trees: Ensemble) -> Ensemble:
    """The ensemble without the nodes that no root leads to."""
    kept = np.unique(np.concatenate(trees.levels()))
    inner = kept[trees.feature[kept] != LEAF]
    number = np.zeros(len(trees.feature), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    return replace(
        trees,
        roots=number[trees.roots],
        feature=trees.feature[kept],
        threshold=trees.threshold[kept],
        left=number[trees.left[kept]],
        right=number[trees.right[kept]],
        leaf=trees.leaf[kept],
        missing_left=trees.missing_left[kept],
        sets={int(number[node]): trees.sets[node] for node in inner.tolist() if node in trees.sets},  # host: NumPy
    )
