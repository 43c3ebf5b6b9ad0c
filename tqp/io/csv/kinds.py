"""The types of the columns of a CSV file, found out from their values, and the conversion of texts to them.

As in DuckDB a column has the first of a list of types that all of its values in the sample are of. What follows the sample is cast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.data.to_arrow import few_strings, from_truths
from tqp.errors import UnsupportedError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.parsing import parse
from tqp.functions.strptime import by_format
from tqp.io.arrow import column_from_arrow
from tqp.io.csv.options import CsvOptions
from tqp.io.text import text_column
from tqp.types import (
    BIGINT,
    BIGNUM,
    BOOLEAN,
    DATE,
    DOUBLE,
    HUGEINT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
    DType,
    Kind,
)

__all__ = ["CsvType", "converted", "found_type", "found_types"]


@dataclass(frozen=True, slots=True)
class CsvType:
    """The type of a column, and in which format its dates are written, if not as ISO has them.

    `is_blank`: no value says its type. `is_local`: its times have no offset, and are in the time zone of the session.
    """

    dtype: DType
    format: str | None = None
    is_blank: bool = False
    is_local: bool = False


_INTEGER: Final = r"^\s*(?:(?:-[0-9]+|0|[1-9][0-9]*)\s*|0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*)$"
_NUMBER: Final = (
    r"^\s*(?:-?(?i:inf|infinity|nan)|(?:-[0-9]+|0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    r"|-?\.[0-9]+(?:[eE][+-]?[0-9]+)?)$"
)
_PATTERNS: Final = {
    Kind.BOOLEAN: "^(?i:true|false|t|f|yes|no)$",
    Kind.BIGINT: _INTEGER,
    Kind.HUGEINT: _INTEGER,
    Kind.BIGNUM: _INTEGER,
    Kind.DOUBLE: _NUMBER,
    Kind.FLOAT: _NUMBER,
    Kind.TIME: r"^\s*[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:\.[0-9]*)?)?\s*$",
}
_BLANKS: Final = " \t\n\v\f\r"
_ZONED: Final = r":[0-9]{2}(?:\.[0-9]+)?(?:Z|\s*[+-][0-9]{2}(?::?[0-9]{2})?|\s+[A-Za-z]+/[A-Za-z_/]+)$"
_INFINITE: Final = r"^\s*-?(?i:inf|infinity\s*)$"
_WORD: Final = r"^\s*(?:-?(?i:inf|infinity\s*)|(?i:epoch)\s*)$"
"""A date or time that is none of a format."""
_ISO: Final = {
    Kind.DATE: r"^\s*-?[0-9]{4,7}[-/ \\][0-9]{1,2}[-/ \\][0-9]{1,2}(?:\s*\(BC\))?\s*$|^\s*(?i:epoch)\s*$|" + _INFINITE,
    Kind.TIMESTAMP: r"^\s*-?[0-9]{4,7}[-/ \\][0-9]{1,2}[-/ \\][0-9]{1,2}|^\s*(?i:-?infinity|epoch)\s*$",
}  # fmt: skip
_DATE: Final = r"^([0-9]+)([^0-9])[0-9]+([^0-9])[0-9]+$"
_INSTANT: Final = r"^[0-9]+[^0-9][0-9]+[^0-9][0-9]+[ T][0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?: [AaPp][Mm])?$"
_YEARS: Final = {
    "%y": ("^[0-9]{2}[^0-9]", "[^0-9][0-9]{2}(?: |$)"),
    "%Y": ("^[0-9]{4}[^0-9]", "[^0-9][0-9]{4}(?: |$)"),
}
"""Digits of the years of formats that begin with them, and of others; by themselves formats would take fewer."""
_DATE_FORMATS: Final = ("%y-%m-%d", "%Y-%m-%d", "%d-%m-%y", "%d-%m-%Y", "%m-%d-%y", "%m-%d-%Y")
_INSTANT_FORMATS: Final = (
    "%y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d-%m-%y %H:%M:%S", "%d-%m-%Y %H:%M:%S", "%m-%d-%y %I:%M:%S %p",
    "%m-%d-%Y %I:%M:%S %p",
)  # fmt: skip
_TYPES: Final = (BOOLEAN, BIGINT, HUGEINT, BIGNUM, DOUBLE, TIME, DATE, TIMESTAMP, TIMESTAMPTZ)


Formats = dict[Kind, tuple[str, ...]]
"""In which formats the columns so far had dates and times, first the one that fitted; () where casts read them."""


def found_types(columns: Sequence[Iterable[str]], options: CsvOptions) -> list[CsvType]:
    """The types of columns that have these values, NULLs aside.

    As in DuckDB all dates of a file are in one format, and all times in one, which the first column of them says.
    """
    formats: Formats = {}
    return [found_type(values, options, formats) for values in columns]


def found_type(values: Iterable[str], options: CsvOptions, formats: Formats) -> CsvType:
    """The type of a column that has these values, NULLs aside; VARCHAR where there are none. `formats` gets what it is in."""
    distinct = few_strings(list(dict.fromkeys(values)), pa.large_string())
    if not len(distinct):
        return CsvType(VARCHAR, is_blank=True)
    plain = _plain_numbers(distinct, options)
    was_date = False
    types = _in_order(options)
    # As in DuckDB a value that is no integer does not make those before it be looked at again.
    read = 0
    # Infinity alone may be a number, too; as in DuckDB the first value says which.
    is_day = (DATE in types or TIMESTAMPTZ in types) and _all(distinct[:1], _INFINITE)
    is_word = _all(distinct[:1], _WORD)
    has_words = is_word or _separators(distinct[:1]) == ["-"] and _all(distinct, _WORD, some=True)
    # Words are in a format that is given, in no other one.
    is_none = has_words and options.timestampformat is None or is_word and DATE in types
    for dtype in types:
        if dtype.is_float and is_day:
            continue
        if dtype.kind in (Kind.DATE, Kind.TIMESTAMP):
            if was_date or dtype == TIMESTAMP and (is_none or _all(distinct, _ZONED, some=True)):
                continue
            found = _dated(distinct, dtype, options, formats)
            if isinstance(found, CsvType):
                return found
            was_date = found and dtype == DATE
        elif dtype == TIMESTAMPTZ:
            # Times that are not in the format of those before, or of other columns, are taken for times in the zone of the session.
            is_other = TIMESTAMP not in types or has_words or bool(formats.get(Kind.TIMESTAMP))
            if not was_date and (is_other or _all(distinct, _ZONED, some=True)) and _is_all(distinct, TIMESTAMP):
                return CsvType(dtype, is_local=not _all(distinct, _ZONED))
        elif dtype.is_text:
            return CsvType(dtype)
        else:
            is_number = _is_number(dtype)
            pattern = _PATTERNS.get(dtype.kind, _INTEGER if dtype.is_exact and not dtype.is_decimal else _NUMBER)
            good = _of_type(plain[read:] if is_number else distinct, pattern, dtype)
            if good.all():  # host: NumPy, no tensor
                return CsvType(dtype)
            read += int(good.argmin()) if is_number else 0
    return CsvType(VARCHAR)


def _is_number(dtype: DType) -> bool:
    return dtype.is_numeric or dtype == BIGNUM


def _in_order(options: CsvOptions) -> tuple[DType, ...]:
    """The types that columns may be found to have; those whose format is given are tried first."""
    formats = {DATE: options.dateformat, TIMESTAMP: options.timestampformat}
    types = options.auto_type_candidates or _TYPES
    return tuple(sorted(types, key=lambda dtype: formats.get(dtype) is None))


def _dated(distinct: pa.Array, dtype: DType, options: CsvOptions, formats: Formats) -> CsvType | bool:
    """DATE or TIMESTAMP with the format of all values; else whether the first one is such a value."""
    is_date = dtype.kind is Kind.DATE
    given = options.dateformat if is_date else options.timestampformat
    if given is not None:
        fits = _in_format(distinct, given)
        return CsvType(dtype, given) if fits.all() else bool(fits[0])  # host: NumPy, no tensor
    first, tried = distinct[:1], formats.get(dtype.kind)
    if not tried:
        is_plain = _is_iso(first, dtype)
        agree = tried is not None or len(set(_separators(distinct))) <= 1
        if is_plain and agree and _is_iso(distinct, dtype):
            formats[dtype.kind] = tried or _of_iso(distinct, is_date)
            return CsvType(dtype)
        if tried is not None or is_plain and _separators(first) in ([], ["-"]):
            return is_plain
    patterns = tried or _patterns(first, is_date)
    fits = np.stack([_in_format(distinct, one) for one in patterns]) if patterns else np.zeros((0, 1), np.bool_)
    if tried is None:
        fits &= np.stack([_digits(distinct, one) for one in patterns]) if patterns else True
    place, row = _fitting(fits)
    if row == 0:
        return False
    is_found = row == len(distinct)
    formats[dtype.kind] = patterns[place : place + 1] if is_found else patterns[place:]
    return CsvType(dtype, patterns[place]) if is_found else True


def _fitting(fits: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """The format that values came to, and how many fitted before none did; `fits` (formats, values) says which fit.

    As in DuckDB a format that did not fit a value is asked no more.
    """
    place, row, count = 0, 0, fits.shape[1]
    while place < len(fits):
        failing = np.flatnonzero(~fits[place, row:])
        if not len(failing):
            return place, count
        row += int(failing[0])
        later = np.flatnonzero(fits[place:, row])
        if not len(later):
            break
        place += int(later[0])
    return place, row


def _is_iso(strings: pa.Array, dtype: DType) -> bool:
    return _all(strings, _ISO[dtype.kind]) and _is_all(strings, dtype)


def _of_iso(strings: pa.Array, is_date: bool) -> tuple[str, ...]:
    """The format of values that casts read, () where that says no more than the cast."""
    separators = _separators(strings)
    if separators in ([], ["-"]):
        return ()
    written = (_DATE_FORMATS if is_date else _INSTANT_FORMATS)[1].replace("-", separators[0])
    return (written,) if _in_format(strings, written).all() else ()  # host: NumPy, no tensor


def _patterns(first: pa.Array, is_date: bool) -> tuple[str, ...]:
    """The formats that are tried if that is the first value."""
    if not _all(first, _DATE if is_date else _INSTANT):
        return ()
    (separator,) = _separators(first)
    return tuple(one.replace("-", separator) for one in (_DATE_FORMATS if is_date else _INSTANT_FORMATS))


def _digits(strings: pa.Array, pattern: str) -> npt.NDArray[np.bool_]:
    """Which values have as many digits of the year as the format, or are words."""
    year = "%y" if "%y" in pattern else "%Y"
    digits = _YEARS[year][not pattern.startswith(year)]
    return from_truths(pc.match_substring_regex(strings, f"{digits}|{_WORD}"))


def _separators(distinct: pa.Array) -> list[str]:
    """What stands behind the first digits, of values that begin with digits."""
    found = pc.extract_regex(distinct, r"^\s*-?[0-9]+(?P<mark>[^0-9])").drop_null()
    return list(pc.unique(found.field("mark")).to_pylist()) if len(found) else []


def _plain_numbers(distinct: pa.Array, options: CsvOptions) -> pa.Array:
    """Numbers as the casts read them."""
    if options.thousands:
        distinct = pc.replace_substring(distinct, options.thousands, "")
    if options.decimal_separator != ".":
        # A point that is left is none of a number.
        distinct = pc.replace_substring(distinct, ".", "?")
        distinct = pc.replace_substring(distinct, options.decimal_separator, ".")
    return distinct


def _trimmed(strings: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Without blanks around them, which no cast to BIGNUM takes."""
    return pc.utf8_trim(strings, characters=_BLANKS)


