"""Columns that are read in parts, which several threads may share out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tqp.data.column import Column

__all__ = ["Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A column, not read yet: its parts in any order and on any threads, then the whole from what the parts gave, in their order.

    Both raise what reading the column raises. Parts hold nothing of the rows but by what they give.
    """

    parts: Sequence[Callable[[], Any]]
    whole: Callable[[list[Any]], Column]
