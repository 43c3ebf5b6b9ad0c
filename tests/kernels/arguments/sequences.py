"""Arguments for operations on sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies as st

from tests.kernels.arguments.drawn import Arguments
from tests.kernels.arguments.groups import first_seen

__all__ = ["ARGUMENTS", "MEANING"]


@st.composite
def _sequences(draw: st.DrawFn) -> Arguments:
    """Lengths, and elements of which few differ, so that sequences begin alike."""
    counts = draw(st.lists(st.integers(0, 7), max_size=12))
    value = st.integers(0, 2) | st.sampled_from([2**62 - 1, 2**40])
    elements = draw(st.lists(value, min_size=sum(counts), max_size=sum(counts)))
    return torch.tensor(counts, dtype=torch.int64), torch.tensor(elements, dtype=torch.int64), draw(st.booleans())


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {"sequences.ranks": _sequences()}


def _meaning(numbers: torch.Tensor, lengths: torch.Tensor, elements: torch.Tensor, ordered: bool) -> Any:
    """The numbers themselves where they are in order, else which are equal."""
    return numbers if ordered else first_seen(numbers)


MEANING: dict[str, Callable[..., Any]] = {"sequences.ranks": _meaning}
