"""From strings to stored values of other types, as DuckDB reads them.

Each parser takes a `large_string` array without NULLs and gives the values and a bool array that is False where the
string is no such value. Plain spellings are read by whole arrays; what is left (signs, exponents, blanks, odd dates)
one string at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.to_arrow import few_strings, from_truths, integers
from tqp.functions.casts.bytes import bignum_of, bits_of_text, bytes_of, uuid_of
from tqp.functions.casts.intervals import interval_of
from tqp.functions.offset_times import read_offset_time
from tqp.functions.time_zones import TimeZone, known_zone
from tqp.kernels import calendar, offsets
from tqp.kernels.calendar import DAY, FIRST_INSTANT, HOUR, INFINITE_DAY, INFINITE_INSTANT, MINUTE, SECOND
from tqp.types import BIGINT, DATE, HUGEINT, UBIGINT, UNITS_A_SECOND, DType, Kind, integer_range

__all__ = ["Parsed", "parse", "parse_one"]

Parsed = tuple[Any, npt.NDArray[np.bool_]]
"""The values, (k,) or for INTERVAL (k, 3) (a list of Python integers where 64 bits may not do, of bytes for BIGNUM); and which are
good."""

# Single _ may stand between digits.
_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*([+-]?)(\d+(?:_\d+)*)?(?:(\.)(\d+(?:_\d+)*)?)?(?:[eE]([+-]?\d+(?:_\d+)*))?[ \t\n\v\f\r]*", re.ASCII
)
_RADIX = re.compile(r"\s*0(?:[xX]([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|[bB]([01]+(?:_[01]+)*))\s*", re.ASCII)
_NEGATIVE = re.compile(r"\s*-", re.ASCII)
_NEGATIVE_ZERO = re.compile(r"\s*-0+", re.ASCII)
_EXACT = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)
_MOST_DIGITS = 40  # more than an integer of 128 bits has
_LEAST_EXPONENT, _GREATEST_EXPONENT = -(2**15), 2**15 - 1
_DATE = r"\s*(-?\d{1,7})([-/ \\])(\d{1,2})\2(\d{1,2})(?:\s(\([bB][cC]\)))?"
_CLOCK = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?"
_ZONE = r"(?:(Z|[+-]\d\d(?::?\d\d|:\d\d:\d\d)?)?\s*| ([\w/+-]+)\s*)"
_TIMESTAMP = re.compile(f"{_DATE}(?:(?:T|\\s+){_CLOCK}{_ZONE}|(\\s*))", re.ASCII)
# What follows a colon may be missing. A zone behind the seconds changes nothing.
_TIME = re.compile(
    r"\s*(\d{1,2}):(?:(\d{1,2})(?::(?:(\d{1,2})(?:\.(\d*))?\s*(?:Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d|:[0-5]\d:[0-5]\d)?)?\s*)?|\s*))?",
    re.ASCII,
)
_BEYOND_MICROSECONDS = re.compile(r"\.\d{6}(\d{1,3})", re.ASCII)
_BLANKS = " \t\n\v\f\r"
_INFINITE = ("infinity", "inf", "-infinity", "-inf")
_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


def parse(strings: pa.Array, to: DType, zone: TimeZone | None = None) -> Parsed:
    """The strings as stored values of `to` (any type but VARCHAR and NULL); what says no time zone is meant in `zone`."""
    if to.is_exact:
        return _exact(strings, to)
    if to.is_float:
        return _float(strings, to)
    match to.kind:
        case Kind.BOOLEAN:
            lowered = pc.utf8_lower(strings)
            true = from_truths(pc.is_in(lowered, few_strings(_TRUE, pa.large_string())))
            return true, true | from_truths(pc.is_in(lowered, few_strings(_FALSE, pa.large_string())))
        case Kind.BIGNUM:
            found = [bignum_of(text) for text in strings.to_pylist()]
            return found, np.array([one is not None for one in found], np.bool_)
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return _instants(strings, to, zone)
        case Kind.TIMESTAMP_S | Kind.TIMESTAMP_MS | Kind.TIMESTAMP_NS | Kind.TIMESTAMPTZ_NS:
            return _in_units(strings, to, zone)
        case Kind.TIMETZ:
            nothing = np.zeros(len(strings), dtype=np.bool_)
            return _rest(strings, np.zeros(len(strings), dtype=np.int64), nothing, read_offset_time)
        case Kind.TIME | Kind.TIME_NS:
            one = _time if to.kind is Kind.TIME else _time_in_nanoseconds
            return _rest(strings, np.zeros(len(strings), dtype=np.int64), np.zeros(len(strings), dtype=np.bool_), one)
        case _:
            empty = np.zeros((len(strings), 3), dtype=np.int64)
            return _rest(strings, empty, np.zeros(len(strings), dtype=np.bool_), interval_of)


def parse_one(
    text: str, to: DType, zone: TimeZone | None = None
) -> bool | int | float | str | bytes | tuple[int, int, int] | None:
    """One string as `parse` reads it; None where it is no such value."""
    if to.is_exact:
        return _exact_number(text, to)
    if to.is_float:
        return _float_number(text)
    match to.kind:
        case Kind.BLOB:
            return bytes_of(text)
        case Kind.BIGNUM:
            return bignum_of(text)
        case Kind.BIT:
            return bits_of_text(text)
        case Kind.UUID:
            return uuid_of(text)
        case Kind.ENUM:
            return to.labels.index(text) if text in to.labels else None
        case Kind.BOOLEAN:
            lowered = text.lower()
            return True if lowered in _TRUE else False if lowered in _FALSE else None
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return _instant(text, to, zone)
        case Kind.TIMESTAMP_S | Kind.TIMESTAMP_MS | Kind.TIMESTAMP_NS | Kind.TIMESTAMPTZ_NS:
            values, good = _in_units(pa.array([text], pa.large_string()), to, zone)
            return int(values[0]) if good[0] else None
        case Kind.TIME:
            return _time(text)
        case Kind.TIMETZ:
            return read_offset_time(text)
        case Kind.TIME_NS:
            return _time_in_nanoseconds(text)
        case _:
            return interval_of(text)


def _numpy(array: pa.Array) -> Any:
    return np.array(np.from_dlpack(array))


def _plain(strings: pa.Array, pattern: str, filler: str) -> tuple[npt.NDArray[np.bool_], pa.Array]:
    """Which strings match, and the strings with a filler for the others."""
    plain = pc.match_substring_regex(strings, pattern)
    return from_truths(plain), pc.if_else(plain, strings, few_strings([filler], pa.large_string())[0])


def _rest(strings: pa.Array, values: Any, good: npt.NDArray[np.bool_], one: Callable[[str], Any]) -> Parsed:
    """Fill in the values that are not yet `good`, one string at a time."""
    todo = np.flatnonzero(~good)
    rows = todo.tolist()  # host: NumPy, no tensor
    for row, text in zip(rows, strings.take(integers(todo)).to_pylist(), strict=True):
        value = one(text)
        if value is not None:
            values[row] = value
            good[row] = True
    return values, good


# Numbers ------------------------------------------------------------------------------------------------------------


def _exact(strings: pa.Array, to: DType) -> Parsed:
    low, high = integer_range(to)
    whole = 18 - to.scale
    good = np.zeros(len(strings), dtype=np.bool_)
    values: Any = np.zeros(len(strings), dtype=np.int64)
    if to.scale == 0:
        good, filled = _plain(strings, r"^-?[0-9]{1,18}$", "0")
        values = _numpy(filled.cast(pa.int64()))
    elif whole > 0:
        good, filled = _plain(strings, rf"^-?[0-9]{{1,{whole}}}\.[0-9]{{{to.scale}}}$", "0")
        values = _numpy(pc.replace_substring(filled, ".", "").cast(pa.int64()))
    good &= (values >= max(low, -(2**63))) & (values <= min(high, 2**63 - 1))
    if high >= 2**63:
        values = values.tolist()  # host: Arrow or NumPy, no tensor

    return _rest(strings, values, good, lambda text: _exact_number(text, to))


def _exact_number(text: str, to: DType) -> int | None:
    low, high = integer_range(to)
    value = _integer(text, to)
    if value == 0 and low == 0 and _NEGATIVE.match(text) and not _NEGATIVE_ZERO.fullmatch(text):
        return None  # no negative number is rounded to an unsigned one, and 0 has this sign in its plainest form alone
    return value if value is not None and low <= value <= high else None


def _integer(text: str, to: DType) -> int | None:
    """A number in any spelling, in units of 10**-scale, rounded half away from zero; one of 128 bits or a wider one."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        radix = _RADIX.fullmatch(text) if to.scale == 0 else None
        return None if radix is None else int(radix[1] or radix[2], 16 if radix[1] else 2)
    sign, whole, _, fraction, exponent = (part.replace("_", "") if part else "" for part in match.groups())
    power = Decimal(exponent or 0)
    if not whole and not fraction or not _LEAST_EXPONENT <= power <= _GREATEST_EXPONENT:
        return None
    if not _is_read(sign, whole, fraction, bool(exponent), to):
        return None
    number = Decimal(f"{sign}{whole or 0}.{fraction or 0}")
    digits = number.adjusted() + int(power) + to.scale + 1
    if not number or digits < 0:
        return 0
    if digits > _MOST_DIGITS:
        return None
    return int(number.scaleb(int(power) + to.scale, _EXACT).to_integral_value(ROUND_HALF_UP))


