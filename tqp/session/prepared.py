"""`duckdb_prepared_statements()`: the statements that PREPARE gave names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sqlglot.tokenizer_core import TokenType

from tqp.ir.plan import Schema
from tqp.session.creation import query_text
from tqp.session.places import TEXTS, Row, texts
from tqp.session.system_columns import type_shown
from tqp.sql.dialect import dialect_named
from tqp.sql.words import words

__all__ = ["PREPARED_COLUMNS", "prepared_rows"]

PREPARED_COLUMNS: Final = {**texts("name statement"), "parameter_types": TEXTS, "result_types": TEXTS}

_CHANGES: Final = frozenset({TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE, TokenType.MERGE})


def prepared_rows(prepared: Mapping[str, str], schema_of: Callable[[str], Schema]) -> Iterator[Row]:
    """A row for each statement. The types of results are those of queries without parameters, and of counts of rows."""
    for name, text in prepared.items():
        tokens = words(dialect_named("duckdb"), text)
        kinds = [token.token_type for token in tokens]
        names = {
            # `?` is another one each time, `$1` and `$name` the same.
            tokens[place + 1].text if kind is TokenType.PARAMETER else place
            for place, kind in enumerate(kinds)
            if kind in (TokenType.PARAMETER, TokenType.PLACEHOLDER)
        }
        types: list[str] | None = None
        if kinds[0] in _CHANGES:
            types = None if TokenType.RETURNING in kinds else ["BIGINT"]
        elif not names:
            types = [type_shown(str(field.dtype)) for field in schema_of(text)]
        yield {
            "name": name,
            "statement": text if kinds[0] in _CHANGES else query_text(text),
            "parameter_types": ["UNKNOWN"] * len(names) or None,
            "result_types": types,
        }
