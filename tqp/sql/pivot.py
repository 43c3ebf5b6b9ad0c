"""PIVOT: values of a column become columns, as two groupings: one by these values, too, and one that puts them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import pyarrow as pa
from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.aggregates import find_aggregate
from tqp.io.constants import ConstantTable
from tqp.ir import words
from tqp.ir.expr import Expr, Literal
from tqp.ir.plan import Field, Filter, Join, Pivot, Plan, Project, Scan, Values
from tqp.ir.visit import rename
from tqp.sql.aggregate import aggregates_in, function_name
from tqp.sql.collations import has_key, key_of
from tqp.sql.columns import holds_columns
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.names import display
from tqp.sql.operators import call, cast, choose
from tqp.sql.pivot_values import PivotValue, found_values, parts_of_row, written_values
from tqp.sql.query import bind_query, query_form
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unpivot import SOURCE, of_source, unpivoted, with_source
from tqp.sql.unread import discard
from tqp.sql.window import has_window
from tqp.types import BIGINT, VARCHAR, DType, Kind

__all__ = ["pivoted"]

Ctes = Mapping[str, Cte]
_SPELLED: Final = frozenset({Kind.BOOLEAN, Kind.DATE, Kind.DECIMAL, Kind.TIMESTAMP})
"""Types whose equal values have one text, beside integers: then a value is found by itself, and not by its text."""


@dataclass(frozen=True)
class _Choice:
    """An expression of PIVOT … ON, the column it is in the first grouping, and its values."""

    node: exp.Expr
    column: str
    values: tuple[PivotValue, ...]
    dtype: DType

    def placed(self, context: Context, grouped: Plan, column: Field) -> tuple[Plan, Expr, list[int]]:
        """The rows beside the place of their value of `column`, NULL for none of the values, and the place of each value."""
        places: dict[str | None, int] = {}
        known = self._forms(context)
        for value in self.values:
            places.setdefault(known(value.text), len(places))
        texts = pa.array([text for text in places if text is not None], pa.string())
        numbers = pa.array([place for text, place in places.items() if text is not None], pa.int64())
        table = ConstantTable.of_arrow(pa.table({"text": texts, "place": numbers}), context.session.device)
        text, place = context.field("text", VARCHAR), context.field("place", BIGINT)
        values: Plan = Scan(table, ("text", "place"), (text, place))
        mine, theirs = cast(column.ref, VARCHAR) if self.dtype != VARCHAR else key_of(column.ref), text
        if self.dtype.is_integer or self.dtype.kind in _SPELLED:
            # By itself, where its text is the one that is written.
            mine, theirs = column.ref, context.field("value", self.dtype)
            typed = cast(text.ref, self.dtype, safe=True)
            values = Project(values, (text, place, theirs), (text.ref, place.ref, typed))
            values = Filter(values, call(words.EQ, cast(theirs.ref, VARCHAR), text.ref))
        joined = Join("left", grouped, values, ((mine, theirs.ref),))
        at: Expr = place.ref
        if None in places:
            at = choose([call(words.IS_NULL, column.ref)], [Literal(places[None], BIGINT)], at)
        return joined, at, [places[known(value.text)] for value in self.values]

    def _forms(self, context: Context) -> Callable[[str | None], str | None]:
        """From the text of a value to what it is compared by."""
        if self.dtype != VARCHAR or not has_key(self.dtype):
            return lambda text: text
        texts = list(dict.fromkeys(value.text for value in self.values))
        text, form = context.field("text", self.dtype), context.field("form", VARCHAR)
        rows = Values((text,), tuple([(Literal(value, VARCHAR),) for value in texts]))
        forms = context.computed(Project(rows, (form,), (key_of(text.ref),)))
        return dict(zip(texts, (found for (found,) in forms), strict=True)).__getitem__


@query_form(exp.Pivot)
def _statement(context: Context, node: exp.Pivot, parent: Scope | None, ctes: Ctes) -> Plan:
    """PIVOT and UNPIVOT as a query."""
    source = exp.Select(expressions=[exp.Star()], from_=exp.From(this=node.this))
    return pivoted(context, node, bind_query(context, source, parent, ctes), ctes)


def pivoted(context: Context, node: exp.Pivot, plan: Plan, ctes: Ctes) -> Plan:
    """The plan under PIVOT or UNPIVOT; its schema's names are those of the columns."""
    ctes = with_source(context, node, plan, ctes)
    if node.args.get("unpivot"):
        return unpivoted(context, node, plan, ctes)
    return _wide(context, node, plan, ctes)