def _is_read(sign: str, whole: str, fraction: str, has_exponent: bool, to: DType) -> bool:
    """Whether DuckDB holds the digits as they are written, before the exponent moves the point."""
    digits = whole.lstrip("0")
    if to.is_decimal:
        return not has_exponent or len(digits) <= to.precision - to.scale
    wide = {Kind.HUGEINT: HUGEINT, Kind.UHUGEINT: HUGEINT, Kind.UBIGINT: UBIGINT}.get(to.kind, BIGINT)
    low, high = integer_range(wide)
    parts = (digits, fraction.lstrip("0")) if wide == HUGEINT else (digits,)
    return all(len(part) < _MOST_DIGITS and low <= int(f"{sign}{part or 0}") <= high for part in parts)


def _float(strings: pa.Array, to: DType) -> Parsed:
    good, filled = _plain(strings, r"^-?[0-9]{1,17}(\.[0-9]{0,17})?([eE][-+]?[0-9]{1,2})?$", "0")
    values = _numpy(filled.cast(pa.float32() if to.kind is Kind.FLOAT else pa.float64()))
    return _rest(strings, values, good, _float_number)


def _float_number(text: str) -> float | None:
    # A plus may stand before the minus. Python takes digits and blanks of all scripts.
    body = text.strip(_BLANKS)
    body = body[1:] if body.startswith("+-") else body
    try:
        return float(body) if body.isascii() and body == body.strip() else None
    except ValueError:
        return None


