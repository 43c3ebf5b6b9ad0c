"""Typed scalar expressions over symbols.

A *symbol* names one column in the whole query; two scans of one table have different symbols. A reference
to a symbol that the plan below does not produce is a correlated one, to a plan further out.
`Literal.value` is in stored form: None (NULL), bool, int (integers; DECIMAL scaled by 10**scale; DATE as days since
1970; TIME, TIMESTAMP and TIMESTAMPTZ as microseconds), float, str, bytes for BLOB, (months, days, microseconds) for INTERVAL,
`Elements` for ARRAY, or `Members` for the list that IN looks in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

from tqp.ir.elements import Elements, Members
from tqp.ir.node import Node, node
from tqp.types import BOOLEAN, DType

if TYPE_CHECKING:
    from tqp.ir.plan import Plan

__all__ = [
    "AggregateCall", "Call", "Case", "Cast", "ColumnRef", "Elements", "Exists", "Expr", "InSubquery", "LambdaCall", "Literal",
    "Members", "Predict", "ScalarSubquery", "SortKey", "Value",
]  # fmt: skip


Value = None | bool | int | float | str | bytes | tuple[int, int, int] | Elements | Members


class ExprNode(Node):
    """Base of the nodes of expressions, which `Expr` lists: `dtype` is the SQL type, `children` are the direct parts."""

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    @property
    def children(self) -> tuple[Expr, ...]:
        return ()

    def with_children(self, children: tuple[Expr, ...]) -> Self:
        """The same node over other children (as many, of the same types)."""
        return self


@node
@dataclass(frozen=True, eq=False)
class ColumnRef(ExprNode):
    symbol: str
    type: DType

    @property
    def dtype(self) -> DType:
        return self.type


@node
@dataclass(frozen=True, eq=False)
class Literal(ExprNode):
    """A constant. `typed`: its type was asked for by a cast, so that it does not take the type of what it meets."""

    value: Value
    type: DType
    typed: bool = False

    @property
    def dtype(self) -> DType:
        return self.type

    @property
    def is_null(self) -> bool:
        return self.value is None

    @property
    def estimated(self) -> Value:
        """The value, to estimate with or to show: nothing that is right for this value only may follow from it."""
        return self.value

    def parts(self) -> tuple[object, ...]:
        # 1, 1.0 and True are equal in Python; 0.0 and -0.0 too. NaN has a sign that its text shows and `repr` does not.
        negative = isinstance(self.value, float) and math.copysign(1.0, self.value) < 0
        return (type(self.value).__name__, repr(self.value), negative, self.type)


@node
@dataclass(frozen=True, eq=False)
class Call(ExprNode):
    """A scalar function or operator of `tqp.functions` applied to arguments of the types it asks for."""

    function: str
    args: tuple[Expr, ...]
    type: DType

    @property
    def dtype(self) -> DType:
        return self.type

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> Call:
        return Call(self.function, children, self.type)


@node
@dataclass(frozen=True, eq=False)
class LambdaCall(Call):
    """A function of a list that is told what to do with its elements: `list_transform(l, lambda x: x + y)`.

    `args` are the list, other arguments that it takes, and then the values of `captured`: what `body` asks of the row. It reads
    these and the `params`, which are the element, its place, …, and nothing else; no part of it is an input of the query.
    """

    params: tuple[ColumnRef, ...] = ()
    captured: tuple[ColumnRef, ...] = ()
    body: Expr | None = None

    def with_children(self, children: tuple[Expr, ...]) -> LambdaCall:
        return replace(self, args=children)


@node
@dataclass(frozen=True, eq=False)
class Cast(ExprNode):
    """CAST, or TRY_CAST (`safe`: NULL instead of an error)."""

    arg: Expr
    type: DType
    safe: bool = False

    @property
    def dtype(self) -> DType:
        return self.type

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.arg,)

    def with_children(self, children: tuple[Expr, ...]) -> Cast:
        return Cast(children[0], self.type, self.safe)


@node
@dataclass(frozen=True, eq=False)
class Case(ExprNode):
    """Searched CASE: the value of the first condition that is true, else `default`; all of one type.

    A branch is evaluated for the rows that reach it alone, so that it cannot fail for others.
    """

    conditions: tuple[Expr, ...]
    values: tuple[Expr, ...]
    default: Expr

    @property
    def dtype(self) -> DType:
        return self.default.dtype

    @property
    def children(self) -> tuple[Expr, ...]:
        return (*self.conditions, *self.values, self.default)

    def with_children(self, children: tuple[Expr, ...]) -> Case:
        count = len(self.conditions)
        return Case(children[:count], children[count : 2 * count], children[-1])


class Callee(Protocol):
    """A model as expressions know it, compared by identity; `classes` are the labels that it has probabilities of."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> tuple[object, ...] | None: ...


