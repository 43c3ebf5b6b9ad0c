"""New symbols for rules that make columns, and copies of plans under new symbols."""

from __future__ import annotations

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import Aggregate, Field, Join, Plan, Project, Scan, SetOp, Values, Window
from tqp.ir.visit import expressions, rename, rewrite_plan, subplans, walk_plan, with_expressions

__all__ = ["Symbols", "copy_plan", "pass_through", "select"]


class Symbols:
    """Makes symbols that a plan, subqueries included, does not use yet."""

    def __init__(self, plan: Plan) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}
        stack = [plan]
        while stack:
            for node in walk_plan(stack.pop()):
                self._used.update(field.symbol for field in node.schema)
                for expr in expressions(node):
                    stack.extend(subplans(expr))

    def fresh(self, base: str) -> str:
        """An unused symbol that starts with `base`, less a suffix of an earlier call."""
        stem = base.split("~", 1)[0]
        count = self._next.get(stem, 1)
        while (symbol := f"{stem}~{count}") in self._used:
            count += 1
        self._next[stem] = count + 1
        self._used.add(symbol)
        return symbol


def copy_plan(plan: Plan, symbols: Symbols) -> tuple[Plan, dict[str, Field]]:
    """The same relation under new symbols, and for each old output symbol its new field.

    The plan holds no subqueries; symbols free in it stay.
    """
    renamed: dict[str, str] = {}
    refs: dict[str, Expr] = {}
    for node in walk_plan(plan):
        for field in node.schema:
            if field.symbol not in renamed:
                renamed[field.symbol] = symbols.fresh(field.symbol)
                refs[field.symbol] = ColumnRef(renamed[field.symbol], field.dtype)

    def move(fields: tuple[Field, ...]) -> tuple[Field, ...]:
        return tuple(Field(renamed[f.symbol], f.name, f.dtype) for f in fields)

    def rule(node: Plan) -> Plan:
        exprs = expressions(node)
        if exprs:
            node = with_expressions(node, tuple(rename(expr, refs) for expr in exprs))
        match node:
            case Scan():
                return Scan(node.source, node.columns, move(node.fields))
            case Values():
                return Values(move(node.fields), node.rows)
            case Project():
                return Project(node.input, move(node.fields), node.exprs)
            case Aggregate():
                keys = tuple(renamed[key] for key in node.keys)
                return Aggregate(node.input, keys, move(node.fields), node.aggregates)
            case Window():
                return Window(node.input, node.partition_by, node.order_by, move(node.fields), node.calls)
            case SetOp():
                return SetOp(node.kind, node.all, node.left, node.right, move(node.fields))
            case Join() if node.mark is not None:
                mark = renamed[node.mark]
                return Join(node.kind, node.left, node.right, node.keys, node.residual, mark, node.null_aware)
            case _:
                return node

    copy = rewrite_plan(plan, rule)
    return copy, {old.symbol: new for old, new in zip(plan.schema, copy.schema, strict=True)}


def select(plan: Plan, fields: tuple[Field, ...]) -> Plan:
    """Exactly `fields` of the plan, in that order; the plan itself where that is what it has."""
    if plan.schema == fields:
        return plan
    return Project(plan, fields, tuple(field.ref for field in fields))


def pass_through(plan: Plan, extra: tuple[tuple[Field, Expr], ...]) -> Plan:
    """The plan with computed columns added."""
    if not extra:
        return plan
    fields = (*plan.schema, *(field for field, _ in extra))
    return Project(plan, fields, (*(field.ref for field in plan.schema), *(expr for _, expr in extra)))
