"""Trees as bit vectors: no branch is followed, words of the leaves that are left are combined.

Also the sum of leaf numbers for oblivious trees, where a level has one split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.device import limits_on
from tqp.models.features import Feature
from tqp.models.trees.cells import Cells, Located, goes_left, locate_block, locate_table, shape
from tqp.models.trees.ensemble import LEAF, Ensemble

__all__ = ["WORDS", "BitVector"]

_GROUP = 128  # trees of a group of masks: bounds the masks' tables, whose rows are the group's thresholds

WORDS = ((8, torch.uint8), (16, torch.int16), (32, torch.int32), (64, torch.int64))


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
    `cuts`: those of a larger ensemble that these trees are the tops of.
    """

    def __init__(
        self,
        trees: Ensemble,
        combine: Literal["and", "sum"],
        why: str,
        cuts: Mapping[int, npt.NDArray[np.float64]] | None = None,
    ) -> None:
        self.why = f"bit vector: {why}" if combine == "and" else f"oblivious: {why}"
        self.combine = combine
        self.cuts = trees.cuts() if cuts is None else cuts
        self.places = sorted(self.cuts)
        self.dtype, self.sums, self.base = (
            trees.dtype,
            trees.sums,
            torch.tensor(trees.base, dtype=trees.sums, device="cpu"),
        )
        leaves = int(trees.leaves().max(initial=1))  # host: NumPy
        if combine == "and":
            self.word = next(word for bits, word in WORDS if leaves <= bits)
        else:
            self.word = torch.uint8 if leaves <= 256 else torch.int16
        self.groups = [
            self._group(trees, range(i, min(i + _GROUP, trees.trees))) for i in range(0, trees.trees, _GROUP)
        ]
        self._ready: dict[torch.device, tuple[list[Cells], list[_Group]]] = {}

    def _group(self, trees: Ensemble, members: range) -> _Group:
        part = trees.part(members.start, members.stop)
        own = part.cuts()
        cuts = {place: own.get(place, np.empty(0)) for place in self.places}
        full = np.iinfo(np.uint64).max if self.combine == "and" else 0
        tables = {place: np.full((len(cuts[place]) + 2, len(members)), full, np.uint64) for place in self.places}
        values = [self._fill(part, tree, tables, cuts) for tree in range(len(members))]
        maps: list[Tensor | None] = []
        for place in self.places:
            all_cuts = self.cuts[place]
            if len(all_cuts) == len(cuts[place]):
                maps.append(None)
                continue
            cells = np.append(np.searchsorted(cuts[place], np.append(all_cuts, np.inf)), len(cuts[place]) + 1)
            maps.append(torch.from_numpy(cells.astype(np.int32)))
        words = {torch.uint8: np.uint8, torch.int16: np.int16, torch.int32: np.int32, torch.int64: np.int64}
        narrow = [torch.from_numpy(tables[place].astype(words[self.word])) for place in self.places]
        targets = [int(target) for target in part.target]
        empty = torch.empty(0, device="cpu")
        return _Group(
            maps,
            [table if place in own else empty for place, table in zip(self.places, narrow, strict=True)],
            values,
            targets,
        )

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
        return [torch.tensor(leaf[:, output], dtype=self.sums, device="cpu") for output in range(leaf.shape[1])]

    def _on(self, device: torch.device) -> tuple[list[Cells], list[_Group]]:
        if device not in self._ready:
            cells = [Cells(self.cuts[place], self.dtype, device) for place in self.places]
            self._ready[device] = (cells, [group.to(device) for group in self.groups])
        return self._ready[device]

    def scores(self, features: Sequence[Feature]) -> Tensor:
        rows, device = shape(features)
        total = self.base.to(device)[:, None].repeat(1, rows)
        cells, _ = self._on(device)
        coded = [locate_table(cell, features[place]) for cell, place in zip(cells, self.places, strict=True)]
        limits = limits_on(device)
        block = limits.tree_rows or limits.tree_bytes // (_GROUP * 16)
        for start in range(0, rows, block):
            stop = min(start + block, rows)
            located = [
                locate_block(known, cell, features[place], start, stop)
                for known, cell, place in zip(coded, cells, self.places, strict=True)
            ]
            for target, values in self.chosen(located, stop - start, device):
                for output, found in enumerate(values):
                    total[target + output, start:stop].add_(found)
        return total

    def chosen(self, located: list[Located], rows: int, device: torch.device) -> Iterator[tuple[int, list[Tensor]]]:
        """For each tree the output it adds to and the values (rows,) of the leaf of each row."""
        for group in self._on(device)[1]:
            numbers = self._numbers(group, located, rows, device)
            for tree, (values, target) in enumerate(zip(group.leaves, group.targets, strict=True)):
                yield target, [column.index_select(0, numbers[tree]) for column in values]

    def _numbers(self, group: _Group, located: list[Located], rows: int, device: torch.device) -> Tensor:
        """What the leaf values of each tree are indexed by: (trees, rows) int32."""
        trees = len(group.leaves)
        tables = self._tables(group, located, rows)
        numbers = torch.empty((trees, rows), dtype=torch.int32, device=device)
        step = max(1024, limits_on(device).tree_bytes // (trees * self.word.itemsize))
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
                words = torch.full((1, trees), first, dtype=self.word, device=device).expand(rows, trees)
            numbers[:, start : start + step].copy_(self._leaf(words).t())
        return numbers

    def _leaf(self, words: Tensor) -> Tensor:
        """From the combined words to what `_fill` indexes the leaf values by."""
        if self.word is torch.uint8 or self.combine == "sum":
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
            if feature.codes.data_ptr() in shared:
                before = shared[feature.codes.data_ptr()][0]
                found = before.bitwise_and_(found) if self.combine == "and" else before.add_(found)
            shared[feature.codes.data_ptr()] = (found, feature.codes)
        return [*tables, *shared.values()]
