"""Parts of what a projection puts together are read without it.

`l[2]` over a projection of `[a, b] AS l` reads b, `len(l)` is 2: the list is made where something else reads it. The same of
fields of structs, and of pieces of texts, which are made one by one.
"""

from __future__ import annotations

from tqp.functions.registry import find
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.ir.plan import Aggregate, Field, Filter, Limit, Plan, Project, Sort, TopN
from tqp.ir.visit import expressions, rewrite, rewrite_plan, walk, with_expressions
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.rules.simplify import simplify_expr
from tqp.optimizer.seen_through import asks_for_less, seen_through

__all__ = ["see_through"]

_Asked = dict[Call, Expr]
"""What is read in place of calls."""


def see_through(plan: Plan) -> Plan:
    """The plan with calls of parts replaced by the parts, as far as a projection below says what they are."""
    names: list[Symbols] = []

    def rule(node: Plan) -> Plan | None:
        if isinstance(node, Filter):
            return _simpler(node)
        return _see(node, plan, names) if isinstance(node, Project | Aggregate) else None

    return rewrite_plan(plan, rule)


def _simpler(node: Filter) -> Filter | None:
    """A predicate asks what it was pushed below."""
    parts = (part for part in walk(node.predicate) if isinstance(part, Call) and part.args)
    if any(isinstance(part.args[0], Call) and asks_for_less(part) for part in parts):
        return Filter(node.input, simplify_expr(node.predicate))
    return None


def _see(node: Project | Aggregate, root: Plan, names: list[Symbols]) -> Plan | None:
    asked = _asked(node)
    if not asked:
        return None
    below, found = node.input, _Asked()
    if not names:
        names.append(Symbols(root))
    for call in asked:
        made = _definition(below, call.args[0])
        if made is not None and seen_through(Call(call.function, (made, *call.args[1:]), call.type)) is not None:
            below, found[call] = _read(below, call, names[0])
    if not found:
        return None
    above = node.with_children((below,))
    new = [
        rewrite(expr, lambda part: found.get(part) if isinstance(part, Call) else None) for expr in expressions(node)
    ]
    return with_expressions(above, tuple(map(simplify_expr, new)))


def _asked(node: Plan) -> list[Call]:
    """The calls that ask a column for a part of it."""
    found: dict[Call, None] = {}
    for expr in expressions(node):
        for part in walk(expr):
            if not isinstance(part, Call) or not part.args or not isinstance(part.args[0], ColumnRef):
                continue
            if asks_for_less(part) and all(isinstance(arg, Literal) for arg in part.args[1:]):
                found[part] = None
    return list(found)


def _definition(plan: Plan, column: Expr) -> Call | None:
    """The call that a column of the plan is, in terms of columns further below."""
    while isinstance(column, ColumnRef):
        while isinstance(plan, Filter | Sort | Limit | TopN):
            plan = plan.input
        if not isinstance(plan, Project):
            return None
        column = _of_field(plan, column)
        plan = plan.input
    if not isinstance(column, Call) or any(isinstance(p, Call) and find(p.function).each_row for p in walk(column)):
        return None
    return column


def _of_field(plan: Project, column: ColumnRef) -> Expr:
    """What a column of a projection is."""
    place = next(place for place, field in enumerate(plan.fields) if field.symbol == column.symbol)
    return plan.exprs[place]


def _read(plan: Plan, call: Call, names: Symbols) -> tuple[Plan, Expr]:
    """The plan with a column more if need be, and what reads in it the value of the call, which is seen through."""
    if isinstance(plan, Filter | Sort | Limit | TopN):
        below, expr = _read(plan.input, call, names)
        return plan.with_children((below,)), expr
    assert isinstance(plan, Project)
    column = call.args[0]
    assert isinstance(column, ColumnRef)
    of = Call(call.function, (_of_field(plan, column), *call.args[1:]), call.type)
    if isinstance(of.args[0], ColumnRef):
        below, expr = _read(plan.input, of, names)
    else:
        below, found = plan.input, seen_through(of)
        assert found is not None
        expr = simplify_expr(found)
    known = dict(zip(plan.exprs, plan.fields, strict=True)).get(expr)
    if isinstance(expr, Literal):
        field = None
    elif known is not None:
        field, expr = None, known.ref
    elif isinstance(expr, ColumnRef) and all(field.symbol != expr.symbol for field in plan.fields):
        field = Field(expr.symbol, expr.symbol, expr.dtype)
    else:
        field = Field(names.fresh(column.symbol), column.symbol, expr.dtype)
    if field is None:
        return Project(below, plan.fields, plan.exprs), expr
    return Project(below, (*plan.fields, field), (*plan.exprs, expr)), field.ref
