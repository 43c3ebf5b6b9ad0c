"""JSON files as a table: what it is, known by how they begin, and its columns when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.data.reading import Excerpt, GroupZones
from tqp.data.stored import Gap
from tqp.errors import SourceError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_reading import Cast, read_values
from tqp.functions.json_text import MISSING, Members, Missing, Value, kind, written
from tqp.functions.strptime import by_format
from tqp.io.file_schemas import path_column, types_of_paths, with_path_columns
from tqp.io.hive import hidden_columns, path_columns
from tqp.io.json.file import JsonFile, Values
from tqp.io.json.kinds import ISO, ZONED, Formats, KeysAlike, map_of_members, members_of, type_of_values
from tqp.io.json.objects import ARROW_TYPES, JsonColumn, column_of, found_columns
from tqp.io.json.options import JsonOptions
from tqp.io.names import distinct_names
from tqp.io.state import File
from tqp.types import DATE, JSON, NULL, TIMESTAMP, TIMESTAMPTZ, DType

__all__ = ["JsonReader"]

_WHOLE: Final = "json"
"""What the column of values that are no rows is called."""
_ISO_DAY: Final = "^(?:[0-9]{4}-[0-9]{2}-[0-9]{2})?$"
"""Also the text that stands for NULL."""
_NO_VALUES: Final = Values((), ())
_HINT: Final = (
    "sample_size=-1 looks at all values for their types, columns={'a': 'JSON'} says them, ignore_errors=true gives NULL"
)


class JsonReader:
    """JSON files, one after the other, of the columns that the values of all have together.

    What they are is known by their beginnings. The values of those are a group of rows that is read alone.
    """

    def __init__(self, files: tuple[File, ...], options: JsonOptions) -> None:
        self._options = options
        most = options.maximum_sample_files
        self._files = [JsonFile(file, options) for file in files]
        self._asked = self._files if most < 0 else self._files[:most]
        self._gaps: dict[str, str] = {}
        members = [one.members for one in self._asked]
        found = None if None in members else found_columns([one for one in members if one is not None], options)
        if found is None:
            self._find_by_values()
        else:
            self._has_rows = [True] * len(files)
            self._own = dict(zip(distinct_names([one.key for one in found]), found, strict=True))
        self._is_by_values = not any(one.is_large for one in self._files)
        """Whether values are read one by one, as Arrow does not read them, or they are few."""
        shown = [file.shown for file in files]
        self._paths = path_columns(shown, options.files)
        types = {name: one.dtype for name, one in self._own.items()}
        self.schema = tuple(with_path_columns(types, self._paths, options.files).items())
        hidden = hidden_columns(shown, options.files, dict(self.schema))
        self._paths |= hidden
        self.hidden = types_of_paths(hidden)
        self.unsupported: Mapping[str, str] = self._gaps
        if found is None:
            for place, one in enumerate(self._files):
                self._require(place, one.beginning)

    def _find_by_values(self) -> None:
        options = self._options
        if len(options.columns) == 1 and options.records is None:
            # Files of other values are no error then, each by itself.
            self._has_rows = [_has_rows([one] if one in self._asked else [], options) for one in self._files]
        else:
            self._has_rows = [_has_rows(self._asked, options)] * len(self._files)
        sample = [value for one in self._asked for value in one.sample]
        objects = [value for value in sample if isinstance(value, Members)]
        formats: Formats = {}
        row = _map_of_rows(objects, options, formats) if any(self._has_rows) and not options.columns else None
        if row is not None:
            if options.records:
                shown = self._files[0].file.shown
                raise SourceError(f"{shown!r} has objects that are a {row}", hint="records='auto' or records=false")
            self._has_rows = [False] * len(self._files)
            self._own = {_WHOLE: JsonColumn(_WHOLE, row, formats)}
            return
        self._own = _columns(sample, any(self._has_rows), options, self._gaps)

    @property
    def rows(self) -> int:
        """The values of all files, which are read for it."""
        return sum(self._counts())

    @property
    def guessed_rows(self) -> int | None:
        """About how many values there are, by the beginnings of files that are not read; None where all are."""
        if not any(one.is_begun for one in self._files):
            return None
        return sum(one.guessed_rows for one in self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of the files, which their values take about."""
        return sum(one.file.state.size for one in self._files if not one.is_begun)

    @property
    def groups(self) -> Sequence[int]:
        """The rows of files that were read, and of the beginning of the first one that was not; none of what follows it."""
        tables = self._tables(True)
        return [one.num_rows for one in tables] if tables is not None else [len(one.beginning) for one in self._begun()]

    def zones(self, name: str) -> GroupZones | None:
        """Nothing is known of a column before it is read."""
        return None

    def excerpt(self, wanted: Excerpt) -> JsonExcerpt:
        """The reader of values at the beginning of the files."""
        rows, left = [0] * len(self._files), wanted.rows
        for place, count in enumerate(self.groups):
            if place in wanted.groups:
                rows[place] = min(count, left)
                left -= rows[place]
        return JsonExcerpt(self, rows)

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        if name in self._paths:
            return self._of_paths(name, self._counts())
        tables = self._tables(False)
        found = None if tables is None else self._of_tables(name, tables)
        return self._of_values(name, self._values()) if found is None else found

    def first(self, name: str, rows: Sequence[int]) -> Column:
        """A column of the first values of each file, which its beginning has."""
        if name in self._paths:
            return self._of_paths(name, rows)
        tables = self._tables(True)
        some = None if tables is None else [one.slice(0, count) for one, count in zip(tables, rows, strict=False)]
        found = None if some is None else self._of_tables(name, some)
        if found is not None:
            return found
        return self._of_values(
            name, [one.beginning.first(n) if n else _NO_VALUES for one, n in zip(self._files, rows, strict=True)]
        )

    def _begun(self) -> list[JsonFile]:
        """The files that were read, and the first one of which only the beginning was."""
        end = next((place for place, one in enumerate(self._files) if one.is_begun), len(self._files) - 1)
        return self._files[: end + 1]

    def _tables(self, beginning: bool) -> list[pa.Table] | None:
        """The members of the objects of files as tables, or of their beginnings; None where values are read one by one."""
        dtypes = {one.key: one.dtype for one in self._own.values()}
        is_plain = all(dtype in ARROW_TYPES for dtype in dtypes.values())
        if self._is_by_values or not is_plain or not all(self._has_rows):
            return None
        schema = {own: ARROW_TYPES[dtype] for own, dtype in dtypes.items()}
        tables = []
        for place, one in enumerate(self._begun() if beginning else self._files):
            table = one.table(schema, self._is_strict(place), beginning)
            if table is None:
                self._is_by_values = True
                return None
            tables.append(table)
        return tables

    def _is_strict(self, place: int) -> bool:
        """Whether a member that is not known is an error; as in DuckDB it is none where files were asked together."""
        return not (self._options.columns or self._options.ignore_errors or len(self._asked) > 1 or place)

    def _counts(self) -> list[int]:
        """How many values each file has."""
        tables = self._tables(False)
        return [one.num_rows for one in tables] if tables is not None else [len(one) for one in self._values()]

    def _of_paths(self, name: str, rows: Sequence[int]) -> Column:
        """A column of what the paths of the files say, of so many values of each."""
        return path_column(name, self._paths[name], list(enumerate(rows)))

    def _of_tables(self, name: str, tables: Sequence[pa.Table]) -> Column | None:
        own = self._own[name]
        chunks = [chunk for table in tables for chunk in table.column(own.key).chunks]
        found = pa.chunked_array(chunks, ARROW_TYPES[own.dtype])
        return column_of(found, own.dtype, self._casts(own).get((), self._cast))

    def _values(self) -> list[Values]:
        return [one.values(partial(self._require, place)) for place, one in enumerate(self._files)]

    def _require(self, place: int, found: Values) -> None:
        """SourceError for values that are not what rows are to be."""
        file, options = self._files[place].file, self._options
        if any(self._has_rows) and not options.ignore_errors:
            own = {one.key for one in self._own.values()}
            if options.columns:
                _require_once(file, found, own)
            else:
                _require_known(file, found, own if self._is_strict(place) else None)
        if self._has_rows[place] and not options.ignore_errors:
            _require_objects(file, found)

    def _of_values(self, name: str, values: Sequence[Values]) -> Column:
        own, dtype = self._own[name], self._own[name].dtype
        members: list[Value | Missing] = []
        for one, has_rows in zip(values, self._has_rows, strict=True):
            if has_rows:
                members += [value.get(own.key) if isinstance(value, Members) else MISSING for value in one.values]
            else:
                members += one.values
        found, failures = read_values(members, dtype, self._cast, self._casts(own))
        if dtype == TIMESTAMPTZ:
            texts = ((place, value) for place, value in enumerate(members) if isinstance(value, str))
            failures |= {place: f"{value!r} has no offset" for place, value in texts if not ZONED.fullmatch(value)}
        if dtype.has_children and not self._options.ignore_errors:
            twice = (place for place, value in enumerate(members) if _has_key_twice(value))
            failures |= {place: "an object in it has a key twice" for place in twice}
        if failures and not self._options.ignore_errors:
            place = min(failures)
            raise SourceError(f"{self._where(place, values)}, column {name!r}: {failures[place]}", hint=_HINT)
        return found

    def _cast(self, written: Column, dtype: DType, lenient: bool) -> Column:
        """What casts texts: dates and times are in the formats that the options say."""
        pattern = {DATE: self._options.dateformat, TIMESTAMP: self._options.timestampformat}.get(dtype)
        return cast(written, dtype, lenient) if pattern is None else _in_format(pattern, written, dtype, lenient)

    def _casts(self, own: JsonColumn) -> dict[tuple[str, ...], Cast]:
        """What casts those texts of a column that are in formats which were found out."""
        return {path: partial(_in_format, pattern) for path, pattern in own.formats.items()}

    def _where(self, place: int, values: Sequence[Values]) -> str:
        """The file and line of a row."""
        for one, some in zip(self._files, values, strict=True):
            if place < len(some.values):
                return f"{one.file.shown!r}, line {some.lines[place]}"
            place -= len(some.values)
        raise IndexError(place)


