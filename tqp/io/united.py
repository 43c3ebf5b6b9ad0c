"""Columns of several files as those of one table: by name, in the types of the first file or of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import torch

from tqp.data.column import Column, constant
from tqp.data.table import Table
from tqp.errors import SourceError, TqpError
from tqp.functions.casts.cast import cast
from tqp.functions.promotion import castable
from tqp.io.arrow import column_from_arrow
from tqp.io.rows import Rows, as_stored
from tqp.types import DType

__all__ = ["BY_NAME", "FileSchema", "UnitedColumn", "default_column", "one_below_the_other", "united"]

BY_NAME = "with union_by_name=true what a file has not is NULL"
_HOST = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The columns of one file, which `shown` names."""

    shown: str
    columns: tuple[tuple[str, DType], ...]


@dataclass(frozen=True, slots=True)
class UnitedColumn:
    """A column of a table in files: `own` is what each of them calls it, and its type there; None where a file has none.

    `lacking`: what to say where a file has not what the first one has; None where nothing is wrong. `default` is what a file
    without it has in its rows, of a column whose name and type the caller says; None for NULL in others.
    """

    name: str
    dtype: DType
    own: tuple[tuple[str, DType] | None, ...]
    lacking: str | None = None
    default: pa.Scalar | None = None

    @property
    def is_even(self) -> bool:
        """Whether it is the same in all files."""
        return all(one == (self.name, self.dtype) for one in self.own)


def united(
    files: Sequence[FileSchema], by_name: bool, together: Callable[[Sequence[DType]], DType]
) -> list[UnitedColumn]:
    """The columns of the first file that has any, which all should have, or `by_name` those of all files.

    `together` says what types become. Names are alike without regard to case. Files without columns lack none.
    """
    lowered = [{name.lower(): (name, dtype) for name, dtype in file.columns} for file in files]
    main = next((file for file in files if file.columns), files[0])
    names: dict[str, str] = {}
    for file in files if by_name else [main]:
        for name, _ in file.columns:
            names.setdefault(name.lower(), name)
    found = []
    for lower, name in names.items():
        own = tuple(columns.get(lower) for columns in lowered)
        absent = [file.shown for file, one in zip(files, own, strict=True) if one is None and file.columns]
        lacking = None
        if absent and not by_name:
            lacking = f"{absent[0]!r} and {main.shown!r} differ in their columns: {absent[0]!r} has no column {name!r}"
        found.append(UnitedColumn(name, together([one[1] for one in own if one is not None]), own, lacking))
    return found


def one_below_the_other(column: UnitedColumn, pieces: Sequence[tuple[str, Column | None, int]]) -> Column:
    """The column of pieces (the file's name, what it has, rows), cast to its type; its default where a file has none.

    SourceError for a value that is none of the type.
    """
    schema = ((column.name, column.dtype),)
    tables = []
    for shown, found, rows in pieces:
        whole = default_column(column.default, column.dtype, rows) if found is None else found
        if not castable(whole.dtype, column.dtype):
            raise _mismatch(shown, column, whole.dtype, "")
        try:
            tables.append(as_stored(Table((column.name,), (whole,), rows), schema))
        except TqpError as error:
            raise _mismatch(shown, column, whole.dtype, f": {error.message}") from error
    return Rows(schema, tables, _HOST).column(column.name)


def default_column(value: pa.Scalar | None, dtype: DType, rows: int) -> Column:
    """One value (None: NULL) in so many rows of the type; ExecutionError where it is none of it."""
    if value is None or not value.is_valid:
        return constant(None, dtype, _HOST)
    return cast(column_from_arrow(pa.chunked_array([pa.repeat(value, rows)])), dtype, False)


def _mismatch(shown: str, column: UnitedColumn, have: DType, why: str) -> SourceError:
    by_name = "with union_by_name=true a column has a type for the values of all files"
    return SourceError(
        f"column {column.name!r} of {shown!r} is {have}, which cannot be read as {column.dtype}{why}",
        hint=by_name if column.default is None else "say another type in schema",
    )
