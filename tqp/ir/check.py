"""The integrity of a plan: what every stage may rely on. For the optimizer's driver and for tests."""

from __future__ import annotations

from typing import assert_never

from tqp.errors import InternalError
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
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
from tqp.ir.show import show, show_expr
from tqp.ir.visit import definitions, expressions, subplans, walk, walk_plan
from tqp.stack import deep
from tqp.types import BIGINT, BOOLEAN, DType

__all__ = ["check"]

_Scope = dict[str, DType]


def check(plan: Plan, *, subqueries: bool = True) -> None:
    """Raise InternalError unless the plan is whole.

    Each symbol that an expression reads is produced below it with the same type, or (inside a subquery) by a
    plan further out; a node's symbols differ from each other; keys, predicates and set operations agree in type; shared
    definitions are whole and read nothing outside.
    `subqueries` False also refuses what `decorrelate` removes: subquery expressions and correlated references.
    """
    for tree in (*definitions(plan), plan):
        _check(tree, {}, subqueries)


@deep
def _check(root: Plan, outer: _Scope, subqueries: bool) -> None:
    for node in walk_plan(root):
        if isinstance(node, DependentJoin):
            # Its right side reads columns of the left one.
            outer = {**outer, **{field.symbol: field.dtype for field in node.left.schema}}
        produced = [field.symbol for field in node.schema]
        if len(set(produced)) != len(produced):
            twice = sorted({symbol for symbol in produced if produced.count(symbol) > 1})
            _fail(node, f"produces {', '.join(twice)} twice")
        scope = dict(outer)
        for child in node.children:
            scope.update((field.symbol, field.dtype) for field in child.schema)
        for expr in expressions(node):
            _check_expr(expr, scope, node, subqueries)
        _check_node(node)


def _check_expr(expr: Expr, scope: _Scope, node: Plan, subqueries: bool) -> None:
    for part in walk(expr):
        match part:
            case ColumnRef():
                found = scope.get(part.symbol)
                if found is None:
                    _fail(node, f"reads {part.symbol}, which nothing below it produces")
                elif found != part.type:
                    _fail(node, f"reads {part.symbol} as {part.type}, but it is {found}")
            case ScalarSubquery() | Exists() | InSubquery() if not subqueries:
                _fail(node, f"still holds a subquery: {show_expr(part)}")
            case ScalarSubquery() if len(part.plan.schema) != 1:
                _fail(node, "holds a scalar subquery that does not have exactly one column")
            case InSubquery():
                types = tuple(field.dtype for field in part.plan.schema)
                if types != tuple(operand.dtype for operand in part.operands):
                    _fail(node, "compares operands with subquery columns of other types")
            case Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists():
                pass
            case _:
                assert_never(part)
    for inner in subplans(expr):
        _check(inner, scope, subqueries)


