r"""Regular expressions as graphs, for those of RE2's syntax that have no more than classes of bytes, groups, alternatives,
repetitions, and anchors around all. The rest (flags, `\b`, `\pL`, repetitions of what may be empty, …) is RE2's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

__all__ = ["DONE", "Graph", "Node", "Unfit", "begins_anywhere", "ends_alone", "graph_of", "spans_all"]

_NODES: Final = 400
"""Larger graphs are left to RE2."""
_DEPTH: Final = 30
"""So are more groups, which may be within one another."""
DONE: Final = 0
"""The node where a match is complete."""

Node = int
_Write = Callable[["Graph", Node], Node]
"""Puts nodes in front of the one that follows, and gives the first."""

_ASCII: Final = frozenset(range(128))
_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_CLASSES: Final = {"d": frozenset(b"0123456789"), "w": _WORD, "s": frozenset(b"\t\n\f\r ")}
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}
_REST: Final = frozenset(range(0x80, 0xC0))
_LONG: Final = (
    (frozenset(range(0xC2, 0xE0)), _REST), (frozenset(range(0xE0, 0xF0)), _REST, _REST),
    (frozenset(range(0xF0, 0xF5)), _REST, _REST, _REST),
)  # fmt: skip
"""The characters beyond ASCII, in UTF-8."""


class Unfit(Exception):
    """RE2 must do it."""


@dataclass(slots=True)
class Graph:
    """Nodes by number: of one that reads, its set of bytes and what follows; else no set and what follows, in order; and what it
    saves. The first one is where a match is complete."""

    reads: list[frozenset[int] | None] = field(default_factory=list)
    follows: list[tuple[Node, ...]] = field(default_factory=list)
    saves: list[int] = field(default_factory=list)

    def add(self, reads: frozenset[int] | None, follows: tuple[Node, ...], saves: int = 0) -> Node:
        if len(self.reads) >= _NODES:
            raise Unfit
        self.reads.append(reads)
        self.follows.append(follows)
        self.saves.append(saves)
        return len(self.reads) - 1


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of an expression, and whether it may match nothing."""

    write: _Write
    may_be_empty: bool


def _nothing(graph: Graph, then: Node) -> Node:
    return then


_EMPTY: Final = _Part(_nothing, True)


def _bytes(*sets: frozenset[int]) -> _Part:
    def write(graph: Graph, then: Node) -> Node:
        for one in reversed(sets):
            then = graph.add(one, (then,))
        return then

    return _Part(write, False)


def _characters(ascii: frozenset[int], beyond: bool) -> _Part:
    """A character of ASCII, or any that is not in it."""
    return _either([_bytes(ascii), *(_bytes(*sets) for sets in _LONG)]) if beyond else _bytes(ascii)


