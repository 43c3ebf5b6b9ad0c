"""Ensembles of random shapes: every kernel gives the same bits, and what a plain walk down each tree gives."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.predict.inputs import numeric
from tqp.models.trees.ensemble import LEAF, Ensemble, Tree, ensemble
from tqp.models.trees.kernels import BitVector, Blocks, Kernel, Traversal

FEATURES = 4
CUTS = (-np.inf, -1.5, -0.0, 0.0, 5e-324, 0.25, 1.0, 3e38, np.inf)
Random = np.random.Generator


def grown(random: Random, branches: int, width: int, skew: float) -> Tree:
    """A tree of so many branches; with more `skew` they are rather on one way down."""
    feature, left, right = [LEAF], [0], [0]
    leaves = [0]
    sets: dict[int, np.ndarray] = {}
    for _ in range(branches):
        node = leaves.pop(-1 if random.random() < skew else int(random.integers(len(leaves))))
        feature[node] = int(random.integers(FEATURES))
        left[node], right[node] = len(feature), len(feature) + 1
        leaves += [len(feature), len(feature) + 1]
        feature += [LEAF, LEAF]
        left += leaves[-2:]
        right += leaves[-2:]
        if random.random() < 0.15:
            ends = np.unique(random.choice(CUTS, 4))
            sets[node] = ends[: len(ends) // 2 * 2].reshape(-1, 2)
    count = len(feature)
    return Tree(
        np.asarray(feature), random.choice(CUTS, count), np.asarray(left), np.asarray(right),
        random.normal(size=(count, width)), random.random(count) < 0.3, sets,
    )  # fmt: skip


def walked(trees: Ensemble, row: np.ndarray) -> np.ndarray:
    """The scores of a row, node by node."""
    kind = torch.empty(0, dtype=trees.sums).numpy().dtype.type
    total = trees.base.astype(kind)
    for root, target in zip(trees.roots.tolist(), trees.target.tolist(), strict=True):
        node = root
        while (place := int(trees.feature[node])) != LEAF:
            value = row[place]
            if np.isnan(value):
                goes_left = bool(trees.missing_left[node])
            elif node in trees.sets:
                goes_left = any(
                    low < value <= high or low == value == -np.inf for low, high in trees.sets[node].tolist()
                )
            else:
                goes_left = bool(value <= trees.threshold[node])
            node = int((trees.left if goes_left else trees.right)[node])
        for output, value in enumerate(trees.leaf[node].astype(kind)):
            total[target + output] += value
    return total


@pytest.mark.host_only("kernels of the CPU")
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 11), st.integers(0, 90), st.floats(0, 1), st.sampled_from([0, 1, 40]))
def test_all_kernels_agree(seed: int, count: int, branches: int, skew: float, rows: int) -> None:
    random = np.random.default_rng(seed)
    width, more = int(random.integers(1, 3)), int(random.integers(0, 2))
    made = [grown(random, int(random.integers(0, branches + 1)), width, skew) for _ in range(count)]
    trees = ensemble(
        made,
        features=FEATURES,
        dtype=torch.float64,
        sums=torch.float32 if seed % 2 else torch.float64,
        base=random.normal(size=(width if made else 1) + more),
        target=random.integers(0, more + 1, count).tolist(),
    )
    near = np.unique(np.nextafter(np.repeat(CUTS, 3), np.tile([-np.inf, 0.0, np.inf], len(CUTS))))
    table = random.choice(np.concatenate([near, CUTS, [np.nan]]), (rows, FEATURES))
    kernels: list[Kernel] = [Blocks(trees), Traversal(trees, ""), Traversal(trees, "", bits=True)]
    if trees.leaves().max(initial=1) <= 64:
        kernels.append(BitVector(trees, "and", ""))
    expected = np.array([walked(trees, row) for row in table]).reshape(rows, trees.outputs).T
    for kernel in kernels:
        assert np.array_equal(kernel.scores(numeric(table)).numpy(), expected)