class JsonExcerpt:
    """Values at the beginning of JSON files: so many of each."""

    def __init__(self, reader: JsonReader, rows: Sequence[int]) -> None:
        self._reader = reader
        self._of_files = rows
        self.rows = sum(rows)
        self.schema = reader.schema
        self.hidden = reader.hidden
        self.unsupported = reader.unsupported

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        return self._reader.first(name, self._of_files)


def _has_rows(files: Sequence[JsonFile], options: JsonOptions) -> bool:
    """Whether the members of the values are the columns. SourceError where they are to be, and a file has others, or none."""
    samples = [value for one in files for value in one.sample if value is not None]
    if options.records and not options.columns:
        for one in files:
            records = [_is_record(value) for value in one.sample if value is not None]
            if not records or not all(records):
                what = "values that are no objects, or have a key without a name" if records else "no objects"
                raise SourceError(f"{one.file.shown!r} has {what}", hint="records='auto' or records=false")
    if options.records is not None or len(options.columns) > 1:
        return options.records is not False
    has_members = any(isinstance(value, Members) and value.pairs for value in samples)
    return has_members and all(map(_is_record, samples)) and options.maximum_depth != 0


def _is_record(value: Value) -> bool:
    """Whether its members may be columns, which have names."""
    return isinstance(value, Members) and all(name for name, _ in value.pairs)


