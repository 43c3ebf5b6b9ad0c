"""Queries: WITH, brackets and VALUES; other forms register themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp

from tqp.errors import counted
from tqp.functions.promotion import common_type
from tqp.functions.unify import fits, is_plain_integer, is_text_literal
from tqp.io.constants import ConstantTable
from tqp.ir.expr import Expr
from tqp.ir.plan import Plan, Project, Scan, Values
from tqp.sql.constants import columns_of
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.gathering import Constants, ConstantsNode, Scattered
from tqp.sql.operators import cast
from tqp.sql.ordering import is_bare, ordered_output, with_order_of, within_brackets
from tqp.sql.scope import Cte, Scope
from tqp.sql.unread import discard, unnoticed
from tqp.stack import deep
from tqp.types import NULL, VARCHAR, DType, Kind

__all__ = ["Cell", "Ctes", "as_types", "bind_query", "query_form", "values_plan", "with_ctes"]

Ctes = Mapping[str, Cte]
Form = Callable[[Context, Any, Scope | None, Ctes], Plan]
_FORMS: dict[type[exp.Expr], Form] = {}


@deep
def bind_query(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Plan:
    """The plan of a query; its schema's names are the result's column names.

    `parent` is the scope around a subquery, for correlated names. Whoever calls makes sure that gaps are raised.
    """
    form = _FORMS.get(type(node))
    if form is None:
        context.gap(node, f"{node.key.upper()} is not supported as a query")
        return Values((), ((),))
    return form(context, node, parent, ctes)


def query_form(*kinds: type[exp.Expr]) -> Callable[[Form], Form]:
    """Register what binds queries that are nodes of these kinds: a SELECT holds queries, and a query may be a SELECT."""

    def register(form: Form) -> Form:
        _FORMS.update(dict.fromkeys(kinds, form))
        return form

    return register


@query_form(exp.Values)
def _rows(context: Context, node: exp.Values, parent: Scope | None, ctes: Ctes) -> Plan:
    ctes = with_ctes(context, node, parent, ctes)
    return ordered_output(context, node, values_plan(context, node, parent, ctes), ctes)


@query_form(exp.Subquery, exp.Paren)
def _in_brackets(context: Context, node: exp.Subquery | exp.Paren, parent: Scope | None, ctes: Ctes) -> Plan:
    ctes = with_ctes(context, node, parent, ctes)
    if isinstance(node.this, exp.Select) and is_bare(node.this):
        return bind_query(context, with_order_of(node.this, node), parent, ctes)
    return ordered_output(context, node, bind_query(context, node.this, parent, ctes), ctes)


def with_ctes(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Ctes:
    """The queries that names mean below `node`: those around it and those of its WITH."""
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    known, own = dict(ctes), set[str]()
    for cte in clause.expressions:
        alias = cte.args["alias"]
        if alias.name.lower() in own:
            raise context.error(alias, f"WITH names {alias.name} twice", hint="give one of them another name")
        own.add(alias.name.lower())
        keys = cte.args.get("key_expressions")
        recursive = bool(clause.recursive) and _is_recursive(cte, alias.name, bool(keys))
        if not recursive:
            # As in DuckDB, keys mean nothing then.
            for key in keys or ():
                discard(key)
        columns = tuple(column.name for column in alias.args.get("columns") or ())
        # Each sees those before it, not itself: `known` is copied before it is added.
        known[alias.name.lower()] = Cte(cte, columns, parent, dict(known), recursive=recursive)
    return known


def _is_recursive(cte: exp.CTE, name: str, has_keys: bool) -> bool:
    """Whether it is a UNION that may read itself; BY NAME none may, which is an error where it does. To ask is not to use it."""
    with unnoticed(cte):
        union = within_brackets(cte.this)
        if not isinstance(union, exp.Union):
            return False
        tables = union.find_all(exp.Table) if union.args.get("by_name") and not has_keys else None
        return tables is None or any(table.name.lower() == name.lower() for table in tables)


def as_types(context: Context, plan: Plan, dtypes: Sequence[DType]) -> Plan:
    """The plan with its columns cast to these types."""
    columns = list(zip(plan.schema, dtypes, strict=True))
    if all(column.dtype == dtype for column, dtype in columns):
        return plan
    if isinstance(plan, Project):
        # Constants take their type at once instead of by a cast of every row.
        exprs = tuple(cast(expr, dtype) for expr, dtype in zip(plan.exprs, dtypes, strict=True))
        fields = tuple(
            column if column.dtype == dtype else context.field(column.name, dtype) for column, dtype in columns
        )
        return Project(plan.input, fields, exprs)
    fields = tuple(column if column.dtype == dtype else context.field(column.name, dtype) for column, dtype in columns)
    return Project(plan, fields, tuple(cast(column.ref, dtype) for column, dtype in columns))


def constant_rows(context: Context, constants: Constants, dtypes: Sequence[DType] | None) -> Plan:
    """As `values_plan`, of many rows of constants, which are a stored table; `Scattered` where that takes their literals."""
    columns = columns_of(constants)
    node = exp.Null()
    some = [[(node, literal) for literal in column.literals()] for column in columns]
    own = [_values_type(context, list(column)) for column in some]
    if dtypes is not None and any(len({literal.dtype for _, literal in one} - {NULL}) > 1 for one in some):
        # Each would be cast by itself.
        raise Scattered
    names = [f"col{place}" for place in range(len(columns))]
    arrays = [column.array(dtype) for column, dtype in zip(columns, own, strict=True)]
    table = ConstantTable(pa.table(dict(zip(names, arrays, strict=True))), context.session.device)
    fields = tuple(context.field(name, dtype) for name, dtype in zip(names, own, strict=True))
    scan = Scan(table, tuple(names), fields)
    return scan if dtypes is None else as_types(context, scan, dtypes)


def _values_type(context: Context, column: list[tuple[exp.Expr, Expr]]) -> DType:
    """The type of a column of VALUES: that of the rows so far, which a literal takes if it can, or the common one."""
    found = NULL
    for node, cell in column:
        if is_text_literal(cell) and found != NULL:
            found = VARCHAR if found.kind is Kind.ENUM else found
            continue
        if is_plain_integer(cell) and found.is_integer and fits(cell, found):
            continue
        common = common_type(found, cell.dtype)
        if common is None:
            raise context.error(node, f"VALUES cannot combine {found} and {cell.dtype}", hint="cast one of them")
        found = common
    return found


Cell = Callable[[ExprBinder, int, exp.Expr], Expr]
"""From a value of VALUES, in a column of that number, to its expression."""


def _plain(binder: ExprBinder, place: int, node: exp.Expr) -> Expr:
    return binder.bind(node)


def values_plan(
    context: Context,
    node: exp.Values,
    parent: Scope | None,
    ctes: Ctes,
    dtypes: Sequence[DType] | None = None,
    cell_of: Cell = _plain,
) -> Plan:
    """The rows of VALUES, of columns that have the common type of their values, or these `dtypes`."""
    if len(node.expressions) == 1 and isinstance(node.expressions[0], ConstantsNode):
        return constant_rows(context, node.expressions[0].this, dtypes)
    binder = ExprBinder(context, Scope(parent), ctes, "VALUES")
    rows: list[list[tuple[exp.Expr, Expr]]] = []
    for item in node.expressions:
        cells = item.expressions if isinstance(item, exp.Tuple) else [item]
        rows.append([(cell, cell_of(binder, place, cell)) for place, cell in enumerate(cells)])
        if len(rows[-1]) != len(rows[0]):
            raise context.error(
                item, f"a row of VALUES has {counted(len(rows[-1]), 'column')}, the first has {len(rows[0])}"
            )
    if dtypes is None:
        dtypes = [_values_type(context, [row[index] for row in rows]) for index in range(len(rows[0]))]
    fields = tuple(context.field(f"col{index}", dtype) for index, dtype in enumerate(dtypes))
    cast_rows = tuple(tuple(cast(cell, dtype) for (_, cell), dtype in zip(row, dtypes, strict=True)) for row in rows)
    return Values(fields, cast_rows)
