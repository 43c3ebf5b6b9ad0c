"""Tables in files: which files a path means, in which state they are, and who reads them.

A `FileSource` says what a path means whenever it is asked. The `File`s it gives hold the state that each file was in then, by
which two looks at a source are told apart: two equal looks saw the same rows.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, assert_never

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.arrow_files import ARROW, ArrowFileReader, ArrowOptions
from tqp.io.csv.options import CSV, CsvOptions
from tqp.io.csv.reader import CsvReader
from tqp.io.csv.told import SniffOptions, told
from tqp.io.json.options import JSON_ENDINGS, JsonOptions
from tqp.io.json.reader import JsonReader
from tqp.io.json.texts import JsonTextOptions, JsonTextReader
from tqp.io.options import TypeOf
from tqp.io.parquet import ParquetReader
from tqp.io.parquet_footers import FOOTER_TABLES, FooterOptions, footer_table
from tqp.io.parquet_options import PARQUET, ParquetOptions
from tqp.io.pipes import PIPES, is_pipe
from tqp.io.protocols import is_remote
from tqp.io.readers import ArrowReader
from tqp.io.remote import Filesystems, Storage
from tqp.io.state import LOCAL, File, Place
from tqp.io.whole import WholeOptions, WholeReader

__all__ = [
    "READERS", "FileCall", "FileSource", "Look", "Options", "Paths", "is_path", "parquet_source", "reads_like_path", "source_of",
]  # fmt: skip

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a glob, a directory, or a list of them."""

Reader = ArrowFileReader | ArrowReader | CsvReader | JsonReader | JsonTextReader | ParquetReader | WholeReader
_ENDINGS: Final = PARQUET + CSV + JSON_ENDINGS + ARROW
_TICK: Final = 20_000_000
"""Nanoseconds within which a file may be written twice and show one time of change: clocks of file systems are coarse."""
_PLAIN: Final = Filesystems()
_SERVER_TICK: Final = 2_000_000_000
"""The same of servers, which tell whole seconds."""


def reads_like_path(name: str) -> bool:
    """Whether a table's name can only be meant as a path, whatever files there are."""
    return name.lower().endswith(_ENDINGS) or any(mark in name for mark in "/\\")


def is_path(name: str) -> bool:
    """Whether a table's name is one of a file that tqp reads."""
    if name.lower().endswith(_ENDINGS) or is_remote(name):
        return True
    return any(mark in name for mark in "/\\") and os.path.exists(os.path.expanduser(name))


Options = (
    ParquetOptions
    | CsvOptions
    | JsonOptions
    | ArrowOptions
    | WholeOptions
    | FooterOptions
    | SniffOptions
    | JsonTextOptions
)
"""How files of one format are read, as checked options; hashable, as files that are read in two ways are two tables."""


READERS: Final[Mapping[str, Callable[[str, Mapping[str, Any], TypeOf], Options]]] = {
    "read_parquet": ParquetOptions.of,
    "parquet_scan": ParquetOptions.of,
    "read_csv": CsvOptions.of,
    "read_csv_auto": CsvOptions.of,
    "read_json": JsonOptions.of,
    "read_json_auto": JsonOptions.of,
    "read_ndjson": JsonOptions.of,
    "read_ndjson_auto": JsonOptions.of,
    "read_arrow": ArrowOptions.of,
    "glob": WholeOptions.of,
    "read_text": WholeOptions.of,
    "read_blob": WholeOptions.of,
    "read_json_objects": JsonTextOptions.of,
    "read_json_objects_auto": JsonTextOptions.of,
    "read_ndjson_objects": JsonTextOptions.of,
    "sniff_csv": SniffOptions.of,
    **dict.fromkeys(FOOTER_TABLES, FooterOptions.of),
}
"""What reads files in FROM: from the function's name, its options and what gives types to checked options."""


