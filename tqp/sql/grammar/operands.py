"""Operands of DuckDB's grammar: a value with its signs, and what binds tightest behind it."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.grammar.stars import Stars
from tqp.sql.grammar.words import Beyond, WrongWord
from tqp.sql.stand_ins import PLUS
from tqp.sql.words import Behind
from tqp.stack import deep

__all__ = ["AFTER_PERCENT", "ARITHMETIC", "POSTFIX", "TIGHT", "Operands"]

ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "//", "%", "^", "**"})
TIGHT: Final = ARITHMETIC | {"&", "|", "<<", ">>", "#"}
AFTER_PERCENT: Final = frozenset({"", ")", ";", "OFFSET", "ROW", "ROWS"})
"""What follows the sign of LIMIT 50%, and no operand."""
SIGNS: Final = frozenset({"-", "+", "~", "@", "!"})
_LOOSE_SIGNS: Final = frozenset({"~", "@", "!"})
POSTFIX: Final = frozenset({"::", "[", ".", "!"})


class Operands(Stars):
    """Recognizes operands."""

    def primary(self) -> bool:
        """Pass a value without signs; whether it is a query in parentheses."""
        raise NotImplementedError

    def operand(self) -> bool:
        """Pass a value with its signs and what binds tightest; whether it is a query in parentheses."""
        start = self.place
        if self.word == "@":
            self.magnitude()
            return False
        while self.words[self.place] in SIGNS:
            self.place += 1
        signed = self.place > start
        value = self.place
        loose = signed and any(sign in _LOOSE_SIGNS for sign in self.words[start : self.place])
        if signed and self.word == "*":
            raise self.wrong()
        bare = self.primary() and not signed
        while True:
            if self.words[self.place] not in POSTFIX:
                if signed:
                    self.plus_signs(start, value)
                return self.under_signs(start) and bare if loose else bare
            if self.take("::"):
                self.type()
                if self.word == "<" and self.words[self.place - 1] == ")":
                    # The parser would read on in the type: `x::STRUCT(a INT) < y`.
                    self.grouped(value)
            elif self.take("["):
                self.subscript()
            elif self.take("."):
                if self.take("*"):
                    raise Beyond
                self.label()
                if self.word == "(":
                    self.method(value)
            else:
                self.factorial(value)
            bare = False

    def plus_signs(self, start: int, value: int) -> None:
        """Note the `+` among the signs before an operand: the parser would forget them."""
        for place in range(value - 1, start - 1, -1):
            if self.words[place] == "+":
                self.groups.append((self.tokens[place + 1].start, self.tokens[self.place - 1].end))
                self.instead[self.tokens[place].start] = TokenType.VAR, PLUS

    def method(self, start: int) -> None:
        """Pass the arguments of a function behind a point, the first of which begins at `start`."""
        name, dot, opening = (self.tokens[self.place - back] for back in (1, 2, 0))
        if self.following in ("DISTINCT", "ALL", "ORDER", "*") or (
            name.text.upper() == "COUNT" and self.following == ")"
        ):
            raise WrongWord(self.place - 1, unclear=True)
        comma = None if self.following == ")" else (TokenType.COMMA, ",")
        if name.text.upper() == "IFNULL":
            self.need("(")
            self.expression()
            self.need(")")
        else:
            self.arguments()
        self.instead |= {dot.start: None, name.start: None, opening.start: comma}
        self.behind.append(Behind(self.tokens[start].start, dot.start, name))

    def factorial(self, start: int) -> None:
        if self.at_sign():
            raise WrongWord(self.place, unclear=True)
        sign = self.tokens[self.place]
        self.need("!")
        name = Token(TokenType.VAR, "factorial", sign.line, sign.col, sign.start, sign.end)
        self.instead[sign.start] = TokenType.R_PAREN, ")"
        self.behind.append(Behind(self.tokens[start].start, sign.start, name))

    def under_signs(self, start: int) -> bool:
        """Pass what `~` and its kin, from `start` to here with an operand, are of besides; False.

        To DuckDB `~` is of all that sums and products hold behind it, as in `~(a + 1)`. Where it stands behind one of their
        operators itself the order depends on what follows, and so do other signs.
        """
        before = self.words[start - 1] if start else ""
        inner = start
        while self.words[inner] in SIGNS:
            inner += 1
        plain = set(self.words[start:inner]) == {"~"}
        if not plain and (before in ARITHMETIC or self.word in ARITHMETIC or before in TIGHT and self.word in TIGHT):
            raise WrongWord(start, unclear=True)
        if self.word not in ARITHMETIC:
            return False
        while self.word in ARITHMETIC and not (self.word == "%" and self.following in AFTER_PERCENT):
            self.place += 1
            if self.word in _LOOSE_SIGNS:
                raise WrongWord(self.place, unclear=True)
            self.operand()
        self.grouped(inner)
        return False

    def subscript(self) -> None:
        if self.word == "]":
            raise self.wrong()
        while not self.take("]"):
            if not self.take(":"):
                if self.word == "-" and self.following in ("]", ":"):
                    self.place += 1
                else:
                    self.expression()
                if self.word not in (":", "]"):
                    raise self.wrong()

    @deep
    def magnitude(self) -> None:
        """Pass `@`, which is of all sums and products behind it, as in `@(a + 1)`, whatever stands before it."""
        if self.at_sign():
            raise self.wrong()
        whole = self.place
        self.need("@")
        start = self.place
        self.operand()
        while self.word in ARITHMETIC and not (self.word == "%" and self.following in AFTER_PERCENT):
            self.place += 1
            self.operand()
        self.grouped(start)
        # The parser would take more of what follows.
        self.grouped(whole)
