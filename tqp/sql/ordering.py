"""ORDER BY, and what follows a query that is no SELECT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from tqp.errors import BindError, counted
from tqp.ir.expr import ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import Field, Plan, Project, Schema, Sort
from tqp.ir.visit import symbols
from tqp.sql.collations import collated, collation_of, sort_key_of
from tqp.sql.collected import Unnests, Windows
from tqp.sql.columns import is_all, sort_targets
from tqp.sql.context import Context
from tqp.sql.directions import direction
from tqp.sql.expr import ExprBinder
from tqp.sql.limits import limited
from tqp.sql.literals import is_constant, signed
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unread import discard
from tqp.types import BIGINT, integer_range

__all__ = [
    "Side", "is_bare", "order_keys", "ordered_output", "ordinal", "sorted_by", "with_order_of", "within_brackets",
]  # fmt: skip

Ctes = Mapping[str, Cte]


def ordered_output(
    context: Context,
    node: exp.Expr,
    plan: Plan,
    ctes: Ctes,
    sides: Sequence[Side] = (),
) -> Plan:
    """ORDER BY and LIMIT after a set operation, VALUES or parentheses: over the output columns alone.

    They go by the names that `sides` have for them, too, and by the expressions there.
    """
    # Of equal names a set operation goes by the first, as its sides do, all else by the last, as SELECT does.
    aliases = {column.name.lower(): column.ref for column in (reversed(plan.schema) if sides else plan.schema)}
    # What one side calls a column comes before the names of the sides after it.
    for side in sides:
        for column, place in zip(side.columns, side.places, strict=True):
            aliases.setdefault(column.name.lower(), plan.schema[place].ref)
    scope = Scope(None, [Relation("", plan.schema)])
    # Within an expression a column goes by its own name alone.
    unnests, windows = Unnests(context), Windows(context)
    within = ExprBinder(context, scope, ctes, "ORDER BY", unnests=unnests, windows=windows)
    alone = replace(within, aliases=aliases, aliases_first=True)

    def bind(target: exp.Expr) -> Expr:
        with context.at(target):
            output = _shown_by(sides, target, plan.schema)
        return output or (alone if isinstance(target, exp.Column) else within).bind(target)

    keys = order_keys(context, node.args.get("order"), within, [column.ref for column in plan.schema], bind)
    limit, offset = node.args.get("limit"), node.args.get("offset")
    rows = unnests.over(windows.over(plan, lambda expr: expr), lambda expr: expr)
    made = limited(context, node, limit, offset, sorted_by(context, rows, keys), ctes)
    if made.schema == plan.schema:
        return made
    return Project(made, plan.schema, tuple(column.ref for column in plan.schema))


@dataclass(frozen=True)
class Side:
    """One of the queries that a set operation puts together, its columns, and which of the result's columns they are."""

    query: exp.Expr
    columns: Schema
    places: tuple[int, ...]

    @staticmethod
    def of(query: exp.Expr, columns: Schema) -> Side:
        """The side whose columns are the result's."""
        return Side(query, columns, tuple(range(len(columns))))

    def moved(self, places: Sequence[int]) -> Side:
        """The side after the result's column i has become the one at `places[i]`."""
        return replace(self, places=tuple(places[place] for place in self.places))


def _shown_by(sides: Sequence[Side], target: exp.Expr, outputs: Schema) -> Expr | None:
    """The output column that ORDER BY means by an expression of one side's SELECT list, or by `table.column` of its FROM.

    Bare names are left to those who know the names of the outputs; None where no side shows the expression, BindError where it is
    several columns.
    """
    bare = isinstance(target, exp.Column) and not target.table
    named = [*outputs, *(column for side in sides for column in side.columns)]
    found: list[int] = []
    for side in sides:
        select = side.query
        while isinstance(select, exp.Subquery | exp.Paren):
            select = select.this
        if not isinstance(select, exp.Select):
            continue
        items = [item.unalias() for item in select.expressions]
        if len(items) != len(side.columns) or any(item.is_star for item in items):
            items = []  # a * stands for several columns
        for index, column in enumerate(side.columns):
            written = items[index] if items else exp.column(column.name)
            same = items and _is_same(written, target) and not (bare and _called(named, target.name))
            if same or (not bare and _is_of(select, written, target)):
                discard(target)  # what it holds was bound where the side shows it
                found.append(side.places[index])
    if len(set(found)) > 1:
        raise BindError("several columns are shown by this expression", hint="order by the number of one")
    return outputs[found[0]].ref if found else None


def _is_same(written: exp.Expr, target: exp.Expr) -> bool:
    """Whether two expressions are written alike, but for capitals in names."""
    if type(written) is not type(target):
        return False
    return written == target or written.sql(normalize=True) == target.sql(normalize=True)


