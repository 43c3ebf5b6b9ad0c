"""PCG32 (O'Neill 2014), the generator of DuckDB's `random()`: 64 bits of state, of which each step gives 32.

A generator begun with a seed is asked for any of its numbers by their places, so that rows need not come in order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import torch
from torch import Tensor

__all__ = ["Pcg", "uniform"]

_FACTOR: Final = 6364136223846793005
_STEP: Final = 1442695040888963407
_BITS: Final = 2**64 - 1
_JUMPED: Final = 12
"""Bits of a place that one table knows."""
_TABLES: Final = 4


class Pcg:
    """The generator itself, one number after the other, on the host."""

    def __init__(self, seed: int) -> None:
        """`seed`: 64 bits."""
        self._state = (seed + _STEP) * _FACTOR + _STEP & _BITS

    def next(self) -> int:
        """64 bits, of two steps, the first one's above."""
        return self._next() << 32 | self._next()

    def _next(self) -> int:
        state = self._state
        self._state = state * _FACTOR + _STEP & _BITS
        mixed = ((state >> 18) ^ state) >> 27 & 0xFFFFFFFF
        turn = state >> 59
        return (mixed >> turn | mixed << (-turn & 31)) & 0xFFFFFFFF


def uniform(seed: Tensor, place: Tensor) -> Tensor:
    """float64 (n,) within [0, 1]: of the generators begun with `seed` ((n,) or ()) int64 the numbers at `place` (n,) int64 >= 0.

    Number k is `Pcg(seed).next() / 2**64` of the call k. Cost: four looks into small tables and some passes.
    """
    steps = place * 2
    state = (seed + _signed(_STEP)) * _signed(_FACTOR) + _signed(_STEP)
    for factors, terms in _jumps(steps.device):
        digit = steps & (2**_JUMPED - 1)
        state = state * factors.index_select(0, digit.reshape(-1)) + terms.index_select(0, digit.reshape(-1))
        steps = steps >> _JUMPED
    high, low = _given(state), _given(state * _signed(_FACTOR) + _signed(_STEP))
    # A sum of two exact numbers is rounded once, as 64 bits are that become a float.
    return high.double() * 2.0**-32 + low.double() * 2.0**-64


def _given(state: Tensor) -> Tensor:
    mixed = ((((state >> 18) & (2**46 - 1)) ^ state) >> 27) & 0xFFFFFFFF
    turn = (state >> 59) & 31
    return ((mixed >> turn) | (mixed << (-turn & 31))) & 0xFFFFFFFF


@lru_cache(8)
def _jumps(device: torch.device) -> tuple[tuple[Tensor, Tensor], ...]:
    """Of each digit of a number of steps, the lowest first: for each of its values what these make of a state, times and plus."""
    tables = []
    factor, term = _FACTOR, _STEP
    for _ in range(_TABLES):
        factors = torch.ones(1, dtype=torch.int64, device=device)
        terms = torch.zeros(1, dtype=torch.int64, device=device)
        for _ in range(_JUMPED):
            factors = torch.cat((factors, factors * _signed(factor)))
            terms = torch.cat((terms, terms * _signed(factor) + _signed(term)))
            factor, term = factor * factor & _BITS, term * factor + term & _BITS
        tables.append((factors, terms))
    return tuple(tables)


def _signed(bits: int) -> int:
    """64 bits as the number that int64 has of them."""
    return bits - 2**64 if bits >= 2**63 else bits
