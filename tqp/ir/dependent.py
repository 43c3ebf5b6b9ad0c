"""Plans whose rows depend on others row by row: table functions, dependent joins, joins with the nearest row, recursion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.ir.node import node
from tqp.ir.plan_node import PlanNode, Schema

if TYPE_CHECKING:
    from tqp.ir.plan import Plan

__all__ = ["AsofJoin", "AsofKind", "DependentJoin", "Generate", "NearestJoin", "Recursion", "Working"]


@node
@dataclass(frozen=True, eq=False)
class Generate(PlanNode):
    """The input's rows, each as often as the table function `function` gives rows for its `args`, beside those rows.

    `fields` are the function's columns, and last, if `numbered`, the number of the row among those of its input row, from 1.
    `padded`: an input row for which there are none stays once, with NULLs.
    """

    input: Plan
    function: str
    args: tuple[Expr, ...]
    fields: Schema
    numbered: bool = False
    padded: bool = False

    @cached_property
    def schema(self) -> Schema:
        return (*self.input.schema, *self.fields)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Generate:
        return Generate(children[0], self.function, self.args, self.fields, self.numbered, self.padded)


@node
@dataclass(frozen=True, eq=False)
class DependentJoin(PlanNode):
    """For each row of the left side the rows that the right side has for it: the right plan reads columns of the left one.

    `left` keeps left rows for which no row of the right side makes `condition` true. The rule `decorrelate` removes it.
    """

    kind: Literal["inner", "left"]
    left: Plan
    right: Plan
    condition: Expr | None = None

    @cached_property
    def schema(self) -> Schema:
        return (*self.left.schema, *self.right.schema)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.left, self.right)

    def with_children(self, children: tuple[Plan, ...]) -> DependentJoin:
        return DependentJoin(self.kind, children[0], children[1], self.condition)


AsofKind = Literal["inner", "left", "right", "full", "semi", "anti"]


@node
@dataclass(frozen=True, eq=False)
class AsofJoin(PlanNode):
    """Each left row with the right row nearest to it.

    That is, of those with equal `keys` for which `order[0] comparison order[1]` is true, the one with the greatest `order[1]`
    (`gt`, `gte`) or the least (`lt`, `lte`); of equal ones the last.

    Keys match by SQL `=`. Left rows without a match go, stay with NULLs (left, full), or are all that stays (anti); right
    and full keep right rows that are nobody's nearest.
    """

    kind: AsofKind
    left: Plan
    right: Plan
    keys: tuple[tuple[Expr, Expr], ...]
    order: tuple[Expr, Expr]
    comparison: str

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema if self.kind in ("semi", "anti") else (*self.left.schema, *self.right.schema)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.left, self.right)

    def with_children(self, children: tuple[Plan, ...]) -> AsofJoin:
        return AsofJoin(self.kind, children[0], children[1], self.keys, self.order, self.comparison)


@node
@dataclass(frozen=True, eq=False)
class NearestJoin(PlanNode):
    """Each left row with the first `limit` right rows in the order of `order`, which reads both sides; of equal ones the earlier.

    Only right rows count for which `condition` is true, and, with `skips_null`, the first key is not NULL. `left` keeps left rows
    for which there is none, with NULLs. `approximate`: near ones will do.
    """

    kind: Literal["inner", "left"]
    left: Plan
    right: Plan
    order: tuple[SortKey, ...]
    limit: int
    condition: Expr | None = None
    skips_null: bool = False
    approximate: bool = False

    @cached_property
    def schema(self) -> Schema:
        return (*self.left.schema, *self.right.schema)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.left, self.right)

    def with_children(self, children: tuple[Plan, ...]) -> NearestJoin:
        return replace(self, left=children[0], right=children[1])


@node
@dataclass(frozen=True, eq=False)
class Recursion(PlanNode):
    """The rows of `seed`, and those of `step`, over and over, as long as it gives some.

    In `step` the node `Working` of the same `name` reads the rows that came last, at first those of the seed. `distinct`:
    only rows that did not come before are taken. Types of seed and step agree with those of `fields`.

    With `key` (places of columns) the result has a row for each key of all rows that came: in each other column what the next of
    `aggregates`, which read the columns of the seed, makes of them. A `whole` `Working` reads that as it is so far. `distinct`
    then: a `Working` reads the rows of the result that the last step made or changed.
    """

    name: str
    seed: Plan
    step: Plan
    fields: Schema
    distinct: bool
    key: tuple[int, ...] | None = None
    aggregates: tuple[AggregateCall, ...] = ()
    most: int | None = None
    """Nobody reads more rows than this."""

    @property
    def schema(self) -> Schema:
        return self.fields

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.seed, self.step)

    def with_children(self, children: tuple[Plan, ...]) -> Recursion:
        return replace(self, seed=children[0], step=children[1])

    @property
    def folded(self) -> Schema:
        """The columns that are made by `aggregates`."""
        keys = self.key or ()
        return tuple(field for place, field in enumerate(self.fields) if place not in keys)


@node
@dataclass(frozen=True, eq=False)
class Working(PlanNode):
    """The working table of the `Recursion` of that name around it: `fields[i]` is its column number `columns[i]`.

    `whole`: all rows of its result so far.
    """

    name: str
    columns: tuple[int, ...]
    fields: Schema
    whole: bool = False

    @property
    def schema(self) -> Schema:
        return self.fields
