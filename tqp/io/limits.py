"""What SQL types hold: values of an Arrow array that are none of their SQL type's are refused, with their row.

Arrow checks little: a buffer may hold bytes that are no UTF-8, indices beyond a dictionary, decimals of more digits
than their type, times after midnight. None of them may become an answer.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tqp.errors import SourceError
from tqp.kernels.calendar import DAY, FIRST_INSTANT, INFINITE_DAY, INFINITE_INSTANT
from tqp.types import UNITS_A_SECOND, DType, Kind, integer_range

__all__ = ["refuse_row", "require_range", "require_sound"]


def refuse_row(name: str, row: int, problem: str, hint: str | None = None) -> SourceError:
    """The error for one bad value; rows count from 0."""
    return SourceError(f"column {name!r}, row {row}: {problem}", hint=hint)


def require_sound(array: pa.ChunkedArray, name: str, start: int = 0) -> None:
    """Raise SourceError where text, from row `start` on, is no UTF-8 or an index points beyond its dictionary. Cost: one pass."""
    for chunk in array.chunks:
        try:
            chunk.validate(full=True)
        except pa.ArrowInvalid as error:
            raise _unsound(chunk, start, name, error) from error
        start += len(chunk)


def _unsound(chunk: pa.Array, start: int, name: str, error: pa.ArrowInvalid) -> SourceError:
    for place in range(len(chunk)):
        try:
            chunk.slice(place, 1).validate(full=True)
            chunk[place].as_py()
        except (pa.ArrowInvalid, UnicodeDecodeError, IndexError) as bad:
            if isinstance(bad, UnicodeDecodeError) or "UTF8" in str(bad):
                return refuse_row(name, start + place, "its text is no valid UTF-8", "decode it before it is handed in")
            return refuse_row(name, start + place, str(bad))
    return SourceError(f"column {name!r} is not valid Arrow data: {error}")


def require_range(
    numbers: npt.NDArray[Any],
    valid: npt.NDArray[np.bool_] | None,
    bounds: tuple[int, int],
    dtype: DType,
    name: str,
    start: int,
) -> None:
    """Raise SourceError where one of the (rows,) stored integers is no value of `dtype`; the first is row `start`.

    `bounds` are the smallest and largest that are not NULL.
    """
    low, high = _limits(dtype)
    if low <= bounds[0] and bounds[1] <= high:
        return
    outside = (numbers < low) | (numbers > high)
    if dtype.kind in UNITS_A_SECOND:
        outside &= numbers != -INFINITE_INSTANT
    if valid is not None:
        outside &= valid
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        raise refuse_row(name, start + place, f"{numbers[place]} {_UNITS.get(dtype.kind, 'is')} beyond {dtype}")


_UNITS: Final = {
    Kind.DATE: "days are", Kind.TIME: "microseconds are", Kind.TIME_NS: "nanoseconds are", Kind.TIMESTAMP: "microseconds are",
    Kind.TIMESTAMPTZ: "microseconds are", Kind.DECIMAL: "units of the last digit are",
}  # fmt: skip


def _limits(dtype: DType) -> tuple[int, int]:
    match dtype.kind:
        case Kind.DATE:
            return -INFINITE_DAY, INFINITE_DAY
        case Kind.TIME:
            return 0, DAY
        case Kind.TIME_NS:
            return 0, DAY * 1000
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return FIRST_INSTANT, INFINITE_INSTANT
        case _ if dtype.is_other_unit:
            return -INFINITE_INSTANT, INFINITE_INSTANT
        case _:
            return integer_range(dtype)