def _check_node(node: Plan) -> None:
    match node:
        case Filter() if node.predicate.dtype != BOOLEAN:
            _fail(node, f"has a predicate of type {node.predicate.dtype}")
        case Project():
            _check_project(node)
        case Join():
            _check_join(node)
        case Aggregate():
            missing = set(node.keys) - {field.symbol for field in node.input.schema}
            if missing:
                _fail(node, f"groups by {', '.join(sorted(missing))}, which its input does not produce")
            if [f.dtype for f in node.fields] != [call.dtype for call in node.aggregates]:
                _fail(node, "has fields of other types than its aggregates")
        case GroupingSets():
            inputs = {field.symbol: field.dtype for field in node.input.schema}
            columns = [*map(inputs.get, node.keys), *[BIGINT for _ in node.marked], *[c.dtype for c in node.aggregates]]
            if [f.dtype for f in node.fields] != columns:
                _fail(node, "has fields of other types than its keys and aggregates")
            if any(place >= len(node.keys) for places in (*node.sets, *node.marked) for place in places):
                _fail(node, "groups by a key that it does not have")
        case Window():
            if [f.dtype for f in node.fields] != [call.dtype for call in node.calls]:
                _fail(node, "has fields of other types than its calls")
        case SetOp():
            types = [f.dtype for f in node.fields]
            if any([f.dtype for f in side.schema] != types for side in node.inputs):
                _fail(node, "has inputs of other types than its fields")
            if len(node.inputs) < 1 or (node.kind != "union" and len(node.inputs) != 2):
                _fail(node, f"has {len(node.inputs)} inputs")
        case Scan() | Shared() if len(node.columns) != len(node.fields):
            _fail(node, "has more or fewer fields than columns")
        case Shared():
            given = {field.symbol: field.dtype for field in node.definition.schema}
            if [given.get(column) for column in node.columns] != [field.dtype for field in node.fields]:
                _fail(node, "reads columns that its definition does not have")
        case Values() if any(len(row) != len(node.fields) for row in node.rows):
            _fail(node, "has rows of another width than its fields")
        case DependentJoin() if node.condition is not None and node.condition.dtype != BOOLEAN:
            _fail(node, f"has a condition of type {node.condition.dtype}")
        case AsofJoin() if any(a.dtype != b.dtype for a, b in (*node.keys, node.order)):
            _fail(node, "compares different types")
        case NearestJoin() if node.condition is not None and node.condition.dtype != BOOLEAN:
            _fail(node, f"has a condition of type {node.condition.dtype}")
        case NearestJoin() if node.limit < 1 or not node.order:
            _fail(node, "has no rows or no order")
        case Pivot():
            _check_pivot(node)
        case Recursion():
            _check_recursion(node)
        case Working() if len(node.columns) != len(node.fields):
            _fail(node, "has more or fewer fields than columns")
        case (
            Scan()
            | Values()
            | Filter()
            | Sort()
            | Limit()
            | TopN()
            | Generate()
            | DependentJoin()
            | AsofJoin()
            | NearestJoin()
            | Working()
        ):
            pass
        case _:
            assert_never(node)


def _check_pivot(node: Pivot) -> None:
    inputs = {field.symbol: field.dtype for field in node.input.schema}
    if not node.reads <= inputs.keys():
        _fail(node, "reads columns that its input does not produce")
    values = [inputs[value] for value in node.values]
    if [fill.dtype for fill in node.fills] != values:
        _fail(node, "fills cells with other types than its values")
    if [field.dtype for field in node.fields] != [values[number] for _, number in node.cells]:
        _fail(node, "has fields of other types than its values")


def _check_recursion(node: Recursion) -> None:
    types = [[f.dtype for f in schema] for schema in (node.fields, node.seed.schema, node.step.schema)]
    if types[1] != types[2]:
        _fail(node, "has a step of other types than its seed")
    if node.key is None:
        if types[0] != types[1]:
            _fail(node, "has inputs of other types than its fields")
        return
    if [types[0][place] for place in node.key] != [types[1][place] for place in node.key]:
        _fail(node, "has keys of other types than its fields")
    if [field.dtype for field in node.folded] != [call.dtype for call in node.aggregates]:
        _fail(node, "has fields of other types than its aggregates")


def _check_project(node: Project) -> None:
    if [f.dtype for f in node.fields] != [expr.dtype for expr in node.exprs]:
        _fail(node, "has fields of other types than its expressions")
    below = {field.symbol for field in node.input.schema}
    for field, expr in zip(node.fields, node.exprs, strict=True):
        if field.symbol in below and not (isinstance(expr, ColumnRef) and expr.symbol == field.symbol):
            _fail(node, f"redefines {field.symbol}")


def _check_join(node: Join) -> None:
    sides = tuple({field.symbol for field in child.schema} for child in node.children)
    for pair in node.keys:
        if pair[0].dtype != pair[1].dtype:
            _fail(node, f"compares {pair[0].dtype} with {pair[1].dtype}")
        for key, other in zip(pair, reversed(sides), strict=True):
            if any(isinstance(part, ColumnRef) and part.symbol in other for part in walk(key)):
                _fail(node, f"has the key {show_expr(key)} on the wrong side")
    if node.residual is not None and node.residual.dtype != BOOLEAN:
        _fail(node, f"has a residual of type {node.residual.dtype}")
    if (node.kind == "mark") != (node.mark is not None):
        _fail(node, "needs a mark symbol exactly when it is a mark join")
    if node.null_aware and node.kind != "anti":
        _fail(node, "is null-aware without being an anti join")


def _fail(node: Plan, problem: str) -> None:
    raise InternalError(f"broken plan: {type(node).__name__} {problem}", text=show(node))
