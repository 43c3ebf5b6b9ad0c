"""Text to words. sqlglot's tokenizer takes `1e3+1` for one number and `.5` for two words: here a sign ends a number."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["in_parentheses", "words"]

_NUMBER: Final = re.compile(r"[\d_]*\.?[\d_]*[eE][+-]?\d+(?=[+-])")

_SIGN_BEHIND: Final = re.compile(r"[\d_.][eE][+-]?\d+[+-]")
"""What a text holds that has such a number."""

_BARE_FRACTION: Final = re.compile(r"(?<!\w)\.\d")


def words(dialect: Dialect, text: str) -> list[Token]:
    """The words of the text, each where it stands; sqlglot's error where a quote is left open."""
    tokens = _cut(dialect, text)
    return tokens if _BARE_FRACTION.search(text) is None else _with_fractions(tokens)


def _cut(dialect: Dialect, text: str) -> list[Token]:
    tokens = _tokens(dialect, text)
    if _SIGN_BEHIND.search(text) is None:
        return tokens
    ends = [end for token in tokens for end in _ends(token, text)]
    if not ends:
        return tokens
    # A blank behind each such number, which the places of the words after it do not count.
    pieces = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    blanks = [end + count for count, end in enumerate(ends)]
    return [_moved(token, blanks, ends, text) for token in _tokens(dialect, " ".join(pieces))]


def _tokens(dialect: Dialect, text: str) -> list[Token]:
    # After `$1` sqlglot looks for a `$` that ends a quote, and fails where the text ends in two apostrophes.
    return dialect.tokenize(f"{text} ")


def _with_fractions(tokens: list[Token]) -> list[Token]:
    """The words with `.5` as one: the parser would make 0.5 of two, which has a digit more."""
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else token
        if token.token_type == TokenType.NUMBER and last.token_type == TokenType.DOT and last.end + 1 == token.start:
            result[-1] = Token(TokenType.NUMBER, f".{token.text}", last.line, last.col, last.start, token.end)
        else:
            result.append(token)
    return result


def _ends(token: Token, text: str) -> list[int]:
    """Where the numbers end that the word holds or, in `1e3+1e3+1`, begins."""
    found: list[int] = []
    if token.token_type == TokenType.NUMBER:
        match = _NUMBER.match(text, token.start)
        while match is not None and (found or match.end() <= token.end):
            found.append(match.end())
            match = _NUMBER.match(text, match.end() + 1)
    return found


def _moved(token: Token, blanks: Sequence[int], ends: Sequence[int], text: str) -> Token:
    before = bisect_right(blanks, token.start)
    if before == 0:
        return token
    line_start = text.rfind("\n", 0, token.start - before) + 1
    on_line = sum(1 for end in ends[:before] if end >= line_start)
    comments = list(token.comments) if token.comments else []
    start, end = token.start - before, token.end - before
    return Token(token.token_type, token.text, token.line, token.col - on_line, start, end, comments)


def in_parentheses(tokens: Sequence[Token], groups: Collection[tuple[int, int]]) -> list[Token]:
    """The words with parentheses around each of the groups, given by the offsets of their first and last character."""
    if not groups:
        return list(tokens)
    opening, closing = Counter(start for start, _ in groups), Counter(end for _, end in groups)
    result: list[Token] = []
    for token in tokens:
        at = (token.line, token.col, token.start, token.end)
        result += [Token(TokenType.L_PAREN, "(", *at)] * opening[token.start]
        result.append(token)
        result += [Token(TokenType.R_PAREN, ")", *at)] * closing[token.end]
    return result
