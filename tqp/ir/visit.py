"""Walks over expressions and plans, without recursion on depth that queries control.

An expression is a DAG: a node that several others share is one object, and every walk here meets it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_not
from typing import TypeVar

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, ColumnRef, Exists, Expr, InSubquery, ScalarSubquery
from tqp.ir.held import call_expressions, held, with_expressions
from tqp.ir.plan import Plan, Shared
from tqp.stack import deep

__all__ = [
    "blind_hash", "call_expressions", "definitions", "depth", "expressions", "fold", "free_symbols", "holds_plans", "kinds",
    "postorder", "rename", "rename_together", "rewrite", "rewrite_plan", "rewrite_query", "rewrite_together", "shares",
    "subplans", "symbols", "walk", "walk_plan", "walk_query", "with_expressions", "with_subplans",
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
    pending = [plan]
    while pending:
        stack = [pending.pop()]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))
            pending.extend(_inner_plans(node))


def _inner_plans(node: Plan) -> tuple[Plan, ...]:
    """The plans of the subqueries in a node's expressions; looked for once for a node."""
    known: tuple[Plan, ...] | None = node.__dict__.get("_inner_plans")
    if known is None:
        known = tuple([inner for expr in expressions(node) if holds_plans(expr) for inner in subplans(expr)])
        object.__setattr__(node, "_inner_plans", known)
    return known


def kinds(plan: Plan) -> frozenset[type[Plan]]:
    """The classes of the query's nodes, subqueries included, what is shared not entered; found out once for a node."""
    if "_kinds" not in plan.__dict__:
        stack = [plan]
        while stack:
            node = stack[-1]
            below = (*node.children, *_inner_plans(node))
            unknown = [one for one in below if "_kinds" not in one.__dict__]
            if unknown:
                stack += unknown
                continue
            stack.pop()
            object.__setattr__(node, "_kinds", _kinds_of(type(node), [one.__dict__["_kinds"] for one in below]))
    found: frozenset[type[Plan]] = plan.__dict__["_kinds"]
    return found


def _kinds_of(own: type[Plan], below: list[frozenset[type[Plan]]]) -> frozenset[type[Plan]]:
    most = max(below, key=len, default=frozenset[type[Plan]]())
    if own in most and all(some <= most for some in below):
        return most
    return most.union((own,), *below)


def shares(plan: Plan) -> bool:
    """Whether the query reads something `Shared`, subqueries included."""
    return Shared in kinds(plan)


def definitions(plan: Plan) -> tuple[Plan, ...]:
    """What `Shared` nodes of the query read, each once, after all that it reads itself; found out once for a node."""
    known: tuple[Plan, ...] | None = plan.__dict__.get("_definitions")
    if known is None:
        known = _definitions(plan)
        object.__setattr__(plan, "_definitions", known)
    return known


def _definitions(plan: Plan) -> tuple[Plan, ...]:
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
        stack.extend((node.definition, False) for node in _shared_in(tree))
    return tuple(found)


