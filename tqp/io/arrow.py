"""From Arrow arrays to columns.

Every column takes the narrowest storage that its values allow, measured while it is read: integers, dates and
scaled decimals the narrowest signed width between their minimum and maximum, text codes into a dictionary. NULL rows
hold the column's minimum (text: code 0), so that `Column.bounds` is true of them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import ELEMENTS, Bounds, Encoding, narrowest
from tqp.errors import SourceError, UnsupportedError
from tqp.io.arrow_nested import nested_from_arrow
from tqp.io.arrow_types import dtype_from_arrow, unsupported_reason
from tqp.io.limits import refuse_row, require_range, require_sound
from tqp.io.text import text_column
from tqp.types import BOOLEAN, DType, Kind

__all__ = ["chunk_valid", "column_from_arrow", "fixed_values", "in_microseconds"]

Numbers = npt.NDArray[Any]

_TO_MICROSECONDS: Final = {"s": 1_000_000, "ms": 1000, "us": 1}
_DAY_MILLISECONDS: Final = 86_400_000
_DECIMAL_LIMBS: Final[dict[int, np.dtype[Any]]] = {32: np.dtype(np.int32), 64: np.dtype(np.int64)}


def column_from_arrow(values: pa.Array | pa.ChunkedArray, name: str = "?") -> Column:
    """All values as one column on the CPU.

    NULLs become `valid`. A type without a layout raises UnsupportedError; nanoseconds that would be lost and what is
    no value of the SQL type (text that is no UTF-8, a time after midnight) raise SourceError. Both name the column
    `name`. Cost: two passes (limits, narrowing); text one dictionary encoding.
    """
    array = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values], values.type)
    kind = array.type
    dtype = dtype_from_arrow(kind)
    if dtype is None:
        raise UnsupportedError(
            f"column {name!r} cannot be read: {unsupported_reason(kind)}",
            hint="leave the column out of the query, or cast it before it is handed in",
        )
    if isinstance(kind, pa.BaseExtensionType):
        stored = pa.chunked_array([chunk.storage for chunk in array.chunks], kind.storage_type)
        if dtype.kind is Kind.UUID:
            return _uuids(stored, dtype, _valid(stored))
        column = column_from_arrow(stored, name)
        return _truths(column) if dtype.kind is Kind.BOOLEAN else replace(column, dtype=dtype)
    if pa.types.is_dictionary(kind) and isinstance(kind.value_type, pa.BaseExtensionType):
        require_sound(array, name)
        plain = [chunk.dictionary.take(chunk.indices) for chunk in array.chunks]
        return column_from_arrow(pa.chunked_array(plain, kind.value_type), name)
    if pa.types.is_decimal256(kind):
        try:
            array = array.cast(pa.decimal128(kind.precision, kind.scale))
        except pa.ArrowInvalid as error:
            raise SourceError(f"column {name!r} has decimals of more digits than their type has") from error
    if pa.types.is_run_end_encoded(kind):
        array = _without_runs(array)
    if dtype.is_coded or pa.types.is_dictionary(array.type):
        require_sound(array, name)
    if dtype.is_coded:
        return text_column(array)
    if pa.types.is_dictionary(array.type):
        # Arrow decodes no dictionaries of structs.
        chunks = [chunk.dictionary.take(chunk.indices) for chunk in array.chunks]
        array = pa.chunked_array(chunks, array.type.value_type)
    if dtype.is_array:
        return _arrays(array, dtype, name)
    valid = _valid(array)
    if dtype.has_children:
        return nested_from_arrow(array, dtype, valid, column_from_arrow, name)
    match dtype.kind:
        case Kind.NULL:
            data = torch.zeros(len(array), dtype=torch.bool, device="cpu")
            return Column(data, dtype, torch.zeros_like(data))
        case Kind.BOOLEAN:
            data = _fill(array, torch.bool, lambda chunk: _bits(chunk, chunk.buffers()[1]), valid)
            return Column(data, dtype, valid)
        case Kind.FLOAT | Kind.DOUBLE:
            return Column(_floats(array, dtype, valid), dtype, valid)
        case Kind.INTERVAL:
            data = _fill_intervals(array, name)
            if valid is not None:
                data[~valid] = 0
            return Column(data, dtype, valid)
        case _:
            data, bounds = _exact(array, dtype, valid, name)
            encoding = Encoding.WIDE if narrowest(*bounds) is None else Encoding.FLAT
            return Column(data, dtype, valid, None, bounds, encoding)


def _without_runs(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of run-end encoded ones, each in its row; those of dictionaries, whose runs Arrow decodes not, as plain ones."""
    kind = array.type.value_type
    if not pa.types.is_dictionary(kind):
        return pa.chunked_array([pc.run_end_decode(chunk) for chunk in array.chunks], kind)
    plain = []
    for chunk in array.chunks:
        runs = pa.RunEndEncodedArray.from_arrays(chunk.run_ends, chunk.values.indices)
        plain.append(chunk.values.dictionary.take(pc.run_end_decode(runs.slice(chunk.offset, len(chunk)))))
    return pa.chunked_array(plain, kind.value_type)


