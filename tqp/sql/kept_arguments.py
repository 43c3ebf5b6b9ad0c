"""Calls of which the parser forgets an argument, or makes a word of it: `date_trunc(part, ts)`, `mod(1, 2, 3)`.

Its nodes have no place for what these functions take in no system, and make the word PART of a column where most systems have a
unit. Others it reads as syntax although their names are in quotes. Such a call goes through the parser under a name that it does
not know, with all its arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final

from sqlglot import Dialect, Parser, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["KEPT", "forgetful_calls"]

KEPT: Final = "tqp_kept_"
"""What stands before the name of such a function while sqlglot parses."""
_MOST: Final = 8
"""No function whose node forgets arguments has places for more."""
_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def forgetful_calls(tokens: Sequence[Token], said: Collection[str], dialect: Dialect) -> dict[int, str]:
    """The places of the names of such calls among the words, and what to call them; `said` are the words in capitals."""
    parser = dialect.parser_class
    if not any(name in parser.FUNCTIONS or name in parser.FUNCTION_PARSERS for name in said):
        return {}
    return {
        place: f"{KEPT}{tokens[place].text}"
        for place, count in _counted(tokens)
        if _forgets(type(dialect), tokens[place].text.upper(), min(count, _MOST)) or _is_special(parser, tokens[place])
    }


def _counted(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of the words before parentheses, and how many arguments stand in these."""
    opened: list[list[int]] = []
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind == TokenType.COMMA:
            if opened:
                opened[-1][1] += 1
        elif kind in _OPENING:
            opened.append([place, 1])
        elif kind in _CLOSING and opened:
            start, count = opened.pop()
            is_call = kind == TokenType.R_PAREN and start > 0 and tokens[start - 1].token_type != TokenType.STRING
            if is_call and start + 1 < place:
                yield start - 1, count


def _is_special(parser: type[Parser], name: Token) -> bool:
    """Whether a name in quotes, which is that of a plain function, is a word of syntax for the parser: `"position"(text, part)`."""
    return name.token_type == TokenType.IDENTIFIER and name.text.upper() in parser.FUNCTION_PARSERS


@cache
def _forgets(dialect: type[Dialect], name: str, count: int) -> bool:
    """Whether one of so many columns as arguments is no column in what the parser makes of the call."""
    parser = dialect.parser_class
    if name not in parser.FUNCTIONS and name not in parser.FUNCTION_PARSERS:
        return False
    columns = [f"tqp_argument__{place}" for place in range(count)]
    try:
        (tree,) = dialect().parse(f"SELECT {name}({', '.join(columns)})")
    except (SqlglotError, AttributeError, IndexError, TypeError, ValueError):
        # It takes no call of so many arguments.
        return False
    return tree is None or sorted(column.name for column in tree.find_all(exp.Column)) != columns
