"""The relation users hold: a query whose rows are computed when first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import torch

from tqp.config import Settings
from tqp.data.column import Column
from tqp.data.nested import elements, field, lengths
from tqp.data.table import Table
from tqp.data.transfer import on_host
from tqp.display import html_table, text_table
from tqp.errors import BindError
from tqp.functions.zoned_nested import cast_in_zone
from tqp.interrupt import Interrupt, Running
from tqp.io.export import table_to_arrow
from tqp.io.libraries import need
from tqp.io.numpy import column_to_numpy
from tqp.io.pandas import table_to_pandas
from tqp.io.polars import table_to_polars
from tqp.io.python import column_to_python
from tqp.io.tensors import TensorColumn
from tqp.io.zoned import arrow_in_zone, pandas_in_zone, polars_in_zone
from tqp.ir.expr import Predict
from tqp.ir.plan import Limit, Plan, Schema
from tqp.ir.show import show
from tqp.ir.visit import expressions, walk
from tqp.kernels import waits
from tqp.locks import Lock
from tqp.operators.predict import describe
from tqp.optimizer.cardinality import Estimator
from tqp.over_tables import is_of_table
from tqp.query import Query
from tqp.runtime.explain import of_distinct_values
from tqp.types import VARCHAR, DType, Kind
from tqp.verify import Report, verify

if TYPE_CHECKING:
    import pandas
    import polars

    from tqp.sql import Parameters

__all__ = ["Relation", "Session", "TensorColumn"]

T = TypeVar("T")

_SHOWN_ROWS: Final = 20

_WIDTHS: Final = {
    Kind.TINYINT: torch.int8,
    Kind.SMALLINT: torch.int16,
    Kind.INTEGER: torch.int32,
    Kind.UTINYINT: torch.uint8,
    Kind.USMALLINT: torch.int32,
    Kind.DATE: torch.int32,
    Kind.VARCHAR: torch.int32,
    Kind.JSON: torch.int32,
    Kind.BLOB: torch.int32,
    Kind.BOOLEAN: torch.bool,
    Kind.NULL: torch.bool,
    Kind.FLOAT: torch.float32,
    Kind.DOUBLE: torch.float64,
}


class Session(Protocol):
    """What a relation asks of its connection."""

    @property
    def settings(self) -> Settings: ...
    @property
    def running(self) -> Running: ...
    def derived(
        self, text: str, params: Parameters, relation: Relation, alias: str, timeout: float | None = None
    ) -> Relation: ...


class Relation:
    """Rows of a query. Nothing runs until rows are asked for; then the query runs once and its result is kept.

    A run may take `timeout` seconds. One that failed, was interrupted or took too long leaves no trace: whoever asks for
    rows next runs the query again.
    """

    def __init__(
        self, connection: Session, query: Query, timeout: float | None = None, table: Table | None = None
    ) -> None:
        """`table` is the query's result where that is there already."""
        self.connection = connection
        self._query = query
        self._timeout = timeout
        self._table = table
        self._arrow: pa.Table | None = None
        self._cursor = 0
        self._cursor_lock = Lock()
        self._lock = Lock()
        self._running = Running()

    @property
    def query(self) -> Query:
        """The query behind the relation."""
        return self._query

    @property
    def plan(self) -> Plan:
        """The bound plan, before optimization."""
        return self._query.plan

    @property
    def schema(self) -> Schema:
        return self._query.schema

    @property
    def columns(self) -> list[str]:
        """Column names; they may repeat."""
        return [field.name for field in self.schema]

    @property
    def types(self) -> list[DType]:
        """SQL types of the columns."""
        return [field.dtype for field in self.schema]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; runs the query."""
        return len(self), len(self.schema)

    def result(self) -> Table:
        """The columns on the connection's device; runs the query if it has not run."""
        with self._lock:
            if self._table is None:
                self._table = self._run(self._query.run)
            return self._table

    def interrupt(self) -> None:
        """Stop the run in progress, from another thread: whoever waits for it gets QueryInterruptedError.

        It stops after the operation on a batch or column at hand. Without a run in progress nothing happens.
        """
        self._running.stop()

    def _run(self, action: Callable[[Settings, Interrupt, float | None], T]) -> T:
        interrupt = Interrupt()
        own, all_ = self._running, self.connection.running
        own.add(interrupt)
        all_.add(interrupt)
        try:
            return action(self.connection.settings, interrupt, self._timeout)
        finally:
            all_.remove(interrupt)
            own.remove(interrupt)

    def __len__(self) -> int:
        return self.result().rows

    def __bool__(self) -> bool:
        # Without this the truth of a relation would be its length, and asking would run the query.
        return True

    def sql(self, text: str, params: Parameters = None, alias: str = "self", timeout: float | None = None) -> Relation:
        """A query over this relation, which it calls by `alias`, `self` or `this`; `timeout` as for `Connection.sql`."""
        return self.connection.derived(text, params, self, alias, timeout)

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table of the types that DuckDB exports; column names may repeat."""
        if self._arrow is None:
            self._arrow = arrow_in_zone(table_to_arrow(self.result().on_host(), self.types), self._zone)
        return self._arrow

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def df(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame of its own memory; the types are DuckDB's, see docs/types.md.

        Integers and truth values with NULLs are nullable columns (Int64, boolean). DECIMAL stays exact as an Arrow-backed
        column, HUGEINT becomes int64, or Python's int if it has larger values. A name that repeats gets a number.
        """
        need("pandas", ".df()")
        frame = table_to_pandas(self.result().on_host(), self._distinct_columns(), self.types)
        return pandas_in_zone(frame, self.types, self._zone)

    def pl(self) -> polars.DataFrame:
        """The rows as a polars DataFrame; INTERVAL as a duration of 30-day months; see docs/types.md."""
        need("polars", ".pl()")
        frame = table_to_polars(self.result().on_host(), self._distinct_columns(), self.types)
        return polars_in_zone(frame, self.types, self._zone)

    def torch(self) -> dict[str, TensorColumn]:
        """The columns as tensors on the connection's device, copies that are free to change; NULLs are in `valid`.

        Such a dict is a table itself, of the same types.

        | SQL type | `data` |
        |---|---|
        | BOOLEAN, FLOAT, DOUBLE | (n,) bool, float32, float64 |
        | TINYINT, SMALLINT, INTEGER, BIGINT | (n,) int8, int16, int32, int64 |
        | UTINYINT, USMALLINT, UINTEGER | (n,) uint8, int32, int64 |
        | DECIMAL(p, s), HUGEINT, UBIGINT | (n,) int64 in units of 10**-s; (n, 2) int64 limbs if too large |
        | DATE | (n,) int32 days since 1970 |
        | TIME, TIMESTAMP, TIMESTAMPTZ | (n,) int64 microseconds (since midnight, since 1970) |
        | INTERVAL | (n, 3) int64 months, days, microseconds |
        | VARCHAR | (n,) int32 codes into `dictionary`, an Arrow array |
        | ARRAY | (n, size) of the dtype of the elements: float32 of FLOAT[size] |
        | LIST, MAP | (n + 1,) int64 offsets into `children[0]`, the elements or the entries; `nested()` makes a nested tensor |
        | STRUCT | (n,) int64 numbers of the rows of `children`, the fields |
        | NULL | (n,) bool, none valid |
        """
        table = self.result()
        masks = [column.valid.all() for column in table.columns if column.valid is not None]
        complete = iter(waits.several(masks, "whether a column of the result has NULLs") if masks else ())
        columns = [
            column.with_valid(None) if column.valid is not None and next(complete) else column
            for column in table.columns
        ]
        pairs = zip(self._distinct_columns(), columns, self.types, strict=True)
        return {name: _tensors(column.expand(table.rows), dtype) for name, column, dtype in pairs}

    def numpy(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns as NumPy arrays, masked arrays where there are NULLs.

        DECIMAL, HUGEINT, VARCHAR and TIME are arrays of Python objects, DATE datetime64[D], TIMESTAMP datetime64[us],
        INTERVAL timedelta64[us] with months of 30 days, ARRAY of two dimensions (n, size).
        """
        pairs = zip(self._distinct_columns(), self.result().on_host().columns, self.types, strict=True)
        return {name: column_to_numpy(name, column, dtype, len(self)) for name, column, dtype in pairs}

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as tuples of Python values: Decimal, date, datetime, time, timedelta, tuple, None for NULL."""
        return self._rows(0, len(self))

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last; each row is given once, whichever thread asks."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """The next `size` rows, fewer at the end."""
        total = len(self)
        with self._cursor_lock:
            start = self._cursor
            self._cursor = stop = min(start + max(size, 0), total)
        return self._rows(start, stop)

    def show(self, rows: int = _SHOWN_ROWS) -> None:
        """Print the first `rows` rows."""
        print(self._shown(rows))

    def __repr__(self) -> str:
        return self._shown(_SHOWN_ROWS)

    def _repr_html_(self) -> str:
        shown, total = self._first(_SHOWN_ROWS)
        return html_table(self.columns, self.types, shown._cells(min(_SHOWN_ROWS, total)), total)

    def explain(self, analyze: bool | Literal["steps", "program"] = False) -> str:
        """The optimized plan, about how many rows each step gives, and which rules of the optimizer changed it.

        "steps" gives the program that is made of it: every step with what it reads and makes, how that lies in memory, and what
        was chosen; it reads the stored columns that the query reads. `True` runs it
        and tells what each step did; "program" runs it and lists what ran as torch code.
        """
        if analyze is False:
            estimator = Estimator()
            rows = estimator.rows

            def remark(plan: Plan) -> str:
                count = f"~{rows(plan):,.0f} row{'' if round(rows(plan)) == 1 else 's'}"
                count += ", as measured" if estimator.is_measured(plan) else ""
                calls = [part for expr in expressions(plan) for part in walk(expr) if isinstance(part, Predict)]
                return "; ".join([count, *dict.fromkeys(map(describe, calls)), *of_distinct_values(plan)])

            rules = ", ".join(self._query.rules)
            return show(self._query.optimized, remark) + (f"\n-- rules: {rules}" if rules else "") + self._reused()
        if analyze is True:
            return self._run(self._query.trace) + self._reused()
        if analyze == "steps":
            return self._run(self._query.steps)
        if analyze == "program":
            return self._run(self._query.listing)
        raise BindError(f'explain() takes True, "steps" or "program", not {analyze!r}')

    def _reused(self) -> str:
        return "\n-- plan: that of the same query with other constants" if self._query.is_reused else ""

    def verify(self, *, strict: bool = True) -> Report:
        """Run the query on DuckDB too, over the same objects, and report how the answers compare.

        Without `strict` numbers of different types may be equal.
        """

        def answer(plan: Plan) -> pa.Table:
            return Relation(self.connection, Query(plan)).arrow()

        return verify(self._query, self.arrow(), answer, self.connection.settings, strict=strict)

    @property
    def _zone(self) -> str:
        return self.connection.settings.time_zone

    def _rows(self, start: int, stop: int) -> list[tuple[Any, ...]]:
        count = stop - start
        columns = on_host([column.slice(start, stop) for column in self.result().columns])
        values = [column_to_python(column, count, self._zone) for column in columns]
        return list(zip(*values, strict=True)) if values else [()] * count

    def _cells(self, count: int) -> list[tuple[Any, ...]]:
        """The first rows as they are shown: dates, times and intervals in SQL's text, which has all of them."""
        columns = on_host([column.slice(0, count) for column in self.result().columns])
        shown = [
            column_to_python(_as_text(column, self._zone) if _has_own_text(dtype) else column, count)
            for column, dtype in zip(columns, self.types, strict=True)
        ]
        return list(zip(*shown, strict=True)) if shown else [()] * count

    def _shown(self, rows: int) -> str:
        shown, total = self._first(rows)
        return text_table(self.columns, self.types, shown._cells(min(rows, total)), total)

    def _first(self, rows: int) -> tuple[Relation, int]:
        """A relation that has the first rows of this one, and how many this one has; of plain tables not all are read for that."""
        if self._table is None and rows >= 0 and is_of_table(self.plan):
            query = Query(Limit(self.plan, rows), self._query.text, disabled=self._query.disabled)
            first = Relation(self.connection, query, self._timeout)
            first._running = self._running
            first.result()
            (table,) = query.tables
            return first, table.rows
        return self, len(self)

    def _distinct_columns(self) -> list[str]:
        """Column names, a number added to those met before."""
        taken = set(self.columns)
        seen: set[str] = set()
        names = []
        for name in self.columns:
            number, chosen = 0, name
            while chosen in seen or (number and chosen in taken):
                number += 1
                chosen = f"{name}_{number}"
            seen.add(chosen)
            names.append(chosen)
        return names


def _nested_tensors(column: Column, dtype: DType) -> TensorColumn:
    """Offsets and elements of lists and maps, the fields of structs."""
    valid = None if column.valid is None else column.valid.clone()
    if dtype.is_struct:
        parts = [field(column, place) for place in range(len(dtype.fields))]
        data = torch.arange(len(column), dtype=torch.int64, device=column.device)
    else:
        counts = lengths(column)
        data, parts = torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)]), [elements(column)[1]]
    masks = [part.valid.all() for part in parts if part.valid is not None]
    complete = iter(waits.several(masks, "whether nested values have NULLs") if masks else ())
    parts = [part.with_valid(None) if part.valid is not None and next(complete) else part for part in parts]
    children = [_tensors(part, kind) for part, kind in zip(parts, dtype.children, strict=True)]
    return TensorColumn(data, valid, dtype, None, tuple(children))


def _tensors(column: Column, dtype: DType) -> TensorColumn:
    if dtype.has_children:
        return _nested_tensors(column, dtype)
    width = torch.int64 if column.is_wide else _WIDTHS.get(dtype.kind, torch.int64)
    if dtype.element is not None:
        width = _WIDTHS.get(dtype.element.kind, torch.int64)
    valid = None if column.valid is None else column.valid.clone()
    dictionary = None if column.dictionary is None else column.dictionary.values
    if dtype.kind is Kind.ENUM:
        dictionary = pa.array(dtype.labels, pa.large_string())
    return TensorColumn(column.data.to(width, copy=True), valid, dtype, dictionary)


def _as_text(column: Column, zone: str) -> Column:
    return cast_in_zone(column, VARCHAR, zone)


def _has_own_text(dtype: DType) -> bool:
    return dtype.is_temporal or dtype.is_float or dtype.kind in (Kind.INTERVAL, Kind.BLOB)
