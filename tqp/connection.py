"""The connection: its tables, its settings, and the one place that wires the stages from text to table."""

from __future__ import annotations

import os
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock, RLock
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tqp.catalog import Catalog, StoredTable, require_supported
from tqp.config import Settings, cores, memory_bytes
from tqp.device import resolve
from tqp.errors import BindError, SourceError
from tqp.io.files import ParquetReader, csv_reader
from tqp.io.objects import is_fixed, reader_of
from tqp.ir.plan import Field, Plan, Scan
from tqp.optimizer import RULES
from tqp.query import Query
from tqp.relation import Relation
from tqp.replacement import FileTables, VariableTables, caller_frame, find_variable, variable_model, variable_models
from tqp.runtime.backends import BACKENDS
from tqp.sql import Models, Parameters, bind
from tqp.sql.literals import vectors_fixed

if TYPE_CHECKING:
    from tqp.models.model import Model
    from tqp.verify import Report

__all__ = [
    "Connection",
    "connect",
    "default_connection",
    "read_csv",
    "read_parquet",
    "register",
    "register_model",
    "sql",
]

T = TypeVar("T")

Path = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_CACHED_QUERIES: Final = 256
_TABLE_KINDS: Final = (
    "a pandas or polars frame, an Arrow table, a dict of arrays or tensors, a DuckDB relation, a tqp relation or a path"
)


@dataclass(eq=False)
class _Cached:
    """A bound query and what must still hold for it to be used again."""

    query: Query
    version: int
    variables: dict[str, weakref.ref[Any]]
    files: dict[str, StoredTable]


