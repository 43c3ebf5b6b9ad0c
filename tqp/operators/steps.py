"""The order in which the nodes of an expression are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tqp.functions.registry import find
from tqp.ir.expr import Call, Case, ColumnRef, Expr, Literal
from tqp.ir.visit import postorder

__all__ = ["Step", "Steps", "is_guard", "steps_of"]

_REMEMBERED: Final = 64
"""An expression of more nodes forgets a part's values after their last use in it, lest a long chain keep every link's."""


@dataclass(frozen=True, slots=True)
class Step:
    """One node, after those that it needs: `inputs`, its arguments that are computed. `last_uses`: what no later one needs."""

    node: Expr
    inputs: tuple[Expr, ...]
    last_uses: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """The distinct computed nodes of an expression, arguments first.

    `text_symbols`: for each node that reads one column alone, and that a text, the column. `guarded`: some node may do
    without arguments that fail.
    """

    steps: tuple[Step, ...]
    text_symbols: dict[Expr, str]
    guarded: bool


def is_guard(expr: Expr) -> bool:
    """Whether the node needs some arguments for some rows only, so that they may fail for others."""
    return isinstance(expr, Case) or isinstance(expr, Call) and find(expr.function).first_value


def steps_of(expr: Expr) -> Steps:
    """The steps of an expression; linear in its distinct nodes, once for a node."""
    known: Steps | None = expr.__dict__.get("_steps")
    if known is None:
        known = _steps_of(expr)
        object.__setattr__(expr, "_steps", known)
    return known


def _steps_of(expr: Expr) -> Steps:
    steps: dict[Expr, Step] = {}
    reads: dict[Expr, tuple[ColumnRef, ...]] = {}
    for node in postorder(expr):
        reads[node] = _reads(node, reads)
        if not isinstance(node, ColumnRef | Literal):
            inputs = dict.fromkeys(child for child in node.children if not isinstance(child, ColumnRef | Literal))
            steps.setdefault(node, Step(node, tuple(inputs)))
    texts = {node: found[0].symbol for node in steps if len(found := reads[node]) == 1 and found[0].dtype.is_text}
    order = tuple(steps.values())
    if len(order) > _REMEMBERED:
        order = _forgetting(order)
    return Steps(order, texts, any(map(is_guard, steps)))


def _reads(node: Expr, below: dict[Expr, tuple[ColumnRef, ...]]) -> tuple[ColumnRef, ...]:
    """The columns that a node reads; of more than one, some two."""
    if isinstance(node, ColumnRef):
        return (node,)
    found: dict[str, ColumnRef] = {}
    for child in node.children:
        found.update((ref.symbol, ref) for ref in below[child])
        if len(found) > 1:
            break
    return tuple(found.values())[:2]


def _forgetting(order: tuple[Step, ...]) -> tuple[Step, ...]:
    last = {node: place for place, step in enumerate(order) for node in step.inputs}
    ending: list[list[Expr]] = [[] for _ in order]
    for node, place in last.items():
        ending[place].append(node)
    return tuple(Step(step.node, step.inputs, tuple(ends)) for step, ends in zip(order, ending, strict=True))
