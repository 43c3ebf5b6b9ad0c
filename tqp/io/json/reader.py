"""JSON files as a table: values are read when the table is opened, and become columns when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from tqp.data.column import Column
from tqp.errors import ExecutionError, SourceError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_reading import read_values
from tqp.functions.json_text import MISSING, Members, Missing, Value, parsed, parsed_one
from tqp.functions.promotion import forced_type
from tqp.functions.strptime import by_format
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import dtype_from_arrow
from tqp.io.hive import path_columns
from tqp.io.json.kinds import ZONED, distinct_names, type_of_values
from tqp.io.json.options import JsonOptions
from tqp.io.packed import text_of
from tqp.io.state import File, require_same
from tqp.io.united import FileSchema, UnitedColumn, one_below_the_other, united
from tqp.types import DATE, JSON, TIMESTAMP, TIMESTAMPTZ, VARCHAR, DType

__all__ = ["JsonReader"]

_BLANKS: Final = re.compile(r"\s*")
_WHOLE: Final = "json"
"""What the column of values that are no rows is called."""
_HINT: Final = (
    "sample_size=-1 looks at all values for their types, columns={'a': 'JSON'} says them, ignore_errors=true gives NULL"
)


@dataclass(frozen=True, slots=True)
class _Values:
    """The values of one file and the lines that they begin on; `columns` are names, what they are called there, and types."""

    file: File
    values: Sequence[Value]
    lines: Sequence[int]
    columns: tuple[tuple[str, str, DType], ...]
    has_rows: bool


class JsonReader:
    """JSON files, one after the other, of the columns that their values have together."""

    def __init__(self, files: tuple[File, ...], options: JsonOptions) -> None:
        self._options = options
        self._files = [_read(file, options) for file in files]
        schemas = [
            FileSchema(one.file.shown, tuple((name, dtype) for name, _, dtype in one.columns)) for one in self._files
        ]
        found = united(schemas, True, _together)
        self._united = {column.name: column for column in found}
        self._paths = path_columns([file.shown for file in files], options.files)
        schema: dict[str, DType] = {name: column.dtype for name, column in self._united.items()}
        for name, values in self._paths.items():
            if name == options.files.filename and name.lower() in map(str.lower, schema):
                raise SourceError(f"the files have a column {name!r} of their own", hint=f"filename='{name}_of_file'")
            schema[name] = dtype_from_arrow(values[0].type) or VARCHAR
        self.schema = tuple(schema.items())
        self.unsupported: Mapping[str, str] = {}
        self.rows = sum(len(one.values) for one in self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of the files, which their values take about."""
        return sum(one.file.state.size for one in self._files)

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        if name in self._paths:
            parts = [
                pa.repeat(value, len(one.values)) for value, one in zip(self._paths[name], self._files, strict=True)
            ]
            return column_from_arrow(pa.chunked_array(parts), name)
        column = self._united[name]
        pieces = [(one.file.shown, self._piece(column, one), len(one.values)) for one in self._files]
        return one_below_the_other(column, pieces)

    def _piece(self, column: UnitedColumn, one: _Values) -> Column | None:
        own = next((own for name, own, _ in one.columns if name.lower() == column.name.lower()), None)
        if own is None:
            return None
        members: Sequence[Value | Missing] = one.values
        if one.has_rows:
            members = [value.get(own) if isinstance(value, Members) else MISSING for value in one.values]
        pattern = {DATE: self._options.dateformat, TIMESTAMP: self._options.timestampformat}.get(column.dtype)
        found, failures = read_values(members, VARCHAR if pattern else column.dtype, cast)
        if pattern:
            read = cast(by_format(found, pattern), column.dtype, True)
            if read.valid is not None:
                lost = ~read.valid if found.valid is None else found.valid & ~read.valid
                places = [place for place, is_lost in enumerate(lost.tolist()) if is_lost]  # host: on the CPU
                failures |= {place: f"{members[place]!r} is not in the format {pattern!r}" for place in places}
            found = read
        if column.dtype == TIMESTAMPTZ:
            texts = ((place, value) for place, value in enumerate(members) if isinstance(value, str))
            failures |= {place: f"{value!r} has no offset" for place, value in texts if not ZONED.fullmatch(value)}
        if failures and not self._options.ignore_errors:
            place = min(failures)
            raise SourceError(
                f"{one.file.shown!r}, line {one.lines[place]}, column {column.name!r}: {failures[place]}", hint=_HINT
            )
        return found


