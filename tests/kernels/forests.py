"""Random forests as `tqp/kernels/forest.py` takes them: blocks of all shapes, columns of all kinds, nodes below."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from tqp.kernels.forest import LEVELS, Forest, Nodes

__all__ = ["forests", "walked"]

_CELLS = 300


@st.composite
def forests(draw: st.DrawFn) -> tuple[Tensor, Tensor, Forest]:
    """Scores (outputs, n), rows (features, n) and a forest."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    sums = draw(st.sampled_from([torch.float32, torch.float64]))
    features, width, more = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(0, 2))
    rows = draw(st.sampled_from([0, 1, 3, 1024, 2500]))
    columns = [
        (
            int(random.integers(features)),
            int(random.integers(-1, 60)),
            int(random.choice([-1, _CELLS - 1])),
            _CELLS * table if draw(st.booleans()) else -1,
        )
        for table in range(draw(st.integers(1, 5)))
    ]
    trees: list[tuple[int, int, int, int, int]] = []
    entry: list[int] = []
    nodes: list[int] = []
    for target in sorted(random.integers(0, more + 1, draw(st.integers(0, 9))).tolist()):
        first, place = len(entry), len(nodes)
        own, states = _blocks(random, draw(st.booleans()), draw(st.integers(0, 3)))
        entry += own
        levels = draw(st.integers(0, 2))
        nodes += _nodes(random, states, levels, len(columns))
        trees.append((first, len(entry), place, levels, target))
    forest = Forest(
        np.asarray(columns, dtype=np.int64),
        np.asarray(trees, dtype=np.int64).reshape(-1, 5),
        random.integers(0, len(columns), (len(entry), 7)),
        random.choice([0, 1, 100, 254, 255], (len(entry), 7)).astype(np.uint8),
        np.asarray(entry, dtype=np.uint8),
        torch.from_numpy(random.integers(0, 256, _CELLS * len(columns)).astype(np.uint8)),
        torch.tensor(nodes, dtype=torch.int64),
        torch.from_numpy(random.normal(size=(width, len(nodes)))).to(sums),
    )
    cells = torch.from_numpy(random.integers(0, _CELLS, (features, rows)).astype(np.int32))
    return torch.zeros((width + more, rows), dtype=sums), cells, forest


def _blocks(random: Any, by_levels: bool, count: int) -> tuple[list[int], int]:
    """The entries of so many blocks, and how many states there are."""
    if by_levels and count:
        count = min(count, 2)
        return [LEVELS] * count, 8**count
    entries: list[int] = []
    states = [0]
    for number in range(count):
        entries.append(states.pop(int(random.integers(len(states)))))
        states += range(1 + 8 * number, 9 + 8 * number)
    return entries, 1 + 8 * count


def _nodes(random: Any, states: int, levels: int, columns: int) -> list[int]:
    """Nodes for the states, some of which go on for up to so many levels."""
    left = list(range(states))
    start = 0
    for _ in range(levels):
        stop = len(left)
        for node in range(start, stop):
            if random.random() < 0.5:
                left[node] = len(left)
                left += [len(left), len(left) + 1]
        start = stop
    return [
        node << 32 | int(random.integers(columns)) << 8 | (255 if node == number else int(random.choice([0, 9, 254])))
        for number, node in enumerate(left)
    ]


@st.composite
def walked(draw: st.DrawFn) -> tuple[Tensor, Tensor, Nodes]:
    """Scores (outputs, n), rows (n, features), some of whose numbers are missing or infinite, and trees of nodes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    sums, dtype = (
        draw(st.sampled_from([torch.float32, torch.float64])),
        draw(st.sampled_from([torch.float32, torch.float64])),
    )
    features, width, more = draw(st.integers(1, 5)), draw(st.integers(1, 2)), draw(st.integers(0, 2))
    rows = draw(st.sampled_from([0, 1, 31, 32, 33, 200]))
    trees: list[tuple[int, int, int]] = []
    nodes: list[int] = []
    threshold: list[float] = []
    for target in random.integers(0, more + 1, draw(st.integers(0, 5))).tolist():
        first, levels = len(nodes), draw(st.integers(0, 4))
        level = [first]
        for left in range(levels, -1, -1):
            following: list[int] = []
            for node in level:
                inner = left > 0 and random.random() < 0.8
                goes_to = level[-1] + 1 + len(following) if inner else node
                right = int(inner and random.random() < 0.5)
                nodes.append(goes_to << 32 | right << 31 | int(random.integers(features) if inner else 0))
                threshold.append(float(random.integers(-2, 3)) if inner else np.inf)
                following += [goes_to, goes_to + 1] if inner else []
            level = following
            if not level:
                break
        trees.append((first, levels, target))
    forest = Nodes(
        np.asarray(trees, dtype=np.int64).reshape(-1, 3),
        torch.tensor(nodes, dtype=torch.int64),
        torch.tensor(threshold, dtype=dtype),
        torch.from_numpy(random.normal(size=(width, len(nodes)))).to(sums),
    )
    numbers = random.choice([-3, -2, -1, 0, 0.5, 1, 2, np.inf, -np.inf, np.nan], (rows, features))
    return torch.zeros((width + more, rows), dtype=sums), torch.from_numpy(numbers).to(dtype), forest
