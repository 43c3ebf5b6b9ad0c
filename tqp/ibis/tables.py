"""Tables by name: which there are, their columns, making and dropping them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import ibis
import ibis.common.exceptions as exc
import ibis.expr.schema as sch
import ibis.expr.types as ir
from sqlglot import expressions as sge
from torch import Tensor

from tqp.connection import Connection
from tqp.errors import BindError, TransactionError
from tqp.ibis.errors import translated
from tqp.ibis.types import ibis_schema
from tqp.keywords import quoted_name, text_constant
from tqp.relation import Relation, TensorColumn

__all__ = ["Tables"]

_MEMORY: Final = "memory"
_TEMP: Final = "temp"
_MAIN: Final = "main"
_TRIES: Final = 100
"""How often a change is tried that others come before."""


class Tables:
    """The part of the backend that knows tables. There are two catalogs, memory and temp, with a database main each.

    Other databases are in memory: schemas, as SQL calls them.
    """

    con: Connection

    if TYPE_CHECKING:
        # Those of the backend; anything here would hide them.
        compiler: Any
        dialect: Any

        def table(self, name: str, /, *, database: tuple[str, str] | str | None = None) -> ir.Table: ...

        def _filter_with_like(self, values: list[str], like: str | None) -> list[str]: ...

        def _run_pre_execute_hooks(self, expr: ir.Expr) -> None: ...

        def _asked(self, expr: ir.Expr) -> Relation: ...

        def _to_sqlglot_table(self, database: tuple[str, str] | str | None) -> sge.Table: ...

    @property
    def current_catalog(self) -> str:
        """Where a table is made that is not temporary."""
        return _MEMORY

    @property
    def current_database(self) -> str:
        """Where a table is made that names no database."""
        return _MAIN

    def list_catalogs(self, *, like: str | None = None) -> list[str]:
        """The names of the catalogs."""
        return self._names("SELECT DISTINCT catalog_name FROM information_schema.schemata", like)

    def list_databases(self, *, like: str | None = None, catalog: str | None = None) -> list[str]:
        """The names of the databases of a catalog, or of all."""
        text = "SELECT DISTINCT schema_name FROM information_schema.schemata"
        return self._names(text if catalog is None else f"{text} WHERE catalog_name = {text_constant(catalog)}", like)

    def create_database(self, name: str, /, *, catalog: str | None = None, force: bool = False) -> None:
        """Make a database, with `force` unless there is one; that is a schema to SQL."""
        self._done(f"CREATE SCHEMA {'IF NOT EXISTS ' if force else ''}{_path(name, catalog, None)}")

    def drop_database(self, name: str, /, *, catalog: str | None = None, force: bool = False) -> None:
        """Forget a database, in which there is nothing any more; with `force` there may be none."""
        self._done(f"DROP SCHEMA {'IF EXISTS ' if force else ''}{_path(name, catalog, None)}")

    def list_tables(self, *, like: str | None = None, database: tuple[str, str] | str | None = None) -> list[str]:
        """The names of tables and views, temporary ones and objects that were registered among them."""
        catalog, name = self._place(database)
        catalogs = [_MEMORY, _TEMP] if catalog is None else [catalog]
        listed = ", ".join(map(text_constant, catalogs))
        return self._names(
            "SELECT DISTINCT table_name FROM information_schema.tables "
            f"WHERE table_catalog IN ({listed}) AND table_schema = {text_constant(name or _MAIN)}",
            like,
        )

    def _names(self, text: str, like: str | None) -> list[str]:
        return self._filter_with_like([name for (name,) in self.con.sql(text).fetchall()], like)

    def get_schema(self, table_name: str, *, catalog: str | None = None, database: str | None = None) -> sch.Schema:
        """The columns of a table; those that are NOT NULL are not nullable. TableNotFound where there is none."""
        path = _path(table_name, catalog, database)
        try:
            with translated():
                found = self.con.sql(f"FROM {path}")
                described = self.con.sql(f"DESCRIBE {path}").fetchall()
        except BindError as error:
            if table_name in self.list_tables(database=(catalog, database or _MAIN) if catalog else database):
                raise
            raise exc.TableNotFound(table_name) from error
        required = frozenset(name for name, _, null, *_ in described if null == "NO")
        return ibis_schema(found.columns, found.types, required)

    def register(self, name: str, obj: Any, /) -> ir.Table:
        """Let `name` mean anything that `tqp.Connection.register` takes, such as a dict of tensors, without a copy."""
        with translated():
            self.con.register(name, obj)
        return self.table(name)

    def create_table(
        self,
        name: str,
        /,
        obj: Any = None,
        *,
        schema: Any = None,
        database: tuple[str, str] | str | None = None,
        temp: bool = False,
        overwrite: bool = False,
    ) -> ir.Table:
        """Make a table of the rows of `obj`, or one without rows of `schema`.

        `obj` is a frame, an Arrow table, a dict of lists, arrays or tensors, a relation of tqp, or an expression.

        With both the values become those of the types of `schema`, and columns go by their names. `overwrite` puts it in the
        place of one that is there, which `obj` may read, all at once. A temporary one is in the catalog temp.
        """
        if obj is None and schema is None:
            raise ValueError("Either `obj` or `schema` must be specified")
        catalog, place = self._place(database)
        if temp and catalog not in (None, _TEMP):
            raise exc.UnsupportedArgumentError(f"temporary tables are in the catalog temp, and not in {catalog}")
        catalog = _TEMP if temp else catalog or _MEMORY
        table: Any = None if obj is None else self._rows_of(obj)
        wanted = table.schema() if schema is None else ibis.schema(schema)
        if wanted.null_fields:
            raise exc.IbisTypeError(f"columns of a table have a type other than NULL: {', '.join(wanted.null_fields)}")
        path = _path(name, catalog, place or _MAIN)
        create = f"CREATE {'OR REPLACE ' if overwrite else ''}{'TEMP ' if catalog == _TEMP else ''}TABLE"
        definitions = ", ".join(column.sql(self.dialect) for column in wanted.to_sqlglot_column_defs(self.dialect))
        if table is None:
            self._done(f"{create} {path} ({definitions})")
        else:
            self._run_pre_execute_hooks(table)
            self._fill(create, path, definitions, wanted, table)
        return self.table(name, database=(catalog, place or _MAIN))

    def _rows_of(self, obj: Any) -> ir.Table:
        """An object as an expression; Ibis knows neither relations of tqp nor dicts of tensors."""
        has_tensors = isinstance(obj, Mapping) and any(isinstance(one, Tensor | TensorColumn) for one in obj.values())
        if has_tensors or isinstance(obj, Relation):
            obj = self.con.from_df(obj).arrow()
        return obj if isinstance(obj, ir.Table) else ibis.memtable(obj)

    def drop_table(self, name: str, /, *, database: tuple[str, str] | str | None = None, force: bool = False) -> None:
        """Forget a table; with `force` there may be none."""
        self._drop("TABLE", name, database, force)

    def drop_view(self, name: str, /, *, database: tuple[str, str] | str | None = None, force: bool = False) -> None:
        """Forget a view, or an object that was registered; with `force` there may be none."""
        self._drop("VIEW", name, database, force)

    def insert(
        self, name: str, /, obj: Any, *, database: tuple[str, str] | str | None = None, overwrite: bool = False
    ) -> None:
        """Put the rows of `obj` below those of a table, or with `overwrite` in their place; columns go by their names.

        Where a name is none of the table's, all go by their places. A row that does not fit leaves the table as it was.
        """
        source = self._rows_of(obj)
        columns = self.table(name, database=database).columns
        if set(source.columns) <= set(columns):
            columns = source.columns
        path, rows = _path(name, *self._place(database)), self._asked(source)
        if overwrite:
            rows.result()
            self._at_once(lambda: self._replace(path, columns, rows))
        else:
            self._insert(path, columns, rows)

    def upsert(self, name: str, /, obj: Any, on: str, *, database: tuple[str, str] | str | None = None) -> None:
        """Give rows of a table the values of the row of `obj` that has the same `on`, and put its other rows below them.

        Columns that `obj` has not stay as they are, and are NULL in new rows. NULL in `on` equals nothing. IbisInputError where
        `obj` has columns that the table has not, none but `on`, or two rows for one of the table.
        """
        source = self._rows_of(obj)
        columns, given = self.table(name, database=database).columns, source.columns
        if on not in given or len(given) == 1 or not set(given) <= set(columns):
            raise exc.IbisInputError(
                f"upsert takes {on!r} and some of the other columns of {name}, which are {', '.join(columns)}; "
                f"it is given {', '.join(given)}"
            )
        path, rows, key = _path(name, *self._place(database)), self._asked(source), quoted_name(on)
        twice = f"SELECT {key} FROM self SEMI JOIN {path} AS t USING ({key}) GROUP BY {key} HAVING count(*) > 1 LIMIT 1"
        changed, new = [], []
        for column in map(quoted_name, columns):
            if column in map(quoted_name, given):
                changed.append(f"CASE WHEN g.tqp_is_given THEN g.{column} ELSE t.{column} END AS {column}")
                new.append(f"g.{column}")
            else:
                changed.append(f"t.{column}")
                new.append("NULL")
        after = (
            f"SELECT {', '.join(changed)} FROM {path} AS t LEFT JOIN (SELECT *, true AS tqp_is_given FROM self) AS g "
            f"ON t.{key} = g.{key} UNION ALL SELECT {', '.join(new)} FROM self AS g ANTI JOIN {path} AS t ON t.{key} = g.{key}"
        )

        def change() -> None:
            for (value,) in rows.sql(twice).fetchall():
                raise exc.IbisInputError(
                    f"there are several rows to upsert whose {on} is {value!r}, which is one row of {name}"
                )
            self._replace(path, columns, rows.sql(after))

        self._at_once(change)

    def _insert(self, path: str, columns: Sequence[str], rows: Relation) -> None:
        with translated():
            self.con.done(
                f"INSERT INTO {path} ({', '.join(map(quoted_name, columns))}) FROM rows_given", {"rows_given": rows}
            )

    def _replace(self, path: str, columns: Sequence[str], rows: Relation) -> None:
        """Put the rows in the place of all of a table, which they may be made of."""
        self._done(f"TRUNCATE {path}")
        self._insert(path, columns, rows)

    def _at_once(self, change: Callable[[], None]) -> None:
        """Do what others see all at once or not at all; anew where they changed the same meanwhile, some times."""
        if self.con.in_transaction:
            change()
            return
        for left in reversed(range(_TRIES)):
            self.con.begin()
            try:
                change()
            except BaseException:
                self.con.rollback()
                raise
            try:
                self.con.commit()
            except TransactionError:
                if not left:
                    raise
            else:
                return

    def truncate_table(self, name: str, /, *, database: tuple[str, str] | str | None = None) -> None:
        """Forget all rows of a table."""
        self._done(f"TRUNCATE {_path(name, *self._place(database))}")

    def _drop(self, kind: str, name: str, database: tuple[str, str] | str | None, force: bool) -> None:
        self._done(f"DROP {kind} {'IF EXISTS ' if force else ''}{_path(name, *self._place(database))}")

    def _fill(self, create: str, path: str, definitions: str, wanted: sch.Schema, table: ir.Table) -> None:
        """Make the table with its rows, all of them or nothing."""
        query = self.compiler.to_sqlglot(table).sql(self.dialect)
        if set(wanted.names) <= set(table.columns) and all(dtype.nullable for dtype in wanted.types):
            cast = ", ".join(
                f"CAST({quoted_name(name)} AS {self.compiler.type_mapper.to_string(dtype)}) AS {quoted_name(name)}"
                for name, dtype in wanted.items()
            )
            self._done(f"{create} {path} AS SELECT {cast} FROM ({query})")
            return

        def change() -> None:
            # They may be made of the table in whose place the new one comes.
            with translated():
                rows = self.con.sql(query)
            self._done(f"{create} {path} ({definitions})")
            self._insert(path, table.columns, rows)

        self._at_once(change)

    def _done(self, text: str) -> Relation:
        with translated():
            return self.con.execute(text)

    def _place(self, database: tuple[str, str] | str | None) -> tuple[str | None, str | None]:
        """The catalog and the database that are named; IbisInputError for more than there can be."""
        found = self._to_sqlglot_table(database)
        catalog, name = found.args["catalog"], found.args["db"]
        return (catalog.name if catalog else None), (name.name if name else None)


def _path(name: str, catalog: str | None, database: str | None) -> str:
    return ".".join(quoted_name(part) for part in (catalog, database, name) if part is not None)
