"""From Python objects (lists, and arrays of objects) to Arrow arrays, or to columns where Arrow has no type for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.errors import UnsupportedError
from tqp.io.dicts import array_of_dicts, has_dicts
from tqp.io.tensor_column import without_values
from tqp.kernels import waits
from tqp.types import HUGEINT

__all__ = ["HugeIntegers", "array_of_objects", "with_narrow_integers"]

_HUGE: Final = 2**127
_READ: Final = "a column of tensors that was handed in is read"


class HugeIntegers:
    """Integers of which some need more than 64 bits: `limbs` (n, 2) int64, high first, and `valid` (n,) bool."""

    def __init__(self, values: Sequence[int | None]) -> None:
        self.valid = np.array([value is not None for value in values], np.bool_)
        self.limbs: npt.NDArray[np.int64] = np.zeros((len(values), 2), np.int64)
        for row, value in enumerate(values):
            if value is not None:
                low = value & (2**64 - 1)
                self.limbs[row] = value >> 64, low - 2**64 if low >= 2**63 else low

    def column(self) -> Column:
        """The HUGEINT column, on the CPU."""
        valid = None if self.valid.all() else torch.from_numpy(self.valid)
        return Column(torch.from_numpy(self.limbs), HUGEINT, valid, encoding=Encoding.WIDE)


def array_of_objects(
    values: Sequence[Any] | npt.NDArray[Any], mask: npt.NDArray[np.bool_] | None = None, *, nan_is_null: bool = False
) -> pa.Array | pa.ChunkedArray | HugeIntegers:
    """The objects as values of one type; None, NaT and NA are NULL, and NaN is where `nan_is_null`.

    Integers beyond 64 bits are `HugeIntegers`. Raises UnsupportedError, whose message is the reason, for objects of
    different types, for those without a SQL type, and for what a type cannot hold: pyarrow cuts nanoseconds, times of
    day of a date, and time zones without a word.
    """
    if has_dicts(values):
        return array_of_dicts(_plain(values, mask, nan_is_null), lambda rows: _of_plain(rows, None, nan_is_null))
    return _of_plain(values, mask, nan_is_null)


def _of_plain(
    values: Sequence[Any] | npt.NDArray[Any], mask: npt.NDArray[np.bool_] | None, nan_is_null: bool
) -> pa.Array | pa.ChunkedArray | HugeIntegers:
    """The same of objects without dicts in them."""
    kinds = set(map(type, values))
    if any(issubclass(kind, Tensor) for kind in kinds):
        values = [_without_tensor(value) for value in values]
        kinds = set(map(type, values))
    if any(issubclass(kind, np.generic) for kind in kinds):
        values, mask = _without_scalars(_plain(values, mask, nan_is_null)), None
    given = _plain(values, mask, nan_is_null) if Decimal in kinds else []
    endless = next((row for row, value in enumerate(given) if isinstance(value, Decimal) and value.is_infinite()), None)
    if endless is not None:
        raise UnsupportedError(f"the decimal in row {endless} is infinite")
    if Decimal in kinds and int in kinds:
        values, mask = [Decimal(row) if type(row) is int else row for row in given], None
    elif date in kinds and datetime in kinds:
        values, mask = [_at_midnight(value) for value in _plain(values, mask, nan_is_null)], None
    try:
        array = pa.array(values, mask=mask, from_pandas=nan_is_null)
    except _REFUSED:
        rows = _plain(values, mask, nan_is_null)
        array = _second_try(rows)
    if not isinstance(array, HugeIntegers) and pa.types.is_temporal(array.type):
        _require_whole(array.type, _plain(values, mask, nan_is_null))
    if not isinstance(array, HugeIntegers) and pa.types.is_decimal(array.type):
        return _with_first_digit(array, given)
    return array


def with_narrow_integers(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Integers of Python as INTEGER where all of them fit, in lists and dicts as well, as DuckDB reads columns of objects."""
    kind = _narrow(array)
    return array if kind == array.type else array.cast(kind)


def _narrow(array: pa.Array | pa.ChunkedArray) -> pa.DataType:
    kind = array.type
    if pa.types.is_int64(kind):
        limits = pc.min_max(array).as_py()
        low, high = limits["min"] or 0, limits["max"] or 0
        return pa.int32() if -(2**31) <= low and high < 2**31 else kind
    if pa.types.is_list(kind):
        return pa.list_(_narrow(pc.list_flatten(array)))
    if pa.types.is_map(kind):
        items = array.items if isinstance(array, pa.Array) else pa.chunked_array([one.items for one in array.chunks])
        return pa.map_(kind.key_type, _narrow(items))
    if pa.types.is_struct(kind):
        parts = [_narrow(pc.struct_field(array, place)) for place in range(kind.num_fields)]
        return pa.struct([field.with_type(part) for field, part in zip(kind, parts, strict=True)])
    return kind


_TIMES: Final = (np.datetime64, np.timedelta64)
_REFUSED: Final = (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError, RuntimeError)


def _without_tensor(value: Any) -> Any:
    """A tensor as an array of NumPy, as lists where it has several dimensions, or as its one number; anything else as it is."""
    if not isinstance(value, Tensor):
        return value
    reason = without_values(value)
    if reason is not None:
        raise UnsupportedError(f"one of its tensors cannot be read: {reason}")
    host = waits.fetched(value.detach().resolve_neg(), _READ)
    try:
        numbers = (host.float() if host.dtype is torch.bfloat16 else host).numpy()
    except TypeError as error:
        raise UnsupportedError(f"one of its tensors cannot be read: {error}") from error
    return numbers if numbers.ndim == 1 else numbers.tolist()  # host: NumPy


