"""Which vectors may be nearest to others, by one matrix product and a bound of its error.

Scores are least for the nearest; they differ from the value of a function by what floats lose. `reach` says which score no vector
has that is nearer than a known value, whatever either computation lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import torch
from torch import Tensor

__all__ = ["Measure", "Vectors", "are_apart", "prepared", "reach", "scores", "worst"]

Measure = Literal["inner", "euclidean", "cosine"]
"""The inner product, the Euclidean distance, the cosine."""

_SPARE: Final = 8
"""Roundings beside those of the elements."""
_UNITS: Final = {"highest": 1.0, "high": 2.0**13, "medium": 2.0**16}
"""How much more a product of float32 may lose by torch's setting."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors (n, d) as the product takes them, their lengths (n,), and which of them have no score to rely on."""

    data: Tensor
    lengths: Tensor
    odd: Tensor


def prepared(measure: Measure, vectors: Tensor, center: Tensor | None, known: Tensor | None) -> Vectors:
    """`known` (n,) bool: which are vectors at all. `center` (d,): what distances are taken from."""
    data = vectors if center is None else vectors - center
    lengths = torch.linalg.vector_norm(data, dim=-1)
    limits = torch.finfo(data.dtype)
    most = limits.max**0.25  # so that squares of two of them, and their product, are numbers
    fine = lengths < most
    if measure == "cosine":
        fine &= lengths > 1 / most
    if known is not None:
        fine &= known
    odd = ~fine
    if measure == "cosine":
        data = data / torch.where(odd, 1, lengths).unsqueeze(-1)
        lengths = torch.ones_like(lengths)
    return Vectors(data, torch.where(odd, 0, lengths), odd)


def scores(measure: Measure, is_least: bool, ours: Vectors, theirs: Vectors) -> Tensor:
    """(n, m) the scores of pairs. `is_least`: the least value is the nearest, else the greatest."""
    if measure == "euclidean":
        # What the square of the distance is above that of our length.
        squares = theirs.lengths.square()
        beta, alpha = (1, -2) if is_least else (-1, 2)
        return torch.addmm(squares, ours.data, theirs.data.T, beta=beta, alpha=alpha)
    found = ours.data @ theirs.data.T
    return found if is_least else found.neg_()


def reach(measure: Measure, is_least: bool, ours: Vectors, longest: Tensor, values: Tensor, slack: float) -> Tensor:
    """(n,): no vector as near as `values` (n,) float64 has a greater score, among those no longer than `longest` ().

    `slack`: what is added to them before they are compared, which may make equal what is not. Infinite values stay.
    """
    near = (values.abs() + slack) * torch.finfo(ours.data.dtype).eps * _SPARE
    if measure == "euclidean":
        worst = values + near if is_least else values - near
        exact = worst * worst.abs() - ours.lengths.double().square()
        error = _lost(measure, ours, longest)
    else:
        exact = values
        error = _lost(measure, ours, longest) + near
    score = exact if is_least else -exact
    return torch.where(values.isinf(), values if is_least else -values, score + error)


def worst(measure: Measure, is_least: bool, ours: Vectors, longest: Tensor, found: Tensor) -> Tensor:
    """(n,) float64: no vector, among those no longer than `longest` (), whose score is at most `found` (n,) has a greater measure.

    Negated where the greatest is the nearest. An infinite score stays.
    """
    value = found.double() + _lost(measure, ours, longest)
    if measure == "euclidean":
        squares = ours.lengths.double().square()
        value = (squares + value).clamp(min=0).sqrt() if is_least else -(squares - value).clamp(min=0).sqrt()
    value += value.abs() * torch.finfo(ours.data.dtype).eps * _SPARE
    return torch.where(found == torch.inf, torch.inf, value)


def are_apart(ours: Vectors, longest: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """(n,) bool: whether vectors no longer than `longest` () whose scores of their distances are `first` (n,) are nearer than those
    of the scores `second` (n,), whatever the product lost, or a function that computes the distances.
    """
    return second.double() - first.double() > 2 * _lost("euclidean", ours, longest)


def _lost(measure: Measure, ours: Vectors, longest: Tensor) -> Tensor:
    """(n,) float64: what a score and the function's value may lose together."""
    limits = torch.finfo(ours.data.dtype)
    unit = limits.eps * (_UNITS[torch.get_float32_matmul_precision()] if ours.data.dtype is torch.float32 else 1.0)
    lengths, most = ours.lengths.double(), longest.double()
    size = (lengths + most).square() if measure == "euclidean" else lengths * most
    return size * (2 * unit * (ours.data.shape[-1] + _SPARE)) + limits.tiny * ours.data.shape[-1]
