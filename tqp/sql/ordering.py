"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from tqp.ir.expr import ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import Field, Limit, Plan, Project, Sort
from tqp.ir.visit import symbols
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.scope import Cte, Relation, Scope

__all__ = ["limited", "order_keys", "ordered_output", "ordinal", "sorted_by"]

Ctes = Mapping[str, Cte]


def ordered_output(
    context: Context,
    node: exp.Expr,
    plan: Plan,
    ctes: Ctes,
    names: Sequence[tuple[str, ...]] = (),
    shown: Callable[[exp.Expr], Expr | None] = lambda target: None,
) -> Plan:
    """ORDER BY and LIMIT after a set operation, VALUES or parentheses: over the output columns alone.

    `names[i]` are further names that column i goes by; `shown` knows expressions that stand for a column.
    """
    aliases: dict[str, Expr] = {}
    for column, others in zip(plan.schema, names or [()] * len(plan.schema), strict=True):
        for name in (column.name, *others):
            aliases.setdefault(name.lower(), column.ref)
    binder = ExprBinder(
        context, Scope(None, [Relation("", plan.schema)]), ctes, "ORDER BY", aliases, aliases_first=True
    )
    keys = order_keys(
        context, node, [column.ref for column in plan.schema], lambda target: shown(target) or binder.bind(target)
    )
    return limited(context, node, sorted_by(context, plan, keys), ctes)


def order_keys(
    context: Context,
    node: exp.Expr,
    outputs: Sequence[Expr],
    bind: Callable[[exp.Expr], Expr],
) -> tuple[SortKey, ...]:
    """The keys of the node's ORDER BY: `outputs` by number or ALL, others as `bind` makes of them."""
    order = node.args.get("order")
    keys: list[SortKey] = []
    for item in order.expressions if order is not None else ():
        descending, nulls_first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
        target = item.this
        if isinstance(target, exp.Var) and target.name.upper() == "ALL":
            keys += [SortKey(output, descending, nulls_first) for output in outputs]
            continue
        index = ordinal(context, target, len(outputs), "ORDER BY")
        if index is not None:
            keys.append(SortKey(outputs[index], descending, nulls_first))
            continue
        if isinstance(target, exp.Literal):
            raise context.error(target, "ORDER BY a constant orders nothing", hint="name a column or its number")
        keys.append(SortKey(bind(target), descending, nulls_first))
    return tuple(keys)


def ordinal(context: Context, node: exp.Expr, count: int, clause: str) -> int | None:
    """The output column, from 0, that an integer in ORDER BY or GROUP BY means; None for other expressions."""
    inner = node.unnest() if clause == "GROUP BY" else node
    negative = isinstance(inner, exp.Neg) and clause == "GROUP BY"
    literal = inner.this if negative else inner
    if not isinstance(literal, exp.Literal) or literal.is_string or not literal.this.isdigit():
        return None
    index = -int(literal.this) if negative else int(literal.this)
    if not 1 <= index <= count:
        raise context.error(node, f"{clause} {index} is out of range", hint=f"there are {count} columns")
    return index - 1


def sorted_by(context: Context, plan: Plan, keys: tuple[SortKey, ...]) -> Plan:
    """The plan sorted; keys that are no columns are computed below the sort and stay as extra columns."""
    if not keys:
        return plan
    extra: list[tuple[Field, Expr]] = []
    refs: list[SortKey] = []
    for key in keys:
        if isinstance(key.expr, ColumnRef):
            refs.append(key)
            continue
        if not symbols(key.expr) and isinstance(key.expr, Literal):
            continue
        column = context.field("order_key", key.expr.dtype)
        extra.append((column, key.expr))
        refs.append(SortKey(column.ref, key.descending, key.nulls_first))
    if extra:
        kept = plan.schema
        fields = (*kept, *(column for column, _ in extra))
        plan = Project(plan, fields, (*(column.ref for column in kept), *(expr for _, expr in extra)))
    return Sort(plan, tuple(refs)) if refs else plan


def limited(context: Context, node: exp.Expr, plan: Plan, ctes: Ctes) -> Plan:
    """LIMIT and OFFSET (constants or parameters) over the plan."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return plan
    count = None
    if limit is not None:
        given = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
        options = limit.args.get("limit_options")
        if options is not None and any(options.args.values()):
            context.gap(limit, "LIMIT with PERCENT or TIES is not supported")
        count = _rows(context, given, ctes, "LIMIT") if given is not None else 1
    skip = 0 if offset is None else _rows(context, offset.expression, ctes, "OFFSET") or 0
    return plan if count is None and skip == 0 else Limit(plan, count, skip)


def _rows(context: Context, node: exp.Expr, ctes: Ctes, clause: str) -> int | None:
    value = ExprBinder(context, Scope(), ctes, clause).bind(node)
    if not isinstance(value, Literal):
        context.gap(node, f"{clause} takes a constant or a parameter")
        return None
    if value.value is None:
        return None
    if not value.type.is_integer or not isinstance(value.value, int):
        raise context.error(node, f"{clause} takes a whole number, not {value.type}")
    if value.value < 0:
        raise context.error(node, f"{clause} cannot be negative")
    return value.value