class Look(NamedTuple):
    """The files of a source at one time; `settled`: a later change of one of them is sure to show in its state."""

    files: tuple[File, ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files that make one table, by what names them.

    `paths` are as they were written, relative to `folder`. Equal sources mean the same files at any time.
    """

    paths: tuple[str, ...]
    folder: str
    options: Options
    storage: Storage | None = None

    def look(self, systems: Filesystems = _PLAIN) -> Look:
        """The files that there are now, sorted within each path; SourceError where a path means none.

        `systems` are those behind protocols, if other ones than everybody has.
        """
        files: list[File] = []
        for path in self.paths:
            try:
                files += self._behind(path, systems) if is_remote(path) else map(self._local, self._listed(path))
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                raise SourceError(f"cannot read {path!r}: {reason}") from error
        return Look(tuple(files), all(map(_is_settled, files)))

    def is_still(self, look: Look, systems: Filesystems = _PLAIN) -> bool:
        """Whether it is one file alone that is as it was in that look. One `stat`; False where it takes more to know."""
        if len(self.paths) != 1 or len(look.files) != 1:
            return False
        (path,), (file,) = self.paths, look.files
        try:
            place = systems.of(path, self.storage) if is_remote(path) else _place(file.path)
            return file.shown == path and file.place is place and file.state == place.state(file.path)
        except (OSError, ValueError):
            return False

    def _local(self, shown: str) -> File:
        path = os.path.join(self.folder, shown)
        place = _place(path)
        return File(shown, path, place.state(path), place)

    def _behind(self, path: str, systems: Filesystems) -> list[File]:
        """The files behind a protocol."""
        found = systems.of(path, self.storage).listed(path, self.options.endings)
        if not found and not self.options.files.allow_empty:
            raise SourceError(f"cannot read {path!r}: no such file")
        return found

    def open(self, files: tuple[File, ...]) -> Reader:
        """The reader of the table; SourceError where the files are not what their names say, or go not together."""
        if isinstance(self.options, WholeOptions):
            return WholeReader(files, self.options)
        if not files:
            return ArrowReader(pa.table({"empty": pa.array([], pa.bool_())}))
        match self.options:
            case ParquetOptions():
                return ParquetReader(files, self.options)
            case CsvOptions():
                return CsvReader(files, self.options)
            case JsonOptions():
                return JsonReader(files, self.options)
            case ArrowOptions():
                return ArrowFileReader(files, self.options.files)
            case FooterOptions():
                return ArrowReader(footer_table(self.options.function, files))
            case SniffOptions():
                return ArrowReader(told(files, self.options))
            case JsonTextOptions():
                return JsonTextReader(files, self.options)
            case _:
                assert_never(self.options)

    def _listed(self, path: str) -> list[str]:
        text = os.path.expanduser(path)
        here = os.path.join(self.folder, text)
        if os.path.isfile(here) or is_pipe(here):
            return [text]
        if os.path.isdir(here):
            found = [
                os.path.join(text, os.path.relpath(os.path.join(inner, name), here))
                for inner, _, names in os.walk(here)
                for name in names
                if name.lower().endswith(self.options.endings)
            ]
        else:
            found = [
                name
                for name in _globbed(text.removeprefix("./"), self.folder)
                if os.path.isfile(os.path.join(self.folder, name))
            ]
        if not found and not self.options.files.allow_empty:
            if os.path.exists(here) and not os.path.isdir(here):
                hint = f"hand it in as standard input: tqp -c \"FROM read_csv('/dev/stdin')\" < {text}"
                raise SourceError(f"cannot read {path!r}: it is a named pipe or a device, not a file", hint=hint)
            kind = "directory without such files" if os.path.isdir(here) else "no such file"
            raise SourceError(f"cannot read {path!r}: {kind}", hint=f"looked in {self.folder!r}")
        return sorted(found)


def _place(path: str) -> Place:
    """Where a path is that is behind no protocol."""
    return PIPES if is_pipe(path) else LOCAL


def _is_settled(file: File) -> bool:
    """Whether a later change is sure to show in the file's state."""
    if file.state.is_exact:
        return True
    least, tick = (0, _TICK) if file.place is LOCAL else (-_SERVER_TICK, _SERVER_TICK)
    return not least <= time.time_ns() - file.state.modified < tick


def _globbed(pattern: str, folder: str) -> list[str]:
    """What matches; as in DuckDB `**` enters no folder through a symbolic link, which may lead in circles."""
    found = glob.glob(pattern, root_dir=folder, recursive=True, include_hidden=True)
    if "**" not in pattern:
        return found
    depth = pattern[: pattern.index("**")].count("/")

    def is_linked(name: str) -> bool:
        parts = name.split("/")
        return any(os.path.islink(os.path.join(folder, "/".join(parts[:end]))) for end in range(depth + 1, len(parts)))

    return [name for name in found if not is_linked(name)]


def source_of(path: str) -> FileSource:
    """The source of a path in a query: CSV, JSON or Arrow by its ending, else Parquet, which a directory is always."""
    lower = path.lower()
    if is_remote(lower):
        # What stands behind the path of a URL says nothing of the file.
        lower = lower.partition("::")[0]
        lower = lower.partition("?")[0].partition("#")[0] if lower.startswith("http") else lower
    if lower.endswith(CSV):
        return FileSource((path,), _folder(), CsvOptions())
    if lower.endswith(JSON_ENDINGS):
        lines = any(kind in lower.rpartition("/")[2] for kind in (".ndjson", ".jsonl"))
        return FileSource((path,), _folder(), JsonOptions(format="newline_delimited" if lines else "auto"))
    if lower.endswith(ARROW):
        return FileSource((path,), _folder(), ArrowOptions())
    if lower.endswith(PARQUET) or os.path.isdir(os.path.expanduser(path)):
        return FileSource((path,), _folder(), ParquetOptions())
    known = "Parquet (.parquet), CSV (.csv), JSON (.json) and Arrow (.arrow, .feather) files"
    hint = f"tqp reads {known}; read_csv('…') and its kin read one of another name"
    raise SourceError(f"no reader for {path!r}", hint=hint)


class FileCall(str):
    """What a function of FROM reads, as the name of a table: it equals the name of the same call alone."""

    function: str
    paths: tuple[str, ...]
    options: Options
    storage: Storage | None

    def __new__(cls, function: str, paths: tuple[str, ...], options: Options, storage: Storage | None) -> FileCall:
        behind = "" if storage is None else f", {storage!r}"
        made = super().__new__(cls, f"{function}({', '.join(map(repr, paths))}, {options!r}{behind})")
        made.function, made.paths, made.options, made.storage = function, paths, options, storage
        return made

    @staticmethod
    def of(
        function: str, paths: Any, given: Mapping[str, Any], type_of: TypeOf, storage: Mapping[str, Any] | None = None
    ) -> FileCall:
        """Checked paths and options of one of `READERS`; SourceError or UnsupportedError where they are none.

        `storage` are options of the protocol of the paths.
        """
        behind = None if storage is None else Storage(storage)
        return FileCall(function, _texts(paths), READERS[function](function, given, type_of), behind)

    @property
    def source(self) -> FileSource:
        """What the paths mean in the working directory of now."""
        return FileSource(self.paths, _folder(), self.options, self.storage)


def parquet_source(paths: Paths) -> FileSource:
    """Parquet files without options."""
    return FileSource(_texts(paths), _folder(), ParquetOptions())


def _texts(paths: Paths) -> tuple[str, ...]:
    """The paths one by one; SourceError for what is none."""
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
    if hasattr(listed, "read"):
        hint = "write what it has to a file, or register the table that pandas.read_csv(…) or pyarrow.csv.read_csv(…) makes of it"
        raise SourceError(f"{paths!r} is an open file and no path", hint=hint)
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
