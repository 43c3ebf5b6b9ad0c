"""A text of one or several statements: split at its semicolons, and run one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.config import Semantics
from tqp.errors import Location, ParseError, TqpError, UnsupportedError
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.sql.grammar.words import WrongWord
from tqp.sql.words import words
from tqp.statements.caller import Caller
from tqp.statements.head import Head, blank, is_semicolon, unused_name, with_stand_in
from tqp.statements.registry import Statement, first_words, reader_of
from tqp.statements.transactions import End
from tqp.statements.writing_ctes import first_write, makes_table, run_whole, with_written

__all__ = [
    "Ran",
    "each_statement",
    "holds_statements",
    "is_ended",
    "is_open",
    "run_script",
    "statement_of",
    "with_read_signs",
]

_FIRST: Final = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|;)*([A-Za-z_]+|\()?", re.DOTALL)
_WRITING: Final = re.compile(r"\b(?:insert|update|delete|merge)\b", re.IGNORECASE)
_INNER: Final = re.compile(
    r"(?:\(|\b(?:describe|desc|show|summarize)\b)\s*(?:describe|desc|show|summarize)\b", re.IGNORECASE
)
_WRITES: Final = re.compile(r"\(\s*(?:insert|delete|update|merge)\b", re.IGNORECASE)
_DESCRIBING: Final = frozenset({"DESCRIBE", "DESC", "SHOW", "SUMMARIZE"})
_STAND_IN: Final = "told_"


class _Dialect(DuckDB):
    """DuckDB's words, none of which makes the rest of a statement one text."""

    class Tokenizer(DuckDB.Tokenizer):
        COMMANDS: Final = set()  # type: ignore[misc]


_DIALECT: Final = _Dialect()


def holds_statements(text: str) -> bool:
    """Whether the text may be something else than one query. Cost: a look at its first word, and for a semicolon."""
    if ";" in text:
        # One that ends the text parts nothing, unless it stands in a remark or in quotes that stay open, as in no statement.
        text = text.rstrip().removesuffix(";")
        if ";" in text:
            return True
    if _INNER.search(text) is not None:
        return True
    found = _FIRST.match(text)
    if found is not None and found.group(1) is None and found.end() == len(text):
        # Blanks and remarks alone.
        return True
    first = (found.group(1) or "").upper() if found else ""
    return _WRITING.search(text) is not None if first == "WITH" else first in first_words()


@dataclass(frozen=True, slots=True)
class Ran:
    """What one statement of a text gave: rows of a query that is not run yet, rows that say what there is, or what was done."""

    relation: Relation
    kind: Literal["query", "rows", "done"]


def run_script(caller: Caller, text: str) -> Relation:
    """Run the statements of a text; what the last one gives, a query as a relation that is not run yet.

    One that fails ends it; those before it stay done. Parameters are those of the last one, as in DuckDB.
    """
    pieces = _statements(text)
    if not pieces:
        return caller.success()
    *before, last = pieces
    for piece in before:
        _run(caller.without_parameters(), piece, text).relation.result()
    return _run(caller, last, text).relation


def each_statement(caller: Caller, text: str) -> Iterator[Ran]:
    """What each statement of a text gives, one run after the other as they are asked for."""
    with caller.connection.aborting():
        pieces = _statements(text)
    for piece in pieces:
        with caller.connection.aborting():
            ran = _run(caller, piece, text)
        yield ran


def is_ended(text: str) -> bool:
    """Whether a semicolon ends the text, one that is not in quotes or in a remark."""
    try:
        tokens = words(_DIALECT, text)
    except SqlglotError:
        return False
    return bool(tokens) and is_semicolon(tokens[-1])


def with_read_signs(text: str, semantics: Semantics) -> str:
    """The text with `//` in the place of each `/`, where the settings say so; definitions in it keep that."""
    if not semantics.integer_division or "/" not in text:
        return text
    try:
        tokens = words(_DIALECT, text)
    except SqlglotError:
        return text
    pieces, start = [], 0
    for token in tokens:
        if token.token_type == TokenType.SLASH:
            pieces.append(text[start : token.start])
            start = token.end + 1
    return "//".join([*pieces, text[start:]])


def is_open(text: str) -> bool:
    """Whether the text ends within a statement: its semicolon is still to come, or the end of a quote or a remark."""
    try:
        tokens = words(_DIALECT, text)
    except SqlglotError:
        return True
    return bool(tokens) and not is_semicolon(tokens[-1])


def _statements(text: str) -> list[list[Token]]:
    """The words of each statement; none of a text that is blank or a remark."""
    try:
        text.encode()
        tokens = words(_DIALECT, text)
    except UnicodeEncodeError as error:
        raise ParseError(f"the text is no Unicode: half a character at {error.start}") from None
    except SqlglotError:
        raise ParseError("the text cannot be split into words", hint="is a quote left open?", text=text) from None
    return list(_pieces(tokens))