@node
@dataclass(frozen=True, eq=False)
class Predict(ExprNode):
    """A model's prediction from arguments in the order of `places` among the model's inputs.

    `output`: "value" (the value, the label, or the array of values), the index of a class whose probability, or of a
    value of several, is wanted, or "probabilities" (the array of all). An argument that is an array may stand for as many
    inputs as it has elements; then `places` are all of them. Inputs that are not in `places` cannot change the result.
    How it may be computed, which never changes it either: `distinct`, once for each combination of arguments where these
    are few; `folded`, with the values that a column repeats as codes into a table, which encoders and models then work on;
    `label`, the type of the label where label and probabilities are wanted of the same rows, so that one brings the other.
    """

    model: Callee
    args: tuple[Expr, ...]
    places: tuple[int, ...]
    output: int | str
    type: DType
    distinct: bool = False
    folded: bool = False
    label: DType | None = None

    @property
    def dtype(self) -> DType:
        return self.type

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.args

    def with_children(self, children: tuple[Expr, ...]) -> Predict:
        return replace(self, args=children)

    def parts(self) -> tuple[object, ...]:
        return (id(self.model), self.args, self.places, self.output, self.type, self.distinct, self.folded, self.label)


@node
@dataclass(frozen=True, eq=False)
class ScalarSubquery(ExprNode):
    """The one value of a plan with one column and at most one row; NULL where it has none."""

    plan: Plan

    @property
    def dtype(self) -> DType:
        return self.plan.schema[0].dtype


@node
@dataclass(frozen=True, eq=False)
class Exists(ExprNode):
    """Whether the plan has a row. Never NULL."""

    plan: Plan

    @property
    def dtype(self) -> DType:
        return BOOLEAN


@node
@dataclass(frozen=True, eq=False)
class InSubquery(ExprNode):
    """`(operands) IN (plan)`, three-valued; the plan has one column per operand, of the same type."""

    operands: tuple[Expr, ...]
    plan: Plan

    @property
    def dtype(self) -> DType:
        return BOOLEAN

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    def with_children(self, children: tuple[Expr, ...]) -> InSubquery:
        return InSubquery(children, self.plan)


Expr = ColumnRef | Literal | Call | Cast | Case | Predict | ScalarSubquery | Exists | InSubquery
"""An expression. These are all there are; what tells them apart ends in `assert_never`, as for `Plan`."""


@node
@dataclass(frozen=True, eq=False)
class SortKey(Node):
    """One ORDER BY key."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = False


@node
@dataclass(frozen=True, eq=False)
class AggregateCall(Node):
    """An aggregate of `tqp.functions`: `function(DISTINCT args ORDER BY order) FILTER (WHERE filter)`.

    `count_star` takes no argument. Not an `Expr`: it stands only in an `Aggregate`.
    """

    function: str
    args: tuple[Expr, ...]
    type: DType
    distinct: bool = False
    filter: Expr | None = None
    order: tuple[SortKey, ...] = ()

    @property
    def dtype(self) -> DType:
        return self.type
