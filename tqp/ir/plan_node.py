"""What all nodes of plans have: a schema, and inputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from tqp.ir.expr import ColumnRef
from tqp.ir.node import Node
from tqp.types import DType

if TYPE_CHECKING:
    from tqp.ir.plan import Plan

__all__ = ["Field", "PlanNode", "Schema"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a plan: its unique symbol, the name the user sees, its type."""

    symbol: str
    name: str
    dtype: DType
    _ref: ColumnRef | None = field(init=False, repr=False, compare=False, default=None)
    _hash: int | None = field(init=False, repr=False, compare=False, default=None)

    def __hash__(self) -> int:
        # Of the nodes that hold it on a plan's way through the rules each one asks.
        found = self._hash
        if found is None:
            found = hash((self.symbol, self.name, self.dtype))
            object.__setattr__(self, "_hash", found)
        return found

    def __reduce__(self) -> tuple[type[Field], tuple[str, str, DType]]:
        # A hash means nothing in another process.
        return Field, (self.symbol, self.name, self.dtype)

    @property
    def ref(self) -> ColumnRef:
        """What reads the column: one node, which remembers what was found out about it."""
        found = self._ref
        if found is None:
            found = ColumnRef(self.symbol, self.dtype)
            object.__setattr__(self, "_ref", found)
        return found


Schema = tuple[Field, ...]


class PlanNode(Node):
    """Base of the nodes of plans, which `Plan` lists."""

    @property
    def schema(self) -> Schema:
        raise NotImplementedError

    @property
    def children(self) -> tuple[Plan, ...]:
        return ()

    def with_children(self, children: tuple[Plan, ...]) -> Self:
        """The same node over other inputs."""
        return self
