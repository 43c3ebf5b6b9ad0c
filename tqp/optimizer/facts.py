"""What holds for every row of a plan: columns never NULL, unique keys, functional dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tqp.functions.aggregates import aggregate_of
from tqp.functions.registry import find
from tqp.functions.windows import find_window
from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Exists,
    Expr,
    InSubquery,
    Literal,
    Predict,
    ScalarSubquery,
)
from tqp.ir.lineage import lineage, pads
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
from tqp.ir.visit import symbols, walk
from tqp.stack import deep
from tqp.types import Kind

__all__ = ["closure", "covers", "dependencies", "equal_are_same", "never_null", "unique_keys"]

Dependency = tuple[frozenset[str], frozenset[str]]
"""The first symbols determine the second ones: rows that agree on those agree on these."""


def never_null(plan: Plan, expr: Expr) -> bool:
    """Whether `expr` over the plan's columns is proven not to be NULL."""
    pending = [(plan, expr)]
    met: set[tuple[int, Expr]] = set()
    while pending:
        plan, expr = pending.pop()
        if (id(plan), expr) in met:
            continue
        met.add((id(plan), expr))
        match expr:
            case Literal() if not expr.is_null:
                continue
            case ColumnRef():
                source = _source(plan, expr)
                if source is False:
                    return False
                if source is not True:
                    pending.append(source)
            case Cast() if not expr.safe:
                pending.append((plan, expr.arg))
            case Call() if find(expr.function).total and not any(arg.dtype.is_union for arg in expr.args):
                pending.extend((plan, arg) for arg in expr.args)
            case Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists() | InSubquery():
                return False
            case _:
                assert_never(expr)
    return True


