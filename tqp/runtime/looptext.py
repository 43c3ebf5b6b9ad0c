"""The texts of loops over the rows of a table, as Numba compiles them.

Rows that pass conditions are chosen a block at a time. Conditions that compare columns come first, for all rows of the block, which
can be vectorised; those that look into tables follow, each for the rows that are left, and without branches: one that half of the
rows pass would be guessed wrong every other time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tqp.runtime.rowwise import Rowwise, Statement, cast

__all__ = ["State", "sums"]

_BLOCK: Final = 1024
"""Rows of a block: what is known of them stays in the nearest cache."""
_WORD: Final = 8
"""Rows whose flags are looked at together."""


@dataclass(frozen=True, slots=True)
class State:
    """What is kept of an aggregate for each group, as expressions: whether a value counts, and the value that is summed."""

    valid: str | None
    value: str | None


def sums(rowwise: Rowwise, columns: int, masks: Sequence[str], group: str | None, states: Sequence[State]) -> str:
    """The text of a loop that adds up states: those of rows, then, an aggregate after the other, counts and sums.

    Rows count that pass all masks. Where nothing looks into a table, they are not chosen first: with groups the loop goes on with
    the rows that pass; without, it does all for each row, which can be vectorised.
    """
    adding = [("seen", "1")]
    for place, state in enumerate(states):
        if state.valid is not None:
            adding.append((f"count_{place}", f"(1 if {state.valid} else 0)"))
        if state.value is not None:
            value = f"np.int64({state.value})"
            adding.append((f"sum_{place}", value if state.valid is None else f"({value} if {state.valid} else 0)"))
    arrays = [array for array, _ in adding]
    results = [group, *(result for state in states for result in (state.valid, state.value))]
    text = _Text(rowwise, columns, arrays)
    passes = " & ".join(masks) or "True"
    is_chosen = bool(masks) and text.look([*masks, *results])
    if group is not None:
        if is_chosen:
            text.choose(masks)
            text.add(3, text.computed(results))
        else:
            text.add(1, ["for row in range(column_0.size):"])
            text.add(2, [*text.computed(masks), f"if {passes}:"])
            text.add(3, text.computed(results, known=masks))
        text.add(3, [f"group = {group}", *(f"{array}[group] += {value}" for array, value in adding)])
    else:
        text.add(1, [f"{array}_0 = 0" for array in arrays])
        if is_chosen:
            text.choose(masks)
            text.add(3, [*text.computed(results), *(f"{array}_0 += {value}" for array, value in adding)])
        else:
            text.add(1, ["for row in range(column_0.size):"])
            text.add(2, [*text.computed([*masks, *results]), f"passes = {passes}"])
            text.add(2, [f"{array}_0 += {value} if passes else 0" for array, value in adding])
        text.add(1, [f"{array}[0] += {array}_0" for array in arrays])
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

    def computed(self, results: Iterable[str | None], known: Iterable[str] = ()) -> Iterator[str]:
        """The statements that compute results, without those for `known` ones."""
        done = {one.name for one in self._needed(known)}
        return (f"{one.name} = {one.text}" for one in self._needed(results) if one.name not in done)

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
