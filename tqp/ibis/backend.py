"""The backend: a connection of tqp behind the methods of Ibis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import ParseResult
from weakref import ReferenceType, ref

import ibis.common.exceptions as exc
import ibis.expr.operations as ops
import ibis.expr.schema as sch
import ibis.expr.types as ir
import pyarrow as pa
from ibis.backends import (
    CanCreateDatabase,
    CanListCatalog,
    DirectExampleLoader,
    HasCurrentCatalog,
    HasCurrentDatabase,
    SupportsTempTables,
)
from ibis.backends.sql import SQLBackend
from sqlglot import expressions as sge

import tqp
from tqp.connection import Connection
from tqp.errors import SourceError, with_article
from tqp.ibis.compiler import compiler
from tqp.ibis.errors import translated
from tqp.ibis.files import Files
from tqp.ibis.functions import Functions, prediction
from tqp.ibis.results import ArrowValues, PandasValues, arrow_of, frame_of
from tqp.ibis.tables import Tables
from tqp.ibis.types import ibis_schema
from tqp.io.tensor_column import TensorColumn
from tqp.relation import Relation
from tqp.statements import holds_statements

if TYPE_CHECKING:
    import pandas as pd
    import torch

__all__ = ["Backend"]

_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}


class Backend(
    Tables,
    Files,
    SupportsTempTables,
    SQLBackend,
    CanCreateDatabase,
    CanListCatalog,
    HasCurrentCatalog,
    HasCurrentDatabase,
    DirectExampleLoader,
):
    """Ibis over tqp. Expressions run on the device of the connection, `con`, which is a `tqp.Connection`."""

    name = "tqp"
    compiler = compiler
    supports_python_udfs = True

    def do_connect(self, **options: Any) -> None:
        """Connect to tqp, which lives in this process.

        Parameters
        ----------
        options
            Those of `tqp.connect`: device, threads, backend, memory_limit, disabled_rules, external_access, progress. `time_zone`
            is UTC unless it is given, which is the zone of Ibis' types. Variables of the caller are no tables here.

        Examples
        --------
        >>> import ibis
        >>> con = ibis.tqp.connect(threads=2)
        """
        self._use(tqp.connect(**{"time_zone": "UTC", "variables": False, **options}))

    @classmethod
    def from_connection(cls, con: Connection, /) -> Backend:
        """A backend over a connection that there is, with its tables, models and functions; it stays the caller's."""
        if not isinstance(con, Connection):
            raise exc.IbisInputError(
                f"from_connection takes a tqp.Connection, and this is {with_article(type(con).__name__)}"
            )
        made = cls()
        made._can_reconnect = False
        made._use(con)
        return made

    def _use(self, con: Connection) -> None:
        self.con = con
        self._functions = Functions(con)
        self._in_memory: dict[str, ReferenceType[ops.InMemoryTable]] = {}
        self._in_views: list[ops.InMemoryTable] = []

    def _from_url(self, url: ParseResult, **options: Any) -> Backend:
        """`tqp://?threads=2&device=cuda`: options of `do_connect` behind the question mark, and no path."""
        if url.netloc or url.path.strip("/"):
            raise exc.IbisInputError(
                f"tqp has no databases in files, and {url.geturl()!r} names one; "
                "write tqp:// and read tables with read_parquet, read_csv or create_table"
            )
        made: Backend = self.connect(**{name: _option(name, value) for name, value in options.items()})
        return made

    @property
    def version(self) -> str:
        """The version of tqp."""
        return tqp.__version__

    def disconnect(self) -> None:
        """Close the connection, and let go of its tables."""
        self.con.close()

    def list_tables(self, *, like: str | None = None, database: tuple[str, str] | str | None = None) -> list[str]:
        """The names of tables and views: also temporary ones, objects that were registered, and memtables that queries read."""
        self._let_go()
        return super().list_tables(like=like, database=database)

    # Queries.

    def raw_sql(self, query: str | sge.Expression, **options: Any) -> Relation:
        """Run SQL as it is, statements too; its rows as a relation of tqp. The options are those of `tqp.Connection.sql`."""
        text = query.sql(dialect=self.dialect) if isinstance(query, sge.Expression) else query
        with translated():
            return self.con.execute(text, **options)

    @contextmanager
    def _safe_raw_sql(self, *arguments: Any, **options: Any) -> Iterator[Relation]:
        yield self.raw_sql(*arguments, **options)

    def _get_schema_using_query(self, query: str) -> sch.Schema:
        if holds_statements(query):
            raise exc.IbisInputError(f"{query!r} is no query; raw_sql runs statements")
        with translated():
            found = self.con.sql(query)
        return ibis_schema(found.columns, found.types)

    def _asked(
        self, expr: ir.Expr, params: Mapping[ir.Scalar, Any] | None = None, limit: int | str | None = None
    ) -> Relation:
        """The rows of an expression as a relation of tqp, which has not run yet."""
        self._run_pre_execute_hooks(expr)
        text = self.compile(expr.as_table(), params=params, limit=limit)
        with translated():
            return self.con.sql(text)

    def _arrow(self, expr: ir.Expr, params: Mapping[ir.Scalar, Any] | None, limit: int | str | None) -> pa.Table:
        with translated():
            return self._asked(expr, params, limit).arrow()

    def execute(
        self,
        expr: ir.Expr,
        /,
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        limit: int | str | None = None,
        **_: Any,
    ) -> pd.DataFrame | pd.Series[Any] | Any:
        """The rows as a DataFrame, a Series or a scalar of pandas."""
        frame = frame_of(self._arrow(expr, params, limit), expr.as_table().schema())
        return expr.__pandas_result__(frame, data_mapper=PandasValues)

    def to_pyarrow(
        self,
        expr: ir.Expr,
        /,
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        limit: int | str | None = None,
        **_: Any,
    ) -> pa.Table | pa.Array | pa.Scalar:
        """The rows as an Arrow table, array or scalar of the types of the expression."""
        table = arrow_of(self._arrow(expr, params, limit), expr.as_table().schema())
        return expr.__pyarrow_result__(table, data_mapper=ArrowValues)

    def to_pyarrow_batches(
        self,
        expr: ir.Expr,
        /,
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        limit: int | str | None = None,
        chunk_size: int = 1_000_000,
        **_: Any,
    ) -> pa.RecordBatchReader:
        """The rows as a reader of record batches; the query runs now, a batch is turned into Arrow when it is read."""
        schema = expr.as_table().schema()
        asked = self._asked(expr, params, limit)
        with translated():
            reader = asked.to_arrow_reader(chunk_size)

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in reader:
                yield from arrow_of(pa.Table.from_batches([batch]), schema).to_batches()

        return pa.RecordBatchReader.from_batches(schema.to_pyarrow(), batches())

    def to_torch(
        self,
        expr: ir.Expr,
        /,
        *,
        params: Mapping[ir.Scalar, Any] | None = None,
        limit: int | str | None = None,
        **_: Any,
    ) -> dict[str, torch.Tensor | TensorColumn]:
        """The columns on the device of the connection, as `tqp.Relation.torch` gives them: nothing is copied to the host."""
        with translated():
            return self._asked(expr, params, limit).torch()

    # Models and functions.

    def predict(self, model: str, /, *inputs: ir.Value | ir.Table) -> ir.Value:
        """The answer of a registered model (`con.con.register_model`) on columns, or on a table that has the model's inputs."""
        return prediction(self.con, "PREDICT", model, inputs)

    def predict_proba(self, model: str, /, *inputs: ir.Value | ir.Table) -> ir.Value:
        """The probabilities of a classifier's classes, an array in their order."""
        return prediction(self.con, "PREDICT_PROBA", model, inputs)

    def _register_udfs(self, expr: ir.Expr) -> None:
        self._functions.need(expr)

    def _register_in_memory_table(self, op: ops.InMemoryTable) -> None:
        self._let_go()
        # A dataset is read as queries need it.
        read = getattr(op.data, "to_pyarrow_dataset", op.data.to_pyarrow)
        self.con.register(op.name, read(op.schema))
        self._in_memory[op.name] = ref(op)

    def _let_go(self) -> None:
        """Forget memtables that nobody holds any more; not at the moment when they go, which may be in the midst of anything."""
        if self.con.in_transaction:
            # To roll it back would bring them back.
            return
        for name in [name for name, known in self._in_memory.items() if known() is None]:
            del self._in_memory[name]
            # Somebody may have dropped it, or another backend over the connection.
            with suppress(SourceError):
                self.con.unregister(name)

    def create_view(
        self, name: str, /, obj: ir.Table, *, database: str | None = None, overwrite: bool = False
    ) -> ir.Table:
        """A view of the expression, which is bound where it is used; it keeps the tables in memory that the expression reads."""
        self._run_pre_execute_hooks(obj)
        self._in_views += obj.op().find(ops.InMemoryTable)
        made: ir.Table = super().create_view(name, obj, database=database, overwrite=overwrite)
        return made


def _option(name: str, value: Any) -> Any:
    """An option from a URL, where all are texts."""
    if not isinstance(value, str):
        return value
    if name == "threads":
        return int(value) if value.isdecimal() else value
    return _FLAGS.get(value.lower(), value)
