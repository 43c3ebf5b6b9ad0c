"""INSERT: the rows of a query as rows of a table, each value cast to the type of its column, defaults where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule
from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Plan, Project
from tqp.sql.cast_rows import as_types
from tqp.sql.context import Context, listed, near
from tqp.sql.expansion import expand, expression_of
from tqp.sql.expr import ExprBinder
from tqp.sql.gathering import Constants, ConstantsNode, Scattered
from tqp.sql.generated import completed, stored
from tqp.sql.operators import cast
from tqp.sql.ordering import ordered_output, within_brackets
from tqp.sql.query import bind_query, with_ctes
from tqp.sql.reading import require_read
from tqp.sql.scope import Scope
from tqp.sql.stand_ins import DEFAULT_CELL
from tqp.sql.unread import watch
from tqp.sql.values import values_plan
from tqp.types import NULL, DType

__all__ = ["Assignment", "Target", "cell_of", "default_of", "named_rules"]


class Target(Protocol):
    """What rows are asked for by a statement that holds a query."""

    def plan(self, context: Context, tree: exp.Expr) -> Plan:
        """The plan of its rows, of the syntax of the query."""
        ...


@dataclass(frozen=True, slots=True)
class Assignment:
    """Rows for a table of these columns, in the order of `columns` (None: of all of them), or `by_name` of the query's."""

    table: str
    rules: tuple[ColumnRule, ...]
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    with_before: bool = False
    """Whether a WITH of the query stands before INSERT: it leaves VALUES what it is."""

    def plan(self, context: Context, tree: exp.Expr) -> Plan:
        """The plan of rows of the table, all of its columns in their order."""
        rules: Sequence[ColumnRule]
        if self.by_name:
            plan = bind_query(context, tree, None, {})
            rules = self.named(context, [field.name for field in plan.schema])
            plan = _typed(context, tree, plan, rules)
        else:
            rules = stored(self.rules) if self.columns is None else self.named(context, self.columns)
            plan = _in_order(context, tree, self, rules)
        found: dict[str, Expr] = {rule.name: field.ref for rule, field in zip(rules, plan.schema, strict=True)}
        given = stored(self.rules)
        exprs = [found.get(rule.name) or default_of(context, rule) for rule in given]
        fields = tuple(context.field(rule.name, rule.dtype) for rule in given)
        return completed(context, Project(plan, fields, tuple(exprs)), self.rules)

    def named(self, context: Context, names: Sequence[str]) -> list[ColumnRule]:
        return named_rules(context, "INSERT", self.table, self.rules, names)


def default_of(context: Context, rule: ColumnRule) -> Expr:
    """The default of a column, as an expression of its type."""
    if rule.default is None:
        return Literal(None, rule.dtype)
    node = expression_of(rule.default, context.session.macros.names(), own=context.session.own)
    expand(context, node)
    watched = watch(node)
    value = cast(ExprBinder(context, Scope(None), {}, "DEFAULT").bind(node), rule.dtype)
    require_read(context, node, watched)
    return value


def cell_of(binder: ExprBinder, rule: ColumnRule, cell: exp.Expr) -> Expr:
    """A value that is written for a column, or DEFAULT, in the type of that."""
    context, inner = binder.context, cell.unnest()
    if isinstance(inner, exp.Column) and inner.name == DEFAULT_CELL:
        return default_of(context, rule)
    if any(column.name == DEFAULT_CELL for column in cell.find_all(exp.Column)):
        raise context.error(cell, "DEFAULT stands alone, not in an expression")
    value = binder.bind(cell)
    _require_type(context, cell, rule, value.dtype)
    return cast(value, rule.dtype)


def _in_order(context: Context, tree: exp.Expr, target: Assignment, rules: Sequence[ColumnRule]) -> Plan:
    dtypes = [rule.dtype for rule in rules]
    rows = within_brackets(tree)
    if isinstance(rows, exp.Values) and (target.with_before or rows.args.get("with_") is None):
        # Each value is cast by itself: in others than these the rows of VALUES first take a common type.
        for row in rows.expressions:
            if isinstance(row, ConstantsNode):
                width = row.this.width if isinstance(row.this, Constants) else len(row.this.cells.columns)
                if width != len(rules) or any(rule.dtype == NULL for rule in rules):
                    raise Scattered
                continue
            _require_count(context, row, target, rules, len(_cells(row)))

        def bound(binder: ExprBinder, place: int, cell: exp.Expr) -> Expr:
            return cell_of(binder, rules[place], cell)

        ctes = with_ctes(context, rows, None, {})
        return ordered_output(context, rows, values_plan(context, rows, None, ctes, dtypes, bound), ctes)
    plan = bind_query(context, tree, None, {})
    _require_count(context, tree, target, rules, len(plan.schema))
    return _typed(context, tree, plan, rules)


def _typed(context: Context, tree: exp.Expr, plan: Plan, rules: Sequence[ColumnRule]) -> Plan:
    """The rows in the types of the columns."""
    for rule, field in zip(rules, plan.schema, strict=True):
        _require_type(context, tree, rule, field.dtype)
    return as_types(context, plan, [rule.dtype for rule in rules])


def _require_type(context: Context, node: exp.Expr, rule: ColumnRule, dtype: DType) -> None:
    """BindError for a value in a column of which nothing is known but NULLs."""
    if NULL == rule.dtype != dtype:
        hint = "make the table with a type: CREATE TABLE … AS SELECT NULL::INTEGER AS a"
        raise context.error(
            node, f"column {rule.name} has no type but that of NULL, and {dtype} cannot become that", hint
        )


def _cells(row: exp.Expr) -> list[exp.Expr]:
    return row.expressions if isinstance(row, exp.Tuple) else [row]


def _require_count(
    context: Context, node: exp.Expr, target: Assignment, rules: Sequence[ColumnRule], given: int
) -> None:
    wanted = len(rules)
    if wanted != given:
        what = f"table {target.table} has {wanted}" if target.columns is None else f"{wanted} are named"
        names = listed([rule.name for rule in stored(target.rules)][:given])
        hint = f"name those that are given: INSERT INTO {target.table} ({names}) …" if given < wanted else None
        raise context.error(node, f"a row has {given} value{'' if given == 1 else 's'}, but {what} columns", hint=hint)


def named_rules(
    context: Context, statement: str, table: str, rules: Sequence[ColumnRule], names: Sequence[str]
) -> list[ColumnRule]:
    """The columns of these names, each of which stands once; BindError for another one, and for one that is generated."""
    by_name = {rule.name.lower(): rule for rule in rules}
    found: dict[str, ColumnRule] = {}
    for name in names:
        rule = by_name.get(name.lower())
        if rule is None:
            columns = [rule.name for rule in rules]
            hint = near(name, columns) or f"its columns are {listed(columns)}"
            raise context.error(None, f"table {table} has no column {name}", hint=hint)
        if rule.generated is not None:
            hint = f"it is {rule.generated} in each row"
            raise context.error(None, f"column {name} of {table} is generated, and takes no values", hint=hint)
        if rule.name in found:
            raise context.error(None, f"column {name} stands twice in {statement}")
        found[rule.name] = rule
    return list(found.values())
