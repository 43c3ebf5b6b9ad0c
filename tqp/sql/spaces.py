"""Which characters are white space between the words of a text: DuckDB's, which are others than Unicode's."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token

__all__ = ["as_written", "with_spaces"]

_SPACES: Final = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u2060\u3000\ufeff"
)
"""White space to DuckDB beside that of ASCII."""
_LETTERS: Final = "\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
"""White space to Python, and to sqlglot, that DuckDB takes for letters."""
_SEEN: Final = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_LETTERS, "\u00aa")})
"""What sqlglot sees of them: a blank, and a letter."""
_ANY: Final = re.compile(f"[{_SPACES}{_LETTERS}]")
_LETTER: Final = re.compile(f"[{_LETTERS}]")
_QUOTED: Final = re.compile(
    r"""[eE]'(?:[^'\\]|\\.|'')*' | '[^']*' | "[^"]*" | --[^\n]* | /\*.*?\*/
    | \$(?P<tag>(?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*|)\$.*?\$(?P=tag)\$""",
    re.VERBOSE | re.DOTALL,
)
"""What has any character in it, as it is."""


def with_spaces(text: str) -> str:
    """The text, of as many characters, as sqlglot must see it to have DuckDB's white space.

    A blank stands for each that is only DuckDB's, a letter for each that is only Python's. What is in quotes and comments is as it
    was.
    """
    if text.isascii() and not any(letter in text for letter in _LETTERS[:4]):
        return text
    if _ANY.search(text) is None:
        return text
    pieces, end = list[str](), 0
    for quoted in _QUOTED.finditer(text):
        pieces += [text[end : quoted.start()].translate(_SEEN), quoted[0]]
        end = quoted.end()
    return "".join([*pieces, text[end:].translate(_SEEN)])


def as_written(tokens: list[Token], seen: str, text: str) -> list[Token]:
    """The words of such a text, which was `seen` in the place of `text`, with the letters that they have."""
    return [_written(token, seen, text) for token in tokens]


def _written(token: Token, seen: str, text: str) -> Token:
    own = slice(token.start, token.end + 1)
    if token.text != seen[own] or _LETTER.search(text[own]) is None:
        return token
    return Token(token.token_type, text[own], token.line, token.col, token.start, token.end)
