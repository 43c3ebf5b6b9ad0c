"""Predicates: comparisons of values, rows and subqueries, IN, BETWEEN, IS, EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from tqp.errors import UnsupportedError, counted
from tqp.functions.aggregates.registry import bind_aggregate
from tqp.functions.promotion import common_type, compared_type
from tqp.functions.registry import find
from tqp.functions.structs import EXTRACT
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Elements, Exists, Expr, InSubquery, Literal, ScalarSubquery
from tqp.ir.plan import Aggregate, Filter, Limit, Plan, Project, Sort
from tqp.sql.collations import keys_of
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.lambdas import of_each
from tqp.sql.nested import bracketed, contained
from tqp.sql.operators import call, cast, choose, condition, flat, negate, unify
from tqp.sql.query import bind_query
from tqp.types import BIGINT, BOOLEAN, NULL, Kind, list_of

__all__: list[str] = []


@handles(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
def _comparison(binder: ExprBinder, node: exp.Binary) -> Expr:
    left, right = node.this, node.expression
    if isinstance(right, exp.Any | exp.All):
        return _quantified(binder, node, isinstance(right, exp.All))
    if isinstance(node, exp.EQ | exp.NEQ) and isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        return _rows(binder, node, left, right)
    return call(node.key, binder.bind(left), binder.bind(right))


def _rows(binder: ExprBinder, node: exp.Expr, left: exp.Tuple, right: exp.Tuple) -> Expr:
    if len(left.expressions) != len(right.expressions):
        raise binder.context.error(node, "the rows compared have different lengths")
    pairs = zip(left.expressions, right.expressions, strict=True)
    # As in DuckDB, rows are equal where all parts are the same, NULLs included; never NULL.
    equal = flat("and", [call("nullsafeeq", binder.bind(a), binder.bind(b)) for a, b in pairs])
    return negate(equal) if node.key == "neq" else equal


def _quantified(binder: ExprBinder, node: exp.Binary, is_all: bool) -> Expr:
    """`x op ANY (query)`, or of a list; `x op ALL (query)` is NOT (x complement-of-op ANY (query))."""
    query = _unwrapped(node.expression.this)
    complement = find(node.key).negated
    if complement is None:
        raise UnsupportedError("ANY and ALL follow =, <>, <, <=, > and >=")
    operator = complement if is_all else node.key
    if not isinstance(query, exp.Query | exp.Values):
        found = _of_any(binder, node, operator, query)
    elif operator == "eq":
        found = _in_query(binder, node, [node.this], query)
    else:

        def exists(test: Callable[[Expr], Expr]) -> Expr:
            plan = _one_column(binder, query, query)
            return Exists(Filter(plan, test(call(operator, binder.bind(node.this), plan.schema[0].ref))))

        true, null, false = Literal(True, BOOLEAN), Literal(None, BOOLEAN), Literal(False, BOOLEAN)
        conditions = [exists(condition), exists(lambda test: call("is_null", test))]
        found = choose(conditions, [true, null], false)
    return negate(found) if is_all else found


def _of_any(binder: ExprBinder, node: exp.Binary, operator: str, written: exp.Expr) -> Expr:
    """`x op ANY(list)`: whether it is so of an element; NULL where that is not known of one, and false of no elements or NULL."""
    value, of = binder.bind(node.this), binder.bind(written)
    if of.dtype == NULL:
        return Literal(False, BOOLEAN)
    if of.dtype.is_struct and len(of.dtype.fields) == 1:
        # Of its one field, as a query of one row would give it.
        return call(operator, value, call(EXTRACT, of, Literal(1, BIGINT)))
    if of.dtype.kind not in (Kind.LIST, Kind.ARRAY) or of.dtype.element is None:
        raise binder.context.error(node, f"ANY and ALL take a list or a subquery, not {of.dtype}")
    element = of.dtype.element
    if is_text_literal(value) and not element.is_text and element.kind not in (Kind.NULL, Kind.ENUM):
        value = cast(value, element)
    common = common_type(value.dtype, element)
    if common is None:
        raise binder.context.error(node, f"{value.dtype} is not compared with {element}", hint="cast one of them")
    of = cast(of, list_of(element))
    tests = of_each(binder.context, of, value, lambda item, met: call(operator, met, item))
    known = call("list_contains", tests, Literal(True, BOOLEAN))
    unknown = negate(call("is_null", call("list_position", tests, Literal(None, BOOLEAN))))
    return choose([known, unknown], [Literal(True, BOOLEAN), Literal(None, BOOLEAN)], Literal(False, BOOLEAN))


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
    value, again, low, high = keys_of(
        [binder.bind(part) for part in (node.this, node.this, node.args["low"], node.args["high"])]
    )
    return flat("and", [call("gte", value, low), call("lte", again, high)])


@handles(exp.In)
def _in(binder: ExprBinder, node: exp.In) -> Expr:
    query = node.args.get("query")
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        query = node.expressions[0]
    operands = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    if query is not None:
        return _in_query(binder, node, operands, query)
    if node.args.get("unnest") is not None:
        raise UnsupportedError("IN takes a list in parentheses or a subquery")
    if node.args.get("field") is not None:
        # Without parentheses it is a call of contains: a NULL in a list is no value to compare with.
        return contained(binder.bind(node.args["field"]), binder.bind(node.this))
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
            return _in_nested(binder, node, operands, query)
        if is_text_literal(value) and not column.dtype.is_text and column.dtype.kind not in (Kind.NULL, Kind.ENUM):
            value = cast(value, column.dtype)
        dtype = common_type(value.dtype, column.dtype)
        if dtype is None:
            value, ref = unify([value, column.ref], "IN (subquery)")
        else:
            dtype = compared_type(dtype, value.dtype, column.dtype)
            value, ref = cast(value, dtype), cast(column.ref, dtype)
        value, ref = keys_of([value, ref])
        values.append(value)
        columns.append(ref)
    return InSubquery(tuple(values), _projected(binder, plan, columns))


def _in_nested(binder: ExprBinder, node: exp.Expr, operands: list[exp.Expr], query: exp.Expr) -> Expr:
    """`x IN (query)` of nested values, or of rows that have some: whether an equal one is there; NULL where one might be it,
    being NULL or having one."""

    def exists(test: Callable[[list[tuple[Expr, Expr]]], Expr]) -> Expr:
        # What stands in a plan stands there once: each test has a query and values of its own.
        plan = bind_query(binder.context, query, binder.scope, binder.ctes)
        pairs = []
        for operand, field in zip(operands, plan.schema, strict=True):
            value, column = binder.bind(operand), field.ref
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
        unknown = exists(lambda pairs: flat("and", [may_be(*pair) for pair in pairs]))
        return choose([found, unknown], [Literal(True, BOOLEAN), Literal(None, BOOLEAN)], Literal(False, BOOLEAN))
    null = exists(lambda pairs: call("is_null", pairs[0][1]))
    unknown = flat("and", [call("is_null", binder.bind(operands[0])), Exists(_one_column(binder, query, query))])
    return choose(
        [found, flat("or", [null, unknown])], [Literal(True, BOOLEAN), Literal(None, BOOLEAN)], Literal(False, BOOLEAN)
    )


def _projected(binder: ExprBinder, plan: Plan, columns: list[Expr]) -> Plan:
    if all(expr == column.ref for expr, column in zip(columns, plan.schema, strict=True)):
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


@handles(exp.Array)
def _array(binder: ExprBinder, node: exp.Array) -> Expr:
    """`ARRAY(query)`: its values in their order, an empty list of no rows. Other lists are written, `[(query)]` too."""
    if node.args.get("value_constructor"):
        return bracketed(binder, node)
    query = node.expressions[0] if len(node.expressions) == 1 else None
    if not isinstance(query, exp.Query | exp.Values):
        return bracketed(binder, node)
    plan = _one_column(binder, query, query)
    value: Expr = plan.schema[0].ref
    if isinstance(plan, Project):
        # What the query is ordered by need not be among its columns.
        value, plan = plan.exprs[0], plan.input
    ordered = plan.input if isinstance(plan, Limit) else plan
    # A query for the rows of another one has no order of its own: the aggregate takes it.
    made = bind_aggregate("list", (value,), order=ordered.keys if isinstance(ordered, Sort) else ())
    field = binder.context.field("array", made.dtype)
    found = ScalarSubquery(Aggregate(plan, (), (field,), (made,)))
    return call("coalesce", found, Literal(Elements(()), made.dtype, typed=True))


def _one_column(binder: ExprBinder, node: exp.Expr, query: exp.Expr) -> Plan:
    plan = bind_query(binder.context, query, binder.scope, binder.ctes)
    if len(plan.schema) != 1:
        raise binder.context.error(
            node, f"a subquery used as a value gives {counted(len(plan.schema), 'column')} instead of one"
        )
    return plan


def _unwrapped(node: Any) -> Any:
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node
