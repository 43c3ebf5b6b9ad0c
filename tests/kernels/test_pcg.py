"""PCG32 as tensors, beside one number after the other."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels.pcg import Pcg, uniform

CPU = torch.device("cpu")


@given(seed=st.integers(-(2**63), 2**63 - 1), places=st.lists(st.integers(0, 5000), max_size=20))
def test_numbers_by_their_places(seed: int, places: list[int]) -> None:
    generator = Pcg(seed % 2**64)
    numbers = [generator.next() / 2**64 for _ in range(max(places, default=0) + 1)]
    found = uniform(
        torch.tensor(seed, dtype=torch.int64, device=CPU), torch.tensor(places, dtype=torch.int64, device=CPU)
    )
    assert found.dtype == torch.float64 and found.tolist() == [numbers[place] for place in places]


def test_a_seed_for_each_row() -> None:
    seeds = torch.tensor([1, 2, 1], dtype=torch.int64, device=CPU)
    found = uniform(seeds, torch.tensor([0, 0, 0], dtype=torch.int64, device=CPU)).tolist()
    assert found == [Pcg(1).next() / 2**64, Pcg(2).next() / 2**64, Pcg(1).next() / 2**64]


def test_far_places_follow_from_near_ones() -> None:
    """A generator that stands where another one comes to later gives the same from there."""
    place, period = 2**40 + 12345, 2**63
    seed = torch.tensor(7, dtype=torch.int64, device=CPU)
    there = torch.tensor([place, place + 1], dtype=torch.int64, device=CPU)
    generator = Pcg(7)
    factor, term = 6364136223846793005, 1442695040888963407
    # As many steps at once, by squaring.
    steps, times, plus = 2 * place % period, 1, 0
    while steps:
        if steps & 1:
            times, plus = times * factor % 2**64, (plus * factor + term) % 2**64
        factor, term = factor * factor % 2**64, (term * factor + term) % 2**64
        steps >>= 1
    generator._state = (generator._state * times + plus) % 2**64
    assert uniform(seed, there).tolist() == [generator.next() / 2**64, generator.next() / 2**64]
