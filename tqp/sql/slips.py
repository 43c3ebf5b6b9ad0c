"""Syntax errors: the word that does not fit, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import Location, ParseError
from tqp.keywords import NO_NAMES, RESERVED, quoted_name

__all__ = ["misread", "path_at", "slip"]

_STARTS: Final = (
    "SELECT",
    "FROM",
    "WITH",
    "VALUES",
    "INSERT",
    "CREATE",
    "DROP",
    "COPY",
    "EXPLAIN",
    "DESCRIBE",
    "SUMMARIZE",
)
_CLAUSES: Final = (
    "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "QUALIFY", "UNION", "EXCEPT", "INTERSECT", "JOIN", "LEFT",
    "RIGHT", "INNER", "OUTER", "CROSS", "DISTINCT", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "PARTITION", "USING",
)  # fmt: skip
_BEFORE_BY: Final = frozenset({"ORDER", "GROUP", "PARTITION"})
_NEEDS_NAME: Final = frozenset({"FROM", "JOIN", "INTO", "TABLE", "VIEW", ",", ".", "SELECT", "UPDATE"})
_OTHERWISE: Final = {
    "`": 'a name is quoted as "name"',
    "=>": "is it >= that is meant?",
    "=<": "is it <= that is meant?",
    "&&": "write AND",
    "!": "write NOT",
    ":": "a parameter is written $name, $1 or ?",
}
_PATHS: Final = re.compile(r"(?i)\b(?:FROM|JOIN)\s+([\w.~:-]*[/\\][^\s,;()'\"]+)")
"""What stands where a table is named and can only be meant as a path."""
_BRACKETS: Final = (
    (TokenType.L_PAREN, TokenType.R_PAREN, "("),
    (TokenType.L_BRACKET, TokenType.R_BRACKET, "["),
    (TokenType.L_BRACE, TokenType.R_BRACE, "{"),
)
_ALIKE: Final = 0.74
_TEXTS: Final = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING})


def misread(tokens: Sequence[Token], place: int, text: str, what: str = "query") -> ParseError:
    """The error for the word at `place` of `what`, which cannot stand there; behind all words, for one that is missing."""
    hint = slip(tokens, place, text)
    token = tokens[min(place, len(tokens) - 1)] if tokens else None
    location = None if token is None else Location.at(text, token.start)
    if token is None or place >= len(tokens):
        return ParseError(f"syntax error: the {what} ends too early", hint=hint, location=location, text=text)
    word = text[token.start : token.end + 1]
    return ParseError(f"syntax error at or near {word!r}", hint=hint, location=location, text=text)


def path_at(text: str, place: int) -> str | None:
    """The hint for a text that has a path without quotes at a place; None where there is none."""
    path = next((found[1] for found in _PATHS.finditer(text) if found.start(1) <= place < found.end(1)), None)
    return None if path is None else f"a path is quoted: '{path}'"


def slip(tokens: Sequence[Token], place: int, text: str) -> str | None:
    """The hint for a text whose word at `place` does not fit, or that ends too early; None where there is nothing to say."""
    if place >= len(tokens):
        return _at_end(tokens)
    token = tokens[place]
    word = token.text.upper()
    before = tokens[place - 1] if place else None
    last = before.text.upper() if before is not None else ""
    path = path_at(text, token.start)
    if path is not None:
        return path
    if last in _BEFORE_BY and word != "BY":
        return f"write {last} BY"
    if last == "TOP" and token.token_type == TokenType.NUMBER:
        return f"write LIMIT {token.text} at the end of the query"
    if token.token_type in _TEXTS and before is not None and before.end + 1 == token.start:
        return "a quote within a text is written twice: 'it''s'"
    if word == ")" and _open(tokens[:place]) == 0:
        return "no ( is open here"
    if word in _OTHERWISE:
        return _OTHERWISE[word]
    if word == "FROM" and last == "SELECT":
        return "say which columns: SELECT * FROM …"
    if word in NO_NAMES and last in _NEEDS_NAME:
        kind = "reserved " if word in RESERVED else ""
        return f"{word} is a {kind}word of SQL; as a name it is written {quoted_name(token.text)}"
    if _open(tokens[:place]) > 0 and word in ("FROM", "WHERE", "GROUP", "ORDER", ";"):
        return "a ( is not closed"
    return _misspelled(tokens, place, text) or _named_by_colon(tokens, text)


def _misspelled(tokens: Sequence[Token], place: int, text: str) -> str | None:
    """A keyword that the word here is like, or the one before it, which was taken for an alias then."""
    for near in (place - 1, place):
        if near < 0 or text[tokens[near].start] in "\"'" or (near and tokens[near - 1].text.upper() in _NEEDS_NAME):
            continue
        word = tokens[near].text.upper()
        if not word.isalpha() or word in NO_NAMES:
            continue
        found = get_close_matches(word, _CLAUSES if near else _STARTS, n=1, cutoff=_ALIKE)
        if found and found[0] != word:
            return f"did you mean {found[0]}?"
    return None


def _named_by_colon(tokens: Sequence[Token], text: str) -> str | None:
    """What to write for `:name`, wherever it stands: the parser stumbles over the first word of all."""
    for token, following in pairwise(tokens):
        is_start = token.token_type == TokenType.COLON and text[: token.start][-1:] in tuple(" \t\r\n(,=")
        if is_start and following.start == token.end + 1 and following.text.isidentifier():
            return _OTHERWISE[":"]
    return None


def _at_end(tokens: Sequence[Token]) -> str | None:
    for opening, closing, sign in _BRACKETS:
        kinds = [token.token_type for token in tokens]
        if kinds.count(opening) > kinds.count(closing):
            return f"a {sign} is not closed"
    said = [token.text.upper() for token in tokens]
    if "CASE" in said and said.count("CASE") > said.count("END"):
        return "CASE ends with END"
    if "JOIN" in said and not {"ON", "USING"} & set(said[len(said) - said[::-1].index("JOIN") :]):
        return "a JOIN needs ON or USING; without a condition it is a CROSS JOIN"
    return None


def _open(tokens: Sequence[Token]) -> int:
    """How many ( are open behind the words."""
    kinds = [token.token_type for token in tokens]
    return kinds.count(TokenType.L_PAREN) - kinds.count(TokenType.R_PAREN)
