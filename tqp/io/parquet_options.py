"""How Parquet files are read: the options of `read_parquet`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tqp.io.options import COMMON, FileOptions, Known, TypeOf, file_options, flag, number, text

__all__ = ["PARQUET", "ParquetOptions"]

PARQUET: Final = (".parquet", ".parq", ".pq")
"""Endings of the names of Parquet files."""


def _anything(name: str, value: Any, _: TypeOf) -> Any:
    return value


_KNOWN: Final = Known(
    {**COMMON, "file_row_number": flag, "binary_as_string": flag},
    refused={
        "schema": "SELECT the columns under other names, with casts",
        "encryption_config": "decrypt the file first",
        "int96_as": "CAST the column",
        "utf8_validation": "text that is no UTF-8 is an error",
        "bound_schema": "SELECT the columns under other names, with casts",
        "column_statistics": "the footers of the files have them",
    },
    idle={
        "compression": text,
        "explicit_cardinality": number(1),
        "parquet_version": _anything,
        "can_have_nan": flag,
        "prefetch_strategy": _anything,
        "debug_use_openssl": flag,
    },
)


@dataclass(frozen=True, slots=True)
class ParquetOptions:
    """How Parquet files are read; `file_row_number`: a column has the number of each row in its file, from 0 on.

    `binary_as_string`: bytes are text, as old writers kept it.
    """

    files: FileOptions = field(default_factory=FileOptions)
    file_row_number: bool = False
    binary_as_string: bool = False

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> ParquetOptions:
        """Checked options; raises as `Known.read`."""
        found = _KNOWN.read(function, given, type_of)
        return ParquetOptions(file_options(found), **found)

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return PARQUET
