"""JSON files as a table: values are read when the table is opened, and become columns when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from tqp.data.column import Column
from tqp.errors import ExecutionError, SourceError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_reading import read_values
from tqp.functions.json_text import MISSING, Members, Missing, Value, kind, parsed, parsed_one, written
from tqp.functions.strptime import by_format
from tqp.io.file_schemas import path_column, types_of_paths, with_path_columns
from tqp.io.hive import hidden_columns, path_columns
from tqp.io.json.kinds import ZONED, distinct_names, type_of_values
from tqp.io.json.options import JsonOptions
from tqp.io.packed import text_of
from tqp.io.state import File, require_same
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
    """The values of one file and the lines that they begin on.

    `sample`: those that say what the columns are; None where the file is not asked.
    """

    file: File
    values: Sequence[Value]
    lines: Sequence[int]
    sample: Sequence[Value] | None


class JsonReader:
    """JSON files, one after the other, of the columns that the values of all have together."""

    def __init__(self, files: tuple[File, ...], options: JsonOptions) -> None:
        self._options = options
        most = options.maximum_sample_files
        self._files = [_read(file, options, most < 0 or place < most) for place, file in enumerate(files)]
        if len(options.columns) == 1 and options.records is None:
            # Files of other values are no error then, each by itself.
            self._has_rows = [_has_rows([one], options) for one in self._files]
        else:
            self._has_rows = [_has_rows(self._files, options)] * len(files)
        self._own = _names_and_types(self._files, any(self._has_rows), options)
        for one, has_rows in zip(self._files, self._has_rows, strict=True):
            if has_rows and not options.ignore_errors:
                _require_objects(one)
        shown = [file.shown for file in files]
        self._paths = path_columns(shown, options.files)
        types = {name: dtype for name, (_, dtype) in self._own.items()}
        self.schema = tuple(with_path_columns(types, self._paths, options.files).items())
        hidden = hidden_columns(shown, options.files, dict(self.schema))
        self._paths |= hidden
        self.hidden = types_of_paths(hidden)
        self.unsupported: Mapping[str, str] = {}
        self.rows = sum(len(one.values) for one in self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of the files, which their values take about."""
        return sum(one.file.state.size for one in self._files)

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        if name in self._paths:
            values = self._paths[name]
            rows = (len(one.values) for one in self._files)
            return path_column(name, values[0].type, zip(values, rows, strict=True))
        own, dtype = self._own[name]
        members: list[Value | Missing] = []
        for one, has_rows in zip(self._files, self._has_rows, strict=True):
            if has_rows:
                members += [value.get(own) if isinstance(value, Members) else MISSING for value in one.values]
            else:
                members += one.values
        pattern = {DATE: self._options.dateformat, TIMESTAMP: self._options.timestampformat}.get(dtype)
        found, failures = read_values(members, VARCHAR if pattern else dtype, cast)
        if pattern:
            read = cast(by_format(found, pattern), dtype, True)
            if read.valid is not None:
                lost = ~read.valid if found.valid is None else found.valid & ~read.valid
                places = [place for place, is_lost in enumerate(lost.tolist()) if is_lost]  # host: on the CPU
                failures |= {place: f"{members[place]!r} is not in the format {pattern!r}" for place in places}
            found = read
        if dtype == TIMESTAMPTZ:
            texts = ((place, value) for place, value in enumerate(members) if isinstance(value, str))
            failures |= {place: f"{value!r} has no offset" for place, value in texts if not ZONED.fullmatch(value)}
        if failures and not self._options.ignore_errors:
            place = min(failures)
            raise SourceError(f"{self._where(place)}, column {name!r}: {failures[place]}", hint=_HINT)
        return found

    def _where(self, place: int) -> str:
        """The file and line of a row."""
        for one in self._files:
            if place < len(one.values):
                return f"{one.file.shown!r}, line {one.lines[place]}"
            place -= len(one.values)
        raise IndexError(place)


def _read(file: File, options: JsonOptions, is_asked: bool) -> _Values:
    require_same(file)
    text = text_of(file, "JSON", options.compression)
    values, lines = _values(text, options, file.shown)
    require_same(file)
    sample = values if options.sample_size < 0 else values[: options.sample_size]
    return _Values(file, values, lines, sample if is_asked else None)


