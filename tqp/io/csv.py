"""CSV files, read as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv

from tqp.errors import SourceError
from tqp.io.state import File

__all__ = ["CsvOptions", "csv_table"]

_FAILURES = (pa.ArrowException, OSError, ValueError, TypeError, KeyError)


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How CSV files are written; hashable, as files that are read in two ways are two tables."""

    delimiter: str | None
    header: bool
    names: tuple[str, ...] | None
    types: tuple[tuple[str, pa.DataType], ...]
    quote: str
    nulls: tuple[str, ...]

    @staticmethod
    def of(
        delimiter: str | None = None,
        header: bool = True,
        names: Sequence[str] | None = None,
        types: Mapping[str, pa.DataType] | None = None,
        quote: str = '"',
        null: str | Sequence[str] = "",
        **unknown: Any,
    ) -> CsvOptions:
        """Checked options; SourceError for what is none.

        `delimiter` is a comma, or a tab for .tsv; without `header` columns are `names` or column0, column1, …; `types`
        gives Arrow types instead of guessing them from the values; `null` strings are NULL.
        """
        if unknown:
            known = "delimiter, header, names, types, quote and null"
            raise SourceError(f"there is no CSV option {next(iter(unknown))!r}", hint=f"options are {known}")
        for option, mark in (("delimiter", delimiter), ("quote", quote)):
            if not (mark is None and option == "delimiter" or isinstance(mark, str) and len(mark.encode()) == 1):
                raise SourceError(f"{option}={mark!r} is not one character of ASCII")
        if not isinstance(header, bool):
            raise SourceError(f"header={header!r} is neither True nor False")
        if types is not None and not (
            isinstance(types, Mapping) and all(isinstance(kind, pa.DataType) for kind in types.values())
        ):
            raise SourceError(f"types={types!r} is no mapping of columns to Arrow types", hint="{'a': pa.int32()}")
        nulls = (null,) if isinstance(null, str) else _strings("null", null)
        listed = None if names is None else _strings("names", names)
        return CsvOptions(delimiter, header, listed, tuple(sorted((types or {}).items(), key=str)), quote, nulls)


def _strings(option: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not all(isinstance(v, str) for v in values):
        raise SourceError(f"{option}={values!r} is no list of strings")
    return tuple(values)


def csv_table(files: Sequence[File], options: CsvOptions) -> pa.Table:
    """The rows of CSV files of the same columns."""
    tables = [_read(file, options) for file in files]
    try:
        return pa.concat_tables(tables) if len(tables) > 1 else tables[0]
    except pa.ArrowException as error:
        shown = files[0].shown
        raise SourceError(f"{shown!r} and other files differ in their columns: {error}", hint="give `types`") from error


def _read(file: File, options: CsvOptions) -> pa.Table:
    tabs = file.shown.lower().endswith((".tsv", ".tsv.gz"))
    read: dict[str, Any] = {}
    if options.names is not None:
        read = {"column_names": list(options.names), "skip_rows": 1 if options.header else 0}
    elif not options.header:
        read = {"autogenerate_column_names": True}
    try:
        table = pa.csv.read_csv(
            file.path,
            pa.csv.ReadOptions(**read),
            pa.csv.ParseOptions(
                delimiter=options.delimiter or ("\t" if tabs else ","),
                quote_char=options.quote,
                newlines_in_values=True,
            ),
            pa.csv.ConvertOptions(
                column_types=dict(options.types),
                null_values=list(options.nulls),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        names = table.column_names
    except _FAILURES as error:
        raise SourceError(f"cannot read {file.shown!r} as CSV: {error}") from error
    if options.names is None:
        table = table.rename_columns(
            [name if name and options.header else f"column{place}" for place, name in enumerate(names)]
        )
    return table
