"""Trees as blocks of comparisons that are made for all rows, and nodes below them: what a compiled loop runs on the CPU."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.kernels.forest import LEVELS, Forest, add_leaves_
from tqp.models.features import Feature
from tqp.models.trees.cells import Cells, goes_left, locate_block, locate_table, shape
from tqp.models.trees.ensemble import LEAF, Ensemble

__all__ = ["Blocks"]

_BLOCK = 0.09  # nanoseconds a row that a block costs, on one core
_LEVEL = 0.7  # and a level below the blocks
_MOST = 31  # blocks of a tree: their states are bytes
_SPAN = 254  # ranks of a column: its codes are bytes, too
_ALWAYS_LEFT = 255
_DEEPEST = 8  # levels of one split each: the states' bits


class Blocks:
    """Every tree is cut into blocks from its longest ways on, as long as that saves more levels than the blocks cost."""

    def __init__(self, trees: Ensemble) -> None:
        self.places = sorted(trees.used())
        self.cuts = trees.cuts()
        self.dtype, self.sums = trees.dtype, trees.sums
        self.base = torch.tensor(trees.base, dtype=trees.sums, device="cpu")
        packed = _Packing(trees, _Columns(trees, self.places, self.cuts))
        self.forest = packed.forest()
        self.why = packed.describe()
        self._ready: dict[torch.device, tuple[list[Cells], Forest]] = {}

    def _on(self, device: torch.device) -> tuple[list[Cells], Forest]:
        if device not in self._ready:
            cells = [Cells(self.cuts[place], self.dtype, device) for place in self.places]
            self._ready[device] = (cells, self.forest.to(device))
        return self._ready[device]

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """The scores (outputs, n)."""
        rows, device = shape(features)
        total = self.base.to(device)[:, None].repeat(1, rows)
        cells, forest = self._on(device)
        coded = [locate_table(cell, features[place]) for cell, place in zip(cells, self.places, strict=True)]
        block = limits_on(device).tree_rows or rows
        found = torch.empty((len(cells), min(block, rows)), dtype=torch.int32, device=device)
        for start in range(0, rows, block):
            stop = min(start + block, rows)
            here = found if stop - start == found.shape[1] else found[:, : stop - start].contiguous()
            for row, known, cell, place in zip(here, coded, cells, self.places, strict=True):
                row.copy_(locate_block(known, cell, features[place], start, stop).rows())
            total[:, start:stop] = add_leaves_(total[:, start:stop].contiguous(), here, forest)
        return total


class _Columns:
    """The columns of codes, and for each node which it compares and with what rank."""

    def __init__(self, trees: Ensemble, places: Sequence[int], cuts: dict[int, npt.NDArray[np.float64]]) -> None:
        self.columns: list[tuple[int, int, int, int]] = []
        self.recode: list[npt.NDArray[np.uint8]] = []
        self._known: dict[tuple[int, ...] | bytes, int] = {}
        self.column = np.zeros(len(trees.feature), dtype=np.int64)
        self.rank = np.full(len(trees.feature), _ALWAYS_LEFT, dtype=np.int64)
        self._size = 0
        is_set = np.zeros(len(trees.feature), dtype=bool)
        is_set[list(trees.sets)] = True
        for number, place in enumerate(places):
            for left in (False, True):
                nodes = np.flatnonzero((trees.feature == place) & ~is_set & (trees.missing_left == left))
                # Where missing values go left their code is 0, and the others begin at 1.
                rank = np.searchsorted(cuts[place], trees.threshold[nodes]) + left
                self.rank[nodes] = rank % _SPAN
                missing = len(cuts[place]) + 1 if left else -1
                for span in np.unique(rank // _SPAN).tolist():  # host: NumPy
                    self.column[nodes[rank // _SPAN == span]] = len(self.columns)
                    self.columns.append((number, span * _SPAN - left, missing, -1))
            for node in np.flatnonzero(is_set & (trees.feature == place)).tolist():  # host: NumPy
                codes = np.where(goes_left(trees, node, cuts[place]), 0, 1).astype(np.uint8)
                self.column[node] = self._table(number, codes)
                self.rank[node] = 0

    def _table(self, number: int, codes: npt.NDArray[np.uint8]) -> int:
        key = number.to_bytes(4, "little") + codes.tobytes()
        if key not in self._known:
            self._known[key] = len(self.columns)
            self.columns.append((number, 0, -1, self._size))
            self.recode.append(codes)
            self._size += len(codes)
        return self._known[key]


@dataclass
class _Tree:
    """A tree's blocks: the nodes compared (None: always left) and the state they are for; and the nodes by state behind them."""

    blocks: list[list[int | None]] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    states: dict[int, int] = field(default_factory=dict)


