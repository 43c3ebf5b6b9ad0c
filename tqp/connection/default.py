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
    """`Connection.sql` of the default connection."""
    return default_connection().sql(text, params, read, timeout)


def register(name: str, value: Any) -> Connection:
    """`Connection.register` of the default connection."""
    return default_connection().register(name, value)


register_model = _shared(Connection.register_model)
read_parquet = _shared(Connection.read_parquet)
read_csv = _shared(Connection.read_csv)
read_json = _shared(Connection.read_json)
read_arrow = _shared(Connection.read_arrow)
