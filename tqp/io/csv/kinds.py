"""The types of the columns of a CSV file, found out from their values, and the conversion of texts to them.

As in DuckDB a column has the first of a list of types that all of its values in the sample are of. What follows the sample is cast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.errors import ExecutionError, UnsupportedError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.parsing import parse
from tqp.functions.strptime import by_format
from tqp.io.arrow import column_from_arrow
from tqp.io.csv.options import CsvOptions
from tqp.io.text import text_column
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    HUGEINT,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
    DType,
    Kind,
)

__all__ = ["CsvType", "converted", "found_type"]


@dataclass(frozen=True, slots=True)
class CsvType:
    """The type of a column, and in which format its dates are written, if not as ISO has them.

    `is_blank`: no value says its type. `is_bignum`: it has integers of more than 128 bits.
    """

    dtype: DType
    format: str | None = None
    is_blank: bool = False
    is_bignum: bool = False


_INTEGER: Final = r"^(?:\s*(?:-[0-9]+|0|[1-9][0-9]*)\s*|0[xX][0-9a-fA-F]+|0[bB][01]+)$"
_NUMBER: Final = (
    r"^\s*(?:-?(?i:nan)|(?:-[0-9]+|0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|-?\.[0-9]+(?:[eE][+-]?[0-9]+)?)\s*$"
)
_PATTERNS: Final = {
    Kind.BOOLEAN: "^(?i:true|false|t|f|yes|no)$",
    Kind.BIGINT: _INTEGER,
    Kind.HUGEINT: _INTEGER,
    Kind.DOUBLE: _NUMBER,
    Kind.FLOAT: _NUMBER,
    Kind.TIME: r"^[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:\.[0-9]*)?)?$",
}
_ZONED: Final = r":[0-9]{2}(?:\.[0-9]+)?(?:Z|\s*[+-][0-9]{2}(?::?[0-9]{2})?|\s+[A-Za-z]+/[A-Za-z_/]+)$"
_SPECIAL: Final = "|^(?i:-?infinity|epoch)$"
_ISO: Final = {
    Kind.DATE: r"^\s*-?[0-9]{4,7}[-/ \\][0-9]{1,2}[-/ \\][0-9]{1,2}(?:\s*\(BC\))?\s*$" + _SPECIAL,
    Kind.TIMESTAMP: r"^\s*-?[0-9]{4,7}[-/ \\][0-9]{1,2}[-/ \\][0-9]{1,2}" + _SPECIAL,
}  # fmt: skip
_DATE: Final = r"^([0-9]+)([^0-9])[0-9]+([^0-9])[0-9]+$"
_INSTANT: Final = r"^[0-9]+[^0-9][0-9]+[^0-9][0-9]+[ T][0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?: [AaPp][Mm])?$"
_YEARS: Final = {
    "%y-": "^[0-9]{2}[^0-9]",
    "%Y-": "^[0-9]{4}[^0-9]",
    "-%y": "[^0-9][0-9]{2}(?: |$)",
    "-%Y": "[^0-9][0-9]{4}(?: |$)",
}
"""Digits of the years of formats, which by themselves would take fewer."""
_DATE_FORMATS: Final = ("%y-%m-%d", "%Y-%m-%d", "%d-%m-%y", "%d-%m-%Y", "%m-%d-%y", "%m-%d-%Y")
_INSTANT_FORMATS: Final = (
    "%y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d-%m-%y %H:%M:%S", "%d-%m-%Y %H:%M:%S", "%m-%d-%y %I:%M:%S %p",
    "%m-%d-%Y %I:%M:%S %p",
)  # fmt: skip
_BIGNUM: Final = NULL
"""Stands for integers of more than 128 bits in the order of types."""
_TYPES: Final = (BOOLEAN, BIGINT, HUGEINT, _BIGNUM, DOUBLE, TIME, DATE, TIMESTAMP, TIMESTAMPTZ)


def found_type(values: Iterable[str], options: CsvOptions) -> CsvType:
    """The type of a column that has these values, NULLs aside; VARCHAR where there are none."""
    listed = list(values)
    distinct = pa.array(dict.fromkeys(listed), pa.large_string())
    if not len(distinct):
        return CsvType(VARCHAR, is_blank=True)
    plain = _plain_numbers(distinct, options)
    for dtype in _in_order(options):
        if dtype == _BIGNUM:
            if _all(plain, _INTEGER):
                return CsvType(HUGEINT, is_bignum=True)
        elif dtype.kind in (Kind.DATE, Kind.TIMESTAMP):
            found = _dated(listed[0], distinct, dtype, options)
            if found is not None:
                return found
        elif dtype == TIMESTAMPTZ:
            if _all(distinct, _ZONED, some=True) and _is_all(distinct, TIMESTAMP):
                return CsvType(dtype)
        elif dtype.is_text:
            return CsvType(dtype)
        else:
            candidates = plain if dtype.is_exact or dtype.is_float else distinct
            pattern = _PATTERNS.get(dtype.kind, _INTEGER if dtype.is_exact and not dtype.is_decimal else _NUMBER)
            if _all(candidates, pattern) and _is_all(candidates, dtype):
                return CsvType(dtype)
    return CsvType(VARCHAR)


def _in_order(options: CsvOptions) -> tuple[DType, ...]:
    """The types that columns may be found to have; those whose format is given are tried first."""
    formats = {DATE: options.dateformat, TIMESTAMP: options.timestampformat}
    types = options.auto_type_candidates or _TYPES
    return tuple(sorted(types, key=lambda dtype: formats.get(dtype) is None))


def _dated(first: str, distinct: pa.Array, dtype: DType, options: CsvOptions) -> CsvType | None:
    """DATE or TIMESTAMP with the format of all values; None where they are none. `first` is the first value."""
    is_date = dtype.kind is Kind.DATE
    given = options.dateformat if is_date else options.timestampformat
    if given is not None:
        return CsvType(dtype, given) if _in_format(distinct, given) else None
    if not is_date and _all(distinct, _ZONED, some=True):
        return None
    alone = pa.array([first], pa.large_string())
    if not is_date and _all(alone, _ISO[Kind.DATE]) and _is_all(alone, DATE):
        return None
    if _all(distinct, _ISO[dtype.kind]) and _is_all(distinct, dtype) and len(set(_separators(distinct))) <= 1:
        return CsvType(dtype)
    if not _all(distinct, _DATE if is_date else _INSTANT):
        return None
    separators = set(_separators(distinct))
    if len(separators) != 1:
        return None
    (separator,) = separators
    for pattern in _DATE_FORMATS if is_date else _INSTANT_FORMATS:
        if not all(_all(distinct, digits) for year, digits in _YEARS.items() if year in pattern):
            continue
        written = pattern.replace("-", separator)
        if _in_format(distinct, written):
            return CsvType(dtype, written)
    return None


def _separators(distinct: pa.Array) -> list[str]:
    """What stands behind the first digits, of values that begin with digits."""
    found = pc.extract_regex(distinct, r"^\s*-?[0-9]+(?P<mark>[^0-9])").drop_null()
    return list(pc.unique(found.field("mark")).to_pylist()) if len(found) else []


def _plain_numbers(distinct: pa.Array, options: CsvOptions) -> pa.Array:
    """Numbers as the casts read them."""
    if options.thousands:
        distinct = pc.replace_substring(distinct, options.thousands, "")
    if options.decimal_separator != ".":
        distinct = pc.replace_substring(distinct, options.decimal_separator, ".")
    return distinct


def _all(strings: pa.Array, pattern: str, some: bool = False) -> bool:
    found = pc.match_substring_regex(strings, pattern)
    return bool((pc.any(found) if some else pc.all(found)).as_py())


def _is_all(strings: pa.Array, dtype: DType) -> bool:
    try:
        return bool(parse(strings, dtype)[1].all())  # host: NumPy, no tensor
    except UnsupportedError:
        return False


def _in_format(strings: pa.Array, pattern: str) -> bool:
    try:
        found = by_format(text_column(pa.chunked_array([strings])), pattern)
    except ExecutionError:
        return False
    return found.valid is None or bool(found.valid.all())  # host: on the CPU


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
    if dtype.is_exact or dtype.is_float:
        texts = _plain_numbers(texts, options)
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
            hint="types={'column': 'VARCHAR'}, and CAST it, which takes the time zone of the session",
        )
    return cast(written, dtype, True)
