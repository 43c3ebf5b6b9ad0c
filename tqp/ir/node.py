"""What expressions and plans share: immutable nodes that hash once, compare by structure, and pickle."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from threading import local
from typing import Any, ClassVar, Final, TypeVar

__all__ = ["HASHED", "Node", "Spine", "node"]

N = TypeVar("N", bound="Node")


class _Hashed(local):
    """How many hashes of inputs were asked for by a thread."""

    inputs = 0


HASHED: Final = _Hashed()


class Node:
    """Base of all IR nodes; subclasses are `@node` and `@dataclass(frozen=True, eq=False)`.

    The hash is computed at construction from the children's remembered hashes, so that shared
    subtrees cost nothing and `==` settles most differences at once.
    """

    _hash: int
    _kind: ClassVar[type[Node]]
    """The class, or the one whose nodes those of this class equal."""
    is_input: ClassVar[bool] = False
    """Whether to tell the node what holds it, and that it was found equal to another one."""
    __match_args__: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        if "_kind" not in vars(cls):
            cls._kind = cls

    def _tell_inputs(self) -> None:
        """Tell the inputs among the parts where they stand: two nodes that only become equal as inputs do hold these there."""
        inputs: list[Node] = []
        around = hash((self._kind, _without_inputs(self.parts(), inputs)))
        for place, one in enumerate(inputs):
            one.held_in(around, place)

    def held_in(self, around: int, place: int) -> None:
        """A node holds this one, as its input of that place; `around` is what else it is."""

    def taken_for(self, other: Node) -> None:
        """Somebody takes the two nodes, which are two objects, for the same."""

    def parts(self) -> tuple[object, ...]:
        """The field values in order of declaration."""
        read = _READERS.get(type(self))
        return (read or _reader(type(self)))(self)

    def __reduce__(self) -> tuple[Callable[[tuple[_Entry, ...]], Node], tuple[tuple[_Entry, ...]]]:
        # What is remembered of a node, its hash above all, means nothing in another process.
        return _rebuilt, (_flattened(self),)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node) or self._kind is not other._kind or self._hash != other._hash:
            return False
        return _same(self, other)


_INIT: Final = """
def __init__(self, {parameters}):
    own = self.__dict__
    {stores}
    before = hashed.inputs
    own["_hash"] = hash((kind, {parts}))
    if hashed.inputs != before:
        self._tell_inputs()
"""


def node(kind: type[N]) -> type[N]:
    """The class of nodes, a frozen dataclass, with an `__init__` that also hashes, in half the time, and `children` found once.

    A query of some hundred parts makes ten thousand nodes, and dataclasses call `object.__setattr__` for each field. Walks ask
    each of them for its children some ten times.
    """
    made: Any = kind
    parameters, stores, names = [], [], []
    around: dict[str, Any] = {"hashed": HASHED, "kind": kind._kind}
    for field in dataclasses.fields(made):
        has_default = field.default is not dataclasses.MISSING
        around[f"default_{field.name}"] = field.default
        parameters.append(f"{field.name}=default_{field.name}" if has_default else field.name)
        stores.append(f"own[{field.name!r}] = {field.name}")
        names.append(field.name)
    parts = f"({', '.join(names)},)" if kind.parts is Node.parts else "self.parts()"
    exec(_INIT.format(parameters=", ".join(parameters), stores="; ".join(stores), parts=parts), around)
    made.__init__ = around["__init__"]
    if isinstance(getattr(kind, "children", None), property):
        made.children = _Once("children", made.children.fget)
    return kind


class _Once:
    """A property that is a plain attribute of a node from the first time on that it is asked for."""

    def __init__(self, name: str, found: Callable[[Any], object]) -> None:
        self._name = name
        self._found = found

    def __get__(self, one: Any, kind: type) -> object:
        if one is None:
            return self
        found = one.__dict__[self._name] = self._found(one)
        return found


_READERS: Final[dict[type, Callable[[Any], tuple[object, ...]]]] = {}
"""For each class of nodes what reads all fields of one at once."""


def _reader(kind: type[Node]) -> Callable[[Any], tuple[object, ...]]:
    names = kind.__match_args__
    read = attrgetter(*names) if len(names) > 1 else lambda node: tuple([getattr(node, name) for name in names])
    return _READERS.setdefault(kind, read)


def _same(left: Node, right: Node) -> bool:
    """Whether two nodes of equal hash are equal; without recursion, and each pair of shared nodes once."""
    pending: list[tuple[object, object]] = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if isinstance(a, Node) and isinstance(b, Node):
            if a._kind is not b._kind or a._hash != b._hash:
                return False
            pair = (id(a), id(b))
            if pair not in met:
                met.add(pair)
                if a.is_input:
                    a.taken_for(b)
                if b.is_input:
                    b.taken_for(a)
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


_Entry = tuple[type[Node], tuple[object, ...]]
"""A node's type and its fields, in which a `_Place` stands for another node."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The node of that number."""

    number: int


