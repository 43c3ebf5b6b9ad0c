"""DuckDB beside tqp: the objects that a query was asked of, and the query, as DuckDB reads them by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tqp.catalog.definitions import TEMP, View
from tqp.catalog.versions import systems_of
from tqp.config import Settings
from tqp.data.stored import StoredTable
from tqp.errors import UnsupportedError
from tqp.io.files import FileCall
from tqp.io.libraries import need
from tqp.ir.plan import Field, Plan, Scan
from tqp.keywords import quoted_name, text_constant
from tqp.query import Query
from tqp.sql.parameters import Written
from tqp.sql.python_values import Vector
from tqp.types import DType, Kind

if TYPE_CHECKING:
    from tqp.sql import Parameters

__all__ = ["Answer", "Oracle", "arrow_of"]

Answer = Callable[[Plan], pa.Table]
"""The rows of a plan as tqp has them."""


class Oracle:
    """A connection of DuckDB with the tables that the names in a query meant; close it, or use it in `with`.

    `answer` gives the rows of what DuckDB cannot read by itself. `failure` is the class of DuckDB's errors. Raises
    SourceError where DuckDB is not installed.
    """

    def __init__(self, query: Query, answer: Answer, settings: Settings) -> None:
        duckdb = _duckdb()
        self.failure: type[Exception] = duckdb.Error
        self._params = _given(query.params)
        self._duckdb = duckdb.connect(config={"threads": settings.threads})
        self._duckdb.execute("SET TimeZone = $zone", {"zone": settings.time_zone})
        order = {
            "default_order": "DESC" if settings.order.descending else "ASC",
            "default_null_order": settings.order.nulls,
            "default_collation": settings.order.collation,
        }
        for name, value in order.items():
            self._duckdb.execute(f"SET {name} = {text_constant(value)}")
        self._schemas = query.types.schemas
        for schema in self._schemas.known.values():
            self._duckdb.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted_name(schema)}")
        for (place, _), named in query.types.known.items():
            _, schema = self._schemas.shown(place)
            made = "TEMP TYPE" if place == TEMP else "TYPE"
            self._duckdb.execute(f"CREATE {made} {quoted_name(schema)}.{quoted_name(named.name)} AS {named.dtype}")
        for meaning in query.names.values():
            for system in systems_of(meaning) if isinstance(meaning, StoredTable) else ():
                self._duckdb.register_filesystem(system)
        for name, meaning in query.names.items():
            if not isinstance(meaning, View) and not _names_file(name, meaning):
                self._add(name, meaning, answer)
                self._also_behind_schema(name)
        # What a view reads was looked up after it.
        for name, meaning in reversed(list(query.names.items())):
            if isinstance(meaning, View):
                columns = f"({', '.join(map(quoted_name, meaning.columns))})" if meaning.columns else ""
                self._duckdb.execute(f"CREATE VIEW {quoted_name(name)}{columns} AS {meaning.text}")
                self._also_behind_schema(name)
        if self._schemas.search:
            # What a type is called without its schema.
            self._duckdb.execute(f"SET search_path = {text_constant(self._schemas.searched())}")

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._duckdb.close()

    def run(self, text: str) -> pa.Table:
        """DuckDB's answer to a query with the parameters of the first."""
        return arrow_of(self._duckdb.sql(text, params=self._params))

    def _also_behind_schema(self, name: str) -> None:
        """Let what has a name with points have it behind the schema that it says, too."""
        path = self._schemas.path_of(name)
        if path.qualifiers:
            written = ".".join(map(quoted_name, (*path.qualifiers, path.name)))
            made = "TEMP VIEW" if path.qualifiers[0].lower() == TEMP else "VIEW"
            self._duckdb.execute(f"CREATE {made} {written} AS FROM {quoted_name(name)}")

    def _add(self, name: str, meaning: StoredTable | Plan, answer: Answer) -> None:
        if isinstance(meaning, StoredTable):
            original = meaning.original
            if original is not None and self._reads(name, original):
                return
            meaning = _all_columns(meaning)
        self._register(name, meaning, answer(meaning))

    def _reads(self, name: str, original: object) -> bool:
        """Whether DuckDB reads the object, or the Parquet files of these paths, as a table of its own."""
        try:
            if isinstance(original, tuple):
                paths = ", ".join(map(text_constant, original))
                self._duckdb.execute(f"CREATE VIEW {quoted_name(name)} AS SELECT * FROM read_parquet([{paths}])")
            else:
                self._duckdb.register(name, original)
            self._duckdb.execute(f"SELECT * FROM {quoted_name(name)} LIMIT 0")
        except self.failure:
            return False
        return True

    def _register(self, name: str, plan: Plan, arrow: pa.Table) -> None:
        """Make the rows a table: what Arrow calls otherwise has its type again (HUGEINT, ENUM), and text its collation."""
        changed = [field for field in plan.schema if field.dtype.kind in _NAMED or field.dtype.is_collated]
        if not changed:
            self._duckdb.register(name, arrow)
            return
        self._duckdb.register("__arrow", arrow)
        columns = [(quoted_name(field.name), field.dtype) for field in changed]
        casts = ", ".join(f"{_as_stored(column, dtype)} AS {column}" for column, dtype in columns)
        self._duckdb.execute(f"CREATE TABLE {quoted_name(name)} AS SELECT * REPLACE ({casts}) FROM __arrow")


