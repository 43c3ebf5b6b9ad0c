"""Which rows of its source a pipeline reads: ranges of them, in order."""

from __future__ import annotations

__all__ = ["Span", "Spans"]

Span = tuple[int, int]
"""The first row of a range, and the one after its last."""


class Spans:
    """Ranges of rows that do not meet, in ascending order; none is empty. `rows`: how many they have."""

    __slots__ = ("ranges", "rows")

    def __init__(self, ranges: tuple[Span, ...], rows: int) -> None:
        self.ranges = ranges
        self.rows = rows

    @staticmethod
    def of(ranges: tuple[Span, ...]) -> Spans:
        """These ranges."""
        return Spans(ranges, sum([stop - start for start, stop in ranges]))

    @staticmethod
    def all(rows: int) -> Spans:
        """All of so many rows."""
        return Spans(((0, rows),) if rows else (), rows)

    def after(self, row: int) -> Spans:
        """What there is of them from that row on."""
        return Spans.of(tuple([(max(start, row), stop) for start, stop in self.ranges if stop > row]))

    def pieces(self, size: int) -> list[Span]:
        """The same rows in ranges of `size` rows, except for the last one of each range."""
        if len(self.ranges) == 1 and self.rows <= size:
            return list(self.ranges)
        return [(start, min(start + size, last)) for first, last in self.ranges for start in range(first, last, size)]
