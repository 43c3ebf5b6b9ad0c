"""Columns that the paths of files tell: `year=2024/part-0.parquet` has a column `year` (Hive partitions), and the path itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa

from tqp.data.to_arrow import few_integers, few_strings
from tqp.errors import SourceError
from tqp.io.export import arrow_type
from tqp.io.options import FileOptions

__all__ = ["OfPaths", "hidden_columns", "path_columns"]

_NULLS: Final = ("__HIVE_DEFAULT_PARTITION__", "NULL")
_PART: Final = re.compile(r"([^=]+)=(.*)")
_INTEGER: Final = re.compile(r"-?[1-9]\d{0,18}|0")
_DATE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


@dataclass(frozen=True, slots=True)
class OfPaths:
    """A column that paths tell: its type, and a value for each file, of Python or in Arrow's array."""

    kind: pa.DataType
    values: Sequence[Any] | pa.Array

    def array(self, files: Iterable[int]) -> pa.Array:
        """The values of these files."""
        if isinstance(self.values, pa.Array):
            return self.values.take(few_integers(list(files), pa.int64()))
        values = [self.values[file] for file in files]
        if self.kind == pa.string():
            return few_strings(values, pa.large_string()).cast(self.kind)
        if pa.types.is_integer(self.kind):
            return few_integers(values, self.kind)
        return pa.array(values, self.kind)


def path_columns(files: Sequence[str], options: FileOptions) -> dict[str, OfPaths]:
    """The columns in the paths of the files, as one value a file: `filename`, then the partitions by their names.

    Partitions are columns where all files have the same ones. As in DuckDB such a column is a DATE, TIMESTAMP or BIGINT where all
    its values read as one, else VARCHAR, unless the options say more. SourceError where they ask for what the paths have not.
    """
    found = {} if options.filename is None else {options.filename: OfPaths(pa.string(), files)}
    return {**found, **_partitions(files, options)}


def hidden_columns(files: Sequence[str], options: FileOptions, names: Iterable[str]) -> dict[str, OfPaths]:
    """Columns that queries may name and `*` does not mean, as one value a file: its path, `filename`, and its number, `file_index`.

    None that is called as one of `names` is, which the table has, nor the path where the options give it a name.
    """
    found = {"file_index": OfPaths(pa.uint64(), range(len(files)))}
    if options.filename is None:
        found["filename"] = OfPaths(pa.string(), files)
    taken = set(map(str.lower, names))
    return {name: values for name, values in found.items() if name not in taken}


def _partitions(files: Sequence[str], options: FileOptions) -> dict[str, OfPaths]:
    if options.hive_partitioning is False:
        return {}
    parts = [_parts(file) for file in files]
    names = sorted(parts[0]) if parts else []
    for file, found in zip(files, parts, strict=True):
        if sorted(found) == names:
            continue
        if options.hive_partitioning:
            raise SourceError(
                f"the folders of {file!r} are no partitions like those of {files[0]!r}",
                hint="hive_partitioning=false reads the files without them",
            )
        return {}
    types = {name.lower(): dtype for name, dtype in options.hive_types}
    unknown = types.keys() - {name.lower() for name in names}
    if unknown:
        raise SourceError(
            f"hive_types: no folder is called {min(unknown)}=…", hint=f"partitions are {', '.join(names)}"
        )
    columns = {}
    for name in names:
        texts = [found[name] for found in parts]
        if name.lower() in types:
            columns[name] = _as(name, texts, arrow_type(types[name.lower()]))
        else:
            columns[name] = _typed(texts) if options.hive_types_autocast else OfPaths(pa.string(), texts)
    return columns


def _as(name: str, texts: list[str | None], kind: pa.DataType) -> OfPaths:
    try:
        return OfPaths(kind, pa.array(texts, pa.string()).cast(kind))
    except pa.ArrowException as error:
        raise SourceError(f"hive_types: a value of {name!r} is no {kind}: {error}") from error


def _parts(file: str) -> dict[str, str | None]:
    matches = filter(None, map(_PART.fullmatch, PurePath(os.path.dirname(file)).parts))
    texts = {match[1]: unquote(match[2]) for match in matches}
    return {name: None if text in _NULLS else text for name, text in texts.items()}


def _typed(texts: list[str | None]) -> OfPaths:
    readers: tuple[tuple[pa.DataType, Callable[[str], Any]], ...] = (
        (pa.date32(), _date),
        (pa.timestamp("us"), _timestamp),
        (pa.int64(), _integer),
    )
    for kind, read in readers:
        with suppress(ValueError):
            return OfPaths(kind, [None if text is None else read(text) for text in texts])
    return OfPaths(pa.string(), texts)


def _date(text: str) -> date:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return date(*map(int, match.groups()))


def _timestamp(text: str) -> datetime:
    if len(text) < len("2024-01-01 00:00:00") or "+" in text:
        raise ValueError(text)
    return datetime.fromisoformat(text)


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None or not -(2**63) <= (number := int(text)) < 2**63:
        raise ValueError(text)
    return number
