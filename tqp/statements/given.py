"""Values of parameters for the parts of a statement, each of which is a query of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql import Parameters

__all__ = ["by_name", "numbered", "parameters_in"]

_KINDS: Final = (TokenType.PARAMETER, TokenType.PLACEHOLDER, TokenType.QDCOLON)
_UNNAMED: Final = ("?", "?::")


def numbered(tokens: Sequence[Token], text: str) -> str:
    """The text with `$1`, `$2`, … for each `?`, so that parts of it take the values that they have in the whole."""
    places = sorted({token.start for token in tokens if token.text in _UNNAMED and token.token_type in _KINDS})
    for number in range(len(places), 0, -1):
        place = places[number - 1]
        text = f"{text[:place]}${number}{text[place + 1 :]}"
    return text


def by_name(params: Parameters) -> dict[str, Any]:
    """The values by the names of their parameters, which are numbers where they have places."""
    if params is None:
        return {}
    return dict(params) if isinstance(params, Mapping) else {str(place): one for place, one in enumerate(params, 1)}


def parameters_in(tokens: Sequence[Token]) -> set[str]:
    """The names of the parameters `$name` and `$1`."""
    return {after.text for token, after in pairwise(tokens) if token.token_type in _KINDS and token.text == "$"}
