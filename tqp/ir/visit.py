"""Walks over expressions and plans, without recursion on depth that queries control.

An expression is a DAG: a node that several others share is one object, and every walk here meets it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import is_not
from typing import TypeVar, assert_never

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall, ColumnRef, Exists, Expr, InSubquery, ScalarSubquery, SortKey
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
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.stack import deep

__all__ = [
    "call_expressions", "definitions", "expressions", "fold", "free_symbols", "postorder",
    "rename", "rewrite", "rewrite_plan", "rewrite_query", "subplans", "symbols", "walk", "walk_plan", "walk_query",
    "with_expressions", "with_subplans",
]  # fmt: skip

T = TypeVar("T")

_SUBQUERIES = (ScalarSubquery, Exists, InSubquery)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all below it, parents first, a shared node once; does not enter the plans of subqueries."""
    children = expr.children
    if not children:
        yield expr
        return
    met: set[int] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        yield node
        stack.extend(reversed(node.children))


def postorder(expr: Expr) -> list[Expr]:
    """The expression and all below it, children first, a shared node once."""
    met: set[int] = set()
    done: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(expr, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            done.append(node)
        elif id(node) not in met:
            met.add(id(node))
            children = node.children
            if children:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(children))
            else:
                done.append(node)
    return done


def fold(expr: Expr, combine: Callable[[Expr, tuple[T, ...]], T]) -> T:
    """Bottom-up: `combine(node, what it gave for the node's children)` of the expression, once for a shared node."""
    found: dict[int, T] = {}
    for node in postorder(expr):
        found[id(node)] = combine(node, tuple(found[id(child)] for child in node.children))
    return found[id(expr)]


def walk_plan(plan: Plan) -> Iterator[Plan]:
    """The plan and all below it, parents first; does not enter subqueries inside expressions."""
    stack = [plan]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def walk_query(plan: Plan) -> Iterator[Plan]:
    """The plan and all below it, the plans of subqueries included; what is shared is not entered."""
    stack = [plan]
    while stack:
        for node in walk_plan(stack.pop()):
            yield node
            for expr in expressions(node):
                stack.extend(subplans(expr))


def definitions(plan: Plan) -> tuple[Plan, ...]:
    """What `Shared` nodes of the query read, each once, after all that it reads itself."""
    found: dict[Plan, None] = {}
    stack = [(plan, False)]
    while stack:
        tree, ready = stack.pop()
        if tree in found:
            continue
        if ready:
            found[tree] = None
            continue
        if tree is not plan:
            stack.append((tree, True))
        stack.extend((node.definition, False) for node in walk_query(tree) if isinstance(node, Shared))
    return tuple(found)


def rewrite(expr: Expr, rule: Callable[[Expr], Expr | None]) -> Expr:
    """Bottom-up: each node, its children rewritten already, becomes `rule(node)` (None: stays); a shared node once."""
    done: dict[int, Expr] = {}
    for node in postorder(expr):
        current = node
        children = node.children
        if children:
            new = tuple([done[id(child)] for child in children])
            if any(map(is_not, new, children)):
                current = node.with_children(new)
        changed = rule(current)
        done[id(node)] = current if changed is None else changed
    return done[id(expr)]


def rewrite_plan(plan: Plan, rule: Callable[[Plan], Plan | None]) -> Plan:
    """Bottom-up over plans, as `rewrite` over expressions; a plan met twice is rewritten once."""
    done: dict[int, Plan] = {}
    stack: list[tuple[Plan, bool]] = [(plan, False)]
    while stack:
        node, ready = stack.pop()
        if id(node) in done:
            continue
        below = node.children
        current = node
        if below:
            if not ready:
                stack.append((node, True))
                stack += [(child, False) for child in below]
                continue
            children = tuple([done[id(child)] for child in below])
            if any(map(is_not, children, below)):
                current = node.with_children(children)
        changed = rule(current)
        done[id(node)] = current if changed is None else changed
    return done[id(plan)]


def with_subplans(
    expr: Expr, subquery: Callable[[Plan], Plan], rule: Callable[[Expr], Expr | None] | None = None
) -> Expr:
    """The expression with `subquery(plan)` for the plan of each subquery in it, and rewritten by `rule` where there is one."""
    if rule is None and not subplans(expr):
        return expr

    def both(node: Expr) -> Expr | None:
        if isinstance(node, ScalarSubquery | Exists | InSubquery):
            inner = subquery(node.plan)
            node = node if inner is node.plan else replace(node, plan=inner)
        return node if rule is None else rule(node) or node

    return rewrite(expr, both)


