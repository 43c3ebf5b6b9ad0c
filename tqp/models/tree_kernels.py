"""The ways to run an ensemble of trees: bit vectors, sums of leaf numbers, and traversal a level at a time.

Every kernel first finds the cell of each used feature (`tree_cells`). Costs in `choose` are of one CPU core, measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.models.features import Coded, Feature, Numeric
from tqp.models.tree_cells import Cells, Located
from tqp.models.trees import LEAF, Ensemble

__all__ = ["BitVector", "Kernel", "Traversal", "choose"]

_BLOCK = 2**15  # rows of a block on the CPU: its cells and leaf numbers stay in cache
_MASK_BYTES = 2**21  # bytes of masks at once on the CPU
_DEVICE_BYTES = 2**28  # bytes of masks or codes at once on an accelerator
_GROUP = 128  # trees of a group of masks: bounds the masks' tables, whose rows are the group's thresholds

_WORDS = ((8, torch.uint8), (16, torch.int16), (32, torch.int32), (64, torch.int64))


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
    if depth is not None and depth <= 8:
        return BitVector(trees, "sum", f"all splits of a level are equal: leaf number as a sum over {used} features")
    walk = 4.0 * levels * trees.trees
    if leaves <= 64:
        size = next(bits for bits, _ in _WORDS if leaves <= bits)
        bits = trees.trees * (used * {8: 0.05, 16: 0.08, 32: 0.17, 64: 0.35}[size] + (1.6 if size < 64 else 2.2))
        costs = f"{bits / 1000:.2f} µs a row against {walk / 1000:.2f} by traversal of {levels} levels"
        if bits <= walk:
            return BitVector(trees, "and", f"{leaves} leaves fit in {size} bits, about {costs}")
        return Traversal(trees, f"{used} features make bit vectors cost about {costs}")
    return Traversal(trees, f"{leaves} leaves in a tree are too many for bit vectors; {levels} levels")


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


def goes_left(trees: Ensemble, node: int, cuts: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Where an inner node sends each cell of its feature: (len(cuts) + 2,), the last entry for a missing value."""
    values = np.append(cuts, np.inf)
    if node in trees.sets:
        low, high = trees.sets[node][:, :1], trees.sets[node][:, 1:]
        left = ((low < values) & (values <= high)).any(axis=0)
    else:
        left = values <= trees.threshold[node]
        left[-1] = False
    return np.append(left, trees.missing_left[node])


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Masks of some trees: a table (cells, trees) for each feature, after an optional map of the ensemble's cells."""

    maps: list[Tensor | None]
    tables: list[Tensor]
    leaves: list[list[Tensor]]
    targets: list[int]

    def to(self, device: torch.device) -> _Group:
        return _Group(
            [None if cells is None else cells.to(device) for cells in self.maps],
            [table.to(device) for table in self.tables],
            [[values.to(device) for values in tree] for tree in self.leaves],
            self.targets,
        )


