"""What is known of a stored column. Facts are proven, not sampled, unless their name says estimate."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ColumnStatistics"]


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Facts about one stored column, NULLs aside.

    `minimum` and `maximum` are stored integers (codes for text), None where not integer-like or no row is valid.
    `distinct` is an estimate. `is_sorted`: ascending and no NULL. `is_unique`: no value twice and no NULL.
    """

    rows: int
    nulls: int
    minimum: int | None
    maximum: int | None
    distinct: int
    is_sorted: bool
    is_unique: bool

    @property
    def is_dense(self) -> bool:
        """Sorted and unique without gaps: the row of a key is key - minimum."""
        if self.minimum is None or self.maximum is None:
            return False
        return self.is_sorted and self.is_unique and self.maximum - self.minimum + 1 == self.rows