def _all(strings: pa.Array, pattern: str, some: bool = False) -> bool:
    found = pc.match_substring_regex(strings, pattern)
    return bool((pc.any(found) if some else pc.all(found)).as_py())


def _of_type(strings: pa.Array, pattern: str, dtype: DType) -> npt.NDArray[np.bool_]:
    """Which values are written so, and are values of the type."""
    return from_truths(pc.match_substring_regex(strings, pattern)) & _read_as(strings, dtype)


def _is_all(strings: pa.Array, dtype: DType) -> bool:
    return bool(_read_as(strings, dtype).all())  # host: NumPy, no tensor


def _read_as(strings: pa.Array, dtype: DType) -> npt.NDArray[np.bool_]:
    """Which values casts read as the type."""
    try:
        return parse(_trimmed(strings) if dtype == BIGNUM else strings, dtype)[1]
    except UnsupportedError:
        return np.zeros(len(strings), np.bool_)


def _in_format(strings: pa.Array, pattern: str) -> npt.NDArray[np.bool_]:
    """Which values are written so."""
    found = by_format(text_column(pa.chunked_array([strings])), pattern).valid
    return np.ones(len(strings), np.bool_) if found is None else found.numpy()  # host: on the CPU


_BY_ARROW: Final = {
    Kind.BIGINT: pa.int64(), Kind.DOUBLE: pa.float64(), Kind.DATE: pa.date32(), Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.BOOLEAN: pa.bool_(), Kind.INTEGER: pa.int32(), Kind.TIMESTAMPTZ: pa.timestamp("us", "UTC"),
}  # fmt: skip


