"""Finds a region of joins in a plan, and makes its graph."""

from __future__ import annotations

from typing import assert_never

from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import Call, ColumnRef, Expr
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
from tqp.ir.visit import rename, symbols
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.facts import unique_keys
from tqp.optimizer.join_graph import Column, Condition, Graph, Input, is_equality
from tqp.optimizer.predicates import filtered
from tqp.stack import deep
from tqp.types import BOOLEAN

__all__ = ["build_graph"]


def build_graph(root: Join, estimator: Estimator) -> Graph:
    """The region of joins below `root`, through filters and projections that only pick columns."""
    inputs: list[Input] = []
    parts: list[Expr] = []
    renamed: dict[str, Expr] = {}
    _collect(root, inputs, parts, renamed, estimator)
    parts = [rename(part, renamed) for part in parts]
    owners: dict[str, int] = {}
    for number, one in enumerate(inputs):
        join = one.join
        if join is not None and join.kind in ("semi", "anti"):
            continue
        if join is not None and join.kind == "mark" and join.mark is not None:
            owners[join.mark] = number
            continue
        owners.update((f.symbol, number) for f in one.plan.schema)
    classes, conditions = _equivalences(parts, inputs, owners)
    neighbours = _neighbours(len(inputs), classes, conditions)
    graph = Graph(inputs, classes, conditions, neighbours, renamed, estimator)
    _place_attached(graph, owners)
    _connect(graph)
    return graph


@deep
def _collect(
    plan: Plan, inputs: list[Input], parts: list[Expr], renamed: dict[str, Expr], estimator: Estimator
) -> None:
    match plan:
        case Join(kind="inner"):
            _collect(plan.left, inputs, parts, renamed, estimator)
            _collect(plan.right, inputs, parts, renamed, estimator)
            parts.extend(Call(words.EQ, pair, BOOLEAN) for pair in plan.keys)
            if plan.residual is not None:
                parts.extend(conjuncts(plan.residual))
        case Join(kind="semi" | "anti" | "mark" | "single" | "left"):
            _collect(plan.left, inputs, parts, renamed, estimator)
            right = plan.right
            share = estimator.rows(plan) / max(estimator.rows(plan.left), 1e-9)
            inputs.append(Input(right, estimator.rows(right), unique_keys(right), plan, share=share))
        case Filter() if _is_region(plan.input):
            _collect(plan.input, inputs, parts, renamed, estimator)
            parts.extend(conjuncts(plan.predicate))
        case Project() if _is_region(plan.input) and all(isinstance(expr, ColumnRef) for expr in plan.exprs):
            _collect(plan.input, inputs, parts, renamed, estimator)
            for made, expr in zip(plan.fields, plan.exprs, strict=True):
                if made.ref != expr:
                    renamed[made.symbol] = rename(expr, renamed)
        case (
            Scan() | Values() | Shared() | Filter() | Project() | Join() | Aggregate() | GroupingSets()
            | Window() | Sort() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            inputs.append(Input(plan, estimator.rows(plan), unique_keys(plan)))
        case _:
            assert_never(plan)


def _is_region(plan: Plan) -> bool:
    while isinstance(plan, Filter) or (
        isinstance(plan, Project) and all(isinstance(expr, ColumnRef) for expr in plan.exprs)
    ):
        plan = plan.input
    return isinstance(plan, Join) and plan.kind != "full"


def _equivalences(
    parts: list[Expr], inputs: list[Input], owners: dict[str, int]
) -> tuple[list[list[Column]], list[Condition]]:
    classes: dict[str, list[Column]] = {}
    conditions: list[Condition] = []
    for part in dict.fromkeys(parts):
        match part:
            case Call(function=words.EQ, args=(ColumnRef() as a, ColumnRef() as b)) if a.type == b.type and all(
                ref.symbol in owners and inputs[owners[ref.symbol]].join is None for ref in (a, b)
            ):
                one = classes.setdefault(a.symbol, [(owners[a.symbol], a)])
                two = classes.setdefault(b.symbol, [(owners[b.symbol], b)])
                if one is not two:
                    one.extend(two)
                    for _, ref in two:
                        classes[ref.symbol] = one
                continue
        read = 0
        for symbol in symbols(part):
            read |= 1 << owners[symbol]
        owner = inputs[max(read.bit_length() - 1, 0)]
        if read & (read - 1) == 0 and owner.join is None:
            owner.plan = filtered(owner.plan, (part,))
        else:
            conditions.append((read, part))
    groups = list({id(members): members for members in classes.values()}.values())
    for members in groups:
        first: dict[int, ColumnRef] = {}
        for number, ref in members:
            # Joins compare one column of each input; that an input's own columns are equal is for the input to test.
            other = first.setdefault(number, ref)
            if other is not ref:
                inputs[number].plan = filtered(inputs[number].plan, (Call(words.EQ, (other, ref), BOOLEAN),))
    return groups, conditions


def _neighbours(count: int, classes: list[list[Column]], conditions: list[Condition]) -> list[int]:
    found = [0] * count
    groups = [sum({1 << number for number, _ in members}) for members in classes]
    groups += [read for read, part in conditions if is_equality(part)]
    for group in groups:
        for number in range(count):
            if group >> number & 1:
                found[number] |= group & ~(1 << number)
    return found


def _place_attached(graph: Graph, owners: dict[str, int]) -> None:
    """Which inputs must be there before an attached one."""
    every = sum(1 << n for n, one in enumerate(graph.inputs) if one.join is None)
    for number, one in enumerate(graph.inputs):
        if one.join is None:
            continue
        own = {f.symbol for f in one.plan.schema}
        exprs = [key for key, _ in one.join.keys]
        if one.join.residual is not None:
            exprs.append(one.join.residual)
        for expr in exprs:
            for symbol in symbols(rename(expr, graph.renamed)):
                if symbol not in own:
                    one.requires |= 1 << owners[symbol]
        if not one.requires:
            # An uncorrelated value comes where it is used first; two that meet in a condition do not wait for each other.
            users = [read & every for read, _ in graph.conditions if read >> number & 1]
            one.requires = next((plain for plain in users if plain), every)


def _connect(graph: Graph) -> None:
    """Neighbours for inputs that no condition connects: cross products, as few as there have to be."""
    plain = sum(1 << n for n, one in enumerate(graph.inputs) if one.join is None)
    for number in range(len(graph.inputs)):
        graph.neighbours[number] &= plain
        if not plain >> number & 1:
            graph.neighbours[number] = 0
    reached = plain & -plain
    while reached != plain:
        while more := graph.adjacent(reached) & plain:
            reached |= more
        rest = plain & ~reached
        if rest:
            for number in range(len(graph.inputs)):
                if reached >> number & 1:
                    graph.neighbours[number] |= rest
                elif rest >> number & 1:
                    graph.neighbours[number] |= reached