def _pieces(tokens: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        if is_semicolon(token):
            found.append([])
        else:
            found[-1].append(token)
    return [piece for piece in found if piece]


def _run(caller: Caller, tokens: Sequence[Token], text: str) -> Ran:
    alone = blank(text[: tokens[0].start]) + text[tokens[0].start : tokens[-1].end + 1]
    try:
        if _INNER.search(alone) is not None:
            caller, tokens, alone = _with_inner(caller, tokens, alone)
        if _WRITES.search(alone) is not None and first_write(tokens) is not None:
            caller.access.require_writing("a statement that changes rows")
            return Ran(run_whole(caller, lambda: _run_writing(caller, alone)), "rows")
        found = statement_of(tokens, alone)
        if found is None:
            return Ran(caller.query(alone), "query")
        if not isinstance(found, End):
            caller.connection.require_whole()
        if found.changes:
            caller.access.require_writing(tokens[0].text.upper())
        told: list[Relation] = []
        relation = found.run(replace(caller, told=told))
        return Ran(relation, "done" if any(relation is one for one in told) else "rows")
    except TqpError as error:
        if error.location is not None and error.text is not None:
            # Names and queries stand in what a statement asks where they do in its text.
            place = _offset(error.text, error.location)
            if text.startswith(error.text[place:].partition(" ")[0].rstrip(), place):
                error.text = text
        raise


def _run_writing(caller: Caller, text: str) -> Relation:
    """Run a statement with others that write in its WITH: these first, then what reads their rows."""

    def split(text: str) -> list[Token]:
        return words(_DIALECT, text)

    def run(caller: Caller, text: str) -> Relation:
        return _run(caller, split(text), text).relation

    return run(*with_written(caller, text, split, run))


def _offset(text: str, location: Location) -> int:
    """How many letters are before a place."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: location.line - 1]) + location.column - 1


def _with_inner(caller: Caller, tokens: Sequence[Token], text: str) -> tuple[Caller, Sequence[Token], str]:
    """The statement with queries of results in the place of what describes something in parentheses, `FROM (SHOW TABLES)`, or is
    described itself: `DESCRIBE SHOW TABLES`.

    What it gives is found out now, as the query's columns depend on it. The last goes first, so that one may hold others.
    """
    relations: dict[str, Answer] = dict(caller.relations)
    place = len(tokens) - 2
    while place >= 0:
        following = tokens[place + 1]
        if following.text.upper() in _DESCRIBING and (
            tokens[place].token_type == TokenType.L_PAREN or _describes(tokens, place)
        ):
            close = _closing(tokens, place + 1, text)
            inner = statement_of(tokens[place + 1 : close], text)
            if inner is not None:
                if tokens[0].text.upper() == "CREATE" and not makes_table(tokens):
                    hint = "select from information_schema.columns instead"
                    raise UnsupportedError(
                        f"{following.text.upper()} in a view or macro is not supported", hint=hint, text=text
                    )
                name = unused_name(_STAND_IN, tokens)
                relations[name] = inner.run(replace(caller, relations=dict(relations)))
                end = tokens[close].start if close < len(tokens) else len(text)
                text = with_stand_in(text, following.start, end, f"FROM {name}")
                tokens = words(_DIALECT, text)
        place -= 1
    return replace(caller, relations=relations), tokens, text


def _describes(tokens: Sequence[Token], place: int) -> bool:
    """Whether a statement, or one in parentheses, that describes something begins there."""
    if tokens[place].text.upper() not in _DESCRIBING:
        return False
    return place == 0 or tokens[place - 1].token_type == TokenType.L_PAREN or _describes(tokens, place - 1)


def _closing(tokens: Sequence[Token], start: int, text: str) -> int:
    """The parenthesis that closes the one before the word `start`; behind the last word where none is open there."""
    depth, is_open = 0, start > 0 and TokenType.L_PAREN in [token.token_type for token in tokens[:start]]
    for number in range(start, len(tokens)):
        kind = tokens[number].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth < 0:
            return number
    if is_open:
        raise ParseError("syntax error: a parenthesis stays open", text=text)
    return len(tokens)


def statement_of(tokens: Sequence[Token], text: str) -> Statement | None:
    """What the words are as a statement; None for a query. ParseError where DuckDB's grammar has none like it."""
    head = Head(tokens, text)
    try:
        reader = reader_of(head)
        if reader is None:
            return None
        found = reader(head)
        if found is not None:
            head.finish()
    except WrongWord as wrong:
        raise head.error(wrong) from None
    return found
