"""Where parts of an expression end in the text: what the parser forgets of how they are written stands behind them."""

from __future__ import annotations

import re
from typing import Any, Final

from sqlglot import exp

from tqp.sql.names.types import TypeText, is_type, type_at
from tqp.stack import deep

__all__ = ["Places", "has_place", "is_made_up", "start_of"]

_SUFFIX: Final = re.compile(r"[\s)\]}]*::\s*")
_AS: Final = re.compile(r"[\s)\]}]*\sAS\s+", re.IGNORECASE)
_CLOSES: Final = re.compile(r"\s*\)")
_NAME: Final = r'(?:[A-Z_]\w*|"(?:[^"]|"")*")'
_PREFIX: Final = re.compile(
    rf"(TIME(?:STAMP)?\s+WITH(?:OUT)?\s+TIME\s+ZONE|DOUBLE\s+PRECISION|(?:{_NAME}\.)*{_NAME}(?:\s*\([\d\s,]*\))?)\s*$",
    re.IGNORECASE,
)


_LONGEST_PREFIX: Final = 256
"""Letters of a type before its constant: texts are long, and have many."""


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
    found: int | None = None
    pending: list[Any] = [node]
    while pending:
        part = pending.pop()
        if type(part) is list:
            pending += part
        elif isinstance(part, exp.Expr):
            if has_place(part):
                start: int = part.meta["start"]
                found = start if found is None else min(found, start)
            pending += part.args.values()
    return found


class Places:
    """Where the parts of the query `text` end; each is looked for once, as casts of casts ask for one again and again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[int, int | None] = {}

    def end_of(self, node: exp.Expr) -> int | None:
        """The offset behind the last word of the node that has a place; None where none has."""
        if id(node) not in self._ends:
            self._ends[id(node)] = self._found_end(node)
        return self._ends[id(node)]

    @deep
    def _found_end(self, node: exp.Expr) -> int | None:
        ends = [self.end_of(child) for child in node.iter_expressions()]
        if isinstance(node, exp.Cast | exp.ParseJSON):
            written = self.type_of_cast(node)
            ends.append(None if written is None else written.end)
        elif has_place(node):
            ends.append(node.meta["end"] + 1)
        return max((end for end in ends if end is not None), default=None)

    def type_of_cast(self, node: exp.Cast | exp.ParseJSON) -> TypeText | None:
        """The type of `x::T`, CAST(x AS T) or `T 'constant'` as it is written; None where the text does not tell."""
        value = node.this
        if isinstance(value, exp.Literal) and value.is_string and has_place(value):
            start = value.meta["start"]
            before = _PREFIX.search(self.text, max(start - _LONGEST_PREFIX, 0), start)
            found = None if before is None or not is_type(before[1]) else type_at(self.text, before.start(1))
            if found is not None:
                return TypeText(found.shown, value.meta["end"] + 1)
        end = self.end_of(value)
        if end is None:
            return None
        match = _SUFFIX.match(self.text, end)
        if match is not None:
            return type_at(self.text, match.end())
        match = _AS.match(self.text, end)
        found = None if match is None else type_at(self.text, match.end())
        return found if found is not None and _CLOSES.match(self.text, found.end) else None