# Dates and times ----------------------------------------------------------------------------------------------------


def _instants(strings: pa.Array, to: DType, zone: TimeZone | None) -> Parsed:
    """Dates in days, timestamps in microseconds; the plain form is yyyy-mm-dd[ hh:mm:ss]."""
    form = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    good, filled = _plain(strings, form + ("$" if to.kind is Kind.DATE else " [0-9]{2}:[0-9]{2}:[0-9]{2}$"),
                          "1970-01-01" + ("" if to.kind is Kind.DATE else " 00:00:00"))  # fmt: skip
    size = 10 if to.kind is Kind.DATE else 19
    text = pa.concat_arrays([filled]).cast(pa.large_binary()).cast(pa.binary(size))
    flat = np.frombuffer(text.buffers()[1], dtype=np.uint8, offset=text.offset * size, count=len(text) * size)
    digits = torch.from_numpy(flat.reshape(-1, size).astype(np.int64) - ord("0"))

    def read(start: int, stop: int) -> torch.Tensor:
        total = torch.zeros(len(digits), dtype=torch.int64, device="cpu")
        for place in range(start, stop):
            total = total * 10 + digits[:, place]
        return total

    year, month, day = read(0, 4), read(5, 7), read(8, 10)
    fits = (month >= 1) & (month <= 12) & (day >= 1) & (day <= calendar.days_in_month(year, month.clamp(1, 12)))
    values = calendar.days_from_civil(year, month.clamp(1, 12), day)
    if to.kind is not Kind.DATE:
        hour, minute, second = read(11, 13), read(14, 16), read(17, 19)
        fits &= (hour < 24) & (minute < 60) & (second < 60)
        values = values * DAY + hour * HOUR + minute * MINUTE + second * SECOND
        values = values if zone is None else offsets.instants(values, zone.starts, zone.offsets)
    good &= fits.numpy()
    return _rest(strings, values.numpy(), good, lambda text: _instant(text, to, zone))


