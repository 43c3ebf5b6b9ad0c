"""How JSON files are read: the options of `read_json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal

from tqp.errors import SourceError
from tqp.io.options import (
    COMMON,
    REFUSED,
    FileOptions,
    Known,
    TypeOf,
    file_options,
    flag,
    named_types,
    number,
    only,
    text,
    word,
)
from tqp.types import DType

__all__ = ["JSON_ENDINGS", "JsonOptions"]

JSON_ENDINGS: Final = tuple(
    f".{kind}{packed}" for kind in ("json", "jsonl", "ndjson") for packed in ("", ".gz", ".zst", ".bz2")
)
"""Endings of the names of JSON files."""

Format = Literal["auto", "array", "newline_delimited", "unstructured"]


def _records(name: str, value: Any, of: TypeOf) -> bool | None:
    """Whether values are rows, or None where that is found out."""
    return None if isinstance(value, str) and value.lower() == "auto" else flag(name, value, of)


def _format(name: str, value: Any, of: TypeOf) -> str:
    found: str = word("auto", "array", "newline_delimited", "nd", "unstructured")(name, value, of)
    return "newline_delimited" if found == "nd" else found


def _share(name: str, value: Any, of: TypeOf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 <= value <= 1:
        raise SourceError(f"{name}={value!r} is no number from 0 to 1")
    return float(value)


_KNOWN: Final = Known(
    {
        **COMMON,
        "format": _format,
        "records": _records,
        "columns": named_types,
        "auto_detect": flag,
        "sample_size": number(1, -1),
        "maximum_sample_files": number(1, -1),
        "maximum_depth": number(0, -1),
        "map_inference_threshold": number(0, -1),
        "field_appearance_threshold": _share,
        "convert_strings_to_integers": flag,
        "ignore_errors": flag,
        "dateformat": text,
        "timestampformat": text,
        "compression": word("auto", "none", "gzip", "gz", "zstd", "zst", "bz2"),
    },
    aliases={"date_format": "dateformat", "timestamp_format": "timestampformat"},
    refused={**REFUSED, "array": "format='array', or format='newline_delimited'"},
    idle={
        "maximum_object_size": number(1),
        "geojson": only(flag, False, "read the features as they are"),
        "case_insensitive_keys": only(
            flag, False, "keys that differ in case are columns of their own: coalesce(a, A_1)"
        ),
    },
)


@dataclass(frozen=True, slots=True)
class JsonOptions:
    """How JSON files are read, each as DuckDB's option of that name."""

    files: FileOptions = field(default_factory=FileOptions)
    format: Format = "auto"
    records: bool | None = None
    columns: tuple[tuple[str, DType], ...] = ()
    auto_detect: bool = True
    sample_size: int = 20_480
    maximum_sample_files: int = 32
    maximum_depth: int = -1
    map_inference_threshold: int = 200
    field_appearance_threshold: float = 0.1
    convert_strings_to_integers: bool = False
    ignore_errors: bool = False
    dateformat: str | None = None
    timestampformat: str | None = None
    compression: str = "auto"

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> JsonOptions:
        """Checked options; raises as `Known.read`. `read_ndjson` has a value on each line."""
        found = _KNOWN.read(function, given, type_of)
        if "ndjson" in function:
            found.setdefault("format", "newline_delimited")
        made = JsonOptions(file_options(found), **found)
        if not made.auto_detect and not made.columns:
            raise SourceError(f"{function} with auto_detect=false needs columns", hint="columns={'a': 'INTEGER', …}")
        if made.records is False and len(made.columns) > 1:
            raise SourceError(f"{function} with records=false gives one column", hint="columns={'a': 'JSON'}")
        return made

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return JSON_ENDINGS
