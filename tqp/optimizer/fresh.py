"""New symbols for rules that make columns, and copies of plans under new symbols."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from tqp.ir.expr import Expr
from tqp.ir.plan import Field, Plan, Project
from tqp.ir.symbols import all_symbols, renamed
from tqp.ir.visit import definitions

__all__ = ["Symbols", "copy_plan", "pass_through", "select"]


P = TypeVar("P", bound=Plan)


class Symbols:
    """Makes symbols that a query, its subqueries and shared definitions included, does not use yet.

    Which ones it uses is found out when a symbol is first asked for.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._next: dict[str, int] = {}

    @cached_property
    def _used(self) -> set[str]:
        return all_symbols(self._plan).union(*map(all_symbols, definitions(self._plan)))

    def fresh(self, base: str) -> str:
        """An unused symbol that starts with `base`, less a suffix of an earlier call."""
        stem = base.split("~", 1)[0]
        count = self._next.get(stem, 1)
        while (symbol := f"{stem}~{count}") in self._used:
            count += 1
        self._next[stem] = count + 1
        self._used.add(symbol)
        return symbol


def copy_plan(plan: P, symbols: Symbols) -> tuple[P, dict[str, Field]]:
    """The same relation under new symbols, and for each old output symbol its new field.

    Symbols free in the plan stay.
    """
    copy = renamed(plan, {symbol: symbols.fresh(symbol) for symbol in sorted(all_symbols(plan))})
    return copy, {old.symbol: new for old, new in zip(plan.schema, copy.schema, strict=True)}


def select(plan: Plan, fields: tuple[Field, ...]) -> Plan:
    """Exactly `fields` of the plan, in that order; the plan itself where that is what it has."""
    if plan.schema == fields:
        return plan
    return Project(plan, fields, tuple(field.ref for field in fields))


def pass_through(plan: Plan, extra: tuple[tuple[Field, Expr], ...]) -> Plan:
    """The plan with computed columns added."""
    if not extra:
        return plan
    fields = (*plan.schema, *(field for field, _ in extra))
    return Project(plan, fields, (*(field.ref for field in plan.schema), *(expr for _, expr in extra)))
