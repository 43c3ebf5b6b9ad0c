"""Products and distances of vectors against plain float64 arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tqp.kernels import vectors

HOST = torch.device("cpu")
Kernel = Callable[[Tensor, Tensor], Tensor]


def _inner(a: Tensor, b: Tensor) -> Tensor:
    return (a.double() * b.double()).sum(-1)


def _distance(a: Tensor, b: Tensor) -> Tensor:
    return (a.double() - b.double()).square().sum(-1).sqrt()


def _cosine(a: Tensor, b: Tensor) -> Tensor:
    a, b = (x.double() / x.double().abs().amax(-1, keepdim=True) for x in (a, b))
    return _inner(a, b) / (_inner(a, a) * _inner(b, b)).sqrt()


KERNELS = [
    (vectors.inner, vectors.inner_of_pairs, _inner), (vectors.distance, vectors.distance_of_pairs, _distance),
    (vectors.cosine, vectors.cosine_of_pairs, _cosine),
]  # fmt: skip


def _random(rows: int, size: int, seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(
        rows, size, generator=torch.Generator(HOST).manual_seed(seed), dtype=torch.float64, device=HOST
    ).to(dtype)


@pytest.mark.parametrize(("kernel", "_", "expected"), KERNELS)
@pytest.mark.parametrize(("rows", "size"), [(0, 3), (1, 1), (7, 5), (3000, 130), (2, 300_000)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_with_rows_and_with_one_vector(
    kernel: Kernel, _: object, expected: Kernel, rows: int, size: int, dtype: torch.dtype
) -> None:
    a, b = _random(rows, size, 1, dtype), _random(rows, size, 2, dtype)
    near = {"rtol": 1e-4, "atol": 1e-3} if dtype is torch.float32 else {"rtol": 1e-9, "atol": 1e-9}
    torch.testing.assert_close(kernel(a, b).double(), expected(a, b), **near)
    one = _random(1, size, 3, dtype)[0]
    torch.testing.assert_close(kernel(a, one).double(), expected(a, one), **near)
    torch.testing.assert_close(kernel(one, a).double(), expected(a, one), **near)
    torch.testing.assert_close(kernel(one, one * 2).double(), expected(one, one * 2), **near)
    assert kernel(a, one).dtype is dtype


@pytest.mark.parametrize(("kernel", "of_pairs", "_"), KERNELS)
@pytest.mark.parametrize("pairs", ["all", "few", "none", "one side"])
def test_pairs_of_rows(kernel: Kernel, of_pairs: Callable[..., Tensor], _: object, pairs: str) -> None:
    a, b = _random(500, 40, 1), _random(30, 40, 2)
    i = torch.arange(500, device=HOST).repeat_interleave(30)
    j = torch.arange(30, device=HOST).repeat(500)
    if pairs == "few":
        i, j = i[7::97], j[7::97]
    elif pairs == "none":
        i, j = i[:0], j[:0]
    elif pairs == "one side":
        i, j = torch.arange(499, -1, -2, device=HOST).int(), torch.zeros(250, dtype=torch.int64, device=HOST)
    torch.testing.assert_close(of_pairs(a, b, i, j), kernel(a[i.long()], b[j]))
    torch.testing.assert_close(of_pairs(b, a, j, i), kernel(a[i.long()], b[j]))


@pytest.mark.parametrize("scale", [1.0, 1e-40, 1e-22, 1e-18, 1e18, 1e22, 1e38])
def test_cosines_hold_at_the_ends_of_the_floats(scale: float) -> None:
    a = _random(50, 3, 1).clamp(-3, 3) / 3 * scale
    a, b = a.float(), _random(50, 3, 2).float()
    b[10:] *= 1e20
    near = {"rtol": 1e-4, "atol": 1e-4}
    torch.testing.assert_close(vectors.cosine(a, b).double(), _cosine(a, b), **near)
    torch.testing.assert_close(vectors.cosine(a, b[0]).double(), _cosine(a, b[0]), **near)
    rows = torch.arange(50, device=HOST)
    every = rows.repeat_interleave(50), rows.repeat(50)
    torch.testing.assert_close(
        vectors.cosine_of_pairs(a, b, *every).double(), _cosine(a[every[0]], b[every[1]]), **near
    )


def test_cosines_stay_within_their_range_and_are_nan_without_a_direction() -> None:
    a = _random(1000, 3, 5, torch.float32)
    assert bool((vectors.cosine(a, a * 3).abs() <= 1).all())
    odd = torch.tensor([[0.0, 0.0], [torch.nan, 1.0], [torch.inf, 1.0]], device=HOST)
    assert bool(vectors.cosine(odd, torch.ones(2, device=HOST)).isnan().all())
    assert bool(vectors.cosine(odd[0], odd[0]).isnan())
