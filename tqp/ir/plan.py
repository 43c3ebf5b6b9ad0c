"""Relational plans. A plan's `schema` is derived from its inputs, never stored or passed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tqp.ir.dependent import AsofJoin, AsofKind, DependentJoin, Generate, NearestJoin, Recursion, Working
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.ir.node import node
from tqp.ir.pivot import Pivot
from tqp.ir.plan_node import Field, PlanNode, Schema
from tqp.ir.source import Source
from tqp.ir.window import WindowCall
from tqp.types import BOOLEAN

__all__ = [
    "Aggregate", "AsofJoin", "AsofKind", "DependentJoin", "Field", "Filter", "Generate", "GroupingSets", "Join",
    "JoinKind", "Limit", "NearestJoin", "Plan", "Project", "Recursion", "Scan", "Schema", "SetOp", "Shared", "Sort",
    "Pivot", "TopN", "Values", "Window", "Working",
]  # fmt: skip


@node
@dataclass(frozen=True, eq=False)
class Scan(PlanNode):
    """Columns of a stored table: `fields[i]` is its column `columns[i]`.

    `called` is a name of the table that is shown in place of the source's, "" for none; scans of other names are equal.
    """

    source: Source
    columns: tuple[str, ...]
    fields: Schema
    called: str = ""

    @property
    def schema(self) -> Schema:
        return self.fields

    @property
    def name(self) -> str:
        """What the table is called where the plan is shown."""
        return self.called or self.source.name

    def parts(self) -> tuple[object, ...]:
        return (id(self.source), self.columns, self.fields)

    def column(self, symbol: str) -> str | None:
        """The source's name of the column that is `symbol` here; None where there is none."""
        pairs = zip(self.columns, self.fields, strict=True)
        return next((column for column, field in pairs if field.symbol == symbol), None)


@node
@dataclass(frozen=True, eq=False)
class Values(PlanNode):
    """Literal rows (expressions without columns); `rows == ((),)` and no fields is the one-row relation."""

    fields: Schema
    rows: tuple[tuple[Expr, ...], ...]

    @property
    def schema(self) -> Schema:
        return self.fields


@node
@dataclass(frozen=True, eq=False)
class Shared(PlanNode):
    """Columns of a relation that several places of a query read and that is computed once.

    `fields[i]` is the column with the symbol `columns[i]` of `definition`. The definition is a plan of its own, whose
    symbols mean nothing outside it: it is no child, so that walks and rules see a leaf, as they do in a `Scan`. It reads
    no column of a query around it. Definitions are compared by identity: by structure that would take exponential time
    where they read each other twice.
    """

    definition: Plan
    columns: tuple[str, ...]
    fields: Schema

    @property
    def schema(self) -> Schema:
        return self.fields

    def parts(self) -> tuple[object, ...]:
        return (id(self.definition), self.columns, self.fields)

    def column(self, symbol: str) -> str | None:
        """The symbol in the definition of the column that is `symbol` here; None where it is of a query around."""
        pairs = zip(self.columns, self.fields, strict=True)
        return next((column for column, field in pairs if field.symbol == symbol), None)


@node
@dataclass(frozen=True, eq=False)
class Filter(PlanNode):
    """The rows for which `predicate` is true."""

    input: Plan
    predicate: Expr

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Filter:
        return Filter(children[0], self.predicate)


@node
@dataclass(frozen=True, eq=False)
class Project(PlanNode):
    """Exactly the columns `fields[i] = exprs[i]`. A field may keep its input's symbol only for a plain ColumnRef to it."""

    input: Plan
    fields: Schema
    exprs: tuple[Expr, ...]

    @property
    def schema(self) -> Schema:
        return self.fields

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Project:
        return Project(children[0], self.fields, self.exprs)


JoinKind = Literal["inner", "left", "right", "full", "semi", "anti", "mark", "single"]


@node
@dataclass(frozen=True, eq=False)
class Join(PlanNode):
    """Left (probe side) with right (build side) on `keys` (pairs left = right) and `residual`.

    inner without keys and residual is the cross join. left, right and full fill with NULL. semi and anti keep left
    rows with and without a match. mark keeps every left row and adds the field `mark`: TRUE with a match, else NULL where
    a comparison of the keys was NULL (of the row's own key against a non-empty side, or of a NULL build key), else FALSE. single
    keeps every left row with its at most one match or NULLs; a second match is an error. `null_aware` anti is
    NOT IN: a NULL on either side of the key comparison drops the row. `keys` match by SQL `=` (NULL never).
    """

    kind: JoinKind
    left: Plan
    right: Plan
    keys: tuple[tuple[Expr, Expr], ...] = ()
    residual: Expr | None = None
    mark: str | None = None
    null_aware: bool = False

    @cached_property
    def schema(self) -> Schema:
        if self.kind in ("semi", "anti"):
            return self.left.schema
        if self.kind == "mark":
            assert self.mark is not None
            return (*self.left.schema, Field(self.mark, self.mark, BOOLEAN))
        return (*self.left.schema, *self.right.schema)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.left, self.right)

    def with_children(self, children: tuple[Plan, ...]) -> Join:
        left, right = children
        return Join(self.kind, left, right, self.keys, self.residual, self.mark, self.null_aware)


