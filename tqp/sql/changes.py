"""UPDATE, DELETE and their kin: which rows of a table a statement means, and new values, as the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule
from tqp.data.stored import StoredTable
from tqp.errors import ParseError
from tqp.ir.expr import Expr
from tqp.ir.plan import Filter, Join, Plan, Project, Scan
from tqp.sql.assign import cell_of, default_of, named_rules
from tqp.sql.columns import conditions
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.generated import dependents, in_order, stored, with_generated
from tqp.sql.joins import beside
from tqp.sql.operators import call, condition, flat
from tqp.sql.query import with_ctes
from tqp.sql.relations import bind_from
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unread import discard

__all__ = ["Changes", "Partner"]


@dataclass(frozen=True, slots=True)
class Partner:
    """The rows of another table by that name: each one that has the values of `keys` in common, or, of kind anti, none of them.

    `is_qualified`: its columns go by names behind that name alone.
    """

    table: StoredTable
    name: str
    kind: Literal["inner", "anti"] = "inner"
    keys: tuple[str, ...] = ()
    is_qualified: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows of `table` that a statement means, for a text `SELECT values [FROM others] [WHERE condition]` over them.

    They go by `name` in it, behind `schema` where that is their own name. Each value is for the columns of one entry of `columns`,
    which `rules` has; without any, the value in the text says nothing. `clause` is the statement. With a `partner` rows are
    paired with its rows. The first `conditions` of the values are none, but must be true: the first of these for each pair, unless
    that has keys, the others where a row has a partner or shall have none; `refused` of these others must not be true.
    `fills`: the other columns get values, too, which are their defaults. Generated columns that depend on the columns get values,
    which stand behind the others, or with `fills` in their places.
    """

    table: StoredTable
    rules: tuple[ColumnRule, ...]
    clause: str
    name: str
    schema: str = ""
    columns: tuple[tuple[str, ...], ...] = ()
    partner: Partner | None = None
    conditions: int = 0
    refused: int = 0
    fills: bool = False

    def plan(self, context: Context, tree: exp.Expr) -> Plan:
        """The number of each row that is meant, once for each of its partners among the others, and its new values."""
        assert isinstance(tree, exp.Select)
        names = [name for each in self.columns for name in each]
        rules = named_rules(context, self.clause, self.table.name, self.rules, names)
        ctes = with_ctes(context, tree, None, {})
        plan, scope = _rows(context, self.table, self.name, self.schema)
        number = scope.relations[0].hidden[0].ref
        nodes: list[exp.Expr] = tree.expressions
        filters, values = nodes[: self.conditions], nodes[self.conditions :]
        if self.partner is not None:
            count = 0 if self.partner.keys else 1
            plan, scope = self._paired(context, plan, scope, filters[:count], ctes)
            filters = filters[count:]
        filters = [
            exp.Not(this=exp.Is(this=exp.Paren(this=node), expression=exp.true())) if place < self.refused else node
            for place, node in enumerate(filters)
        ]
        source = tree.args.get("from_")
        if source is not None:
            # The others do not see the row that is changed.
            others, beyond = bind_from(context, source, tree.args.get("joins") or (), None, ctes)
            plan, scope = beside(context, source, "inner", plan, others, None), scope.extended(beyond)
        where = tree.args.get("where")
        if where is not None:
            filters = [*filters, *conditions(context, scope, ctes, where.this)]
        if filters:
            binder = ExprBinder(context, scope, ctes, "WHERE")
            plan = Filter(plan, flat("and", [binder.bind(self._alone(context, node)) for node in filters]))
        found = self._values(context, values, rules, scope, ctes)
        if self.fills:
            given = {rule.name: value for rule, value in zip(rules, found, strict=True)}
            rules = stored(self.rules)
            found = [given.get(rule.name) or default_of(context, rule) for rule in rules]
        numbers = context.field("rowid", number.dtype)
        fields = tuple(context.field(rule.name, rule.dtype) for rule in rules)
        generated = in_order(self.rules) if self.fills else dependents(self.rules, [rule.name for rule in rules])
        other = {rule.name for rule in (*rules, *generated)}
        # With `fills` the rows are those of another table, and all columns have values.
        own = () if self.fills or not generated else scope.relations[0].fields
        kept = tuple(field for field in own if field.name not in other)
        plan = Project(plan, (numbers, *fields, *kept), (number, *found, *(field.ref for field in kept)))
        if not generated:
            return plan
        plan, made = with_generated(context, plan, (*fields, *kept), generated)
        written = [*fields, *made]
        if self.fills:
            places = {rule.name: place for place, rule in enumerate(self.rules)}
            written.sort(key=lambda field: places[field.name])
        return Project(plan, (numbers, *written), tuple(field.ref for field in (numbers, *written)))

    def _paired(
        self, context: Context, plan: Plan, scope: Scope, on: Sequence[exp.Expr], ctes: Mapping[str, Cte]
    ) -> tuple[Plan, Scope]:
        """The rows with their partners; those that have none are seen alone."""
        assert self.partner is not None
        others, beyond = _rows(context, self.partner.table, self.partner.name, "")
        beyond = Scope(None, [replace(beyond.relations[0], is_qualified=self.partner.is_qualified)])
        both = scope.extended(beyond)
        parts = [
            call("eq", scope.relations[0].called(key.lower())[0].ref, beyond.relations[0].called(key.lower())[0].ref)
            for key in self.partner.keys
        ]
        binder = ExprBinder(context, both, ctes, "ON")
        parts += [condition(binder.bind(self._alone(context, node))) for node in on]
        joined = Join(self.partner.kind, plan, others, residual=flat("and", parts))
        return joined, both if self.partner.kind == "inner" else scope

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
            cells += self._cells(context, self._alone(context, node), len(names))
        binder = ExprBinder(context, scope, ctes, self.clause)
        return [cell_of(binder, rule, cell) for rule, cell in zip(rules, cells, strict=True)]

    def _alone(self, context: Context, node: exp.Expr) -> exp.Expr:
        """An expression of the text; ParseError for one with an alias."""
        if isinstance(node, exp.Alias):
            raise ParseError(f"syntax error: a value of {self.clause} has no alias", text=context.text)
        return node

    def _cells(self, context: Context, node: exp.Expr, count: int) -> list[exp.Expr]:
        """The value of each of several columns: those of a row as it is written, or one for all of them."""
        is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
        if count == 1 or not (is_row or isinstance(node, exp.Tuple)):
            return [node] * count
        cells: list[exp.Expr] = node.expressions
        if len(cells) != count:
            raise context.error(node, f"{count} columns cannot take {len(cells)} values")
        return cells


def _rows(context: Context, table: StoredTable, name: str, schema: str) -> tuple[Plan, Scope]:
    """All rows of a table by that name, with their numbers."""
    fields = tuple(context.field(column, dtype) for column, dtype in table.schema)
    hidden = tuple(context.field(column, dtype) for column, dtype in table.hidden)
    columns = tuple(column for column, _ in (*table.schema, *table.hidden))
    scan = Scan(table, columns, (*fields, *hidden))
    return scan, Scope(None, [Relation(name, fields, "", schema, hidden=hidden)])