def _either(parts: Sequence[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]

    def write(graph: Graph, then: Node) -> Node:
        return graph.add(None, tuple([part.write(graph, then) for part in parts]))

    return _Part(write, any(part.may_be_empty for part in parts))


def _joined(parts: Sequence[_Part]) -> _Part:
    def write(graph: Graph, then: Node) -> Node:
        for part in reversed(parts):
            then = part.write(graph, then)
        return then

    return _Part(write, all(part.may_be_empty for part in parts))


def _saved(part: _Part, begin: int | None, end: int | None) -> _Part:
    """A group whose begin and end are slots."""
    if begin is None or end is None:
        return part

    def write(graph: Graph, then: Node) -> Node:
        return graph.add(None, (part.write(graph, graph.add(None, (then,), 1 << end)),), 1 << begin)

    return _Part(write, part.may_be_empty)


def _repeated(part: _Part, least: int, most: int | None, is_lazy: bool) -> _Part:
    if part.may_be_empty or least > (most if most is not None else least) or most == 0:
        raise Unfit

    def choice(graph: Graph, way: Node, then: Node) -> tuple[Node, ...]:
        return (then, way) if is_lazy else (way, then)

    def write(graph: Graph, then: Node) -> Node:
        end = then
        if most is None:
            then = graph.add(None, ())
            graph.follows[then] = choice(graph, part.write(graph, then), end)
        else:
            for _ in range(most - least):
                then = graph.add(None, choice(graph, part.write(graph, then), end))
        for _ in range(least):
            then = part.write(graph, then)
        return then

    return _Part(write, least == 0)


class _Reader:
    """Reads an expression that RE2 takes; Unfit for what is not among the few things that are known here."""

    def __init__(self, pattern: str, wanted: Sequence[int], dot: frozenset[int]) -> None:
        self._text = pattern
        self._at = 0
        self._dot = dot
        self._count = 0
        self._slots = {group: 2 * place for place, group in enumerate(wanted)}

    def whole(self, may_choose: bool) -> _Part:
        """All of it; anchors belong to one of several alternatives only, which then may not be."""
        part = self._alternatives() if may_choose else self._sequence()
        if self._at < len(self._text):
            raise Unfit
        return part

    def group(self, part: _Part, number: int) -> _Part:
        slot = self._slots.get(number)
        return part if slot is None else _saved(part, slot, slot + 1)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) * found
        return found

    def _alternatives(self) -> _Part:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return _either(parts)

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._times(self._atom()))
        return _joined(parts) if parts else _EMPTY

    def _times(self, part: _Part) -> _Part:
        for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(sign):
                return _repeated(part, least, most, self._take("?"))
        if self._take("{"):
            first = self._digits()
            last: int | None = first
            if self._take(","):
                last = None if self._next() == "}" else self._digits()
            if not self._take("}"):
                raise Unfit
            return _repeated(part, first, last, self._take("?"))
        return part

    def _digits(self) -> int:
        start = self._at
        while self._next() in "0123456789" and self._next():
            self._at += 1
        if start == self._at:
            raise Unfit
        return int(self._text[start : self._at])

    def _atom(self) -> _Part:
        if self._take("(?:"):
            part = self._alternatives()
        elif self._take("(?P<"):
            self._at = self._text.index(">", self._at) + 1
            part = self._numbered()
        elif self._take("(?"):
            raise Unfit
        elif self._take("("):
            part = self._numbered()
        elif self._take("["):
            return self._class()
        elif self._take("."):
            return _characters(self._dot, True)
        elif self._take("\\"):
            allowed, beyond = self._escape()
            return _characters(allowed, beyond)
        elif self._next() in "^$*+?{":
            raise Unfit
        else:
            self._at += 1
            return _bytes(*(frozenset((byte,)) for byte in self._text[self._at - 1].encode()))
        if not self._take(")"):
            raise Unfit
        return part

    def _numbered(self) -> _Part:
        self._count += 1
        number = self._count
        return self.group(self._alternatives(), number)

    def _escape(self) -> tuple[frozenset[int], bool]:
        """What stands behind a backslash: characters of ASCII, and whether all others are meant, too."""
        char = self._next()
        self._at += 1
        if char in _CLASSES:
            return _CLASSES[char], False
        if char.lower() in _CLASSES:
            return _ASCII - _CLASSES[char.lower()], True
        if char in _ESCAPES:
            return frozenset((_ESCAPES[char],)), False
        if char.isascii() and not char.isalnum():
            return frozenset(char.encode()), False
        raise Unfit

    def _class(self) -> _Part:
        is_inverted = self._take("^")
        allowed: set[int] = set()
        beyond = False
        is_first = True
        while is_first or self._next() != "]":
            is_first = False
            if self._next() == "" or self._text.startswith("[:", self._at):
                raise Unfit
            low, more = self._member()
            beyond |= more
            high = low
            if self._next() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high, _ = self._member()
                if len(low) != 1 or len(high) != 1:
                    raise Unfit
                allowed.update(range(min(low), min(high) + 1))
            else:
                allowed |= low
        self._at += 1
        return _characters(_ASCII - allowed, not beyond) if is_inverted else _characters(frozenset(allowed), beyond)

    def _member(self) -> tuple[frozenset[int], bool]:
        if self._take("\\"):
            return self._escape()
        char = self._next()
        self._at += 1
        if not char.isascii():
            raise Unfit
        return frozenset(char.encode()), False


def _anchors(pattern: str) -> tuple[str, str]:
    """What says that a match begins, and ends, with the string, or nothing."""
    begins = next((sign for sign in ("^", r"\A") if pattern.startswith(sign)), "")
    ends = next((sign for sign in ("$", r"\z") if pattern.endswith(sign)), "")
    before = pattern.removesuffix(ends)
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return begins, "" if is_escaped else ends


def spans_all(pattern: str) -> bool:
    """Whether a match of a pattern that is fit for tables is always a whole string."""
    return all(_anchors(pattern.removeprefix("(?s)")))


def begins_anywhere(pattern: str) -> bool:
    """Whether a match of a pattern that is fit for tables may begin anywhere in a string."""
    return not _anchors(pattern.removeprefix("(?s)"))[0]


def ends_alone(pattern: str) -> bool:
    """Whether a match must end with the string, but may begin anywhere: RE2 then goes from the end itself, as far as it must."""
    begins, ends = _anchors(pattern.removeprefix("(?s)"))
    return bool(ends) and not begins


def graph_of(pattern: str, wanted: tuple[int, ...]) -> tuple[Graph, Node, bool]:
    """The graph, its first node, and whether a match must end with the string."""
    if pattern.count("(") > _DEPTH:
        raise Unfit
    any_byte = frozenset(range(256))
    dot = _ASCII - frozenset(b"\n")
    if pattern.startswith("(?s)"):
        pattern, dot = pattern[4:], _ASCII
    begins, ends = _anchors(pattern)
    inner = pattern[len(begins) : len(pattern) - len(ends)]
    reader = _Reader(inner, wanted, dot)
    part = reader.group(reader.whole(not begins and not ends), 0)
    made = Graph()
    first = part.write(made, made.add(None, ()))
    if not begins:
        loop = made.add(None, ())
        made.follows[loop] = first, made.add(any_byte, (loop,))
        first = loop
    return made, first, bool(ends)