def _flattened(root: Node) -> tuple[_Entry, ...]:
    """The node and all below it, each object once, those that one holds before it: however deep, nothing is nested."""
    places: dict[int, _Place] = {}
    entries: list[_Entry] = []
    for node, fields in _upwards(root, _fields):
        places[id(node)] = _Place(len(entries))
        entries.append((node._kind, _mapped(fields, lambda one: places[id(one)])))
    return tuple(entries)


def _upwards(root: Node, fields_of: Callable[[Node], tuple[object, ...]]) -> Iterator[tuple[Node, tuple[object, ...]]]:
    """The node and all below it, each object once, with its fields: those that one holds before it."""
    done: set[int] = set()
    pending = [root]
    while pending:
        node = pending[-1]
        if id(node) in done:
            pending.pop()
            continue
        fields = fields_of(node)
        below = [one for one in _nodes_in(fields) if id(one) not in done]
        if below:
            pending += below
            continue
        pending.pop()
        done.add(id(node))
        yield node, fields


def _fields(node: Node) -> tuple[object, ...]:
    return tuple([getattr(node, name) for name in node.__match_args__])


def _rebuilt(entries: tuple[_Entry, ...]) -> Node:
    nodes: list[Node] = []
    for kind, fields in entries:
        nodes.append(kind(*_mapped(fields, lambda place: nodes[place.number])))
    return nodes[-1]


class Spine:
    """A node, however deep, in which some `open` nodes below it can be exchanged.

    Only what holds them is made anew, each shared node once; the rest is shared with the original.
    """

    def __init__(self, root: Node, is_open: Callable[[Node], bool]) -> None:
        self._root = root
        self._open: list[Node] = []
        self._entries: list[_Entry] = []
        places: dict[int, _Place] = {}
        within: list[tuple[Node, tuple[object, ...]]] = []
        for node, fields in _upwards(root, lambda one: () if is_open(one) else _fields(one)):
            if is_open(node):
                places[id(node)] = _Place(len(self._open))
                self._open.append(node)
            else:
                within.append((node, fields))
        for node, fields in within:
            if any(id(one) in places for one in _nodes_in(fields)):
                places[id(node)] = _Place(len(self._open) + len(self._entries))
                self._entries.append((node._kind, _mapped(fields, lambda one: places.get(id(one), one))))

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        """The root with `change` of each open node in its place."""
        nodes = list(map(change, self._open))
        for kind, fields in self._entries:
            nodes.append(kind(*_filled(fields, nodes)))
        return nodes[-1] if self._entries or self._open else self._root


def _filled(fields: tuple[object, ...], nodes: list[Node]) -> tuple[object, ...]:
    return tuple([
        nodes[part.number] if isinstance(part, _Place) else _filled(part, nodes) if isinstance(part, tuple) else part
        for part in fields
    ])  # fmt: skip


def _nodes_in(fields: tuple[object, ...]) -> list[Node]:
    found: list[Node] = []
    for part in fields:
        if isinstance(part, Node):
            found.append(part)
        elif isinstance(part, tuple):
            found += _nodes_in(part)
    return found


def _without_inputs(fields: tuple[object, ...], inputs: list[Node]) -> tuple[object, ...]:
    """The fields with None for each input among them, all of which are added to `inputs`."""
    kept: list[object] = []
    for part in fields:
        if isinstance(part, tuple):
            kept.append(_without_inputs(part, inputs))
        elif isinstance(part, Node) and part.is_input:
            inputs.append(part)
            kept.append(None)
        else:
            kept.append(part)
    return tuple(kept)


def _mapped(fields: tuple[object, ...], change: Callable[[Any], object]) -> tuple[object, ...]:
    """The fields with other things in the place of nodes, or of places; tuples within them are tuples again."""
    return tuple(
        change(part) if isinstance(part, Node | _Place) else _mapped(part, change) if isinstance(part, tuple) else part
        for part in fields
    )