class Connection:
    """Tables on one device and how queries on them run. Errors leave it as it was; safe to use from several threads."""

    def __init__(
        self,
        device: str = "cpu",
        threads: int | None = None,
        backend: str = "eager",
        memory_limit: int | str | None = None,
        disabled_rules: Iterable[str] = (),
    ) -> None:
        where = resolve(device)
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise BindError(f"threads={threads!r} is not a number of threads", hint="use 1 or more, None for all cores")
        if backend not in BACKENDS:
            raise BindError(f"there is no backend {backend!r}", hint=f"choose {' or '.join(BACKENDS)}")
        workers = threads or cores()
        without = _known_rules(disabled_rules)
        self.settings = Settings(str(where), workers, backend, memory_bytes(memory_limit), disabled_rules=without)
        self.catalog = Catalog()
        self._device = where
        self._files = FileTables(where)
        self._variables = VariableTables(where)
        self._cache: OrderedDict[tuple[str, str, str], _Cached] = OrderedDict()
        self._lock = RLock()
        self._closed = False

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
        self.catalog.clear()
        self._cache.clear()
        self._files.clear()
        self._variables.clear()

    def sql(self, text: str, params: Parameters = None, read: str = "duckdb") -> Relation:
        """The query as a lazy relation: bound now, so that its errors show at once, run when its rows are asked for.

        `params` are the values of `?` and `$1` (a sequence) or `$name` (a mapping); `read` is the SQL dialect. Tables
        are those registered, else variables of the caller by their name, else files by their path.
        """
        return Relation(self, self._bound(text, params, read, caller_frame()))

    def execute(self, text: str, params: Parameters = None, read: str = "duckdb") -> Relation:
        """As `sql`, but runs the query before it returns."""
        relation = Relation(self, self._bound(text, params, read, caller_frame()))
        relation.result()
        return relation

    def register(self, name: str, value: Any) -> Connection:
        """Let `name` mean the table `value`, whose columns are read on first use and kept.

        A table is a pandas or polars frame, an Arrow table, stream or dataset, a dict of arrays or tensors, a DuckDB
        relation, a tqp relation (as a view), or a path. Raises SourceError for anything else.

        The object is never changed; what is changed in it later may not be seen until it is registered again.
        """
        self._require_open()
        self.catalog.register(name, self._entry(name, value))
        return self

    def unregister(self, name: str) -> Connection:
        """Forget a registered name."""
        self._require_open()
        self.catalog.unregister(name)
        return self

    def tables(self) -> list[str]:
        """The registered names."""
        return list(self.catalog.names())

    def table(self, name: str) -> Relation:
        """All of the table called `name`, found as in a query."""
        escaped = name.replace('"', '""')
        return Relation(self, self._bound(f'SELECT * FROM "{escaped}"', None, "duckdb", caller_frame()))

    def read_parquet(self, path: Path) -> Relation:
        """Parquet files of one schema: one, a glob, a directory, or a list of them. Columns are read on first use."""
        return self._scan(StoredTable(str(path), ParquetReader(path), self._device))

    def read_csv(self, path: Path, **options: Any) -> Relation:
        """CSV files, options as `tqp.io.files.csv_reader` takes: delimiter, header, names, types, quote, null."""
        return self._scan(StoredTable(str(path), csv_reader(path, **options), self._device))

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
        self.catalog.register_model(name, prepare(name, model, inputs, output, method, backend, check, nulls))
        return self

    def unregister_model(self, name: str) -> Connection:
        """Forget a registered model."""
        self._require_open()
        self.catalog.unregister_model(name)
        return self

    def models(self) -> list[str]:
        """The names of the registered models."""
        return self.catalog.model_names()

    def verify(self, text: str, params: Parameters = None) -> Report:
        """Run the query here and on DuckDB, and report how the answers compare."""
        from tqp.verify import verify

        return verify(self, text, params)

    def lookup(self, name: str, frame: FrameType | None = None) -> StoredTable | Plan | None:
        """What a table's name means here: a registered table, a variable of `frame`, or a file."""
        found = self.catalog.lookup(name)
        if found is not None:
            return found
        value = find_variable(frame, name)
        table = self._files.table(name) if value is None else self._variable(name, value)
        if value is not None and table is None:
            kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
            raise BindError(f"the variable {name} is a {kind}, which is no table", hint=f"a table is {_TABLE_KINDS}")
        return table

    def model(self, name: str, frame: FrameType | None = None) -> Model | None:
        """What a model's name means here: a registered model, else one that a variable of `frame` holds."""
        found = self.catalog.model(name)
        return variable_model(frame, name) if found is None else found

    def _known_models(self, frame: FrameType | None) -> list[str]:
        return [*self.models(), *variable_models(frame)]

    def derived(self, text: str, params: Parameters, views: Mapping[str, Plan]) -> Relation:
        """The query over `views` as well as the tables of the connection and the variables of the caller."""
        self._require_open()
        params = _parameters(params)
        frame = caller_frame()
        known = {name.lower(): plan for name, plan in views.items()}
        models = Models(lru_cache(None)(lambda name: self.model(name, frame)), lambda: self._known_models(frame))

        def look(name: str) -> StoredTable | Plan | None:
            return known.get(name.lower()) or self.lookup(name, frame)

        query = bind(text, look, params, known=self.tables, models=models)
        require_supported(query.plan, text)
        return Relation(self, Query(query.plan, text, params, self.settings.disabled_rules))

    def _bound(self, text: str, params: Parameters, read: str, frame: FrameType | None) -> Query:
        self._require_open()
        params = _parameters(params)
        key = (text, repr(params), read)
        version = self.catalog.version
        cached = self._cache.get(key)
        if cached is not None and self._is_current(cached, version, frame):
            self._touch(key)
            return cached.query
        names = _Names(self, frame)
        models = Models(names.model, lambda: self._known_models(frame))
        plan = bind(text, names.lookup, params, read, self.tables, models).plan
        require_supported(plan, text)
        query = Query(plan, text, params, self.settings.disabled_rules)
        if names.repeatable:
            self._remember(key, query, version, names)
        return query

    def _remember(self, key: tuple[str, str, str], query: Query, version: int, names: _Names) -> None:
        def forget(dead: weakref.ref[Any]) -> None:
            # The plan would keep the data of an object alive that nobody else can name any more.
            cached = cache.get(key)
            if cached is not None and any(dead is seen for seen in cached.variables.values()):
                cache.pop(key, None)

        cache = self._cache
        variables = {name: weakref.ref(value, forget) for name, value in names.variables.items()}
        with self._lock:
            self._cache[key] = _Cached(query, version, variables, names.files)
            while len(self._cache) > _CACHED_QUERIES:
                self._cache.popitem(last=False)

    def _touch(self, key: tuple[str, str, str]) -> None:
        with self._lock, suppress(KeyError):
            self._cache.move_to_end(key)

    def _is_current(self, cached: _Cached, version: int, frame: FrameType | None) -> bool:
        return (
            cached.version == version
            and all(_is_same(seen(), find_variable(frame, name)) for name, seen in cached.variables.items())
            and all(
                find_variable(frame, path) is None and self._files.table(path) is seen
                for path, seen in cached.files.items()
            )
        )

    def _variable(self, name: str, value: Any) -> StoredTable | Plan | None:
        if isinstance(value, Relation):
            return self._view(name, value)
        return self._variables.table(name, value)

    def _view(self, name: str, relation: Relation) -> StoredTable | Plan:
        if relation.connection.settings.device == self.settings.device:
            return relation.plan
        reader = reader_of(relation.arrow())
        assert reader is not None
        return StoredTable(name, reader, self._device)

    def _entry(self, name: str, value: Any) -> StoredTable | Plan:
        if isinstance(value, Relation):
            return self._view(name, value)
        if isinstance(value, (str, os.PathLike)):
            found = self._files.table(os.fspath(value))
            if found is None:
                hint = "files end in .parquet or .csv; a folder of Parquet files must exist"
                raise SourceError(f"{os.fspath(value)!r} is no file that tqp reads", hint=hint)
            return found
        reader = reader_of(value)
        if reader is None:
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise SourceError(f"cannot register a {kind} as table {name!r}", hint=f"a table is {_TABLE_KINDS}")
        return StoredTable(name, reader, self._device)

    def _scan(self, table: StoredTable) -> Relation:
        self._require_open()
        fields = tuple(Field(f"{name}_{place}", name, dtype) for place, (name, dtype) in enumerate(table.schema))
        plan = Scan(table, tuple(name for name, _ in table.schema), fields)
        return Relation(self, Query(plan, disabled=self.settings.disabled_rules))

    def _require_open(self) -> None:
        if self._closed:
            raise BindError("the connection is closed", hint="open another one with tqp.connect()")