_NAMED = (Kind.HUGEINT, Kind.ENUM)
"""Types that Arrow calls otherwise."""


def _as_stored(value: str, dtype: DType, depth: int = 0) -> str:
    """The text of a value of the type, whose own text gives it as Arrow has it; `depth` lambdas are around it."""
    if dtype.kind in _NAMED:
        return f"{value}::{dtype}"
    if dtype.collation:
        return f"{value} COLLATE {quoted_name(dtype.collation)}"
    if dtype.kind is Kind.LIST and dtype.element is not None and dtype.is_collated and not dtype.size:
        return f"list_transform({value}, lambda e{depth} : {_as_stored(f'e{depth}', dtype.element, depth + 1)})"
    if dtype.is_struct and dtype.is_collated and not dtype.is_row:
        named = [(quoted_name(field.name), field.type) for field in dtype.fields]
        parts = ", ".join(f"{name} := {_as_stored(f'({value}).{name}', field, depth)}" for name, field in named)
        return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({parts}) END"
    if dtype.is_collated and (dtype.is_struct or dtype.size):
        hint = "COLLATE what is taken out of it"
        raise UnsupportedError(f"queries of a stored {dtype} with a collation cannot be verified", hint=hint)
    return value


_AS_TEXT = ("BIT", "TIME WITH TIME ZONE")


def arrow_of(relation: Any) -> pa.Table:
    """A relation of DuckDB as a table, with the texts of what DuckDB exports as it stores it, or without its offset."""
    names = relation.columns
    if any(str(dtype) in _AS_TEXT for dtype in relation.types):
        kept = ["::VARCHAR" if str(dtype) in _AS_TEXT else "" for dtype in relation.types]
        relation = relation.project(", ".join([f"#{place}{cast} AS c{place}" for place, cast in enumerate(kept, 1)]))
    table: pa.Table = relation.to_arrow_table()
    return table.rename_columns(names)


def _names_file(name: str, meaning: object) -> bool:
    """Whether the name is the path of a Parquet file, which DuckDB finds by itself, or a call that it makes itself."""
    return (
        isinstance(name, FileCall)
        or isinstance(meaning, StoredTable)
        and isinstance(meaning.original, tuple)
        and "." in name
    )


def _all_columns(table: StoredTable) -> Plan:
    kept = [(name, dtype) for name, dtype in table.schema if name not in table.unsupported]
    fields = tuple(Field(f"{name}_{place}", name, dtype) for place, (name, dtype) in enumerate(kept))
    return Scan(table, tuple(name for name, _ in kept), fields)


def _given(params: Parameters) -> Any:
    """The parameters as DuckDB takes them: vectors as lists."""
    if params is None:
        return None

    def plain(value: Any) -> Any:
        if isinstance(value, Vector):
            return list(value.numbers)
        if isinstance(value, Written):
            return value.value
        return value.tolist() if getattr(value, "ndim", 0) else value

    if isinstance(params, Mapping):
        return {name: plain(value) for name, value in params.items()}
    return [plain(value) for value in params]


def _duckdb() -> Any:
    need("duckdb", "a comparison with DuckDB", extra="verify")
    import duckdb

    return duckdb
