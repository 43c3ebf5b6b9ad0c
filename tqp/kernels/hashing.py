"""Hash tables of integers: which number a key has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.hashing import MIX, find_numbers, number_keys
from tqp.kernels.loops.loop import integers, width
from tqp.kernels.operation import Variant, operation
from tqp.kernels.rows import or_minus_one

__all__ = ["HashTable", "avalanched", "can_number", "find", "mixed", "number"]

_SIGNED_MIX = MIX - 2**64
_FIRST_FACTOR = 0xFF51AFD7ED558CCD - 2**64
_SECOND_FACTOR = 0xC4CEB9FE1A85EC53 - 2**64


@dataclass(frozen=True, slots=True, eq=False)
class HashTable:
    """Numbers 0, 1, … of distinct keys.

    `slots` (2**k,) int32 has a number or -1, `keys` (at least as many as there are numbers) int64 the key of each. A key is looked
    for at the upper k bits of its product with `MIX`, and then at the `reach` places behind, until one is free.
    """

    slots: Tensor
    keys: Tensor
    reach: int


def mixed(keys: Sequence[Tensor]) -> Tensor:
    """A hash (n,) int64 of integer keys (n,) of any widths: equal where all keys are; the upper bits are mixed best."""
    found = keys[0].long() * _SIGNED_MIX
    for key in keys[1:]:
        # Upper bits come down, so that the next product mixes them in.
        found = (found ^ (found >> 32)).add_(key).mul_(_SIGNED_MIX)
    return found.bitwise_xor_(found >> 32).mul_(_SIGNED_MIX)


def avalanched(keys: Tensor) -> Tensor:
    """Hashes (n,) int64 of keys (n,) int64, different where these are, in which each bit of a key turns about half of the bits.

    The end of MurmurHash3 (Appleby, 2011).
    """
    found = keys
    for factor in (_FIRST_FACTOR, _SECOND_FACTOR):
        found = (found ^ _upper(found)) * factor
    return found ^ _upper(found)


def _upper(x: Tensor) -> Tensor:
    """The upper 31 bits, as a number without sign."""
    return (x >> 33) & (2**31 - 1)


def can_number(key: Tensor) -> bool:
    """Whether `number` serves these keys (n,): on the CPU, once its loop and the one of `find` are compiled."""
    rows, wide = key.shape[0], torch.int64
    return (
        key.is_cpu
        and rows < 2**30
        and number_keys.ready(rows, width(key), wide, wide)
        and find_numbers.ready(rows, width(key), torch.int32, wide, torch.int32)
    )


def number(key: Tensor) -> tuple[HashTable, Tensor, Tensor]:
    """Number the distinct keys (n,) of any integer width as they come: the table, the rows' numbers (n,) int64, and the first row
    (g,) int64 of each number.

    Only where `can_number` says so. One pass, a look into the table a row.
    """
    rows = key.shape[0]
    ids = torch.empty(rows, dtype=torch.int64, device=key.device)
    firsts = np.empty(rows, np.int64)
    slots, keys, count, reach = number_keys(integers(key), ids.numpy(), firsts)
    table = HashTable(torch.from_numpy(slots), torch.from_numpy(keys), reach)
    return table, ids, torch.from_numpy(firsts[:count].copy())


def _find_by_loop(key: Tensor, valid: Tensor | None, table: HashTable) -> Tensor:
    found = torch.empty(key.shape[0], dtype=torch.int32, device=key.device)
    find_numbers(integers(key), table.slots.contiguous().numpy(), table.keys.contiguous().numpy(), found.numpy())
    return found if valid is None else or_minus_one(found, valid)


def _is_compiled(key: Tensor, valid: Tensor | None, table: HashTable) -> bool:
    return find_numbers.ready(key.shape[0], width(key), torch.int32, torch.int64, torch.int32)


@operation(Variant(_find_by_loop, "cpu", "one pass, instead of one for each place that is looked at", _is_compiled))
def find(key: Tensor, valid: Tensor | None, table: HashTable) -> Tensor:
    """The number (n,) int32 of each key (n,); -1 for a miss, and for NULL. A look into the table a row or two."""
    size = table.slots.shape[0]
    bits = size.bit_length() - 1
    key = key.long()
    # torch shifts signs in: they are masked away.
    place = (key * _SIGNED_MIX >> (64 - bits)) & (size - 1)
    found = torch.full_like(key, -1, dtype=torch.int32)
    for step in range(table.reach + 1):
        number = table.slots.index_select(0, (place + step) & (size - 1))
        hit = (table.keys.index_select(0, number.clamp(min=0)) == key).logical_and_(number >= 0)
        found = torch.where(hit, number, found)
    return found if valid is None else or_minus_one(found, valid)
