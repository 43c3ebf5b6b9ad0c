"""Aggregates that estimate from a sketch of the values."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import narrowest
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import aggregate, collected
from tqp.functions.aggregates.signatures import Types, same
from tqp.functions.compared import told_apart
from tqp.functions.order import digits
from tqp.ir.expr import Expr
from tqp.kernels import reduce, registers
from tqp.kernels.hashing import mixed
from tqp.kernels.rows import select
from tqp.types import BIGINT, DType, integer_range

__all__ = ["ApproximateCount"]

_NESTED: Final = "approx_count_distinct of nested values"
_MOST_BITS: Final = 12
_LEAST_BITS: Final = 4
_ROOM_BITS: Final = 23
"""All groups together have 8 MiB of registers, as long as each has some."""


def _types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"approx_count_distinct takes one argument, not {len(args)}")
    return same(args)[0], BIGINT


def _keys(column: Column) -> Tensor:
    """Integers (n,) int64 that are equal where the values are, in all batches, and hardly where they are not."""
    column = told_apart(column).canonical()
    if column.dtype.is_exact and narrowest(*integer_range(column.dtype)) is None:
        return mixed(exact.as_wide(column).unbind(-1))
    parts = [digit for digit, _ in digits(column)]
    return parts[0].long() if len(parts) == 1 else mixed(parts)


def _of_nested(args: tuple[Expr, ...]) -> str | None:
    return _NESTED if len(args) == 1 and args[0].dtype.has_children else None


@collected(_NESTED, types=_types, empty=0, duplicate_free=True)
def _nested(rows: Grouped) -> Column:
    """How many lists, structs or maps differ, exactly: their numbers hold for these rows alone, so there are no states to merge."""
    groups, _, _ = rows.equal(rows.args[0])
    return Column(reduce.count(groups, rows.groups), BIGINT)


@aggregate(
    "approx_count_distinct",
    syntax="approxdistinct",
    types=_types,
    empty=0,
    duplicate_free=True,
    instead=_of_nested,
)
class ApproximateCount:
    """How many values differ, by HyperLogLog: with up to 4096 registers a group a standard error of 1.6 %, of many groups fewer."""

    def __init__(self, dtype: DType, groups: int, device: torch.device) -> None:
        bits = min(max(_ROOM_BITS - max(groups - 1, 0).bit_length(), _LEAST_BITS), _MOST_BITS)
        self.registers = torch.zeros((groups, 2**bits), dtype=torch.uint8, device=device)

    def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
        column = args[0].expand(rows)
        into = torch.zeros(rows, dtype=torch.int64, device=seen.device) if ids is None else ids.long()
        if column.valid is not None:
            known = select(column.valid)
            column, into = column.take(known), into.index_select(0, known)
        registers.add_(self.registers, into, _keys(column))

    def merge(self, other: ApproximateCount, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
        theirs = self._meet(other.registers)
        if ids is None:
            self.registers = torch.maximum(self.registers, theirs)
        else:
            registers.merge_(self.registers, ids.long(), theirs)

    def pick(self, other: ApproximateCount, rows: Tensor) -> None:
        self.registers = self._meet(other.registers).index_select(0, rows)

    def _meet(self, others: Tensor) -> Tensor:
        """As many registers a group on both sides: the fewer."""
        bits = min(self.registers.shape[1], others.shape[1]).bit_length() - 1
        self.registers = registers.folded(self.registers, bits)
        return registers.folded(others, bits)

    def finish(self, seen: Tensor) -> Column:
        return Column(registers.estimates(self.registers), BIGINT)
