"""Ensembles of trees as blocks of seven comparisons, which are all made, and what is left of the trees as nodes.

A row is in a *state* of a tree, at first 0. A block is for the rows in one state; it sends them to one of the eight states that
follow. Its comparisons are those of the upper three levels of a part of a tree:

                   0
               1       2
             3   4   5   6        to the states base .. base + 7, from left to right

All is small integers: a comparison asks whether the *code* of a row in a column is greater than a rank. So a processor compares
32 or 64 rows at a time, and where no more than a few blocks make a tree that is cheaper than to follow each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.kernels.loops.forest import LEVELS, add_leaves, walk_rows
from tqp.kernels.loops.loop import Kind
from tqp.kernels.operation import Variant, operation

__all__ = ["LEVELS", "Forest", "Nodes", "add_leaves_", "is_compiled", "is_walk_compiled", "walk_rows_"]

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees made ready to run.

    - `columns` (c, 4): the feature, what is subtracted of its cell, the cell whose code is 0 whatever it is (-1: none); codes end
      at 0 and 255. Or, fourth, where its codes by cells begin in `recode` (uint8); -1 for those that have none there.
    - `trees` (t, 5): its first block and the one behind its last, its first node, levels below the blocks, and the output that the
      first of its values adds to; quickest where trees of one output stand together.
    - `column` (b, 7), `rank` (b, 7): the comparisons of the blocks. `entry` (b,): the state that a block is for; the state that the
      tree's block k leads to is 1 + 8 k and the way through it. Or `LEVELS`: its comparisons 0, 1, 2 are all that decide on three
      levels, and its way follows the state's bits.
    - `nodes` (m,) int64: 2**32 times the node for codes up to the rank, which the one for greater codes follows, plus 2**8 times
      the column, plus the rank. A tree's nodes begin with one for each state. A leaf leads to itself.
    - `leaf` (width, m): the values of the nodes.
    """

    columns: Ints
    trees: Ints
    column: Ints
    rank: Bytes
    entry: Bytes
    recode: Tensor
    nodes: Tensor
    leaf: Tensor

    def to(self, device: torch.device) -> Forest:
        """The forest on a device."""
        moved = [tensor.to(device) for tensor in (self.recode, self.nodes, self.leaf)]
        return Forest(self.columns, self.trees, self.column, self.rank, self.entry, *moved)


_BYTE, _INT = torch.uint8, torch.int64
_KINDS: Final[tuple[Kind, ...]] = (torch.int32, _INT, _BYTE, _INT, _INT, _BYTE, _BYTE, torch.uint64, int, int)


def is_compiled(rows: int, sums: torch.dtype) -> bool:
    """Whether `add_leaves_` to scores of that dtype is a compiled loop on the CPU; if not, it is asked for, for many rows."""
    return add_leaves.ready(rows, sums, *_KINDS, sums)


def _is_compiled(total: Tensor, cells: Tensor, forest: Forest) -> bool:
    return is_compiled(total.shape[1], total.dtype)


def _by_loop(total: Tensor, cells: Tensor, forest: Forest) -> Tensor:
    sums = total.contiguous()
    add_leaves(
        sums.view(-1).numpy(),
        cells.contiguous().view(-1).numpy(),
        forest.columns.ravel(),
        forest.recode.contiguous().numpy(),
        forest.trees.ravel(),
        forest.column.ravel(),
        forest.rank.ravel(),
        forest.entry,
        forest.nodes.contiguous().numpy().view(np.uint64),
        len(total),
        len(forest.leaf),
        forest.leaf.contiguous().view(-1).numpy(),
    )
    return total if sums is total else total.copy_(sums)