def _truths(column: Column) -> Column:
    """Numbers that stand for BOOLEAN: all but 0 are true."""
    known = column.data != 0
    return Column(known if column.valid is None else known & column.valid, BOOLEAN, column.valid)


def _view(chunk: pa.Array, kind: np.dtype[Any], buffer: int = 1, per_row: int = 1) -> Numbers:
    """The rows of a chunk's buffer as (rows * per_row,) numbers, without a copy."""
    if len(chunk) == 0:
        return np.empty(0, kind)
    start = chunk.offset * per_row * kind.itemsize
    return np.frombuffer(chunk.buffers()[buffer], kind, len(chunk) * per_row, start)


def _bits(chunk: pa.Array, buffer: pa.Buffer) -> npt.NDArray[np.bool_]:
    """The (rows,) bools of a chunk's bitmap."""
    first = chunk.offset // 8
    raw = np.frombuffer(buffer, np.uint8)[first : (chunk.offset + len(chunk) + 7) // 8]
    bits = np.unpackbits(raw, bitorder="little")[chunk.offset - 8 * first :]
    return bits[: len(chunk)].view(np.bool_)


def _valid(array: pa.ChunkedArray) -> Tensor | None:
    if array.null_count == 0:
        return None
    valid = np.ones(len(array), np.bool_)
    for start, stop, chunk in _pieces(array):
        if chunk.null_count:
            valid[start:stop] = False if pa.types.is_null(chunk.type) else _bits(chunk, chunk.buffers()[0])
    return torch.from_numpy(valid)


def _pieces(array: pa.ChunkedArray) -> Iterator[tuple[int, int, pa.Array]]:
    start = 0
    for chunk in array.chunks:
        if len(chunk):
            yield start, start + len(chunk), chunk
            start += len(chunk)


def _fill(
    array: pa.ChunkedArray, width: torch.dtype, read: Callable[[pa.Array], Numbers], valid: Tensor | None
) -> Tensor:
    """The chunks one after the other as a new tensor of `width`; NULL rows are 0."""
    data = torch.empty(len(array), dtype=width, device="cpu")
    target = data.numpy()
    for start, stop, chunk in _pieces(array):
        np.copyto(target[start:stop], read(chunk), casting="unsafe")
    if valid is not None:
        target[~valid.numpy()] = 0
    return data


def _floats(array: pa.ChunkedArray, dtype: DType, valid: Tensor | None) -> Tensor:
    width = torch.float32 if dtype.kind is Kind.FLOAT else torch.float64
    kind = np.dtype(array.type.to_pandas_dtype())
    return _fill(array, width, lambda chunk: _view(chunk, kind), valid)


def _arrays(array: pa.ChunkedArray, dtype: DType, name: str) -> Column:
    """(rows, size) elements, 0 in NULL rows."""
    if any(chunk.flatten().null_count for _, _, chunk in _pieces(array)):
        raise UnsupportedError(
            f"column {name!r} cannot be read: an array in it has a NULL element",
            hint="the whole array may be NULL; fill its elements before it is handed in",
        )
    assert dtype.element is not None
    kind, size, valid = array.type.value_type, dtype.size, _valid(array)
    parts = [chunk.values.slice(chunk.offset * size, len(chunk) * size) for _, _, chunk in _pieces(array)]
    elements = pa.chunked_array(parts, kind)
    if dtype.element.is_float and valid is None:
        data = _floats(elements, dtype.element, None)
    else:
        storage = np.dtype(kind.to_pandas_dtype())
        data = _fill(elements, ELEMENTS[dtype.element], lambda chunk: _view(chunk, storage), None)
    data = data.reshape(len(array), size)
    if valid is not None:
        data[~valid] = 0
    return Column(data, dtype, valid)


def _fill_intervals(array: pa.ChunkedArray, name: str) -> Tensor:
    """(rows, 3) int64 months, days, microseconds; NULL rows hold anything."""
    data = np.zeros((len(array), 3), np.int64)
    if pa.types.is_duration(array.type):
        for start, stop, chunk in _pieces(array):
            data[start:stop, 2] = _microseconds(chunk, array.type.unit, np.dtype(np.int64), name, start)
        return torch.from_numpy(data)
    layout = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
    for start, stop, chunk in _pieces(array):
        cells = _view(chunk, layout)
        data[start:stop, 0] = cells["months"]
        data[start:stop, 1] = cells["days"]
        data[start:stop, 2] = _from_nanoseconds(cells["nanoseconds"], chunk_valid(chunk), name, start)
    return torch.from_numpy(data)


def chunk_valid(chunk: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Which rows are not NULL; None where all are."""
    return _bits(chunk, chunk.buffers()[0]) if chunk.null_count else None


def _from_nanoseconds(numbers: Numbers, valid: npt.NDArray[np.bool_] | None, name: str, start: int) -> Numbers:
    whole = numbers // 1000
    lost = whole * 1000 != numbers
    if valid is not None:
        lost &= valid
    if lost.any():
        raise refuse_row(
            name,
            start + int(np.flatnonzero(lost)[0]),
            "its time has nanoseconds that microseconds cannot hold",
            "round it to microseconds before it is handed in",
        )
    return whole


def in_microseconds(array: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Timestamps of nanoseconds as those of microseconds, others as they are; SourceError where one would lose digits."""
    if array.type.unit != "ns":
        return array
    for start, _, chunk in _pieces(array):
        _from_nanoseconds(_view(chunk, np.dtype(np.int64)), chunk_valid(chunk), name, start)
    return array.cast(pa.timestamp("us", array.type.tz))


def _microseconds(chunk: pa.Array, unit: str, kind: np.dtype[Any], name: str, start: int) -> Numbers:
    numbers = _view(chunk, kind)
    if unit == "ns":
        return _from_nanoseconds(numbers, chunk_valid(chunk), name, start)
    factor = _TO_MICROSECONDS[unit]
    if factor == 1:
        return numbers
    wide = numbers.astype(np.int64)
    limit = (2**63 - 1) // factor
    outside = (wide > limit) | (wide < -limit)
    valid = chunk_valid(chunk)
    if valid is not None:
        outside &= valid
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        raise refuse_row(name, start + place, f"{wide[place]} {unit} are beyond what 64-bit microseconds hold")
    return wide * factor


def _reader(kind: pa.DataType, name: str) -> Callable[[pa.Array, int], Numbers]:
    """How a chunk of an exact or temporal type of at most 64 bits, which begins at a row, becomes stored integers."""
    if pa.types.is_decimal(kind):
        limb = _DECIMAL_LIMBS[kind.bit_width]
        return lambda chunk, _: _view(chunk, limb)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        if kind.unit == "ns" or (pa.types.is_timestamp(kind) and kind.tz is None):
            return lambda chunk, _: _view(chunk, np.dtype(np.int64))
        storage = np.dtype(np.int32 if kind.bit_width == 32 else np.int64)
        return lambda chunk, start: _microseconds(chunk, kind.unit, storage, name, start)
    if pa.types.is_date64(kind):
        return lambda chunk, _: _days(_view(chunk, np.dtype(np.int64)))
    storage = np.dtype(np.int32 if pa.types.is_date32(kind) else kind.to_pandas_dtype())
    return lambda chunk, _: _view(chunk, storage)


def fixed_values(chunk: pa.Array, name: str, start: int) -> Numbers:
    """The stored numbers of a chunk that begins at row `start`, a view where they lie so; NULL rows hold anything.

    Of types of at most 64 bits, and of decimal128, whose values must fit these: SourceError where one does not.
    """
    kind = chunk.type
    if pa.types.is_boolean(kind):
        return _bits(chunk, chunk.buffers()[1]) if len(chunk) else np.empty(0, np.bool_)
    if not pa.types.is_decimal128(kind):
        return _reader(kind, name)(chunk, start)
    limbs, valid = _view(chunk, np.dtype(np.int64), per_row=2).reshape(-1, 2), chunk_valid(chunk)
    known = limbs if valid is None else limbs[valid]
    if not (known[:, 1] == known[:, 0] >> 63).all():
        raise SourceError(f"column {name!r} has decimals of more digits than their type has")
    return limbs[:, 0]


def _days(milliseconds: Numbers) -> Numbers:
    # What is no whole day is cut towards 1970, as DuckDB does.
    days: Numbers = milliseconds // _DAY_MILLISECONDS
    return np.where((milliseconds < 0) & (milliseconds % _DAY_MILLISECONDS != 0), days + 1, days)


def _exact(array: pa.ChunkedArray, dtype: DType, valid: Tensor | None, name: str) -> tuple[Tensor, Bounds]:
    """The stored integers in the narrowest width, and their limits."""
    if pa.types.is_decimal128(array.type):
        limbs = _limbs(array, valid)
        if limbs is not None:
            if max(map(abs, limbs[1])) >= 10**dtype.precision:
                raise SourceError(f"column {name!r} has decimals of more digits than {dtype} has")
            return limbs
        return _narrow(array, dtype, name, lambda chunk, _: _view(chunk, np.dtype(np.int64), per_row=2)[::2])
    if pa.types.is_uint64(array.type):
        highest = pc.max(array).as_py()
        if highest is not None and highest >= 2**63:
            return _wide_unsigned(array, valid)
    return _narrow(array, dtype, name, _reader(array.type, name))


def _narrow(
    array: pa.ChunkedArray, dtype: DType, name: str, read: Callable[[pa.Array, int], Numbers]
) -> tuple[Tensor, Bounds]:
    lows: list[int] = []
    highs: list[int] = []
    chunks: list[tuple[int, int, Numbers, npt.NDArray[np.bool_] | None]] = []
    for start, stop, chunk in _pieces(array):
        numbers, valid = read(chunk, start), chunk_valid(chunk)
        known = numbers if valid is None else numbers[valid]
        if len(known):
            lows.append(int(known.min()))  # host: NumPy
            highs.append(int(known.max()))  # host: NumPy
            require_range(numbers, valid, (lows[-1], highs[-1]), dtype, name, start)
        chunks.append((start, stop, numbers, valid))
    bounds = (min(lows), max(highs)) if lows else (0, 0)
    width = narrowest(*bounds)
    assert width is not None
    data = torch.empty(len(array), dtype=width, device="cpu")
    target = data.numpy()
    for start, stop, numbers, valid in chunks:
        np.copyto(target[start:stop], numbers, casting="unsafe")
        if valid is not None:
            target[start:stop][~valid] = bounds[0]
    return data, bounds


def _limbs(array: pa.ChunkedArray, valid: Tensor | None) -> tuple[Tensor, Bounds] | None:
    """Wide storage of a decimal128 column; None where every value fits 64 bits."""
    pairs = [_view(chunk, np.dtype(np.int64), per_row=2).reshape(-1, 2) for _, _, chunk in _pieces(array)]
    known = [pair if ok is None else pair[ok] for pair, ok in zip(pairs, _chunks_valid(array), strict=True)]
    if all((pair[:, 1] == pair[:, 0] >> 63).all() for pair in known):
        return None
    data = np.empty((len(array), 2), np.int64)
    start = 0
    for pair in pairs:
        data[start : start + len(pair)] = pair[:, ::-1]
        start += len(pair)
    return _wide(data, valid)


def _chunks_valid(array: pa.ChunkedArray) -> list[npt.NDArray[np.bool_] | None]:
    return [chunk_valid(chunk) for _, _, chunk in _pieces(array)]


def _wide_unsigned(array: pa.ChunkedArray, valid: Tensor | None) -> tuple[Tensor, Bounds]:
    data = np.zeros((len(array), 2), np.int64)
    for start, stop, chunk in _pieces(array):
        data[start:stop, 1] = _view(chunk, np.dtype(np.int64))
    return _wide(data, valid)


def _wide(data: npt.NDArray[np.int64], valid: Tensor | None) -> tuple[Tensor, Bounds]:
    """The limbs (high, low) with their limits; NULL rows become the minimum."""
    known = data if valid is None else data[valid.numpy()]
    low, high = _extreme(known, np.min), _extreme(known, np.max)
    if valid is not None:
        data[~valid.numpy()] = (low >> 64, np.uint64(low & (2**64 - 1)).astype(np.int64))
    return torch.from_numpy(data), (low, high)


def _uuids(array: pa.ChunkedArray, dtype: DType, valid: Tensor | None) -> Column:
    """16 bytes, the highest first, as a number without sign less 2**127: then signed numbers are in the order of the bytes."""
    data = np.zeros((len(array), 2), np.int64)
    for start, stop, chunk in _pieces(array):
        data[start:stop] = _view(chunk, np.dtype(">i8"), per_row=2).reshape(-1, 2)
    data[:, 0] ^= np.int64(-(2**63))
    if not len(data) or (valid is not None and not bool(valid.any())):  # host: what is read lies there
        return Column(torch.zeros(len(data), dtype=torch.int8, device="cpu"), dtype, valid, None, (0, 0))
    limbs, bounds = _wide(data, valid)
    if narrowest(*bounds) is not None:
        return Column(limbs[:, 1].contiguous(), dtype, valid, None, bounds)
    return Column(limbs, dtype, valid, None, bounds, Encoding.WIDE)


def _extreme(limbs: npt.NDArray[np.int64], pick: Callable[[Numbers], Any]) -> int:
    """The smallest or largest of wide values: by the high limb, then by the low one without sign."""
    high = pick(limbs[:, 0])
    low = pick(limbs[limbs[:, 0] == high, 1].view(np.uint64))
    return int(high) * 2**64 + int(low)
