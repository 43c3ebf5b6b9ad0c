"""Reading files as tables: the methods of a connection that stand for `read_parquet` and its kin in FROM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import pyarrow as pa

from tqp.errors import BindError, SourceError
from tqp.io.arrow_types import dtype_from_arrow
from tqp.io.files import FileCall, Paths
from tqp.sql.signatures import dtype_named
from tqp.types import DType

if TYPE_CHECKING:
    from tqp.catalog.catalog import Catalog
    from tqp.data.stored import StoredTable
    from tqp.relation import Relation

__all__ = ["Readers"]

TypeGiven: TypeAlias = str | DType | pa.DataType | type
"""A type: by its name in SQL, as one of tqp, Arrow or Python."""
Types = Mapping[str, TypeGiven]
"""Types by the names of columns."""

_OF_PYTHON: Final = {
    "quotechar": "quote",
    "escapechar": "escape",
    "na_values": "nullstr",
    "skiprows": "skip",
    "decimal": "decimal_separator",
}
"""Names that options have in Python and not in SQL."""


class Readers:
    """The part of a connection that reads files. Options mean what DuckDB's do; None stands for one that is not given.

    `path` is a file, a glob (`*`, `**`, `?`, `[a-z]`), a directory, or a list of them, of this machine or behind a protocol
    (`s3://…`), for whose file system `storage_options` are. Options of all readers: `filename`, a
    column with the path of each row's file (True, or its name); `hive_partitioning`, whether folders called `key=value` are
    columns (None: where all files have the same ones), and `hive_types`, types of some of them, which are found out by their
    values unless `hive_types_autocast` is False; `union_by_name`, the columns of all files and not those of the first one;
    `allow_empty`, whether there may be no file. Raises SourceError for what cannot be read, UnsupportedError for options that
    tqp has not.
    """

    @property
    def catalog(self) -> Catalog:
        raise NotImplementedError

    def _table_of(self, call: FileCall) -> StoredTable:
        raise NotImplementedError

    def all_of(self, table: StoredTable) -> Relation:
        """All rows and columns of a table."""
        raise NotImplementedError

    def read_parquet(
        self,
        path: Paths,
        binary_as_string: bool | None = None,
        *,
        filename: bool | str | None = None,
        file_row_number: bool | None = None,
        hive_partitioning: bool | None = None,
        hive_types: Types | None = None,
        hive_types_autocast: bool | None = None,
        union_by_name: bool | None = None,
        schema: Mapping[int | str, Mapping[str, Any]] | None = None,
        allow_empty: bool | None = None,
        compression: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Relation:
        """Parquet files, whose columns are read on first use; `file_row_number`: a column of the positions of rows in their files;
        `binary_as_string`: bytes are text. `schema` are the columns of the table instead of those of the files, by the numbers of
        their fields or their names there: `{10: {"name": "id", "type": "BIGINT", "default_value": None}}`.

        >>> orders.write_parquet("orders.parquet")
        >>> con.read_parquet("orders.parquet").project("id, customer").limit(1).fetchall()
        [(1, 'ann')]
        """
        return self._read("read_parquet", locals())

    def read_csv(
        self,
        path: Paths,
        *,
        delimiter: str | None = None,
        quote: str | None = None,
        escape: str | None = None,
        comment: str | None = None,
        header: bool | Literal[0] | None = None,
        skip: int | None = None,
        names: Sequence[str] | None = None,
        columns: Types | None = None,
        types: Types | Sequence[TypeGiven] | None = None,
        auto_detect: bool | None = None,
        auto_type_candidates: Sequence[TypeGiven] | None = None,
        all_varchar: bool | None = None,
        sample_size: int | None = None,
        nullstr: str | Sequence[str] | None = None,
        allow_quoted_nulls: bool | None = None,
        force_not_null: Sequence[str] | None = None,
        null_padding: bool | None = None,
        ignore_errors: bool | None = None,
        normalize_names: bool | None = None,
        dateformat: str | None = None,
        timestampformat: str | None = None,
        decimal_separator: str | None = None,
        thousands: str | None = None,
        encoding: str | None = None,
        compression: str | None = None,
        max_line_size: int | None = None,
        strict_mode: bool | None = None,
        parallel: bool | None = None,
        buffer_size: int | None = None,
        files_to_sniff: int | None = None,
        store_rejects: bool | None = None,
        rejects_table: str | None = None,
        rejects_scan: str | None = None,
        rejects_limit: int | None = None,
        sep: str | None = None,
        quotechar: str | None = None,
        escapechar: str | None = None,
        na_values: str | Sequence[str] | None = None,
        skiprows: int | None = None,
        dtype: Types | Sequence[TypeGiven] | None = None,
        date_format: str | None = None,
        timestamp_format: str | None = None,
        decimal: str | None = None,
        filename: bool | str | None = None,
        hive_partitioning: bool | None = None,
        hive_types: Types | None = None,
        hive_types_autocast: bool | None = None,
        union_by_name: bool | None = None,
        allow_empty: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Relation:
        """CSV files, read when this is called; each column is converted when a query first uses it.

        Other options are detected from the first `sample_size` lines (20,480; -1: all): `delimiter`, `quote`, `escape`,
        `comment`, whether there is a `header`, names, types, and the formats of dates (`dateformat`, `timestampformat`).
        `names` are those of the first columns, `columns` all names with their types, `types` types of some columns or of the
        first ones. `nullstr` texts are NULL. `null_padding` fills up rows that are too short, `ignore_errors` leaves out rows that
        cannot be read. `sep`, `quotechar`, `escapechar`, `na_values`, `skiprows`, `dtype`, `date_format`, `timestamp_format` and
        `decimal` are the names in DuckDB's Python of `delimiter`, `quote`, `escape`, `nullstr`, `skip`, `types`, `dateformat`,
        `timestampformat` and `decimal_separator`, where `header=0` also means that there is a header. `parallel`, `buffer_size` and
        `files_to_sniff` change no answer here; `strict_mode=False`, `store_rejects` and its kin are refused, with what works.

        >>> orders.write_csv("orders.csv")
        >>> con.read_csv("orders.csv", sep=",", dtype={"amount": "DECIMAL(9, 2)"}).types
        [BIGINT, VARCHAR, DECIMAL(9,2)]
        """
        return self._read("read_csv", locals())

    def read_json(
        self,
        path: Paths,
        *,
        format: str | None = None,
        records: bool | str | None = None,
        columns: Types | None = None,
        auto_detect: bool | None = None,
        sample_size: int | None = None,
        maximum_sample_files: int | None = None,
        maximum_depth: int | None = None,
        field_appearance_threshold: float | None = None,
        map_inference_threshold: int | None = None,
        convert_strings_to_integers: bool | None = None,
        ignore_errors: bool | None = None,
        dateformat: str | None = None,
        timestampformat: str | None = None,
        compression: str | None = None,
        filename: bool | str | None = None,
        hive_partitioning: bool | None = None,
        hive_types: Types | None = None,
        hive_types_autocast: bool | None = None,
        union_by_name: bool | None = None,
        allow_empty: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Relation:
        """JSON files, read when this is called: an array of values, values one after the other, or one on each line.

        `format` is "auto", "array", "newline_delimited" or "unstructured". With `records` the members of objects are columns,
        else there is one column `json`. `columns` are their types, else they are found out from the first `sample_size` values
        (20,480; -1: all), `maximum_depth` levels deep; objects of `map_inference_threshold` keys and more are maps, as are
        those whose keys are in less than `field_appearance_threshold` of them. With `ignore_errors` what cannot be read is NULL.

        >>> orders.write_json("orders.json", array=True)
        >>> con.read_json("orders.json", columns={"id": "INTEGER"}).fetchall()
        [(1,), (2,), (3,)]
        """
        return self._read("read_json", locals())

    def read_arrow(
        self,
        path: Paths,
        *,
        filename: bool | str | None = None,
        hive_partitioning: bool | None = None,
        hive_types: Types | None = None,
        hive_types_autocast: bool | None = None,
        union_by_name: bool | None = None,
        allow_empty: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Relation:
        """Files of Arrow's IPC format, Feather files among them: columns are read on first use, streams when this is called."""
        return self._read("read_arrow", locals())

    from_parquet = read_parquet
    from_csv_auto = read_csv

    def _read(self, function: str, named: dict[str, Any]) -> Relation:
        given: dict[str, Any] = {}
        for name, value in named.items():
            if value is None or name in ("self", "path", "storage_options"):
                continue
            own = _OF_PYTHON.get(name, name)
            if name == "header" and isinstance(value, int) and not isinstance(value, bool):
                value = _has_header(value)
            if own in given:
                raise SourceError(
                    f"{function} is given {own} and {name}, which are one option", hint="give one of them"
                )
            given[own] = value
        return self.all_of(
            self._table_of(FileCall.of(function, named["path"], given, self._type, named["storage_options"]))
        )

    def _type(self, name: str, given: TypeGiven) -> DType:
        if not isinstance(given, pa.DataType):
            return dtype_named(name, given, self.catalog.types)
        found = dtype_from_arrow(given)
        if found is None:
            raise BindError(f"{name}: tqp has no type for Arrow's {given}")
        return found


def _has_header(line: int) -> bool:
    """What the number of the header's line says in pandas, and so in DuckDB's Python."""
    if line:
        raise SourceError(
            f"header={line} is no number of a line that can be the header", hint="header=True, and skip= lines"
        )
    return True
