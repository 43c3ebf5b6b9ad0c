"""The SQL dialect tqp reads by default: DuckDB's, with room for functions of tqp's own."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Dialect, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import BindError

__all__ = ["dialect_named", "with_predict", "without_predict"]

# What PREDICT is called while sqlglot parses: its own node of that name takes three arguments at most.
_STAND_IN = "tqp_predict"


def without_predict(tokens: Sequence[Token]) -> list[Token]:
    """The words with calls of PREDICT under a name that the parser does not know; `with_predict` gives the name back."""
    result = list(tokens)
    for place, token in enumerate(tokens[:-1]):
        if token.text.upper() == "PREDICT" and tokens[place + 1].token_type == TokenType.L_PAREN:
            result[place] = Token(TokenType.VAR, _STAND_IN, token.line, token.col, token.start, token.end)
    return result


def with_predict(tree: exp.Expr) -> None:
    """Call PREDICT by its name again."""
    for node in tree.find_all(exp.Anonymous):
        if node.name == _STAND_IN:
            node.set("this", "PREDICT")


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
    return _counting_from_one(found)
