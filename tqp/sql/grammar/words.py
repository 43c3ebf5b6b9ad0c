"""The words of a query as the grammar reads them, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from tqp.keywords import NO_NAMES, RESERVED, begins_name
from tqp.sql.words import Behind

__all__ = ["Beyond", "Words", "WrongWord"]

_OPERATOR_SIGNS = frozenset("+-*/<>=~!@#%^&|")
_TEXT, _NUMBER, _QUOTED, _END = "'", "0", '"', ""
_FIXED = {
    **dict.fromkeys(
        (
            TokenType.STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING,
            TokenType.BYTE_STRING, TokenType.UNICODE_STRING, TokenType.HEX_STRING,
        ),
        _TEXT,
    ),
    TokenType.IDENTIFIER: _QUOTED,
    TokenType.NUMBER: _NUMBER,
}  # fmt: skip
# The tokenizer leaves << and >> apart, and !~~.
_ANGLES = frozenset("<>")
# Reserved words with which an expression begins, so that a comma before one goes on with the list.
_STARTING = frozenset({"ARRAY", "CASE", "CAST", "DEFAULT", "FALSE", "LAMBDA", "LATERAL", "NOT", "NULL", "TRUE"})
# Names, where DuckDB takes them for such, that mean something else to the parser.
_NO_NAMES_OF_PARSER = frozenset({"BETWEEN", "INSERT", "LOCK", "NOT", "OVER", "SELECT", "VALUES"})


class WrongWord(Exception):
    """The word at `place` cannot stand there; or it may, but `unclear` what it means to DuckDB, with `advice` where that is of no
    operators."""

    def __init__(self, place: int, unclear: bool = False, advice: str | None = None) -> None:
        super().__init__(place)
        self.place, self.unclear, self.advice = place, unclear, advice


class Beyond(Exception):
    """The query has something that this grammar does not know; nothing is said about it."""


class Words:
    """A place in the words of a query. `word` is the one there: a keyword, a name or a sign in upper case.

    A text constant is `'`, a number `0`, a name in quotes `"`, and the end an empty word. `type_words` are the kinds of tokens
    that name types.
    """

    def __init__(self, tokens: Sequence[Token], type_words: Collection[TokenType]) -> None:
        self.type_words = type_words
        self.words: list[str] = []
        self.tokens: list[Token] = []
        for token in tokens:
            fixed = _FIXED.get(token.token_type)
            if fixed is not None:
                self.words.append(fixed)
                self.tokens.append(token)
                continue
            text = token.text.upper()
            if text.isidentifier():
                self.words.append(text)
                self.tokens.append(token)
                continue
            for word in _words_of(text):
                if self._goes_on(word, token):
                    last = self.tokens[-1]
                    self.words[-1] = whole = self.words[-1] + word
                    self.tokens[-1] = Token(last.token_type, whole, last.line, last.col, last.start, token.end)
                else:
                    self.words.append(word)
                    self.tokens.append(token)
        self.words += [_END, _END]
        self.place = 0
        self.groups: list[tuple[int, int]] = []
        self.behind: list[Behind] = []
        """The functions that are written behind their first argument."""
        self.instead: dict[int, tuple[TokenType, str] | None] = {}
        """By their offsets words that the parser must be given as others, or not at all."""

    def _goes_on(self, word: str, token: Token) -> bool:
        """Whether the word, which is not there yet, is one with that right before it: `<<`, `!~`."""
        if not self.words or self.tokens[-1].end + 1 != token.start:
            return False
        last = self.words[-1]
        return (word in _ANGLES and last == word) or (last == "!" and word[0] == "~")

    @property
    def word(self) -> str:
        return self.words[self.place]

    @property
    def following(self) -> str:
        return self.words[self.place + 1]

    def grouped(self, start: int) -> None:
        """The words from `start` to here are one operand, which the parser would not see."""
        self.groups.append((self.tokens[start].start, self.tokens[self.place - 1].end))

    def at_sign(self) -> bool:
        """Whether the word here and the next one would be one operator to DuckDB, which takes signs that touch together."""
        tokens, place = self.tokens, self.place
        return (
            place + 1 < len(tokens)
            and tokens[place].end + 1 == tokens[place + 1].start
            and tokens[place + 1].text[0] in _OPERATOR_SIGNS
        )

    def wrong(self) -> WrongWord:
        return WrongWord(min(self.place, len(self.tokens)))

    def take(self, *wanted: str) -> bool:
        """Whether one of these stands here; it is passed then."""
        if self.words[self.place] in wanted:
            self.place += 1
            return True
        return False

    def need(self, *wanted: str) -> None:
        """Pass these words, which must stand here."""
        for word in wanted:
            if self.words[self.place] != word:
                raise self.wrong()
            self.place += 1

    def at_text(self) -> bool:
        return self.word == _TEXT

    def at_number(self) -> bool:
        return self.word == _NUMBER

    def at_end(self) -> bool:
        return self.word == _END

    def is_name(self, excluded: Collection[str] = NO_NAMES) -> bool:
        """Whether a name stands here, which is none of the keywords `excluded`."""
        word = self.word
        return word == _QUOTED or begins_name(word) and word not in excluded

    def take_name(self, excluded: Collection[str] = NO_NAMES) -> bool:
        """Whether a name stands here; it is passed then."""
        if not self.is_name(excluded):
            return False
        if self.word in _NO_NAMES_OF_PARSER:
            token = self.tokens[self.place]
            self.instead[token.start] = TokenType.VAR, token.text
        self.place += 1
        return True

    def name(self, excluded: Collection[str] = NO_NAMES) -> None:
        if not self.take_name(excluded):
            raise self.wrong()

    def label(self) -> None:
        """A name after AS or a dot, where keywords are names, too."""
        self.name(())

    def names(self) -> None:
        """Names in parentheses."""
        self.need("(")
        self.listed(self.name_or_text)
        self.need(")")

    def name_or_text(self) -> None:
        if not self.take(_TEXT):
            self.name()

    def listed(self, item: Callable[[], object]) -> bool:
        """Items with commas between them, and maybe one after the last; whether there was a comma."""
        item()
        start = self.place
        while self.take(","):
            word = self.word
            if word in ("", ")", "]", "}", ";"):
                return True
            if word in RESERVED and word not in _STARTING:
                # The parser would take the word for a name.
                self.instead[self.tokens[self.place - 1].start] = None
                return True
            item()
        return self.place > start

    def skip_parentheses(self) -> None:
        """Pass what stands in parentheses, whatever it is."""
        self.need("(")
        depth = 1
        while depth:
            if self.at_end():
                raise self.wrong()
            depth += (self.word == "(") - (self.word == ")")
            self.place += 1


def _words_of(text: str) -> list[str]:
    if text == "?::":
        return ["?", "::"]
    # Words that sqlglot takes together: ORDER BY, DOUBLE PRECISION.
    return text.split(" ")
