"""HyperLogLog (Flajolet et al., 2007): about how many values differ, from the greatest rank of hashes in each of 2**p registers.

`registers` (g, 2**p) uint8 are those of groups: 0, or one more than how many zeros lead a hash behind the p bits that name its
register. Parts are put together by the greatest of each register. The standard error is about 1.04 / 2**(p / 2).
"""

from __future__ import annotations

from math import log
from typing import Final

import torch
from torch import Tensor

from tqp.kernels.hashing import avalanched
from tqp.kernels.loops.folding import put_in_registers, sum_registers
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import extreme_at_

__all__ = ["add_", "estimates", "folded", "merge_", "put_", "totals"]

_GREATEST: Final = 40
"""Greater ranks, which hardly come, are this one: hashes have so many bits behind any p."""


def add_(registers: Tensor, ids: Tensor, keys: Tensor) -> Tensor:
    """Let values take part, in place: `keys` (n,) int64 are equal where they are, `ids` (n,) int64 their groups."""
    put_(registers.view(-1), ids, keys, registers.shape[1].bit_length() - 1)
    return registers


def _put_by_loop(registers: Tensor, ids: Tensor, keys: Tensor, bits: int) -> Tensor:
    put_in_registers(keys.contiguous().numpy(), ids.contiguous().numpy(), bits, _GREATEST, registers.numpy())
    return registers


def _puts_by_loop(registers: Tensor, ids: Tensor, keys: Tensor, bits: int) -> bool:
    types = torch.int64, torch.int64, int, int, torch.uint8
    return registers.is_contiguous() and put_in_registers.ready(ids.shape[0], *types)


@operation(Variant(_put_by_loop, "cpu", "one pass, not twelve", _puts_by_loop))
def put_(registers: Tensor, ids: Tensor, keys: Tensor, bits: int) -> Tensor:
    """`add_` to registers (g * 2**bits,), one group's behind the other's."""
    hashes = avalanched(keys)
    # torch shifts signs in: they are masked away. 53 bits are a float exactly, whose exponent tells the zeros before them.
    places = (hashes >> (64 - bits)) & (2**bits - 1)
    rest = ((hashes << bits) >> 11) & (2**53 - 1)
    ranks = (54 - torch.frexp(rest.double()).exponent).clamp(max=_GREATEST).to(torch.uint8)
    return extreme_at_(registers, (ids << bits) + places, ranks, True)


def merge_(registers: Tensor, ids: Tensor, others: Tensor) -> Tensor:
    """Let groups `others` (h, 2**p) take part in the groups `ids` (h,) int64, which may repeat, in place."""
    size = registers.shape[1]
    places = ids.unsqueeze(1) * size + torch.arange(size, device=ids.device)
    extreme_at_(registers.view(-1), places.view(-1), others.reshape(-1), True)
    return registers


def folded(registers: Tensor, bits: int) -> Tensor:
    """What they would be of 2**bits registers, no more than there are."""
    groups, size = registers.shape
    dropped = size.bit_length() - 1 - bits
    if not dropped:
        return registers
    parts = registers.view(groups, 2**bits, 2**dropped)
    # The bits that named a register come before the others now: all of them 0, or with so many zeros before them.
    own = torch.arange(2**dropped, device=registers.device)
    ranks = dropped + 1 - torch.frexp(own.double()).exponent
    ranks = torch.where(own > 0, ranks.to(torch.uint8), (parts + dropped).clamp(max=_GREATEST))
    return torch.where(parts > 0, ranks, torch.zeros((), dtype=torch.uint8, device=registers.device)).amax(2)


def estimates(registers: Tensor) -> Tensor:
    """(g,) int64: about how many values differ, as Ertl (2017) estimates it, without a bias for small numbers."""
    size = registers.shape[1]
    total, empty = totals(registers)
    found = size * size / (2 * log(2) * (total + size * _sigma(empty.double() / size)))
    return found.round().long()


def _totals_by_loop(registers: Tensor) -> tuple[Tensor, Tensor]:
    groups, size = registers.shape
    total, empty = torch.empty(2, groups, dtype=torch.int64, device=registers.device)
    sum_registers(registers.contiguous().view(-1).numpy(), size, _GREATEST, total.numpy(), empty.numpy())
    return total.double() / 2**_GREATEST, empty


def _sums_by_loop(registers: Tensor) -> bool:
    return sum_registers.ready(registers.numel(), torch.uint8, int, int, torch.int64, torch.int64)


@operation(Variant(_totals_by_loop, "cpu", "one pass of small numbers, not five of floats", _sums_by_loop))
def totals(registers: Tensor) -> tuple[Tensor, Tensor]:
    """Of each group the sum of 2**-rank over registers that are not 0, (g,) float64 and exact, and how many are 0, (g,) int64."""
    total = torch.where(registers > 0, torch.exp2(-registers.double()), 0.0).sum(1)
    return total, (registers == 0).sum(1)


def _sigma(x: Tensor) -> Tensor:
    """The sum of x**(2**k) * 2**(k - 1), k >= 0, of which the first is x: infinite where x is 1."""
    total, power, factor = x, x, 1.0
    for _ in range(64):
        power = power * power
        total = total + power * factor
        factor *= 2
    return torch.where(x < 1, total, torch.inf)
