"""The functions of the module `tqp`: those of one connection that all callers of the process share."""

from __future__ import annotations

from typing import Any, Final

from tqp.connection import Connection
from tqp.io.files import Paths
from tqp.locks import Lock
from tqp.relation import Relation
from tqp.sql import Parameters

__all__ = ["default_connection", "read_csv", "read_parquet", "register", "register_model", "sql"]

_default: Connection | None = None
_lock: Final = Lock()


def default_connection() -> Connection:
    """The connection of the functions of the module `tqp`; made on first use, on the CPU."""
    global _default
    with _lock:
        if _default is None:
            _default = Connection()
        return _default


def sql(text: str, params: Parameters = None, read: str = "duckdb", timeout: float | None = None) -> Relation:
    """`Connection.sql` of the default connection."""
    return default_connection().sql(text, params, read, timeout)


def register(name: str, value: Any) -> Connection:
    """`Connection.register` of the default connection."""
    return default_connection().register(name, value)


def register_model(name: str, model: Any, **options: Any) -> Connection:
    """`Connection.register_model` of the default connection."""
    return default_connection().register_model(name, model, **options)


def read_parquet(path: Paths) -> Relation:
    """`Connection.read_parquet` of the default connection."""
    return default_connection().read_parquet(path)


def read_csv(path: Paths, **options: Any) -> Relation:
    """`Connection.read_csv` of the default connection."""
    return default_connection().read_csv(path, **options)