@node
@dataclass(frozen=True, eq=False)
class Aggregate(PlanNode):
    """One row per distinct combination of the symbols `keys` (NULLs are equal), or one row without keys.

    The output is the key fields, then `fields[i] = aggregates[i]`.
    """

    input: Plan
    keys: tuple[str, ...]
    fields: Schema
    aggregates: tuple[AggregateCall, ...]

    @cached_property
    def schema(self) -> Schema:
        by_symbol = {field.symbol: field for field in self.input.schema}
        return (*(by_symbol[key] for key in self.keys), *self.fields)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Aggregate:
        return Aggregate(children[0], self.keys, self.fields, self.aggregates)


@node
@dataclass(frozen=True, eq=False)
class GroupingSets(PlanNode):
    """Several groupings of one input, one below the other: for each of `sets` what an `Aggregate` by its keys gives.

    `keys` are symbols of the input, and a set the places of those that it groups by, ascending; the empty one has a row of an
    empty input too. The output: one field for each key, NULL in the rows of a set without it; one for each of `marked`,
    GROUPING(keys at these places), a bit each, the last lowest, 1 where the row is not grouped by it; then the aggregates.
    A node of its own, as nearly nothing that holds for the keys of an `Aggregate` holds for these: they are other columns
    than the input's, may be NULL, and their combinations repeat.
    """

    input: Plan
    keys: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    marked: tuple[tuple[int, ...], ...]
    aggregates: tuple[AggregateCall, ...]
    fields: Schema

    @property
    def schema(self) -> Schema:
        return self.fields

    @property
    def key_fields(self) -> Schema:
        return self.fields[: len(self.keys)]

    @property
    def mark_fields(self) -> Schema:
        return self.fields[len(self.keys) : len(self.keys) + len(self.marked)]

    @property
    def aggregate_fields(self) -> Schema:
        return self.fields[len(self.keys) + len(self.marked) :]

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> GroupingSets:
        return GroupingSets(children[0], self.keys, self.sets, self.marked, self.aggregates, self.fields)

    def mark(self, chosen: tuple[int, ...], places: tuple[int, ...]) -> int:
        """GROUPING(keys at `places`) in the rows of the set `chosen`."""
        bits = 0
        for place in places:
            bits = 2 * bits + (place not in chosen)
        return bits


@node
@dataclass(frozen=True, eq=False)
class Window(PlanNode):
    """The input's rows, in its order, with more columns: fields[i] = calls[i] OVER (PARTITION BY … ORDER BY …).

    NULLs are equal to each other in both lists. Without `order_by` rows are taken in the input's order.

    `most`: nobody reads rows that have this many rows of their partition before them, in order; they may be left out.
    """

    input: Plan
    partition_by: tuple[Expr, ...]
    order_by: tuple[SortKey, ...]
    fields: Schema
    calls: tuple[WindowCall, ...]
    most: int | None = None

    @cached_property
    def schema(self) -> Schema:
        return (*self.input.schema, *self.fields)

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Window:
        return Window(children[0], self.partition_by, self.order_by, self.fields, self.calls, self.most)


@node
@dataclass(frozen=True, eq=False)
class Sort(PlanNode):
    """The input in the order of `keys`."""

    input: Plan
    keys: tuple[SortKey, ...]

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Sort:
        return Sort(children[0], self.keys)


@node
@dataclass(frozen=True, eq=False)
class Limit(PlanNode):
    """Rows offset .. offset+limit-1 of the input; `limit` None means to the end."""

    input: Plan
    limit: int | None
    offset: int = 0

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> Limit:
        return Limit(children[0], self.limit, self.offset)


@node
@dataclass(frozen=True, eq=False)
class TopN(PlanNode):
    """Limit(Sort(input, keys), limit, offset) in one step."""

    input: Plan
    keys: tuple[SortKey, ...]
    limit: int
    offset: int = 0

    @property
    def schema(self) -> Schema:
        return self.input.schema

    @property
    def children(self) -> tuple[Plan, ...]:
        return (self.input,)

    def with_children(self, children: tuple[Plan, ...]) -> TopN:
        return TopN(children[0], self.keys, self.limit, self.offset)


@node
@dataclass(frozen=True, eq=False)
class SetOp(PlanNode):
    """UNION, INTERSECT or EXCEPT, ALL or distinct, of inputs whose columns agree by place, in number and types.

    UNION is of any number of them, in whose order UNION ALL has their rows; INTERSECT and EXCEPT are of two.
    """

    kind: Literal["union", "intersect", "except"]
    all: bool
    inputs: tuple[Plan, ...]
    fields: Schema

    @property
    def schema(self) -> Schema:
        return self.fields

    @property
    def children(self) -> tuple[Plan, ...]:
        return self.inputs

    def with_children(self, children: tuple[Plan, ...]) -> SetOp:
        return SetOp(self.kind, self.all, children, self.fields)


Plan = (
    Scan | Values | Shared | Filter | Project | Join | Aggregate | GroupingSets | Window | Sort | Limit | TopN | SetOp
    | Generate | DependentJoin | AsofJoin | NearestJoin | Recursion | Pivot | Working
)  # fmt: skip
"""A relation. Rows are a bag; only `Sort` and `TopN` order them.

These are all there are: what tells them apart ends in `assert_never`, so that mypy finds every place that a new one concerns.
"""
