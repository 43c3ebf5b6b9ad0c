"""How CSV files are read: the options of `read_csv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tqp.errors import SourceError
from tqp.io.options import (
    COMMON,
    REFUSED,
    FileOptions,
    Known,
    TypeOf,
    byte,
    file_options,
    flag,
    named_types,
    number,
    only,
    text,
    texts,
    types_given,
    word,
)
from tqp.types import DType, Kind

__all__ = ["CSV", "CsvOptions"]

_CHUNK: Final = 2048

CSV: Final = tuple(
    f".{kind}{packed}" for kind in ("csv", "tsv", "txt") for packed in ("", ".gz", ".zst", ".bz2")
)  # fmt: skip
"""Endings of the names of CSV files."""

_REJECTS: Final = (
    "ignore_errors=true leaves out rows that cannot be read; without it the error says where the first one is"
)


_STRICT: Final = "quote='' reads quotes as they are, null_padding=true short rows; lines may end in several ways"


def _nulls(name: str, value: Any, of: TypeOf) -> tuple[str, ...]:
    found = (value,) if isinstance(value, str) else texts(name, value, of)
    if not found:
        raise SourceError(f"{name} is an empty list", hint=f"{name}='NA' or {name}=['', 'NA']")
    return found


def _delimiter(name: str, value: Any, of: TypeOf) -> str:
    found = text(name, value, of)
    if len(found.encode("utf-8", "replace")) > 4:
        raise SourceError(f"{name}={value!r} is longer than 4 bytes")
    return found.replace("\\t", "\t")


_CANDIDATES: Final = (
    Kind.BOOLEAN, Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.HUGEINT, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE,
    Kind.TIME, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.VARCHAR,
)  # fmt: skip
"""The types that columns may be found to have, in the order in which they are tried."""


def _candidates(name: str, value: Any, of: TypeOf) -> tuple[DType, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        raise SourceError(f"{name}={value!r} is no list of types")
    found: list[DType] = [of(name, kind) for kind in value]
    # JSON is tried as VARCHAR is.
    kinds = [Kind.VARCHAR if dtype.kind is Kind.JSON else dtype.kind for dtype in found]
    for dtype, kind in zip(found, kinds, strict=True):
        if kind not in _CANDIDATES:
            known = ", ".join(one.value for one in _CANDIDATES)
            raise SourceError(f"{name}: no column is taken for {dtype}", hint=f"candidates are {known}")
    # Of two of one rank the later one is tried first.
    places = sorted(range(len(found)), key=lambda place: (_CANDIDATES.index(kinds[place]), -place))
    return tuple(found[place] for place in places)


_ENCODINGS: Final = {
    "utf-8": "utf-8", "utf8": "utf-8", "utf-16": "utf-16", "utf16": "utf-16", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "iso8859-1": "latin-1",
}  # fmt: skip

_KNOWN: Final = Known(
    {
        **COMMON,
        "delimiter": _delimiter,
        "quote": byte,
        "escape": byte,
        "comment": byte,
        "header": flag,
        "skip": number(0),
        "names": texts,
        "columns": named_types,
        "types": types_given,
        "auto_detect": flag,
        "auto_type_candidates": _candidates,
        "all_varchar": flag,
        "sample_size": number(1, -1),
        "nullstr": _nulls,
        "allow_quoted_nulls": flag,
        "force_not_null": texts,
        "null_padding": flag,
        "ignore_errors": flag,
        "normalize_names": flag,
        "dateformat": text,
        "timestampformat": text,
        "decimal_separator": word(".", ","),
        "thousands": byte,
        "encoding": word(*_ENCODINGS, hint="it is utf-8, utf-16 or latin-1; others: iconv -f … -t utf-8"),
        "max_line_size": number(1),
        "compression": word("auto", "none", "gzip", "gz", "zstd", "zst", "bz2"),
    },
    aliases={
        "delim": "delimiter", "sep": "delimiter", "separator": "delimiter", "null": "nullstr", "dtypes": "types",
        "column_types": "types", "dtype": "types", "column_names": "names", "date_format": "dateformat",
        "timestamp_format": "timestampformat", "maximum_line_size": "max_line_size",
    },
    refused={
        **REFUSED,
        **dict.fromkeys(
            ("store_rejects", "rejects_table", "rejects_scan", "rejects_limit", "rejects_line_size_limit"), _REJECTS
        ),
        "force_match": "options that are given always hold",
    },
    idle={
        "strict_mode": only(flag, True, _STRICT), "parallel": flag, "buffer_size": number(1), "files_to_sniff": number(1, -1),
        "new_line": text,
    },
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How CSV files are read, each as DuckDB's option of that name; None and () stand for what is found out from the file."""

    files: FileOptions = field(default_factory=FileOptions)
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    comment: str | None = None
    header: bool | None = None
    skip: int = 0
    names: tuple[str, ...] = ()
    columns: tuple[tuple[str, DType], ...] = ()
    types: tuple[tuple[str, DType] | DType, ...] = ()
    auto_detect: bool = True
    auto_type_candidates: tuple[DType, ...] = ()
    all_varchar: bool = False
    sample_size: int = 20_480
    nullstr: tuple[str, ...] = ("",)
    allow_quoted_nulls: bool = True
    force_not_null: tuple[str, ...] = ()
    null_padding: bool = False
    ignore_errors: bool = False
    normalize_names: bool = False
    dateformat: str | None = None
    timestampformat: str | None = None
    decimal_separator: str = "."
    thousands: str = ""
    encoding: str = "utf-8"
    max_line_size: int | None = None
    compression: str = "auto"

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> CsvOptions:
        """Checked options; raises as `Known.read`."""
        found = _KNOWN.read(function, given, type_of)
        found["encoding"] = _ENCODINGS[found.get("encoding", "utf-8")]
        made = CsvOptions(file_options(found), **found)
        made._check(function)
        return made

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return CSV

    def keeps_blank(self, width: int) -> bool:
        """Whether a line without anything is a row of so many columns: of one, and where no text is NULL."""
        return width == 1 and "" in self.nullstr

    @property
    def sampled(self) -> int:
        """So many lines say what the file is, which are read in chunks as DuckDB does; -1: all."""
        return -(-self.sample_size // _CHUNK) * _CHUNK if self.sample_size > 0 else -1

    def _check(self, function: str) -> None:
        """SourceError for options that do not go together."""
        names = [name.lower() for name in self.names]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise SourceError(f"names: {repeated!r} stands twice")
        if self.names and self.columns:
            raise SourceError(f"{function} takes names or columns, not both", hint="columns={'a': 'INTEGER', …}")
        columns = {name.lower(): dtype for name, dtype in self.columns}
        for one in self.types:
            if not isinstance(one, DType) and columns.get(one[0].lower(), one[1]) != one[1]:
                raise SourceError(f"types and columns give two types of {one[0]!r}", hint="columns alone")
        for name in self.force_not_null if self.names else ():
            if name.lower() not in names:
                raise SourceError(f"force_not_null: names has no {name!r}", hint=f"names are {', '.join(self.names)}")
        if not self.auto_detect and not self.columns:
            raise SourceError(f"{function} with auto_detect=false needs columns", hint="columns={'a': 'INTEGER', …}")
        if self.thousands and self.thousands == self.decimal_separator:
            raise SourceError(
                "thousands and decimal_separator are the same", hint="thousands='.', decimal_separator=','"
            )
        marks = {"delimiter": self.delimiter, "quote": self.quote, "comment": self.comment}
        given = [(name, mark) for name, mark in marks.items() if mark]
        for place, (name, mark) in enumerate(given):
            for other, same in given[place + 1 :]:
                if mark == same:
                    raise SourceError(f"{name} and {other} are both {mark!r}")
        for name, mark in given:
            if any(mark in null for null in self.nullstr):
                raise SourceError(f"nullstr has the {name} {mark!r} in it")
