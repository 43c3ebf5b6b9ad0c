"""Text to words. sqlglot's tokenizer takes `1e3+1` for one number and `.5` for two words: here a sign ends a number."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.spaces import as_written, with_spaces

__all__ = ["BRACKETS", "Behind", "Instead", "closing", "group_frames", "in_parentheses", "token_at", "words"]

_NUMBER: Final = re.compile(r"[\d_]*\.?[\d_]*[eE][+-]?\d+(?=[+-])")

_SIGN_BEHIND: Final = re.compile(r"[\d_.][eE][+-]?\d+[+-]")
"""What a text holds that has such a number."""

_QUOTED_OR_PARAMETER: Final = re.compile(
    r"""[eE]'(?:[^'\\]|\\.|'')*' | '[^']*' | "[^"]*" | --[^\n]* | /\*.*?\*/
    | \$(?P<tag>(?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*|)\$.*?\$(?P=tag)\$ | (?P<parameter>\$(?:\w|[^\x00-\x7f])+)""",
    re.VERBOSE | re.DOTALL,
)
"""What may hold a `$` that is none, and the parameters outside of it."""

_CONTINUED: Final = re.compile(r"'(?:[ \t\v\f]|--[^\n\r]*)*[\n\r](?:[ \t\v\f\n\r]|--[^\n\r]*)*'")
"""What is between two parts of a text in quotes."""

_BARE_FRACTION: Final = re.compile(r"(?<!\w)\.\d")


Instead = Mapping[int, tuple[TokenType, str] | None]
"""By their offsets words that become others, or none."""
_AS_WRITTEN: Final[Instead] = {}
_ITSELF: Final = TokenType.VAR, ""
BRACKETS: Final = TokenType.L_BRACKET, "[]"
"""What becomes two words."""


_TYPE_WORDS: Final = {
    "UINT8": TokenType.UTINYINT, "UINT16": TokenType.USMALLINT, "UINT32": TokenType.UINT, "UINT64": TokenType.UBIGINT,
    "TIMESTAMPTZ_NS": TokenType.TIMESTAMPLTZ,
}  # fmt: skip
"""DuckDB's names of types that sqlglot does not know, and its words for these types; DuckDB has no TIMESTAMPLTZ."""
_LITERAL_TYPE: Final = re.compile(rf"\b(?:{'|'.join(_TYPE_WORDS)})\s*'", re.IGNORECASE)
_BYTES: Final = re.compile(r"[xX]'")


def words(dialect: Dialect, text: str) -> list[Token]:
    """The words of the text, each where it stands; sqlglot's error where a quote is left open."""
    seen = with_spaces(text)
    tokens = _cut(dialect, seen)
    if seen != text:
        tokens = as_written(tokens, seen, text)
    if ("\n" in text or "\r" in text) and _CONTINUED.search(seen) is not None:
        tokens = _with_continued(tokens, seen)
    if _BARE_FRACTION.search(text) is not None:
        tokens = _with_fractions(tokens)
    if "@" in text:
        tokens = _with_keywords(dialect, tokens)
    if _LITERAL_TYPE.search(text) is not None:
        tokens = _with_types(tokens)
    return tokens if _BYTES.search(text) is None else _with_bytes(tokens)


def _cut(dialect: Dialect, text: str) -> list[Token]:
    names = _parameter_ends(text) if text.count("$") > 1 else []
    tokens = _spaced(dialect, text, names)
    if _SIGN_BEHIND.search(text) is None:
        return tokens
    numbers = [end for token in tokens for end in _ends(token, text)]
    return _spaced(dialect, text, sorted({*names, *numbers})) if numbers else tokens


def _parameter_ends(text: str) -> list[int]:
    """Where the names of parameters end: without a blank there `$a,$b` begins a text in quotes called `$a,$` to the tokenizer."""
    return [match.end() for match in _QUOTED_OR_PARAMETER.finditer(text) if match["parameter"] is not None]


def _spaced(dialect: Dialect, text: str, ends: Sequence[int]) -> list[Token]:
    """The words of the text as it is with a blank at each of the places, which the places of the words do not count."""
    if not ends:
        return _tokens(dialect, text)
    pieces = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    blanks = [end + count for count, end in enumerate(ends)]
    return [_moved(token, blanks, ends, text) for token in _tokens(dialect, " ".join(pieces))]


def _tokens(dialect: Dialect, text: str) -> list[Token]:
    # After `$1` sqlglot looks for a `$` that ends a quote, and fails where the text ends in two apostrophes.
    return dialect.tokenize(f"{text} ")


def _with_continued(tokens: list[Token], text: str) -> list[Token]:
    """The words with `'a'` and `'b'` as one where a line ends between them."""
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else token
        is_more = (
            token.token_type == last.token_type == TokenType.STRING and text[last.start] == text[token.start] == "'"
        )
        if is_more and _CONTINUED.fullmatch(text, last.end, token.start + 1) is not None:
            result[-1] = Token(TokenType.STRING, last.text + token.text, last.line, last.col, last.start, token.end)
        else:
            result.append(token)
    return result


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


def _with_keywords(dialect: Dialect, tokens: list[Token]) -> list[Token]:
    """The words with keywords behind `@`: the tokenizer takes what stands there for the name of a parameter."""
    result: list[Token] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.text == "@" and token.token_type == TokenType.VAR:
            kind = dialect.tokenizer_class.KEYWORDS.get(token.text.upper(), TokenType.VAR)
            token = Token(kind, token.text, token.line, token.col, token.start, token.end)
        result.append(token)
    return result


def _with_types(tokens: list[Token]) -> list[Token]:
    """The words with names of types before a text as such: `UINT8 '5'`."""
    result = list(tokens)
    for place, (token, after) in enumerate(pairwise(tokens)):
        kind = _TYPE_WORDS.get(token.text.upper())
        if kind is not None and token.token_type == TokenType.VAR and after.token_type == TokenType.STRING:
            result[place] = token_at(kind, token.text, token)
    return result


def _with_bytes(tokens: list[Token]) -> list[Token]:
    """The words with `x'AB'` as one."""
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else token
        is_string = token.token_type == TokenType.STRING and last.end + 1 == token.start
        if is_string and last.token_type == TokenType.VAR and last.text.lower() == "x":
            result[-1] = Token(TokenType.HEX_STRING, token.text, last.line, last.col, last.start, token.end)
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


def group_frames(tokens: list[Token]) -> list[Token]:
    """The words with the GROUPS that begins a window as what begins a frame: the parser takes it for the name of a window."""
    found: list[Token] | None = None
    for place in range(2, len(tokens) - 1):
        word = tokens[place]
        if (
            word.token_type == TokenType.VAR
            and word.text.upper() == "GROUPS"
            and tokens[place - 1].token_type == TokenType.L_PAREN
            and tokens[place - 2].text.upper() in ("OVER", "AS")
            and tokens[place + 1].token_type != TokenType.R_PAREN
        ):
            found = list(tokens) if found is None else found
            found[place] = Token(TokenType.ROWS, "GROUPS", word.line, word.col, word.start, word.end)
    return tokens if found is None else found


@dataclass(frozen=True, slots=True)
class Behind:
    """A function that is written behind its first argument: `x.f(y)`, `x!`.

    `start` is the offset of the argument's first character, `sign` that of the point or sign behind it, and `name` the word
    to call it by.
    """

    start: int
    sign: int
    name: Token


def in_parentheses(
    tokens: Sequence[Token],
    groups: Collection[tuple[int, int]],
    calls: Sequence[Behind] = (),
    instead: Instead = _AS_WRITTEN,
) -> list[Token]:
    """The words with parentheses around each of the groups, given by the offsets of their first and last character.

    Before the arguments of `calls` stand their names and a parenthesis; what closes it is one of the words `instead` of others.
    """
    if not groups and not calls and not instead:
        return list(tokens)
    opening, closing = Counter(start for start, _ in groups), Counter(end for _, end in groups)
    before = _opened(groups, calls)
    result: list[Token] = []
    for token in tokens:
        at = (token.line, token.col, token.start, token.end)
        parenthesis = Token(TokenType.L_PAREN, "(", *at)
        names = before.get(token.start, ())
        for inner in range(opening[token.start], -1, -1):
            for name in (name for within, name in names if within == inner):
                result += [name, parenthesis]
            result += [parenthesis] * (inner > 0)
        other = instead.get(token.start, _ITSELF)
        if other is _ITSELF:
            result.append(token)
        elif other is BRACKETS:
            result += [Token(TokenType.L_BRACKET, "[", *at), Token(TokenType.R_BRACKET, "]", *at)]
        elif other is not None:
            result.append(Token(*other, *at))
        result += [Token(TokenType.R_PAREN, ")", *at)] * closing[token.end]
    return result


def _opened(groups: Collection[tuple[int, int]], calls: Sequence[Behind]) -> Mapping[int, Sequence[tuple[int, Token]]]:
    """The names of the calls whose arguments begin at an offset, outermost first, each with how many groups it has within it."""
    found: dict[int, list[tuple[int, Token]]] = {}
    for call in sorted(calls, key=lambda call: -call.sign):
        within = sum(start == call.start and end < call.sign for start, end in groups)
        found.setdefault(call.start, []).append((within, call.name))
    return found


def closing(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the parenthesis that closes the one at `place`; None where there is none."""
    if place >= len(tokens) or tokens[place].token_type != TokenType.L_PAREN:
        return None
    depth = 0
    for index in range(place, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0:
            return index
    return None


def token_at(kind: TokenType, text: str, at: Token) -> Token:
    """Another word in the place of one."""
    return Token(kind, text, at.line, at.col, at.start, at.end)
