"""Choices of rows that show whether what a function gives for a row depends on other rows."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

__all__ = ["row_choices"]


def row_choices(own: Tensor) -> Iterator[Tensor]:
    """The rows (n,) int64 in another order, some of them, some twice, one; never none."""
    generator = torch.Generator(device="cpu").manual_seed(2)
    count = own.shape[0]
    yield own.flip(0)
    yield own[torch.randperm(count, generator=generator, device="cpu").to(own.device)]  # host: rows by chance
    if count >= 3:
        yield own[: count // 3]
        yield own[count // 3 :]
    yield own.repeat(2)
    yield own[:1]
