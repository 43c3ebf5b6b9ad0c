"""LIMIT, OFFSET and FETCH FIRST: constants as a `Limit`, what only the run knows by the numbers of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from tqp.functions.aggregates import bind_aggregate
from tqp.functions.windows import bind_window
from tqp.ir.expr import Call, Expr, Literal
from tqp.ir.plan import Field, Filter, Limit, Plan, Project, Sort, Window
from tqp.ir.visit import subplans
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import call, cast
from tqp.sql.scope import Cte, Scope
from tqp.types import BIGINT, BOOLEAN, DOUBLE, UBIGINT, DType

__all__ = ["counted", "limited", "numbered"]

Ctes = Mapping[str, Cte]
_NO_LIMIT = Literal(None, BIGINT)
_FROM_THE_FIRST = Literal(0, BIGINT)


@dataclass(frozen=True)
class _Part:
    """Rows from one place to another: how many to leave out, and how many to take, or what part of all in percent."""

    skip: Expr
    count: Expr
    percent: bool

    def constant(self) -> tuple[int | None, int] | None:
        """LIMIT and OFFSET as numbers; None where the run must find them."""
        if self.percent or not isinstance(self.skip, Literal) or not isinstance(self.count, Literal):
            return None
        skip, count = self.skip.value or 0, self.count.value
        assert isinstance(skip, int) and isinstance(count, int | None)
        return count, skip


def limited(
    context: Context,
    node: exp.Expr,
    limit: exp.Limit | exp.Fetch | None,
    offset: exp.Offset | None,
    plan: Plan,
    ctes: Ctes,
) -> Plan:
    """LIMIT, OFFSET and FETCH FIRST of a query, the node, over its plan, a `Sort` where rows have an order."""
    part = _part(context, limit, offset, ctes)
    if part is None:
        return plan
    if isinstance(node, exp.SetOperation) and any(subplans(expr) for expr in (part.skip, part.count)):
        raise context.error(
            limit or offset,
            "LIMIT and OFFSET of a set operation take no subquery",
            hint="put the set operation in a subquery in FROM",
        )
    constant = part.constant()
    if constant is None:
        return _by_numbers(context, plan, part)
    return plan if constant == (None, 0) else Limit(plan, *constant)


def _part(context: Context, limit: exp.Limit | exp.Fetch | None, offset: exp.Offset | None, ctes: Ctes) -> _Part | None:
    if limit is None and offset is None:
        return None
    binder = ExprBinder(context, Scope(), ctes, "LIMIT")
    skip = _FROM_THE_FIRST if offset is None else _rows(context, binder, offset.expression, "OFFSET")
    if limit is None:
        return _Part(skip, _NO_LIMIT, False)
    options = limit.args.get("limit_options")
    percent = options is not None and bool(options.args.get("percent"))
    if options is not None:
        options.args.get("rows")
        if options.args.get("with_ties"):
            context.gap(limit, "WITH TIES is not supported", hint="QUALIFY rank() OVER (ORDER BY …) <= n")
    if isinstance(limit, exp.Fetch):
        limit.args.get("direction")
        given = limit.args.get("count")
        return _Part(skip, Literal(1, BIGINT) if given is None else _rows(context, binder, given, "FETCH"), False)
    if isinstance(limit.expression, exp.Var):
        limit.expression.name  # noqa: B018  ALL: there is no limit
        return _Part(skip, _NO_LIMIT, False)
    if percent:
        return _Part(skip, _share(context, binder, limit.expression), True)
    return _Part(skip, _rows(context, binder, limit.expression, "LIMIT"), False)


def _rows(context: Context, binder: ExprBinder, node: exp.Expr, clause: str) -> Expr:
    """A number of rows: a BIGINT, NULL for all. BindError for a constant that is no such number."""
    value = binder.bind(node)
    if any(True for _ in subplans(value)):
        # As DuckDB: other numbers by way of a DOUBLE, whose half goes to the even neighbour.
        known = cast(value, DOUBLE) if value.dtype.is_numeric and not value.dtype.is_integer else value
        return cast(cast(known, UBIGINT), BIGINT)
    found = _known(context, node, value, BIGINT)
    if isinstance(found.value, int) and found.value < 0:
        raise context.error(node, f"{clause} cannot be negative")
    return found


def _share(context: Context, binder: ExprBinder, node: exp.Expr) -> Expr:
    """What part of the rows, in percent: a DOUBLE, NULL for all. BindError for a constant beyond 0 and 100."""
    value = binder.bind(node)
    if any(True for _ in subplans(value)):
        return cast(value, DOUBLE)
    found = _known(context, node, value, DOUBLE)
    if isinstance(found.value, float) and not 0 <= found.value <= 100:
        raise context.error(node, "LIMIT in percent goes from 0% to 100%")
    return found


def _known(context: Context, node: exp.Expr, value: Expr, dtype: DType) -> Literal:
    """The value of an expression that reads no rows, as that type."""
    with context.at(node):
        value = cast(value, dtype)
    return value if isinstance(value, Literal) else Literal(context.value(node, value), dtype)


def _by_numbers(context: Context, plan: Plan, part: _Part) -> Plan:
    """The rows whose numbers, from 1 in the order of the plan, are in the part."""
    source, order = (plan.input, plan.keys) if isinstance(plan, Sort) else (plan, ())
    number, numbers = numbered(context)
    found: Plan = Window(source, (), order, (number,), (numbers,))
    skip, most = call("coalesce", part.skip, _FROM_THE_FIRST), part.count
    if part.percent:
        total = context.field("rows", BIGINT)
        found = Window(found, (), (), (total,), (counted(),))
        most = call("limit percent", part.count, total.ref)
    after = call("gt", number.ref, skip)
    within = call("coalesce", call("lte", call("sub", number.ref, skip), most), Literal(True, BOOLEAN))
    found = Filter(found, Call("and", (after, within), BOOLEAN))
    if order:
        found = Sort(found, order)
    return Project(found, plan.schema, tuple(column.ref for column in plan.schema))


def numbered(context: Context) -> tuple[Field, WindowCall]:
    """A column for the number of each row, from 1, and the call of a window that gives it."""
    return context.field("row", BIGINT), WindowCall(bind_window("row_number", ()))


def counted() -> WindowCall:
    """The call of a window without partitions that gives the number of all rows."""
    whole = Frame("range", FrameBound("unbounded preceding"), FrameBound("unbounded following"))
    return WindowCall(bind_aggregate("count_star", ()), whole)