def _shared_in(tree: Plan) -> Iterator[Shared]:
    """The `Shared` nodes of the query, what reads none not entered."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if not shares(node):
            continue
        if isinstance(node, Shared):
            yield node
        stack.extend(reversed(node.children))
        stack.extend(_inner_plans(node))


def rewrite(expr: Expr, rule: Callable[[Expr], Expr | None]) -> Expr:
    """Bottom-up: each node, its children rewritten already, becomes `rule(node)` (None: stays); a shared node once."""
    return rewrite_together((expr,), rule)[0]


def rewrite_together(exprs: Sequence[Expr], rule: Callable[[Expr], Expr | None]) -> list[Expr]:
    """As `rewrite` of each, in their order; a node that several of them share is rewritten once, and is shared again."""
    done: dict[int, Expr] = {}
    stack = list(reversed(exprs))
    while stack:
        node = stack[-1]
        place = id(node)
        if place in done:
            stack.pop()
            continue
        current = node
        children = node.children
        if children:
            unknown = [child for child in children if id(child) not in done]
            if unknown:
                stack += reversed(unknown)
                continue
            for child in children:
                if done[id(child)] is not child:
                    current = node.with_children(tuple([done[id(child)] for child in children]))
                    break
        stack.pop()
        changed = rule(current)
        done[place] = current if changed is None else changed
    return [done[id(expr)] for expr in exprs]


def rewrite_plan(plan: Plan, rule: Callable[[Plan], Plan | None], enters: Callable[[Plan], bool] | None = None) -> Plan:
    """Bottom-up over plans, as `rewrite` over expressions; a plan met twice is rewritten once.

    What `enters` says no to stays as it is.
    """
    done: dict[int, Plan] = {}
    stack: list[tuple[Plan, bool]] = [(plan, False)]
    while stack:
        node, ready = stack.pop()
        place = id(node)
        if place in done:
            continue
        if enters is not None and not ready and not enters(node):
            done[place] = node
            continue
        below = node.children
        if below and not ready:
            stack.append((node, True))
            for child in below:
                stack.append((child, False))
            continue
        current = node
        for child in below:
            if done[id(child)] is not child:
                current = node.with_children(tuple([done[id(child)] for child in below]))
                break
        changed = rule(current)
        done[place] = current if changed is None else changed
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
    enters: Callable[[Plan], bool] | None = None,
) -> Plan:
    """As `rewrite_plan`, in the plans of subqueries too: each node whose inputs and expressions are rewritten already.

    `within` rewrites expressions. `subquery` says what becomes of a subquery's plan, if it is not to be rewritten alike.
    `apart`: conditions are taken one by one, so that a subquery that two of them share is met in each. What is shared
    is not entered: `rule` gives a `Shared` node its new definition. What `enters` says no to stays as it is.
    """

    def inside(inner: Plan) -> Plan:
        return rewrite_query(inner, rule, within=within, subquery=subquery, apart=apart, enters=enters)

    def changed(expr: Expr) -> Expr:
        if not apart or not subplans(expr):
            return with_subplans(expr, subquery or inside, within)
        return conjunction(tuple(with_subplans(part, subquery or inside, within) for part in conjuncts(expr)))

    def both(node: Plan) -> Plan:
        before = expressions(node)
        after = tuple([changed(expr) for expr in before])
        if any(map(is_not, after, before)):
            node = with_expressions(node, after)
        return rule(node) or node

    return rewrite_plan(plan, both, enters)


def expressions(plan: Plan) -> tuple[Expr, ...]:
    """The expressions that the node itself holds (not its inputs'), in a fixed order; collected once for a node."""
    known: tuple[Expr, ...] | None = plan.__dict__.get("_expressions")
    if known is None:
        known = held(plan)
        object.__setattr__(plan, "_expressions", known)
    return known


def subplans(expr: Expr) -> tuple[Plan, ...]:
    """The plans of the subqueries in an expression; looked for once for a node."""
    known: tuple[Plan, ...] | None = expr.__dict__.get("_subplans")
    if known is None:
        known = tuple([node.plan for node in walk(expr) if isinstance(node, _SUBQUERIES)]) if holds_plans(expr) else ()
        object.__setattr__(expr, "_subplans", known)
    return known


def holds_plans(expr: Expr) -> bool:
    """Whether there are subqueries in an expression; looked for once for a node and for each below it."""
    known: bool | None = expr.__dict__.get("_holds_plans")
    return _found_below(expr, "_holds_plans", _holds_plans) if known is None else known


def _holds_plans(node: Expr, below: list[bool]) -> bool:
    return isinstance(node, _SUBQUERIES) or any(below)


def depth(expr: Expr) -> int:
    """How many nodes lie below an expression on the longest way down; found out once for a node and for each below it."""
    known: int | None = expr.__dict__.get("_depth")
    return _found_below(expr, "_depth", _depth) if known is None else known


def _depth(_: Expr, below: list[int]) -> int:
    return 1 + max(below, default=-1)


def symbols(expr: Expr) -> frozenset[str]:
    """Symbols that an expression reads, those of its correlated subqueries included; computed once for a node."""
    known: frozenset[str] | None = expr.__dict__.get("_symbols")
    return _found_below(expr, "_symbols", _symbols) if known is None else known


def _symbols(node: Expr, below: list[frozenset[str]]) -> frozenset[str]:
    if isinstance(node, ColumnRef):
        return frozenset((node.symbol,))
    if isinstance(node, _SUBQUERIES):
        below.append(free_symbols(node.plan))
    return below[0] if len(below) == 1 else frozenset[str]().union(*below)


def _found_below(expr: Expr, name: str, found: Callable[[Expr, list[T]], T]) -> T:
    """What `found` says of a node and of what it said of its children, kept under that name by each node."""
    pending = [expr]
    while pending:
        node = pending[-1]
        children = node.children
        unknown = [child for child in children if name not in child.__dict__] if children else None
        if unknown:
            pending += unknown
            continue
        pending.pop()
        node.__dict__[name] = found(node, [child.__dict__[name] for child in children])
    known: T = expr.__dict__[name]
    return known


def blind_hash(expr: Expr) -> int:
    """A hash that is equal for expressions which differ in the names of symbols alone, and says nothing of subqueries; found
    once for a node. Asking for it counts as asking for no input."""
    known: int | None = expr.__dict__.get("_blind_hash")
    if known is None:
        for node in postorder(expr):
            if "_blind_hash" not in node.__dict__:
                object.__setattr__(node, "_blind_hash", _blind_hash(node))
        known = expr.__dict__["_blind_hash"]
    assert known is not None
    return known


def _blind_hash(node: Expr) -> int:
    if isinstance(node, ColumnRef):
        return hash((ColumnRef, node.type))
    if not node.children:
        return hash(type(node)) if isinstance(node, _SUBQUERIES) else node._hash
    name = node.function if isinstance(node, Call) else None
    return hash((node._kind, name, *(child.__dict__["_blind_hash"] for child in node.children)))


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
    return rename_together((expr,), mapping)[0]


def rename_together(exprs: Sequence[Expr], mapping: Mapping[str, Expr]) -> list[Expr]:
    """As `rename` of each; what they share they share again."""
    done: dict[int, Expr] = {}
    made: list[Expr] = []
    for expr in exprs:
        if mapping.keys().isdisjoint(symbols(expr)):
            made.append(expr)
            continue
        stack = [expr]
        while stack:
            node = stack[-1]
            children = node.children
            unknown = [child for child in children if id(child) not in done] if children else None
            if unknown:
                stack += unknown
                continue
            stack.pop()
            if isinstance(node, ColumnRef):
                done[id(node)] = mapping.get(node.symbol, node)
                continue
            new = tuple([done[id(child)] for child in children])
            done[id(node)] = node.with_children(new) if any(map(is_not, new, children)) else node
        made.append(done[id(expr)])
        if "_symbols" not in made[-1].__dict__ and not holds_plans(expr):
            # What these read is known of them then; what subqueries read stays.
            parts = [symbols(mapping[name]) if name in mapping else frozenset((name,)) for name in symbols(expr)]
            object.__setattr__(made[-1], "_symbols", frozenset[str]().union(*parts))
    return made
