"""Bins of histograms: what stands for the values that are in none of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import torch

from tqp.data.column import Column, constant
from tqp.kernels.calendar import DAY, INFINITE_DAY, INFINITE_INSTANT
from tqp.types import DType, Kind, integer_range

__all__ = ["for_others"]

_GREATEST: Final[dict[Kind, object]] = {
    Kind.FLOAT: math.inf, Kind.DOUBLE: math.inf, Kind.VARCHAR: "", Kind.BLOB: b"", Kind.DATE: INFINITE_DAY, Kind.TIME: DAY,
    Kind.TIME_NS: DAY * 1000, Kind.TIMESTAMPTZ_NS: INFINITE_INSTANT,
    Kind.TIMESTAMP: INFINITE_INSTANT, Kind.TIMESTAMPTZ: INFINITE_INSTANT, Kind.TIMESTAMP_S: INFINITE_INSTANT,
    Kind.TIMESTAMP_MS: INFINITE_INSTANT, Kind.TIMESTAMP_NS: INFINITE_INSTANT,
}  # fmt: skip
"""The value beyond all others, or an empty one, in stored form."""


def for_others(dtype: DType, device: torch.device) -> Column | None:
    """The value (1,) that stands for those in no bin: the greatest one, an empty text or list, a struct of NULLs.

    None where the type has no such value, as BOOLEAN, INTERVAL, UUID, maps and arrays.
    """
    if dtype.is_exact:
        return constant(integer_range(dtype)[1], dtype, device).expand(1)
    if dtype.kind in _GREATEST:
        return constant(_GREATEST[dtype.kind], dtype, device).expand(1)
    if dtype.kind is Kind.LIST:
        return replace(constant(None, dtype, device), valid=None).expand(1)
    if dtype.is_struct:
        children = tuple([constant(None, child, device).expand(1) for child in dtype.children])
        return Column(torch.zeros(1, dtype=torch.int64, device=device), dtype, children=children)
    return None
