"""PIVOT and UNPIVOT of DuckDB's grammar: statements, and what follows an item of FROM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.grammar.expressions import Expressions
from tqp.sql.grammar.operands import SIGNS
from tqp.sql.grammar.words import WrongWord

__all__ = ["PIVOTS", "UNPIVOTS", "Pivots", "with_queries"]

PIVOTS: Final = frozenset({"PIVOT", "PIVOT_WIDER"})
UNPIVOTS: Final = frozenset({"UNPIVOT", "PIVOT_LONGER"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class Pivots(Expressions):
    """Recognizes PIVOT and UNPIVOT; tables come with the class that knows queries.

    The parser does not read all of them: `queries` are the offsets of statements that it must be given as items of FROM,
    `commas` of the AS before the names of values, `calls` of what must be the argument of one, and `labels` of names that
    have no AS and need one.
    """

    queries: set[int]
    commas: set[int]
    calls: set[int]
    labels: set[int]

    def alias(self) -> None:
        raise NotImplementedError

    def table(self) -> None:
        raise NotImplementedError

    def joins(self) -> None:
        raise NotImplementedError

    def table_alias(self) -> None:
        raise NotImplementedError

    def item(self) -> None:
        raise NotImplementedError

    def pivot_statement(self) -> None:
        """Pass PIVOT or UNPIVOT where a query may stand."""
        start, unpivots = self.place, self.word in UNPIVOTS
        self.queries.add(self.tokens[start].start)
        self.place += 1
        first = self.place
        self.table()
        alone = self.place
        self.joins()
        if self.place > alone:
            # The parser reads one table here.
            self.grouped(first)
        if unpivots:
            self.need("ON")
            self.listed(self.unpivoted)
            if self.take("INTO"):
                self.need("NAME")
                self.name()
                self.need("VALUE")
                self.listed(self.name)
        else:
            if self.take("ON"):
                self.listed(self.pivoted)
            if self.take("USING"):
                self.listed(self.pivot_value_of)
            self.pivot_groups()
        self.grouped(start)

    def unpivoted(self) -> None:
        """Pass an expression whose values become rows, and maybe what they are called."""
        if self.following == ":" and self.take_name():
            self.take(":")
        self.expression()
        if self.word != "AS" and self.is_name():
            self.labels.add(self.tokens[self.place].start)
        self.alias()

    def pivoted(self) -> None:
        """Pass an expression whose values become columns, and maybe these values: behind operators, IN is one of them."""
        start = end = self.place
        if self.word != "NOT" and self.word not in SIGNS:
            noted = len(self.groups), len(self.behind)
            self.operand()
            if self.take("IN"):
                if self.is_name():
                    self.place += 1
                    return
                self.need("(")
                self.listed(self.pivot_value)
                self.need(")")
                return
            end, self.place = self.place, start
            del self.groups[noted[0] :], self.behind[noted[1] :]
        self.expression()
        if self.place > end:
            # The parser reads less here.
            self.grouped(start)

    def pivot_value(self) -> None:
        start = self.place
        self.expression()
        if self.word != "AS" and self.words[start] == "(" and self.is_row(start):
            # What the parser is given for AS looks the same.
            raise WrongWord(start, unclear=True, advice="a row is written as its text: '(x, y)'")
        if self.word == "AS":
            self.commas.add(self.tokens[self.place].start)
            self.place += 1
            self.name_or_text()
            self.grouped(start)

    def is_row(self, start: int) -> bool:
        """Whether the parenthesis at `start` closes right before here, and has commas in it."""
        depth, commas = 0, False
        for place in range(start, self.place):
            depth += (self.words[place] in _OPENING) - (self.words[place] in _CLOSING)
            commas |= depth == 1 and self.words[place] == ","
            if depth == 0:
                return commas and place == self.place - 1
        return False

    def pivot_value_of(self) -> None:
        """Pass an aggregate, or what is computed of one: the parser reads calls alone."""
        start = self.place
        self.expression()
        if self.words[start + 1] != "(" or self.words[self.place - 1] != ")" or not self.is_one_call(start):
            self.calls.add(self.tokens[start].start)
            self.grouped(start)
        self.alias()

    def is_one_call(self, start: int) -> bool:
        """Whether the parenthesis behind the word at `start` closes with the last word before here."""
        depth = 0
        for place in range(start + 1, self.place):
            depth += (self.words[place] == "(") - (self.words[place] == ")")
            if depth == 0:
                return place == self.place - 1
        return False

    def pivot_groups(self) -> None:
        if self.word == "GROUP":
            self.need("GROUP", "BY")
            self.listed(self.name)

    def pivot_clause(self) -> None:
        """Pass PIVOT (…) or UNPIVOT (…) behind an item of FROM."""
        if self.word in UNPIVOTS:
            self.place += 1
            if self.take("INCLUDE", "EXCLUDE"):
                self.need("NULLS")
            self.need("(")
            if self.word == "(":
                self.names()
            else:
                self.name()
            self.need("FOR")
            self.name()
            self.need("IN", "(")
            self.listed(self.item)
            self.need(")")
        else:
            self.place += 1
            self.need("(")
            self.listed(self.pivot_value_of)
            self.need("FOR")
            self.pivot_choice()
            while self.word not in (")", "GROUP"):
                self.pivot_choice()
            self.pivot_groups()
        self.need(")")
        self.table_alias()

    def pivot_choice(self) -> None:
        self.arithmetic()
        self.need("IN")
        if self.is_name():
            self.place += 1
            return
        self.need("(")
        self.listed(self.item)
        self.need(")")


def with_queries(
    tokens: Sequence[Token], queries: set[int], commas: set[int], calls: set[int], labels: set[int]
) -> list[Token]:
    """The words with FROM before the statements at these offsets, which stand in parentheses, and the others as `Pivots` says.

    `coalesce` of one argument is that.
    """
    result: list[Token] = []
    last = -1
    for token in tokens:
        at = (token.line, token.col, token.start, token.end)
        if token.start in queries and token.start != last:
            result.append(Token(TokenType.FROM, "FROM", *at))
        if token.start in calls and token.start != last:
            result.append(Token(TokenType.VAR, "coalesce", *at))
        if token.start in labels:
            result.append(Token(TokenType.ALIAS, "AS", *at))
        last = token.start
        if token.start in commas:
            result.append(Token(TokenType.COMMA, ",", *at))
        elif token.text.upper() == "PIVOT_LONGER" and token.token_type == TokenType.VAR:
            result.append(Token(TokenType.UNPIVOT, "UNPIVOT", *at))
        else:
            result.append(token)
    return result