def _in_format(pattern: str, written: Column, dtype: DType, lenient: bool) -> Column:
    assert written.dictionary is not None
    # A cast would take what stands behind a day, too; where nothing does, it reads all texts at once.
    is_iso = pattern == ISO and pc.all(pc.match_substring_regex(written.dictionary.values, _ISO_DAY)).as_py()
    return cast(written if is_iso else by_format(written, pattern), dtype, lenient)


def _map_of_rows(objects: Sequence[Members], options: JsonOptions, formats: Formats) -> DType | None:
    """The MAP that rows are, as objects in them may be; None where their members are columns. `formats`: as `type_of_values`."""
    if not any(one.pairs for one in objects):
        return None
    try:
        return map_of_members(members_of(objects), len(objects), options, options.maximum_depth - 1, formats, ())
    except KeysAlike:
        return None


def _columns(
    sample: Sequence[Value], has_rows: bool, options: JsonOptions, gaps: dict[str, str]
) -> dict[str, JsonColumn]:
    """The columns by name. `gaps` gets those that cannot be read."""
    if options.columns:
        return {name: JsonColumn(name, dtype) for name, dtype in options.columns}
    if not has_rows:
        return {_WHOLE: _column(_WHOLE, _WHOLE, sample, options, options.maximum_depth, gaps)}
    members = members_of(value for value in sample if isinstance(value, Members))
    names = distinct_names(members)
    found = zip(names, members.items(), strict=True)
    return {name: _column(name, own, some, options, options.maximum_depth - 1, gaps) for name, (own, some) in found}


def _column(
    name: str, key: str, values: Sequence[Value], options: JsonOptions, depth: int, gaps: dict[str, str]
) -> JsonColumn:
    formats: Formats = {}
    try:
        return JsonColumn(key, type_of_values(values, options, depth, formats) if values else JSON, formats)
    except KeysAlike as error:
        reason = f"its objects have keys that differ from {error.args[0]!r} in case alone; columns={{'{name}': 'JSON'}} reads it"
        gaps[name] = Gap(reason, "JSON")
        return JsonColumn(key, NULL)


def _require_objects(file: File, found: Values) -> None:
    """SourceError for a value that is no object, where objects are rows."""
    for value, line in zip(found.values, found.lines, strict=True):
        if value is not None and not isinstance(value, Members):
            what = f"expected OBJECT, but found {kind(value)}: {written(value)}"
            raise SourceError(f"{file.shown!r}, line {line}: {what}", hint="records=false reads values of any kind")


def _require_once(file: File, found: Values, names: set[str]) -> None:
    """SourceError where a value has a member of one of the names twice."""
    for value, line in zip(found.values, found.lines, strict=True):
        if isinstance(value, Members):
            own = [name for name, _ in value.pairs if name in names]
            if len(set(own)) < len(own):
                raise SourceError(
                    f"{file.shown!r}, line {line}: an object has a key twice", hint="ignore_errors=true takes the first"
                )


def _has_key_twice(value: Value | Missing) -> bool:
    """Whether an object in the value has a key twice, of which only one would be read."""
    if isinstance(value, list):
        return any(map(_has_key_twice, value))
    if not isinstance(value, Members):
        return False
    return len({name for name, _ in value.pairs}) < len(value.pairs) or any(
        _has_key_twice(part) for _, part in value.pairs
    )


def _require_known(file: File, found: Values, names: set[str] | None) -> None:
    """SourceError for a member that is none of `names`, where these are all, or that a value has twice."""
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