def _source(plan: Plan, column: ColumnRef) -> bool | tuple[Plan, Expr]:
    """Whether the column is never NULL, or what it is computed by that may not be NULL."""
    for node, origin in lineage(plan, column):
        if not isinstance(origin, ColumnRef):
            return node, origin
        symbol = origin.symbol
        match node:
            case Join() if pads(node, origin):
                return False
            case Scan():
                stored = node.column(symbol)
                return stored is not None and node.source.statistics(stored).nulls == 0
            case Window():
                for field, window_call in zip(node.fields, node.calls, strict=True):
                    if field.symbol == symbol:
                        return _has_value(window_call.call)
            case Aggregate():
                for field, call in zip(node.fields, node.aggregates, strict=True):
                    if field.symbol == symbol:
                        return _has_value(call)
            case (
                Values() | Shared() | Filter() | Project() | Join() | GroupingSets() | Sort() | Limit()
                | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
    return False


def _has_value(call: AggregateCall) -> bool:
    """Whether an aggregate or window function is never NULL."""
    function = find_window(call.function)
    return aggregate_of(call).empty is not None if function is None else function.never_null


_Keys = frozenset[frozenset[str]]


def unique_keys(plan: Plan) -> _Keys:
    """Sets of symbols that no two rows of the plan agree on (NULLs count as equal); the empty set: at most one row."""
    return _unique_keys(plan, {})


@deep
def _unique_keys(plan: Plan, shared: dict[Plan, _Keys]) -> _Keys:
    match plan:
        case Scan():
            pairs = zip(plan.fields, plan.columns, strict=True)
            return frozenset(frozenset((f.symbol,)) for f, c in pairs if plan.source.statistics(c).is_unique)
        case Shared():
            moved = {column: field.symbol for column, field in zip(plan.columns, plan.fields, strict=True)}
            if plan.definition not in shared:
                shared[plan.definition] = _unique_keys(plan.definition, shared)
            return _moved(shared[plan.definition], moved)
        case Filter() | Sort() | Limit() | TopN() | Window():
            return _unique_keys(plan.input, shared)
        case Aggregate() | Pivot():
            return frozenset((frozenset(plan.keys),))
        case Project():
            moved = {}
            for field, expr in zip(plan.fields, plan.exprs, strict=True):
                if isinstance(expr, ColumnRef):
                    moved.setdefault(expr.symbol, field.symbol)
            return _moved(_unique_keys(plan.input, shared), moved)
        case Join():
            return _join_keys(plan, shared)
        case (
            Values() | GroupingSets() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Working()
        ):  # fmt: skip
            return frozenset()
        case _:
            assert_never(plan)


def _moved(keys: _Keys, names: dict[str, str]) -> _Keys:
    """The keys of which all columns have a new name."""
    return frozenset(frozenset(names[symbol] for symbol in key) for key in keys if key <= names.keys())


def _join_keys(plan: Join, shared: dict[Plan, _Keys]) -> _Keys:
    left = _unique_keys(plan.left, shared)
    if plan.kind in ("semi", "anti", "mark", "single"):
        return left
    right = _unique_keys(plan.right, shared)
    kept: set[frozenset[str]] = set()
    if plan.kind in ("inner", "left") and covers(right, (key for _, key in plan.keys)):
        kept |= left
    if plan.kind in ("inner", "right") and covers(left, (key for key, _ in plan.keys)):
        kept |= right
    return frozenset(kept)


def covers(unique: _Keys, keys: Iterator[Expr]) -> bool:
    """Whether equal `keys` single out at most one row of a plan with these unique keys."""
    if not unique:
        return False
    read = {key.symbol for key in keys if isinstance(key, ColumnRef)}
    return any(key <= read for key in unique)


def dependencies(plan: Plan) -> tuple[Dependency, ...]:
    """Functional dependencies between columns of the plan's nodes, those it no longer shows included."""
    found: list[Dependency] = []
    # `padded`: below the side of an outer join that unmatched rows fill with NULL. There only dependencies hold
    # whose determinants are never NULL in a real row, so that the padding row is like no other.
    stack: list[tuple[Plan, bool]] = [(plan, False)]
    while stack:
        node, padded = stack.pop()
        match node:
            case Scan() | Shared():
                every = frozenset(field.symbol for field in node.fields)
                found.extend((key, every) for key in unique_keys(node))
            case Aggregate() if not padded:
                found.append((frozenset(node.keys), frozenset(field.symbol for field in node.schema)))
            case Project():
                for field, expr in zip(node.fields, node.exprs, strict=True):
                    if isinstance(expr, ColumnRef):
                        found.append((frozenset((field.symbol,)), frozenset((expr.symbol,))))
                    if isinstance(expr, ColumnRef) or (not padded and _determine(expr)):
                        found.append((symbols(expr), frozenset((field.symbol,))))
            case Filter():
                found.extend(rule for rule in _equalities(node.predicate) if rule[0] or not padded)
            case Join():
                found.extend(rule for rule in _join_dependencies(node) if rule[0] or not padded)
            case (
                Values() | Aggregate() | GroupingSets() | Window() | Sort() | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
        # What a set operation merges, or a full join pads on both sides, no longer depends as it did.
        if isinstance(node, Filter | Project | Sort | Limit | TopN | Window):
            stack.append((node.input, padded))
        elif isinstance(node, Join) and node.kind != "full":
            stack.append((node.left, padded or node.kind == "right"))
            if node.kind in ("inner", "left", "right", "single"):
                stack.append((node.right, padded or node.kind in ("left", "single")))
    return tuple(found)


def equal_are_same(column: ColumnRef) -> bool:
    """Whether equal values are the same for any function: 0.0 and -0.0 are not, nor are a month and 30 days."""
    dtype = column.dtype
    return not (dtype.is_float or dtype.is_nested or dtype.kind is Kind.INTERVAL)


def _determine(expr: Expr) -> bool:
    """Whether the columns of an expression determine its value."""
    return all(equal_are_same(part) for part in walk(expr) if isinstance(part, ColumnRef))


def _equalities(predicate: Expr) -> Iterator[Dependency]:
    for part in conjuncts(predicate):
        match part:
            case Call(function=words.EQ, args=(ColumnRef() as a, ColumnRef() as b)):
                yield frozenset((a.symbol,)), frozenset((b.symbol,))
                yield frozenset((b.symbol,)), frozenset((a.symbol,))
            case Call(function=words.EQ, args=(ColumnRef() as a, Literal())):
                yield frozenset(), frozenset((a.symbol,))
            case _:
                pass


def _join_dependencies(node: Join) -> Iterator[Dependency]:
    refs = [(a.symbol, b.symbol) for a, b in node.keys if isinstance(a, ColumnRef) and isinstance(b, ColumnRef)]
    if node.kind == "inner":
        for a, b in refs:
            yield frozenset((a,)), frozenset((b,))
            yield frozenset((b,)), frozenset((a,))
        if node.residual is not None:
            yield from _equalities(node.residual)
    elif node.kind in ("left", "single") and node.residual is None and len(refs) == len(node.keys):
        # Unmatched rows read NULL: the left keys together say whether a row matches, so they determine the right ones.
        yield frozenset(a for a, _ in refs), frozenset(b for _, b in refs)


def closure(known: frozenset[str], rules: tuple[Dependency, ...]) -> frozenset[str]:
    """All symbols that `known` determines."""
    result = set(known)
    pending = list(rules)
    while True:
        waiting = []
        before = len(result)
        for determinants, determined in pending:
            if determinants <= result:
                result |= determined
            else:
                waiting.append((determinants, determined))
        if len(result) == before:
            return frozenset(result)
        pending = waiting
