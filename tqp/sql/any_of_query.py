"""`x op ANY (query)`: a value, or a row of several, compared with every row of a query.

A row is written, `(a, b)` or `row(a, b)`, or is a value whose fields have no names. The query gives it as many columns, or one of
such values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from tqp.errors import counted
from tqp.functions.promotion import common_type, compared_type
from tqp.functions.structs import EXTRACT, PACK
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Exists, Expr, InSubquery, Literal
from tqp.ir.plan import Filter, Plan, Project
from tqp.sql.collations import keys_of
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import call, cast, choose, condition, flat, unify
from tqp.sql.subqueries import bind_subquery
from tqp.types import BIGINT, BOOLEAN, DType, Kind

__all__ = ["any_of_query", "one_column", "unwrapped"]

_Pair = tuple[Expr, Expr]


def any_of_query(binder: ExprBinder, node: exp.Expr, operator: str, left: exp.Expr, query: exp.Expr) -> Expr:
    """Whether `left operator` a row of the query; NULL where that is not known of one, and false of none.

    As in DuckDB, rows are in order as structs are, which are never NULL for a NULL in them.
    """
    if operator == "eq":
        return _in_query(binder, node, left, query)

    def exists(test: Callable[[Expr], Expr]) -> Expr:
        plan = bind_subquery(binder, query)
        value, column = binder.bind(left), _as_one(plan)
        _check_width(binder, node, plan, _width(value.dtype))
        return Exists(Filter(plan, test(_compared(operator, value, column))))

    return _three_valued(exists(condition), exists(lambda test: call("is_null", test)))


def _compared(operator: str, value: Expr, column: Expr) -> Expr:
    """The comparison; rows differ where fields do, which a NULL leaves open."""
    if operator != "neq" or not _width(value.dtype) == _width(column.dtype) > 0:
        return call(operator, value, column)
    places = [Literal(place, BIGINT) for place in range(1, _width(value.dtype) + 1)]
    return flat("or", [call("neq", call(EXTRACT, value, place), call(EXTRACT, column, place)) for place in places])


def _three_valued(found: Expr, unknown: Expr) -> Expr:
    true, null, false = Literal(True, BOOLEAN), Literal(None, BOOLEAN), Literal(False, BOOLEAN)
    return choose([found, unknown], [true, null], false)


def _width(dtype: DType) -> int:
    """How many fields a value has that is a row; 0 for others, structs whose fields have names among them."""
    return len(dtype.fields) if dtype.is_row else 0


def _as_one(plan: Plan) -> Expr:
    """The columns of a query as one value."""
    columns = [field.ref for field in plan.schema]
    return columns[0] if len(columns) == 1 else call(PACK, *columns)


def _check_width(binder: ExprBinder, node: exp.Expr, plan: Plan, width: int) -> None:
    """BindError where a query gives another number of columns than are compared."""
    found = len(plan.schema)
    if found == max(width, 1) or (found == 1 and _width(plan.schema[0].dtype)):
        return
    raise binder.context.error(
        node, f"the subquery gives {counted(found, 'column')} where {max(width, 1)} are compared"
    )


def _parts(left: exp.Expr) -> list[exp.Expr] | None:
    """The values of a row that is written out."""
    left = unwrapped(left)
    if isinstance(left, exp.Anonymous) and left.name.lower() == "row":
        return left.expressions
    return left.expressions if isinstance(left, exp.Tuple) else None


def _in_query(binder: ExprBinder, node: exp.Expr, left: exp.Expr, query: exp.Expr) -> Expr:
    plan = bind_subquery(binder, query)
    operands = _parts(left)
    if operands is None or len(operands) != len(plan.schema):
        _check_width(binder, node, plan, _width(binder.bind(left).dtype) if operands is None else len(operands))
        operands = [left]
    values: list[Expr] = []
    columns: list[Expr] = []
    for operand, column in zip(operands, _columns(plan, operands), strict=True):
        value = binder.bind(operand)
        if value.dtype.is_nested or column.dtype.is_nested:
            return _in_nested(binder, node, operands, query)
        if is_text_literal(value) and not column.dtype.is_text and column.dtype.kind not in (Kind.NULL, Kind.ENUM):
            value = cast(value, column.dtype)
        dtype = common_type(value.dtype, column.dtype)
        if dtype is None:
            value, ref = unify([value, column], "IN (subquery)")
        else:
            dtype = compared_type(dtype, value.dtype, column.dtype)
            value, ref = cast(value, dtype), cast(column, dtype)
        value, ref = keys_of([value, ref])
        values.append(value)
        columns.append(ref)
    return InSubquery(tuple(values), _projected(binder, plan, columns))


def _columns(plan: Plan, operands: list[exp.Expr]) -> list[Expr]:
    """What each operand is compared with."""
    if len(operands) == len(plan.schema):
        return [field.ref for field in plan.schema]
    return [_as_one(plan)]


def _in_nested(binder: ExprBinder, node: exp.Expr, operands: list[exp.Expr], query: exp.Expr) -> Expr:
    """`x IN (query)` of nested values, or of rows that have some: whether an equal one is there; NULL where one might be it,
    being NULL or having one."""

    def exists(test: Callable[[list[_Pair]], Expr]) -> Expr:
        # What stands in a plan stands there once: each test has a query and values of its own.
        plan = bind_subquery(binder, query)
        pairs = []
        for operand, column in zip(operands, _columns(plan, operands), strict=True):
            value = binder.bind(operand)
            common = common_type(value.dtype, column.dtype)
            if common is None:
                raise binder.context.error(
                    node, f"{value.dtype} is not compared with {column.dtype}", hint="cast one of them"
                )
            pairs.append((cast(value, common), cast(column, common)))
        return Exists(Filter(plan, test(pairs)))

    def may_be(value: Expr, column: Expr) -> Expr:
        return flat("or", [call("eq", value, column), call("is_null", value), call("is_null", column)])

    found = exists(lambda pairs: flat("and", [call("eq", *pair) for pair in pairs]))
    if len(operands) > 1:
        return _three_valued(found, exists(lambda pairs: flat("and", [may_be(*pair) for pair in pairs])))
    null = exists(lambda pairs: call("is_null", pairs[0][1]))
    some = Exists(bind_subquery(binder, query))
    unknown = flat("and", [call("is_null", binder.bind(operands[0])), some])
    return _three_valued(found, flat("or", [null, unknown]))


def _projected(binder: ExprBinder, plan: Plan, columns: list[Expr]) -> Plan:
    if all(expr == column.ref for expr, column in zip(columns, plan.schema, strict=True)):
        return plan
    fields = tuple(
        binder.context.field(column.name, expr.dtype) for expr, column in zip(columns, plan.schema, strict=True)
    )
    return Project(plan, fields, tuple(columns))


def one_column(binder: ExprBinder, node: exp.Expr, query: exp.Expr) -> Plan:
    """The plan of a query that is used as a value."""
    plan = bind_subquery(binder, query)
    if len(plan.schema) != 1:
        raise binder.context.error(
            node, f"a subquery used as a value gives {counted(len(plan.schema), 'column')} instead of one"
        )
    return plan


def unwrapped(node: Any) -> Any:
    """What stands in parentheses."""
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node
