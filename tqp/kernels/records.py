"""Rows as records: all that is needed of a row in a few 64-bit words, (n, width) int64, in which fields lie bit by bit.

Records are divided by a hash of their keys into shares so small that what grouping one looks at stays in a core's cache. The first
words of a record hold its key; `masks` say which of their bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels import hashing, waits
from tqp.kernels.group import group_ids_multi
from tqp.kernels.loops.records import divide_records, number_records, put_field, sum_field, sum_reals
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.reduce import count, scatter_sum
from tqp.kernels.rows import stable_order

__all__ = ["Field", "can_group", "divide", "number", "put_", "sums", "values"]

_SIZES = "how many records a share has"
_WORDS: Final = torch.int64


@dataclass(frozen=True, slots=True)
class Field:
    """`bits` of the word number `word`, from `shift` on, hold a value less `low`; all 64 hold an integer, or a float's bits."""

    word: int
    shift: int
    bits: int
    low: int

    @property
    def mask(self) -> int:
        """The bits of a value, as the lowest ones."""
        return (1 << self.bits) - 1 if self.bits < 64 else -1


def _put_by_loop(records: Tensor, field: Field, values: Tensor, valid: Tensor | None) -> Tensor:
    known = np.empty(0, np.bool_) if valid is None else valid.contiguous().numpy()
    flat, width = records.numpy().reshape(-1), records.shape[1]
    put_field(values.contiguous().numpy(), known, field.low, field.shift, flat, field.word, width)
    return records


def _can_put(records: Tensor, field: Field, values: Tensor, valid: Tensor | None) -> bool:
    return records.is_contiguous() and put_field.ready(
        values.shape[0], values.dtype, torch.bool, int, int, _WORDS, int, int
    )


@operation(Variant(_put_by_loop, "cpu", "one pass instead of four", _can_put))
def put_(records: Tensor, field: Field, values: Tensor, valid: Tensor | None) -> Tensor:
    """Put values (n,), truth values or integers, into a field of records (n, width) that is 0 there; 0 where not `valid` (n,)."""
    bits = values.long().sub(field.low)
    if valid is not None:
        bits = torch.where(valid, bits, 0)
    records[:, field.word] |= bits << field.shift
    return records


def values(words: Tensor, field: Field) -> Tensor:
    """The values (n,) int64 of a field, from words (n, width)."""
    found = words[:, field.word] >> field.shift
    return found if field.bits == 64 else found.bitwise_and_(field.mask).add_(field.low)


def _keys(records: Tensor, masks: Sequence[int]) -> list[Tensor]:
    return [records[:, word] & mask for word, mask in enumerate(masks)]


def _divide_by_loop(records: Tensor, masks: Sequence[int], bits: int) -> tuple[Tensor, list[int]]:
    if STATE.watchers:
        waits.expected(_SIZES)
    divided, sizes = torch.empty_like(records), np.zeros(1 << bits, np.int64)
    flat = records.numpy().reshape(-1)
    divide_records(flat, records.shape[1], np.array(masks, np.int64), bits, divided.numpy().reshape(-1), sizes)
    return divided, sizes.tolist()  # host: NumPy, no tensor


def _can_divide(records: Tensor, masks: Sequence[int], bits: int) -> bool:
    return records.is_contiguous() and divide_records.ready(records.shape[0], _WORDS, int, _WORDS, int, _WORDS, _WORDS)


@operation(Variant(_divide_by_loop, "cpu", "two passes, instead of a sort and a look-up", _can_divide))
def divide(records: Tensor, masks: Sequence[int], bits: int) -> tuple[Tensor, list[int]]:
    """Records (n, width), n > 0, share by share, in their order within, and how many each of 2**bits shares has, bits > 0.

    Those of one key are in one share, by a hash of the key. Two passes; a sync on a GPU.
    """
    shares = 1 << bits
    share = ((hashing.mixed(_keys(records, masks)) >> (64 - bits)) & (shares - 1)).int()
    order = stable_order(share, 0, shares - 1)
    return records.index_select(0, order), waits.numbers(count(share, shares), _SIZES)


