"""Where parts of an expression end in the text: what the parser forgets of how they are written stands behind them."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.sql.names.types import TypeText, is_type, type_at
from tqp.stack import deep

__all__ = ["end_of", "has_place", "is_made_up", "start_of", "type_of_cast"]

_SUFFIX: Final = re.compile(r"[\s)\]}]*::\s*")
_AS: Final = re.compile(r"[\s)\]}]*\sAS\s+", re.IGNORECASE)
_CLOSES: Final = re.compile(r"\s*\)")
_PREFIX: Final = re.compile(
    r"(TIME(?:STAMP)?\s+WITH(?:OUT)?\s+TIME\s+ZONE|DOUBLE\s+PRECISION|[A-Z_]\w*(?:\s*\([\d\s,]*\))?)\s*$", re.IGNORECASE
)


def has_place(node: exp.Expr) -> bool:
    """Whether the parser remembers where the node stands; of an operator it does not."""
    return bool(node._meta) and "start" in node.meta


def is_made_up(node: exp.Expr) -> bool:
    """Whether the parser made up the number, which then has no place; nor has one that is written `.5`."""
    return (
        isinstance(node, exp.Literal) and not node.is_string and not has_place(node) and not node.name.startswith("0.")
    )


def start_of(node: exp.Expr) -> int | None:
    """The offset of the first word of the node that has a place; None where none has."""
    return min((part.meta["start"] for part in node.walk() if has_place(part)), default=None)


@deep
def end_of(node: exp.Expr, text: str) -> int | None:
    """The offset behind the last word of the node that has a place; None where none has."""
    ends = [end_of(child, text) for child in node.iter_expressions()]
    if isinstance(node, exp.Cast | exp.ParseJSON):
        written = type_of_cast(node, text)
        ends.append(None if written is None else written.end)
    elif has_place(node):
        ends.append(node.meta["end"] + 1)
    return max((end for end in ends if end is not None), default=None)


def type_of_cast(node: exp.Cast | exp.ParseJSON, text: str) -> TypeText | None:
    """The type of `x::T`, CAST(x AS T) or `T 'constant'` as it is written; None where the text does not tell."""
    value = node.this
    if isinstance(value, exp.Literal) and value.is_string and has_place(value):
        before = _PREFIX.search(text, 0, value.meta["start"])
        found = None if before is None or not is_type(before[1]) else type_at(text, before.start(1))
        if found is not None:
            return TypeText(found.shown, value.meta["end"] + 1)
    end = end_of(value, text)
    if end is None:
        return None
    match = _SUFFIX.match(text, end)
    if match is not None:
        return type_at(text, match.end())
    match = _AS.match(text, end)
    found = None if match is None else type_at(text, match.end())
    return found if found is not None and _CLOSES.match(text, found.end) else None
