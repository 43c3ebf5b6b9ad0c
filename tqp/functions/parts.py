"""Parts of a text, or of a list of pieces of one, by place: as slices in Python's terms."""

from __future__ import annotations

from typing import Final, TypeVar

from tqp.errors import ExecutionError

__all__ = ["interval", "left_part", "require_within", "right_part", "slice_of"]

Part = TypeVar("Part", str, list[str])

_END: Final = 2**32


def require_within(number: int, what: str) -> int:
    """ExecutionError for a place or length of a text that DuckDB does not count to."""
    if not -_END <= number < _END:
        raise ExecutionError(
            f"the {what} {number} lies beyond those of texts", hint=f"-{_END} to {_END - 1} are within"
        )
    return number


def interval(start: int, length: int | None) -> tuple[int, int | None]:
    """SUBSTRING's characters as a half-open interval; a negative length goes to the left."""
    require_within(start, "offset")
    begin = start - 1 if start >= 0 else start
    end = None if length is None else begin + require_within(length, "length")
    if end is not None and end < begin:
        begin, end = end, begin
    if start >= 0:
        return max(begin, 0), None if end is None else max(end, 0)
    return begin, None if end is None or end >= 0 else end


def slice_of(string: Part, start: int, length: int | None = None) -> Part:
    """The part that SUBSTRING takes."""
    begin, end = interval(start, length)
    return string[begin:end]


def left_part(string: Part, count: int) -> Part:
    """The first so many, or all but so many of the last."""
    return string[: require_within(count, "length") if count > 0 else count]


def right_part(string: Part, count: int) -> Part:
    """The last so many, or all but so many of the first."""
    return string[max(len(string) - count, 0) :] if count > 0 else string[-count if count else len(string) :]