def _is_same(seen: object, value: object) -> bool:
    return seen is not None and seen is value


class _Names:
    """Looks names up for one binding and remembers what they meant."""

    def __init__(self, connection: Connection, frame: FrameType | None) -> None:
        self._connection = connection
        self._frame = frame
        self.variables: dict[str, Any] = {}
        self.files: dict[str, StoredTable] = {}
        self.repeatable = True
        self._found: dict[str, StoredTable | Plan | None] = {}
        self._models: dict[str, Model] = {}

    def lookup(self, name: str) -> StoredTable | Plan | None:
        # A name met twice in one query is one table, even if its object must be read anew for the next query.
        if name not in self._found:
            self._found[name] = self._look(name)
        return self._found[name]

    def model(self, name: str) -> Model | None:
        found = self._models.get(name)
        if found is None:
            found = self._connection.model(name, self._frame)
            if found is not None:
                self._models[name] = found
                # A model can be trained on, so that a variable's is read anew for the next query.
                self.repeatable = self.repeatable and self._connection.catalog.model(name) is found
        return found

    def _look(self, name: str) -> StoredTable | Plan | None:
        found = self._connection.lookup(name, self._frame)
        if found is None or self._connection.catalog.lookup(name) is not None:
            return found
        value = find_variable(self._frame, name)
        if value is None:
            assert isinstance(found, StoredTable)
            self.files[name] = found
        elif isinstance(value, Relation) or is_fixed(value):
            self.variables[name] = value
        else:
            self.repeatable = False
        return found


def _parameters(params: Parameters) -> Parameters:
    """The parameters, vectors fixed; BindError for what holds no values."""
    if params is not None and (isinstance(params, str | bytes) or not isinstance(params, Sequence | Mapping)):
        raise BindError(
            f"params is a {type(params).__name__}, neither a sequence nor a mapping",
            hint="write [value] for ? and $1, {'name': value} for $name",
        )
    return vectors_fixed(params)  # type: ignore[no-any-return]


def _known_rules(names: Iterable[str]) -> frozenset[str]:
    """The names as a set; BindError for one that no rule has."""
    chosen = frozenset((names,) if isinstance(names, str) else names)
    known = [name for name, _ in RULES]
    if unknown := sorted(chosen.difference(known)):
        raise BindError(f"there is no optimizer rule {unknown[0]!r}", hint=f"rules are {', '.join(known)}")
    return chosen


def connect(
    device: str = "cpu",
    threads: int | None = None,
    backend: str = "eager",
    memory_limit: int | str | None = None,
    disabled_rules: Iterable[str] = (),
) -> Connection:
    """A new connection with no tables.

    `device` is "cpu", "cuda" or "cuda:<n>"; `threads` None takes all cores; `backend` is "eager" or "compile";
    `memory_limit` bounds intermediate results, in bytes or as "4GB"; `disabled_rules` names rules of the optimizer
    (`tqp.optimizer.RULES`) to go without, for measuring what each is worth.
    """
    return Connection(device, threads, backend, memory_limit, disabled_rules)


_default: Connection | None = None
_default_lock: Final = Lock()


def default_connection() -> Connection:
    """The connection of the functions of the module `tqp`; made on first use, on the CPU."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Connection()
        return _default


def sql(text: str, params: Parameters = None, read: str = "duckdb") -> Relation:
    """`Connection.sql` of the default connection."""
    return default_connection().sql(text, params, read)


def register(name: str, value: Any) -> Connection:
    """`Connection.register` of the default connection."""
    return default_connection().register(name, value)


def register_model(name: str, model: Any, **options: Any) -> Connection:
    """`Connection.register_model` of the default connection."""
    return default_connection().register_model(name, model, **options)


def read_parquet(path: Path) -> Relation:
    """`Connection.read_parquet` of the default connection."""
    return default_connection().read_parquet(path)


def read_csv(path: Path, **options: Any) -> Relation:
    """`Connection.read_csv` of the default connection."""
    return default_connection().read_csv(path, **options)
