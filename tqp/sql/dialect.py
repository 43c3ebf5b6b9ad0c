"""The SQL dialect tqp reads by default: DuckDB's, with room for functions of tqp's own."""

from __future__ import annotations

import logging

from sqlglot import Dialect
from sqlglot.dialects.duckdb import DuckDB

from tqp.errors import BindError

__all__ = ["dialect_named"]

# sqlglot's own PREDICT node takes three arguments at most; without it PREDICT is a plain call of any number.
# Taken out of the parser's table in place, for a compiled parser class cannot be inherited from.
DuckDB.Parser.FUNCTIONS.pop("PREDICT", None)

# sqlglot logs a warning where it falls back to an opaque command; tqp raises an error for those.
logging.getLogger("sqlglot").addFilter(
    lambda record: "Falling back to parsing as a 'Command'" not in record.getMessage()
)


def _counting_from_one(dialect: Dialect) -> Dialect:
    # The parser makes subscripts that it takes for numbers count from 0, and leaves others: so none is moved.
    dialect.INDEX_OFFSET = type(dialect).INDEX_OFFSET - 1
    return dialect


_DEFAULT = _counting_from_one(DuckDB())


def dialect_named(name: str) -> Dialect:
    """The dialect called `name` by sqlglot; BindError where there is none."""
    if name == "duckdb":
        return _DEFAULT
    try:
        found = Dialect.get_or_raise(name)
    except ValueError:
        raise BindError(
            f"there is no SQL dialect {name!r}", hint="try duckdb, postgres, spark, tsql or mysql"
        ) from None
    found.parser_class.FUNCTIONS.pop("PREDICT", None)
    return _counting_from_one(found)
