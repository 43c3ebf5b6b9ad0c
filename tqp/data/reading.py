"""Columns that are read in parts, which several threads may share out, and tables of which not all is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from tqp.data.column import Column
from tqp.data.zones import Zones

__all__ = ["Excerpt", "GroupZones", "Grouped", "Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A column, not read yet: its parts in any order and on any threads, then the whole from what the parts gave, in their order.

    Both raise what reading the column raises. Parts hold nothing of the rows but by what they give.
    """

    parts: Sequence[Callable[[], Any]]
    whole: Callable[[list[Any]], Column]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The first `rows` rows of some row groups of a table in files: ascending numbers of groups in all of its files."""

    groups: tuple[int, ...]
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class GroupZones:
    """What files say of the values of a column in each row group, which is a block here; nothing of those `unknown` (groups,) bool.

    The ends are limits, which need not occur; NULL where there is no value.
    """

    zones: Zones
    unknown: Tensor


class Grouped(Protocol):
    """A reader of rows that lie in groups, any of which can be read alone."""

    @property
    def groups(self) -> Sequence[int]:
        """The rows of each, in their order. Rows behind the last one are in none, and are read with all others alone."""
        ...

    def zones(self, name: str) -> GroupZones | None:
        """What is known of a column before it is read; None: nothing."""
        ...

    def excerpt(self, wanted: Excerpt) -> Grouped:
        """The reader of those rows alone, of the same versions of its files."""
        ...
