"""How Parquet files are read: the options of `read_parquet`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from tqp.errors import SourceError, TqpError, UnsupportedError
from tqp.io.options import COMMON, REFUSED, FileOptions, Known, TypeOf, file_options, flag, number, only, text, word
from tqp.io.united import default_column
from tqp.types import DType

__all__ = ["PARQUET", "AskedColumn", "ParquetOptions"]

PARQUET: Final = (".parquet", ".parq", ".pq")
"""Endings of the names of Parquet files."""
_FIELDS: Final = ["name", "type", "default_value"]
_AS_WRITTEN: Final = "schema=MAP {1: {name: 'a', type: 'BIGINT', default_value: NULL}}"


@dataclass(frozen=True, slots=True)
class AskedColumn:
    """A column that `schema` asks for: the one of a field's number or name in each file; the default where a file has none."""

    key: int | str
    name: str
    dtype: DType
    default: pa.Scalar


def _schema(name: str, value: Any, type_of: TypeOf) -> tuple[AskedColumn, ...]:
    """Columns by the numbers of their fields, or by their names in the files."""
    if not isinstance(value, Mapping) or not value or not all(map(_is_key, value)):
        raise SourceError(f"{name} is no map of the numbers or names of fields to columns", hint=_AS_WRITTEN)
    found: list[AskedColumn] = []
    for key, told in value.items():
        if isinstance(told, Mapping) and [*told] == [*_FIELDS, "children"]:
            raise UnsupportedError(
                f"{name}: children of {key!r} are not supported", hint="name the type of the whole column"
            )
        if (
            not isinstance(told, Mapping)
            or [*told] != _FIELDS
            or not all(isinstance(told[one], str) for one in _FIELDS[:2])
        ):
            raise SourceError(
                f"{name}: {key!r} has not the fields {', '.join(_FIELDS)}, in this order", hint=_AS_WRITTEN
            )
        column, dtype = told["name"], type_of(f"{name}, {told['name']}", told["type"])
        if column.lower() in (one.name.lower() for one in found):
            raise SourceError(f"{name}: {column!r} stands twice")
        try:
            default = pa.scalar(told["default_value"])
            default_column(default, dtype, 1)
        except (pa.ArrowException, TqpError) as error:
            raise SourceError(f"{name}: the default_value of {column!r} is no {dtype}") from error
        found.append(AskedColumn(key, column, dtype, default))
    return tuple(found)


def _is_key(key: Any) -> bool:
    return isinstance(key, (int, str)) and not isinstance(key, bool)


def _anything(name: str, value: Any, _: TypeOf) -> Any:
    return value


_KNOWN: Final = Known(
    {**COMMON, "file_row_number": flag, "binary_as_string": flag, "schema": _schema},
    refused={
        "encryption_config": "decrypt the file first",
        "bound_schema": "schema=MAP {'a': {name: 'a', type: 'BIGINT', default_value: NULL}}",
        "column_statistics": REFUSED["column_statistics"],
    },
    idle={
        "compression": text,
        "explicit_cardinality": number(0),
        "parquet_version": _anything,
        "can_have_nan": flag,
        "prefetch_strategy": word("auto", "whole_group"),
        "debug_use_openssl": flag,
        "maximum_files_for_stats": number(0),
        "int96_as": only(
            word("timestamp", "timestamp_ns", "struct"), "timestamp", "they are TIMESTAMP: CAST the column"
        ),
        "utf8_validation": only(word("strict", "replace", "ignore"), "strict", "text that is no UTF-8 is an error"),
    },
)


@dataclass(frozen=True, slots=True)
class ParquetOptions:
    """How Parquet files are read; `file_row_number`: a column has the number of each row in its file, from 0 on.

    `binary_as_string`: bytes are text, as old writers kept it. `schema`: the columns of the table, if not those of the files.
    """

    files: FileOptions = field(default_factory=FileOptions)
    file_row_number: bool = False
    binary_as_string: bool = False
    schema: tuple[AskedColumn, ...] = ()

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> ParquetOptions:
        """Checked options; raises as `Known.read`."""
        found = _KNOWN.read(function, given, type_of)
        made = ParquetOptions(file_options(found), **found)
        if made.schema and made.files.union_by_name:
            raise SourceError(
                f"{function} takes schema or union_by_name, not both", hint="schema has the columns of all files"
            )
        return made

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return PARQUET
