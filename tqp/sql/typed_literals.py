"""Constants that name their types.

In `DATE '2024-01-01'::VARCHAR` without parentheses the parser would cast the text before it becomes a date. In `mood 'happy'`,
whose type somebody gave a name, it would take the name for a column: it is given a call, `with_named_types` makes the cast of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.words import Instead

__all__ = ["has_named_types", "slice_ends", "stand_in", "typed_literals", "with_named_types"]

_STAND_IN: Final = "tqp_typed__"
_SIZE: Final = re.compile(r"\[(\d*)\]")

# What binds tighter than the type before a text; the parser takes it for a part of the text.
_TIGHT = frozenset({TokenType.DCOLON, TokenType.QDCOLON, TokenType.L_BRACKET, TokenType.DOT})
_OPENING = {
    TokenType.R_PAREN: TokenType.L_PAREN, TokenType.R_BRACKET: TokenType.L_BRACKET, TokenType.R_BRACE: TokenType.L_BRACE,
}  # fmt: skip
_OPENERS = frozenset(_OPENING.values())


def typed_literals(tokens: Sequence[Token], types: Collection[TokenType]) -> list[tuple[int, int]]:
    """First and last offset of each typed literal that an operator follows which binds tighter.

    `types` are the kinds of words that name types.
    """
    found: list[tuple[int, int]] = []
    kinds = [token.token_type for token in tokens]
    for place in range(1, len(tokens) - 1):
        if kinds[place] == TokenType.STRING and kinds[place + 1] in _TIGHT:
            start = _type_before(tokens, place, types)
            if start is not None:
                found.append((tokens[start].start, tokens[place].end))
    return found


def slice_ends(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """First and last offset of what stands behind the colon in `[:b]` and `[:b:c]`: the parser takes `:b` for a parameter."""
    found: list[tuple[int, int]] = []
    for place in range(1, len(tokens) - 1):
        if tokens[place].token_type != TokenType.COLON or tokens[place - 1].token_type != TokenType.L_BRACKET:
            continue
        depth, end = 0, place + 1
        while end < len(tokens) and (depth or tokens[end].token_type not in (TokenType.COLON, TokenType.R_BRACKET)):
            depth += (tokens[end].token_type in _OPENERS) - (tokens[end].token_type in _OPENING)
            end += 1
        if end - place > 1 and not (end - place == 2 and tokens[place + 1].token_type == TokenType.DASH):
            found.append((tokens[place + 1].start, tokens[end - 1].end))
    return found


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


def stand_in(name: str, sizes: str = "") -> str:
    """What the parser is given for the name of a type, in brackets of these `sizes`, which it may not know, or know otherwise."""
    return f"{_STAND_IN}{sizes}:{name}"


def has_named_types(instead: Instead) -> bool:
    """Whether one of these words is by `stand_in`."""
    return any(other is not None and other[1].startswith(_STAND_IN) for other in instead.values())


def with_named_types(tree: exp.Expr) -> None:
    """Make types of what is called by `stand_in`, and casts of its calls, which stand for constants."""
    for node in list(tree.find_all(exp.Anonymous, exp.DataType)):
        name = str(node.args.get("kind")) if isinstance(node, exp.DataType) else node.name
        if not name.startswith(_STAND_IN):
            continue
        sizes, _, kind = name.removeprefix(_STAND_IN).partition(":")
        if isinstance(node, exp.DataType):
            node.set("kind", kind)
            continue
        dtype = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind)
        for size in _SIZE.findall(sizes):
            values = [exp.Literal.number(size)] if size else None
            dtype = exp.DataType(this=exp.DataType.Type.ARRAY, expressions=[dtype], values=values, nested=True)
        node.replace(exp.Cast(this=node.expressions[0], to=dtype))
