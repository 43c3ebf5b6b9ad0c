"""What users of DuckDB look for on a connection or in the module and do not find, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CONNECTION", "MODULE"]

_ROWS: Final = (
    "fetchall fetchone fetchmany fetchnumpy fetchdf fetch_df fetch_df_chunk df pl arrow torch to_arrow_table to_arrow_reader "
    "fetch_arrow_table fetch_record_batch description rowcount"
)
_TYPES: Final = (
    "array_type decimal_type dtype enum_type list_type map_type row_type sqltype "
    "string_type struct_type type union_type"
)
CONNECTION: Final[Mapping[str, str]] = {
    **{name: f"con.execute(text) gives a relation, which has it: con.execute(text).{name}" for name in _ROWS.split()},
    "rowcount": "con.execute(text) gives a relation: len(con.execute(text)) is how many rows a query has",
    "cursor": "use con itself, which threads share; libraries that read databases take tqp.dbapi.Connection(con)",
    "duplicate": "threads share a connection, and each has transactions of its own: use con itself",
    "appender": "con.append(table, rows) takes all of them at once",
    "query_progress": "connect(progress=…) shows how far queries are",
    **dict.fromkeys(
        ("get_profiling_information", "enable_profiling", "disable_profiling"),
        "con.sql(text).explain(True) runs a query and says what took how long",
    ),
    **dict.fromkeys(
        ("abort", "complete"), "con.execute(text) has run when it returns; con.interrupt() stops what runs"
    ),
    **dict.fromkeys(_TYPES.split(), "types are written as in SQL, 'DECIMAL(9,2)', or come from tqp.types"),
    "extract_statements": "con.sql(text) takes several statements in one text",
    "get_table_names": "con.sql(text).explain() shows which tables a query reads",
    "query_appender": "con.append(table, rows) takes all of them at once",
    "tf": "con.execute(text).numpy() gives arrays, which TensorFlow takes",
    **dict.fromkeys(("install_extension", "load_extension"), "leave it out: there is nothing to load"),
    "checkpoint": "leave it out: there is no file of a database",
}
"""By the names of a connection of DuckDB."""

_STEPS: Final = "aggregate alias distinct filter limit order project query_df write_csv"
_ERRORS: Final = {
    **dict.fromkeys(
        ("CatalogException", "BinderException", "InvalidInputException", "TypeMismatchException"), "BindError"
    ),
    **dict.fromkeys(("ParserException", "SyntaxException"), "ParseError"),
    **dict.fromkeys(("NotImplementedException", "InvalidTypeException"), "UnsupportedError"),
    **dict.fromkeys(("ConversionException", "OutOfRangeException", "SequenceException"), "ExecutionError"),
    **dict.fromkeys(("IOException", "HTTPException", "PermissionException", "SerializationException"), "SourceError"),
    **dict.fromkeys(("InternalException", "FatalException"), "InternalError"),
    "ConstraintException": "ConstraintError",
    "InterruptException": "QueryInterruptedError",
    "OutOfMemoryException": "OutOfMemoryError",
    "TransactionException": "TransactionError",
    **dict.fromkeys(("ConnectionException", "DependencyException", "ResourceInUseException"), "TqpError"),
}
_DBAPI: Final = (
    "BINARY DATETIME NUMBER ROWID STRING apilevel paramstyle threadsafety Error Warning DataError DatabaseError IntegrityError "
    "InternalError NotSupportedError OperationalError ProgrammingError"
)
MODULE: Final[Mapping[str, str]] = {
    **CONNECTION,
    **{name: f"tqp.execute(text) gives a relation, which has it: tqp.execute(text).{name}" for name in _ROWS.split()},
    "rowcount": "tqp.execute(text) gives a relation: len(tqp.execute(text)) is how many rows a query has",
    **{name: f"errors are those of tqp.errors: {error}" for name, error in _ERRORS.items()},
    **{name: f"the Database API is the module tqp.dbapi: tqp.dbapi.{name}" for name in _DBAPI.split()},
    **{name: f"tqp.from_df(frame) gives a relation: tqp.from_df(frame).{name}(…)" for name in _STEPS.split()},
    **dict.fromkeys(("arrow", "df"), "tqp.from_df(frame) makes a relation of a table"),
    "query_df": "tqp.from_df(frame).query(name, text) asks a frame",
    "alias": "tqp.from_df(frame).set_alias(name) gives it a name",
    "DuckDBPyConnection": "tqp.Connection",
    "DuckDBPyRelation": "tqp.Relation",
    **dict.fromkeys(("sqltypes", "typing"), "types are in tqp.types: BIGINT, VARCHAR, list_of, …"),
    "set_default_connection": "hand the connection to whoever needs it; tqp.default_connection() is that of the module",
    "close": "the connection of the module stays open: tqp.connect() makes one to close",
    "version": "tqp.__version__",
    "build_info": "tqp.version_report()",
    "tokenize": "the command tqp highlights SQL",
}
"""By the names of DuckDB's module."""
