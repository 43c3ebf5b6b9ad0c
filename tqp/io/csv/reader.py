"""CSV files as a table: what it is, known by how they begin, and each column converted when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tqp.data.column import Column
from tqp.data.reading import Excerpt, GroupZones
from tqp.errors import SourceError, TqpError
from tqp.functions.promotion import forced_type
from tqp.io.csv.file import CsvFile, Texts
from tqp.io.csv.kinds import CsvType, converted
from tqp.io.csv.options import CsvOptions
from tqp.io.csv.sniff import require_typed
from tqp.io.file_schemas import path_column, types_of_paths, with_path_columns
from tqp.io.hive import hidden_columns, path_columns
from tqp.io.state import File
from tqp.io.united import BY_NAME, FileSchema, UnitedColumn, one_below_the_other, united
from tqp.types import NULL, TIMESTAMP, TIMESTAMPTZ, VARCHAR, DType

__all__ = ["CsvReader"]


class CsvReader:
    """CSV files, one after the other, of the columns of the first file, or with `union_by_name` of all files.

    What they are is known by their beginnings. The rows of those are a group of rows that is read alone.
    """

    def __init__(self, files: tuple[File, ...], options: CsvOptions) -> None:
        self._options = options
        self._files = [CsvFile(file, options) for file in files]
        shown = [file.shown for file in files]
        together = _all if options.files.union_by_name else _alike
        found = united(_schemas(self._files), options.files.union_by_name, together)
        lacking = next((column.lacking for column in found if column.lacking), None)
        if lacking is not None:
            raise SourceError(lacking, hint=BY_NAME)
        self._united = {column.name: column for column in found}
        require_typed(list(self._united), options, shown[0])
        self.local = frozenset(name for name, column in self._united.items() if self._is_local(column))
        self._united |= {name: replace(self._united[name], dtype=VARCHAR) for name in self.local}
        self._paths = path_columns(shown, options.files)
        own = {name: column.dtype for name, column in self._united.items()}
        self.schema = tuple(with_path_columns(own, self._paths, options.files).items())
        hidden = hidden_columns(shown, options.files, dict(self.schema))
        self._paths |= hidden
        self.hidden = types_of_paths(hidden)
        self.unsupported: Mapping[str, str] = {}

    @property
    def rows(self) -> int:
        """The rows of all files, which are read for it."""
        return sum(one.texts.rows for one in self._files)

    @property
    def guessed_rows(self) -> int | None:
        """About how many rows there are, by the beginnings of files that are not read; None where all are."""
        if all(one.is_read for one in self._files):
            return None
        return sum(one.texts.rows if one.is_read else one.guessed_rows for one in self._files)

    @property
    def nbytes(self) -> int:
        """Bytes of the texts that were read."""
        return sum(one.nbytes for one in self._files)

    @property
    def groups(self) -> Sequence[int]:
        """The rows of files that were read, and of the beginning of the first one that was not; none of what follows it."""
        return [one.rows for one in self._beginnings()]

    def zones(self, name: str) -> GroupZones | None:
        """Nothing is known of a column before it is read."""
        return None

    def excerpt(self, wanted: Excerpt) -> CsvExcerpt:
        """The reader of rows at the beginning of the files."""
        parts, left = [Texts(0, {})] * len(self._files), wanted.rows
        for place, begun in enumerate(self._beginnings()):
            if place in wanted.groups:
                parts[place] = begun.first(left)
                left -= parts[place].rows
        return CsvExcerpt(self, parts)

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        return self.column_of(name, [one.texts for one in self._files])

    def column_of(self, name: str, texts: Sequence[Texts]) -> Column:
        """The same of the first rows of each file."""
        if name in self._paths:
            return path_column(name, self._paths[name], list(enumerate(one.rows for one in texts)))
        column = self._united[name]
        pieces = [
            (one.file.shown, self._piece(column, place, some), some.rows)
            for place, (one, some) in enumerate(zip(self._files, texts, strict=True))
        ]
        return one_below_the_other(column, pieces)

    def _is_local(self, column: UnitedColumn) -> bool:
        """Whether times of it are in the time zone of the session: they are given as texts, for who knows it to cast them."""
        kinds = [one.type_of(own[0]) for one, own in zip(self._files, column.own, strict=True) if own is not None]
        return column.dtype == TIMESTAMPTZ and any(kind.is_local or kind.dtype == TIMESTAMP for kind in kinds)

    def _beginnings(self) -> list[Texts]:
        unread = next((place for place, one in enumerate(self._files) if not one.is_read), len(self._files) - 1)
        return [one.beginning for one in self._files[: unread + 1]]

    def _piece(self, column: UnitedColumn, place: int, some: Texts) -> Column | None:
        own, one = column.own[place], self._files[place]
        if own is None or not some.rows:
            return None
        kind = one.type_of(own[0])
        to = kind if kind.dtype == column.dtype else CsvType(column.dtype)
        texts = some.columns[own[0].lower()]
        try:
            found, bad = converted(texts, to, self._options)
        except TqpError as error:
            raise SourceError(
                f"column {column.name!r} of {one.file.shown!r}: {error.message}", hint=error.hint
            ) from error
        if bad is not None:
            raise one.no_value(column.name, texts, to, bad)
        return found


class CsvExcerpt:
    """Rows at the beginning of CSV files: the first of each, which may be none."""

    def __init__(self, reader: CsvReader, texts: Sequence[Texts]) -> None:
        self._reader = reader
        self._texts = texts
        self.rows = sum(one.rows for one in texts)
        self.schema = reader.schema
        self.hidden = reader.hidden
        self.unsupported = reader.unsupported
        self.local = reader.local

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a value is none of it, which says the line."""
        return self._reader.column_of(name, self._texts)


def _schemas(files: Sequence[CsvFile]) -> list[FileSchema]:
    """The columns of files; NULL is the type of one without values. An empty file has none, if not all are."""
    found = []
    are_empty = all(one.is_empty for one in files)
    for one in files:
        kinds = [NULL if kind.is_blank else kind.dtype for kind in one.types]
        columns = () if one.is_empty and not are_empty else tuple(zip(one.names, kinds, strict=True))
        found.append(FileSchema(one.file.shown, columns))
    return found


def _all(kinds: Sequence[DType]) -> DType:
    found = forced_type(*kinds)
    return VARCHAR if found == NULL else found


def _alike(kinds: Sequence[DType]) -> DType:
    """What files of the same columns have in common: a number's type that holds all, else text."""
    known = [kind for kind in kinds if kind != NULL]
    is_number = all(kind.is_exact or kind.is_float for kind in known)
    return _all(known) if is_number or len(set(known)) <= 1 else VARCHAR
