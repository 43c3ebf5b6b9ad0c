"""Rows with equal keys into equal shares, so that workers merge shares side by side.

A share of the groups has all rows of its groups, and no group is in two shares. So what a sink does with all rows at the end, it
may do with each share by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import field, lengths
from tqp.functions.align import align
from tqp.functions.order import lasting_digits
from tqp.kernels.group import share_rows
from tqp.operators.operator import Run

__all__ = ["aligned", "number_of_shares", "shares_of"]


def number_of_shares(run: Run, rows: int) -> int:
    """Into how many shares so many rows are worth being divided: a power of two, 1 for few rows or one worker."""
    if run.threads == 1 or rows <= run.limits.merged_at_once:
        return 1
    return 1 << min(run.limits.shares_a_worker * run.threads, -(-rows // run.limits.merged_at_once)).bit_length() - 1


def aligned(pieces: Sequence[Sequence[Column]]) -> list[list[Column]]:
    """The pieces, each some columns, in one layout for all pieces: NULLs are possible in all or none of a column."""
    columns: list[list[Column]] = []
    for column in zip(*pieces, strict=True):
        same = align(column)
        if any(part.valid is not None for part in same):
            same = [part if part.valid is not None else part.with_valid(_all(part)) for part in same]
        columns.append(same)
    return [list(piece) for piece in zip(*columns, strict=True)]


def _all(column: Column) -> Tensor:
    return torch.ones(column.data.shape[0], dtype=torch.bool, device=column.device)


def shares_of(run: Run, pieces: Sequence[Sequence[Column]], shares: int) -> list[list[Tensor]]:
    """Of each piece, its `aligned` key columns (n,), the rows of each share (m,) int64, ascending."""
    return run.side_by_side([partial(_shares, keys, shares) for keys in pieces])


def _shares(keys: Sequence[Column], shares: int) -> list[Tensor]:
    return share_rows([digit for key in keys for digit in _telling(key)], shares)


def _telling(key: Column) -> list[Tensor]:
    """Integers (n,) that are equal where values are, in all columns; those of lists tell only their lengths."""
    if key.dtype.is_list:
        return [lengths(key)]
    if key.dtype.is_record:
        return [digit for place in range(len(key.children)) for digit in _telling(field(key, place))]
    return lasting_digits(key)
