"""What `sniff_csv` tells of a CSV file: its dialect and columns, and the call of `read_csv` that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.csv.file import CsvFile
from tqp.io.csv.options import CSV, CsvOptions
from tqp.io.options import COMMON, FileOptions, TypeOf
from tqp.io.state import File
from tqp.keywords import text_constant
from tqp.types import Kind

__all__ = ["SniffOptions", "told"]

_NOTHING: Final = "(empty)"
_TEXT, _FLAG = pa.string(), pa.bool_()
_COLUMNS: Final = {
    **dict.fromkeys(("Delimiter", "Quote", "Escape", "NewLineDelimiter", "Comment"), _TEXT),
    "SkipRows": pa.uint64(),
    "HasHeader": _FLAG,
    "Columns": pa.list_(pa.struct([("name", _TEXT), ("type", _TEXT)])),
    **dict.fromkeys(("DateFormat", "TimestampFormat", "UserArguments", "Prompt"), _TEXT),
}
_NOT_REPEATED: Final = {
    *COMMON, "names", "column_names", "columns", "types", "dtypes", "column_types", "dtype",
}  # fmt: skip
"""Options of which what is told has the effect."""
_SHOWN_AS: Final = {
    "delim": "delim", "delimiter": "delim", "sep": "delim", "separator": "delim", "quote": "quote", "escape": "escape",
    "new_line": "new_line", "skip": "skip", "comment": "comment", "header": "header", "dateformat": "dateformat",
    "date_format": "dateformat", "timestampformat": "timestampformat", "timestamp_format": "timestampformat",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SniffOptions:
    """How the file is read that is looked at, and the options as they were written, in the order of their names."""

    csv: CsvOptions
    written: tuple[tuple[str, str], ...]

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> SniffOptions:
        """Checked options; raises as those of `read_csv`."""
        if given.get("auto_detect") is False:
            raise SourceError(f"{function} finds out what the file is, which auto_detect=false rules out")
        written = sorted((name.lower(), _constant(value)) for name, value in given.items())
        return SniffOptions(CsvOptions.of(function, given, type_of), tuple(written))

    @property
    def files(self) -> FileOptions:
        return self.csv.files

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return CSV


def told(files: tuple[File, ...], options: SniffOptions) -> pa.Table:
    """The one row. SourceError for a file that cannot be read, and for several."""
    if len(files) != 1:
        raise SourceError("sniff_csv takes one file", hint="sniff_csv('a.csv')")
    found = CsvFile(files[0], replace(options.csv, columns=())).sniffed
    columns = [(name, kind.dtype) for name, kind in zip(found.names, found.types, strict=True)]
    if options.csv.columns and options.csv.columns != tuple(columns):
        wanted = ", ".join(f"{name} {dtype}" for name, dtype in columns)
        raise SourceError(f"columns are not those of {files[0].shown!r}: it has {wanted}")
    given = dict(options.written)
    dialect = found.dialect
    dates, times = (
        next((kind.format or iso for kind in found.types if kind.dtype.kind is wanted), None)
        for wanted, iso in ((Kind.DATE, "%Y-%m-%d"), (Kind.TIMESTAMP, None))
    )
    marks = {
        "delim": dialect.delimiter,
        "quote": dialect.quote if found.was_quoted or "quote" in given else '"' if options.csv.escape else "",
        "escape": options.csv.escape or (dialect.escape if found.was_escaped else ""),
        "new_line": found.line_end,
        "skip": found.skipped,
        "comment": dialect.comment,
        "header": found.has_header,
    }
    types = {name: str(dtype) for name, dtype in columns}
    repeated = {name: value for name, value in given.items() if name not in _NOT_REPEATED}
    says = {_SHOWN_AS.get(name) for name in repeated}
    parts = {name: _constant(value) for name, value in marks.items()}
    parts["columns"] = "{" + ", ".join(f"'{name}': '{dtype}'" for name, dtype in types.items()) + "}"
    parts |= {name: _constant(form) for name, form in (("dateformat", dates), ("timestampformat", times)) if form}
    call = [f"{name}={value}" for name, value in parts.items() if name not in says]
    arguments = [f"{name}={value}" for name, value in repeated.items()]
    row = (
        *(str(marks[name]) or _NOTHING for name in ("delim", "quote", "escape", "new_line", "comment")),
        found.skipped,
        found.has_header,
        [{"name": name, "type": dtype} for name, dtype in types.items()],
        dates,
        times,
        ", ".join(arguments) or None,
        f"FROM read_csv('{files[0].shown}', {', '.join(['auto_detect=false', *call, *arguments])});",
    )
    return pa.table({name: pa.array([value], kind) for (name, kind), value in zip(_COLUMNS.items(), row, strict=True)})


def _constant(value: Any) -> str:
    """A value as the call has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return text_constant(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_constant, value))}]"
    return str(value)
