"""The words of one statement, read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.catalog.definitions import Path
from tqp.errors import Location, TqpError
from tqp.keywords import NO_NAMES
from tqp.sql.dialect import dialect_named
from tqp.sql.grammar import read_expression
from tqp.sql.grammar.words import Words, WrongWord
from tqp.sql.slips import misread
from tqp.sql.words import words
from tqp.statements.given import numbered

__all__ = ["QUERY_STARTS", "Head", "Sheet", "blank", "is_semicolon", "unused_name", "with_stand_in"]

QUERY_STARTS: Final = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "(", "PIVOT", "UNPIVOT"})
"""The words with which queries begin."""
_OPENING: Final = frozenset({"(", "[", "{", "CASE"})
_CLOSING: Final = frozenset({")", "]", "}", "END"})


class Head(Words):
    """A place in the words of a statement, which stands in `text`.

    What is read of it for later (queries, expressions) is given as text in which all else is blank, so that places in it are
    those in the whole text.
    """

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        super().__init__(tokens, ())
        self.text = text
        self.replace = False
        """CREATE OR REPLACE."""
        self.temporary = False
        """CREATE TEMPORARY."""
        self.first = 0
        """The number of its first word: that of EXPLAIN stands before it."""

    def raw(self) -> str:
        """The word here as it is written, without its quotes; it is passed."""
        if self.at_end():
            raise self.wrong()
        self.place += 1
        return str(self.tokens[self.place - 1].text)

    def at(self, place: int) -> Location:
        """Where the word of that number stands in the text."""
        return Location.at(self.text, self.tokens[place].start)

    def is_lone_name(self) -> bool:
        """Whether a name is the last word, or DEFAULT, which SET takes for a text."""
        return self.following == "" and (self.is_name() or self.word == "DEFAULT")

    def identifier(self, excluded: Collection[str] = NO_NAMES) -> str:
        """The name here, which is passed; ParseError where there is none."""
        if not self.is_name(excluded):
            raise self.wrong()
        return self.raw()

    def path(self) -> Path:
        """A name with what may stand before it, which is passed."""
        parts = [self.identifier()]
        while self.take("."):
            parts.append(self.identifier(()))
        return Path(parts[-1], tuple(parts[:-1]))

    def identifiers(self) -> tuple[str, ...]:
        """Names in parentheses, which are passed."""
        found: list[str] = []
        self.need("(")
        self.listed(lambda: found.append(self.identifier()))
        self.need(")")
        return tuple(found)

    def string(self) -> str:
        """The text constant here, which is passed."""
        if not self.at_text():
            raise self.wrong()
        return self.raw()

    def if_not_exists(self) -> bool:
        if self.word != "IF":
            return False
        self.need("IF", "NOT", "EXISTS")
        return True

    def if_exists(self) -> bool:
        if self.word != "IF":
            return False
        self.need("IF", "EXISTS")
        return True

    def cascades(self) -> bool:
        """Whether CASCADE ends the statement here, rather than RESTRICT or nothing; either is passed."""
        return self.take("CASCADE") or self.take("RESTRICT") and False

    def starts(self, *words: str) -> bool:
        """Whether these words stand here; they stay."""
        return tuple(self.words[self.place : self.place + len(words)]) == words

    def to(self, stops: Callable[[Head], bool]) -> str:
        """What stands here up to where `stops` says so, outside of brackets, or to the end; it is passed and not empty."""
        start, depth = self.place, 0
        while not self.at_end():
            word = self.word
            if depth == 0 and (word in (")", "]", "}") or stops(self)):
                break
            depth += (word in _OPENING) - (word in _CLOSING)
            self.place += 1
        if self.place == start:
            raise self.wrong()
        return self.between(start, self.place)

    def expression(self, stops: Callable[[Head], bool] = lambda head: False) -> str:
        """One expression, as `to`: an alias behind it is wrong, and what would make it another query."""
        start = self.place
        text = self.to(stops)
        wrong = read_expression(self, start, self.place, dialect_named("duckdb").parser_class.TYPE_TOKENS)
        if wrong is not None:
            raise wrong
        return text

    def rest(self) -> str:
        """All that is left; it is passed."""
        return self.to(lambda head: False) if not self.at_end() else self._nothing()

    def _nothing(self) -> str:
        raise self.wrong()

    def query(self) -> str:
        """The query that is left, as a text of its own."""
        text = self.rest()
        if not self.at_end():
            raise self.wrong()
        return text

    def in_parentheses(self) -> str:
        """What stands in parentheses here, which are passed."""
        self.need("(")
        text = self.to(lambda head: False)
        self.need(")")
        return text

    def in_braces(self) -> str:
        """A struct in braces, with these; it is passed."""
        start = self.place
        self.need("{")
        if self.word != "}":
            self.to(lambda head: False)
        self.need("}")
        return self.between(start, self.place)

    def between(self, start: int, stop: int) -> str:
        """The words from number `start` to `stop`, where they stand in a text that is blank otherwise."""
        first, last = self.tokens[start].start, self.tokens[stop - 1].end + 1
        return blank(self.text[:first]) + self.text[first:last]

    def all_of(self, start: int) -> str:
        """The query of all of the table that is named from word `start` to here, with its name where it stands."""
        return self.led_by("FROM", start)

    def led_by(self, word: str, start: int) -> str:
        """The words from number `start` to here behind another one, in their places where it has room before them."""
        found = self.between(start, self.place)
        place = self.tokens[start].start
        if place <= len(word):
            return f"{word} {found.strip()}"
        return f"{found[: place - len(word) - 1]}{word} {found[place:]}"

    def without(self, start: int, stop: int) -> str:
        """All of the statement but the words from number `start` to `stop`, which are blank."""
        first, last = self.tokens[start].start, self.tokens[stop - 1].end + 1
        end = self.tokens[-1].end + 1
        begin = self.tokens[0].start
        return blank(self.text[:begin]) + self.text[begin:first] + blank(self.text[first:last]) + self.text[last:end]

    def number_parameters(self) -> None:
        """Put `$1`, `$2`, … in the place of each `?`, for a statement of several queries: each takes its own."""
        if "?" in self.words:
            # A sign and a number take the place of one word.
            place = self.place + self.words[: self.place].count("?")
            first = self.first + self.words[: self.first].count("?")
            text = numbered(self.tokens, self.text[: self.tokens[-1].end + 1])
            super().__init__(words(dialect_named("duckdb"), text), ())
            self.place, self.first, self.text = place, first, text

    def finish(self) -> None:
        """ParseError unless all words were passed."""
        if not self.at_end():
            raise self.wrong()

    def error(self, wrong: WrongWord) -> TqpError:
        """What a word that cannot stand where it does is to the user."""
        return misread(self.tokens, wrong.place, self.text, "statement")


class Sheet:
    """A text as long as a statement, blank but for some words of it and others in their places: a query made of its parts."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._letters = list(blank(head.text))

    def keep(self, start: int, stop: int) -> None:
        """The words from number `start` to `stop`, as they stand there."""
        if start < stop:
            first, last = self._head.tokens[start].start, self._head.tokens[stop - 1].end + 1
            self._letters[first:last] = self._head.text[first:last]

    def write(self, words: str, place: int) -> None:
        """Other words where the one of number `place` stands, no longer than it and what is not kept behind it."""
        start = self._head.tokens[place].start
        self._letters[start : start + len(words)] = words

    @property
    def text(self) -> str:
        return "".join(self._letters)


def blank(text: str) -> str:
    """As many blanks, on as many lines."""
    return "".join("\n" if character == "\n" else " " for character in text)


def with_stand_in(text: str, start: int, end: int, stand_in: str) -> str:
    """The text with something else from `start` to `end`; what comes after it keeps its place where there is room for that."""
    return f"{text[:start]}{stand_in}{blank(text[start + len(stand_in) : end])}{text[end:]}"


def unused_name(stem: str, tokens: Sequence[Token]) -> str:
    """A name that begins so, and that no word of a statement is."""
    used = {token.text.lower() for token in tokens}
    return next(name for number in count() if (name := f"{stem}{number}") not in used)


def is_semicolon(token: Token) -> bool:
    return bool(token.token_type == TokenType.SEMICOLON)
