"""Texts of queries with other constants in them: numbers and strings of the same types, as far as it goes, or of others."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import TqpError
from tqp.sql.dialect import dialect_named
from tqp.sql.parse import parse
from tqp.sql.words import words

__all__ = ["with_aliases", "with_constants_mixed", "with_other_constants"]

_INTEGERS = ("0", "1", "2", "3", "7", "10", "30", "127", "128", "255", "1000", "32767", "40000")
_LARGE = ("2147483647", "2147483648", "9223372036854775807", "9223372036854775808")
_SIZES = (TokenType.L_BRACKET, TokenType.L_PAREN, TokenType.COMMA)
"""What stands before a number that may say how large something gets."""
_STRINGS = (
    "", "a", "b", "A", "Ann", "%", "a%", "%a%", "_", "1", "-7", "2.5", "nan", "true", "x", "ü", "day", "2024-02-29", "1999-12-31",
    "2020-01-01 00:00:00", "12:30:00", "3 days",
)  # fmt: skip


def with_other_constants(text: str, rng: random.Random, share: float = 0.6, faithful: bool = False) -> str:
    """The text with about that share of its constants exchanged; what was equal stays so.

    Most have the type that they had; if `faithful`, all have, and what differed goes on to.
    """
    pieces: list[str] = []
    end = 0
    others: dict[tuple[TokenType, str], str] = {}
    tokens = words(dialect_named("duckdb"), text)
    for before, token in pairwise([None, *tokens]):
        if token is None or token.token_type not in (TokenType.NUMBER, TokenType.STRING):
            continue
        key = (token.token_type, token.text)
        if key not in others:
            others[key] = text[token.start : token.end + 1]
            is_size = before is not None and before.token_type in _SIZES
            if rng.random() < share and not (before is not None and before.token_type == TokenType.L_BRACKET):
                made = [_other(token, rng, faithful or is_size) for _ in range(9 if faithful else 1)]
                others[key] = next((one for one in made if one not in others.values()), others[key])
        pieces += [text[end : token.start], others[key]]
        end = token.end + 1
    return "".join(pieces) + text[end:]


def with_constants_mixed(text: str, rng: random.Random) -> str:
    """The text in which some constants became equal to others of it, or no longer are."""
    pieces: list[str] = []
    end = 0
    tokens = words(dialect_named("duckdb"), text)
    for before, token in pairwise([None, *tokens]):
        if token is None or token.token_type not in (TokenType.NUMBER, TokenType.STRING) or rng.random() < 0.5:
            continue
        if before is not None and before.token_type == TokenType.L_BRACKET:
            continue
        others = [
            one for one in tokens if one.token_type == token.token_type and ("." in one.text) == ("." in token.text)
        ]
        other = rng.choice(others)
        pieces += [text[end : token.start], text[other.start : other.end + 1]]
        end = token.end + 1
    return "".join(pieces) + text[end:]


def _other(token: Token, rng: random.Random, faithful: bool) -> str:
    word = token.text
    if token.token_type == TokenType.STRING:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", word) and rng.random() < 0.8:
            return f"'{rng.randint(1992, 2025)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}'"
        return "'" + rng.choice(_STRINGS).replace("'", "''") + "'"
    if re.fullmatch(r"\d+\.\d+", word):
        whole, _, fraction = word.partition(".")
        number = rng.randint(0, 10 ** len(whole + fraction) - 1)
        digits = f"{number:0{len(whole + fraction)}}"
        return f"{digits[: len(whole)]}.{digits[len(whole) :]}"
    if rng.random() < 0.1 and not faithful:
        return rng.choice(_LARGE)
    near = word.isdigit() and int(word) and rng.random() < 0.4
    return str(int(word) + rng.choice((-1, 1))) if near else rng.choice(_INTEGERS)


def with_aliases(text: str) -> str:
    """The text with an alias for what a SELECT computes, so that no column's name has a constant's text; itself if that fails."""
    try:
        tree = parse(text)
        for select in tree.find_all(exp.Select):
            for place, item in enumerate(select.expressions):
                if not isinstance(item, exp.Alias | exp.Column | exp.Star):
                    item.replace(exp.alias_(item.copy(), f"column_{place}"))
        return tree.sql("duckdb")
    except (TqpError, SqlglotError):
        return text
