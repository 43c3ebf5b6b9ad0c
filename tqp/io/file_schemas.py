"""Columns of files that make one table: those of the files together, and those that their paths tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from tqp.data.column import Column
from tqp.errors import SourceError
from tqp.functions.promotion import forced_type
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import DOCUMENTS, dtype_from_arrow, has_fixed_bytes, unsupported_reason
from tqp.io.export import arrow_type
from tqp.io.hive import OfPaths, hidden_columns, path_columns
from tqp.io.options import FileOptions
from tqp.io.readers import Described
from tqp.io.united import BY_NAME, FileSchema, UnitedColumn, united
from tqp.types import NULL, VARCHAR, VARIANT, DType

__all__ = ["FilesTogether", "path_column", "types_of_paths", "with_path_columns"]


class FilesTogether(Described):
    """Rows and schema of a table in files that Arrow schemas describe.

    Columns are those of the first file, or with `union_by_name` of all files; one that another file has not cannot be read. What
    paths tell is a column, too, and wins over columns of that name in the files.
    """

    def __init__(
        self,
        shown: Sequence[str],
        schemas: Sequence[pa.Schema],
        rows: int,
        options: FileOptions,
        as_read: Callable[[pa.DataType], pa.DataType] = lambda kind: kind,
        added: Mapping[str, pa.DataType] | None = None,
        asked: Sequence[UnitedColumn] = (),
    ) -> None:
        """`shown` and `schemas` are those of the files; `as_read` gives the type that one is read as, `added` are columns that
        the reader makes itself. `asked` are the columns of the table, if not those of the files."""
        if asked:
            schema, self._uneven = _with_types(asked, schemas, as_read)
        else:
            schema, self._uneven = _together(shown, schemas, options, as_read)
        self._of_paths = path_columns(shown, options)
        for name, kind in (added or {}).items():
            schema = _with_column(schema, name, kind, "rename the column of the file")
        for name, told in self._of_paths.items():
            hint = _other_name(options) if name == options.filename else None
            schema = _with_column(schema, name, told.kind, hint)
            self._uneven.pop(name, None)
        super().__init__(schema, rows)
        united_types = {name: column.dtype for name, column in self._uneven.items()}
        self.schema = tuple((name, united_types.get(name, dtype)) for name, dtype in self.schema)
        # Who asks for no column that a file has not reads all files.
        lacking = {name: f"{column.lacking}; {BY_NAME}" for name, column in self._uneven.items() if column.lacking}
        self.unsupported = {**self.unsupported, **lacking}
        hidden = hidden_columns(shown, options, self.types)
        self._of_paths |= hidden
        self.types |= {name: told.kind for name, told in hidden.items()}
        self.hidden = types_of_paths(hidden)


def path_column(name: str, told: OfPaths, runs: Sequence[tuple[int, int]]) -> Column:
    """A column that paths tell: the value of a file, by its place, for so many rows, one run below the other."""
    values = told.array(file for file, _ in runs)
    chunks = [pa.repeat(value, rows) for value, (_, rows) in zip(values, runs, strict=True)]
    return column_from_arrow(pa.chunked_array(chunks, told.kind), name)


def types_of_paths(paths: Mapping[str, OfPaths]) -> tuple[tuple[str, DType], ...]:
    """The names and types of columns that paths tell."""
    return tuple((name, dtype_from_arrow(told.kind) or VARCHAR) for name, told in paths.items())


def with_path_columns(
    schema: Mapping[str, DType], paths: Mapping[str, OfPaths], options: FileOptions
) -> dict[str, DType]:
    """The columns with those that paths tell, which win; SourceError where the files have the one that is to have the path."""
    found = dict(schema)
    for name, dtype in types_of_paths(paths):
        if name == options.filename and name.lower() in map(str.lower, found):
            raise _own(name, _other_name(options))
        found[name] = dtype
    return found


def _together(
    files: Sequence[str],
    schemas: Sequence[pa.Schema],
    options: FileOptions,
    as_read: Callable[[pa.DataType], pa.DataType],
) -> tuple[pa.Schema, dict[str, UnitedColumn]]:
    """The columns of the table, and those of them that files have in several ways."""
    first = pa.schema([one.with_type(as_read(one.type)) for one in schemas[0]])
    if all((schema.names, schema.types) == (schemas[0].names, schemas[0].types) for schema in schemas[1:]):
        return first, {}
    columns = [
        FileSchema(shown, tuple((one.name, dtype_from_arrow(as_read(one.type)) or NULL) for one in schema))
        for shown, schema in zip(files, schemas, strict=True)
    ]
    by_name = options.union_by_name
    return _with_types(united(columns, by_name, _all if by_name else _first), schemas, as_read)


def _with_types(
    columns: Sequence[UnitedColumn], schemas: Sequence[pa.Schema], as_read: Callable[[pa.DataType], pa.DataType]
) -> tuple[pa.Schema, dict[str, UnitedColumn]]:
    """The schema of the columns, and those that files do not have as they are."""
    found = []
    uneven = {}
    for column in columns:
        kinds = [schema.field(own[0]).type for own, schema in zip(column.own, schemas, strict=True) if own is not None]
        unknown = next((kind for kind in kinds if unsupported_reason(kind)), None)
        if unknown is None and not column.is_even:
            uneven[column.name] = column
        kind = next(iter(kinds), pa.null()) if unknown is None else unknown
        # Bytes of one length do not become others of another length.
        if unknown is None and (dtype_from_arrow(kind) != column.dtype or any(map(has_fixed_bytes, kinds))):
            kind = DOCUMENTS if column.dtype == VARIANT else arrow_type(column.dtype)
        found.append(pa.field(column.name, as_read(kind)))
    return pa.schema(found), uneven


def _all(kinds: Sequence[DType]) -> DType:
    return forced_type(*kinds)


def _first(kinds: Sequence[DType]) -> DType:
    """The type of the first file that says one."""
    return next((kind for kind in kinds if kind != NULL), NULL)


def _with_column(schema: pa.Schema, name: str, kind: pa.DataType, hint: str | None) -> pa.Schema:
    """The schema with a column in the place of one of that name; with a `hint` SourceError where the files have such a one."""
    place = next((place for place, own in enumerate(schema.names) if own.lower() == name.lower()), None)
    if place is None:
        return schema.append(pa.field(name, kind))
    if hint is not None:
        raise _own(name, hint)
    return schema.set(place, pa.field(name, kind))


def _own(name: str, hint: str) -> SourceError:
    return SourceError(f"the files have a column {name!r} of their own", hint=hint)


def _other_name(options: FileOptions) -> str:
    return f"filename='{options.filename}_of_file'"
