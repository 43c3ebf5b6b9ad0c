"""FROM of DuckDB's grammar: tables, table functions, joins, samples."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import TokenType

from tqp.keywords import RESERVED
from tqp.sql.grammar.expressions import QUERY_STARTS
from tqp.sql.grammar.nearest import written
from tqp.sql.grammar.pivots import PIVOTS, UNPIVOTS, Pivots
from tqp.sql.grammar.words import Beyond
from tqp.stack import deep

__all__ = ["Tables"]

_SIDES: Final = frozenset({"FULL", "LEFT", "RIGHT"})


class Tables(Pivots):
    """Recognizes FROM; what a query is comes with the class that knows queries."""

    def query_tail(self) -> None:
        raise NotImplementedError

    def row(self) -> None:
        raise NotImplementedError

    def tables(self) -> None:
        self.need("FROM")
        self.listed(self.joined)

    @deep
    def joined(self) -> None:
        """Pass a table and what is joined to it."""
        self.table()
        self.joins()

    def joins(self) -> None:
        """Pass what is joined to a table, and what pivots it."""
        while True:
            word = self.word
            if word in ("CROSS", "POSITIONAL"):
                self.need(word, "JOIN")
                self.joined()
            elif word == "NATURAL":
                self.place += 1
                self.kind_of_join()
                self.need("JOIN")
                self.joined()
            elif word in ("JOIN", "INNER", "SEMI", "ANTI", "ASOF") or word in _SIDES:
                is_asof = self.take("ASOF")
                self.kind_of_join()
                self.need("JOIN")
                if self.word == "BY":
                    raise Beyond
                self.joined()
                if is_asof and self.at_nearest():
                    raise self.wrong()
                self.join_condition()
            elif word in PIVOTS or word in UNPIVOTS:
                self.pivot_clause()
            else:
                return

    def kind_of_join(self) -> None:
        if self.word in _SIDES:
            self.place += 1
            self.take("OUTER")
        else:
            self.take("INNER", "SEMI", "ANTI")

    def join_condition(self) -> None:
        if self.take("ON"):
            self.expression()
        elif self.word == "USING":
            self.place += 1
            self.need("(")
            self.listed(self.name)
            self.need(")")
        elif self.at_nearest():
            self.nearest()
        else:
            raise self.wrong()

    def at_nearest(self) -> bool:
        """Whether a NEAREST begins here; its words are names elsewhere."""
        if self.word in ("APPROX", "EXACT"):
            return self.following == "NEAREST"
        return self.word == "NEAREST" and (self.following in ("BY", "0"))

    def nearest(self) -> None:
        approximate = self.word == "APPROX"
        if self.take("APPROX", "EXACT"):
            self.instead[self.tokens[self.place - 1].start] = None
        self.need("NEAREST")
        self.instead[self.tokens[self.place - 1].start] = TokenType.ON, "ON"
        rows = "1"
        if self.at_number():
            rows = self.tokens[self.place].text
            self.instead[self.tokens[self.place].start] = None
            self.place += 1
        self.need("BY")
        self.instead[self.tokens[self.place - 1].start] = None
        descending = self.word == "SIMILARITY"
        if not self.take("DISTANCE", "SIMILARITY"):
            raise self.wrong()
        self.instead[self.tokens[self.place - 1].start] = TokenType.VAR, written(rows, descending, approximate)
        start = self.place
        self.expression()
        self.grouped(start)

    def table(self) -> None:
        has_name = self.following == ":" and self.take_name()
        if has_name:
            self.take(":")
        self.take("LATERAL")
        word = self.word
        if word == "VALUES" and self.following == "(":
            start = self.place
            self.place += 1
            self.listed(self.row)
            if self.words[start - 1] == "(":
                self.grouped(start)
        elif word == "(":
            self.table_in_parentheses()
        else:
            is_file = self.at_text()
            self.table_name()
            if self.word == "(" and not is_file:
                self.arguments()
                if self.take("WITH"):
                    self.need("ORDINALITY")
        if self.at_nearest():
            if has_name:
                raise self.wrong()
        elif not has_name:
            self.table_alias()
        if self.word == "TABLESAMPLE":
            self.sample()
        if self.word in ("AT", "FOR"):
            raise Beyond

    def sample(self) -> None:
        """Pass TABLESAMPLE or SAMPLE and what follows it: a size with its method behind it, or within it."""
        self.place += 1
        if self.at_number():
            self.sample_size()
            if self.take("("):
                self.name()
                if self.take(",") and not self.take("0"):
                    raise self.wrong()
                self.need(")")
            return
        if self.word != "(":
            self.name()
        self.need("(")
        self.sample_size()
        self.need(")")
        if self.take("REPEATABLE"):
            self.need("(", "0", ")")

    def sample_size(self) -> None:
        if not self.take("?"):
            self.need("0")
        self.take("%", "PERCENT", "ROWS")

    @deep
    def table_in_parentheses(self) -> None:
        self.need("(")
        if self.word in QUERY_STARTS:
            self.query()
        else:
            is_whole = self.word == "("
            self.table()
            alone = self.place
            self.joins()
            if self.word in ("UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET"):
                self.query_tail()
            elif self.place == alone and not is_whole:
                # A table by itself stands in none.
                raise self.wrong()
        self.need(")")

    def table_name(self) -> None:
        if self.take("'"):
            return
        if self.following == "(":
            self.name(RESERVED)
        else:
            self.name()
        while self.take("."):
            self.label()

    def table_alias(self) -> None:
        if self.take("AS"):
            if not self.take("'"):
                self.name()
        elif not self.take_name():
            return
        if self.word == "(":
            self.names()