class BitVector:
    """QuickScorer as tensor operations: for each cell of a feature and each tree a word with the leaves that are left.

    The AND over the features leaves one bit, the leaf. Where all nodes of a level are equal, the words are the feature's
    part of the leaf number and are added up instead (`combine` "sum"). Features with the same codes meet in the table.
    """

    def __init__(self, trees: Ensemble, combine: Literal["and", "sum"], why: str) -> None:
        self.why = f"bit vector: {why}" if combine == "and" else f"oblivious: {why}"
        self.combine = combine
        self.places = sorted(trees.used())
        self.cuts = trees.cuts()
        self.dtype, self.sums, self.base = trees.dtype, trees.sums, torch.tensor(trees.base, dtype=trees.sums)
        leaves = int(trees.leaves().max(initial=1))
        self.word = next(word for bits, word in _WORDS if leaves <= bits) if combine == "and" else torch.uint8
        self.groups = [self._group(trees, range(i, min(i + _GROUP, trees.trees))) for i in range(0, trees.trees, _GROUP)]
        self._ready: dict[torch.device, tuple[list[Cells], list[_Group]]] = {}

    def _group(self, trees: Ensemble, members: range) -> _Group:
        part = Ensemble(
            **{name: getattr(trees, name) for name in trees.__slots__}
            | {"roots": trees.roots[members.start : members.stop], "target": trees.target[members.start : members.stop]}
        )
        nodes = np.unique(np.concatenate(part.levels()))
        cuts = {}
        for place in self.places:
            here = nodes[part.feature[nodes] == place]
            special = [node for node in here if int(node) in part.sets]
            plain = part.threshold[[node for node in here if int(node) not in part.sets]]
            ends = np.concatenate([plain, *[part.sets[int(node)].ravel() for node in special]])
            cuts[place] = np.unique(ends[~np.isneginf(ends)]) if not special else np.unique(ends[np.isfinite(ends)])
        full = np.iinfo(np.uint64).max if self.combine == "and" else 0
        tables = {place: np.full((len(cuts[place]) + 2, len(members)), full, np.uint64) for place in self.places}
        values = [self._fill(part, tree, tables, cuts) for tree in range(len(members))]
        maps = []
        for place in self.places:
            all_cuts = self.cuts[place]
            if len(all_cuts) == len(cuts[place]):
                maps.append(None)
                continue
            cells = np.append(np.searchsorted(cuts[place], np.append(all_cuts, np.inf)), len(cuts[place]) + 1)
            maps.append(torch.from_numpy(cells.astype(np.int32)))
        words = {torch.uint8: np.uint8, torch.int16: np.int16, torch.int32: np.int32, torch.int64: np.int64}
        narrow = [torch.from_numpy(tables[place].astype(words[self.word])) for place in self.places]
        kept = [place for place in range(len(self.places)) if not (tables[self.places[place]] == full).all()]
        targets = [int(target) for target in part.target]
        empty = torch.empty(0)
        return _Group(maps, [table if i in kept else empty for i, table in enumerate(narrow)], values, targets)

    def _fill(
        self,
        trees: Ensemble,
        tree: int,
        tables: dict[int, npt.NDArray[np.uint64]],
        cuts: dict[int, npt.NDArray[np.float64]],
    ) -> list[Tensor]:
        """Write the tree's column of the tables; returns its leaf values by what is found in the column, by output."""
        order: list[int] = []  # leaves from left to right
        spans: dict[int, tuple[int, int]] = {}
        stack = [(int(trees.roots[tree]), False)]
        while stack:
            node, done = stack.pop()
            left, right = int(trees.left[node]), int(trees.right[node])
            if trees.feature[node] == LEAF:
                spans[node] = (len(order), len(order) + 1)
                order.append(node)
            elif not done:
                stack += [(node, True), (right, False), (left, False)]
            else:
                spans[node] = (spans[left][0], spans[right][1])
        if self.combine == "sum":
            return self._add(trees, tree, tables, cuts, order)
        ones = (1 << 64) - 1
        for node in spans:
            if trees.feature[node] == LEAF:
                continue
            place = int(trees.feature[node])
            (first, middle), (_, last) = spans[int(trees.left[node])], spans[int(trees.right[node])]
            not_left = np.uint64(ones ^ ((1 << middle) - (1 << first)))
            not_right = np.uint64(ones ^ ((1 << last) - (1 << middle)))
            tables[place][:, tree] &= np.where(goes_left(trees, node, cuts[place]), not_right, not_left)
        for table in tables.values():
            table[:, tree] &= np.uint64((1 << len(order)) - 1)
        leaf = trees.leaf[order]
        if self.word is torch.uint8:
            by_word = np.zeros((256, leaf.shape[1]))
            by_word[1 << np.arange(len(order))] = leaf
        else:
            # The exponent of the float 2**k is 127 + k (1023 + k in float64): k - 1 in its low 5 (6) bits.
            size = 64 if self.word is torch.int64 else 32
            by_word = np.zeros((size, leaf.shape[1]))
            by_word[(np.arange(len(order)) + size - 1) % size] = leaf
        return self._values(by_word)

    def _add(
        self,
        trees: Ensemble,
        tree: int,
        tables: dict[int, npt.NDArray[np.uint64]],
        cuts: dict[int, npt.NDArray[np.float64]],
        order: list[int],
    ) -> list[Tensor]:
        node = int(trees.roots[tree])
        weight = len(order)
        while trees.feature[node] != LEAF:
            weight //= 2
            place = int(trees.feature[node])
            tables[place][:, tree] += np.where(goes_left(trees, node, cuts[place]), 0, weight).astype(np.uint64)
            node = int(trees.left[node])
        return self._values(trees.leaf[order])

    def _values(self, leaf: npt.NDArray[np.float64]) -> list[Tensor]:
        return [torch.tensor(leaf[:, output], dtype=self.sums) for output in range(leaf.shape[1])]

    def _on(self, device: torch.device) -> tuple[list[Cells], list[_Group]]:
        if device not in self._ready:
            cells = [Cells(self.cuts[place], self.dtype, device) for place in self.places]
            self._ready[device] = (cells, [group.to(device) for group in self.groups])
        return self._ready[device]

    def scores(self, features: Sequence[Feature]) -> Tensor:
        rows, device = _shape(features)
        total = self.base.to(device)[:, None].repeat(1, rows)
        cells, groups = self._on(device)
        coded = [_located_table(cell, features[place]) for cell, place in zip(cells, self.places, strict=True)]
        block = _BLOCK if device.type == "cpu" else _DEVICE_BYTES // (_GROUP * 16)
        for start in range(0, rows, block):
            stop = min(start + block, rows)
            located = [
                _block(known, cell, features[place], start, stop)
                for known, cell, place in zip(coded, cells, self.places, strict=True)
            ]
            for group in groups:
                self._run(group, located, total[:, start:stop])
        return total

    def _run(self, group: _Group, located: list[Located], total: Tensor) -> None:
        rows, trees = total.shape[1], len(group.leaves)
        tables = self._tables(group, located, rows)
        numbers = torch.empty((trees, rows), dtype=torch.int32, device=total.device)
        step = rows
        if total.device.type == "cpu":
            step = max(1024, _MASK_BYTES // (trees * self.word.itemsize))
        for start in range(0, rows, step):
            words: Tensor | None = None
            for table, codes in tables:
                found = table.index_select(0, codes[start : start + step])
                if words is None:
                    words = found
                elif self.combine == "and":
                    words.bitwise_and_(found)
                else:
                    words.add_(found)
            if words is None:  # no tree has a split: every row is in leaf 0
                first = 0 if self.combine == "sum" else 1
                words = torch.full((1, trees), first, dtype=self.word, device=total.device).expand(rows, trees)
            numbers[:, start : start + step].copy_(self._leaf(words).t())
        for tree, (values, target) in enumerate(zip(group.leaves, group.targets, strict=True)):
            for output, column in enumerate(values):
                total[target + output].add_(column.index_select(0, numbers[tree]))

    def _leaf(self, words: Tensor) -> Tensor:
        """From words with one bit to what `_fill` indexes the leaf values by."""
        if self.word is torch.uint8:
            return words
        if self.word is torch.int64:
            return words.double().view(torch.int64).bitwise_right_shift_(52).bitwise_and_(63)
        return words.float().view(torch.int32).bitwise_right_shift_(23).bitwise_and_(31)

    def _tables(self, group: _Group, located: list[Located], rows: int) -> list[tuple[Tensor, Tensor]]:
        """Tables of words with the codes (rows,) that choose a row of them: one for the features of one `codes`."""
        tables: list[tuple[Tensor, Tensor]] = []
        shared: dict[int, tuple[Tensor, Tensor]] = {}
        for mapping, table, feature in zip(group.maps, group.tables, located, strict=True):
            if not len(table):
                continue
            if feature.codes is None or len(feature.cells) > rows:
                cells = feature.rows()
                tables.append((table, cells if mapping is None else mapping.index_select(0, cells)))
                continue
            cells = feature.cells if mapping is None else mapping.index_select(0, feature.cells)
            found = table.index_select(0, cells)
            if id(feature.codes) in shared:
                before = shared[id(feature.codes)][0]
                found = before.bitwise_and_(found) if self.combine == "and" else before.add_(found)
            shared[id(feature.codes)] = (found, feature.codes)
        return [*tables, *shared.values()]


class Traversal:
    """All rows go down one tree together, a level at a time; the cells of a block lie feature by feature in cache.

    A node compares a code with its rank; a split in which missing values go left, or a set split, reads a column of codes
    of its own, so that this is all a node ever does. The right child follows the left one; a leaf stays where it is.
    """

    def __init__(self, trees: Ensemble, why: str) -> None:
        self.why = f"traversal: {why}"
        self.places = sorted(trees.used())
        self.cuts = trees.cuts()
        self.dtype, self.sums, self.base = trees.dtype, trees.sums, torch.tensor(trees.base, dtype=trees.sums)
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
        self.trees = [_Walk.of(trees, tree, column, rank) for tree in range(trees.trees)]
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
        rows, device = _shape(features)
        total = self.base.to(device)[:, None].repeat(1, rows)
        cells, columns, walks = self._on(device)
        coded = [_located_table(cell, features[place]) for cell, place in zip(cells, self.places, strict=True)]
        block = _BLOCK if device.type == "cpu" else max(1024, _DEVICE_BYTES // (4 * max(1, len(columns))))
        block = min(block, rows)
        for start in range(0, rows, block):
            stop = min(start + block, rows)
            located = [
                _block(known, cell, features[place], start, stop)
                for known, cell, place in zip(coded, cells, self.places, strict=True)
            ]
            codes = torch.empty((len(columns), stop - start), dtype=torch.int32, device=device)
            for column, (place, recode) in enumerate(columns):
                feature = located[place]
                moved = feature.cells if recode is None else recode.index_select(0, feature.cells)
                codes[column] = moved if feature.codes is None else moved.index_select(0, feature.codes)
            row = torch.arange(stop - start, dtype=torch.int32, device=device)
            for walk in walks:
                walk.add(codes, row, total[:, start:stop])
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
    def of(trees: Ensemble, tree: int, column: npt.NDArray[np.int32], rank: npt.NDArray[np.int32]) -> _Walk:
        order = [int(trees.roots[tree])]
        left: list[int] = []
        ends = [1]
        for place, node in enumerate(order):  # grows while it is read
            if place == ends[-1]:
                ends.append(len(order))
            if trees.feature[node] == LEAF:
                left.append(place)
            else:
                left.append(len(order))
                order += [int(trees.left[node]), int(trees.right[node])]
        leaf = trees.leaf[order]
        return _Walk(
            torch.from_numpy(column[order]),
            torch.from_numpy(rank[order]),
            torch.tensor(left, dtype=torch.int32),
            [torch.tensor(leaf[:, output], dtype=trees.sums) for output in range(leaf.shape[1])],
            int(trees.target[tree]),
            len(ends) - 1,
        )

    def to(self, device: torch.device) -> _Walk:
        leaf = [values.to(device) for values in self.leaf]
        return _Walk(
            self.column.to(device), self.rank.to(device), self.left.to(device), leaf, self.target, self.levels
        )

    def add(self, codes: Tensor, row: Tensor, total: Tensor) -> None:
        """Add the leaf values of codes (columns, n) to the scores (outputs, n)."""
        flat = codes.view(-1)
        offset = self.column * len(row)
        node = torch.zeros_like(row)
        for _ in range(self.levels):
            found = flat.index_select(0, offset.index_select(0, node).add_(row))
            right = found > self.rank.index_select(0, node)
            node = self.left.index_select(0, node).add_(right)
        for output, values in enumerate(self.leaf):
            total[self.target + output].add_(values.index_select(0, node))


def _shape(features: Sequence[Feature]) -> tuple[int, torch.device]:
    """Rows and device."""
    first = features[0]
    rows = first.codes if isinstance(first, Coded) else first.values if isinstance(first, Numeric) else first.column.data
    return rows.shape[0], rows.device


def _located_table(cells: Cells, feature: Feature) -> Located | None:
    """The cells of a coded feature's table, found once for all blocks."""
    return cells.locate(feature) if isinstance(feature, Coded) else None


def _block(known: Located | None, cells: Cells, feature: Feature, start: int, stop: int) -> Located:
    """The cells of rows start..stop-1."""
    if known is not None and known.codes is not None:
        return Located(known.cells, known.codes[start:stop])
    if isinstance(feature, Numeric):
        return cells.locate(Numeric(feature.values[start:stop]))
    raise TypeError("trees read numbers; an encoder has to come before them")