@deep
def rewrite_query(
    plan: Plan,
    rule: Callable[[Plan], Plan | None],
    *,
    within: Callable[[Expr], Expr | None] | None = None,
    subquery: Callable[[Plan], Plan] | None = None,
    apart: bool = False,
) -> Plan:
    """As `rewrite_plan`, in the plans of subqueries too: each node whose inputs and expressions are rewritten already.

    `within` rewrites expressions. `subquery` says what becomes of a subquery's plan, if it is not to be rewritten alike.
    `apart`: conditions are taken one by one, so that a subquery that two of them share is met in each. What is shared
    is not entered: `rule` gives a `Shared` node its new definition.
    """

    def inside(inner: Plan) -> Plan:
        return rewrite_query(inner, rule, within=within, subquery=subquery, apart=apart)

    def changed(expr: Expr) -> Expr:
        if not apart or not subplans(expr):
            return with_subplans(expr, subquery or inside, within)
        return conjunction(tuple(with_subplans(part, subquery or inside, within) for part in conjuncts(expr)))

    def both(node: Plan) -> Plan:
        before = expressions(node)
        after = tuple([changed(expr) for expr in before])
        if any(new is not old for new, old in zip(after, before, strict=True)):
            node = with_expressions(node, after)
        return rule(node) or node

    return rewrite_plan(plan, both)


def expressions(plan: Plan) -> tuple[Expr, ...]:
    """The expressions that the node itself holds (not its inputs'), in a fixed order; collected once for a node."""
    known: tuple[Expr, ...] | None = plan.__dict__.get("_expressions")
    if known is None:
        known = _expressions(plan)
        object.__setattr__(plan, "_expressions", known)
    return known


def _expressions(plan: Plan) -> tuple[Expr, ...]:
    match plan:
        case Filter():
            return (plan.predicate,)
        case Project():
            return plan.exprs
        case Join():
            pairs = tuple(side for pair in plan.keys for side in pair)
            return pairs if plan.residual is None else (*pairs, plan.residual)
        case Aggregate() | GroupingSets() | Recursion():
            return tuple(expr for call in plan.aggregates for expr in call_expressions(call))
        case Sort() | TopN():
            return tuple(key.expr for key in plan.keys)
        case Window():
            calls = tuple(expr for call in plan.calls for expr in _window_expressions(call))
            return (*plan.partition_by, *(key.expr for key in plan.order_by), *calls)
        case Values():
            return tuple(expr for row in plan.rows for expr in row)
        case Generate():
            return plan.args
        case Pivot():
            return plan.fills
        case DependentJoin():
            return () if plan.condition is None else (plan.condition,)
        case AsofJoin():
            return (*(side for pair in plan.keys for side in pair), *plan.order)
        case NearestJoin():
            keys = tuple(key.expr for key in plan.order)
            return keys if plan.condition is None else (*keys, plan.condition)
        case Scan() | Shared() | Limit() | SetOp() | Working():
            return ()
        case _:
            assert_never(plan)


def with_expressions(plan: Plan, exprs: tuple[Expr, ...]) -> Plan:
    """The same node with `expressions(plan)` replaced, one for one."""
    match plan:
        case Filter():
            return Filter(plan.input, exprs[0])
        case Project():
            return Project(plan.input, plan.fields, exprs)
        case Join():
            count = 2 * len(plan.keys)
            keys = tuple(zip(exprs[:count:2], exprs[1:count:2], strict=True))
            residual = None if plan.residual is None else exprs[-1]
            return Join(plan.kind, plan.left, plan.right, keys, residual, plan.mark, plan.null_aware)
        case Aggregate():
            rest = iter(exprs)
            calls = tuple(_with_call_expressions(call, rest) for call in plan.aggregates)
            return Aggregate(plan.input, plan.keys, plan.fields, calls)
        case GroupingSets():
            rest = iter(exprs)
            calls = tuple(_with_call_expressions(call, rest) for call in plan.aggregates)
            return GroupingSets(plan.input, plan.keys, plan.sets, plan.marked, calls, plan.fields)
        case Sort():
            return Sort(plan.input, _with_key_expressions(plan.keys, iter(exprs)))
        case TopN():
            return TopN(plan.input, _with_key_expressions(plan.keys, iter(exprs)), plan.limit, plan.offset)
        case Window():
            rest = iter(exprs)
            partition = tuple(next(rest) for _ in plan.partition_by)
            order = _with_key_expressions(plan.order_by, rest)
            window_calls = tuple(_with_window_expressions(call, rest) for call in plan.calls)
            return Window(plan.input, partition, order, plan.fields, window_calls, plan.most)
        case Values():
            rest = iter(exprs)
            return Values(plan.fields, tuple(tuple(next(rest) for _ in row) for row in plan.rows))
        case Generate():
            return replace(plan, args=exprs)
        case Pivot():
            return replace(plan, fills=exprs)
        case DependentJoin():
            return plan if plan.condition is None else replace(plan, condition=exprs[0])
        case AsofJoin():
            return replace(
                plan, keys=tuple(zip(exprs[:-2:2], exprs[1:-2:2], strict=True)), order=(exprs[-2], exprs[-1])
            )
        case NearestJoin():
            rest = iter(exprs)
            order = _with_key_expressions(plan.order, rest)
            return replace(plan, order=order, condition=None if plan.condition is None else next(rest))
        case Recursion():
            rest = iter(exprs)
            return replace(plan, aggregates=tuple(_with_call_expressions(call, rest) for call in plan.aggregates))
        case Scan() | Shared() | Limit() | SetOp() | Working():
            return plan
        case _:
            assert_never(plan)


