"""Strings that show numbers and names one behind the other, such as dates: a series of parts of one length, or the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.to_arrow import texts
from tqp.kernels import fields
from tqp.kernels.fields import NAME, NUMBER, TAIL, TEXT, Step

__all__ = ["Part", "fraction", "literal", "name", "number", "strings"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a step shows of `values` (n,) int64 on the CPU; None where it is the same in all strings."""

    step: Step
    values: Tensor | None = None


def number(values: Tensor, width: int) -> Part:
    """Numbers with leading zeros, except for negative ones."""
    return Part(Step(NUMBER, most=width), values)


def fraction(values: Tensor, digits: int) -> Part:
    """A point and so many digits without the zeros at the end; of 0 nothing."""
    return Part(Step(TAIL, most=digits), values)


def name(codes: Tensor, names: Sequence[str]) -> Part:
    """The names of these numbers."""
    return Part(Step(NAME, texts=tuple(one.encode() for one in names)), codes)


def literal(text: str) -> Part:
    """The same text in all strings."""
    return Part(Step(TEXT, texts=(text.encode(),)))


def strings(parts: Sequence[Part], count: int) -> pa.Array:
    """So many strings of those parts, as `large_string`."""
    shown: list[Tensor] = []
    steps = []
    for part in parts:
        steps.append(part.step if part.values is None else replace(part.step, slot=len(shown)))
        shown += [] if part.values is None else [part.values]
    stacked = torch.stack(shown) if shown else torch.empty((0, count), dtype=torch.int64, device="cpu")
    data, bounds = fields.written(stacked, steps)
    return texts(data.numpy(), bounds.numpy(), pa.large_string())
