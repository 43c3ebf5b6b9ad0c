"""What expressions and plans share: immutable nodes that hash once and compare by structure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import ClassVar

__all__ = ["Node"]


class Node:
    """Base of all IR nodes; subclasses are `@dataclass(frozen=True, eq=False)`.

    The hash is computed at construction from the children's remembered hashes, so that shared
    subtrees cost nothing and `==` settles most differences at once.
    """

    _hash: int
    __match_args__: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((type(self), self.parts())))

    def parts(self) -> tuple[object, ...]:
        """The field values in order of declaration."""
        return _reader(self.__match_args__)(self)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Node) or self._hash != other._hash:
            return False
        return _same(self, other)


@cache
def _reader(names: tuple[str, ...]) -> Callable[[Node], tuple[object, ...]]:
    """What reads all these fields of a node at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


def _same(left: Node, right: Node) -> bool:
    """Whether two nodes of equal hash are equal; without recursion, and each pair of shared nodes once."""
    pending: list[tuple[object, object]] = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if isinstance(a, Node) and isinstance(b, Node):
            if type(a) is not type(b) or a._hash != b._hash:
                return False
            pair = (id(a), id(b))
            if pair not in met:
                met.add(pair)
                pending.append((a.parts(), b.parts()))
        elif isinstance(a, tuple) and isinstance(b, tuple) and any(map(_holds_nodes, a)):
            if len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif a != b:
            return False
    return True


def _holds_nodes(part: object) -> bool:
    return isinstance(part, Node | tuple)
