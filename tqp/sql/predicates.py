"""Predicates: comparisons of values, rows and subqueries, IN, BETWEEN, IS, EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.promotion import common_type, compared_type
from tqp.functions.registry import find
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Exists, Expr, InSubquery, Literal, ScalarSubquery
from tqp.ir.plan import Filter, Plan, Project
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call, cast, choose, condition, flat, negate, unify
from tqp.sql.query import bind_query
from tqp.types import BOOLEAN, NULL

__all__: list[str] = []


@handles(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
def _comparison(binder: ExprBinder, node: exp.Binary) -> Expr:
    left, right = node.this, node.expression
    if isinstance(right, exp.Any | exp.All):
        return _quantified(binder, node, isinstance(right, exp.All))
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        return _rows(binder, node, left, right)
    return call(node.key, binder.bind(left), binder.bind(right))


def _rows(binder: ExprBinder, node: exp.Expr, left: exp.Tuple, right: exp.Tuple) -> Expr:
    if len(left.expressions) != len(right.expressions):
        raise binder.context.error(node, "the rows compared have different lengths")
    if node.key not in ("eq", "neq", "in"):
        raise UnsupportedError("rows are compared with = and <> only")
    pairs = zip(left.expressions, right.expressions, strict=True)
    # As in DuckDB, rows are equal where all parts are the same, NULLs included; never NULL.
    equal = flat("and", [call("nullsafeeq", binder.bind(a), binder.bind(b)) for a, b in pairs])
    return negate(equal) if node.key == "neq" else equal


def _quantified(binder: ExprBinder, node: exp.Binary, is_all: bool) -> Expr:
    """`x op ANY (query)`; `x op ALL (query)` is NOT (x complement-of-op ANY (query))."""
    query = node.expression.this
    while isinstance(query, exp.Paren):
        query = query.this
    complement = find(node.key).negated
    if not isinstance(query, exp.Query) or complement is None:
        raise UnsupportedError("ANY and ALL take a subquery here", hint="IN takes a list")
    operator = complement if is_all else node.key
    if operator == "eq":
        found: Expr = _in_query(binder, node, [node.this], query)
    else:

        def exists(test: Callable[[Expr], Expr]) -> Expr:
            plan = _one_column(binder, query, query)
            return Exists(Filter(plan, test(call(operator, binder.bind(node.this), plan.schema[0].ref))))

        true, null, false = Literal(True, BOOLEAN), Literal(None, BOOLEAN), Literal(False, BOOLEAN)
        conditions = [exists(condition), exists(lambda test: call("is_null", test))]
        found = choose(conditions, [true, null], false)
    return negate(found) if is_all else found


@handles(exp.Is)
def _is(binder: ExprBinder, node: exp.Is) -> Expr:
    value, what = binder.bind(node.this), node.expression
    if isinstance(what, exp.Null):
        return call("is_null", value)
    if isinstance(what, exp.Boolean):
        return call("nullsafeeq", condition(value), Literal(bool(what.this), BOOLEAN))
    raise UnsupportedError("IS takes NULL, TRUE or FALSE")


@handles(exp.Not)
def _not(binder: ExprBinder, node: exp.Not) -> Expr:
    return negate(binder.bind(node.this))


@handles(exp.Between)
def _between(binder: ExprBinder, node: exp.Between) -> Expr:
    # The value is bound twice: a subquery in it may stand but once in a plan.
    low = call("gte", binder.bind(node.this), binder.bind(node.args["low"]))
    high = call("lte", binder.bind(node.this), binder.bind(node.args["high"]))
    return flat("and", [low, high])


@handles(exp.In)
def _in(binder: ExprBinder, node: exp.In) -> Expr:
    query = node.args.get("query")
    operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    if query is not None:
        return _in_query(binder, node, operands, query)
    if node.args.get("unnest") is not None or node.args.get("field") is not None:
        raise UnsupportedError("IN takes a list in parentheses or a subquery")
    if isinstance(node.this, exp.Tuple):
        rows = []
        for row in node.expressions:
            if not isinstance(row, exp.Tuple):
                raise binder.context.error(row, "a row is compared with a single value")
            rows.append(_rows(binder, node, node.this, row))
        return flat("or", rows)
    return _in_list(binder, node)


def _in_list(binder: ExprBinder, node: exp.In) -> Expr:
    value, *items = unify(
        [binder.bind(node.this), *(binder.bind(item) for item in node.expressions)], "IN", text_yields=True
    )
    constants = [item for item in items if isinstance(item, Literal)]
    tests = [call("eq", value, item) for item in items if not isinstance(item, Literal)]
    if constants:
        tests.append(call("in", value, *constants))
    return flat("or", tests)


def _in_query(binder: ExprBinder, node: exp.Expr, operands: list[exp.Expr], query: exp.Expr) -> Expr:
    plan = bind_query(binder.context, query, binder.scope, binder.ctes)
    if len(plan.schema) != len(operands):
        raise binder.context.error(
            node, f"the subquery gives {len(plan.schema)} columns where {len(operands)} are compared"
        )
    values: list[Expr] = []
    columns: list[Expr] = []
    for operand, column in zip(operands, plan.schema, strict=True):
        value = binder.bind(operand)
        if value.dtype.is_nested or column.dtype.is_nested:
            raise UnsupportedError("IN (subquery) of arrays is not supported", hint="EXISTS with = does it")
        if is_text_literal(value) and not column.dtype.is_text and column.dtype != NULL:
            value = cast(value, column.dtype)
        dtype = common_type(value.dtype, column.dtype)
        if dtype is None:
            value, ref = unify([value, column.ref], "IN (subquery)")
        else:
            dtype = compared_type(dtype, value.dtype, column.dtype)
            value, ref = cast(value, dtype), cast(column.ref, dtype)
        values.append(value)
        columns.append(ref)
    return InSubquery(tuple(values), _projected(binder, plan, columns))


def _projected(binder: ExprBinder, plan: Plan, columns: list[Expr]) -> Plan:
    if all(expr.dtype == column.dtype for expr, column in zip(columns, plan.schema, strict=True)):
        return plan
    fields = tuple(
        binder.context.field(column.name, expr.dtype) for expr, column in zip(columns, plan.schema, strict=True)
    )
    return Project(plan, fields, tuple(columns))


@handles(exp.Exists)
def _exists(binder: ExprBinder, node: exp.Exists) -> Expr:
    if not isinstance(_unwrapped(node.this), exp.Query):
        raise UnsupportedError("EXISTS takes a subquery")
    return Exists(bind_query(binder.context, node.this, binder.scope, binder.ctes))


@handles(exp.Subquery, exp.Select, exp.SetOperation, exp.Union, exp.Except, exp.Intersect)
def _scalar(binder: ExprBinder, node: exp.Expr) -> Expr:
    return ScalarSubquery(_one_column(binder, node, node))


def _one_column(binder: ExprBinder, node: exp.Expr, query: exp.Expr) -> Plan:
    plan = bind_query(binder.context, query, binder.scope, binder.ctes)
    if len(plan.schema) != 1:
        raise binder.context.error(node, f"a subquery used as a value gives {len(plan.schema)} columns instead of one")
    return plan


def _unwrapped(node: Any) -> Any:
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node