def _in_units(strings: pa.Array, to: DType, zone: TimeZone | None) -> Parsed:
    """Timestamps in seconds and milliseconds, rounded half away from zero, and in nanoseconds, digits beyond which are cut off."""
    values, good = parse(strings, to.in_microseconds, zone)
    ends = np.abs(values) == INFINITE_INSTANT
    plain = np.where(ends, 0, values)
    a_second = UNITS_A_SECOND[to.kind]
    if a_second < SECOND:
        unit = SECOND // a_second
        whole, rest = np.divmod(np.abs(plain), unit)
        found = whole + (2 * rest >= unit)
        good &= ends | (found <= (INFINITE_INSTANT - 1) // unit)
        found = np.where(good, np.sign(plain) * found, 0)
        return np.where(ends, values, found), good
    most, last = divmod(INFINITE_INSTANT - 1, 1000)
    good &= ends | ((plain >= -most - 1) & (plain <= most))
    plain = np.where(good, plain, 0)
    # Thousands towards zero and what is beside them, so that no sum leaves 64 bits.
    rest = np.where(plain < 0, -1000, 0)
    for row in np.flatnonzero(from_truths(pc.match_substring_regex(strings, r"\.[0-9]{7}"))).tolist():  # host: NumPy
        beyond = _BEYOND_MICROSECONDS.search(strings[row].as_py())
        rest[row] += int(beyond[1].ljust(3, "0")) if beyond is not None else 0
    thousands = plain + (plain < 0)
    good &= (np.abs(thousands) < most) | (np.abs(rest) <= last)
    return np.where(ends, values, np.where(good, thousands * 1000 + rest, 0)), good


def _instant(text: str, to: DType, zone: TimeZone | None = None) -> int | None:
    word = text.strip(_BLANKS).lower()
    if word == "epoch":
        return 0
    # Blanks may follow the long word alone.
    if word in _INFINITE and (word.endswith("y") or text.lower().endswith("f")):
        limit = INFINITE_DAY if to.kind is Kind.DATE else INFINITE_INSTANT
        return -limit if word[0] == "-" else limit
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    if match[12] and to.kind is not Kind.DATE:
        return None
    year, month, day = int(match[1]), int(match[3]), int(match[4])
    if match[5]:
        if year == 0 or match[1][0] == "-":
            return None
        year = 1 - year
    days = calendar.day_number(year, month, day)
    clock = 0 if match[6] is None else _clock(*match.group(6, 7, 8, 9))
    if days is None or clock is None:
        return None
    if to.kind is Kind.DATE:
        return days if abs(days) < INFINITE_DAY else None
    micros = days * DAY + clock
    if to.kind is Kind.TIMESTAMPTZ:
        found = _in_zone(micros, match[10], match[11], zone)
        if found is None:
            return None
        micros = found
    return micros if FIRST_INSTANT <= micros < INFINITE_INSTANT else None


def _in_zone(micros: int, offset: str | None, name: str | None, zone: TimeZone | None) -> int | None:
    """The instant at which clocks show that, at an offset, in the zone of a name or else in `zone`; None for an unknown name."""
    if offset is not None:
        if offset == "Z":
            return micros
        parts = [int(part) for part in re.findall(r"\d\d", offset)]
        ahead = sum(part * unit for part, unit in zip(parts, (HOUR, MINUTE, SECOND), strict=False))
        return micros + ahead if offset[0] == "-" else micros - ahead
    if name is not None:
        zone = known_zone(name)
        if zone is None:
            return None
    return micros if zone is None else zone.instant(micros)


def _clock(hour: str, minute: str | None, second: str | None, fraction: str | None) -> int | None:
    hours, minutes, seconds = int(hour), int(minute or 0), int(second or 0)
    micros = int(((fraction or "") + "000000")[:6])
    total = hours * HOUR + minutes * MINUTE + seconds * SECOND + micros
    return total if total <= DAY and minutes < 60 and seconds < 60 else None


def _time(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is not None:
        return _clock(*match.groups())
    full = _TIMESTAMP.fullmatch(text)
    if full is None:
        return 0 if text.strip(_BLANKS).lower() == "epoch" else None
    if full[12] or _instant(text, DATE) is None:
        return None
    return 0 if full[6] is None else _clock(*full.group(6, 7, 8, 9))


def _time_in_nanoseconds(text: str) -> int | None:
    """As `_time`; digits beyond nanoseconds are cut off."""
    micros = _time(text)
    beyond = _BEYOND_MICROSECONDS.search(text)
    if micros is None or beyond is None:
        return None if micros is None else micros * 1000
    nanos = micros * 1000 + int(beyond[1].ljust(3, "0"))
    return nanos if nanos <= DAY * 1000 else None
