"""UNION, INTERSECT and EXCEPT: what is put together, and the columns of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from sqlglot import exp

from tqp.functions.promotion import forced_type
from tqp.ir.expr import Expr
from tqp.ir.expr import Literal as Constant
from tqp.ir.plan import Field, Plan, Project
from tqp.sql.cast_rows import as_types
from tqp.sql.chains import chain
from tqp.sql.context import Context
from tqp.sql.ordering import Side, is_bare, ordered_output, within_brackets
from tqp.sql.query import Ctes, bind_query, query_form, with_ctes
from tqp.sql.scope import Scope
from tqp.sql.sets_by_keys import set_operation
from tqp.stack import deep

_KINDS: Final[dict[str, Literal["union", "intersect", "except"]]] = {
    "union": "union",
    "intersect": "intersect",
    "except": "except",
}


@query_form(exp.Union, exp.Intersect, exp.Except)
def _set_query(context: Context, node: exp.SetOperation, parent: Scope | None, ctes: Ctes) -> Plan:
    ctes = with_ctes(context, node, parent, ctes)
    plan, sides = _set_operation(context, node, parent, ctes)
    return ordered_output(context, node, plan, ctes, sides)


def _set_operation(
    context: Context, node: exp.SetOperation, parent: Scope | None, ctes: Ctes
) -> tuple[Plan, list[Side]]:
    """The plan, and the queries that are put together."""
    # Many in a row are a deep left spine: walk it, for recursion would overflow.
    spine: list[list[exp.SetOperation]] = []
    current: exp.Expr = node
    while isinstance(current, exp.SetOperation) and (current is node or is_bare(current)):
        current, steps = chain(current)
        spine.append(steps)
    plan, sides = _operand(context, current, parent, ctes)
    for steps in reversed(spine):
        by_name = bool(steps[0].args.get("by_name"))
        inputs, parts = [plan], [sides]
        for step in steps:
            one, others = _operand(context, step.expression, parent, ctes)
            if not by_name:
                _require_as_many(context, step, plan, one)
            inputs.append(one)
            parts.append(others)
        if by_name:
            inputs, places = _aligned_by_name(context, [steps[0].this, *(step.expression for step in steps)], inputs)
            parts = [[side.moved(to) for side in part] for part, to in zip(parts, places, strict=True)]
        plan = _united(context, steps[0], inputs)
        sides = [side for part in parts for side in part]
    return plan, sides


def _operand(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> tuple[Plan, list[Side]]:
    """One side of a set operation: several sides where brackets hold another one."""
    inner = within_brackets(node)
    if isinstance(inner, exp.SetOperation) and is_bare(inner):
        return _in_operand(context, inner, parent, ctes)
    plan = bind_query(context, node, parent, ctes)
    return plan, [Side.of(node, plan.schema)]


_in_operand = deep(_set_operation)


def _require_as_many(context: Context, node: exp.SetOperation, left: Plan, right: Plan) -> None:
    if len(left.schema) != len(right.schema):
        raise context.error(
            node.expression,
            f"{node.key.upper()} of {len(left.schema)} columns with {len(right.schema)}",
            hint="both sides must have as many columns",
        )


def _united(context: Context, node: exp.SetOperation, inputs: Sequence[Plan]) -> Plan:
    """The set operation of queries that have as many columns, which are called as in the first one and take the types of all."""
    columns = list(zip(*[one.schema for one in inputs], strict=True))
    dtypes = [forced_type(*[column.dtype for column in of_all]) for of_all in columns]
    fields = tuple([context.field(of_all[0].name, dtype) for of_all, dtype in zip(columns, dtypes, strict=True)])
    sides = tuple([as_types(context, one, dtypes) for one in inputs])
    return set_operation(context, _KINDS[node.key], not node.args.get("distinct"), sides, fields)


def _aligned_by_name(
    context: Context, nodes: Sequence[exp.Expr], inputs: Sequence[Plan]
) -> tuple[list[Plan], list[list[int]]]:
    """The inputs with all column names of any, in order of first appearance; NULL where one has no such column.

    Also where the columns of each come to stand.
    """
    sides: list[dict[str, Field]] = []
    for node, plan in zip(nodes, inputs, strict=True):
        side: dict[str, Field] = {}
        for column in plan.schema:
            if column.name.lower() in side:
                raise context.error(
                    node, f"UNION BY NAME of a query that has {column.name} twice", hint="rename one of them"
                )
            side[column.name.lower()] = column
        sides.append(side)
    shown: dict[str, list[Field]] = {}
    for side in sides:
        for key, column in side.items():
            shown.setdefault(key, []).append(column)
    dtypes = {key: forced_type(*[column.dtype for column in columns]) for key, columns in shown.items()}
    aligned: list[Plan] = []
    for plan, side in zip(inputs, sides, strict=True):
        exprs: list[Expr] = []
        fields: list[Field] = []
        for key, dtype in dtypes.items():
            exprs.append(side[key].ref if key in side else Constant(None, dtype))
            fields.append(context.field(shown[key][0].name, exprs[-1].dtype))
        aligned.append(Project(plan, tuple(fields), tuple(exprs)))
    order = {key: place for place, key in enumerate(dtypes)}
    return aligned, [[order[key] for key in side] for side in sides]
