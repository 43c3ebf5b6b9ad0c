"""One JSON file: its beginning, and all of it when that is asked for, as values, or as columns that Arrow reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from tqp.errors import ExecutionError, InternalError, SourceError
from tqp.functions.json_text import Value, parsed, parsed_one
from tqp.garbage import uncollected
from tqp.io.json.objects import found_members, lines_of, read_objects
from tqp.io.json.options import JsonOptions
from tqp.io.packed import beginnings, is_text, require_text, text_of
from tqp.io.state import File, require_same
from tqp.locks import ReentrantLock

__all__ = ["JsonFile", "Values", "blanks_end", "is_value"]

_WORTH: Final = 2**16
"""Texts of so many characters are worth a second way of reading."""
_BLANKS: Final = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Values:
    """Values, and the lines that they begin on."""

    values: Sequence[Value]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.values)

    def first(self, rows: int) -> Values:
        """The first of them."""
        return Values(self.values[:rows], self.lines[:rows])


class JsonFile:
    """A file, of which the beginning is read when this is made: so far that it has the values which say what the file is.

    Safe to use from several threads. SourceError for what cannot be read, or is no JSON, as far as it is read.
    """

    def __init__(self, file: File, options: JsonOptions) -> None:
        self.file = file
        self._options = options
        self._lock = ReentrantLock()
        self._begun: Values | None = None
        self._all: Values | None = None
        self._begun_table: pa.Table | None = None
        self._table: pa.Table | None = None
        self.members: pa.Table | None = None
        """The members of the objects that say what the file is, in types that tell theirs; None where only values do."""
        require_same(file)
        self._text, self._share = self._beginning()
        require_same(file)
        self.is_large = len(self._text) >= _WORTH
        """Whether it is worth a second way of reading."""

    @property
    def is_begun(self) -> bool:
        """Whether there is more than its beginning, which was not read."""
        return self._share < 1 and self._all is None and self._table is None

    @property
    def guessed_rows(self) -> int:
        """How many values it has; as long as not all is read about how many, as its beginning has."""
        if self._table is not None:
            return int(self._table.num_rows)
        if self._all is not None:
            return len(self._all)
        begun = lines_of(self._text) if self.members is not None else len(self.beginning)
        return int(begun / self._share)

    @property
    def sample(self) -> Sequence[Value]:
        """The values that say what the file is."""
        size = self._options.sample_size
        values = self.beginning.values
        return values if size < 0 else values[:size]

    @property
    def beginning(self) -> Values:
        """The values of its beginning, or all of them if these were read."""
        with self._lock:
            if self._all is not None:
                return self._all
            if self._begun is None:
                self._begun = self._parsed(self._text, self._share == 1)
                if self._share == 1:
                    self._keep(self._begun, self._table)
                    assert self._all is not None
                    return self._all
            return self._begun

    def values(self, require: Callable[[Values], None]) -> Values:
        """All values; before they are kept `require` is to raise where they are not what they should be."""
        with self._lock:
            if self._all is None:
                found = self._parsed(self._whole(), True)
                require(found)
                self._keep(found, self._table)
            assert self._all is not None
            return self._all

    def table(self, schema: Mapping[str, pa.DataType], strict: bool, beginning: bool) -> pa.Table | None:
        """All values, or those of the `beginning`, as the members of objects; None where Arrow does not read them so."""
        with self._lock:
            if beginning and self.is_begun:
                if self.members is not None and self.members.schema == pa.schema(list(schema.items())):
                    return self.members
                if self._begun_table is None:
                    self._begun_table = read_objects(self._text, schema, strict)
                return self._begun_table
            if self._table is None:
                table = read_objects(self._whole(), schema, strict)
                if table is not None:
                    self._keep(self._all, table)
            return self._table

    def _keep(self, values: Values | None, table: pa.Table | None) -> None:
        """Keep all of it, instead of its beginning."""
        self._all, self._table = values, table
        self._begun, self._begun_table, self._text = None, None, ""

    def _whole(self) -> str:
        if self._share == 1 and self._text:
            return self._text
        require_same(self.file)
        text = text_of(self.file, "JSON", self._options.compression, strict=not self._options.ignore_errors)
        require_same(self.file)
        return text

    def _beginning(self) -> tuple[str, float]:
        """The text of the beginning, and which share of the file it is."""
        options, wanted = self._options, self._options.sample_size
        is_plain = not options.columns and options.records is not False and options.maximum_depth < 0
        for text, share in beginnings(self.file, "JSON", options.compression, strict=not options.ignore_errors):
            if share < 1 and (wanted < 0 or text.count("\n") < wanted):
                continue
            end = len(text) if wanted < 0 else _end_of(wanted, text)
            if is_plain and len(text) >= _WORTH and options.format in ("auto", "newline_delimited"):
                self.members = found_members(text[:end])
            if share == 1:
                return text, 1.0
            if self.members is not None:
                return text[:end], share * end / len(text)
            # Most files have a value on each line; where values take several, more lines have as many.
            for part in (text[:end], text):
                self._begun = self._parsed(part, False)
                if len(self._begun) >= wanted:
                    return part, share * len(part) / len(text)
            self._begun = None
        raise InternalError(f"the beginnings of {self.file.shown!r} do not end with all of it")

    def _parsed(self, text: str, whole: bool) -> Values:
        # Values are no garbage, and make many objects.
        with uncollected():
            return Values(*_values(text, self._options, self.file, whole))


def _end_of(lines: int, text: str) -> int:
    """Where the first lines of a text end; its end where it has no more."""
    end = 0
    for _ in range(lines):
        end = text.find("\n", end) + 1
        if not end:
            return len(text)
    return end


def _values(text: str, options: JsonOptions, file: File, whole: bool) -> tuple[list[Value], list[int]]:
    """The values of a text, and the lines that they begin on, up to one that does not end if the text is not a `whole` file.

    SourceError for what is no JSON, or not in the format.
    """
    shown = file.shown
    begins_list = text.lstrip()[:1] == "["
    on_lines = options.format == "auto" and options.ignore_errors and not begins_list and is_value(text)
    if options.format == "array" and not begins_list and text.strip():
        raise SourceError(f"{shown!r} is no JSON array", hint="format='newline_delimited' or 'auto'")
    if options.format == "newline_delimited" or on_lines:
        return _on_lines(text, options, shown)
    require_text(file, "JSON", text)
    values: list[Value] = []
    lines: list[int] = []
    place, line = 0, 1
    while (start := blanks_end(text, place)) < len(text):
        line += text.count("\n", place, start)
        try:
            value, end = parsed_one(text, start)
        except ExecutionError as error:
            # A comma behind the last member is taken where a line is a value.
            with suppress(SourceError):
                return _on_lines(text, replace(options, ignore_errors=False), shown)
            if not whole:
                break
            hint = "format='newline_delimited', ignore_errors=true gives NULL for lines that are no JSON"
            raise SourceError(f"{shown!r}, line {line}: {error.message}", hint=hint) from None
        values.append(value)
        lines.append(line)
        line += text.count("\n", start, end)
        place = end
    if (
        whole
        and begins_list
        and options.format in ("auto", "array")
        and len(values) == 1
        and isinstance(values[0], list)
    ):
        return values[0], [lines[0]] * len(values[0])
    return values, lines


def is_value(text: str) -> bool:
    """Whether the first line that is not blank is a value, as then all lines are taken for values."""
    line = text.lstrip().split("\n", 1)[0]
    try:
        parsed(line)
    except ExecutionError:
        return False
    return is_text(line)


def blanks_end(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return place if found is None else found.end()


def _on_lines(text: str, options: JsonOptions, shown: str) -> tuple[list[Value], list[int]]:
    values: list[Value] = []
    lines: list[int] = []
    is_all_text = is_text(text)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(parsed(line) if is_all_text or is_text(line) else None)
        except ExecutionError as error:
            if not options.ignore_errors:
                hint = "format='auto' reads values that go over several lines, ignore_errors=true gives NULL"
                raise SourceError(f"{shown!r}, line {number}: {error.message}", hint=hint) from None
            values.append(None)
        lines.append(number)
    return values, lines
