"""Loops over ensembles of trees: blocks of rows that stay in cache go down all trees, one after the other."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tqp.kernels.loops.loop import loop

__all__ = ["LEVELS", "add_leaves", "walk_rows"]

_ROWS = 1024  # their places of all columns, and their way in four trees, stay in cache
_AT_ONCE = 4  # trees whose leaves are added in one pass over the rows
_WALKED = 32  # rows that go down a tree side by side, so that none waits for what another reads
LEVELS: Final = 255
"""The entry of a block that is three levels of a tree with one split each."""


@loop()
def add_leaves(
    total: Any,
    cells: Any,
    columns: Any,
    recode: Any,
    trees: Any,
    column: Any,
    rank: Any,
    entry: Any,
    nodes: Any,
    outputs: int,
    width: int,
    leaf: Any,
) -> None:
    """Add to `total` (outputs * n,) the leaves of rows `cells` (features * n,); the other arguments are a `Forest`'s.

    The comparisons of a block of seven branches, and what follows of them, are done for all rows at once, without a branch: the
    compiler makes vectors of 32 or 64 rows of them. Below the blocks each row goes its own way.
    """
    rows = total.size // outputs
    held = columns.size // 4
    count = trees.size // 5
    all_nodes = nodes.size
    local = np.empty(held * _ROWS, np.uint8)
    state = np.empty(_ROWS, np.uint8)
    found = np.empty(_AT_ONCE * _ROWS, np.uint32)
    for start in range(0, rows, _ROWS):
        size = np.uint64(min(_ROWS, rows - start))
        for slot in range(held):
            source = np.uint64(columns[4 * slot] * rows + start)
            least, missing = np.int32(columns[4 * slot + 1]), np.int32(columns[4 * slot + 2])
            here = np.uint64(slot * _ROWS)
            if columns[4 * slot + 3] >= 0:
                codes = np.uint64(columns[4 * slot + 3])
                for row in range(size):
                    local[here + row] = recode[codes + np.uint32(cells[source + row])]
            else:
                for row in range(size):
                    cell = cells[source + row]
                    code = np.int32(0) if cell == missing else np.int32(cell - least)
                    local[here + row] = np.uint8(min(max(code, np.int32(0)), np.int32(255)))
        tree = 0
        while tree < count:
            target = trees[5 * tree + 4]
            together = 0
            while together < _AT_ONCE and tree + together < count and trees[5 * (tree + together) + 4] == target:
                one_of = 5 * (tree + together)
                base = np.uint8(1)
                for row in range(size):
                    state[row] = 0
                for block in range(trees[one_of], trees[one_of + 1]):
                    place = 7 * block
                    c0 = np.uint64(column[place] * _ROWS)
                    c1 = np.uint64(column[place + 1] * _ROWS)
                    c2 = np.uint64(column[place + 2] * _ROWS)
                    r0, r1, r2 = rank[place], rank[place + 1], rank[place + 2]
                    mine = entry[block]
                    if mine == LEVELS:
                        for row in range(size):
                            high = np.uint8(4) if local[c0 + row] > r0 else np.uint8(0)
                            middle = np.uint8(2) if local[c1 + row] > r1 else np.uint8(0)
                            low = np.uint8(1) if local[c2 + row] > r2 else np.uint8(0)
                            state[row] = np.uint8(np.uint8(state[row] << np.uint8(3)) | high | middle | low)
                        continue
                    c3 = np.uint64(column[place + 3] * _ROWS)
                    c4 = np.uint64(column[place + 4] * _ROWS)
                    c5 = np.uint64(column[place + 5] * _ROWS)
                    c6 = np.uint64(column[place + 6] * _ROWS)
                    r3, r4, r5, r6 = rank[place + 3], rank[place + 4], rank[place + 5], rank[place + 6]
                    for row in range(size):
                        one = np.uint8(1) if local[c3 + row] > r3 else np.uint8(0)
                        two = np.uint8(3) if local[c4 + row] > r4 else np.uint8(2)
                        three = np.uint8(5) if local[c5 + row] > r5 else np.uint8(4)
                        four = np.uint8(7) if local[c6 + row] > r6 else np.uint8(6)
                        left = two if local[c1 + row] > r1 else one
                        right = four if local[c2 + row] > r2 else three
                        way = np.uint8((right if local[c0 + row] > r0 else left) + base)
                        state[row] = way if state[row] == mine else state[row]
                    base = np.uint8(base + np.uint8(8))
                ways = np.uint64(together * _ROWS)
                for row in range(size):
                    found[ways + row] = state[row]
                own = np.uint64(trees[one_of + 2])
                for _ in range(trees[one_of + 3]):
                    for row in range(size):
                        node = nodes[own + found[ways + row]]
                        code = local[((node >> np.uint64(8)) & np.uint64(0xFFFFFF)) * np.uint64(_ROWS) + row]
                        turn = np.uint64(1) if code > np.uint8(node & np.uint64(255)) else np.uint64(0)
                        found[ways + row] = np.uint32((node >> np.uint64(32)) + turn)
                together += 1
            for output in range(width):
                added = np.uint64((target + output) * rows + start)
                values = output * all_nodes
                if together == _AT_ONCE:
                    v0 = np.uint64(values + trees[5 * tree + 2])
                    v1 = np.uint64(values + trees[5 * tree + 7])
                    v2 = np.uint64(values + trees[5 * tree + 12])
                    v3 = np.uint64(values + trees[5 * tree + 17])
                    w1, w2, w3 = np.uint64(_ROWS), np.uint64(2 * _ROWS), np.uint64(3 * _ROWS)
                    for row in range(size):
                        # One after the other, as rounding depends on the order.
                        two_added = (total[added + row] + leaf[v0 + found[row]]) + leaf[v1 + found[w1 + row]]
                        total[added + row] = (two_added + leaf[v2 + found[w2 + row]]) + leaf[v3 + found[w3 + row]]
                else:
                    for number in range(together):
                        v0 = np.uint64(values + trees[5 * (tree + number) + 2])
                        w0 = np.uint64(number * _ROWS)
                        for row in range(size):
                            total[added + row] += leaf[v0 + found[w0 + row]]
            tree += together


@loop()
def walk_rows(
    total: Any, rows: Any, features: int, trees: Any, nodes: Any, threshold: Any, outputs: int, width: int, leaf: Any
) -> None:
    """Add to `total` (outputs * n,) the leaves of `rows` (n * features,); the other arguments are those of `Nodes`."""
    count = rows.size // features
    all_nodes = nodes.size
    at = np.empty(_WALKED, np.uint32)
    for start in range(0, count, _WALKED):
        size = np.uint64(min(_WALKED, count - start))
        first = np.uint64(start * features)
        for tree in range(trees.size // 3):
            root = np.uint32(trees[3 * tree])
            for row in range(size):
                at[row] = root
            for _ in range(trees[3 * tree + 1]):
                for row in range(size):
                    node = at[row]
                    packed = nodes[node]
                    value = rows[first + row * np.uint64(features) + (packed & np.uint64(0x7FFFFFFF))]
                    above = np.uint32(1) if value > threshold[node] else np.uint32(0)
                    lacks = np.uint32((packed >> np.uint64(31)) & np.uint64(1)) if value != value else np.uint32(0)
                    at[row] = np.uint32(packed >> np.uint64(32)) + (above | lacks)
            for output in range(width):
                added = np.uint64((trees[3 * tree + 2] + output) * count + start)
                values = np.uint64(output * all_nodes)
                for row in range(size):
                    total[added + row] += leaf[values + at[row]]
