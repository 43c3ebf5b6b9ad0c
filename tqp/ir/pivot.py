"""A plan that puts rows side by side: what PIVOT ends with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tqp.ir.expr import Expr
from tqp.ir.node import node
from tqp.ir.plan_node import PlanNode, Schema

if TYPE_CHECKING:
    from tqp.ir.plan import Plan

__all__ = ["Pivot"]


@node
@dataclass(frozen=True, eq=False)
class Pivot(PlanNode):
    """One row for each combination of the symbols `keys` (NULLs are equal), or one row without keys, even of no rows.

    Beside its keys it has a cell for each field: `cells[i] = (place, number)` is column `values[number]` of the group's row whose
    `place`, an integer column, is that; `fills[number]`, an expression without columns, where the group has none. Of several such
    rows any is taken. Rows whose place is NULL, or of no cell, only make their group.
    """

    input: Plan
    keys: tuple[str, ...]
    place: str
    values: tuple[str, ...]
    fills: tuple[Expr, ...]
    fields: Schema
    cells: tuple[tuple[int, int], ...]

    @cached_property
    def schema(self) -> Schema:
        by_symbol = {field.symbol: field for field in self.input.schema}
        return (*(by_symbol[key] for key in self.keys), *self.fields)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    @property
    def reads(self) -> frozenset[str]:
        """The symbols of its input that it reads."""
        return frozenset((*self.keys, self.place, *self.values))

    def with_children(self, children: tuple[Plan, ...]) -> Pivot:
        return replace(self, input=children[0])

    def narrowed(self, needed: frozenset[str]) -> Pivot:
        """Only the fields `needed`, and of the values those that these read; one field at least where there are no keys."""
        kept = [place for place, field in enumerate(self.fields) if field.symbol in needed]
        if len(kept) == len(self.fields):
            return self
        if not kept and not self.keys:
            kept = [0]
        read = sorted({self.cells[at][1] for at in kept})
        numbers = {number: at for at, number in enumerate(read)}
        return Pivot(
            self.input,
            self.keys,
            self.place,
            tuple([self.values[number] for number in read]),
            tuple([self.fills[number] for number in read]),
            tuple([self.fields[at] for at in kept]),
            tuple([(self.cells[at][0], numbers[self.cells[at][1]]) for at in kept]),
        )
