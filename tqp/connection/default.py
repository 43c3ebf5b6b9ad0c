"""The functions of the module `tqp`: those of one connection that all callers of the process share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from tqp.connection import Connection
from tqp.locks import Lock
from tqp.relation import Relation
from tqp.sql import Parameters

__all__ = [
    "append",
    "begin",
    "commit",
    "create_aggregate",
    "create_function",
    "create_table_function",
    "default_connection",
    "execute",
    "executemany",
    "filesystem_is_registered",
    "from_arrow",
    "from_csv_auto",
    "from_df",
    "from_parquet",
    "from_query",
    "interrupt",
    "list_filesystems",
    "query",
    "read_arrow",
    "read_csv",
    "read_json",
    "read_parquet",
    "register",
    "register_filesystem",
    "register_model",
    "remove_function",
    "rollback",
    "sql",
    "table",
    "table_function",
    "unregister",
    "unregister_filesystem",
    "values",
    "view",
]

P = ParamSpec("P")
R = TypeVar("R")

_default: Connection | None = None
_lock: Final = Lock()


def default_connection() -> Connection:
    """The connection of the functions of the module `tqp`; made on first use, on the CPU."""
    global _default
    with _lock:
        if _default is None:
            _default = Connection()
        return _default


def _shared(method: Callable[Concatenate[Connection, P], R]) -> Callable[P, R]:
    """The method, of the default connection; with its signature, `self` aside."""

    @wraps(method)
    def of_default(*args: P.args, **options: P.kwargs) -> R:
        return method(default_connection(), *args, **options)

    own = signature(method)
    of_default.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])  # type: ignore[attr-defined]
    return of_default


def sql(
    query: str,
    params: Parameters = None,
    read: str = "duckdb",
    timeout: float | None = None,
    *,
    alias: str | None = None,
) -> Relation:
    """The query as a lazy relation, on the default connection; statements such as CREATE run at once.

    Tables are those registered, else variables of the caller by their name, else files by their path. `params` are the values
    of `?` and `$1` (a sequence) or `$name` (a mapping), `read` is the SQL dialect, `timeout` the seconds that a run of the query
    may take. The same as `Connection.sql`, which says more; errors are those of `tqp.errors`.

    >>> points = {"x": [1.5, 2.5], "name": ["a", "b"]}
    >>> tqp.sql("SELECT name FROM points WHERE x > $least", {"least": 2}).fetchall()
    [('b',)]
    """
    return default_connection().sql(query, params, read, timeout, alias=alias)


def register(view_name: str, python_object: Any) -> Connection:
    """Let `view_name` mean the table `python_object` in `tqp.sql`: a frame, Arrow data, a dict of columns, a path, ….

    The same as `Connection.register`, which lists them; SourceError for anything else.

    >>> tqp.register("points", {"x": [1.5, 2.5], "name": ["a", "b"]}).tables()
    ['points']
    >>> tqp.sql("SELECT max(x) FROM points").fetchall()
    [(2.5,)]
    """
    return default_connection().register(view_name, python_object)


query = sql


execute = _shared(Connection.execute)
executemany = _shared(Connection.executemany)
table = _shared(Connection.table)
view = _shared(Connection.view)
values = _shared(Connection.values)
table_function = _shared(Connection.table_function)
unregister = _shared(Connection.unregister)
append = _shared(Connection.append)
begin = _shared(Connection.begin)
commit = _shared(Connection.commit)
rollback = _shared(Connection.rollback)
interrupt = _shared(Connection.interrupt)
create_function = _shared(Connection.create_function)
create_aggregate = _shared(Connection.create_aggregate)
create_table_function = _shared(Connection.create_table_function)
remove_function = _shared(Connection.remove_function)
register_filesystem = _shared(Connection.register_filesystem)
unregister_filesystem = _shared(Connection.unregister_filesystem)
list_filesystems = _shared(Connection.list_filesystems)
filesystem_is_registered = _shared(Connection.filesystem_is_registered)
register_model = _shared(Connection.register_model)
from_df = _shared(Connection.from_df)
from_arrow = _shared(Connection.from_arrow)
from_query = _shared(Connection.from_query)
from_csv_auto = _shared(Connection.from_csv_auto)
from_parquet = _shared(Connection.from_parquet)
read_parquet = _shared(Connection.read_parquet)
read_csv = _shared(Connection.read_csv)
read_json = _shared(Connection.read_json)
read_arrow = _shared(Connection.read_arrow)
