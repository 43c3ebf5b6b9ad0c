"""Calls whose arguments the parser hands on as they stand: it looks at no literal among them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.keywords import begins_name
from tqp.sql.dialect import dialect_named

__all__ = ["hands_on"]

_BY_KIND: Final = frozenset({
    "CAST", "CEIL", "COALESCE", "CONCAT", "CONCAT_WS", "EPOCH_MS", "FLOOR", "GREATEST", "HEX", "IFNULL", "LEAST", "LIST_VALUE",
    "LOWER", "LPAD", "LTRIM", "MAKE_TIMESTAMP", "MAX", "MIN", "MOD", "NVL", "RPAD", "RTRIM", "STRFTIME", "STRPTIME", "SUBSTRING",
    "TRIM", "TRY_CAST", "UPPER",
})  # fmt: skip
"""Functions for which the parser has code that asks for the kinds of arguments and for how many there are."""


def hands_on(tokens: Sequence[Token]) -> bool:
    """Whether the parser hands on the arguments of all calls in these words."""
    return all(
        _hands_on(name.text.upper())
        for name, bracket in pairwise(tokens)
        if bracket.token_type == TokenType.L_PAREN and begins_name(name.text)
    )


def _hands_on(name: str) -> bool:
    parser = dialect_named("duckdb").parser_class
    if name in _BY_KIND:
        return True
    if name in parser.FUNCTION_PARSERS or name in parser.NO_PAREN_FUNCTION_PARSERS:
        return False
    builder = parser.FUNCTIONS.get(name)
    # What makes a node of just the arguments is a method of the node's class.
    return builder is None or getattr(builder, "__name__", "") == "from_arg_list"