def _together(kinds: Sequence[DType]) -> DType:
    """The type of what several files have under one name."""
    return kinds[0] if len(set(kinds)) == 1 else forced_type(*kinds)


def _read(file: File, options: JsonOptions) -> _Values:
    require_same(file)
    text = text_of(file, "JSON", options.compression)
    values, lines = _values(text, options, file.shown)
    require_same(file)
    sample = values if options.sample_size < 0 else values[: options.sample_size]
    objects = [value for value in sample if isinstance(value, Members)]
    has_rows = options.records
    if has_rows is None:
        is_any = bool(objects) and all(isinstance(value, Members) or value is None for value in sample)
        has_rows = bool(options.columns) or is_any and options.maximum_depth != 0 and any(one.pairs for one in objects)
    if has_rows and not options.columns and len(objects) < len([one for one in sample if one is not None]):
        raise SourceError(f"{file.shown!r} has values that are no objects", hint="records='auto' or records=false")
    if options.columns:
        columns = tuple((name, name, dtype) for name, dtype in options.columns)
    elif has_rows:
        columns = _columns(objects, options)
    else:
        kind = type_of_values(sample, options, options.maximum_depth) if sample else JSON
        columns = ((_WHOLE, _WHOLE, kind),)
    if not options.columns and has_rows:
        _require_known(file, values, lines, {own for _, own, _ in columns}, options)
    return _Values(file, values, lines, columns, has_rows)


def _columns(objects: Sequence[Members], options: JsonOptions) -> tuple[tuple[str, str, DType], ...]:
    members: dict[str, list[Value]] = {}
    for one in objects:
        for name, value in one.pairs:
            members.setdefault(name, []).append(value)
    depth = options.maximum_depth - 1 if options.maximum_depth > 0 else options.maximum_depth
    kinds = [type_of_values(some, options, depth) for some in members.values()]
    return tuple(zip(distinct_names(members), members, kinds, strict=True))


def _require_known(
    file: File, values: Sequence[Value], lines: Sequence[int], names: set[str], options: JsonOptions
) -> None:
    """SourceError for a member that no value of the sample had, or that a value has twice."""
    if options.ignore_errors:
        return
    for value, line in zip(values, lines, strict=True):
        if isinstance(value, Members):
            own = [name for name, _ in value.pairs]
            if len(set(own)) < len(own):
                raise SourceError(
                    f"{file.shown!r}, line {line}: an object has a key twice", hint="columns={'a': 'JSON'}"
                )
            if not names.issuperset(own):
                unknown = next(name for name in own if name not in names)
                raise SourceError(f"{file.shown!r}, line {line}: no object before has a key {unknown!r}", hint=_HINT)


def _values(text: str, options: JsonOptions, shown: str) -> tuple[list[Value], list[int]]:
    """The values of a text, and the lines that they begin on. SourceError for what is no JSON, or not in the format."""
    begins_list = text.lstrip()[:1] == "["
    if options.format == "array" and not begins_list and text.strip():
        raise SourceError(f"{shown!r} is no JSON array", hint="format='newline_delimited' or 'auto'")
    if options.format == "newline_delimited" or options.format == "auto" and options.ignore_errors and not begins_list:
        return _on_lines(text, options, shown)
    values: list[Value] = []
    lines: list[int] = []
    place, line = 0, 1
    while (start := _blanks_end(text, place)) < len(text):
        line += text.count("\n", place, start)
        try:
            value, end = parsed_one(text, start)
        except ExecutionError as error:
            # A comma behind the last member is taken where a line is a value.
            with suppress(SourceError):
                return _on_lines(text, options, shown)
            raise SourceError(f"{shown!r}, line {line}: {error.message}", hint="ignore_errors=true") from None
        values.append(value)
        lines.append(line)
        line += text.count("\n", start, end)
        place = end
    if begins_list and options.format in ("auto", "array") and len(values) == 1 and isinstance(values[0], list):
        return values[0], [lines[0]] * len(values[0])
    return values, lines


def _blanks_end(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return place if found is None else found.end()


def _on_lines(text: str, options: JsonOptions, shown: str) -> tuple[list[Value], list[int]]:
    values: list[Value] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(parsed(line))
        except ExecutionError as error:
            if not options.ignore_errors:
                hint = "format='auto' reads values that go over several lines, ignore_errors=true gives NULL"
                raise SourceError(f"{shown!r}, line {number}: {error.message}", hint=hint) from None
            values.append(None)
        lines.append(number)
    return values, lines
