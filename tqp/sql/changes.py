"""UPDATE and DELETE: which rows of a table a statement means, and the new values of their columns, as the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule
from tqp.data.stored import StoredTable
from tqp.errors import ParseError
from tqp.ir.expr import Expr
from tqp.ir.plan import Filter, Plan, Project, Scan
from tqp.sql.assign import cell_of, named_rules
from tqp.sql.columns import conditions
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.joins import beside
from tqp.sql.operators import flat
from tqp.sql.query import with_ctes
from tqp.sql.relations import bind_from
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unread import discard

__all__ = ["Changes"]


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows of `table` that a statement changes, for a text `SELECT values [FROM others] [WHERE condition]` over them.

    They go by `name` in it, behind `schema` where that is their own name. Each value is for the columns of one entry of `columns`;
    without any, the value in the text says nothing. `clause` is the statement.
    """

    table: StoredTable
    rules: tuple[ColumnRule, ...]
    clause: str
    name: str
    schema: str = ""
    columns: tuple[tuple[str, ...], ...] = ()

    def plan(self, context: Context, tree: exp.Expr) -> Plan:
        """The number of each row that is meant, once for each of its partners among the others, and its new values."""
        assert isinstance(tree, exp.Select)
        rules = named_rules(
            context, self.clause, self.table.name, self.rules, [name for each in self.columns for name in each]
        )
        ctes = with_ctes(context, tree, None, {})
        plan, scope, number = self._rows(context)
        source = tree.args.get("from_")
        if source is not None:
            # The others do not see the row that is changed.
            others, beyond = bind_from(context, source, tree.args.get("joins") or (), None, ctes)
            plan, scope = beside(context, source, "inner", plan, others, None), scope.extended(beyond)
        where = tree.args.get("where")
        if where is not None:
            binder = ExprBinder(context, scope, ctes, "WHERE")
            parts = [binder.bind(part) for part in conditions(context, scope, ctes, where.this)]
            plan = Filter(plan, flat("and", parts))
        values = self._values(context, tree.expressions, rules, scope, ctes)
        fields = (context.field("rowid", number.dtype), *(context.field(rule.name, rule.dtype) for rule in rules))
        return Project(plan, fields, (number, *values))

    def _rows(self, context: Context) -> tuple[Plan, Scope, Expr]:
        """All rows of the table, and their numbers."""
        fields = tuple(context.field(column, dtype) for column, dtype in self.table.schema)
        hidden = tuple(context.field(column, dtype) for column, dtype in self.table.hidden)
        columns = tuple(column for column, _ in (*self.table.schema, *self.table.hidden))
        scan = Scan(self.table, columns, (*fields, *hidden))
        return scan, Scope(None, [Relation(self.name, fields, "", self.schema, hidden=hidden)]), hidden[0].ref

    def _values(
        self,
        context: Context,
        nodes: Sequence[exp.Expr],
        rules: Sequence[ColumnRule],
        scope: Scope,
        ctes: Mapping[str, Cte],
    ) -> list[Expr]:
        """The new values of the columns, in the types of these."""
        if not self.columns:
            for node in nodes:
                discard(node)
            return []
        cells: list[exp.Expr] = []
        for node, names in zip(nodes, self.columns, strict=True):
            cells += self._cells(context, node, len(names))
        binder = ExprBinder(context, scope, ctes, self.clause)
        return [cell_of(binder, rule, cell) for rule, cell in zip(rules, cells, strict=True)]

    def _cells(self, context: Context, node: exp.Expr, count: int) -> list[exp.Expr]:
        """The value of each of several columns: those of a row as it is written, or one for all of them."""
        if isinstance(node, exp.Alias):
            raise ParseError(f"syntax error: a value of {self.clause} has no alias", text=context.text)
        is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
        if count == 1 or not (is_row or isinstance(node, exp.Tuple)):
            return [node] * count
        cells: list[exp.Expr] = node.expressions
        if len(cells) != count:
            raise context.error(node, f"{count} columns cannot take {len(cells)} values")
        return cells
