"""What clauses compute of the numbers of rows. Their names are no identifiers: SQL does not call them."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.errors import ExecutionError
from tqp.functions import exact
from tqp.functions.registry import Args, Signature, scalar
from tqp.ir.expr import Expr
from tqp.kernels import pcg
from tqp.types import BIGINT, DOUBLE, UUID, DType

__all__: list[str] = []

_STEP = -0x61C8864680B583EB
_FIRST = -0x40A7B892E31B1A47
_SECOND = -0x6B2FB644ECCEEE15
"""The constants of SplitMix64 as signed numbers."""


def _share_types(args: tuple[Expr, ...]) -> Signature:
    return (DOUBLE, BIGINT), BIGINT


@scalar("limit percent", types=_share_types)
def _limit_percent(args: Args, out: DType) -> Column:
    """How many of so many rows so many percent are, rounded down; ExecutionError beyond 0 and 100 percent."""
    percent, total = args[0].data, exact.narrowed(args[1]).data
    outside = ~((percent >= 0) & (percent <= 100))
    if exact.first_bad(outside, (args[0],)) is not None:
        raise ExecutionError("LIMIT in percent goes from 0% to 100%")
    # As DuckDB, the division comes first: 29% of 100 rows are 28.
    return Column((percent / 100 * total).nan_to_num(0).to(torch.int64), out)


def _draw_types(args: tuple[Expr, ...]) -> Signature:
    return (BIGINT, BIGINT), DOUBLE


@scalar("sample draw", types=_draw_types, total=True)
def _sample_draw(args: Args, out: DType) -> Column:
    """A number of [0, 1) for each (row number, seed): SplitMix64, the same on every device."""
    row, seed = (exact.narrowed(arg).data.long() for arg in args)
    state = _mixed(_mixed(seed + _STEP) ^ (row * _STEP))
    return Column(_logical_shift(state, 11).double() * 2.0**-53, out)


@scalar("seeded draw", types=_draw_types, total=True)
def _seeded_draw(args: Args, out: DType) -> Column:
    """A number of [0, 1] for each (row number from 1, seed): those of DuckDB's generator begun with the seed, in order."""
    row, seed = (exact.narrowed(arg).data.long() for arg in args)
    return Column(pcg.uniform(seed, row - 1), out)


@scalar("row seeded", types=lambda args: ((BIGINT,), DOUBLE), total=True)
def _row_seeded(args: Args, out: DType) -> Column:
    """What stands for `random()` after setseed until rows are numbered."""
    return _sample_draw((args[0], args[0]), out)


@scalar("pair number", types=lambda args: ((BIGINT, BIGINT), BIGINT), total=True)
def _pair_number(args: Args, out: DType) -> Column:
    """A number for each pair of rows, by the numbers of these: pairs have different ones as far as chance allows."""
    left, right = (exact.narrowed(arg).data.long() for arg in args)
    return Column(_mixed(left * _STEP) ^ right, out)


@scalar("row random", types=lambda args: ((BIGINT,), DOUBLE), total=True)
def _row_random(args: Args, out: DType) -> Column:
    """What stands for `random()` until rows are numbered: that of a row without a number."""
    return _sample_draw((args[0], args[0]), out)


@scalar("sample uuid", types=lambda args: ((BIGINT, BIGINT, BIGINT), UUID), total=True)
def _sample_uuid(args: Args, out: DType) -> Column:
    """A UUID for each (row number, seed, milliseconds): of version 7 with these, or of version 4 where they are negative."""
    row, seed, millis = (exact.narrowed(arg).data.long() for arg in args)
    high = _mixed(_mixed(seed + _STEP) ^ (row * _STEP))
    low = _mixed(high ^ _mixed(seed + _FIRST))
    timed = (millis << 16) | 0x7000 | (high & 0xFFF)
    high = torch.where(millis < 0, (high & ~0xF000) | 0x4000, timed)
    # Half of all 128-bit numbers lie below 0; the upper bits of the low half are the variant.
    high = high ^ -(2**63)
    low = (low & (2**62 - 1)) | -(2**63)
    low = low + torch.zeros_like(high)
    return Column(torch.stack((high, low), -1), out, encoding=Encoding.WIDE)


@scalar("row uuid", types=lambda args: ((BIGINT, BIGINT), UUID), total=True)
def _row_uuid(args: Args, out: DType) -> Column:
    """What stands for `uuid()` and its kin until rows are numbered."""
    return _sample_uuid((args[0], *args), out)


def _mixed(state: Tensor) -> Tensor:
    state = (state ^ _logical_shift(state, 30)) * _FIRST
    state = (state ^ _logical_shift(state, 27)) * _SECOND
    return state ^ _logical_shift(state, 31)


def _logical_shift(bits: Tensor, places: int) -> Tensor:
    return (bits >> places) & ((1 << (64 - places)) - 1)
