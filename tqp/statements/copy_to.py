"""COPY … TO: the rows of a query as a file, or as a folder of files by the values of some columns."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from tqp.errors import BindError, UnsupportedError
from tqp.io.written import Existing, partitions, written, written_folder
from tqp.relation import Relation
from tqp.sql.scope import distinct_names
from tqp.statements.caller import Caller
from tqp.statements.copy_formats import Fields, texts_of, writer
from tqp.statements.file_names import FileName
from tqp.statements.options import Options

__all__ = ["FORMATS", "CopyTo", "format_of"]

FORMATS: Final = ("csv", "parquet", "json", "arrow", "blob")
_ENDINGS: Final = {
    ".parquet": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
_IDLE: Final = ("use_tmp_file", "preserve_order")
"""How DuckDB is to write: here every file is written beside its place, and rows keep their order."""
_ONE_FILE: Final = "one file is written, or with PARTITION_BY one for each of the values"
_LAYOUT: Final = "ROW_GROUP_SIZE, COMPRESSION and COMPRESSION_LEVEL say how the file is laid out"
_INSTEAD: Final = {
    **dict.fromkeys(("file_size_bytes", "row_groups_per_file"), _ONE_FILE),
    **dict.fromkeys(
        (
            "row_group_size_bytes", "dictionary_size_limit", "string_dictionary_page_size_limit", "parquet_version",
            "dictionary_compression_ratio_threshold", "write_bloom_filter", "bloom_filter_false_positive_ratio",
        ),
        _LAYOUT,
    ),
    "return_stats": "RETURN_FILES gives the names, parquet_metadata('…') tells of the columns",
    "debug_use_openssl": "files are not encrypted",
    "encryption_config": "encrypt the file afterwards",
    "write_timestamp_as_int96": "timestamps are 64 bits of microseconds",
    "geoparquet_version": "there is no GEOMETRY to write",
    "shredding": "variants are written whole",
}  # fmt: skip
"""Options of DuckDB that there are not, with what there is."""


def format_of(path: str, options: Options) -> str:
    """The format that the options name, or the ending of the path, or CSV."""
    plain = path.lower().removesuffix(".gz").removesuffix(".zst")
    ending = next((kind for end, kind in _ENDINGS.items() if plain.endswith(end)), "csv")
    found = options.word("format", ending, FORMATS)
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class CopyTo:
    query: str
    file: FileName
    options: Options
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        named = self.file.of(caller)
        caller.access.require_files(named)
        if not named:
            raise BindError("COPY … TO needs the name of a file")
        relation = caller.query(self.query)
        path = os.path.expanduser(named)
        kind = format_of(path, self.options)
        fields = [(field.name, field.dtype) for field in distinct_names(relation.schema)]
        by = self._partitions(fields)
        existing = self._existing()
        write, columns = writer(kind, relation, fields, path, self.options, partial(_constant, caller))
        keeps = bool(self.options.flag("write_partition_columns"))
        in_folder = bool(by or self.options.flag("per_thread_output"))
        name = _name(str(self.options.text("filename_pattern", "data_{i}")), existing)
        ending = self.options.text("file_extension", kind)
        tells, writes_empty = self.options.flag("return_files"), self.options.flag("write_empty_file", True)
        for idle in _IDLE:
            self.options.flag(idle)
        if not self.options.flag("hive_file_pattern", True):
            raise UnsupportedError("HIVE_FILE_PATTERN false is not supported", hint="folders are called key=value")
        self.options.done(f"COPY … TO {kind}", _INSTEAD)
        names = [name for name, _ in fields]
        rows = len(relation)
        is_written = bool(rows or writes_empty and not by)
        if not in_folder:
            if is_written:
                with written(path, caller.access.systems, caller.storage) as beside:
                    write(names, columns, beside)
            return caller.count(rows, [path] * is_written if tells else None)
        kept = [place for place in range(len(fields)) if keeps or place not in by]
        if not kept:
            raise BindError("all columns name folders, and none is left to write", hint="WRITE_PARTITION_COLUMNS true")
        texts = texts_of(relation, [(place, "::VARCHAR") for place in by]) if by else []
        files = []

        def fill(folder: str) -> None:
            parts = partitions([names[place] for place in by], texts) if by else [("", None)]
            for inner, chosen in parts if is_written else ():
                file = os.path.join(inner, f"{name()}.{ending}")
                os.makedirs(os.path.join(folder, inner), exist_ok=True)
                part = [columns[place] if chosen is None else columns[place].take(chosen) for place in kept]
                write([names[place] for place in kept], part, os.path.join(folder, file))
                files.append(os.path.join(path, file))

        written_folder(path, existing, fill, caller.access.systems, caller.storage)
        return caller.count(rows, files if tells else None)

    def _partitions(self, fields: Fields) -> list[int]:
        """The numbers of the columns by whose values there are folders."""
        places = {name.lower(): place for place, (name, _) in enumerate(fields)}
        found = []
        for name in self.options.names("partition_by") or ():
            if name.lower() not in places:
                hint = f"the columns are {', '.join(name for name, _ in fields)}"
                raise BindError(f"PARTITION_BY names {name}, which is no column of the rows", hint=hint)
            if places[name.lower()] in found:
                raise BindError(f"PARTITION_BY names {name} twice")
            found.append(places[name.lower()])
        return found

    def _existing(self) -> Existing:
        if self.options.flag("append"):
            return "append"
        if self.options.flag("overwrite"):
            return "replace"
        return "mix" if self.options.flag("overwrite_or_ignore") else "refuse"


def _name(pattern: str, existing: Existing) -> Callable[[], str]:
    """What makes the names of files; those beside others have a part that nobody else has."""
    if existing == "append":
        return lambda: str(uuid.uuid4())
    numbered = pattern if "{i}" in pattern or "{uuid}" in pattern else f"{pattern}{{i}}"
    return lambda: numbered.replace("{i}", "0").replace("{uuid}", str(uuid.uuid4()))


def _constant(caller: Caller, text: str) -> Any:
    """The value of a constant."""
    row = caller.query(f"SELECT {text}").fetchone()
    return None if row is None else row[0]
