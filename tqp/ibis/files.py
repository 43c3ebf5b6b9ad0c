"""Files in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import ibis.expr.types as ir
from ibis import util

from tqp.connection import Connection
from tqp.ibis.errors import translated
from tqp.ibis.types import type_name
from tqp.relation import Relation

__all__ = ["Files"]

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class Files:
    """The part of the backend that reads and writes files. What is read is a view: queries read the columns that they need."""

    con: Connection

    if TYPE_CHECKING:
        # Those of the backend; anything here would hide them.

        def table(self, name: str, /) -> ir.Table: ...

        def _asked(self, expr: ir.Expr, params: Mapping[ir.Scalar, Any] | None) -> Relation: ...

    def read_parquet(self, paths: Paths, /, *, table_name: str | None = None, **options: Any) -> ir.Table:
        """Parquet files as a table; the options are those of `tqp.Connection.read_parquet`."""
        return self._read("read_parquet", paths, table_name, options)

    def read_csv(
        self,
        paths: Paths,
        /,
        *,
        table_name: str | None = None,
        columns: Mapping[str, Any] | None = None,
        types: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> ir.Table:
        """CSV files as a table, with a header unless `header=False`; the options are those of `tqp.Connection.read_csv`.

        `columns` are all columns with their types, `types` those of some; types are names of SQL or types of Ibis.
        """
        options.setdefault("header", True)
        named = {"columns": columns, "types": types}
        options |= {key: _types(given) for key, given in named.items() if given is not None}
        return self._read("read_csv", paths, table_name, options)

    def read_json(
        self,
        paths: Paths,
        /,
        *,
        table_name: str | None = None,
        columns: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> ir.Table:
        """JSON files as a table; the options are those of `tqp.Connection.read_json`, types as in `read_csv`."""
        if columns is not None:
            options["columns"] = _types(columns)
        return self._read("read_json", paths, table_name, options)

    def to_parquet(
        self,
        expr: ir.Table,
        /,
        path: str | os.PathLike[str],
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        **options: Any,
    ) -> None:
        """Write the rows to a Parquet file; the options are those of `tqp.Relation.write_parquet`."""
        self._write("write_parquet", expr, path, params, options)

    def to_csv(
        self,
        expr: ir.Table,
        /,
        path: str | os.PathLike[str],
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        header: bool = True,
        **options: Any,
    ) -> None:
        """Write the rows to a CSV file; the options are those of `tqp.Relation.write_csv`."""
        self._write("write_csv", expr, path, params, {"header": header, **options})

    def to_json(
        self,
        expr: ir.Table,
        /,
        path: str | os.PathLike[str],
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        **options: Any,
    ) -> None:
        """Write the rows to a JSON file, an array of objects; the options are those of `tqp.Relation.write_json`."""
        self._write("write_json", expr, path, params, {"array": True, **options})

    def _read(self, reader: str, paths: Paths, name: str | None, options: Mapping[str, Any]) -> ir.Table:
        name = name or util.gen_name(reader)
        with translated():
            found = getattr(self.con, reader)(util.normalize_filenames(paths), **options)
            self.con.register(name, found)
        return self.table(name)

    def _write(
        self,
        writer: str,
        expr: ir.Table,
        path: str | os.PathLike[str],
        params: Mapping[ir.Scalar, Any] | None,
        options: Mapping[str, Any],
    ) -> None:
        with translated():
            getattr(self._asked(expr, params), writer)(path, **options)


def _types(given: Mapping[str, Any]) -> dict[str, str]:
    return {name: type_name(dtype) for name, dtype in given.items()}
