"""Casts between VARCHAR and everything else, once per distinct value where that is less than once per row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from tqp.data.column import Column, constant
from tqp.data.copies import placed
from tqp.data.layout import Encoding, narrowest
from tqp.data.to_arrow import few_strings, integers, truths
from tqp.functions.casts.hints import hint_for
from tqp.functions.casts.parsing import parse
from tqp.functions.entries import Entries, spread
from tqp.functions.measured import by_values
from tqp.functions.offset_times import in_utc, offset_of
from tqp.functions.time_zones import TimeZone
from tqp.kernels import calendar, offsets, waits, wide
from tqp.kernels.calendar import HOUR, INFINITE_DAY, INFINITE_INSTANT, MINUTE, SECOND
from tqp.types import TIMESTAMP, TIMESTAMP_NS, UNITS_A_SECOND, VARCHAR, DType, Kind

__all__ = [
    "cast_text",
    "decimal_as_text",
    "float_as_text",
    "instants_as_text",
    "offsets_as_text",
    "wide_entries",
    "zoned_as_text",
]


def cast_text(column: Column, to: DType, safe: bool) -> Column:
    """VARCHAR to any type, or any type to VARCHAR, spelled as in DuckDB; NULL stays NULL.

    A string that is no value of `to` raises ExecutionError if a row that is not NULL has it, or is NULL if `safe`.
    """
    if column.dtype == to:
        return column
    if column.dtype.is_text:
        return _from_text(column, to, safe)
    return _to_text(column).with_valid(column.valid)


# From text ----------------------------------------------------------------------------------------------------------


def _from_text(column: Column, to: DType, safe: bool) -> Column:
    entries = spread([column])
    strings = entries.operands[0]
    values, good = parse(strings, to)
    valid = column.valid
    if not len(values):
        by_values()
    if not good.all():
        if not safe:
            bad = pa.array(~good)
            entries.check(
                bad, [column], lambda row: f"could not convert string '{strings[row].as_py()}' to {to}", hint_for(to)
            )
        own = entries.rows(torch.from_numpy(good))
        valid = own if valid is None else valid & own
    if isinstance(values, list):
        return wide_entries(values, entries, to, valid)
    if not to.is_exact and not to.is_temporal and to.kind is not Kind.TIMETZ:
        return Column(entries.rows(torch.from_numpy(values)), to, valid)
    if not len(values):
        return Column(entries.rows(torch.from_numpy(values)), to, valid)
    bounds = (int(values[good].min()), int(values[good].max())) if good.any() else (0, 0)  # host: NumPy, no tensor
    data = torch.from_numpy(np.where(good, values, bounds[0])).to(narrowest(*bounds))
    return Column(entries.rows(data), to, valid, None, bounds)


def wide_entries(values: list[int], entries: Entries, to: DType, valid: Tensor | None) -> Column:
    """The column of Python integers, one for each entry, which may need 128 bits."""
    cpu = torch.device("cpu")
    if not values:
        by_values()
        return Column(entries.rows(wide.from_python([], cpu)), to, valid, encoding=Encoding.WIDE)
    bounds = min(values), max(values)
    width = narrowest(*bounds)
    if width is not None:
        return Column(entries.rows(torch.tensor(values, dtype=width, device=cpu)), to, valid, None, bounds)
    if entries.is_constant:
        assert entries.device is not None
        return constant(values[0], to, entries.device).with_valid(valid)
    return Column(entries.rows(wide.from_python(values, cpu)), to, valid, None, bounds, Encoding.WIDE)


# To text ------------------------------------------------------------------------------------------------------------


def _to_text(column: Column) -> Column:
    kind = column.dtype.kind
    if kind in (Kind.BOOLEAN, Kind.NULL):
        names = few_strings(["false", "true"], pa.large_string())
        if column.is_constant:
            entries = Entries([], None, True, 1, column.device)
            return entries.finish(names.slice(waits.number(column.data, "text is on the host"), 1), VARCHAR)
        return Entries([], column.data.to(torch.int32), False, 2, column.device).finish(names, VARCHAR)
    if kind is Kind.INTERVAL or column.is_wide or column.dtype.is_float:
        return _distinct_to_text(column)
    entries = spread([column])
    return entries.finish(_integers_as_text(entries.operands[0], column.dtype), VARCHAR)


def _distinct_to_text(column: Column) -> Column:
    """Floats, wide numbers and intervals: one string a distinct value."""
    size = column.data.shape[-1:] if not column.dtype.is_float else ()
    flat = waits.array(column.data.reshape(-1, *size), "text is made on the host")
    bits = np.int32 if flat.itemsize == 4 else np.int64
    keys = np.ascontiguousarray(flat).reshape(len(flat), int(np.prod(flat.shape[1:]))).view(bits)
    packed = keys[:, 0] if keys.shape[1] == 1 else keys.view([("", keys.dtype)] * keys.shape[1])[:, 0]
    _, first, codes = np.unique(packed, return_index=True, return_inverse=True)
    distinct = flat[first]
    if column.dtype.is_float:
        strings = [float_as_text(value) for value in distinct]
    elif column.dtype.kind is Kind.INTERVAL:
        strings = [_interval_as_text(*row) for row in distinct.tolist()]  # host: Arrow or NumPy, no tensor
    else:
        numbers = wide.to_python(torch.from_numpy(distinct))
        strings = [decimal_as_text(number, column.dtype) for number in numbers]
    index = placed(torch.from_numpy(codes.reshape(-1).astype(np.int32)), column.device)
    entries = Entries([], index, column.is_constant, len(distinct), column.device)
    return entries.finish(few_strings(strings, pa.large_string()), VARCHAR)


def float_as_text(value: Any) -> str:
    """The shortest digits that read back as the same float, of NumPy or of Python; an exponent below 1e-4 and from 1e16.

    As in DuckDB those of a FLOAT are the digits of the DOUBLE where as few lie halfway to its neighbour, or two are as near.
    """
    if np.isnan(value):
        return "-nan" if np.signbit(value) else "nan"
    if np.isinf(value):
        return str(value)
    text = _shortest(value)
    # What has many digits as a DOUBLE lies beside no such number.
    if isinstance(value, np.float32) and value and len(_digits(repr(float(value)))) <= 13:
        halfway, count, exact = _halfway(float(value)), len(_digits(text)), _shortest(np.float64(value))
        are_as_near = len(_digits(exact)) == count + 1 and _digits(exact)[-1] == "5"
        if are_as_near or float(text) in halfway or any(len(_digits(repr(end))) < count for end in halfway):
            return exact
    return text


def _shortest(value: Any) -> str:
    if value == 0 or 1e-4 <= abs(value) < 1e16:
        return np.format_float_positional(value, unique=True, trim="0")
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


def _halfway(value: float) -> tuple[float, float]:
    """What lies halfway between a FLOAT and its neighbours farther from 0 and nearer."""
    fraction, exponent = math.frexp(value)
    half = math.ldexp(math.copysign(1, value), max(exponent, -125) - 25)
    return value + half, value - (half / 2 if abs(fraction) == 0.5 else half)


def _digits(text: str) -> str:
    return text.lstrip("-").partition("e")[0].replace(".", "").strip("0")


def decimal_as_text(number: int, dtype: DType) -> str:
    """The text of a scaled integer of an exact type."""
    if dtype.scale == 0:
        return str(number)
    digits = str(abs(number)).rjust(dtype.scale + (dtype.precision > dtype.scale), "0")
    return f"{'-' if number < 0 else ''}{digits[: -dtype.scale]}.{digits[-dtype.scale :]}"


def _integers_as_text(numbers: pa.Array, dtype: DType) -> pa.Array:
    """Stored integers (k,) of an exact or temporal type as strings."""
    if dtype.is_temporal or dtype.kind is Kind.TIMETZ:
        return instants_as_text(from_dlpack(numbers).long(), dtype)
    if dtype.scale == 0:
        return numbers.cast(pa.large_string())
    numbers = numbers.cast(pa.int64())
    least = dtype.scale + (dtype.precision > dtype.scale)
    digits = _padded(pc.abs(numbers), least)
    whole = pc.utf8_slice_codeunits(digits, start=0, stop=-dtype.scale)
    sign = pc.if_else(pc.less(numbers, integers(np.zeros(1, np.int64))[0]), _text("-"), _text(""))
    return _joined(sign, whole, _text("."), pc.utf8_slice_codeunits(digits, start=-dtype.scale))


def _text(value: str) -> pa.Scalar:
    return few_strings([value], pa.large_string())[0]


def _joined(*parts: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(*parts, _text(""))


def _padded(numbers: pa.Array, width: int) -> pa.Array:
    return pc.utf8_lpad(numbers.cast(pa.large_string()), width=width, padding="0")


def instants_as_text(values: Tensor, dtype: DType) -> pa.Array:
    """DATE, TIME, TIMESTAMP or TIMESTAMPTZ values ((k,) int64, CPU) as strings."""
    if dtype.kind is Kind.TIME:
        return _time_as_text(values)
    if dtype.kind is Kind.TIMETZ:
        ahead = offset_of(values) * SECOND
        return _joined(_time_as_text(in_utc(values) + ahead), offsets_as_text(ahead))
    if dtype.kind is Kind.TIME_NS:
        return _time_as_text(values, SECOND * 1000)
    limit = INFINITE_DAY if dtype.kind is Kind.DATE else INFINITE_INSTANT
    sign = (values == limit).long() - (values == -limit).long()
    if bool(sign.any()):  # host: on the CPU
        plain = instants_as_text(torch.where(sign == 0, values, 0), dtype)
        known = pc.if_else(truths((sign > 0).numpy()), _text("infinity"), _text("-infinity"))
        return pc.if_else(truths((sign == 0).numpy()), plain, known)
    second = UNITS_A_SECOND.get(dtype.kind, SECOND)
    time: Tensor | None = None
    days = values
    if dtype.kind is not Kind.DATE:
        days = calendar.floor_div(values, 86_400 * second)
        time = values - days * (86_400 * second)
    year, month, day = calendar.civil_from_days(days)
    shown = torch.where(year > 0, year, 1 - year)
    parts = [_padded(integers(field.numpy()), width) for field, width in ((shown, 4), (month, 2), (day, 2))]
    era = pc.if_else(truths((year > 0).numpy()), _text(""), _text(" (BC)"))
    date = _joined(parts[0], _text("-"), parts[1], _text("-"), parts[2], era)
    if time is None:
        return date
    zone = _text("+00" if dtype.in_microseconds.kind is Kind.TIMESTAMPTZ else "")
    return _joined(date, _text(" "), _time_as_text(time, second), zone)


def zoned_as_text(values: Tensor, zone: TimeZone, dtype: DType) -> pa.Array:
    """TIMESTAMPTZ(_NS) values ((k,) int64, CPU) as clocks of a zone show them, with the offset from UTC."""
    ends = values.abs() == INFINITE_INSTANT
    plain = torch.where(ends, 0, values)
    unit, local = (1000, TIMESTAMP_NS) if dtype.counts_nanoseconds else (1, TIMESTAMP)
    ahead = offsets.offsets_at(calendar.floor_div(plain, unit), zone.starts, zone.offsets)
    shown = _joined(instants_as_text(plain + ahead * unit, local), offsets_as_text(ahead))
    return pc.if_else(truths(ends.numpy()), instants_as_text(torch.where(ends, values, 0), TIMESTAMP), shown)


def offsets_as_text(ahead: Tensor) -> pa.Array:
    """Offsets from UTC in microseconds: +02, -03:30, -00:01:15."""
    total = calendar.floor_div(ahead.abs(), SECOND)
    sign = pc.if_else(truths((ahead < 0).numpy()), _text("-"), _text("+"))
    hour, minute, second = (
        _padded(integers(field.numpy()), 2)
        for field in (total // 3600, torch.remainder(total // 60, 60), torch.remainder(total, 60))
    )
    seconds = truths((torch.remainder(total, 60) > 0).numpy())
    minutes = pc.or_(seconds, truths((torch.remainder(total // 60, 60) > 0).numpy()))
    minute = pc.if_else(minutes, _joined(_text(":"), minute), _text(""))
    return _joined(sign, hour, minute, pc.if_else(seconds, _joined(_text(":"), second), _text("")))


def _time_as_text(time: Tensor, unit: int = SECOND) -> pa.Array:
    """Times of the day, of which so many units are a second."""
    seconds = calendar.floor_div(time, unit)
    fields = [seconds // 3600, torch.remainder(seconds // 60, 60), torch.remainder(seconds, 60)]
    hour, minute, second = (_padded(integers(field.numpy()), 2) for field in fields)
    fraction = _joined(_text("."), _padded(integers(torch.remainder(time, unit).numpy()), len(str(unit)) - 1))
    fraction = pc.utf8_rtrim(pc.utf8_rtrim(fraction, characters="0"), characters=".")
    return _joined(hour, _text(":"), minute, _text(":"), second, fraction)


def _interval_as_text(months: int, days: int, micros: int) -> str:
    sign = -1 if months < 0 else 1
    years, rest = divmod(abs(months), 12)
    parts = [(sign * years, "year"), (sign * rest, "month"), (days, "day")]
    words = [f"{count} {unit}{'' if abs(count) == 1 else 's'}" for count, unit in parts if count]
    if micros or not words:
        left = abs(micros)
        clock = f"{'-' if micros < 0 else ''}{left // HOUR:02}:{left // MINUTE % 60:02}:{left // SECOND % 60:02}"
        words.append(clock + (f".{left % SECOND:06}".rstrip("0") if left % SECOND else ""))
    return " ".join(words)
