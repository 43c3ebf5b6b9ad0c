"""A SELECT while its clauses are bound: what each of them has found so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from tqp.ir.expr import Expr, SortKey
from tqp.ir.plan import Field, Plan, Values
from tqp.sql.collected import Aggregates, Unnests, Windows
from tqp.sql.context import Context
from tqp.sql.equal_keys import Apart
from tqp.sql.expr import ExprBinder
from tqp.sql.output import Output
from tqp.sql.scope import Cte, Scope
from tqp.sql.select_list import Item

__all__ = ["Selection"]


def _same(expr: Expr) -> Expr:
    return expr


def _same_column(column: Field) -> Field:
    return column


@dataclass
class Selection:
    """One SELECT. The clauses fill this in while they are bound, and turn `plan` into the next one when all of them are.

    `scope` is that of FROM. `items` are the columns that the SELECT list asks for, and `aliases` what they call their
    expressions. `keys` are those of GROUP BY with names, None where nothing groups; `of_all` says that it is GROUP BY ALL.
    `columns` are the output columns and `outputs` their expressions. Lists of `key_unnests` are unnested before rows are grouped,
    by their elements, those of `unnests` at last. `over` and `column` turn what was bound over the rows of FROM into the same
    over groups.
    """

    context: Context
    node: exp.Select
    parent: Scope | None
    ctes: Mapping[str, Cte]
    plan: Plan
    scope: Scope
    aggregates: Aggregates
    windows: Windows
    unnests: Unnests
    key_unnests: Unnests
    items: list[Item] = field(default_factory=list)
    aliases: dict[str, exp.Expr | Expr] = field(default_factory=dict)
    keys: list[tuple[Expr, str]] | None = None
    of_all: bool = False
    apart: Apart = field(default_factory=Apart)
    columns: list[Field] = field(default_factory=list)
    outputs: list[Expr] = field(default_factory=list)
    order: tuple[SortKey, ...] = ()
    distinct: tuple[Expr, ...] | None = None
    over: Callable[[Expr], Expr] = _same
    column: Callable[[Field], Field] = _same_column

    @staticmethod
    def of(context: Context, node: exp.Select, parent: Scope | None, ctes: Mapping[str, Cte]) -> Selection:
        """One of which nothing is bound: it has one row without columns."""
        collected = Aggregates(context), Windows(context), Unnests(context), Unnests(context)
        return Selection(context, node, parent, ctes, Values((), ((),)), Scope(parent), *collected)

    def of_rows(self, clause: str) -> ExprBinder:
        """What binds a clause over the rows of FROM."""
        return ExprBinder(self.context, self.scope, self.ctes, clause, self.aliases)

    def of_groups(self, clause: str) -> ExprBinder:
        """What binds a clause over groups: it may call aggregates and window functions."""
        return ExprBinder(
            self.context,
            self.scope,
            self.ctes,
            clause,
            {**self.aliases, **self.apart.names},
            aggregates=self.aggregates,
            windows=self.windows,
            grouped=self.key_unnests,
        )

    def refs(self) -> list[Expr]:
        """The output columns."""
        return [column.ref for column in self.columns]

    def output(self) -> Output:
        """What was bound, with the plan as it has become. One symbol names one column, so one shown again gets a new one."""
        seen: set[str] = set()
        fields: list[Field] = []
        for column in self.columns:
            once = column if column.symbol not in seen else self.context.field(column.name, column.dtype)
            seen.add(once.symbol)
            fields.append(once)
        return Output(self.plan, tuple(fields), tuple(self.outputs), self.order, self.distinct)
