"""What the functions of a connection are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tqp.data.stored import StoredTable
from tqp.errors import BindError
from tqp.functions.aggregates import AggregateFunction
from tqp.functions.registry import Function
from tqp.ir.own import OwnName
from tqp.oids import new_oid
from tqp.types import DType

__all__ = ["Own", "OwnFunctions", "OwnTable"]


@dataclass(frozen=True, slots=True, eq=False)
class OwnTable:
    """A table function: `make` gives its table for the values of its arguments, which are of the types `parameters`."""

    name: str
    parameters: tuple[DType, ...]
    make: Callable[[Sequence[Any]], StoredTable]


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """A function: its name in lower case, what it is made of ("torch", "arrow", "python", "table"), its types, and what runs it.

    A table function has no type of a result.

    `side_effects`: each call that a query writes is one of its own, even if it is written twice.
    """

    name: str
    kind: str
    parameters: tuple[DType, ...]
    result: DType | None
    function: Function | AggregateFunction | OwnTable
    side_effects: bool = False
    oid: int = field(default_factory=new_oid)

    @property
    def type(self) -> str:
        """What it is called in lists of functions."""
        match self.function:
            case Function():
                return "scalar"
            case AggregateFunction():
                return "aggregate"
            case _:
                return "table"

    def called(self) -> OwnName:
        """Its name in one call of a plan."""
        return OwnName(self.name, replace(self.function) if self.side_effects else self.function)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))}) -> {self.result or 'TABLE'}"


@dataclass(frozen=True, slots=True, eq=False)
class OwnFunctions:
    """All functions of a connection at one time, by name; a change makes another one, of the next `version`."""

    by_name: Mapping[str, Own] = field(default_factory=dict)
    version: int = 0

    def __bool__(self) -> bool:
        return bool(self.by_name)

    def __iter__(self) -> Iterator[Own]:
        return iter(self.by_name.values())

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.by_name

    def find(self, name: str) -> Own | None:
        return self.by_name.get(name.lower())

    def having(self, own: Own) -> OwnFunctions:
        """With one more; BindError where there is one of its name."""
        if own.name in self.by_name:
            raise BindError(f"a function {own.name} is there already", hint="remove it first: con.remove_function(…)")
        return OwnFunctions({**self.by_name, own.name: own}, self.version + 1)

    def without(self, name: str) -> OwnFunctions:
        """With one less; BindError where there is none of that name."""
        if name.lower() not in self.by_name:
            known = ", ".join(self.by_name) or "none"
            raise BindError(f"no function {name} was created", hint=f"created: {known}")
        rest = {other: own for other, own in self.by_name.items() if other != name.lower()}
        return OwnFunctions(rest, self.version + 1)