def _number_by_loop(records: Tensor, masks: Sequence[int], bits: int) -> tuple[Tensor, Tensor]:
    if STATE.watchers:
        waits.expected(_SIZES)
    rows, width = records.shape
    ids = torch.empty(rows, dtype=torch.int32, device=records.device)
    keys = np.empty(rows * len(masks), np.int64)
    flat = records.numpy().reshape(-1)
    groups = number_records(flat, width, np.array(masks, np.int64), bits, ids.numpy(), keys)
    return ids, torch.from_numpy(keys[: groups * len(masks)].reshape(groups, len(masks)).copy())


def _can_number(records: Tensor, masks: Sequence[int], bits: int) -> bool:
    return records.is_contiguous() and number_records.ready(
        records.shape[0], _WORDS, int, _WORDS, int, torch.int32, _WORDS
    )


@operation(Variant(_number_by_loop, "cpu", "one look into a small hash table a record", _can_number))
def number(records: Tensor, masks: Sequence[int], bits: int) -> tuple[Tensor, Tensor]:
    """Number the distinct keys of the records (n, width), n > 0, of one of 2**bits shares.

    Gives the number (n,) int32 of each record's key, and the keys (g, words) int64. Which number a key has is open.
    """
    keys = _keys(records, masks)
    ids, firsts, _ = group_ids_multi(keys)
    return ids.int(), torch.stack(keys, 1).index_select(0, firsts)


def _sums_by_loop(
    records: Tensor, ids: Tensor, groups: int, field: Field, present: Field | None, is_real: bool
) -> Tensor:
    flat, width = records.numpy().reshape(-1), records.shape[1]
    word, shift = (-1, 0) if present is None else (present.word, present.shift)
    if is_real:
        reals = np.zeros(groups, np.float64)
        sum_reals(flat.view(np.float64), width, ids.numpy(), field.word, flat, word, shift, reals)
        return torch.from_numpy(reals)
    found = np.zeros(groups, np.int64)
    sum_field(flat, width, ids.numpy(), field.word, field.shift, field.mask, field.low, word, shift, found)
    return torch.from_numpy(found)


def _can_sum(records: Tensor, ids: Tensor, groups: int, field: Field, present: Field | None, is_real: bool) -> bool:
    if not records.is_contiguous() or not ids.is_contiguous():
        return False
    if is_real:
        return sum_reals.ready(ids.shape[0], torch.float64, int, torch.int32, int, _WORDS, int, int, torch.float64)
    return sum_field.ready(ids.shape[0], _WORDS, int, torch.int32, int, int, int, int, int, int, _WORDS)


@operation(Variant(_sums_by_loop, "cpu", "one pass, without the values as a column", _can_sum))
def sums(records: Tensor, ids: Tensor, groups: int, field: Field, present: Field | None, is_real: bool) -> Tensor:
    """Sums (groups,) of a field of records (n, width) of groups `ids` (n,) int32; where the bit `present` is 0 there is no value.

    They are int64, which the caller has proven to hold them, or float64, in the order of the records.
    """
    found = values(records, field)
    if is_real:
        found = found.view(torch.float64)
    if present is not None:
        found = torch.where(values(records, present) > 0, found, torch.zeros((), dtype=found.dtype, device=ids.device))
    return scatter_sum(found, ids, groups)


def can_group(rows: int, widths: Iterable[torch.dtype], sums_reals: bool) -> bool:
    """Whether all loops that divide and group so many records are compiled; values have these dtypes."""
    checkpoint()
    dtypes = [put_field.ready(rows, width, torch.bool, int, int, _WORDS, int, int) for width in widths]
    return (
        all(dtypes)
        and divide_records.ready(rows, _WORDS, int, _WORDS, int, _WORDS, _WORDS)
        and number_records.ready(rows, _WORDS, int, _WORDS, int, torch.int32, _WORDS)
        and sum_field.ready(rows, _WORDS, int, torch.int32, int, int, int, int, int, int, _WORDS)
        and (
            not sums_reals
            or sum_reals.ready(rows, torch.float64, int, torch.int32, int, _WORDS, int, int, torch.float64)
        )
    )
