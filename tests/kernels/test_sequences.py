"""Ranks of sequences against Python's comparison of lists."""

from __future__ import annotations

from itertools import accumulate, pairwise

import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import sequences


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=20), st.sampled_from([1, 2**20, 2**60]))
def test_ranks_order_as_lists_do(small: list[list[int]], step: int) -> None:
    # Few bits an element, and so many that the elements of a list do not fit into a number.
    lists = [[value * step for value in one] for one in small]
    lengths = torch.tensor([len(one) for one in lists], dtype=torch.int64, device="cpu")
    elements = torch.tensor([value for one in lists for value in one], dtype=torch.int64, device="cpu")
    found, equal = (sequences.ranks(lengths, elements, ordered).tolist() for ordered in (True, False))
    for i, one in enumerate(lists):
        for j, other in enumerate(lists):
            assert (one < other) == (found[i] < found[j])
            assert (one == other) == (found[i] == found[j]) == (equal[i] == equal[j])


def test_long_sequences_that_differ_at_the_end() -> None:
    ends = [0, *accumulate([1000, 1001, 1000])]
    elements = torch.zeros(ends[-1], dtype=torch.int64, device="cpu")
    elements[-1] = 1
    lengths = torch.tensor([stop - start for start, stop in pairwise(ends)], dtype=torch.int64, device="cpu")
    first, second, third = sequences.ranks(lengths, elements).tolist()
    assert first < second < third
