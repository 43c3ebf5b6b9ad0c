"""Tables in files: which files a path means, in which state they are, and who reads them.

A `FileSource` says what a path means whenever it is asked. The `File`s it gives hold the state that each file was in then, by
which two looks at a source are told apart: two equal looks saw the same rows.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tqp.errors import SourceError
from tqp.io.csv import CsvOptions, csv_table
from tqp.io.parquet import ParquetReader
from tqp.io.readers import ArrowReader
from tqp.io.state import File, state_of

__all__ = ["FileSource", "Look", "Paths", "csv_source", "is_path", "parquet_source", "reads_like_path", "source_of"]

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a glob, a directory, or a list of them."""

_PARQUET: Final = (".parquet", ".parq", ".pq")
_CSV: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
_TICK: Final = 20_000_000
"""Nanoseconds within which a file may be written twice and show one time of change: clocks of file systems are coarse."""


def reads_like_path(name: str) -> bool:
    """Whether a table's name can only be meant as a path, whatever files there are."""
    return name.lower().endswith(_PARQUET + _CSV) or any(mark in name for mark in "/\\")


def is_path(name: str) -> bool:
    """Whether a table's name is one of a file that tqp reads."""
    if name.lower().endswith(_PARQUET + _CSV):
        return True
    return any(mark in name for mark in "/\\") and os.path.exists(os.path.expanduser(name))


class Look(NamedTuple):
    """The files of a source at one time; `settled`: a later change of one of them is sure to show in its state."""

    files: tuple[File, ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files that make one table, by what names them; Parquet, or CSV where there are options for it.

    `paths` are as they were written, relative to `folder`. Equal sources mean the same files at any time.
    """

    paths: tuple[str, ...]
    folder: str
    csv: CsvOptions | None = None

    def look(self) -> Look:
        """The files that there are now, sorted within each path; SourceError where a path means none."""
        try:
            files = tuple(
                File(shown, os.path.join(self.folder, shown), state_of(os.path.join(self.folder, shown)))
                for path in self.paths
                for shown in self._listed(path)
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SourceError(f"cannot read {self.paths[0]!r}: {reason}") from error
        changed = max(file.state.modified for file in files)
        return Look(files, not 0 <= time.time_ns() - changed < _TICK)

    def is_still(self, look: Look) -> bool:
        """Whether it is one file alone that is as it was in that look. One `stat`; False where it takes more to know."""
        if len(self.paths) != 1 or len(look.files) != 1:
            return False
        (path,), (file,) = self.paths, look.files
        try:
            return file.path == os.path.join(self.folder, path) and file.state == state_of(file.path)
        except (OSError, ValueError):
            return False

    def open(self, files: tuple[File, ...]) -> ArrowReader | ParquetReader:
        """The reader of the table; SourceError where the files are not what their names say."""
        return ParquetReader(files) if self.csv is None else ArrowReader(csv_table(files, self.csv))

    def _listed(self, path: str) -> list[str]:
        text = os.path.expanduser(path)
        here = os.path.join(self.folder, text)
        extensions = _PARQUET if self.csv is None else _CSV
        if os.path.isfile(here):
            return [text]
        if os.path.isdir(here):
            found = [
                os.path.join(text, os.path.relpath(os.path.join(inner, name), here))
                for inner, _, names in os.walk(here)
                for name in names
                if name.lower().endswith(extensions)
            ]
        else:
            found = [name for name in _globbed(text, self.folder) if os.path.isfile(os.path.join(self.folder, name))]
        if not found:
            kind = "directory without such files" if os.path.isdir(here) else "no such file"
            raise SourceError(f"cannot read {path!r}: {kind}", hint=f"looked in {self.folder!r}")
        return sorted(found)


def _globbed(pattern: str, folder: str) -> list[str]:
    """What matches; as in DuckDB `**` enters no folder through a symbolic link, which may lead in circles."""
    found = glob.glob(pattern, root_dir=folder, recursive=True)
    if "**" not in pattern:
        return found
    depth = pattern[: pattern.index("**")].count("/")

    def is_linked(name: str) -> bool:
        parts = name.split("/")
        return any(os.path.islink(os.path.join(folder, "/".join(parts[:end]))) for end in range(depth + 1, len(parts)))

    return [name for name in found if not is_linked(name)]


def source_of(path: str) -> FileSource:
    """The source of a path in a query: CSV by its ending, else Parquet, which a directory is always."""
    if path.lower().endswith(_CSV):
        return csv_source(path)
    if path.lower().endswith(_PARQUET) or os.path.isdir(os.path.expanduser(path)):
        return parquet_source(path)
    raise SourceError(f"no reader for {path!r}", hint="tqp reads Parquet (.parquet) and CSV (.csv) files")


def parquet_source(paths: Paths) -> FileSource:
    """Parquet files of one schema."""
    return FileSource(_texts(paths), _folder())


def csv_source(paths: Paths, **options: Any) -> FileSource:
    """CSV files of the same columns; the options are those of `CsvOptions.of`."""
    return FileSource(_texts(paths), _folder(), CsvOptions.of(**options))


def _texts(paths: Paths) -> tuple[str, ...]:
    """The paths one by one; SourceError for what is none."""
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
    if not isinstance(listed, Sequence) or not listed:
        raise SourceError(f"{paths!r} is no path", hint="pass a path, a glob, a directory, or a list of at least one")
    found = []
    for path in listed:
        if not isinstance(path, (str, os.PathLike)):
            raise SourceError(f"{path!r} is no path", hint="a path is text or a pathlib.Path")
        text = os.fspath(path)
        if not isinstance(text, str) or not text:
            raise SourceError(f"{path!r} is no path", hint="a path is text or a pathlib.Path")
        found.append(text)
    return tuple(found)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise SourceError("the working directory is gone", hint="change to one that there is") from error
