"""Plans handed in from outside (views): given symbols that do not meet the query's own."""

from __future__ import annotations

from dataclasses import replace

from tqp.ir.expr import ColumnRef, Exists, Expr, InSubquery, ScalarSubquery
from tqp.ir.plan import Aggregate, Field, Join, Plan, Project, Scan, Schema, SetOp, Values
from tqp.ir.visit import expressions, rewrite, rewrite_plan, subplans, walk_plan, with_expressions
from tqp.sql.context import Context
from tqp.stack import deep

__all__ = ["with_own_symbols"]


def with_own_symbols(context: Context, plan: Plan) -> Plan:
    """The plan with every symbol in it replaced by a new one of this query; the same plan gives the same answer."""
    done = context.views.get(plan)
    if done is None:
        mapping: dict[str, str] = {}
        for node in _all_plans(plan):
            for column in node.schema:
                if column.symbol not in mapping:
                    mapping[column.symbol] = context.symbol(column.symbol)
        done = context.views[plan] = _renamed(plan, mapping)
    return done


def _all_plans(plan: Plan) -> list[Plan]:
    found: list[Plan] = []
    stack = [plan]
    while stack:
        for node in walk_plan(stack.pop()):
            found.append(node)
            stack += [inner for expr in expressions(node) for inner in subplans(expr)]
    return found


@deep
def _renamed(plan: Plan, mapping: dict[str, str]) -> Plan:
    def fields(schema: Schema) -> tuple[Field, ...]:
        return tuple(replace(column, symbol=mapping[column.symbol]) for column in schema)

    def expr_rule(expr: Expr) -> Expr | None:
        match expr:
            case ColumnRef():
                return ColumnRef(mapping.get(expr.symbol, expr.symbol), expr.type)
            case ScalarSubquery() | Exists():
                return type(expr)(_renamed(expr.plan, mapping))
            case InSubquery():
                return InSubquery(expr.operands, _renamed(expr.plan, mapping))
        return None

    def plan_rule(node: Plan) -> Plan | None:
        # Its inputs are renamed already, its own fields and expressions are not.
        match node:
            case Scan():
                node = Scan(node.source, node.columns, fields(node.fields))
            case Values():
                node = Values(fields(node.fields), node.rows)
            case Project():
                node = Project(node.input, fields(node.fields), node.exprs)
            case Aggregate():
                keys = tuple(mapping[key] for key in node.keys)
                node = Aggregate(node.input, keys, fields(node.fields), node.aggregates)
            case SetOp():
                return SetOp(node.kind, node.all, node.left, node.right, fields(node.fields))
            case Join() if node.mark is not None:
                node = replace(node, mark=mapping[node.mark])
        return with_expressions(node, tuple(rewrite(expr, expr_rule) for expr in expressions(node)))

    return rewrite_plan(plan, plan_rule)
