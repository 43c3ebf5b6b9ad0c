"""The connection: its tables, its settings, and the one place that wires the stages from text to table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import torch

from tqp.api_boundary import api_boundary
from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import Variable
from tqp.catalog.entries import Meaning
from tqp.connection.caches import Caches
from tqp.connection.described import Described
from tqp.connection.file_systems import FileSystems
from tqp.connection.functions import Functions
from tqp.connection.missing import CONNECTION
from tqp.connection.models import Models
from tqp.connection.objects import Objects
from tqp.connection.readers import Readers
from tqp.data.stored import StoredTable
from tqp.errors import BindError, SourceError, with_article
from tqp.interrupt import Running, seconds
from tqp.io.files import FileCall, is_path, source_of
from tqp.io.objects import cure, reader_of
from tqp.io.remote import Storage
from tqp.ir.plan import Field, Plan, Scan
from tqp.keywords import quoted_name
from tqp.locks import Lock
from tqp.own.randoms import Randoms
from tqp.query import Query
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.relation.missing import instead
from tqp.session.binding import Asked, Binding
from tqp.session.names import Access, Names, Namespace, require_name, type_name
from tqp.session.options import settings_of
from tqp.session.plan_cache import PlanCache
from tqp.session.replacement import caller_frame
from tqp.sql import Parameters
from tqp.statements import Caller, holds_statements, run_script, with_read_signs

if TYPE_CHECKING:
    from tqp.config import Settings
    from tqp.runtime.progress import Progress
    from tqp.verify import Report

__all__ = ["Connection", "connect"]

T = TypeVar("T")

INNER: Final = frozenset(
    """
    access aborting all_of bound catalog change derived done each_executed end_transaction forget lookup of_object open_transaction
    prepare prepared require_whole running set_variable settings settings_at_first""".split()
)
"""What relations, statements and the shell ask of a connection, and users need not see where names are completed."""


@api_boundary
class Connection(Binding, Caches, Described, FileSystems, Functions, Models, Objects, Readers):
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
        time_zone: str | None = None,
        progress: bool | Callable[[Progress], None] = False,
        read_only: bool = False,
        lock_configuration: bool = False,
    ) -> None:
        self.settings = settings_of(device, threads, backend, memory_limit, disabled_rules, time_zone, progress)
        self.settings = replace(self.settings, lock_configuration=lock_configuration)
        self.settings_at_first = self.settings
        self.device = torch.device(self.settings.device)
        self._plans = PlanCache()
        self._randoms = Randoms()
        self._names = Namespace(
            self.device, Access(external_access, variables, read_only), self._plans.forget, self._described
        )
        self.running = Running()
        self._closed = False
        self._changing = Lock()

    @property
    def catalog(self) -> Catalog:
        """The registered tables and models."""
        return self._names.catalog

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - INNER)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(instead("a connection of tqp", name, CONNECTION), name=name, obj=self)

    def __repr__(self) -> str:
        return f"<tqp.Connection on {self.settings.device}, {len(list(self.catalog.names()))} tables>"

    def __reduce__(self) -> NoReturn:
        raise BindError(
            "a connection cannot be pickled or copied",
            hint="it is of one process: call tqp.connect() in each, as in worker_init_fn of a DataLoader",
        )

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release all tables; existing relations still work. The connection accepts no more queries."""
        self._closed = True
        self._plans.clear()
        self._names.clear()

    def sql(
        self,
        query: str,
        params: Parameters = None,
        read: str = "duckdb",
        timeout: float | None = None,
        *,
        alias: str | None = None,
    ) -> Relation:
        """The query as a lazy relation: bound now, so that its errors show at once, and run when its rows are requested.

        Any other statement (CREATE, INSERT, COPY, SET, …) runs at once, and gives what it does in DuckDB: the number of rows
        written, or no row. Of several statements in one text all are run, and the last one's relation is given; `params`
        are the last one's.

        `params` are the values of `?` and `$1` (a sequence) or `$name` (a mapping); `read` is the SQL dialect. Tables
        are those registered, else variables of the caller by their name, else files by their path.

        `timeout` is the number of seconds that each run of the query may take, with planning, without exports; after that it raises
        QueryTimeoutError and stops. `alias` is the relation's name in conditions of joins, as `Relation.set_alias` gives it.

        >>> con.sql("SELECT customer FROM orders WHERE amount > ?", params=[5]).fetchall()
        [('ann',), ('bob',)]
        >>> con.sql("SELECT customer FROM orders WHERE id = $id", params={"id": 2}).fetchall()
        [('bob',)]
        >>> con.sql("CREATE TABLE large AS FROM orders WHERE amount > 5").fetchall()
        [(2,)]
        """
        limit = seconds(timeout)
        with self._names.aborting():
            if read == "duckdb" and isinstance(query, str):
                query = with_read_signs(query, self.settings.semantics)
            if read == "duckdb" and isinstance(query, str) and holds_statements(query):
                self._require_open()
                found = run_script(Caller(self, params, caller_frame(), limit), query)
            else:
                found = Relation(self, self.bound(Asked(query, params, caller_frame(), read=read)), limit)
            return found.set_alias(alias) if alias else found

    query = from_query = sql

    def execute(
        self,
        query: str,
        parameters: Parameters = None,
        read: str = "duckdb",
        timeout: float | None = None,
        *,
        params: Parameters = None,
    ) -> Relation:
        """As `sql`, but runs the query before it returns. `params` is another name of `parameters`.

        >>> con.execute("SELECT sum(amount) FROM orders").fetchone()
        (22,)
        """
        relation = self.sql(query, params if parameters is None else parameters, read, timeout)
        with self._names.aborting():
            relation.result()
        return relation

    def interrupt(self) -> None:
        """Stop all queries that run on this connection now; see `Relation.interrupt`."""
        self.running.stop()

    def register(self, view_name: str, python_object: Any) -> Connection:
        """Let `view_name` mean the table `python_object`, whose columns are read on first use and kept.

        A table is a frame or series of pandas or polars, an Arrow table, array, reader or dataset, a dict of columns, a NumPy
        array, a tensor, a list of rows, a DuckDB relation, a tqp relation (as a view), any object with `__arrow_c_stream__`,
        `__arrow_c_array__` or `__dlpack__`, or a path; docs/tables.md says which columns it has. Raises SourceError for
        anything else.

        The object is never changed. Later changes to it may not be seen until it is registered again.

        >>> con.register("points", {"x": [1.5, 2.5], "name": ["a", "b"]}).sql("SELECT max(x) FROM points").fetchall()
        [(2.5,)]
        """
        self._require_open()
        name = require_name(view_name, "table")
        self._plans.forget(self.catalog.register(name, self._entry(name, python_object)))
        return self

    def unregister(self, view_name: str) -> Connection:
        """Remove a registered name."""
        self._require_open()
        self._plans.forget(self.catalog.unregister(require_name(view_name, "table")))
        return self

    def tables(self) -> list[str]:
        """The registered names.

        >>> con.tables()
        ['customers', 'orders']
        """
        return list(self.catalog.names())

    def table(self, table_name: str) -> Relation:
        """All rows of the table `table_name`, found as in a query.

        >>> con.table("orders").filter("amount > 5").count("*").fetchall()
        [(2,)]
        """
        quoted = quoted_name(require_name(table_name, "table"))
        relation = Relation(self, self.bound(Asked(f"SELECT * FROM {quoted}", frame=caller_frame()))).set_alias(
            table_name
        )
        relation._is_table = True
        return relation

    def view(self, view_name: str) -> Relation:
        """The same as `table`."""
        return self.table(view_name)

    def verify(self, text: str, params: Parameters = None, read: str = "duckdb") -> Report:
        """Run the query here and on DuckDB, over the same objects, and report how the answers compare.

        >>> con.verify("SELECT customer, sum(amount) FROM orders GROUP BY ALL").ok
        True
        """
        return self.sql(text, params, read).verify()

    def lookup(self, name: str, frame: FrameType | None = None) -> Meaning | None:
        """What a table's name means here: a registered table, a variable of `frame`, or a file."""
        return Names(self._names, frame).table(name)

    def derived(self, text: str, params: Parameters, relations: Mapping[str, Answer]) -> Query:
        """The query over these relations as well as the tables of the connection and the variables of the caller."""
        named = {require_name(name, "relation"): relation for name, relation in relations.items()}
        return self.bound(Asked(with_read_signs(text, self.settings.semantics), params, caller_frame(), named))

    def done(self, text: str, relations: Mapping[str, Answer], storage: Storage | None = None) -> None:
        """Do a statement over these relations; `storage` is for paths behind protocols that it writes."""
        self._require_open()
        with self._names.aborting():
            run_script(Caller(self, frame=caller_frame(), relations=relations, storage=storage), text).result()

    def change(self, changed: Callable[[Settings], Settings]) -> None:
        """Set the settings anew, by those that it has; queries that run keep theirs."""
        with self._changing:
            self.settings = changed(self.settings)

    def set_variable(self, name: str, variable: Variable | None) -> None:
        """Give a variable of SET VARIABLE a value, None to forget it."""
        with self._changing:
            self._names.values = _having(self._names.values, name, variable)

    def prepare(self, name: str, text: str | None) -> None:
        """Keep the text of a statement under a name, None to forget it."""
        with self._changing:
            self._names.prepared = _having(self._names.prepared, name, text)

    def prepared(self, name: str) -> str:
        """The text of a prepared statement; BindError where there is none of that name."""
        found = self._names.prepared.get(name.lower())
        if found is None:
            known = ", ".join(self._names.prepared) or "none"
            raise BindError(f"no statement {name!r} is prepared", hint=f"prepared: {known}")
        return found

    def forget(self, meaning: object) -> None:
        """Let go of the plans over a table or view that its name does not mean any more."""
        self._plans.forget(meaning)

    @property
    def access(self) -> Access:
        """What queries and statements may reach."""
        return self._names.access

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
        return self._stored(name, value)

    def _asked(self, text: str) -> Relation:
        return Relation(self, self.bound(Asked(text)))

    def of_object(self, name: str, value: object) -> Relation:
        """All rows of an object that `register` takes, but no path; EXPLAIN calls it by the name."""
        self._require_open()
        return value if isinstance(value, Relation) else self.all_of(self._stored(name, value))

    def _stored(self, name: str, value: object) -> StoredTable:
        reader = reader_of(value)
        if reader is None:
            kind = type_name(value)
            raise SourceError(f"cannot register {with_article(kind)} as table {name!r}", hint=cure(value))
        return StoredTable(name, reader, self.device)

    def _table_of(self, call: FileCall) -> StoredTable:
        self._require_open()
        self._names.access.require_files(call.paths[0])
        return self._names.files.of(call.source)

    def all_of(self, table: StoredTable) -> Relation:
        """All rows and columns of a table."""
        fields = tuple(Field(f"{name}_{place}", name, dtype) for place, (name, dtype) in enumerate(table.schema))
        plan = Scan(table, tuple(name for name, _ in table.schema), fields)
        return Relation(self, Query(plan, disabled=self.settings.disabled_rules))

    def _require_open(self) -> None:
        if self._closed:
            raise BindError("the connection is closed", hint="open another one with tqp.connect()")


