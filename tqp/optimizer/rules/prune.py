"""Compute and read only the columns that something above needs; drop sorts whose order nothing sees.

The build side of a join is projected to what the join and the plan above it read, so that no other column is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import is_not
from typing import assert_never

from tqp.errors import InternalError
from tqp.functions.aggregates import aggregate_of
from tqp.ir.expr import Expr
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Field,
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
from tqp.ir.visit import call_expressions, expressions, symbols
from tqp.optimizer.fresh import select
from tqp.stack import deep

__all__ = ["prune"]

Needed = frozenset[str]


def prune(plan: Plan) -> Plan:
    """The plan with the same schema and nothing unread below."""
    pruned = _prune(plan, frozenset(field.symbol for field in plan.schema), True)
    return select(pruned, plan.schema)


def _reads(exprs: Iterable[Expr]) -> Needed:
    return frozenset[str]().union(*map(symbols, exprs))


@deep
def _prune(plan: Plan, needed: Needed, ordered: bool) -> Plan:
    made = _pruned(plan, needed, ordered)
    # What stays as it is stays the same node, of which much is known already.
    return plan if made == plan else made


def _pruned(plan: Plan, needed: Needed, ordered: bool) -> Plan:
    match plan:
        case Scan() | Shared():
            return _read(plan, needed)
        case Values():
            kept = [i for i, f in enumerate(plan.fields) if f.symbol in needed]
            return Values(tuple(plan.fields[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in plan.rows))
        case Filter():
            below = _prune(plan.input, needed | symbols(plan.predicate), ordered)
            return plan if below is plan.input else Filter(below, plan.predicate)
        case Project():
            return _project(plan, needed, ordered)
        case Aggregate():
            return _aggregate(plan, needed)
        case GroupingSets():
            return _grouping_sets(plan, needed)
        case Join():
            return _join(plan, needed, ordered)
        case Sort():
            if not ordered:
                return _prune(plan.input, needed, False)
            return Sort(_prune(plan.input, needed | _reads(expressions(plan)), False), plan.keys)
        case TopN():
            below = _prune(plan.input, needed | _reads(expressions(plan)), False)
            return TopN(below, plan.keys, plan.limit, plan.offset)
        case Limit():
            return Limit(_prune(plan.input, needed, True), plan.limit, plan.offset)
        case SetOp():
            return _set_operation(plan, needed)
        case Window():
            return _window(plan, needed, ordered)
        case Generate():
            wanted = needed - {field.symbol for field in plan.fields} | _reads(plan.args)
            return plan.with_children((_prune(plan.input, wanted, ordered),))
        case AsofJoin():
            wanted = needed | _reads(expressions(plan))
            return plan.with_children((_prune(plan.left, wanted, ordered), _prune(plan.right, wanted, True)))
        case NearestJoin():
            wanted = needed | _reads(expressions(plan))
            # Rows that are equally near are taken in the right side's order.
            right = _prune(plan.right, wanted, True)
            shown = tuple(field for field in right.schema if field.symbol in wanted)
            if shown and len(shown) < len(right.schema):
                right = select(right, shown)
            return plan.with_children((_prune(plan.left, wanted, ordered), right))
        case DependentJoin():
            raise InternalError("a dependent join is left after decorrelation")
        case Pivot():
            made = plan.narrowed(needed)
            return made.with_children((_prune(made.input, made.reads, False),))
        case Recursion():
            # A row is told from others by all of its columns, and a later step may read any.
            sides = (select(_prune(side, _symbols(side), False), side.schema) for side in plan.children)
            return plan.with_children(tuple(sides))
        case Working():
            return _read(plan, needed)
        case _:
            assert_never(plan)


def _symbols(plan: Plan) -> Needed:
    return frozenset(field.symbol for field in plan.schema)


def _read(plan: Scan | Shared | Working, needed: Needed) -> Plan:
    kept = [i for i, field in enumerate(plan.fields) if field.symbol in needed]
    if not kept and plan.fields:
        # A batch knows its length from its columns, so that the narrowest one stays, of those that can be read.
        gaps = getattr(plan.source, "unsupported", ()) if isinstance(plan, Scan) else ()
        readable = [i for i, column in enumerate(plan.columns) if column not in gaps]
        kept = [min(readable, key=lambda i: _width(plan.fields[i]))] if readable else []
    if len(kept) == len(plan.fields):
        return plan
    fields = tuple(plan.fields[i] for i in kept)
    if isinstance(plan, Working):
        return replace(plan, columns=tuple(plan.columns[i] for i in kept), fields=fields)
    return replace(plan, columns=tuple(plan.columns[i] for i in kept), fields=fields)


def _width(field: Field) -> int:
    if field.dtype.is_coded:
        return 2
    return 0 if field.dtype.is_integer else 1


def _project(plan: Project, needed: Needed, ordered: bool) -> Plan:
    kept = [i for i, field in enumerate(plan.fields) if field.symbol in needed]
    exprs = tuple(plan.exprs[i] for i in kept)
    below = _prune(plan.input, _reads(exprs), ordered)
    if not kept:
        # Only the number of rows is wanted, and any column of the input tells it.
        return below
    if below is plan.input and len(kept) == len(plan.fields):
        return plan
    return Project(below, tuple(plan.fields[i] for i in kept), exprs)


def _aggregate(plan: Aggregate, needed: Needed) -> Plan:
    kept = [i for i, field in enumerate(plan.fields) if field.symbol in needed]
    if not kept and not plan.keys and plan.fields:
        kept = [0]
    calls = tuple([plan.aggregates[i] for i in kept])
    follows_order = any(not (aggregate_of(call).order_free or call.order) for call in calls)
    read = [expr for call in calls for expr in call_expressions(call)]
    below = _prune(plan.input, frozenset(plan.keys) | _reads(read), follows_order)
    if below is plan.input and len(kept) == len(plan.fields):
        return plan
    return Aggregate(below, plan.keys, tuple([plan.fields[i] for i in kept]), calls)


def _grouping_sets(plan: GroupingSets, needed: Needed) -> Plan:
    """Without marks and aggregates that are not read; its keys make the groups."""
    marks = [i for i, field in enumerate(plan.mark_fields) if field.symbol in needed]
    kept = [i for i, field in enumerate(plan.aggregate_fields) if field.symbol in needed]
    calls = tuple(plan.aggregates[i] for i in kept)
    fields = (
        *plan.key_fields,
        *(plan.mark_fields[i] for i in marks),
        *(plan.aggregate_fields[i] for i in kept),
    )
    made = GroupingSets(plan.input, plan.keys, plan.sets, tuple(plan.marked[i] for i in marks), calls, fields)
    follows_order = any(not (aggregate_of(call).order_free or call.order) for call in calls)
    return made.with_children((_prune(plan.input, frozenset(plan.keys) | _reads(expressions(made)), follows_order),))


def _window(plan: Window, needed: Needed, ordered: bool) -> Plan:
    kept = [i for i, field in enumerate(plan.fields) if field.symbol in needed]
    if not kept:
        return _prune(plan.input, needed, ordered)
    fields, calls = tuple(plan.fields[i] for i in kept), tuple(plan.calls[i] for i in kept)
    made = Window(plan.input, plan.partition_by, plan.order_by, fields, calls, plan.most)
    wanted = (needed - {field.symbol for field in fields}) | _reads(expressions(made))
    # Rows that are equal in the window's order are taken in the input's.
    return made.with_children((_prune(plan.input, wanted, True),))


def _join(plan: Join, needed: Needed, ordered: bool) -> Plan:
    wanted = needed | _reads(expressions(plan))
    left = _prune(plan.left, wanted, ordered and plan.kind != "full")
    right = _prune(plan.right, wanted, False)
    kept = tuple(field for field in right.schema if field.symbol in wanted)
    if kept and len(kept) < len(right.schema):
        right = select(right, kept)
    return plan.with_children((left, right))


def _set_operation(plan: SetOp, needed: Needed) -> Plan:
    whole = not (plan.kind == "union" and plan.all)
    kept = [i for i, field in enumerate(plan.fields) if whole or field.symbol in needed] or [0]
    sides = []
    for side in plan.inputs:
        schema = side.schema
        fields = tuple([schema[i] for i in kept])
        pruned = _prune(side, frozenset([field.symbol for field in fields]), False)
        sides.append(select(pruned, fields))
    if len(kept) == len(plan.fields) and not any(map(is_not, sides, plan.inputs)):
        return plan
    return SetOp(plan.kind, plan.all, tuple(sides), tuple([plan.fields[i] for i in kept]))
