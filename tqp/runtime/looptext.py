"""The texts of loops over the rows of a table, as Numba compiles them.

Rows that pass conditions are chosen a block at a time. Conditions that compare columns come first, for all rows of the block, which
can be vectorised; those that look into tables follow, each for the rows that are left, and without branches: one that half of the
rows pass would be guessed wrong every other time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from tqp.runtime.rowwise import Rowwise, Statement, cast

__all__ = ["How", "State", "sums"]

_BLOCK: Final = 1024
"""Rows of a block: what is known of them stays in the nearest cache."""
_WORD: Final = 8
"""Rows whose flags are looked at together."""


class How(Enum):
    """How values become one for each group, and what it is of no rows."""

    SUM = 0
    LEAST = 2**63 - 1
    GREATEST = -(2**63)


@dataclass(frozen=True, slots=True)
class State:
    """What is kept of an aggregate for each group, as expressions: whether a value counts, and the value, of which one is made."""

    valid: str | None
    value: str | None
    how: How = How.SUM

    @property
    def starts(self) -> list[int]:
        """What is kept before the first row."""
        return [0] * (self.valid is not None) + [self.how.value] * (self.value is not None)

    def updates(self, kept: str, condition: str | None) -> str:
        """How the value of a row changes what is `kept`, where it counts and the condition holds."""
        holds = [one for one in (self.valid, condition) if one is not None]
        value = f"np.int64({self.value})"
        if self.how is How.SUM:
            return f"{kept} += {value} if {' & '.join(holds)} else 0" if holds else f"{kept} += {value}"
        holds.append(f"({value} {'<' if self.how is How.LEAST else '>'} {kept})")
        return f"{kept} = {value} if {' & '.join(holds)} else {kept}"


def sums(rowwise: Rowwise, columns: int, masks: Sequence[str], group: str | None, states: Sequence[State]) -> str:
    """The text of a loop that updates states: those of rows, then, an aggregate after the other, counts, and sums or extremes.

    Rows count that pass all masks. They are chosen first; but where there are no groups and nothing looks into a table, all is done
    for each row, which can be vectorised.
    """
    kept = [("seen", State(None, "1"))]
    for place, state in enumerate(states):
        if state.valid is not None:
            kept.append((f"count_{place}", State(None, state.valid)))
        if state.value is not None:
            kept.append((f"state_{place}", state))
    arrays = [array for array, _ in kept]
    results = [group, *(result for state in states for result in (state.valid, state.value))]
    text = _Text(rowwise, columns, arrays)
    passes = " & ".join(masks) or "True"
    if group is not None:
        if masks:
            text.choose(masks)
        else:
            text.add(1, ["for row in range(column_0.size):"])
        text.add(3, [*text.computed(results), f"group = {group}"])
        text.add(3, [state.updates(f"{array}[group]", None) for array, state in kept])
    else:
        text.add(1, [f"{array}_0 = {array}[0]" for array in arrays])
        if masks and text.look([*masks, *results]):
            text.choose(masks)
            text.add(3, [*text.computed(results), *(state.updates(f"{array}_0", None) for array, state in kept)])
        else:
            text.add(1, ["for row in range(column_0.size):"])
            text.add(3, [*text.computed([*masks, *results]), f"passes = {passes}"])
            text.add(3, [state.updates(f"{array}_0", "passes") for array, state in kept])
        text.add(1, [f"{array}[0] = {array}_0" for array in arrays])
    return text.whole


class _Text:
    """A loop that takes columns, constants and arrays, written line by line."""

    def __init__(self, rowwise: Rowwise, columns: int, arrays: Sequence[str]) -> None:
        self._statements = {one.name: one for one in rowwise.statements}
        self._columns = columns
        numbers = dict(enumerate(rowwise.numbers))
        names = [f"column_{place}" for place in range(columns)]
        names += [f"constant_{place}" if number is None else f"number_{place}" for place, number in numbers.items()]
        self._lines = ["import numpy as np", "", "", f"def loop({', '.join([*names, *arrays])}):"]
        # As narrow as the columns that they are compared with, more of which fit a vector then.
        self.add(1, [f"constant_{place} = {cast(f'number_{place}', one)}" for place, one in numbers.items() if one])

    @property
    def whole(self) -> str:
        return "\n".join([*self._lines, ""])

    def add(self, steps: int, lines: Iterable[str]) -> None:
        """Lines that stand so many steps in."""
        self._lines += ["    " * steps + line for line in lines]

    def look(self, results: Iterable[str | None]) -> bool:
        """Whether a result is computed by a look into a table."""
        return any(one.looks for one in self._needed(results))

    def computed(self, results: Iterable[str | None]) -> Iterator[str]:
        """The statements that compute results."""
        return (f"{one.name} = {one.text}" for one in self._needed(results))

    def choose(self, masks: Sequence[str]) -> None:
        """The rows that pass all masks: what is added next, three steps in, is done for each `row`."""
        first = [mask for mask in masks if not self.look([mask])]
        later = [mask for mask in masks if self.look([mask])]
        if not first:
            first = [later.pop(0)]
        self.add(1, [f"flags = np.zeros({_BLOCK}, np.bool_)", "words = flags.view(np.int64)"])
        self.add(1, [f"chosen = np.empty({_BLOCK}, np.uint64)", f"for start in range(0, column_0.size, {_BLOCK}):"])
        self.add(2, [f"stop = min(start + {_BLOCK}, column_0.size)"])
        needed = self._needed(first)
        self.add(2, [f"part_{place} = column_{place}[start:stop]" for place in self._read(needed)])
        self.add(2, ["for row in range(stop - start):"])
        self.add(3, [f"{one.name} = {one.text.replace('column_', 'part_')}" for one in needed])
        self.add(3, [f"flags[row] = {' & '.join(first)}"])
        self.add(2, ["flags[stop - start:] = False", "count = 0", f"for word in range({_BLOCK // _WORD}):"])
        self.add(3, ["if words[word] != 0:"])
        self.add(4, [f"for place in range({_WORD} * word, {_WORD} * word + {_WORD}):"])
        self.add(5, ["chosen[count] = start + place", "count += np.int64(flags[place])"])
        for mask in later:
            self.add(2, ["left = count", "count = 0", "for place in range(left):"])
            self.add(3, ["row = chosen[place]", *self.computed([mask])])
            self.add(3, ["chosen[count] = row", f"count += np.int64({mask})"])
        self.add(2, ["for place in range(count):"])
        self.add(3, ["row = chosen[place]"])

    def _read(self, statements: Iterable[Statement]) -> list[int]:
        """The columns whose numbers some statements are."""
        texts = {one.text for one in statements}
        return [place for place in range(self._columns) if f"column_{place}[row]" in texts]

    def _needed(self, results: Iterable[str | None]) -> list[Statement]:
        """The statements that results are computed by, in order."""
        needed: set[str] = set()
        waiting = [result for result in results if result in self._statements]
        while waiting:
            one = waiting.pop()
            if one is not None and one not in needed:
                needed.add(one)
                waiting += self._statements[one].reads
        return [one for one in self._statements.values() if one.name in needed]