def _wide(context: Context, node: exp.Pivot, plan: Plan, ctes: Ctes) -> Plan:
    # The statement has its values in `expressions`, the clause its aggregates.
    fields = node.args.get("fields")
    wanted = fields if fields is not None else node.expressions
    using = node.expressions if fields is not None else node.args.get("using") or []
    node.args.get("pivot_column_naming")
    for column in node.args.get("columns") or ():
        discard(column)  # what the parser makes of the names
    aggregates = [_whole(item) for item in using] or ([exp.Count(this=exp.Star(), big_int=True)] if wanted else [])
    calls = [_aggregate(context, item) for item in aggregates]
    choices = [
        _choice(context, item, place, plan, ctes, is_clause=fields is not None) for place, item in enumerate(wanted)
    ]
    groups = _groups(context, node, plan, aggregates, choices)
    keys = [exp.column(name, quoted=True) for name in groups]
    inner_items: list[exp.Expr] = [key.copy() for key in keys]
    inner_items += [exp.alias_(choice.node.copy(), choice.column, quoted=True) for choice in choices]
    by = exp.Group(expressions=[exp.Literal.number(place) for place in range(1, len(inner_items) + 1)])
    table = (node.this if fields is None else node.parent or node).alias_or_name
    inner_items += [
        exp.alias_(_named_anew(call, table), f"{SOURCE} value {place}", quoted=True) for place, call in enumerate(calls)
    ]
    if not inner_items:
        raise context.error(node, "PIVOT needs ON, USING or GROUP BY")
    inner = of_source(inner_items, by if by.expressions else None)
    grouped = bind_query(context, inner, None, ctes)
    cells = _cells(context, aggregates, calls, grouped, ctes)
    shown = [_shown(context, item, alone=len(aggregates) == 1 and bool(choices)) for item in aggregates]
    kept = grouped.schema[: len(groups)]
    if not choices:
        fields = [context.field(name, cell.dtype) for name, (cell, _) in zip(shown, cells, strict=True)]
        exprs = (*(field.ref for field in kept), *(cell for cell, _ in cells))
        return Project(grouped, (*kept, *fields), exprs)
    return _side_by_side(context, node, grouped, choices, cells, shown)


def _side_by_side(
    context: Context,
    node: exp.Pivot,
    grouped: Plan,
    choices: Sequence[_Choice],
    cells: Sequence[tuple[Expr, Expr]],
    shown: Sequence[str],
) -> Plan:
    """The rows of the first grouping, those of the same keys beside each other: a column for each combination of values.

    `cells`: of each aggregate what a cell shows, and what one without rows. Where the values of a row stand among all is found
    by a join with them, so that a value more costs a row of it.
    """
    kept = grouped.schema[: len(grouped.schema) - len(choices) - len(cells)]
    numbered = grouped
    place: Expr = Literal(0, BIGINT)
    steps: list[list[int]] = []
    for choice, column in zip(choices, grouped.schema[len(kept) :], strict=False):
        numbered, here, places = choice.placed(context, numbered, column)
        place = call("add", call("mul", place, Literal(len(choice.values), BIGINT)), here)
        steps.append(places)
    at = context.field("place", place.dtype)
    values = tuple(context.field("cell", cell.dtype) for cell, _ in cells)
    exprs = (*(field.ref for field in kept), place, *(cell for cell, _ in cells))
    numbered = Project(numbered, (*kept, at, *values), exprs)
    fields: list[Field] = []
    found: list[tuple[int, int]] = []
    for chosen in product(
        *(zip(choice.values, places, strict=True) for choice, places in zip(choices, steps, strict=True))
    ):
        # A name begins with '' where the first value is empty, as in DuckDB.
        name = "_".join(value.name or ("" if number else "''") for number, (value, _) in enumerate(chosen))
        where = 0
        for choice, (_, one) in zip(choices, chosen, strict=True):
            where = where * len(choice.values) + one
        for number, (value_field, said) in enumerate(zip(values, shown, strict=True)):
            fields.append(context.field("_".join(part for part in (name, said) if part), value_field.dtype))
            found.append((where, number))
    if not kept and not fields:
        raise context.error(node, "PIVOT leaves no columns", hint="there are no values that become columns")
    keys, symbols = (tuple(field.symbol for field in some) for some in (kept, values))
    fills = tuple(fill for _, fill in cells)
    return Pivot(numbered, keys, at.symbol, symbols, fills, tuple(fields), tuple(found))


def _cells(
    context: Context, aggregates: Sequence[exp.Expr], calls: Sequence[exp.Expr], grouped: Plan, ctes: Ctes
) -> list[tuple[Expr, Expr]]:
    """For each aggregate what a cell shows of the row of the first grouping, and what one for which there is no row."""
    binder = ExprBinder(context, Scope(None, [Relation("", grouped.schema)]), ctes, "USING")
    found = []
    values = grouped.schema[len(grouped.schema) - len(calls) :]
    for item, call_node, value in zip(aggregates, calls, values, strict=True):
        cell = binder.bind(_around(item.unalias(), call_node, exp.column(value.name, quoted=True)))
        inner = call_node
        while isinstance(inner, exp.Filter | exp.WithinGroup | exp.IgnoreNulls):
            inner = inner.this
        known = find_aggregate("count_star" if isinstance(inner, exp.Count) else function_name(inner))
        none = Literal(None if known is None else known.empty, value.dtype)
        found.append((cell, rename(cell, {value.symbol: none})))
    return found


