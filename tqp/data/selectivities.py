"""What share of a table's rows conditions were found to keep, remembered by their shapes.

Statistics of columns say little of `LIKE`, of functions, of values that are far more frequent than others, of conditions that go
together. A query that has run knows. The next plan over this version of the table estimates the same condition by what came out,
and one of the same shape with other constants by how wrong the estimate was.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, log
from typing import Final

from tqp.locks import Lock

__all__ = ["Condition", "Selectivities"]

_SHAPES: Final = 256
"""Shapes of a table that are remembered, the last used."""
_CONSTANTS: Final = 16
"""Constants of each, too."""
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a table: its text except for constants, with the names of stored columns, and the constants as text."""

    shape: str
    constants: str


@dataclass(slots=True)
class _Found:
    """Of a shape: the share of each of some constants, and how many estimates were how wrong (a sum of logarithms)."""

    shares: OrderedDict[str, float] = field(default_factory=OrderedDict)
    estimates: int = 0
    wrong: float = 0.0


class Selectivities:
    """The measured shares of one version of a table. Safe between threads; the same history gives the same answers."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[str, _Found] = OrderedDict()

    def __bool__(self) -> bool:
        """Whether anything was measured."""
        return bool(self._found)

    def learn(self, condition: Condition, estimated: float, measured: float) -> None:
        """Note the share of the rows that the condition keeps, where statistics alone said `estimated`."""
        with self._lock:
            found = self._found.setdefault(condition.shape, _Found())
            self._found.move_to_end(condition.shape)
            if len(self._found) > _SHAPES:
                self._found.popitem(last=False)
            if condition.constants not in found.shares:
                found.estimates += 1
                found.wrong += log(max(measured, _LEAST) / max(estimated, _LEAST))
            found.shares[condition.constants] = measured
            found.shares.move_to_end(condition.constants)
            if len(found.shares) > _CONSTANTS:
                found.shares.popitem(last=False)

    def share(self, condition: Condition, estimated: float) -> float | None:
        """The share that the condition keeps: as it was measured, else corrected by what others of its shape kept; None: unknown.

        Other constants may be other cases: after one of them the correction is the root of how wrong the estimate was, after many
        it is nearly all of that.
        """
        with self._lock:
            found = self._found.get(condition.shape)
            if found is None:
                return None
            self._found.move_to_end(condition.shape)
            known = found.shares.get(condition.constants)
            if known is not None:
                return known
            return min(estimated * exp(found.wrong / (found.estimates + 1)), 1.0)

    def kept(self) -> Iterator[tuple[str, int]]:
        """Each shape and about how many bytes it takes."""
        with self._lock:
            for shape, found in self._found.items():
                yield shape, len(shape) + sum(len(constants) + 8 for constants in found.shares)
