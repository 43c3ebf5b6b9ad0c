"""The texts of loops over the rows of a table, as Numba compiles them.

Rows that pass conditions are chosen a block at a time. Conditions that compare columns come first, for all rows of the block, which
can be vectorised; those that look into tables follow, each for the rows that are left, and without branches: one that half of the
rows pass would be guessed wrong every other time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tqp.runtime.loopstates import How, State, added
from tqp.runtime.rowwise import Rowwise, Statement, cast

__all__ = ["sums"]

_BLOCK: Final = 1024
"""Rows of a block: what is known of them stays in the nearest cache."""
_LANES: Final = 8
"""Sums of floats that are kept side by side: as many as fill the longest vectors twice, or once."""
_WIDE: Final = 8
"""Bytes a row of a column that take as long to read as a row takes to be chosen."""
_FEW: Final = 8
"""One in so many: fewer are chosen, as not all lines of memory are read for them."""
_WORD: Final = 8
"""Rows whose flags are looked at together."""
_ALL: Final = 0x0101010101010101
"""The flags of so many rows that all pass."""


def sums(
    rowwise: Rowwise, widths: Sequence[int], masks: Sequence[str], group: str | None, states: Sequence[State]
) -> str:
    """The text of a loop that updates states: those of rows, then, an aggregate after the other, counts, and what values become.

    Rows count that pass all masks. They are chosen first; but where there are no groups, and nothing looks into a table or
    branches, all is done for each row, which can be vectorised; of columns of many bytes (`widths` has them by column) not where
    few rows of a block pass.
    """
    names = [state.names(place) for place, state in enumerate(states)]
    arrays = ["seen", *(name for some in names for name in some)]
    results = [group, *(result for state in states for result in (state.valid, state.value))]
    text = _Text(rowwise, len(widths), arrays)

    def updates(suffix: str, condition: str | None = None, later: bool = False) -> Iterator[str]:
        yield added(f"seen{suffix}", "1", condition)
        for some, state in zip(names, states, strict=True):
            kept = [f"{name}{suffix}" for name in some]
            block = f"{some[-1]}_block[row]" if later and state.how is How.FLOATS else None
            yield from state.updates(kept, f"seen{suffix}", condition, block)

    if group is not None:
        text.choose(masks)
        text.add(3, [*text.computed(results), f"group = {group}", *updates("[group]")])
    else:
        text.add(1, [f"{array}_0 = {array}[0]" for array in arrays])
        branches = any(state.how is How.MOMENTS for state in states)
        if branches or (masks and text.look([*masks, *results])):
            text.choose(masks)
            text.add(3, [*text.computed(results), *updates("_0")])
        else:
            floats = [some[-1] for some, state in zip(names, states, strict=True) if state.how is How.FLOATS]
            text.add(1, [f"{name}_block = np.empty({_BLOCK})" for name in floats])
            if masks and sum(widths[place] for place in text.late(masks, results)) >= _WIDE:
                text.choose_few(masks, [*text.computed(results), *updates("_0")])
                text.each_of_block([*text.computed(results), *updates("_0", "flags[row]", later=True)], floats)
            else:
                needed = [*text.computed([*masks, *results]), f"passes = {' & '.join(masks) or 'True'}"]
                if floats:
                    text.blocks(range(len(widths)))
                    text.each_of_block([*needed, *updates("_0", "passes", later=True)], floats)
                else:
                    text.add(1, ["for row in range(column_0.size):"])
                    text.add(3, [*needed, *updates("_0", "passes")])
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
        if not masks:
            self.add(1, ["for row in range(column_0.size):"])
            return
        first = [mask for mask in masks if not self.look([mask])]
        later = [mask for mask in masks if self.look([mask])]
        if not first:
            first = [later.pop(0)]
        self._flag(first)
        self._choose_flagged(2)
        for mask in later:
            self.add(2, ["left = count", "count = 0", "for place in range(left):"])
            self.add(3, ["row = chosen[place]", *self.computed([mask])])
            self.add(3, ["chosen[count] = row", f"count += np.int64({mask})"])
        self.add(2, ["for place in range(count):"])
        self.add(3, ["row = chosen[place]"])

    def choose_few(self, masks: Sequence[str], lines: Iterable[str]) -> None:
        """The lines for each `row` that passes all masks, of blocks where few do; what is added next, two steps in, for others."""
        self._flag(masks)
        self.add(2, ["count = 0", f"for row in range({_BLOCK}):", "    count += np.int64(flags[row])"])
        self.add(2, [f"if count < {_BLOCK // _FEW}:"])
        self._choose_flagged(3)
        self.add(3, ["for place in range(count):"])
        self.add(4, ["row = chosen[place]", *lines])
        self.add(3, ["continue"])
        self.add(2, [f"part_{place} = column_{place}[start:stop]" for place in range(self._columns)])

    def each_of_block(self, lines: Iterable[str], floats: Iterable[str]) -> None:
        """The lines for each `row` of the block, which give numbers of `floats`; then their sums, in lanes that wait for no other.

        The loop over a block can be vectorised, and numbers are rounded as little as by a sum of pairs.
        """
        self.add(2, ["for row in range(stop - start):"])
        self.add(3, [line.replace("column_", "part_") for line in lines])
        for name in floats:
            lanes = [f"lane_{lane}" for lane in range(_LANES)]
            self.add(2, [f"{name}_block[stop - start:] = 0.0", f"{' = '.join(lanes)} = 0.0"])
            self.add(2, [f"for row in range(0, {_BLOCK}, {_LANES}):"])
            self.add(3, [f"{lane} += {name}_block[row + {place}]" for place, lane in enumerate(lanes)])
            self.add(2, [f"{name}_0 += {_by_pairs(lanes)}"])

    def blocks(self, columns: Iterable[int]) -> None:
        """What is added next, two steps in, is done for each block, of which the parts of columns are named."""
        self.add(1, [f"for start in range(0, column_0.size, {_BLOCK}):"])
        self.add(2, [f"stop = min(start + {_BLOCK}, column_0.size)"])
        self.add(2, [f"part_{place} = column_{place}[start:stop]" for place in columns])

    def late(self, masks: Iterable[str], results: Iterable[str | None]) -> set[int]:
        """The columns that results read and masks do not."""
        return set(self._read(self._needed(results))).difference(self._read(self._needed(masks)))

    def _flag(self, masks: Sequence[str]) -> None:
        """Blocks, and of each the `flags` of the rows that pass."""
        self.add(1, [f"flags = np.zeros({_BLOCK}, np.bool_)", "words = flags.view(np.int64)"])
        self.add(1, [f"chosen = np.empty({_BLOCK}, np.uint64)"])
        needed = self._needed(masks)
        self.blocks(self._read(needed))
        self.add(2, ["for row in range(stop - start):"])
        self.add(3, [f"{one.name} = {one.text.replace('column_', 'part_')}" for one in needed])
        self.add(3, [f"flags[row] = {' & '.join(masks)}"])
        self.add(2, ["flags[stop - start:] = False"])

    def _choose_flagged(self, steps: int) -> None:
        """The `count` rows of a block that are `chosen`."""
        self.add(steps, ["count = 0", f"for word in range({_BLOCK // _WORD}):", f"    if words[word] == {_ALL}:"])
        self.add(
            steps + 2, [f"for place in range({_WORD}):", f"    chosen[count + place] = start + {_WORD} * word + place"]
        )
        self.add(steps + 2, [f"count += {_WORD}"])
        self.add(steps + 1, ["elif words[word] != 0:"])
        self.add(steps + 2, [f"for place in range({_WORD} * word, {_WORD} * word + {_WORD}):"])
        self.add(steps + 3, ["chosen[count] = start + place", "count += np.int64(flags[place])"])

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


def _by_pairs(numbers: Sequence[str]) -> str:
    """Their sum as an expression."""
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    return f"({_by_pairs(numbers[:half])} + {_by_pairs(numbers[half:])})"