def _having(known: Mapping[str, T], name: str, value: T | None) -> Mapping[str, T]:
    """The mapping with a value under that name, or with None without it."""
    rest = {other: one for other, one in known.items() if other != name.lower()}
    return rest if value is None else {**rest, name.lower(): value}


def connect(
    device: str = "cpu",
    threads: int | None = None,
    backend: str = "eager",
    memory_limit: int | str | None = None,
    disabled_rules: Iterable[str] = (),
    external_access: bool = True,
    variables: bool = True,
    time_zone: str | None = None,
    progress: bool | Callable[[Progress], None] = False,
    read_only: bool = False,
    lock_configuration: bool = False,
) -> Connection:
    """A new connection with no tables.

    `device` is `"cpu"`, `"cuda"` or `"cuda:<n>"`; `threads` None takes all cores; `backend` is "eager" or "compile";
    `memory_limit` bounds intermediate results, in bytes or as "4GB"; `disabled_rules` names rules of the optimizer
    (`tqp.optimizer.RULES`, those of `NEEDED` aside) to switch off, for measuring what each gains. `time_zone` is the zone in which
    TIMESTAMP WITH TIME ZONE is shown and split into fields, such as "Europe/Berlin"; None for the machine's zone.

    `progress` shows how far queries are that take more than a second: True in a bar, in a terminal or a notebook; a function is
    told, ten times a second (`tqp.Progress`), by the thread that waits for the query.

    Four options are for untrusted queries (docs/tables.md). With `external_access=False` no path is read or written, neither in a
    query nor by `read_parquet`, `read_csv`, `register` or `register_model`. With `variables=False` the variables of the caller are
    neither tables nor models. With `read_only=True` no statement changes what later queries see; tables, models and functions are
    still registered in Python. With `lock_configuration=True` SET, RESET and PRAGMA change no setting.

    >>> with tqp.connect(threads=1) as con:
    ...     con.sql("SELECT 6 * 7 AS answer").fetchall()
    [(42,)]
    """
    return Connection(
        device,
        threads,
        backend,
        memory_limit,
        disabled_rules,
        external_access=external_access,
        variables=variables,
        time_zone=time_zone,
        progress=progress,
        read_only=read_only,
        lock_configuration=lock_configuration,
    )
