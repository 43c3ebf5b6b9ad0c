"""JOIN: two items of FROM as one plan, and the names that it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

from sqlglot import exp

from tqp.ir.expr import Expr, Literal
from tqp.ir.outside import outer_symbols
from tqp.ir.plan import AsofKind, DependentJoin, Field, Join, JoinKind, Plan, Project, Scan
from tqp.sql.asof import asof_join
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.nearest import clause_of, nearest_join
from tqp.sql.operators import call, condition, flat
from tqp.sql.positional import side_by_side
from tqp.sql.scope import Common, Cte, Scope
from tqp.types import BOOLEAN

__all__ = ["beside", "joined_with"]

_KINDS: dict[tuple[str, str], JoinKind] = {
    ("", ""): "inner", ("", "INNER"): "inner", ("", "CROSS"): "inner",
    ("LEFT", ""): "left", ("RIGHT", ""): "right", ("FULL", ""): "full",
    ("LEFT", "OUTER"): "left", ("RIGHT", "OUTER"): "right", ("FULL", "OUTER"): "full",
    ("", "SEMI"): "semi", ("", "ANTI"): "anti", ("LEFT", "SEMI"): "semi", ("LEFT", "ANTI"): "anti",
}  # fmt: skip


def joined_with(
    context: Context,
    node: exp.Join,
    left: tuple[Plan, Scope],
    right: tuple[Plan, Scope],
    before: Scope | None,
    ctes: Mapping[str, Cte],
) -> tuple[Plan, Scope]:
    """One JOIN of its sides; `before` is what its ON sees beside both."""
    (plan, scope), (right_plan, right_scope) = left, right
    if node.side in ("RIGHT", "FULL"):
        scope = scope.optional()
    if node.side in ("LEFT", "FULL") or node.method == "POSITIONAL":
        right_scope = right_scope.optional()
    if node.method == "POSITIONAL":
        scope = scope.optional()
    clause = clause_of(node)
    if clause is not None:
        around = scope if before is None else before.extended(scope)
        return nearest_join(context, node, clause, (plan, scope), (right_plan, right_scope), around, ctes)
    both = scope.extended(right_scope)
    if node.method == "POSITIONAL" and not (node.side or node.kind or node.args.get("on") or node.args.get("using")):
        return side_by_side(context, plan, right_plan), both
    if node.method not in ("", "NATURAL", "ASOF") or (node.side, node.kind) not in _KINDS:
        words = [word for word in (node.method, node.side, node.kind) if word]
        context.gap(node, f"{' '.join(words)} JOIN is not supported")
        return plan, both
    kind = _KINDS[node.side, node.kind]
    names = (
        _shared(scope, right_scope)
        if node.method == "NATURAL"
        else [name.name for name in node.args.get("using") or ()]
    )
    if node.method == "NATURAL" and not names:
        raise context.error(
            node, "NATURAL JOIN of tables without a column name in common", hint="CROSS JOIN pairs all rows"
        )
    on = node.args.get("on")
    if names:
        return _using(context, node, kind, (plan, scope), (right_plan, right_scope), names)
    residual: Expr | None = None
    if on is not None:
        seen = both if before is None else replace(both, parent=before)
        residual = condition(ExprBinder(context, seen, ctes, "ON").bind(on))
        if isinstance(residual, Literal) and residual.value is True and kind == "inner":
            residual = None
    elif kind != "inner":
        raise context.error(node, f"{kind.upper()} JOIN needs ON or USING")
    joined = _put_together(context, node, kind, plan, right_plan, residual)
    return joined, scope if kind in ("semi", "anti") else both


def _put_together(
    context: Context, node: exp.Join, kind: JoinKind, left: Plan, right: Plan, residual: Expr | None
) -> Plan:
    """The join that the node asks for."""
    if node.method != "ASOF":
        return beside(context, node, kind, left, right, residual)
    if _reads(right, left):
        raise context.error(node, "the right side of an ASOF JOIN may not read columns of its left side")
    assert kind in get_args(AsofKind)
    on = Literal(True, BOOLEAN) if residual is None else residual
    return asof_join(context, node, cast(AsofKind, kind), left, right, on)


def beside(context: Context, node: exp.Expr, kind: JoinKind, left: Plan, right: Plan, residual: Expr | None) -> Plan:
    """The join of two items of FROM: a dependent one where the right one reads columns of the left one."""
    if isinstance(right, Scan) or not _reads(right, left):
        return Join(kind, left, right, residual=residual)
    if kind not in ("inner", "left"):
        raise context.error(
            node,
            f"the right side of a {kind.upper()} JOIN reads columns of its left side",
            hint="INNER and LEFT JOIN may",
        )
    always = isinstance(residual, Literal) and residual.value is True
    return DependentJoin("inner" if kind == "inner" else "left", left, right, None if always else residual)


def _reads(plan: Plan, before: Plan) -> bool:
    """Whether a plan, its definitions included, reads columns of another one."""
    return not outer_symbols(plan).isdisjoint(column.symbol for column in before.schema)


def _shared(left: Scope, right: Scope) -> list[str]:
    names = {name.lower() for name, _ in right.columns()}
    return [name for name, _ in left.columns() if name.lower() in names]


def _using(
    context: Context,
    node: exp.Join,
    kind: JoinKind,
    left: tuple[Plan, Scope],
    right: tuple[Plan, Scope],
    names: list[str],
) -> tuple[Plan, Scope]:
    """A join by columns of the same name, which then count as one column."""
    (left_plan, left_scope), (right_plan, right_scope) = left, right
    pairs = [
        (name, _only(context, node, left_scope, name, "left"), _only(context, node, right_scope, name, "right"))
        for name in names
    ]
    with context.at(node):
        signs = ["eq" for _ in pairs]
        if node.method == "ASOF":
            signs[-1] = "gte"
        residual = flat("and", [call(sign, a.ref, b.ref) for sign, (_, a, b) in zip(signs, pairs, strict=True)])
    plan = _put_together(context, node, kind, left_plan, right_plan, residual)
    if kind in ("semi", "anti"):
        return plan, left_scope
    common: dict[str, tuple[Common, ...]] = {}
    merged: list[tuple[Field, Expr]] = []
    for name, a, b in pairs:
        before = (scope.common.get(name.lower(), ()) for scope in (left_scope, right_scope))
        members = frozenset({a.symbol, b.symbol}).union(*(same.members for found in before for same in found))
        if kind == "full":
            value = call("coalesce", a.ref, b.ref)
            column = context.field(a.name, value.dtype)
            merged.append((column, value))
        else:
            column = b if kind == "right" else a
        common[name.lower()] = (Common(column, members),)
    if merged:
        kept = plan.schema
        fields = (*kept, *(column for column, _ in merged))
        plan = Project(plan, fields, (*(column.ref for column in kept), *(value for _, value in merged)))
    scope = left_scope.extended(right_scope)
    scope.common.update(common)
    return plan, scope


def _only(context: Context, node: exp.Join, scope: Scope, name: str, side: str) -> Field:
    found = scope.find(name)
    if len(found) == 1:
        return found[0][1]
    if found:
        raise context.error(node, f"column name {name} in USING is ambiguous on the {side} side")
    names = [column for column, _ in scope.columns()]
    raise context.error(node, f"no column {name} on the {side} side of the join", hint=near(name, names))
