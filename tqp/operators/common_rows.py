"""Rows that two sides have in common, or one of them alone: by marks, or by records that workers divide by their keys.

Both serve columns of integers of any meaning, whose equal values look the same; rows come without copies, in no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.functions.align import concat
from tqp.kernels.group import mark_
from tqp.kernels.rows import select
from tqp.operators.choice import Choice
from tqp.operators.keys import GroupLayout
from tqp.operators.operator import Operator, Run
from tqp.operators.records import Divided, Records
from tqp.operators.shares import aligned

__all__ = ["WAYS", "common_rows"]

WAYS: Final = ("all rows grouped", "marks", "records divided by key")
"""How rows of two sides are told apart."""

Piece = Sequence[Column]


def common_rows(
    run: Run, owner: Operator, left: Sequence[Piece], right: Sequence[Piece], common: bool
) -> list[Column] | None:
    """The columns of the different rows of `left` that are among those of `right` (not `common`: that are not).

    Each side is some pieces, columns (n,) of the same types. None where they are few, or another way is better; `owner` notes
    which way it is. One or two passes over the rows, and one over the marks.
    """
    limits = run.limits
    rows = sum(len(piece[0]) for piece in (*left, *right))
    if rows < limits.smallest_batch or limits.divided_above is None or not left or not right:
        return None
    pieces = aligned([*left, *right])
    keys = GroupLayout([Layout.together([column.layout for column in parts]) for parts in zip(*pieces, strict=True)])
    sides = pieces[: len(left)], pieces[len(left) :]
    if keys.size is not None and keys.size <= min(limits.bitmap_keys, limits.marked_slots * rows):
        _note(run, owner, 1, f"{keys.size:,} different rows are possible")
        ours, theirs = run.side_by_side([partial(_marks, run, keys, side) for side in sides])
        return keys.decode(select(ours & theirs if common else ours > theirs))
    records = Records.of_keys(keys, run, rows)
    if records is None or not records.is_ready(rows):
        return None
    _note(run, owner, 2, f"{rows:,} rows on both sides")
    divided = run.side_by_side([partial(records.divided, 0, piece, (), len(piece[0])) for piece in pieces])
    work = partial(_shares, records, divided[: len(left)], divided[len(left) :], common)
    return _joined(records.by_share(divided, work))


def _note(run: Run, owner: Operator, way: int, reason: str) -> None:
    run.note(owner, Choice("rows of two sides", WAYS[way], tuple([one for one in WAYS if one != WAYS[way]]), reason))


def _marks(run: Run, keys: GroupLayout, pieces: Iterable[Piece]) -> Tensor:
    """(size,) bool: which codes the rows of some pieces have."""
    assert keys.size is not None
    marks = torch.zeros(keys.size, dtype=torch.bool, device=run.device)
    for piece in pieces:
        mark_(marks, keys.encode(piece).long())
    return marks


def _shares(
    records: Records, left: Sequence[Divided], right: Sequence[Divided], common: bool, shares: range, bits: int
) -> list[Column]:
    """The key columns of some of 2**bits shares."""
    found: list[list[Tensor]] = []
    for share in shares:
        ours, both = records.rows(left, share, bits), records.together([*left, *right], share, bits)
        if both.shape[0] == 0:
            # One record of no side, so that there are columns without rows.
            both = both.new_zeros((1, both.shape[1]))
        ids, words = records.numbered(both, bits)
        here, there = torch.zeros((2, words.shape[0]), dtype=torch.bool, device=ids.device)
        mark_(here, ids[:ours])
        mark_(there, ids[ours:])
        kept = select(here & there if common else here > there)
        found.append(records.key_tensors(words.index_select(0, kept)))
    return records.key_columns(iter([torch.cat(parts) for parts in zip(*found, strict=True)]))


def _joined(pieces: Sequence[Piece]) -> list[Column]:
    return [concat(list(parts), [len(part) for part in parts]) for parts in zip(*pieces, strict=True)]
