"""Predicates: comparisons of values, rows and subqueries, IN, BETWEEN, IS, EXISTS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.aggregates.registry import bind_aggregate
from tqp.functions.collations import common
from tqp.functions.promotion import common_type
from tqp.functions.registry import find
from tqp.functions.structs import EXTRACT
from tqp.functions.unify import is_text_literal
from tqp.io.constants import has_members, members, members_of
from tqp.ir.expr import Call, Elements, Exists, Expr, Literal, Members, ScalarSubquery
from tqp.ir.plan import Aggregate, Limit, Project, Sort
from tqp.ir.words import IN_LIST
from tqp.kernels import waits
from tqp.sql.any_of_query import any_of_query, one_column, unwrapped
from tqp.sql.collations import has_key, keys_of
from tqp.sql.computed import Templates
from tqp.sql.constants import Cells
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.gathering import Constants, ConstantsNode, Scattered
from tqp.sql.lambdas import of_each
from tqp.sql.nested import bracketed, contained
from tqp.sql.operators import call, cast, choose, condition, flat, negate, unify
from tqp.sql.parts import evaluated
from tqp.sql.subqueries import bind_subquery
from tqp.sql.templates import column_parts
from tqp.types import BIGINT, BOOLEAN, NULL, DType, Kind, list_of

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
    query = unwrapped(node.expression.this)
    complement = find(node.key).negated
    if complement is None:
        raise UnsupportedError("ANY and ALL follow =, <>, <, <=, > and >=")
    operator = complement if is_all else node.key
    if not isinstance(query, exp.Query | exp.Values):
        found = _of_any(binder, node, operator, query)
    else:
        found = any_of_query(binder, node, operator, node.this, query)
    return negate(found) if is_all else found


def _of_any(binder: ExprBinder, node: exp.Binary, operator: str, written: exp.Expr) -> Expr:
    """`x op ANY(list)`: whether it is so of an element; NULL where that is not known of one, and false of no elements or NULL."""
    if (
        operator == "eq"
        and isinstance(written, exp.Array)
        and any(isinstance(one, ConstantsNode) for one in written.expressions[:1])
    ):
        return _in_long(binder, node.this, written.expressions, is_any=True)
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
    if query is not None:
        return any_of_query(binder, node, "eq", node.this, query)
    if node.args.get("unnest") is not None:
        raise UnsupportedError("IN takes a list in parentheses or a subquery")
    if node.args.get("field") is not None:
        # Without parentheses it is a call of contains: a NULL in a list is no value to compare with.
        return contained(binder.bind(node.args["field"]), binder.bind(node.this))
    if not node.expressions:
        nothing, absent = Literal(False, BOOLEAN), call("is_null", binder.bind(node.this))
        return choose([absent], [Literal(None, BOOLEAN)], nothing)
    if isinstance(node.this, exp.Tuple):
        rows = []
        for row in node.expressions:
            if isinstance(row, ConstantsNode):
                raise Scattered
            if not isinstance(row, exp.Tuple):
                raise binder.context.error(row, "a row is compared with a single value")
            rows.append(_rows(binder, node, node.this, row))
        return flat("or", rows)
    return _in_list(binder, node)


def _in_list(binder: ExprBinder, node: exp.In) -> Expr:
    if isinstance(node.expressions[0], ConstantsNode):
        return _in_long(binder, node.this, node.expressions, is_any=False)
    met = [binder.bind(node.this), *(binder.bind(item) for item in node.expressions)]
    common([expr.dtype for expr in met])
    value, *items = unify(met, "IN", text_yields=True)
    constants = [item for item in items if isinstance(item, Literal)]
    tests = [call("eq", value, item) for item in items if not isinstance(item, Literal)]
    if constants:
        tests.append(call("in", value, *constants))
    return flat("or", tests)


def _in_long(binder: ExprBinder, tested: exp.Expr, cells: Sequence[exp.Expr], is_any: bool) -> Expr:
    """As `_in_list`, of many cells that are read at once; `is_any`: of a list of them. `Scattered` where that takes each cell."""
    value, found = binder.bind(tested), cells[0].this
    if isinstance(value, Literal) or has_key(value.dtype) or not has_members(value.dtype):
        raise Scattered
    if isinstance(found, Constants):
        return _among_constants(value, Cells(found.kinds, found.texts), is_any)
    return _among_computed(binder, value, found, cells[1:], is_any)


def _among_constants(value: Expr, cells: Cells, is_any: bool) -> Expr:
    some = [literal for _, literal in cells.literals()]
    value, _ = _compared(value, some, is_any)
    own = common_type(*(literal.dtype for literal in some if literal.dtype != NULL))
    array = None if own is None else cells.array(own)
    return _among(value, None if array is None else members(array, value.dtype), cells.nulls > 0)


def _among_computed(
    binder: ExprBinder, value: Expr, templates: Templates, kept: Sequence[exp.Expr], is_any: bool
) -> Expr:
    context = binder.context
    (column,) = templates.cells.columns
    parts, some = column_parts(
        context, templates, column, {form: kept[form.kept] for form in column.forms}, binder.bind
    )
    if any(part.is_free or part.runs_later for part in parts):
        raise Scattered
    value, of = _compared(value, some, is_any)
    parts = [replace(part, expr=cast(part.expr, of)) for part in parts]
    (listed,) = evaluated(context, [(parts, value.dtype)], templates.cells.rows)
    has_null = listed.valid is not None and not waits.truth(
        listed.valid.all(), "whether a list of constants has a NULL"
    )
    return _among(value, members_of(listed), has_null)


def _compared(value: Expr, some: Sequence[Expr], is_any: bool) -> tuple[Expr, DType]:
    """A value as the type in which it is compared with such cells; and the type that they have before."""
    if not is_any:
        value, *_ = unify([value, *some], "IN", text_yields=True)
        return value, value.dtype
    of = unify(some, "a list")[0].dtype
    common = common_type(value.dtype, of)
    if common is None or value.dtype.is_text != of.is_text:
        raise Scattered
    return cast(value, common), of


def _among(value: Expr, members: Members | None, has_null: bool) -> Expr:
    """Whether a value is one of those, or NULL where one more is NULL; `Scattered` of none."""
    if members is None or not members.values:
        raise Scattered
    listed = Literal(members, list_of(value.dtype), typed=True)
    tests = [Call(IN_LIST, (value, listed), BOOLEAN)]
    return flat("or", [*tests, Literal(None, BOOLEAN)] if has_null else tests)


@handles(exp.Exists)
def _exists(binder: ExprBinder, node: exp.Exists) -> Expr:
    if not isinstance(unwrapped(node.this), exp.Query | exp.Values):
        raise UnsupportedError("EXISTS takes a subquery")
    return Exists(bind_subquery(binder, node.this))


@handles(exp.Subquery, exp.Select, exp.SetOperation, exp.Union, exp.Except, exp.Intersect)
def _scalar(binder: ExprBinder, node: exp.Expr) -> Expr:
    plan = one_column(binder, node, node)
    if not binder.context.session.semantics.scalar_subquery_error_on_multiple_rows:
        plan = Limit(plan, 1)
    return ScalarSubquery(plan)


@handles(exp.Array)
def _array(binder: ExprBinder, node: exp.Array) -> Expr:
    """`ARRAY(query)`: its values in their order, an empty list of no rows. Other lists are written, `[(query)]` too."""
    if node.args.get("value_constructor"):
        return bracketed(binder, node)
    query = node.expressions[0] if len(node.expressions) == 1 else None
    if not isinstance(query, exp.Query | exp.Values):
        return bracketed(binder, node)
    plan = one_column(binder, query, query)
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
