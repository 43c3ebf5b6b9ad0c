"""The Python Database API 2.0 (PEP 249): connections and cursors for code that knows no engine.

    conn = tqp.dbapi.connect()
    cursor = conn.cursor()
    cursor.execute("SELECT a, b FROM 'data.parquet' WHERE a > ?", [3])
    cursor.fetchall()

Every statement is done when it is executed, unless BEGIN began a transaction of the thread. Parameters are `?` and `$1` for a
sequence, `$name` for a mapping.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar

from tqp import errors
from tqp.garbage import importing
from tqp.types import DType, Kind

with importing():
    import tqp.connection
    from tqp.relation import Relation
    from tqp.sql import Parameters
    from tqp.statements import holds_statements

__all__ = [
    "BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Binary", "Connection", "Cursor", "DataError", "DatabaseError",
    "Date", "DateFromTicks", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError", "OperationalError",
    "ProgrammingError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel", "connect", "paramstyle",
    "threadsafety",
]  # fmt: skip

T = TypeVar("T")

apilevel: Final = "2.0"
threadsafety: Final = 2
"""Threads may share connections, and not cursors."""
paramstyle: Final = "qmark"


class Warning(Exception):
    """What tqp never raises."""


class Error(Exception):
    """Base of all errors of this module; its `__cause__` is the error of tqp."""


class InterfaceError(Error):
    """The interface was used wrongly: something closed was asked."""


class DatabaseError(Error):
    """An error of the engine."""


class DataError(DatabaseError):
    """The data does not allow the answer: a division, an overflow, a bad cast."""


class OperationalError(DatabaseError):
    """The surroundings do not: a file, memory, an interrupt, a timeout."""


class IntegrityError(DatabaseError):
    """A row breaks a rule of its table."""


class InternalError(DatabaseError):
    """A bug in tqp."""


class ProgrammingError(DatabaseError):
    """The query is wrong: its syntax, a name, a type, its parameters."""


class NotSupportedError(DatabaseError):
    """Valid SQL that tqp does not run."""


_CLASSES: Final[tuple[tuple[type[errors.TqpError], type[Error]], ...]] = (
    (errors.ParseError, ProgrammingError),
    (errors.BindError, ProgrammingError),
    (errors.ModelError, ProgrammingError),
    (errors.UnsupportedError, NotSupportedError),
    (errors.ConstraintError, IntegrityError),
    (errors.QueryInterruptedError, OperationalError),
    (errors.ExecutionError, DataError),
    (errors.TransactionError, OperationalError),
    (errors.OutOfMemoryError, OperationalError),
    (errors.SourceError, OperationalError),
    (errors.InternalError, InternalError),
)
"""What each error of tqp is here; the first that fits."""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except errors.TqpError as error:
        kind = next((kind for own, kind in _CLASSES if isinstance(error, own)), DatabaseError)
        raise kind(str(error)) from error


class _TypeObject:
    """A group of types of SQL, which the `type_code` of a column is equal to if it is one of them."""

    def __init__(self, name: str, *types: str) -> None:
        self._name = name
        self._types = frozenset(types)

    def __eq__(self, other: object) -> bool:
        return other is self or (isinstance(other, str) and other.partition("(")[0] in self._types)

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f"tqp.dbapi.{self._name}"


STRING: Final = _TypeObject("STRING", "VARCHAR", "JSON", "UUID", "ENUM")
BINARY: Final = _TypeObject("BINARY", "BLOB")
NUMBER: Final = _TypeObject(
    "NUMBER", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL",
)  # fmt: skip
DATETIME: Final = _TypeObject(
    "DATETIME", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "INTERVAL",
)  # fmt: skip
ROWID: Final = _TypeObject("ROWID")

Date: Final = datetime.date
Time: Final = datetime.time
Timestamp: Final = datetime.datetime
Binary: Final = bytes


def DateFromTicks(ticks: float) -> datetime.date:
    """The local date of a number of seconds since 1970."""
    return datetime.date.fromtimestamp(ticks)


def TimeFromTicks(ticks: float) -> datetime.time:
    """The local time of day of a number of seconds since 1970."""
    return datetime.datetime.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """The local time of a number of seconds since 1970."""
    return datetime.datetime.fromtimestamp(ticks)


_BYTES: Final = {
    Kind.BOOLEAN: 1, Kind.TINYINT: 1, Kind.SMALLINT: 2, Kind.INTEGER: 4, Kind.BIGINT: 8, Kind.HUGEINT: 16, Kind.UTINYINT: 1,
    Kind.USMALLINT: 2, Kind.UINTEGER: 4, Kind.UBIGINT: 8, Kind.UHUGEINT: 16, Kind.FLOAT: 4, Kind.DOUBLE: 8,
}  # fmt: skip
"""Bytes of a number of each type."""


class Column(NamedTuple):
    """What `Cursor.description` says of a column.

    `type_code` is its SQL type, such as "DECIMAL(9,2)", `internal_size` how many bytes a number of it has.
    """

    name: str
    type_code: str
    display_size: None
    internal_size: int | None
    precision: int | None
    scale: int | None
    null_ok: None


class Connection:
    """A connection of tqp as PEP 249 has them. `engine` is the `tqp.Connection`, which has `register` and all else.

    >>> conn = tqp.dbapi.connect()
    >>> _ = conn.engine.register("t", {"a": [1, 2, 3]})
    >>> conn.cursor().execute("SELECT sum(a) FROM t WHERE a > ?", [1]).fetchone()
    (5,)
    """

    Warning = Warning
    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(self, engine: tqp.connection.Connection, closes: bool = False) -> None:
        """Over a connection that is there; with `closes` it is closed with this one."""
        self._engine = engine
        self._closes = closes
        self._closed = False
        self._done = False

    @property
    def engine(self) -> tqp.connection.Connection:
        """The connection of tqp; InterfaceError once this one is closed."""
        if self._closed:
            raise InterfaceError("the connection is closed: open another one with tqp.dbapi.connect()")
        return self._engine

    def cursor(self) -> Cursor:
        """A new cursor."""
        assert self.engine
        return Cursor(self)

    def commit(self) -> None:
        """End the transaction that BEGIN began; without one nothing is left to do: every statement was done at once."""
        engine = self.engine
        self._done = False
        if engine.in_transaction:
            with _translated():
                engine.commit()

    def rollback(self) -> None:
        """Undo the transaction that BEGIN began; without one NotSupportedError, unless only queries ran since the last commit."""
        engine = self.engine
        done, self._done = self._done, False
        if engine.in_transaction:
            engine.rollback()
        elif done:
            raise NotSupportedError(
                "no transaction began: the statements since the last commit() stay done; BEGIN begins one"
            )

    def close(self) -> None:
        """Take no more queries; a connection of tqp that `connect` made is closed too."""
        if not self._closed and self._closes:
            self._engine.close()
        self._closed = True

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Cursor:
    """Runs one query after the other, and gives the rows of the last one.

    >>> cursor = tqp.dbapi.connect().cursor()
    >>> cursor.execute("SELECT i, i / 2 AS half FROM range(3) r(i)").fetchmany(2)
    [(0, 0.0), (1, 0.5)]
    >>> list(cursor), cursor.rowcount, [column.name for column in cursor.description]
    ([(2, 1.0)], 3, ['i', 'half'])
    """

    lastrowid: Final = None

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self._relation: Relation | None = None
        self._count = -1
        self._closed = False

    @property
    def description(self) -> list[Column] | None:
        """The columns of the last query; None where the last statement gives no rows, or nothing ran."""
        if self._relation is None:
            return None
        return [_described(field.name, field.dtype) for field in self._relation.schema]

    @property
    def rowcount(self) -> int:
        """How many rows the last query gave, or the last statement wrote; -1 where nothing says it."""
        return self._count

    def execute(self, operation: str, parameters: Sequence[object] | Mapping[str, object] | None = None) -> Cursor:
        """Run a query or a statement; this cursor.

        >>> cursor = tqp.dbapi.connect().cursor()
        >>> cursor.execute("SELECT $greeting || ' ' || $name", {"greeting": "hello", "name": "ann"}).fetchone()
        ('hello ann',)
        """
        self._run(operation, parameters)
        return self

    def executemany(
        self, operation: str, seq_of_parameters: Iterable[Sequence[object] | Mapping[str, object]]
    ) -> Cursor:
        """Run a statement once for each of some parameters; `rowcount` is of all of them together.

        >>> cursor = tqp.dbapi.connect().cursor().execute("CREATE TABLE t (a INTEGER, b VARCHAR)")
        >>> cursor.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), (2, "y")]).rowcount
        2
        """
        engine = self._engine()
        total = 0
        with _translated():
            for relation in engine.each_executed(operation, seq_of_parameters):
                self._keep(operation, relation)
                total += max(self._count, 0)
        self._count = total
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        return self._fetched(lambda relation: relation.fetchone())

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """The next `size` rows, or `arraysize`; fewer at the end."""
        return self._fetched(lambda relation: relation.fetchmany(self.arraysize if size is None else size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        return self._fetched(lambda relation: relation.fetchmany(len(relation)))

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def close(self) -> None:
        """Free the rows; the cursor cannot be used any more."""
        self._reset()
        self._closed = True

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Nothing: parameters say their types themselves."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing: values come as long as they are."""

    def __enter__(self) -> Cursor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _reset(self) -> None:
        self._relation, self._count = None, -1

    def _engine(self) -> tqp.connection.Connection:
        """What runs the next statement; the rows of the last one are let go."""
        if self._closed:
            raise InterfaceError("the cursor is closed: conn.cursor() gives another one")
        engine = self.connection.engine
        self._reset()
        return engine

    def _run(self, operation: str, parameters: Parameters) -> None:
        engine = self._engine()
        with _translated():
            self._keep(operation, engine.execute(operation, parameters))

    def _keep(self, operation: str, relation: Relation) -> None:
        """Keep what a statement gave."""
        if not holds_statements(operation) or relation.columns not in (["Count"], ["Success"]):
            self._relation, self._count = relation, len(relation)
            return
        # What a statement gives that has no rows is how many it wrote, where it wrote some.
        self._relation = None
        self.connection._done = True
        written = relation.fetchone()
        self._count = -1 if written is None else written[0]

    def _fetched(self, fetch: Callable[[Relation], T]) -> T:
        if self._closed:
            raise InterfaceError("the cursor is closed: conn.cursor() gives another one")
        assert self.connection.engine
        if self._relation is None:
            raise ProgrammingError("there are no rows: execute() a query first")
        with _translated():
            return fetch(self._relation)


def _described(name: str, dtype: DType) -> Column:
    precision, scale = (dtype.precision, dtype.scale) if dtype.is_decimal else (None, None)
    return Column(name, str(dtype), None, _BYTES.get(dtype.kind), precision, scale, None)


def connect(
    device: str = "cpu",
    threads: int | None = None,
    backend: str = "eager",
    memory_limit: int | str | None = None,
    external_access: bool = True,
    variables: bool = False,
    time_zone: str | None = None,
    read_only: bool = False,
    lock_configuration: bool = False,
) -> Connection:
    """A new connection of tqp, as PEP 249 has them; the options are those of `tqp.connect`.

    `Connection(con)` is one over a connection of tqp that is there. Variables of the caller are no tables unless `variables` says
    so: with a library in between, its variables would be meant.
    """
    with _translated():
        engine = tqp.connection.connect(
            device,
            threads,
            backend,
            memory_limit,
            external_access=external_access,
            variables=variables,
            time_zone=time_zone,
            read_only=read_only,
            lock_configuration=lock_configuration,
        )
    return Connection(engine, closes=True)
