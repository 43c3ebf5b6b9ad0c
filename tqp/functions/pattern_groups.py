"""The tokens of a pattern of RE2, and its groups."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["TOKEN", "always_holds", "groups_of", "inside", "is_group", "ungrouped"]

# Quoted text, an escape, a class, the start of a named group, of what is no group but begins like one, and of a group.
TOKEN: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?\w*:\]|\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?<|\(\?|\(", flags=re.DOTALL
)


def groups_of(pattern: str) -> int:
    """How many groups a pattern has."""
    return sum(map(is_group, TOKEN.findall(pattern)))


def is_group(token: str) -> bool:
    """Whether a token begins a group."""
    return token == "(" or token.startswith("(?P<")


def ungrouped(pattern: str) -> str:
    """The pattern without groups, for Arrow wants a name for each."""
    return TOKEN.sub(lambda token: "(?:" if is_group(token[0]) else token[0], pattern)


@dataclass(eq=False, slots=True)
class _Bracket:
    """A group of a pattern, or brackets that are none (number 0), or the whole."""

    number: int
    around: _Bracket | None
    has_choice: bool = False
    is_optional: bool = False


@lru_cache(maxsize=1024)
def always_holds(pattern: str, group: int) -> bool:
    """Whether the group takes part in every match: no bracket around it has choices, and none is optional, nor itself."""
    inmost = _Bracket(0, None)
    found: _Bracket | None = None
    count = at = 0
    while at < len(pattern):
        token = TOKEN.match(pattern, at)
        if token is not None:
            at = token.end()
            if token[0][0] == "(":
                count += is_group(token[0])
                inmost = _Bracket(count if is_group(token[0]) else 0, inmost)
                found = inmost if inmost.number == group else found
            continue
        if pattern[at] == "|":
            inmost.has_choice = True
        elif pattern[at] == ")" and inmost.around is not None:
            inmost.is_optional = pattern[at + 1 : at + 2] in ("?", "*", "{")
            inmost = inmost.around
        at += 1
    if found is None or found.is_optional:
        return False
    around = found.around
    while around is not None and not around.has_choice and not around.is_optional:
        around = around.around
    return around is None


def inside(pattern: str, group: int) -> str:
    """What stands in the brackets of a group."""
    count = depth = at = begin = 0
    while at < len(pattern):
        token = TOKEN.match(pattern, at)
        at = at + 1 if token is None else token.end()
        if token is not None and token[0][0] == "(":
            depth += begin > 0
            count += is_group(token[0])
            if count == group and not begin:
                begin, depth = at, 1
        elif token is None and pattern[at - 1] == ")" and begin:
            depth -= 1
            if not depth:
                return pattern[begin : at - 1]
    raise ValueError(f"the pattern has no group {group}")
