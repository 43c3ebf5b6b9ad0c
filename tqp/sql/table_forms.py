"""Table forms of PREDICT in words that the parser knows.

`ML.PREDICT(MODEL m, TABLE t)` becomes `ML.PREDICT(m, t)`, and what T-SQL writes after `PREDICT(MODEL = m, DATA = t)`,
`WITH (score FLOAT)`, goes: the model says which columns come out.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.words import closing

__all__ = ["plain_table_forms"]


def plain_table_forms(tokens: Sequence[Token]) -> list[Token]:
    """The words without MODEL and TABLE before the arguments of PREDICT, and without WITH (…) after it."""
    if not any(_is(token, "PREDICT") for token in tokens):
        return list(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        end = closing(tokens, place + 1) if _is(tokens[place], "PREDICT") else None
        if end is None or not _is_table_form(tokens, place):
            result.append(tokens[place])
            place += 1
            continue
        result += tokens[place : place + 2]
        inner = list(tokens[place + 2 : end])
        result += _without_word(plain_table_forms(inner), "MODEL", 0)
        result = _without_table(result)
        result.append(tokens[end])
        place = end + 1
        if place < len(tokens) and tokens[place].token_type == TokenType.WITH:
            after = closing(tokens, place + 1)
            place = place if after is None else after + 1
    return result


def _is(token: Token, word: str) -> bool:
    return token.text.upper() == word and token.token_type != TokenType.STRING


def _is_table_form(tokens: Sequence[Token], place: int) -> bool:
    """Whether `MODEL name` or `MODEL = name` follows."""
    return (
        place + 3 < len(tokens)
        and _is(tokens[place + 2], "MODEL")
        and tokens[place + 3].token_type not in (TokenType.COMMA, TokenType.R_PAREN, TokenType.DOT, TokenType.COLON_EQ)
    )


def _without_word(tokens: list[Token], word: str, place: int) -> list[Token]:
    follows = tokens[place + 1].token_type if place + 1 < len(tokens) else None
    if place < len(tokens) and _is(tokens[place], word) and follows != TokenType.EQ:
        return tokens[:place] + tokens[place + 1 :]
    return tokens


def _without_table(tokens: list[Token]) -> list[Token]:
    """Without the last TABLE that stands before a name."""
    for place in range(len(tokens) - 2, 0, -1):
        if tokens[place - 1].token_type == TokenType.COMMA and _is(tokens[place], "TABLE"):
            return _without_word(tokens, "TABLE", place)
    return tokens
