"""JSON files as rows of JSON: each value as it is written (`read_json_objects` and its like)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tqp.data.column import Column
from tqp.errors import ExecutionError, SourceError
from tqp.functions.json_text import parsed, parsed_one
from tqp.functions.per_text import column_of
from tqp.io.file_schemas import path_column, types_of_paths, with_path_columns
from tqp.io.hive import hidden_columns, path_columns
from tqp.io.json.file import blanks_end, is_value
from tqp.io.json.options import JSON_ENDINGS, JsonOptions
from tqp.io.options import REFUSED, FileOptions, TypeOf
from tqp.io.packed import is_text, require_text, text_of
from tqp.io.state import File, require_same
from tqp.types import JSON

__all__ = ["JsonTextOptions", "JsonTextReader"]

_NAME: Final = "json"
_TAKEN: Final = {
    "filename", "hive_partitioning", "union_by_name", "hive_types", "hive_types_autocast", "allow_empty", "maximum_object_size",
    "ignore_errors", "format", "compression",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JsonTextOptions:
    """How the files are read, of which only the values' texts are asked."""

    json: JsonOptions

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> JsonTextOptions:
        """Checked options; raises as those of `read_json`, and SourceError for those that say types."""
        unknown = [name for name in given if name.lower() not in _TAKEN | REFUSED.keys()]
        if unknown:
            raise SourceError(
                f"{function} has no option {unknown[0]!r}", hint=f"options are {', '.join(sorted(_TAKEN))}"
            )
        return JsonTextOptions(JsonOptions.of(function, given, type_of))

    @property
    def files(self) -> FileOptions:
        return self.json.files

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return JSON_ENDINGS


class JsonTextReader:
    """JSON files, one after the other, of a column of their values, NULL for what `ignore_errors` leaves out.

    Files are read when this is made: their values are its rows. SourceError for what is no JSON.
    """

    def __init__(self, files: tuple[File, ...], options: JsonTextOptions) -> None:
        shown = [file.shown for file in files]
        self._texts = [list(_texts(file, options.json)) for file in files]
        self._paths = path_columns(shown, options.files)
        self.schema = tuple(with_path_columns({_NAME: JSON}, self._paths, options.files).items())
        hidden = hidden_columns(shown, options.files, dict(self.schema))
        self._paths |= hidden
        self.hidden = types_of_paths(hidden)
        self.unsupported: Mapping[str, str] = {}
        self.rows = sum(map(len, self._texts))

    @property
    def nbytes(self) -> int:
        """Bytes of the texts, about: a character each."""
        return sum(len(text or "") for texts in self._texts for text in texts)

    def column(self, name: str) -> Column:
        """The texts, or what paths tell."""
        if name in self._paths:
            return path_column(name, self._paths[name], list(enumerate(map(len, self._texts))))
        return column_of([text for texts in self._texts for text in texts], JSON)


def _texts(file: File, options: JsonOptions) -> Iterator[str | None]:
    require_same(file)
    text = text_of(file, "JSON", options.compression, strict=not options.ignore_errors)
    require_same(file)
    begins_list = text.lstrip()[:1] == "["
    is_list = begins_list and options.format in ("auto", "array")
    if options.format == "array" and not begins_list and text.strip():
        raise SourceError(f"{file.shown!r} is no JSON array", hint="format='newline_delimited' or 'auto'")
    if (
        options.format == "newline_delimited"
        or options.format == "auto"
        and options.ignore_errors
        and not begins_list
        and is_value(text)
    ):
        yield from _on_lines(text, options, file.shown)
        return
    require_text(file, "JSON", text)
    values, end = _values(text, is_list, file.shown)
    if is_list and end < len(text):
        if options.format == "array":
            raise SourceError(f"{file.shown!r} has more than one JSON array", hint="format='unstructured'")
        values, _ = _values(text, False, file.shown)
    yield from values


def _values(text: str, is_list: bool, shown: str) -> tuple[list[str], int]:
    """The values of a text one after the other, or those of the list that it begins with, and the place behind."""
    found = []
    place = blanks_end(text, blanks_end(text, 0) + is_list)
    while place < len(text) and not (is_list and text[place] == "]"):
        try:
            _, end = parsed_one(text, place)
            behind = blanks_end(text, end)
            if is_list and text[behind : behind + 1] not in (",", "]"):
                raise ExecutionError("Malformed JSON: an array does not end")
        except ExecutionError as error:
            line = text.count("\n", 0, place) + 1
            hint = "format='newline_delimited', ignore_errors=true gives NULL for lines that are no JSON"
            raise SourceError(f"{shown!r}, line {line}: {error.message}", hint=hint) from None
        found.append(text[place:end])
        place = blanks_end(text, behind + 1) if is_list and text[behind] == "," else behind
    return found, blanks_end(text, place + is_list)


def _on_lines(text: str, options: JsonOptions, shown: str) -> Iterator[str | None]:
    for number, line in enumerate(text.split("\n"), 1):
        value = line.strip()
        if not value:
            continue
        if not is_text(value):
            yield None
            continue
        try:
            parsed(value)
        except ExecutionError as error:
            if not options.ignore_errors:
                hint = "format='auto' reads values that go over several lines, ignore_errors=true gives NULL"
                raise SourceError(f"{shown!r}, line {number}: {error.message}", hint=hint) from None
            yield None
        else:
            yield value
