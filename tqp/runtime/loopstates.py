"""What row loops keep of aggregates for each group, and how a row changes it, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import inf, nan
from typing import Final

from tqp.kernels.moments import SCALE

__all__ = ["How", "State", "added"]

_LOW_HALF: Final = 2**32 - 1


class How(Enum):
    """How values become one for each group."""

    SUM = auto()
    HALVES = auto()
    """The sums of their low 32 bits and of the rest, where the sum may leave 64 bits."""
    LEAST = auto()
    GREATEST = auto()
    LEAST_FLOAT = auto()
    """NaN where there is no other value."""
    GREATEST_FLOAT = auto()
    """NaN where there is one."""
    FLOATS = auto()
    """The sum of floats, in the order of the rows."""
    MOMENTS = auto()
    """Of floats a number near their mean and the sum of the differences from it, both times `SCALE`; the sum of their squares."""

    @property
    def starts(self) -> tuple[int | float, ...]:
        """What is kept before the first row: integers of 64 bits, or floats."""
        return _STARTS[self]

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the rows is to be seen in the result, by its rounding."""
        return self in (How.FLOATS, How.MOMENTS)


_STARTS: Final[dict[How, tuple[int | float, ...]]] = {
    How.SUM: (0,), How.HALVES: (0, 0), How.LEAST: (2**63 - 1,), How.GREATEST: (-(2**63),), How.LEAST_FLOAT: (nan,),
    How.GREATEST_FLOAT: (-inf,), How.FLOATS: (0.0,), How.MOMENTS: (0.0, 0.0, 0.0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """What is kept of an aggregate for each group, as expressions: whether a value counts, and the value, of which one is made.

    `how` is None where values are counted alone.
    """

    valid: str | None
    value: str | None
    how: How | None

    @property
    def starts(self) -> list[int | float]:
        """What is kept before the first row: the count of values, and what they become."""
        return [0] * (self.valid is not None) + list(self.how.starts if self.how is not None else ())

    def names(self, place: int) -> list[str]:
        """What the arrays of the aggregate at that place are called."""
        parts = [f"state_{place}_{part}" for part, _ in enumerate(self.how.starts if self.how is not None else ())]
        return [f"count_{place}"] * (self.valid is not None) + parts

    def updates(self, kept: Sequence[str], seen: str, condition: str | None, later: str | None = None) -> Iterator[str]:
        """How a row, which `seen` counts, changes what is `kept`, where the condition holds.

        Floats become a number of `later` instead, if that is there, which somebody sums later.
        """
        holds = [one for one in (self.valid, condition) if one is not None]
        rest = list(kept)
        count = seen
        if self.valid is not None:
            count = rest.pop(0)
            yield added(count, f"np.int64({self.valid})", condition)
        passes = " & ".join(holds) or None
        match self.how:
            case How.SUM:
                yield added(rest[0], f"np.int64({self.value})", passes)
            case How.HALVES:
                yield added(rest[0], f"(np.int64({self.value}) & {_LOW_HALF})", passes)
                yield added(rest[1], f"(np.int64({self.value}) >> 32)", passes)
            case How.LEAST | How.GREATEST:
                value = f"np.int64({self.value})"
                better = f"({value} {'<' if self.how is How.LEAST else '>'} {rest[0]})"
                yield f"{rest[0]} = {value} if {' & '.join([*holds, better])} else {rest[0]}"
            case How.LEAST_FLOAT | How.GREATEST_FLOAT:
                value = f"np.float64({self.value})"
                # A number that differs from itself is NaN.
                less, other = ("<", rest[0]) if self.how is How.LEAST_FLOAT else (">", value)
                better = f"(({value} {less} {rest[0]}) | ({other} != {other}))"
                yield f"{rest[0]} = {value} if {' & '.join([*holds, better])} else {rest[0]}"
            case How.FLOATS:
                value = f"np.float64({self.value})"
                if later is None:
                    yield added(rest[0], value, passes, "0.0")
                else:
                    yield f"{later} = {value}" if passes is None else f"{later} = {value} if {passes} else 0.0"
            case How.MOMENTS:
                near, apart, squares = rest
                yield f"if {passes or True}:"
                yield f"    value = np.float64({self.value}) * {SCALE}"
                yield f"    {near} = value if {count} == 1 else {near}"
                yield f"    value -= {near}"
                yield f"    {apart} += value"
                yield f"    value *= {1 / SCALE}"
                yield f"    {squares} += value * value"
                # From twice as many on, what is near the mean is so no longer: then little would be left of large squares.
                yield f"    if {count} & ({count} - 1) == 0:"
                yield f"        mean = {near} + {apart} / {count}"
                yield f"        moved = (mean - {near}) * {1 / SCALE}"
                yield f"        {squares} += moved * ({count} * moved - {2 / SCALE} * {apart})"
                yield f"        {apart} -= {count} * (mean - {near})"
                yield f"        {near} = mean"


def added(kept: str, value: str, condition: str | None, nothing: str = "0") -> str:
    """What adds a value where the condition holds; without a branch."""
    return f"{kept} += {value}" if condition is None else f"{kept} += {value} if {condition} else {nothing}"
