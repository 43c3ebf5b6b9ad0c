"""Queries of DuckDB's grammar: SELECT, set operations, WITH, VALUES."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import TqpError, UnsupportedError
from tqp.keywords import NO_BARE_ALIAS, NO_NAMES
from tqp.sql.grammar.pivots import PIVOTS, UNPIVOTS
from tqp.sql.grammar.tables import Tables
from tqp.sql.grammar.words import Beyond, Words, WrongWord
from tqp.sql.slips import misread
from tqp.sql.words import Behind, Instead
from tqp.stack import deep

__all__ = ["Reading", "read_expression", "read_query"]

_NO_ALIAS: Final = NO_NAMES | NO_BARE_ALIAS
_BEHIND_VALUES: Final = frozenset({"ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT"})
"""What makes VALUES at the beginning of parentheses a part of a query."""


@dataclass(frozen=True)
class Reading:
    """What DuckDB's grammar says of a query.

    `error`: what it has against it; None for nothing, or nothing known. `groups`: first and last offset of the operands that
    sqlglot, which has another order of operators, must be shown. `queries`, `commas`, `calls`, `labels`: see `Pivots`. `behind`,
    `instead`: see `Words`.
    """

    error: TqpError | None
    groups: tuple[tuple[int, int], ...]
    queries: set[int]
    commas: set[int]
    calls: set[int]
    labels: set[int]
    behind: Sequence[Behind]
    instead: Instead


def read_query(tokens: Sequence[Token], text: str, type_words: Collection[TokenType]) -> Reading:
    """Read the words of the query in `text`, in one pass without going back.

    `type_words` are the kinds of words that name types.
    """
    reader = Queries(tokens, type_words)
    error: TqpError | None = None
    try:
        reader.statement()
    except Beyond:
        reader.end_pivots()
    except WrongWord as wrong:
        error = _error(reader, wrong, text)
    places = reader.queries, reader.commas, reader.calls, reader.labels
    return Reading(error, tuple(reader.groups), *places, reader.behind, reader.instead)


def read_expression(words: Words, start: int, stop: int, type_words: Collection[TokenType]) -> WrongWord | None:
    """What DuckDB's grammar has against the words from number `start` to `stop` as one expression, which no alias follows.

    None for nothing, or nothing known.
    """
    reader = Queries((), type_words)
    reader.words, reader.tokens = [*words.words[start:stop], "", ""], words.tokens[start:stop]
    reader.has_defaults = True
    try:
        reader.expression()
        if not reader.at_end():
            raise reader.wrong()
    except WrongWord as wrong:
        return None if wrong.unclear else WrongWord(start + wrong.place)
    except Beyond:
        pass
    return None


def _error(reader: Queries, wrong: WrongWord, text: str) -> TqpError:
    error = misread(reader.tokens, wrong.place, text)
    if not wrong.unclear:
        return error
    token = reader.tokens[wrong.place]
    around = "beside other operators" if wrong.advice is None else "here"
    message = f"{text[token.start : token.end + 1]} {around} is not supported"
    hint = wrong.advice or "put what it is for in parentheses"
    return UnsupportedError(message, hint=hint, location=error.location, text=text)


class Queries(Tables):
    """Recognizes queries."""

    def __init__(self, tokens: Sequence[Token], type_words: Collection[TokenType]) -> None:
        super().__init__(tokens, type_words)
        self.queries, self.commas, self.calls, self.labels = set(), set(), set(), set()

    def statement(self) -> None:
        while self.take(";"):
            pass
        self.query()
        while self.take(";"):
            pass
        if not self.at_end():
            raise self.wrong()

    def end_pivots(self) -> None:
        """Where the end of a statement that PIVOT begins is not known, take it for that of the text."""
        begun = {start for start, _ in self.groups}
        last = max((place for place, word in enumerate(self.words) if word not in ("", ";")), default=-1)
        for start in self.queries - begun:
            if all(word == ";" or token.start >= start for word, token in zip(self.words, self.tokens, strict=False)):
                self.groups.append((start, self.tokens[last].end))
            else:
                self.queries.discard(start)

    @deep
    def query(self) -> None:
        if self.take("WITH"):
            self.take("RECURSIVE")
            self.listed(self.common_table)
            if self.word == "VALUES":
                # The parser knows no WITH before it.
                start = self.place
                self.part()
                self.grouped(start)
                self.query_tail()
                return
        self.part()
        self.query_tail()

    def common_table(self) -> None:
        self.name_or_text()
        if self.word == "(":
            self.names()
        if self.take("USING"):
            self.need("KEY", "(")
            self.listed(self.item)
            self.need(")")
        self.need("AS")
        if self.word == "NOT":
            self.need("NOT", "MATERIALIZED")
        else:
            self.take("MATERIALIZED")
        self.need("(")
        if self.word in ("INSERT", "UPDATE", "DELETE", "MERGE"):
            raise Beyond
        self.query()
        self.need(")")

    def query_tail(self) -> None:
        """Pass what follows the first part of a query."""
        while self.word in ("UNION", "EXCEPT", "INTERSECT"):
            union = self.take("UNION")
            if not union:
                self.place += 1
            self.take("ALL", "DISTINCT")
            if union and self.take("BY"):
                self.need("NAME")
            self.part()
        if self.word == "ORDER":
            self.order_by()
        if self.word == "OFFSET":
            self.offset()
            self.limit()
        else:
            self.limit()
            self.offset()

    def limit(self) -> None:
        if self.take("LIMIT"):
            if not self.take("ALL"):
                self.number_of_rows()
                self.take("%", "PERCENT")
        elif self.take("FETCH"):
            if not self.take("FIRST", "NEXT"):
                raise self.wrong()
            if not (self.word in ("ROW", "ROWS") and self.following == "ONLY"):
                self.number_of_rows()
            if not self.take("ROW", "ROWS"):
                raise self.wrong()
            self.need("ONLY")

    def number_of_rows(self) -> None:
        """Pass a number, or what computes one: the parser does not read all of these without parentheses."""
        start = self.place
        self.expression()
        if self.place > start + 1 and self.words[start] != "(":
            self.grouped(start)

    def offset(self) -> None:
        if self.take("OFFSET"):
            self.expression()
            self.take("ROW", "ROWS")

    @deep
    def part(self) -> None:
        """Pass one side of a set operation."""
        if self.take("("):
            self.query()
            self.need(")")
        elif self.word == "VALUES":
            start = self.place
            self.place += 1
            self.listed(self.row)
            if self.words[start - 1] == "(" and self.word in _BEHIND_VALUES:
                # The parser takes VALUES in parentheses of FROM for a table.
                self.grouped(start)
        elif self.take("TABLE"):
            self.table_name()
        elif self.word == "SELECT":
            self.select()
            if self.word == "FROM":
                self.tables()
            self.clauses()
        elif self.word == "FROM":
            self.tables()
            if self.word == "SELECT":
                self.select()
            self.clauses()
        elif self.word in PIVOTS or self.word in UNPIVOTS:
            self.pivot_statement()
        elif self.word in ("DESCRIBE", "SHOW", "SUMMARIZE"):
            raise Beyond
        else:
            raise self.wrong()

    def row(self) -> None:
        self.need("(")
        self.listed(self.expression)
        self.need(")")

    def select(self) -> None:
        self.need("SELECT")
        if self.take("DISTINCT"):
            if self.take("ON"):
                self.row()
        else:
            self.take("ALL")
        self.listed(self.item)

    def item(self) -> None:
        """Pass one column of a SELECT list."""
        if self.following == ":" and self.take_name():
            self.take(":")
        self.expression()
        self.alias()

    def alias(self) -> None:
        if self.take("AS"):
            if not self.take("'"):
                self.label()
        else:
            self.take_name(_NO_ALIAS)

    def clauses(self) -> None:
        """Pass WHERE and what follows it."""
        if self.take("WHERE"):
            self.expression()
        if self.word == "GROUP":
            self.need("GROUP", "BY")
            if not self.take("ALL"):
                self.listed(self.grouping)
        if self.take("HAVING"):
            self.expression()
        if self.take("WINDOW"):
            self.listed(self.window_definition)
        if self.take("QUALIFY"):
            self.expression()
        if self.word == "USING" and self.following == "SAMPLE":
            self.place += 1
            self.sample()

    def grouping(self) -> None:
        if self.word in ("CUBE", "ROLLUP") and self.following == "(":
            self.place += 1
            self.row()
        elif self.word == "GROUPING" and self.following == "SETS":
            self.need("GROUPING", "SETS", "(")
            self.listed(self.grouping)
            self.need(")")
        else:
            self.expression()

    def window_definition(self) -> None:
        self.name()
        self.need("AS")
        self.window()
