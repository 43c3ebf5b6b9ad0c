"""tqp: SQL on tensors.

    import tqp
    tqp.sql("SELECT count(*) FROM df").show()

Everything is loaded on first use, so that `import tqp` itself costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tqp.garbage import importing

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tqp import dbapi, errors, types
    from tqp.connection import Connection, connect
    from tqp.connection.default import read_arrow, read_csv, read_json, read_parquet, register, register_model, sql
    from tqp.expressions import (
        CaseExpression,
        CoalesceOperator,
        ColumnExpression,
        ConstantExpression,
        Expression,
        FunctionExpression,
        LambdaExpression,
        SQLExpression,
        StarExpression,
        coalesce,
        col,
        count_all,
        fn,
        lit,
        sql_expr,
        star,
    )
    from tqp.installation import version_report
    from tqp.relation import Relation
    from tqp.runtime.progress import Progress

__all__ = [
    "CaseExpression", "CoalesceOperator", "ColumnExpression", "Connection", "ConstantExpression", "Expression",
    "FunctionExpression", "LambdaExpression", "Progress", "Relation", "SQLExpression", "StarExpression", "coalesce", "col",
    "connect", "count_all", "dbapi", "errors", "fn", "lit", "read_arrow", "read_csv", "read_json", "read_parquet", "register",
    "register_model", "sql", "sql_expr", "star", "types", "version_report",
]  # fmt: skip

__version__ = "0.1.0"

_MODULES = ("dbapi", "errors", "types")
_HOME = {
    "Connection": "tqp.connection",
    "Progress": "tqp.runtime.progress",
    "Relation": "tqp.relation",
    "connect": "tqp.connection",
    "read_csv": "tqp.connection.default",
    "read_arrow": "tqp.connection.default",
    "read_json": "tqp.connection.default",
    "read_parquet": "tqp.connection.default",
    "register": "tqp.connection.default",
    "register_model": "tqp.connection.default",
    "sql": "tqp.connection.default",
    "version_report": "tqp.installation",
    **dict.fromkeys(
        (
            "CaseExpression",
            "CoalesceOperator",
            "ColumnExpression",
            "ConstantExpression",
            "Expression",
            "FunctionExpression",
            "LambdaExpression",
            "SQLExpression",
            "StarExpression",
            "coalesce",
            "col",
            "count_all",
            "fn",
            "lit",
            "sql_expr",
            "star",
        ),
        "tqp.expressions",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME and name not in _MODULES:
        raise AttributeError(f"module 'tqp' has no attribute {name!r}")
    with importing():
        if name in _MODULES:
            return import_module(f"tqp.{name}")
        value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext tqp` calls: `%sql` and `%%sql`."""
    with importing():
        from tqp.notebook import load

    load(shell)


class _Package(ModuleType):
    """A package whose name `sql` stays the function, though a subpackage has that name too."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python binds a subpackage to its parent when it is first imported, whoever imports it.
        if not (name == "sql" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