@operation(
    Variant(_by_loop, "cpu", "rows in cache down all trees: 3 to 7 times faster than tree by tree", _is_compiled),
    untraceable="a model is not part of a compiled function",
)
def add_leaves_(total: Tensor, cells: Tensor, forest: Forest) -> Tensor:
    """Add to the scores (outputs, n) the leaves' values of rows `cells` (features, n) int32, tree by tree."""
    columns = forest.columns.tolist()  # host: NumPy, no tensor
    codes = torch.stack([_codes(cells, forest, column) for column in columns] or [cells.sum(dim=0)])
    for first, last, place, levels, target in forest.trees.tolist():  # host: NumPy, no tensor
        state = torch.zeros(cells.shape[1], dtype=torch.int64, device=cells.device)
        for number, block in enumerate(range(first, last)):
            above = [
                codes[column] > rank for column, rank in zip(forest.column[block], forest.rank[block], strict=True)
            ]
            if forest.entry[block] == LEVELS:
                state = state * 8 + above[0] * 4 + above[1] * 2 + above[2].long()
                continue
            left = torch.where(above[1], above[4] + 2, above[3].long())
            right = torch.where(above[2], above[6] + 6, above[5] + 4)
            way = torch.where(above[0], right, left) + (8 * number + 1)
            state = torch.where(state == int(forest.entry[block]), way, state)
        for _ in range(levels):
            node = forest.nodes[place:].index_select(0, state)
            code = codes.gather(0, (node >> 8 & 0xFFFFFF)[None])[0]
            state = (node >> 32) + (code > (node & 255))
        for output, values in enumerate(forest.leaf):
            total[target + output] += values[place:].index_select(0, state)
    return total


def _codes(cells: Tensor, forest: Forest, column: list[int]) -> Tensor:
    """The codes (n,) int32 of a column."""
    feature, least, missing, table = column
    if table >= 0:
        return forest.recode[table:].index_select(0, cells[feature]).int()
    return (cells[feature] - least).masked_fill_(cells[feature] == missing, 0).clamp_(0, 255)


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Trees that rows of a matrix go down, node by node.

    - `trees` (t, 3): the root, the levels below it, and the output that the first of its values adds to.
    - `nodes` (m,) int64: 2**32 times the node for what is not above the threshold, which the one for what is follows, plus 2**31
      where NaN goes to the latter, plus the feature. A leaf leads to itself, as nothing is above infinity.
    - `threshold` (m,): of the dtype of the rows. `leaf` (width, m): the values of the nodes.
    """

    trees: Ints
    nodes: Tensor
    threshold: Tensor
    leaf: Tensor


def is_walk_compiled(rows: int, dtype: torch.dtype, sums: torch.dtype) -> bool:
    """Whether `walk_rows_` of rows of that dtype to such scores is a compiled loop; if not, it is asked for, for many rows."""
    return walk_rows.ready(rows, sums, dtype, int, _INT, torch.uint64, dtype, int, int, sums)


def _walks(total: Tensor, rows: Tensor, forest: Nodes) -> bool:
    return is_walk_compiled(total.shape[1], rows.dtype, total.dtype)


def _by_walk(total: Tensor, rows: Tensor, forest: Nodes) -> Tensor:
    sums = total.contiguous()
    walk_rows(
        sums.view(-1).numpy(),
        rows.contiguous().view(-1).numpy(),
        rows.shape[1],
        forest.trees.ravel(),
        forest.nodes.contiguous().numpy().view(np.uint64),
        forest.threshold.contiguous().numpy(),
        len(total),
        len(forest.leaf),
        forest.leaf.contiguous().view(-1).numpy(),
    )
    return total if sums is total else total.copy_(sums)


@operation(
    Variant(_by_walk, "cpu", "some rows in cache down all trees: 20 times faster than level by level", _walks),
    untraceable="a model is not part of a compiled function",
)
def walk_rows_(total: Tensor, rows: Tensor, forest: Nodes) -> Tensor:
    """Add to the scores (outputs, n) the leaves' values of `rows` (n, features), tree by tree. A pass for each level."""
    for root, levels, target in forest.trees.tolist():  # host: NumPy, no tensor
        node = torch.full((rows.shape[0],), root, dtype=torch.int64, device=rows.device)
        for _ in range(levels):
            packed = forest.nodes.index_select(0, node)
            values = rows.gather(1, (packed & 0x7FFFFFFF)[:, None])[:, 0]
            lacks = values.isnan() & ((packed >> 31 & 1) == 1)
            node = (packed >> 32) + ((values > forest.threshold.index_select(0, node)) | lacks)
        for output, leaves in enumerate(forest.leaf):
            total[target + output] += leaves.index_select(0, node)
    return total
