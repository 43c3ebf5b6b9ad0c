"""`DATE '2024-01-01'::VARCHAR` in parentheses: the parser would cast the text before it becomes a date."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["typed_literals_grouped"]

# What binds tighter than the type before a text; the parser takes it for a part of the text.
_TIGHT = frozenset({TokenType.DCOLON, TokenType.QDCOLON, TokenType.L_BRACKET, TokenType.DOT})
_OPENING = {TokenType.R_PAREN: TokenType.L_PAREN, TokenType.R_BRACKET: TokenType.L_BRACKET}


def typed_literals_grouped(tokens: Sequence[Token], types: Collection[TokenType]) -> list[Token]:
    """The words with parentheses around each typed literal that an operator follows which binds tighter.

    `types` are the kinds of words that name types.
    """
    starts: dict[int, int] = {}
    for place in range(1, len(tokens) - 1):
        if tokens[place].token_type == TokenType.STRING and tokens[place + 1].token_type in _TIGHT:
            start = _type_before(tokens, place, types)
            if start is not None:
                starts[start] = place
    if not starts:
        return list(tokens)
    ends = set(starts.values())
    result: list[Token] = []
    for place, token in enumerate(tokens):
        if place in starts:
            result.append(_parenthesis(TokenType.L_PAREN, "(", token))
        result.append(token)
        if place in ends:
            result.append(_parenthesis(TokenType.R_PAREN, ")", token))
    return result


def _type_before(tokens: Sequence[Token], end: int, types: Collection[TokenType]) -> int | None:
    """Where the type begins whose last word stands before `end`: FLOAT[3], TIMESTAMP(3) WITH TIME ZONE; None for none."""
    place = end - 1
    if place >= 3 and [token.text.upper() for token in tokens[place - 1 : place + 1]] == ["TIME", "ZONE"]:
        place -= 3
    while place > 0 and tokens[place].token_type in _OPENING:
        opening = _OPENING[tokens[place].token_type]
        while place > 0 and tokens[place].token_type != opening:
            place -= 1
        place -= 1
    if place < 0 or tokens[place].token_type not in types or tokens[place].token_type == TokenType.INTERVAL:
        return None
    # After these a type casts what stands before, and no literal may follow.
    before = tokens[place - 1].token_type if place else None
    return None if before in (TokenType.DCOLON, TokenType.ALIAS, TokenType.DOT) else place


def _parenthesis(kind: TokenType, text: str, at: Token) -> Token:
    return Token(kind, text, at.line, at.col, at.start, at.end)