def call_expressions(call: AggregateCall) -> tuple[Expr, ...]:
    """What an aggregate reads: its arguments, its FILTER if it has one, the keys of its ORDER BY."""
    extra = () if call.filter is None else (call.filter,)
    return (*call.args, *extra, *(key.expr for key in call.order))


def _with_call_expressions(call: AggregateCall, rest: Iterator[Expr]) -> AggregateCall:
    args = tuple(next(rest) for _ in call.args)
    condition = None if call.filter is None else next(rest)
    return AggregateCall(
        call.function, args, call.type, call.distinct, condition, _with_key_expressions(call.order, rest)
    )


def _window_expressions(call: WindowCall) -> tuple[Expr, ...]:
    frame = () if call.frame is None else call.frame.expressions()
    return (*call_expressions(call.call), *frame)


def _with_window_expressions(call: WindowCall, rest: Iterator[Expr]) -> WindowCall:
    inner, frame = _with_call_expressions(call.call, rest), call.frame
    if frame is not None:
        ends = [FrameBound(b.side, None if b.offset is None else next(rest)) for b in (frame.start, frame.end)]
        frame = Frame(frame.unit, ends[0], ends[1], frame.exclude, None if frame.key is None else next(rest))
    return WindowCall(inner, frame, call.ignore_nulls)


def _with_key_expressions(keys: tuple[SortKey, ...], rest: Iterator[Expr]) -> tuple[SortKey, ...]:
    return tuple(SortKey(next(rest), key.descending, key.nulls_first) for key in keys)


def subplans(expr: Expr) -> tuple[Plan, ...]:
    """The plans of the subqueries in an expression; looked for once for a node."""
    known: tuple[Plan, ...] | None = expr.__dict__.get("_subplans")
    if known is None:
        if expr.children or isinstance(expr, _SUBQUERIES):
            known = tuple([node.plan for node in walk(expr) if isinstance(node, _SUBQUERIES)])
        else:
            known = ()
        object.__setattr__(expr, "_subplans", known)
    return known


def symbols(expr: Expr) -> frozenset[str]:
    """Symbols that an expression reads, those of its correlated subqueries included; computed once for a node."""
    known: frozenset[str] | None = expr.__dict__.get("_symbols")
    if known is None:
        if isinstance(expr, ColumnRef):
            known = frozenset((expr.symbol,))
        else:
            found = set()
            for node in walk(expr):
                if isinstance(node, ColumnRef):
                    found.add(node.symbol)
                elif isinstance(node, _SUBQUERIES):
                    found |= free_symbols(node.plan)
            known = frozenset(found)
        object.__setattr__(expr, "_symbols", known)
    return known


@deep
def free_symbols(plan: Plan) -> frozenset[str]:
    """Symbols that a plan reads and does not produce: its correlations. Symbols are unique, so scope does not matter."""
    read: set[str] = set()
    made: set[str] = set()
    for node in walk_plan(plan):
        made.update(field.symbol for field in node.schema)
        for expr in expressions(node):
            read |= symbols(expr)
    return frozenset(read - made)


def rename(expr: Expr, mapping: Mapping[str, Expr]) -> Expr:
    """`expr` with the symbols in `mapping` replaced (not inside subqueries)."""
    return rewrite(expr, lambda node: mapping.get(node.symbol) if isinstance(node, ColumnRef) else None)
