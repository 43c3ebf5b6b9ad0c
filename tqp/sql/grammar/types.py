"""Names of types in DuckDB's grammar."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import TokenType

from tqp.keywords import RESERVED
from tqp.sql.grammar.words import Beyond, Words
from tqp.sql.type_names import TYPE_NAMES
from tqp.sql.typed_literals import stand_in
from tqp.sql.words import BRACKETS
from tqp.stack import deep

__all__ = ["SPANS", "UNITS", "Types"]

_TYPES_WITHOUT_SIZE: Final = frozenset({"INT", "INTEGER", "SMALLINT", "BIGINT", "REAL", "BOOLEAN"})
_TEXT_TYPES: Final = frozenset({"CHARACTER", "CHAR", "NCHAR"})
_TEXTS: Final = frozenset({"BPCHAR", "NVARCHAR", "STRING", "TEXT", "VARCHAR"})
_FIELDS: Final = frozenset({"STRUCT", "ROW", "UNION"})
UNITS: Final = frozenset(
    """
    YEAR YEARS MONTH MONTHS DAY DAYS HOUR HOURS MINUTE MINUTES SECOND SECONDS MILLISECOND MILLISECONDS MICROSECOND MICROSECONDS
    WEEK WEEKS QUARTER QUARTERS DECADE DECADES CENTURY CENTURIES MILLENNIUM MILLENNIA
    """.split()
)
SPANS: Final = {
    "YEAR": ("MONTH", "MONTHS"),
    "DAY": ("HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"),
    "HOUR": ("MINUTE", "MINUTES", "SECOND", "SECONDS"),
    "MINUTE": ("SECOND", "SECONDS"),
}
"""Units that may stand behind TO in the name of an INTERVAL, by the one before it."""


class Types(Words):
    """Recognizes types; `expression` comes with the class that knows expressions."""

    def expression(self) -> bool:
        """Pass an expression; whether it is no more than a query in parentheses."""
        raise NotImplementedError

    def interval_type(self) -> None:
        """Pass a unit of an INTERVAL, or two with TO between them, if any stand here."""
        unit = self.word
        if self.take(*UNITS) and self.word == "TO" and self.following in SPANS.get(unit.removesuffix("S"), ()):
            self.place += 2

    @deep
    def type(self) -> None:
        """Pass the name of a type."""
        word = self.word
        if word in ("TIME", "TIMESTAMP"):
            self.place += 1
            self.size()
            if self.word in ("WITH", "WITHOUT") and self.following == "TIME":
                self.place += 1
                self.need("TIME", "ZONE")
        elif word == "INTERVAL":
            self.place += 1
            self.interval_type()
        elif word == "DOUBLE" and self.following == "PRECISION":
            self.place += 2
        elif word in _TEXT_TYPES:
            self.place += 1
            self.take("VARYING")
            self.length()
        elif word in _FIELDS and self.following == "(":
            self.place += 2
            self.listed(self.field)
            self.need(")")
        elif word == "MAP" and self.following == "(":
            self.place += 2
            # No list: a type may begin with UNION, which ends one.
            self.type()
            while self.take(","):
                self.type()
            self.need(")")
        elif word == "TUPLE" and self.following == "(":
            # The parser knows no such type, but others of several.
            self.instead[self.tokens[self.place].start] = TokenType.RANGE, "TUPLE"
            self.place += 2
            self.listed(self.type)
            self.need(")")
        elif word in ("STRUCT", "ROW", "MAP", "UNION", "TUPLE", "SETOF", "NATIONAL", "BIT"):
            if self.following == "<":
                self.place += 1
                raise self.wrong()
            raise Beyond
        else:
            start = self.place
            self.name(RESERVED)
            # A function may stand behind the point: `x::VARCHAR.upper()`.
            while self.word == "." and self.words[self.place + 2] != "(":
                self.place += 1
                self.label()
            self.named_type(start)
            if word in _TEXTS:
                self.length()
            elif word == "FLOAT":
                if self.take("("):
                    self.need("0", ")")
            elif word not in _TYPES_WITHOUT_SIZE:
                self.size()
        while self.word == "[" or self.word == "ARRAY":
            if self.word == "ARRAY":
                # The parser knows the word in CAST alone, and none with a size.
                self.instead[self.tokens[self.place].start] = None if self.following == "[" else BRACKETS
            self.place += 1
            if self.words[self.place - 1] == "[" or self.take("["):
                self.take("0")
                self.need("]")

    def named_type(self, start: int) -> None:
        """Note a name from `start` to here that means something else to the parser, and may be one that CREATE TYPE gave."""
        first, *others = self.tokens[start : self.place]
        is_known = self.words[start] != '"' and first.token_type not in self.type_words
        if others or not is_known and first.text.lower() not in TYPE_NAMES:
            self.instead.update((token.start, None) for token in others)
            name = ".".join(token.text for token in (first, *others[1::2]))
            self.instead[first.start] = TokenType.VAR, stand_in(name)

    def field(self) -> None:
        """Pass a field of a type: its name and its type."""
        self.name(RESERVED)
        self.type()

    def length(self) -> None:
        """Pass the length of a type of text, a number, which the parser leaves out; in brackets of its own it may be anything."""
        if self.take("(") and not self.take(")"):
            if self.word == "(":
                self.expression()
            elif self.at_number():
                self.place += 1
            else:
                raise self.wrong()
            self.need(")")

    def size(self) -> None:
        if self.take("(") and not self.take(")"):
            self.listed(self.modifier)
            self.need(")")

    def modifier(self) -> None:
        """Pass a constant that says more of a type."""
        if self.is_name():
            raise self.wrong()
        self.expression()