class _Packing:
    """Writes the arrays of a forest, tree by tree."""

    def __init__(self, trees: Ensemble, columns: _Columns) -> None:
        self._trees = trees
        self._columns = columns
        self._inner: list[bool] = (trees.feature != LEAF).tolist()  # host: NumPy
        self._left: list[int] = trees.left.tolist()  # host: NumPy
        self._right: list[int] = trees.right.tolist()  # host: NumPy
        self._height: list[int] = trees.heights().tolist()  # host: NumPy
        self.trees: list[tuple[int, int, int, int, int]] = []
        self._compared: list[list[int | None]] = []
        self.entry: list[int] = []
        self._nodes: list[int] = []
        self._followed: list[int] = []
        # Trees of one output stand together, but none before another one that adds to the same.
        order = np.argsort(trees.target, kind="stable") if trees.leaf.shape[1] == 1 else np.arange(trees.trees)
        for tree in order.tolist():  # host: NumPy
            self._add(int(trees.roots[tree]), int(trees.target[tree]))

    def describe(self) -> str:
        """How many blocks of either kind there are, and levels below them."""
        levels = sum(tree[3] for tree in self.trees)
        equal = self.entry.count(LEVELS)
        parts = [f"{len(self.entry) - equal:,} blocks of 7 comparisons"] if equal < len(self.entry) else []
        parts += [f"{equal:,} blocks of 3 levels of oblivious trees"] if equal else []
        parts += [f"{levels:,} levels"] if levels or not parts else []
        return f"a loop: {', '.join(parts)}"

    def forest(self) -> Forest:
        """The forest."""
        columns, nodes = self._columns, np.asarray(self._nodes, dtype=np.int64)
        blocks = np.asarray([[-1 if node is None else node for node in block] for block in self._compared])
        blocks = blocks.astype(np.int64).reshape(-1, 7)
        packed = np.asarray(self._followed, dtype=np.int64) << 32 | columns.column[nodes] << 8 | columns.rank[nodes]
        return Forest(
            np.asarray(columns.columns, dtype=np.int64).reshape(-1, 4),
            np.asarray(self.trees, dtype=np.int64).reshape(-1, 5),
            np.where(blocks < 0, 0, columns.column[blocks]),
            np.where(blocks < 0, _ALWAYS_LEFT, columns.rank[blocks]).astype(np.uint8),
            np.asarray(self.entry, dtype=np.uint8),
            torch.from_numpy(np.concatenate([np.empty(0, np.uint8), *columns.recode])),
            torch.from_numpy(packed),
            torch.tensor(self._trees.leaf[nodes].T, dtype=self._trees.sums, device="cpu").contiguous(),
        )

    def _add(self, root: int, target: int) -> None:
        tree = self._by_levels(root) or self._by_blocks(root)
        first, place = len(self._compared), len(self._nodes)
        self._compared += tree.blocks
        self.entry += tree.entry
        # States that no row gets to are some leaf; their number is that of a node, so there is one for each.
        leaf = root
        while self._inner[leaf]:
            leaf = self._left[leaf]
        order = [tree.states.get(state, leaf) for state in range(max(tree.states) + 1)]
        reached = set(tree.states)
        for number, node in enumerate(order):  # grows while it is read
            if self._inner[node] and (number in reached or number > max(tree.states)):
                self._followed.append(len(order))
                order += [self._left[node], self._right[node]]
            else:
                self._followed.append(number)
        self._nodes += order
        levels = max(self._height[node] for node in tree.states.values())
        self.trees.append((first, len(self._compared), place, levels, target))

    def _by_levels(self, root: int) -> _Tree | None:
        """A tree whose levels have one split each, which are all asked: the answers are the bits of its leaf's number."""
        level, splits = [root], list[int]()
        while self._inner[level[0]]:
            asked = {(int(self._columns.column[node]), int(self._columns.rank[node])) for node in level}
            if len(asked) > 1 or not all(self._inner[node] for node in level) or len(splits) == _DEEPEST:
                return None
            splits.append(level[0])
            level = [child for node in level for child in (self._left[node], self._right[node])]
        if len(splits) <= 3 or any(self._inner[node] for node in level):
            return None
        asked_from: list[int | None] = [*[None] * (-len(splits) % 3), *splits]
        blocks = [[*asked_from[i : i + 3], None, None, None, None] for i in range(0, len(asked_from), 3)]
        return _Tree(blocks, [LEVELS] * len(blocks), dict(enumerate(level)))

    def _by_blocks(self, root: int) -> _Tree:
        """Blocks from the longest ways on, as many as make the tree cheapest."""
        blocks: list[tuple[int, list[int | None], list[int | None]]] = []
        longest = [(-self._height[root], 0, root)]
        best, costs = 0, [_LEVEL * self._height[root]]
        while len(blocks) < _MOST and longest[0][0] < 0:
            _, state, node = heapq.heappop(longest)
            compared, ends = self._block(node)
            base = 1 + 8 * len(blocks)
            blocks.append((state, compared, ends))
            for way, end in enumerate(ends):
                if end is not None:
                    heapq.heappush(longest, (-self._height[end], base + way, end))
            costs.append(_BLOCK * len(blocks) - _LEVEL * longest[0][0])
        best = int(np.argmin(costs))  # host: NumPy
        tree = _Tree(states={0: root})
        for number, (state, compared, ends) in enumerate(blocks[:best]):
            del tree.states[state]
            tree.states.update({1 + 8 * number + way: end for way, end in enumerate(ends) if end is not None})
            tree.blocks.append(compared)
            tree.entry.append(state)
        return tree

    def _block(self, node: int) -> tuple[list[int | None], list[int | None]]:
        """The seven nodes compared, and the eight that come then; None where no row gets to."""
        level: list[int | None] = [node]
        compared: list[int | None] = []
        for _ in range(3):
            below: list[int | None] = []
            for one in level:
                inner = one is not None and self._inner[one]
                compared.append(one if inner else None)
                below += [self._left[one], self._right[one]] if one is not None and inner else [one, None]
            level = below
        return compared, level
