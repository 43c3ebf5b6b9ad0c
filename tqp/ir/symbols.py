"""The symbols of a plan: where each is made, that none is made twice, and copies of plans under other symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never, cast

from tqp.errors import InternalError
from tqp.ir.expr import ColumnRef, Expr
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
    Schema,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.show import show
from tqp.ir.visit import (
    expressions,
    rewrite_query,
    rewrite_together,
    subplans,
    walk_query,
    with_expressions,
    with_subplans,
)

__all__ = ["Uniqueness", "all_symbols", "canonical", "made", "numbers", "renamed", "renamed_over"]

P = TypeVar("P", bound=Plan)


def made(node: Plan) -> frozenset[str]:
    """The symbols that the node itself makes; the others of its schema come from its inputs."""
    match node:
        case (
            Scan() | Values() | Shared() | SetOp() | Aggregate() | GroupingSets() | Window() | Generate() | Recursion()
            | Pivot() | Working()
        ):  # fmt: skip
            return frozenset([field.symbol for field in node.fields])
        case Project():
            pairs = zip(node.fields, node.exprs, strict=True)
            return frozenset([f.symbol for f, e in pairs if not (isinstance(e, ColumnRef) and e.symbol == f.symbol)])
        case Join() if node.mark is not None:
            return frozenset((node.mark,))
        case Filter() | Join() | Sort() | Limit() | TopN() | DependentJoin() | AsofJoin() | NearestJoin():
            return frozenset()
        case _:
            assert_never(node)


def all_symbols(plan: Plan) -> set[str]:
    """Every symbol made in the plan or a subquery of it."""
    return {symbol for node in walk_query(plan) for symbol in made(node)}


@dataclass(frozen=True, slots=True)
class _Within:
    """What a node and all below it make: `made`, and of a node with one input what is made in that, which is put together when
    two inputs meet."""

    node: Plan
    made: frozenset[str]
    below: _Within | None

    def symbols(self) -> frozenset[str]:
        sets = [self.made]
        below = self.below
        while below is not None:
            sets.append(below.made)
            below = below.below
        return frozenset[str]().union(*sets)


class Uniqueness:
    """Checks plans for symbols that two places make; parts that stay from plan to plan are looked at once.

    A symbol names one column: two places may make it only where one is above the other and the column of the lower one has
    ended in between. A rule that puts two plans together may then rely on their symbols to differ.
    """

    def __init__(self) -> None:
        self._within: dict[int, _Within] = {}

    def check(self, plan: Plan, step: str) -> None:
        """Raise InternalError where a symbol has two makers of which neither is above the other after this step."""
        # By identity, which is faster than by structure; the plans are kept so that no other gets the same.
        within = self._within
        stack: list[tuple[Plan, tuple[Plan, ...] | None]] = [(plan, None)]
        while stack:
            node, parts = stack.pop()
            if id(node) in within:
                continue
            if parts is None:
                parts = node.children
                for expr in expressions(node):
                    parts += subplans(expr)
                missing = [(part, None) for part in parts if id(part) not in within]
                if missing:
                    stack.append((node, parts))
                    stack += missing
                    continue
            if len(parts) < 2:
                within[id(node)] = _Within(node, made(node), within[id(parts[0])] if parts else None)
                continue
            below = [within[id(part)].symbols() for part in parts]
            every = frozenset[str]().union(*below)
            if len(every) < sum(map(len, below)):
                twice = sorted(symbol for symbol in every if sum(symbol in one for one in below) > 1)
                raise InternalError(
                    f"broken plan after {step}: {', '.join(twice)} made in two inputs of a {type(node).__name__}",
                    text=show(plan),
                )
            within[id(node)] = _Within(node, every | made(node), None)


def renamed(plan: P, names: Mapping[str, str]) -> P:
    """The plan with each symbol of `names` replaced by the one it maps to, inside subqueries too."""
    # The rule keeps the types of nodes.
    return cast(P, rewrite_query(plan, _renaming_made(names), within=_renaming(names)))


def renamed_over(plan: P, inputs: tuple[Plan, ...], names: Mapping[str, str]) -> P:
    """The same of a node over `inputs`, in which the symbols are replaced already. It has no subqueries."""
    over = with_expressions(plan.with_children(inputs), tuple(rewrite_together(expressions(plan), _renaming(names))))
    return cast(P, _renaming_made(names)(over))


def _renaming_made(names: Mapping[str, str]) -> Callable[[Plan], Plan]:
    """What renames the symbols that a node makes, whose inputs and expressions are renamed already."""

    def fields(schema: Schema) -> tuple[Field, ...]:
        return tuple([Field(names.get(field.symbol, field.symbol), field.name, field.dtype) for field in schema])

    def rule(node: Plan) -> Plan:
        match node:
            case (
                Scan() | Values() | Shared() | Project() | Window() | SetOp() | Generate() | Recursion() | Working()
            ):  # fmt: skip
                return replace(node, fields=fields(node.fields))
            case Aggregate() | GroupingSets():
                return replace(node, keys=tuple(names.get(key, key) for key in node.keys), fields=fields(node.fields))
            case Pivot():
                moved = tuple(names.get(value, value) for value in node.values)
                keys = tuple(names.get(key, key) for key in node.keys)
                place = names.get(node.place, node.place)
                return replace(node, keys=keys, place=place, values=moved, fields=fields(node.fields))
            case Join() if node.mark is not None:
                return replace(node, mark=names.get(node.mark, node.mark))
            case Filter() | Join() | Sort() | Limit() | TopN() | DependentJoin() | AsofJoin() | NearestJoin():
                return node
            case _:
                assert_never(node)

    return rule


def canonical(expr: Expr) -> Expr:
    """The expression with the symbols that its subqueries make numbered: equal for those that differ in these alone."""
    names = numbers(*subplans(expr))
    return with_subplans(expr, lambda plan: renamed(plan, names), _renaming(names))


def numbers(*plans: Plan) -> dict[str, str]:
    """For each symbol made in the plans a name that says no more than its place among them."""
    names: dict[str, str] = {}
    for plan in plans:
        for node in walk_query(plan):
            own = made(node)
            for field in node.schema:
                if field.symbol in own:
                    names.setdefault(field.symbol, f"#{len(names)}")
    return names


def _renaming(names: Mapping[str, str]) -> Callable[[Expr], Expr | None]:
    def rule(node: Expr) -> Expr | None:
        if isinstance(node, ColumnRef) and node.symbol in names:
            return ColumnRef(names[node.symbol], node.type)
        return None

    return rule
