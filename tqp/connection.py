"""The connection: its tables, its settings, and the one place that wires the stages from text to table."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import torch

from tqp.catalog import Catalog, StoredTable, require_supported
from tqp.errors import BindError, SourceError
from tqp.interrupt import Running
from tqp.io.files import FileSource, Paths, csv_source, is_path, parquet_source, source_of
from tqp.io.objects import reader_of
from tqp.io.readers import ArrowReader
from tqp.ir.inputs import Input, Inputs
from tqp.ir.plan import Field, Plan, Scan
from tqp.kept import KINDS, Kept
from tqp.names import TABLE_KINDS, Access, Names, Namespace, require_name, type_name
from tqp.options import seconds, settings_of
from tqp.plans import REUSE, PlanCache
from tqp.query import Query
from tqp.relation import Relation
from tqp.replacement import caller_frame
from tqp.sql import Models, Parameters, bind
from tqp.sql.parameters import fixed, given, given_key, inputs_of, with_inputs
from tqp.sql.written import written

if TYPE_CHECKING:
    from tqp.verify import Report

__all__ = ["Connection", "connect"]


class Connection:
    """Tables on one device and how queries on them run. Errors leave it as it was; safe to use from several threads."""

    def __init__(
        self,
        device: str = "cpu",
        threads: int | None = None,
        backend: str = "eager",
        memory_limit: int | str | None = None,
        disabled_rules: Iterable[str] = (),
        external_access: bool = True,
        variables: bool = True,
    ) -> None:
        self.settings = settings_of(device, threads, backend, memory_limit, disabled_rules)
        self._device = torch.device(self.settings.device)
        self._plans = PlanCache()
        self._names = Namespace(self._device, Access(external_access, variables), self._plans.forget)
        self.running = Running()
        self._closed = False

    @property
    def catalog(self) -> Catalog:
        """The registered tables and models."""
        return self._names.catalog

    def __repr__(self) -> str:
        return f"<tqp.Connection on {self.settings.device}, {len(list(self.catalog.names()))} tables>"

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all tables; relations already made still work. The connection takes no more queries."""
        self._closed = True
        self._plans.clear()
        self._names.clear()

    def sql(self, text: str, params: Parameters = None, read: str = "duckdb", timeout: float | None = None) -> Relation:
        """The query as a lazy relation: bound now, so that its errors show at once, run when its rows are asked for.

        `params` are the values of `?` and `$1` (a sequence) or `$name` (a mapping); `read` is the SQL dialect. Tables
        are those registered, else variables of the caller by their name, else files by their path.

        `timeout` is how many seconds each run of the query may take, planning included, exports not: then it raises
        QueryTimeoutError and stops.
        """
        limit = seconds(timeout)
        return Relation(self, self._bound(text, params, read, caller_frame()), limit)

    def execute(
        self, text: str, params: Parameters = None, read: str = "duckdb", timeout: float | None = None
    ) -> Relation:
        """As `sql`, but runs the query before it returns."""
        limit = seconds(timeout)
        relation = Relation(self, self._bound(text, params, read, caller_frame()), limit)
        relation.result()
        return relation

    def interrupt(self) -> None:
        """Stop all queries that run on this connection now; see `Relation.interrupt`."""
        self.running.stop()

    def register(self, name: str, value: Any) -> Connection:
        """Let `name` mean the table `value`, whose columns are read on first use and kept.

        A table is a pandas or polars frame, an Arrow table, stream or dataset, a dict of arrays or tensors, a DuckDB
        relation, a tqp relation (as a view), or a path. Raises SourceError for anything else.

        The object is never changed; what is changed in it later may not be seen until it is registered again.
        """
        self._require_open()
        name = require_name(name, "table")
        self._plans.forget(self.catalog.register(name, self._entry(name, value)))
        return self

    def unregister(self, name: str) -> Connection:
        """Forget a registered name."""
        self._require_open()
        self._plans.forget(self.catalog.unregister(require_name(name, "table")))
        return self

    def tables(self) -> list[str]:
        """The registered names."""
        return list(self.catalog.names())

    def table(self, name: str) -> Relation:
        """All of the table called `name`, found as in a query."""
        escaped = require_name(name, "table").replace('"', '""')
        return Relation(self, self._bound(f'SELECT * FROM "{escaped}"', None, "duckdb", caller_frame()))

    def read_parquet(self, path: Paths) -> Relation:
        """Parquet files of one schema: one, a glob, a directory, or a list of them. Columns are read on first use."""
        return self._scan(parquet_source(path))

    def read_csv(self, path: Paths, **options: Any) -> Relation:
        """CSV files, options as `tqp.io.csv.CsvOptions.of` takes: delimiter, header, names, types, quote, null."""
        return self._scan(csv_source(path, **options))

    def register_model(
        self,
        name: str,
        model: Any,
        inputs: Sequence[str] | Mapping[str, Any] | None = None,
        output: Any = None,
        method: str | None = None,
        backend: str = "auto",
        check: Any = None,
        nulls: str = "auto",
    ) -> Connection:
        """Let `name` mean the trained model `model` in PREDICT.

        The options are those of `tqp.models.registration.prepare`. Raises ModelError where the object is no model that
        tqp understands, or where its tensor program does not answer as the model itself.
        """
        from tqp.models.registration import prepare

        self._require_open()
        name = require_name(name, "model")
        if isinstance(model, str | os.PathLike):
            self._names.access.require_files(model)
        made = prepare(name, model, inputs, output, method, backend, check, nulls)
        self._plans.forget(self.catalog.register_model(name, made))
        return self

    def unregister_model(self, name: str) -> Connection:
        """Forget a registered model."""
        self._require_open()
        self._plans.forget(self.catalog.unregister_model(require_name(name, "model")))
        return self

    def models(self) -> list[str]:
        """The names of the registered models."""
        return self.catalog.model_names()

    def cache(self) -> Relation:
        """What the connection keeps from one query to the next: kind, key, bytes, what bounds it and what ends it.

        Relations that the caller holds keep their answers, and the tables they read, as well.
        """
        kept = list(self._kept())
        columns = {
            "kind": pa.array([item.kind for item in kept], pa.string()),
            "key": pa.array([item.key for item in kept], pa.string()),
            "bytes": pa.array([item.bytes for item in kept], pa.int64()),
            "bound": pa.array([KINDS[item.kind].bound for item in kept], pa.string()),
            "until": pa.array([KINDS[item.kind].until for item in kept], pa.string()),
        }
        return self._all_of(StoredTable("cache", ArrowReader(pa.table(columns)), self._device))

    def clear_cache(self) -> Connection:
        """Let go of all that `cache` lists; it is made again when it is needed. Tables and models stay registered."""
        self._plans.clear()
        self._names.forget_read()
        return self

    def verify(self, text: str, params: Parameters = None, read: str = "duckdb") -> Report:
        """Run the query here and on DuckDB, over the same objects, and report how the answers compare."""
        return self.sql(text, params, read).verify()

    def lookup(self, name: str, frame: FrameType | None = None) -> StoredTable | Plan | None:
        """What a table's name means here: a registered table, a variable of `frame`, or a file."""
        return Names(self._names, frame).table(name)

    def derived(
        self, text: str, params: Parameters, relation: Relation, alias: str, timeout: float | None = None
    ) -> Relation:
        """The query over `relation` as well as the tables of the connection and the variables of the caller."""
        limit = seconds(timeout)
        relations = dict.fromkeys(("self", "this", require_name(alias, "relation")), relation)
        return Relation(self, self._bound(text, params, "duckdb", caller_frame(), relations), limit)

    def _bound(
        self,
        text: str,
        params: Parameters,
        read: str,
        frame: FrameType | None,
        relations: Mapping[str, Relation] | None = None,
    ) -> Query:
        self._require_open()
        if not isinstance(text, str):
            raise BindError(f"a query is text, not a {type_name(text)}")
        if not isinstance(read, str):
            raise BindError(f"a dialect is a name, not a {type_name(read)}", hint='read="postgres"')
        params = fixed(params)
        values = given(params)
        over = tuple((name, id(relation)) for name, relation in (relations or {}).items())
        key = (text, given_key(values), read, over)
        names = Names(self._names, frame, relations)
        cached = self._plans.get(key, names)
        if cached is not None:
            return cached
        words = written(text) if read == "duckdb" and REUSE not in self.settings.disabled_rules else None
        shape: Hashable = None
        inputs = Inputs()
        made: tuple[Input, ...] = ()
        if words is not None:
            kinds, constants = inputs_of(values)
            constants = [*words.literals, *constants]
            shape = (words.shape, kinds, over)
            again = self._plans.again(shape, constants, names, text, params)
            if again is not None:
                self._plans.put(key, again, names)
                return again
            made = inputs.given(constants)
            values = with_inputs(values, made[len(words.literals) :])
        models = Models(names.model, names.known_models)
        plan = bind(text, names.table, values, read, self.tables, models, words, made).plan
        require_supported(plan, text)
        query = Query(plan, text, params, self.settings.disabled_rules, read, names.meanings(), inputs)
        self._plans.put(key, query, names, shape)
        return query

    def _entry(self, name: str, value: Any) -> StoredTable | Plan:
        if isinstance(value, Relation):
            return self._names.view(name, value)
        if isinstance(value, (str, os.PathLike)):
            path = os.fspath(value)
            self._names.access.require_files(path)
            if not is_path(path):
                hint = "files end in .parquet or .csv; a folder of Parquet files must exist"
                raise SourceError(f"{path!r} is no file that tqp reads", hint=hint)
            return self._names.files.of(source_of(path))
        reader = reader_of(value)
        if reader is None:
            kind = type_name(value)
            raise SourceError(f"cannot register a {kind} as table {name!r}", hint=f"a table is {TABLE_KINDS}")
        return StoredTable(name, reader, self._device)

    def _scan(self, source: FileSource) -> Relation:
        self._require_open()
        self._names.access.require_files(source.paths[0])
        return self._all_of(self._names.files.of(source))

    def _kept(self) -> Iterator[Kept]:
        """All that is kept, once whoever keeps it."""
        yield from self._names.kept_answers()
        tables = {id(table): table for table in self._names.tables()}
        for query in self._plans.queries():
            yield from query.kept()
            tables.update((id(table), table) for table in query.tables)
        for table in tables.values():
            yield from table.kept()

    def _all_of(self, table: StoredTable) -> Relation:
        fields = tuple(Field(f"{name}_{place}", name, dtype) for place, (name, dtype) in enumerate(table.schema))
        plan = Scan(table, tuple(name for name, _ in table.schema), fields)
        return Relation(self, Query(plan, disabled=self.settings.disabled_rules))

    def _require_open(self) -> None:
        if self._closed:
            raise BindError("the connection is closed", hint="open another one with tqp.connect()")


def connect(
    device: str = "cpu",
    threads: int | None = None,
    backend: str = "eager",
    memory_limit: int | str | None = None,
    disabled_rules: Iterable[str] = (),
    external_access: bool = True,
    variables: bool = True,
) -> Connection:
    """A new connection with no tables.

    `device` is "cpu", "cuda" or "cuda:<n>"; `threads` None takes all cores; `backend` is "eager" or "compile";
    `memory_limit` bounds intermediate results, in bytes or as "4GB"; `disabled_rules` names rules of the optimizer
    (`tqp.optimizer.RULES`) to go without, for measuring what each is worth.

    What runs the queries of others turns off both of these: with `external_access=False` no path is read, neither in a query
    nor by `read_parquet`, `read_csv`, `register` or `register_model`; with `variables=False` the variables of the
    caller are neither tables nor models. Queries then reach what is registered, and nothing else.
    """
    return Connection(
        device, threads, backend, memory_limit, disabled_rules, external_access=external_access, variables=variables
    )
