"""HyperLogLog: how far estimates are off, and that parts say together what all values say."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import registers

CPU = torch.device("cpu")


def _of(keys: torch.Tensor, ids: torch.Tensor, groups: int, bits: int) -> torch.Tensor:
    empty = torch.zeros((groups, 2**bits), dtype=torch.uint8, device=CPU)
    return registers.add_(empty, ids, keys)


@pytest.mark.parametrize("bits", [6, 8, 12])
@pytest.mark.parametrize("count", [0, 1, 5, 60, 700, 9_000, 120_000])
@pytest.mark.parametrize("step", [1, 2**32, -7])
def test_estimates_are_within_five_standard_errors(bits: int, count: int, step: int) -> None:
    keys = torch.arange(count, device=CPU) * step
    found = registers.estimates(_of(keys.repeat(2), torch.zeros(2 * count, dtype=torch.int64, device=CPU), 1, bits))
    assert abs(int(found[0]) - count) <= max(5 * 1.04 / 2 ** (bits / 2) * count, 1 if count < 10 else 0)


def test_estimates_have_no_bias() -> None:
    """Of 200 groups with 500 values each, on the average."""
    keys = torch.arange(200 * 500, device=CPU)
    found = registers.estimates(_of(keys, keys % 200, 200, 8)).double()
    assert abs(float(found.mean()) / 500 - 1) < 0.02
    assert 0.03 < float((found / 500 - 1).std()) < 0.1


KEYS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2)), max_size=60)


@given(KEYS, KEYS, st.integers(4, 8))
def test_parts_are_put_together(left: list[tuple[int, int]], right: list[tuple[int, int]], bits: int) -> None:
    def part(rows: list[tuple[int, int]], bits: int) -> torch.Tensor:
        keys = torch.tensor([key for key, _ in rows], dtype=torch.int64, device=CPU)
        return _of(keys, torch.tensor([group for _, group in rows], dtype=torch.int64, device=CPU), 3, bits)

    whole = part(left + right, bits)
    groups = torch.arange(3, device=CPU)
    assert torch.equal(registers.merge_(part(left, bits), groups, part(right, bits)), whole)
    # More registers say all that fewer do.
    assert torch.equal(registers.folded(part(left + right, 9), bits), whole)
    together = registers.merge_(part(left, bits)[:1].clone(), torch.zeros(3, dtype=torch.int64, device=CPU), whole)
    assert torch.equal(together, torch.maximum(part(left, bits)[:1], whole.amax(0, keepdim=True)))