def _around(node: exp.Expr, call: exp.Expr, value: exp.Expr) -> exp.Expr:
    """The expression with the value in the place of the call."""
    if node is call:
        return value
    place = next(index for index, part in enumerate(node.walk()) if part is call)
    whole = node.copy()
    list(whole.walk())[place].replace(value)
    return whole


def _whole(item: exp.Expr) -> exp.Expr:
    """The expression without the call of COALESCE that the grammar puts around what is no call."""
    inner = item.unalias()
    if not isinstance(inner, exp.Coalesce) or inner.expressions:
        return item
    return exp.alias_(inner.this.copy(), item.alias, quoted=True) if isinstance(item, exp.Alias) else inner.this


def _shown(context: Context, item: exp.Expr, alone: bool) -> str:
    """What the name of a column says of its aggregate."""
    if isinstance(item, exp.Alias):
        return item.alias
    return "" if alone else display(item, context.text)


def _aggregate(context: Context, item: exp.Expr) -> exp.Expr:
    """The one aggregate call of an expression of USING, with its FILTER; BindError where there is another number of them."""
    node = item.unalias()
    if node.find(exp.Query) is not None:
        raise context.error(node, "USING of PIVOT takes no subqueries")
    if has_window(node):
        raise context.error(node, "USING of PIVOT takes no window functions")
    if holds_columns(node):
        raise UnsupportedError(
            "COLUMNS in USING of PIVOT is not supported", hint="name the columns one after the other"
        )
    found = list(aggregates_in(node))
    if len(found) != 1:
        raise context.error(node, f"an expression of PIVOT's USING has one aggregate, not {len(found)}")
    call = found[0]
    while isinstance(call.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls) and call is not node:
        call = call.parent
    inside = {id(column) for column in call.find_all(exp.Column)}
    for column in node.find_all(exp.Column):
        if id(column) not in inside:
            raise context.error(column, f"column {column.name} stands outside of PIVOT's aggregate")
    return call


def _named_anew(call: exp.Expr, table: str) -> exp.Expr:
    """The call, where it counts the rows of the table by its name those of what stands for it."""
    found = call.copy()
    for star in found.find_all(exp.Star):
        column = star.parent
        if isinstance(column, exp.Column) and table and column.table.lower() == table.lower():
            column.set("table", exp.to_identifier(SOURCE, quoted=True))
    return found


def _groups(
    context: Context, node: exp.Pivot, plan: Plan, aggregates: Sequence[exp.Expr], choices: Sequence[_Choice]
) -> list[str]:
    """The columns that rows are grouped by: those of GROUP BY, else all that nothing else names."""
    clause = node.args.get("group")
    if clause is not None:
        return [item.name for item in clause.expressions]
    if not choices:
        return []
    named = [
        column for item in (*aggregates, *(choice.node for choice in choices)) for column in item.find_all(exp.Column)
    ]
    used = {column.name.lower() for column in named}
    return [column.name for column in plan.schema if column.name.lower() not in used]


def _choice(context: Context, item: exp.Expr, place: int, plan: Plan, ctes: Ctes, *, is_clause: bool) -> _Choice:
    """One expression of ON with its values, those of the rows where none are written."""
    node = item.this if isinstance(item, exp.In) else item
    if node.find(exp.Query) is not None:
        raise context.error(node, "PIVOT ON takes no subqueries")
    width = 1
    if isinstance(node, exp.Tuple):
        parts = node.expressions
        if is_clause and isinstance(item, exp.In) and any(len(parts_of_row(value)) > 1 for value in item.expressions):
            # With rows, each of the values is compared, by its text.
            width = len(parts)
            parts = [exp.cast(part, "VARCHAR", dialect="duckdb") for part in parts]
        node = exp.Anonymous(this="row", expressions=parts)
    if holds_columns(node) or isinstance(node, exp.Star):
        raise context.error(node, "PIVOT ON takes no *")
    if isinstance(node, exp.Literal | exp.Null | exp.Boolean):
        raise context.error(node, "PIVOT ON takes no constants", hint="a column or an expression of columns")
    for column in node.find_all(exp.Column):
        if column.table:
            raise context.error(column, "PIVOT ON takes names of columns without their table")
    found = bind_query(context, of_source([exp.alias_(node.copy(), "x")]), None, ctes)
    dtype = found.schema[0].dtype
    values = (
        written_values(context, item, width, is_clause)
        if isinstance(item, exp.In)
        else found_values(context, node, ctes)
    )
    return _Choice(node, f"{SOURCE} key {place}", tuple(values), dtype)