def _called(columns: Sequence[Field], name: str) -> bool:
    return any(column.name.lower() == name.lower() for column in columns)


def _is_of(select: exp.Select, written: exp.Expr, target: exp.Expr) -> bool:
    """Whether `target` is a column `table.name`, and `written` that column without its table."""
    if not isinstance(target, exp.Column) or not isinstance(written, exp.Column) or written.table:
        return False
    source = select.args.get("from_")
    tables = [source.this, *(join.this for join in select.args.get("joins") or ())] if source is not None else []
    known = any(table.alias_or_name.lower() == target.table.lower() for table in tables)
    return known and written.name.lower() == target.name.lower()


def is_bare(node: exp.Expr) -> bool:
    """Whether a query has neither a WITH nor an order or limit of its own."""
    return not any(node.args.get(part) for part in ("with_", "order", "limit", "offset"))


def within_brackets(node: exp.Expr) -> exp.Expr:
    """The query in brackets that have neither a WITH nor an order or limit of their own."""
    while isinstance(node, exp.Subquery | exp.Paren) and is_bare(node):
        node = node.this
    return node


def with_order_of(select: exp.Select, around: exp.Expr) -> exp.Select:
    """`(SELECT …) ORDER BY … LIMIT …` without the parentheses."""
    parts = {part: around.args.get(part) for part in ("order", "limit", "offset")}
    if not any(parts.values()):
        return select
    made = select.copy()
    for part, value in parts.items():
        made.set(part, value)
    return made


def order_keys(
    context: Context,
    order: exp.Order | None,
    binder: ExprBinder,
    outputs: Sequence[Expr],
    bind: Callable[[exp.Expr], Expr],
) -> tuple[SortKey, ...]:
    """The keys of an ORDER BY: `outputs` by number or ALL, others as `bind` makes of them.

    `binder` knows the columns that a * stands for.
    """
    items = [] if order is None else order.expressions
    keys: list[SortKey] = []
    for item in items:
        descending, nulls_first = direction(context.session.order, item)
        target, collation = item.this, None
        if isinstance(target, exp.Collate):
            # What is collated is named as if it stood alone.
            context.collates.append(target)
            target, collation = target.this, collation_of(target.expression)
        index = ordinal(context, target, len(outputs), "ORDER BY")
        if isinstance(target, exp.Var) and target.name.upper() == "ALL" or len(items) == 1 and is_all(target):
            found = list(outputs)
        elif index is not None:
            found = [outputs[index]]
        elif is_constant(target):
            raise context.error(target, "ORDER BY a constant orders nothing", hint="name a column or its number")
        else:
            found = [bind(part) for part in sort_targets(context, binder.scope, binder.ctes, target)]
        for expr in found if collation is None else [collated(expr, collation) for expr in found]:
            keys.append(sort_key_of(SortKey(expr, descending, nulls_first)))
    return tuple(keys)


def ordinal(context: Context, node: exp.Expr, count: int, clause: str) -> int | None:
    """The output column, from 0, that an integer in ORDER BY or GROUP BY means; None for other expressions.

    `#1` is one, too, except in GROUP BY, where it is a column of FROM, and where an integer beyond BIGINT is a constant.
    """
    if isinstance(node, exp.PositionalColumn) and clause != "GROUP BY":
        node = node.this
    literal, negative = signed(node)
    if not isinstance(literal, exp.Literal) or literal.is_string or not literal.this.isdigit():
        return None
    # Twenty digits are beyond BIGINT already, and Python does not read any number of them.
    digits = (literal.this.lstrip("0") or "0")[:20]
    index = -int(digits) if negative else int(digits)
    least, most = integer_range(BIGINT)
    if clause == "GROUP BY" and not least <= index <= most:
        return None
    if not 1 <= index <= count:
        raise context.error(
            node,
            f"{clause} {index} is out of range",
            hint=f"SELECT has {counted(count, 'column')}",
        )
    return index - 1


def sorted_by(context: Context, plan: Plan, keys: tuple[SortKey, ...]) -> Plan:
    """The plan sorted; keys that are no columns are computed below the sort and stay as extra columns."""
    if not keys:
        return plan
    extra: list[tuple[Field, Expr]] = []
    refs: list[SortKey] = []
    for key in keys:
        if isinstance(key.expr, ColumnRef):
            refs.append(key)
            continue
        if not symbols(key.expr) and isinstance(key.expr, Literal):
            continue
        column = context.field("order_key", key.expr.dtype)
        extra.append((column, key.expr))
        refs.append(SortKey(column.ref, key.descending, key.nulls_first))
    if extra:
        kept = plan.schema
        fields = (*kept, *(column for column, _ in extra))
        plan = Project(plan, fields, (*(column.ref for column in kept), *(expr for _, expr in extra)))
    return Sort(plan, tuple(refs)) if refs else plan
