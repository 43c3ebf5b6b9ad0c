"""Pairs of a row and a partner with the same keys, where a key may have several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import hashing
from tqp.kernels.join import CsrHashedLookup, CsrLookup, RangeLookup
from tqp.kernels.loops.loop import width
from tqp.kernels.loops.partners import match_rows
from tqp.kernels.operation import Variant, operation
from tqp.kernels.rows import expand, pair_sizes, select

__all__ = ["agreeing", "matches", "matches_by_table"]

_NO_FLAGS = np.empty(0, np.bool_)
_NO_NUMBERS = {torch.int32: np.empty(0, np.int32), torch.int64: np.empty(0, np.int64)}


def agreeing(
    owners: Tensor, rows: Tensor, digits: Sequence[Tensor], checks: Sequence[Tensor], alive: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Of pairs (m,) of a probe row and a build row those whose `digits` (n,) are as `checks` (by build row) have them and whose
    build row is `alive`. A pass for each; a sync for each on a GPU."""
    for digit, check in zip(digits, checks, strict=True):
        equal = select(check.index_select(0, rows) == digit.index_select(0, owners))
        owners, rows = owners.index_select(0, equal), rows.index_select(0, equal)
    if alive is not None:
        there = select(alive.index_select(0, rows))
        owners, rows = owners.index_select(0, there), rows.index_select(0, there)
    return owners, rows


def _widest(key: Tensor, digits: Sequence[Tensor], checks: Sequence[Tensor]) -> torch.dtype:
    kinds = [width(one) for one in (key, *digits, *checks)]
    return torch.int64 if torch.int64 in kinds else torch.int32


def _flags(mask: Tensor | None) -> Any:
    return _NO_FLAGS if mask is None else mask.contiguous().numpy()


def _numbers(tensor: Tensor | None, kind: torch.dtype) -> Any:
    return _NO_NUMBERS[kind] if tensor is None else tensor.to(kind).contiguous().numpy()


def _match_by_loop(
    key: Tensor,
    valid: Tensor | None,
    lookup: CsrLookup,
    digits: Sequence[Tensor],
    checks: Sequence[Tensor],
    alive: Tensor | None,
    most: int,
    in_range: bool = False,
) -> tuple[Tensor, Tensor] | None:
    checkpoint()
    kind = _widest(key, digits, checks)
    digit, check = (digits[0], checks[0]) if digits else (None, None)
    is_done, count, owners, rows = match_rows(
        _numbers(key, kind), lookup.minimum, _flags(valid), _flags(lookup.present), _numbers(lookup.starts, torch.int32),
        _numbers(lookup.order, torch.int32), _numbers(digit, kind), _numbers(check, kind), _flags(alive), most,
    )  # fmt: skip
    if not is_done:
        return _matched(lookup.probe(key, valid, in_range), lookup.order, digits, checks, alive, most)
    return torch.from_numpy(owners[:count]), torch.from_numpy(rows[:count])


def _fits_loop(
    key: Tensor,
    valid: Tensor | None,
    lookup: CsrLookup,
    digits: Sequence[Tensor],
    checks: Sequence[Tensor],
    alive: Tensor | None,
    most: int,
    in_range: bool = False,
) -> bool:
    order, narrow, flags = lookup.order, torch.int32, torch.bool
    if len(digits) > 1 or lookup.starts.dtype is not narrow or (order is not None and order.dtype is not narrow):
        return False
    if key.shape[0] >= 2**31:
        return False
    kind = _widest(key, digits, checks)
    return match_rows.ready(key.shape[0], kind, int, flags, flags, narrow, narrow, kind, kind, flags, int)


@operation(
    Variant(
        _match_by_loop,
        "cpu",
        "where few rows have candidates, one pass writes the pairs that match alone",
        _fits_loop,
    )
)
def matches_by_table(
    key: Tensor,
    valid: Tensor | None,
    lookup: CsrLookup,
    digits: Sequence[Tensor],
    checks: Sequence[Tensor],
    alive: Tensor | None,
    most: int,
    in_range: bool = False,
) -> tuple[Tensor, Tensor] | None:
    """`matches` through a table of the keys' range. The pairs are those of `lookup.probe`, `expand` and `agreeing`."""
    return _matched(lookup.probe(key, valid, in_range), lookup.order, digits, checks, alive, most)


def _matched(
    ranges: tuple[Tensor, Tensor],
    order: Tensor | None,
    digits: Sequence[Tensor],
    checks: Sequence[Tensor],
    alive: Tensor | None,
    most: int,
) -> tuple[Tensor, Tensor] | None:
    sizes = pair_sizes(ranges[1])
    if sizes[0] > most:
        return None
    owners, places = expand(*ranges, sizes)
    rows = places if order is None else order.index_select(0, places)
    return agreeing(owners, rows, digits, checks, alive)


def matches(
    key: Tensor,
    valid: Tensor | None,
    lookup: RangeLookup,
    digits: Sequence[Tensor],
    checks: Sequence[Tensor],
    alive: Tensor | None,
    most: int,
    in_range: bool = False,
) -> tuple[Tensor, Tensor] | None:
    """(probe rows (m,), build rows (m,)) of all pairs that match, in the order of the probe rows and then of the lookup's entries.

    A pair matches if the lookup has it for `key` (n,), as its `probe` says, and it is one of `agreeing`. None where more than
    `most` have the same key. Memory: two numbers a row, and the pairs. Syncs on a GPU, as `expand` has them.
    """
    if isinstance(lookup, CsrHashedLookup):
        key, valid, in_range = hashing.find(key, valid, lookup.table), None, False
        lookup = CsrLookup(lookup.starts, lookup.order, 0)
    if isinstance(lookup, CsrLookup):
        return matches_by_table(key, valid, lookup, digits, checks, alive, most, in_range)
    return _matched(lookup.probe(key, valid, in_range), lookup.order, digits, checks, alive, most)