def converted(texts: pa.ChunkedArray, to: CsvType, options: CsvOptions) -> tuple[Column, int | None]:
    """The column of texts, NULLs kept, in its type, with the first row whose text is no such value; None where all are.

    Such rows are NULL. Plain spellings are read by Arrow, others by the casts of SQL.
    """
    dtype = to.dtype
    if dtype.is_text:
        return text_column(texts), None
    if _is_number(dtype):
        texts = _plain_numbers(texts, options)
    if dtype == BIGNUM:
        texts = _trimmed(texts)
    pattern = to.format or {Kind.DATE: options.dateformat, Kind.TIMESTAMP: options.timestampformat}.get(dtype.kind)
    kind = _BY_ARROW.get(dtype.kind) if pattern is None else None
    if kind is not None:
        try:
            return column_from_arrow(texts.cast(kind)), None
        except pa.ArrowInvalid:
            pass
    written = text_column(texts)
    found = cast(by_format(written, pattern), dtype, True) if pattern else _cast(written, dtype)
    if found.valid is None:
        return found, None
    lost = ~found.valid if written.valid is None else written.valid & ~found.valid
    return found, int(lost.int().argmax()) if bool(lost.any()) else None  # host: on the CPU


def _cast(written: Column, dtype: DType) -> Column:
    if dtype == TIMESTAMPTZ:
        raise UnsupportedError(
            "times of which some have no offset are no TIMESTAMP WITH TIME ZONE by themselves",
            hint="sample_size=-1 looks at all lines first, types={'column': 'TIMESTAMPTZ'} takes the time zone of the session",
        )
    return cast(written, dtype, True)
