"""Rows to files, tables and views: statements over the relation."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Self

from tqp.catalog.schemas import Schemas
from tqp.errors import BindError, SourceError, UnsupportedError
from tqp.expressions.constants import constant
from tqp.io.remote import Storage
from tqp.keywords import identifier, quoted_name, text_constant
from tqp.relation.asking import Asking

__all__ = ["Writing", "path_of"]

_QUOTING: Final = ("all", "force", csv.QUOTE_ALL)


class Writing(Asking):
    """What is COPY, CREATE and INSERT in SQL, done at once.

    A file appears whole or not at all, and takes the place of one that is there unless `overwrite` is False. With `partition_by`
    `file_name` is a folder of folders called `column=value`, which has to be empty or not there; with `overwrite` files of
    the same names are replaced. `storage_options` are for the file system of a path behind a protocol (`s3://…`).
    """

    def write_parquet(
        self,
        file_name: str | os.PathLike[str],
        *,
        compression: str | None = None,
        compression_level: int | None = None,
        row_group_size: int | None = None,
        overwrite: bool | None = None,
        partition_by: Sequence[str] | None = None,
        write_partition_columns: bool | None = None,
        append: bool | None = None,
        filename_pattern: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the rows to a Parquet file, or with `partition_by` to one for each combination of values.

        `compression` is snappy (the default), zstd, gzip, brotli, lz4, lz4_raw or uncompressed. `append` adds files to the folder.

        >>> orders.write_parquet("orders.parquet", compression="zstd")
        >>> con.read_parquet("orders.parquet").fetchone()
        (1, 'ann', 10)
        """
        options = {
            "COMPRESSION": compression,
            "COMPRESSION_LEVEL": compression_level,
            "ROW_GROUP_SIZE": row_group_size,
            "PARTITION_BY": partition_by,
            "WRITE_PARTITION_COLUMNS": write_partition_columns,
            "APPEND": append,
            "FILENAME_PATTERN": filename_pattern,
        }
        self._copy("parquet", file_name, overwrite, options, storage_options)

    def write_arrow(
        self,
        file_name: str | os.PathLike[str],
        *,
        compression: str | None = None,
        overwrite: bool | None = None,
        partition_by: Sequence[str] | None = None,
        write_partition_columns: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the rows to a file of Arrow's IPC format, which is also Feather's, or with `partition_by` to several.

        `compression` is uncompressed (the default), lz4 or zstd.

        >>> orders.write_arrow("orders.arrow", compression="lz4")
        >>> con.read_arrow("orders.arrow").fetchone()
        (1, 'ann', 10)
        """
        options = {
            "COMPRESSION": compression,
            "PARTITION_BY": partition_by,
            "WRITE_PARTITION_COLUMNS": write_partition_columns,
        }
        self._copy("arrow", file_name, overwrite, options, storage_options)

    def write_csv(
        self,
        file_name: str | os.PathLike[str],
        *,
        sep: str | None = None,
        na_rep: str | None = None,
        header: bool | None = None,
        quotechar: str | None = None,
        escapechar: str | None = None,
        date_format: str | None = None,
        timestamp_format: str | None = None,
        quoting: str | int | None = None,
        encoding: str | None = None,
        compression: str | None = None,
        overwrite: bool | None = None,
        partition_by: Sequence[str] | None = None,
        write_partition_columns: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the rows to a CSV file, or with `partition_by` to one for each combination of values.

        `na_rep` is what NULL is; `quoting="all"` puts all values in quotes. `compression` is gzip or zstd, as the ending
        .gz or .zst says by itself.

        >>> orders.write_csv("orders.csv", sep=";")
        >>> print(open("orders.csv").read().splitlines()[:2])
        ['id;customer;amount', '1;ann;10']
        """
        quoting = quoting.lower() if isinstance(quoting, str) else quoting
        if quoting is not None and (isinstance(quoting, bool) or quoting not in _QUOTING):
            raise BindError(f"quoting={quoting!r} is not supported", hint='quoting="all" puts all values in quotes')
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8"):
            raise BindError(f"encoding={encoding!r} is not supported", hint="CSV files are written in UTF-8")
        options = {
            "DELIMITER": sep,
            "NULL": na_rep,
            "HEADER": header,
            "QUOTE": quotechar,
            "ESCAPE": escapechar,
            "DATEFORMAT": date_format,
            "TIMESTAMPFORMAT": timestamp_format,
            "FORCE_QUOTE": None if quoting is None else "*",
            "COMPRESSION": compression,
            "PARTITION_BY": partition_by,
            "WRITE_PARTITION_COLUMNS": write_partition_columns,
        }
        self._copy("csv", file_name, overwrite, options, storage_options)

    def write_json(
        self,
        file_name: str | os.PathLike[str],
        *,
        array: bool | None = None,
        date_format: str | None = None,
        timestamp_format: str | None = None,
        compression: str | None = None,
        overwrite: bool | None = None,
        partition_by: Sequence[str] | None = None,
        write_partition_columns: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the rows as JSON objects, one on each line, or with `array` as one array.

        >>> orders.write_json("orders.json")
        >>> con.read_json("orders.json").filter("id = 2").fetchall()
        [(2, 'bob', 8)]
        """
        options = {
            "ARRAY": array,
            "DATEFORMAT": date_format,
            "TIMESTAMPFORMAT": timestamp_format,
            "COMPRESSION": compression,
            "PARTITION_BY": partition_by,
            "WRITE_PARTITION_COLUMNS": write_partition_columns,
        }
        self._copy("json", file_name, overwrite, options, storage_options)

    to_parquet = write_parquet
    to_csv = write_csv
    to_json = write_json

    def create(self, table_name: str) -> None:
        """A new table of the connection with these rows.

        >>> orders.filter("amount > 5").create("large")
        >>> con.sql("SELECT count(*) FROM large").fetchall()
        [(2,)]
        """
        self._do(f"CREATE TABLE {path_of(table_name, self.connection.schemas)} AS FROM self")

    to_table = create

    def insert_into(self, table_name: str) -> None:
        """Add the rows to a table of the connection, column by column in their order.

        >>> orders.create("copy")
        >>> orders.limit(1).insert_into("copy")
        >>> len(con.table("copy"))
        4
        """
        self._do(f"INSERT INTO {path_of(table_name, self.connection.schemas)} FROM self")

    def insert(self, values: Iterable[object]) -> None:
        """Add a row of these values to the table, where the relation is that of `Connection.table`.

        >>> orders.create("copy")
        >>> con.table("copy").insert([4, "eve", 6])
        >>> con.table("copy").order("id DESC").fetchone()
        (4, 'eve', 6)
        """
        row = ", ".join(map(constant, values))
        self._do(f"INSERT INTO {path_of(self._table_of('insert'), self.connection.schemas)} VALUES ({row})")

    def update(self, set: Mapping[str, object], *, condition: object = None) -> None:
        """UnsupportedError: tables are versions that statements replace."""
        name = self._table_of("update")
        changed = ", ".join(f"{value} AS {identifier(column)}" for column, value in set.items())
        raise UnsupportedError(
            "update() is not supported: a table is an immutable version that statements replace",
            hint=f"CREATE OR REPLACE TABLE {name} AS SELECT * REPLACE ({changed}) FROM {name}; with a condition CASE WHEN",
        )

    def _table_of(self, method: str) -> str:
        """The name of the table that the relation is all of."""
        if self.type != "TABLE_RELATION":
            raise BindError(f"{method}() is for all of a table", hint='con.table("t")')
        return self.alias

    def create_view(self, view_name: str, replace: bool = True) -> Self:
        """A name for the query of this relation in later queries; this relation.

        >>> _ = orders.filter("customer = 'ann'").create_view("of_ann")
        >>> con.sql("SELECT sum(amount) FROM of_ann").fetchall()
        [(14,)]
        """
        self._do(
            f"CREATE {'OR REPLACE ' if replace else ''}VIEW {path_of(view_name, self.connection.schemas)} AS FROM self"
        )
        return self

    to_view = create_view

    def _copy(
        self,
        kind: str,
        file_name: str | os.PathLike[str],
        overwrite: bool | None,
        options: Mapping[str, str | int | Sequence[str] | None],
        storage: Mapping[str, Any] | None,
    ) -> None:
        path = os.fspath(file_name)
        if overwrite is False and not options["PARTITION_BY"] and os.path.exists(os.path.expanduser(path)):
            raise SourceError(f"{path!r} is there already", hint="overwrite=True puts the new file in its place")
        given = {"FORMAT": kind, **options, "OVERWRITE_OR_IGNORE": overwrite or None}
        listed = ", ".join(f"{name} {_value(value)}" for name, value in given.items() if value is not None)
        behind = None if storage is None else Storage(storage)
        self.connection.done(f"COPY (FROM self) TO {text_constant(path)} ({listed})", {"self": self}, behind)

    def _do(self, text: str) -> None:
        self.connection.done(text, {"self": self})


def _value(value: str | int | Sequence[str]) -> str:
    """The value of an option of COPY as it is written there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "*" if value == "*" else text_constant(value)
    return str(value) if isinstance(value, int) else f"({', '.join(map(quoted_name, value))})"


def path_of(name: str, schemas: Schemas) -> str:
    """The name of a table, with one of the schemas before it where it is written."""
    if not isinstance(name, str) or not name:
        raise BindError(f"the name of a table is text, not {name!r}")
    path = schemas.path_of(name)
    return ".".join(map(quoted_name, (*path.qualifiers, path.name)))
