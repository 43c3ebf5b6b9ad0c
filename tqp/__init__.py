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
    from tqp.connection.default import (
        append,
        begin,
        commit,
        create_aggregate,
        create_function,
        create_table_function,
        default_connection,
        execute,
        executemany,
        filesystem_is_registered,
        from_arrow,
        from_csv_auto,
        from_df,
        from_parquet,
        from_query,
        interrupt,
        list_filesystems,
        query,
        read_arrow,
        read_csv,
        read_json,
        read_parquet,
        register,
        register_filesystem,
        register_model,
        remove_function,
        rollback,
        sql,
        table,
        table_function,
        unregister,
        unregister_filesystem,
        values,
        view,
    )
    from tqp.errors import TqpError
    from tqp.expressions.constructors import (
        CaseExpression,
        CoalesceOperator,
        ColumnExpression,
        ConstantExpression,
        FunctionExpression,
        LambdaExpression,
        SQLExpression,
        StarExpression,
        coalesce,
        col,
        count_all,
        dense_rank,
        first_value,
        fn,
        lag,
        last_value,
        lead,
        lit,
        ntile,
        rank,
        row_number,
        sql_expr,
        star,
        when,
    )
    from tqp.expressions.expression import Expression
    from tqp.installation import version_report
    from tqp.relation import Relation
    from tqp.runtime.progress import Progress

__all__ = [
    "CaseExpression", "CoalesceOperator", "ColumnExpression", "Connection", "ConstantExpression", "Expression",
    "FunctionExpression", "LambdaExpression", "Progress", "Relation", "SQLExpression", "StarExpression", "TqpError", "append",
    "begin",
    "coalesce", "col", "commit", "connect", "count_all", "create_aggregate", "create_function", "create_table_function",
    "dbapi", "default_connection", "dense_rank", "errors", "execute", "executemany", "filesystem_is_registered",
    "first_value", "fn", "from_arrow", "from_csv_auto", "from_df", "from_parquet", "from_query", "interrupt", "lag",
    "last_value", "lead", "list_filesystems", "lit", "ntile", "query", "rank", "read_arrow", "read_csv", "read_json",
    "read_parquet", "register", "register_filesystem", "register_model", "remove_function", "rollback", "row_number", "sql",
    "sql_expr", "star", "table", "table_function", "types", "unregister", "unregister_filesystem", "values",
    "version_report", "view", "when",
]  # fmt: skip

__version__ = "0.1.0"

_MODULES = ("dbapi", "errors", "types")
_DEFAULT = """
    append begin commit create_aggregate create_function create_table_function default_connection execute executemany
    filesystem_is_registered from_arrow from_csv_auto from_df from_parquet from_query interrupt list_filesystems query
    read_arrow read_csv read_json read_parquet register register_filesystem register_model remove_function rollback sql
    table table_function unregister unregister_filesystem values view"""
_EXPRESSIONS = """
    CaseExpression CoalesceOperator ColumnExpression ConstantExpression FunctionExpression LambdaExpression
    SQLExpression StarExpression coalesce col count_all dense_rank first_value fn lag last_value lead lit ntile rank
    row_number sql_expr star when"""
_HOME = {
    "Connection": "tqp.connection",
    "Progress": "tqp.runtime.progress",
    "Relation": "tqp.relation",
    "TqpError": "tqp.errors",
    "connect": "tqp.connection",
    "version_report": "tqp.installation",
    **dict.fromkeys(_DEFAULT.split(), "tqp.connection.default"),
    **dict.fromkeys(_EXPRESSIONS.split(), "tqp.expressions.constructors"),
    "Expression": "tqp.expressions.expression",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME and name not in _MODULES:
        raise AttributeError(_absent(name), name=name, obj=sys.modules[__name__])
    with importing():
        if name in _MODULES:
            return import_module(f"tqp.{name}")
        value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def _absent(name: str) -> str:
    """What to say of a name that the module has not; what asks for those of Python's own wants no hint."""
    if name.startswith("_"):
        return f"module 'tqp' has no attribute {name!r}"
    from tqp.connection.missing import MODULE
    from tqp.relation.missing import instead

    return instead("module 'tqp'", name, MODULE)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext tqp` calls: `%sql` and `%%sql`."""
    with importing():
        from tqp.notebook import load

    load(shell)


class _Package(ModuleType):
    """A package whose `sql`, `query` and `interrupt` stay functions, though a subpackage and modules have these names too."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python binds a subpackage to its parent when it is first imported, whoever imports it.
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
