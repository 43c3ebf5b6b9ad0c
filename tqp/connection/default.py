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
    "default_connection",
    "read_arrow",
    "read_csv",
    "read_json",
    "read_parquet",
    "register",
    "register_model",
    "sql",
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


def sql(text: str, params: Parameters = None, read: str = "duckdb", timeout: float | None = None) -> Relation:
    """The query as a lazy relation, on the default connection; statements such as CREATE run at once.

    Tables are those registered, else variables of the caller by their name, else files by their path. `params` are the values
    of `?` and `$1` (a sequence) or `$name` (a mapping), `read` is the SQL dialect, `timeout` the seconds that a run of the query
    may take. The same as `Connection.sql`, which says more; errors are those of `tqp.errors`.

    >>> points = {"x": [1.5, 2.5], "name": ["a", "b"]}
    >>> tqp.sql("SELECT name FROM points WHERE x > $least", {"least": 2}).fetchall()
    [('b',)]
    """
    return default_connection().sql(text, params, read, timeout)


def register(name: str, value: Any) -> Connection:
    """Let `name` mean the table `value` in queries of `tqp.sql`: a frame, Arrow data, a dict of columns, a tensor, a path, ….

    The same as `Connection.register`, which lists them; SourceError for anything else.

    >>> tqp.register("points", {"x": [1.5, 2.5], "name": ["a", "b"]}).tables()
    ['points']
    >>> tqp.sql("SELECT max(x) FROM points").fetchall()
    [(2.5,)]
    """
    return default_connection().register(name, value)


register_model = _shared(Connection.register_model)
read_parquet = _shared(Connection.read_parquet)
read_csv = _shared(Connection.read_csv)
read_json = _shared(Connection.read_json)
read_arrow = _shared(Connection.read_arrow)
