"""Which scans a join's keys may filter: those that the key of its left side comes from, through what lies between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from tqp.ir.expr import ColumnRef, Expr
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
from tqp.ir.source import Source
from tqp.ir.visit import symbols
from tqp.operators.build import BuildRef
from tqp.operators.keyfilters import KeyFilterStage
from tqp.operators.membership import Members
from tqp.operators.results import Slot
from tqp.optimizer.facts import covers, unique_keys

__all__ = ["KeyFilters"]


@dataclass(frozen=True, slots=True)
class _Below:
    """A scan that the values of a key come from, its column, and what they pass on their way to the join."""

    scan: Scan
    key: ColumnRef
    is_joined: bool = False
    """Another join on the way may find several partners for a row."""
    is_broken: bool = False
    """They are collected on the way: by a build, a grouping, a sort."""


class KeyFilters:
    """The filters of the scans of one program. Scans of several definitions may have the same symbols, and even be equal."""

    def __init__(self, least: int | None) -> None:
        """`least`: rows of a table that is worth a filter; None: none is."""
        self._least = least
        self._found: list[tuple[Scan, KeyFilterStage]] = []

    def add(self, join: Join, build: BuildRef | Slot[Members], keys: tuple[Expr, ...]) -> None:
        """Note what the keys of a join, an inner or a semi one, say of scans on its left side, which is not lowered yet.

        `keys` are those of the left side in the order of the build side's. It is as if nothing happened where these say nothing.
        """
        if self._least is None or join.kind not in ("inner", "semi"):
            return
        all_of = _all_rows(join.right)
        for place, key in enumerate(keys):
            for below in _scans(join.left, key) if isinstance(key, ColumnRef) else ():
                column = below.scan.column(below.key.symbol)
                # To look a row up in a table is no more than to test it.
                is_needed = below.is_joined or below.is_broken or len(keys) > 1
                source = below.scan.source
                if column is None or not is_needed or source.rows < self._least:
                    continue
                if all_of is not None and 2 * all_of >= _values(source, column):
                    continue
                stage = KeyFilterStage(build, place, below.key, source, column, below.is_broken)
                self._found.append((below.scan, stage))

    def of(self, scan: Scan) -> Iterator[KeyFilterStage]:
        """Those of a scan, by its identity."""
        return (stage for known, stage in self._found if known is scan)


def _all_rows(plan: Plan) -> int | None:
    """The rows of the stored table all of whose rows a plan has; None of others."""
    while isinstance(plan, Project | Sort | Window):
        plan = plan.input
    return plan.source.rows if isinstance(plan, Scan) else None


def _values(source: Source, column: str) -> int:
    """How many values a stored column may have: what its limits alone tell."""
    facts = source.statistics(column)
    if facts.minimum is None or facts.maximum is None:
        return source.rows
    return min(source.rows, facts.maximum - facts.minimum + 1)


def _expands(plan: Join) -> bool:
    """Whether a row of the left side may find several of the right one."""
    return not covers(unique_keys(plan.right), (theirs for _, theirs in plan.keys))


def _scans(plan: Plan, key: Expr) -> Iterator[_Below]:
    """The scans that the values of `key` over the plan's columns come from, all of whose rows may go that have other ones.

    Then the plan gives the same rows except for those with other values of the key, which are those that go.
    """
    pending: list[tuple[Plan, Expr, bool, bool]] = [(plan, key, False, False)]
    while pending:
        node, key, joined, broken = pending.pop()
        if not isinstance(key, ColumnRef):
            continue
        match node:
            case Scan():
                yield _Below(node, key, joined, broken)
            case Filter():
                pending.append((node.input, key, joined, broken))
            case Sort():
                pending.append((node.input, key, joined, True))
            case Project():
                made = dict(zip([field.symbol for field in node.fields], node.exprs, strict=True))
                pending.append((node.input, made[key.symbol], joined, broken))
            case Join():
                if node.kind in ("right", "full") or (
                    node.kind == "semi" and any(ours == key for ours, _ in node.keys)
                ):
                    # It pads rows, or is such a filter itself.
                    continue
                if any(field.symbol == key.symbol for field in node.left.schema):
                    pending.append((node.left, key, joined or _expands(node), broken))
                elif node.kind == "inner":
                    pending.append((node.right, key, joined, True))
            case Aggregate() if key.symbol in node.keys:
                pending.append((node.input, key, joined, True))
            case Window() if any(symbols(part) == {key.symbol} and part == key for part in node.partition_by):
                pending.append((node.input, key, joined, True))
            case SetOp() if node.kind == "union":
                place = next(place for place, field in enumerate(node.fields) if field.symbol == key.symbol)
                pending += [(side, side.schema[place].ref, joined, True) for side in node.children]
            case (
                Shared() | Values() | Aggregate() | GroupingSets() | Window() | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
