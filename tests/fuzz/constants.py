"""The same query with other constants: what a plan that was made for one text must not answer for the next."""

from __future__ import annotations

import random
import re
from typing import Final

import sqlglot
from sqlglot.tokens import TokenType

from tqp.functions.units import PARTS

_NUMBERS: Final = ("0", "1", "2", "3", "7", "12", "100", "200", "40000")
_TEXTS: Final = ("", "a", "b", "ab", "A", "%a%", "_b", "0", "1.5", "true")
_UNITS: Final = ("year", "month", "day", "hour", "minute", "second", "week", "quarter")
"""Words of dates: tqp knows the others for none before it looks at a value, DuckDB where one is not NULL."""
_DAYS: Final = ("1970-01-01", "2024-02-29", "1999-12-31", "2000-01-15")
_KEPT: Final = 0.4
"""The share of constants that stay."""


def other_constants(sql: str, rng: random.Random) -> str:
    """The text with other numbers and strings, mostly of the same type; it may be one that no engine accepts.

    A recursion stays as it is: with another step or limit it may never end.
    """
    if "RECURSIVE" in sql.upper():
        return sql
    text, end = [], 0
    for token in sqlglot.tokenize(f"{sql} ", read="duckdb"):
        if token.token_type not in (TokenType.NUMBER, TokenType.STRING) or rng.random() < _KEPT:
            continue
        if sql[: token.start].endswith(", -"):
            # Digits to round to: where none is left of a DECIMAL, NULL is 0 in DuckDB.
            continue
        written = sql[token.start : token.end + 1]
        text += [sql[end : token.start], _other(written, rng)]
        end = token.end + 1
    return "".join((*text, sql[end:]))


def _other(written: str, rng: random.Random) -> str:
    if written.startswith("'"):
        return _text(written[1:-1], rng)
    if written.isdigit():
        number = int(written)
        beside = (str(number + 1), str(max(number - 1, 0)))
        # Small numbers may say how often something is repeated.
        return rng.choice((*beside, *_NUMBERS)) if number < 2**20 else rng.choice((*beside, str(number // 2)))
    return re.sub(r"\d", lambda digit: str(rng.randint(0, 9)), written, count=rng.randint(1, 3))


def _text(inner: str, rng: random.Random) -> str:
    if re.match(r"\d{4}-\d{2}-\d{2}", inner):
        return f"'{rng.choice(_DAYS)}{inner[10:]}'"
    if inner.isdigit():
        return f"'{rng.choice(_NUMBERS)}'"
    if inner.lower() in PARTS:
        return f"'{rng.choice(_UNITS)}'"
    return f"'{rng.choice((*_TEXTS, inner[::-1] if inner.isalnum() else inner))}'"
