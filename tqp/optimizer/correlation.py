"""From a correlated plan to an uncorrelated one and the predicates that join it to the plan around it.

Where the correlation is in conditions that can move to the top (through a grouping: equalities only), they move there.
Else the plan is computed for all bindings at once: it is joined with the domain, the distinct values of the
outer columns it reads, at the leaves, and carries those columns up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tqp.ir import words
from tqp.ir.expr import AggregateCall, Call, Case, Expr, Literal
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Field,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import free_symbols
from tqp.ir.window import WindowCall
from tqp.optimizer.correlated_predicates import Pull
from tqp.optimizer.domain import Push, same_binding
from tqp.optimizer.fresh import Symbols, copy_plan
from tqp.optimizer.sorted_input import ordered_calls
from tqp.types import BIGINT, BOOLEAN

__all__ = ["Unnested", "unnest"]


@dataclass(frozen=True, slots=True)
class Unnested:
    """An uncorrelated `plan` whose rows belong to those of `source`, the outer rows, for which all `predicates` hold.

    `source` may have one column more than it was.
    `outputs` are the original columns. `empty`: their values for an outer row without any, where the original is an
    aggregate without GROUP BY; then `key` is never NULL in a row that belongs to an outer one.
    `single_row`: at most one row belongs to an outer row.
    """

    source: Plan
    plan: Plan
    predicates: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    empty: tuple[Expr, ...] | None
    key: Expr | None
    single_row: bool

    def value_or_empty(self, index: int) -> Expr:
        """The output after a left join, with the value for no row in place of the NULLs."""
        output = self.outputs[index]
        if self.empty is None or self.key is None:
            return output
        default = self.empty[index]
        if isinstance(default, Literal) and default.is_null:
            return output
        missing = Call(words.IS_NULL, (self.key,), BOOLEAN)
        return Case((missing,), (default,), output)


def unnest(source: Plan, inner: Plan, names: Symbols, *, domain: bool = False) -> Unnested:
    """`inner` without references to the columns of `source`; `domain` forces the general way.

    Neither plan holds subquery expressions.
    """
    outer = free_symbols(inner) & {field.symbol for field in source.schema}
    outputs = tuple(field.ref for field in inner.schema)
    if not outer:
        return Unnested(source, inner, (), outputs, None, None, _one_row(inner))
    inner = ordered_calls(inner, names)
    pulled = None if domain else Pull(frozenset(outer), names).pull(inner)
    if pulled is not None:
        empty = None if pulled.empty is None else tuple(pulled.empty[f.symbol] for f in inner.schema)
        return Unnested(source, pulled.plan, pulled.predicates, outputs, empty, pulled.key, empty is not None)
    fields = tuple(field for field in source.schema if field.symbol in outer)
    number = None
    if any(field.dtype.is_nested or field.dtype.is_array for field in fields) and not free_symbols(source):
        source, number = _numbered(source, names)
        fields = (*fields, number)
    plan, bound = Push(source, fields, names, number).push(inner)
    keys = fields if number is None else (number,)
    predicates = same_binding(keys, {key.symbol: key.ref for key in keys}, bound)
    return Unnested(source, plan, predicates, outputs, None, None, _one_row(inner))


def _numbered(source: Plan, names: Symbols) -> tuple[Plan, Field]:
    """The rows, each with a number, which are the same wherever they are read: one integer in place of a wide key."""
    number = Field(names.fresh("row"), "row", BIGINT)
    copy, moved = copy_plan(source, names)
    made = Field(names.fresh("row"), "row", BIGINT)
    call = WindowCall(AggregateCall(words.ROW_NUMBER, (), BIGINT))
    definition = Window(copy, (), (), (made,), (call,))
    columns = (*(moved[field.symbol].symbol for field in source.schema), made.symbol)
    return Shared(definition, columns, (*source.schema, number)), number


def _one_row(plan: Plan) -> bool:
    """Whether the plan has at most one row for each binding of its free symbols."""
    while isinstance(plan, Project | Filter | Sort | Window):
        plan = plan.input
    match plan:
        case Aggregate():
            return not plan.keys
        case Limit() | TopN():
            return plan.limit is not None and plan.limit <= 1
        case Values():
            return len(plan.rows) <= 1
        case (
            Scan() | Shared() | Filter() | Project() | Join() | GroupingSets() | Window() | Sort() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return False
        case _:
            assert_never(plan)