def _plain(values: Any, mask: npt.NDArray[np.bool_] | None, nan_is_null: bool) -> list[Any]:
    """The objects, None for NULL."""
    hidden = np.zeros(len(values), np.bool_) if mask is None else mask
    return [None if out or _is_null(value, nan_is_null) else value for value, out in zip(values, hidden, strict=True)]


def _at_midnight(value: Any) -> Any:
    """A date as the datetime that it begins with, which SQL makes of it beside others; anything else as it is."""
    return datetime(value.year, value.month, value.day) if type(value) is date else value


def _without_scalars(rows: list[Any]) -> list[Any] | npt.NDArray[Any]:
    """The objects with those of NumPy as Python's; lengths and points of time of one unit as an array.

    Pyarrow ends the whole process where NumPy's times stand beside other objects.
    """
    times = [value for value in rows if isinstance(value, _TIMES)]
    if not times:
        return [value.item() if isinstance(value, np.generic) else value for value in rows]  # host: NumPy
    if len({value.dtype for value in times}) > 1 or len(times) + rows.count(None) < len(rows):
        raise UnsupportedError("it mixes times of NumPy with others, or with times of another unit")
    return np.array([np.array("NaT", times[0].dtype) if value is None else value for value in rows], times[0].dtype)


def _is_null(value: Any, nan_is_null: bool) -> bool:
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, _TIMES) and np.isnat(value)):
        return True
    return value is None or (nan_is_null and isinstance(value, float) and value != value)


def _second_try(rows: list[Any]) -> pa.Array | HugeIntegers:
    known = [value for value in rows if value is not None]
    if known and all(map(_is_integer, known)):
        return _huge(rows)
    try:
        return pa.array(rows)
    except UnicodeEncodeError as error:
        raise UnsupportedError("one of its strings is no Unicode") from error
    except _REFUSED as error:
        names = list(dict.fromkeys(type(value).__name__ for value in known))
        if len(names) > 1:
            raise UnsupportedError(
                f"it mixes objects of the types {', '.join(names[:5])}: make them of one type, or texts by str()"
            ) from error
        kind = names[0] if names else "object"
        raise UnsupportedError(f"its objects of the type {kind} are no SQL values: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _is_integer(value: object) -> bool:
    # NumPy's lengths of time are integers to NumPy.
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def _with_first_digit(array: pa.Array | pa.ChunkedArray, rows: list[Any]) -> pa.Array | pa.ChunkedArray:
    """Decimals with as many digits before the point as in DuckDB: one below 1 has a digit there where a zero follows the point
    (0.05, not 0.5), and integers beside decimals have those of their type."""
    precision, scale = array.type.precision, array.type.scale
    before = precision - scale
    if before == 0:
        parts = [value.as_tuple() for value in rows if isinstance(value, Decimal)]
        before = int(any(-int(part.exponent) > len(part.digits) for part in parts))
    integers = [value for value in rows if _is_integer(value)]
    if integers:
        before = max(before, 10 if all(-(2**31) <= value < 2**31 for value in integers) else 19)
    wanted = min(before + scale, 38)
    try:
        return array if wanted == precision else array.cast(pa.decimal128(wanted, scale))
    except pa.ArrowInvalid as error:
        raise UnsupportedError("its decimals need more than 38 digits together") from error


def _huge(rows: list[Any]) -> pa.Array | HugeIntegers:
    numbers = [None if value is None else int(value) for value in rows]
    row = next((row for row, value in enumerate(numbers) if value is not None and not -_HUGE <= value < _HUGE), None)
    if row is not None:
        raise UnsupportedError(f"the integer in row {row} is beyond the 128 bits of HUGEINT")
    try:
        return pa.array(numbers)
    except OverflowError:
        return HugeIntegers(numbers)


def _require_whole(kind: pa.DataType, rows: list[Any]) -> None:
    """Raise UnsupportedError for the objects of which `kind` holds only a part."""
    for fault, reason in _FAULTS.get(_family(kind), ()):
        row = next((place for place, value in enumerate(rows) if value is not None and fault(value)), None)
        if row is not None:
            raise UnsupportedError(f"{reason} in row {row}")
    if pa.types.is_timestamp(kind):
        zones = {getattr(value, "tzinfo", None) is None for value in rows if value is not None}
        if len(zones) > 1:
            raise UnsupportedError("some of its datetimes have a time zone and some have none")


def _family(kind: pa.DataType) -> str:
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_time(kind):
        return "time"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    return "duration" if pa.types.is_duration(kind) else ""


def _has_nanoseconds(value: Any) -> bool:
    return bool(getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0))


def _beyond_python(value: Any) -> bool:
    """Whether it is a time of pandas that pyarrow would wrap, as it reads the fields of Python's classes."""
    if not hasattr(value, "asm8"):
        return False
    return not 1 <= value.year <= 9999 if isinstance(value, datetime) else abs(value.days) > 999_999_999


_FAULTS: Final[dict[str, tuple[tuple[Callable[[Any], bool], str], ...]]] = {
    "date": ((lambda value: isinstance(value, datetime), "it mixes dates with a datetime"),),
    "time": ((lambda value: isinstance(value, time) and value.tzinfo is not None, "there is a time zone"),),
    "timestamp": (
        (lambda value: isinstance(value, date) and not isinstance(value, datetime), "it mixes datetimes with a date"),
        (_has_nanoseconds, "there are nanoseconds, which microseconds cannot hold,"),
        (_beyond_python, "there is a Timestamp beyond the years of Python"),
    ),
    "duration": (
        (_has_nanoseconds, "there are nanoseconds, which microseconds cannot hold,"),
        (_beyond_python, "there is a Timedelta beyond a timedelta of Python"),
    ),
}