def _has_rows(files: Sequence[_Values], options: JsonOptions) -> bool:
    """Whether the members of the values are the columns. SourceError where they are to be, and a file has others, or none."""
    samples = [value for one in files for value in one.sample or () if value is not None]
    if options.records and not options.columns:
        for one in files:
            if one.sample is None:
                continue
            objects = [isinstance(value, Members) for value in one.sample if value is not None]
            if not objects or not all(objects):
                what = "values that are no objects" if objects else "no objects"
                raise SourceError(f"{one.file.shown!r} has {what}", hint="records='auto' or records=false")
    if options.records is not None or len(options.columns) > 1:
        return options.records is not False
    objects_all = [value for value in samples if isinstance(value, Members)]
    is_any = len(objects_all) == len(samples) and any(one.pairs for one in objects_all)
    return is_any and options.maximum_depth != 0


def _names_and_types(files: Sequence[_Values], has_rows: bool, options: JsonOptions) -> dict[str, tuple[str, DType]]:
    """The columns by name: what they are called in the files, and their types."""
    if options.columns:
        return {name: (name, dtype) for name, dtype in options.columns}
    sample = [value for one in files for value in one.sample or ()]
    if not has_rows:
        kind = type_of_values(sample, options, options.maximum_depth) if sample else JSON
        return {_WHOLE: (_WHOLE, kind)}
    found = _columns([value for value in sample if isinstance(value, Members)], options)
    names = {own for _, own, _ in found}
    of_several = sum(one.sample is not None for one in files) > 1
    for place, one in enumerate(files):
        # As DuckDB has it: members that are not known are left out where files were asked together, and of files after the first.
        _require_known(one, None if of_several or place else names, options)
    return {name: (own, dtype) for name, own, dtype in found}


def _require_objects(found: _Values) -> None:
    """SourceError for a value that is no object, where objects are rows."""
    for value, line in zip(found.values, found.lines, strict=True):
        if value is not None and not isinstance(value, Members):
            what = f"expected OBJECT, but found {kind(value)}: {written(value)}"
            raise SourceError(
                f"{found.file.shown!r}, line {line}: {what}", hint="records=false reads values of any kind"
            )


def _columns(objects: Sequence[Members], options: JsonOptions) -> tuple[tuple[str, str, DType], ...]:
    members: dict[str, list[Value]] = {}
    for one in objects:
        for name, value in one.pairs:
            members.setdefault(name, []).append(value)
    depth = options.maximum_depth - 1 if options.maximum_depth > 0 else options.maximum_depth
    kinds = [type_of_values(some, options, depth) for some in members.values()]
    return tuple(zip(distinct_names(members), members, kinds, strict=True))


def _require_known(found: _Values, names: set[str] | None, options: JsonOptions) -> None:
    """SourceError for a member that is none of `names`, where these are all, or that a value has twice."""
    if options.ignore_errors:
        return
    file = found.file
    for value, line in zip(found.values, found.lines, strict=True):
        if isinstance(value, Members):
            own = [name for name, _ in value.pairs]
            if len(set(own)) < len(own):
                raise SourceError(
                    f"{file.shown!r}, line {line}: an object has a key twice", hint="columns={'a': 'JSON'}"
                )
            if names is not None and not names.issuperset(own):
                unknown = next(name for name in own if name not in names)
                raise SourceError(f"{file.shown!r}, line {line}: no object before has a key {unknown!r}", hint=_HINT)


def _values(text: str, options: JsonOptions, shown: str) -> tuple[list[Value], list[int]]:
    """The values of a text, and the lines that they begin on. SourceError for what is no JSON, or not in the format."""
    begins_list = text.lstrip()[:1] == "["
    on_lines = options.format == "auto" and options.ignore_errors and not begins_list and _is_value(text)
    if options.format == "array" and not begins_list and text.strip():
        raise SourceError(f"{shown!r} is no JSON array", hint="format='newline_delimited' or 'auto'")
    if options.format == "newline_delimited" or on_lines:
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
                return _on_lines(text, replace(options, ignore_errors=False), shown)
            hint = "format='newline_delimited', ignore_errors=true gives NULL for lines that are no JSON"
            raise SourceError(f"{shown!r}, line {line}: {error.message}", hint=hint) from None
        values.append(value)
        lines.append(line)
        line += text.count("\n", start, end)
        place = end
    if begins_list and options.format in ("auto", "array") and len(values) == 1 and isinstance(values[0], list):
        return values[0], [lines[0]] * len(values[0])
    return values, lines


def _is_value(text: str) -> bool:
    """Whether the first line that is not blank is a value, as then all lines are taken for values."""
    try:
        parsed(text.lstrip().split("\n", 1)[0])
    except ExecutionError:
        return False
    return True


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
