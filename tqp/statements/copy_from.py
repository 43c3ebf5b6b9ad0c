"""COPY … FROM: the rows of a file below those of a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pyarrow as pa
import pyarrow.csv

from tqp.catalog.definitions import ColumnRule, Path
from tqp.errors import BindError, SourceError, TqpError
from tqp.io.buffers import owned_by_arrow
from tqp.io.packed import unpacked
from tqp.io.protocols import is_remote
from tqp.io.state import File
from tqp.keywords import identifier, text_constant
from tqp.relation import Relation
from tqp.sql.assign import Assignment
from tqp.sql.generated import stored
from tqp.statements.caller import Caller
from tqp.statements.copy_to import format_of
from tqp.statements.file_names import FileName
from tqp.statements.insert import append
from tqp.statements.options import Options
from tqp.statements.versions import table_named

__all__ = ["CopyFrom"]

_RECORDS: Final = ("auto", "true", "false")
_DELIMITERS: Final = (",", "|", ";", "\t")


@dataclass(frozen=True, slots=True)
class CopyFrom:
    path: Path
    columns: tuple[str, ...] | None
    file: FileName
    options: Options
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        named = self.file.of(caller)
        caller.access.require_files(named)
        _, entry = table_named(caller, self.path)
        target = Assignment(entry.name, entry.rules, self.columns)
        file = named if is_remote(named) else os.path.expanduser(named)
        kind = format_of(file, self.options)
        if kind == "json":
            wanted = None if self.columns is None else [name.lower() for name in self.columns]
            rules = [rule for rule in stored(entry.rules) if wanted is None or rule.name.lower() in wanted]
            if wanted is not None:
                rules.sort(key=lambda rule: wanted.index(rule.name.lower()))
            rows = caller.query(self._json(named, rules), target)
        elif kind in ("parquet", "arrow"):
            self.options.done(f"COPY … FROM {kind}")
            rows = caller.query(f"FROM read_{kind}({text_constant(named)})", target)
        elif kind == "blob":
            raise BindError("COPY … FROM takes no FORMAT blob", hint="INSERT INTO t SELECT content FROM read_blob('…')")
        else:
            names = [rule.name for rule in stored(entry.rules)] if self.columns is None else list(self.columns)
            rows = self._csv(caller, file, names, target)
        return caller.count(append(caller, self.path, entry, rows.result()))

    def _json(self, file: str, rules: Sequence[ColumnRule]) -> str:
        """The query of the members of objects that are called as the columns, in the types of these, or of whole values."""
        options = self.options
        is_array = options.flag("array", None)
        types = ", ".join(f"{identifier(rule.name)}: {text_constant(str(rule.dtype))}" for rule in rules)
        given = {
            "columns": f"{{{types}}}",
            "format": None if is_array is None else text_constant("array" if is_array else "unstructured"),
            "ignore_errors": text_constant(str(options.flag("ignore_errors", False))),
            **{name: _written(options.text(name)) for name in ("dateformat", "timestampformat", "compression")},
            "records": _written(options.word("records", "true", _RECORDS)),
        }
        # What says how types are found out changes nothing: the table has them.
        options.flag("auto_detect")
        options.number("sample_size")
        options.number("maximum_object_size")
        options.done("COPY … FROM json")
        told = ", ".join(f"{name} = {value}" for name, value in given.items() if value is not None)
        return f"FROM read_json({text_constant(file)}, {told})"

    def _csv(self, caller: Caller, file: str, names: list[str], target: Assignment) -> Relation:
        """The rows of a CSV file, read as texts, which become what the columns of the table are."""
        options = self.options
        quote = options.text("quote", '"') or False
        escape = options.text("escape", None)
        null, header, given = options.text("null", ""), options.flag("header", None), options.delimiter(None)
        skip, quoted = options.number("skip", least=0) or 0, bool(options.flag("allow_quoted_nulls", True))
        forced = self._forced(names)
        options.done("COPY … FROM csv")
        source = _fetched(file, caller) if is_remote(file) else None
        delimiter = _delimiter(file, source, len(names)) if given is None else given
        table = _texts(file, source, len(names), delimiter, quote, escape, null or "", quoted, skip)
        for place in forced:
            table = table.set_column(place, table.column_names[place], table.column(place).fill_null(""))
        if header is None:
            header = self._has_header(caller, table, names, target)
        if header:
            table = table.slice(1)
        return caller.query("FROM rows_of_the_file", target, {"rows_of_the_file": caller.rows(table)})

    def _forced(self, names: Sequence[str]) -> list[int]:
        """The places of the columns in which what is NULL elsewhere is the empty text."""
        given = self.options.names("force_not_null") or ()
        lower = [name.lower() for name in names]
        for name in given:
            if name.lower() not in lower:
                raise BindError(f"FORCE_NOT_NULL names {name}, which is no column of the file")
        return [lower.index(name.lower()) for name in given]

    def _has_header(self, caller: Caller, table: pa.Table, names: list[str], target: Assignment) -> bool:
        """Whether the first row has the names of the columns, or what is no value of their types."""
        if not table.num_rows:
            return False
        first = table.slice(0, 1)
        if [str(column[0].as_py()).lower() for column in first.columns] == [name.lower() for name in names]:
            return True
        try:
            caller.query("FROM rows_of_the_file", target, {"rows_of_the_file": caller.rows(first)}).result()
        except TqpError:
            return True
        return False


def _written(value: str | None) -> str | None:
    return None if value is None else text_constant(value)


def _fetched(file: str, caller: Caller) -> pa.Buffer:
    """A file behind a protocol, unpacked as the ending of its name says."""
    place = caller.access.systems.of(file)
    path = place.inner(file)
    try:
        found = File(file, path, place.state(path), place)
    except OSError as error:
        raise SourceError(f"cannot read {file!r}: {error.strerror}") from error
    with unpacked(found, "auto") as stream:
        return owned_by_arrow(stream.read())


def _delimiter(file: str, source: pa.Buffer | None, columns: int) -> str:
    """What divides the first line into as many parts as there are columns; a comma where nothing does."""
    if file.lower().endswith(".tsv"):
        return "\t"
    try:
        with pa.input_stream(source or file, compression="detect" if source is None else None) as stream:
            line = stream.read(2**16).split(b"\n")[0].decode(errors="replace")
    except OSError as error:
        raise SourceError(f"cannot read {file!r}: {error.strerror or error}") from error
    return next((mark for mark in _DELIMITERS if line.count(mark) == columns - 1 and columns > 1), ",")


def _texts(
    file: str,
    source: pa.Buffer | None,
    columns: int,
    delimiter: str,
    quote: Any,
    escape: str | None,
    null: str,
    quoted: bool,
    skip: int,
) -> pa.Table:
    """The values of a file, or of its content (`source`), as texts; NULL where they are `null`, in quotes too if `quoted`."""
    names = [f"c{place}" for place in range(columns)]
    try:
        return pa.csv.read_csv(
            file if source is None else pa.BufferReader(source),
            pa.csv.ReadOptions(column_names=names, skip_rows=skip),
            pa.csv.ParseOptions(
                delimiter=delimiter,
                quote_char=quote,
                double_quote=escape is None or escape == quote,
                escape_char=escape if escape is not None and escape != quote else False,
                newlines_in_values=True,
                ignore_empty_lines=columns > 1,
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[null],
                strings_can_be_null=True,
                quoted_strings_can_be_null=quoted,
            ),
        )
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SourceError(f"cannot read {file!r} as CSV of {columns} columns: {error}") from error
