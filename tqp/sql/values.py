"""The rows of VALUES: each cell an expression, or, of many rows, a stored table of what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import pyarrow as pa
from sqlglot import exp

from tqp.data.table import Table
from tqp.errors import counted
from tqp.functions.promotion import common_type
from tqp.functions.unify import fits, is_plain_integer, is_text_literal
from tqp.io.constants import ConstantTable
from tqp.ir.expr import Call, Expr
from tqp.ir.own import OwnName
from tqp.ir.plan import Plan, Project, Scan, Values
from tqp.ir.visit import walk
from tqp.sql.cast_rows import as_types
from tqp.sql.computed import Templates
from tqp.sql.constants import columns_of
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.gathering import Constants, ConstantsNode, Scattered
from tqp.sql.operators import cast
from tqp.sql.parts import Part, evaluated
from tqp.sql.scope import Cte, Scope
from tqp.sql.templates import column_parts
from tqp.sql.unread import discard
from tqp.types import NULL, VARCHAR, DType, Kind

__all__ = ["Cell", "values_plan"]

Ctes = Mapping[str, Cte]
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
    binder = ExprBinder(context, Scope(parent), ctes, "VALUES")
    first, *others = node.expressions
    if isinstance(first, ConstantsNode):
        if isinstance(first.this, Constants):
            return _constant_rows(context, first.this, dtypes)
        return _computed_rows(context, first.this, others, dtypes, partial(cell_of, binder))
    rows: list[list[tuple[exp.Expr, Expr]]] = []
    for item in node.expressions:
        rows.append([(cell, cell_of(binder, place, cell)) for place, cell in enumerate(_cells(item))])
        if len(rows[-1]) != len(rows[0]):
            raise context.error(
                item, f"a row of VALUES has {counted(len(rows[-1]), 'column')}, the first has {len(rows[0])}"
            )
    if dtypes is None:
        dtypes = [_values_type(context, [row[index] for row in rows]) for index in range(len(rows[0]))]
    fields = tuple(context.field(f"col{index}", dtype) for index, dtype in enumerate(dtypes))
    cast_rows = tuple(tuple(cast(cell, dtype) for (_, cell), dtype in zip(row, dtypes, strict=True)) for row in rows)
    return Values(fields, cast_rows)


def _cells(row: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = row.expressions if isinstance(row, exp.Tuple) else [row]
    return found


def _values_type(context: Context, column: Iterable[tuple[exp.Expr, Expr]]) -> DType:
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


def _constant_rows(context: Context, constants: Constants, dtypes: Sequence[DType] | None) -> Plan:
    """As `values_plan`, of many rows of constants; `Scattered` where that takes their literals."""
    columns = columns_of(constants)
    node = exp.Null()
    some = [[(node, literal) for _, literal in column.literals()] for column in columns]
    own = [_values_type(context, column) for column in some]
    if dtypes is not None and any(len({literal.dtype for _, literal in one} - {NULL}) > 1 for one in some):
        # Each would be cast by itself.
        raise Scattered
    names = [f"col{place}" for place in range(len(columns))]
    arrays = [column.array(dtype) for column, dtype in zip(columns, own, strict=True)]
    table = ConstantTable.of_arrow(pa.table(dict(zip(names, arrays, strict=True))), context.session.device)
    fields = tuple(context.field(name, dtype) for name, dtype in zip(names, own, strict=True))
    scan = Scan(table, tuple(names), fields)
    return scan if dtypes is None else as_types(context, scan, dtypes)


def _computed_rows(
    context: Context,
    templates: Templates,
    kept: Sequence[exp.Expr],
    dtypes: Sequence[DType] | None,
    cell_of: Callable[[int, exp.Expr], Expr],
) -> Plan:
    """As `values_plan`, of many rows, of which `kept` have a cell of each form; `Scattered` where that takes each cell."""
    rows = templates.cells.rows
    nodes = [_cells(item) for item in kept]
    left = {id(node): node for row in nodes for node in row}
    found: list[tuple[list[Part], DType]] = []
    for place, column in enumerate(templates.cells.columns):
        cells = {form: nodes[form.kept][place] for form in column.forms}
        for node in cells.values():
            del left[id(node)]
        parts, some = column_parts(context, templates, column, cells, partial(cell_of, place))
        if dtypes is not None:
            found.append((parts, dtypes[place]))
            continue
        if any(part.is_free for part in parts):
            raise Scattered
        found.append((parts, _values_type(context, [(exp.Null(), expr) for expr in some])))
    # Of other cells in these rows the forms are known.
    for node in left.values():
        discard(node)
    return _stored(context, found, rows)


def _stored(context: Context, columns: Sequence[tuple[Sequence[Part], DType]], rows: int) -> Plan:
    """The rows of such columns as a stored table, and beside it what is to be computed by each run."""
    later = {place: parts[0].expr for place, (parts, _) in enumerate(columns) if any(part.runs_later for part in parts)}
    if any(len(columns[place][0]) > 1 for place in later):
        raise Scattered
    if (
        sum(
            isinstance(one, Call) and isinstance(one.function, OwnName) for expr in later.values() for one in walk(expr)
        )
        > 1
    ):
        # A row is computed after the row before it, which shows where several draw from one sequence.
        raise Scattered
    names = [f"col{place}" for place in range(len(columns))]
    fields = [context.field(name, dtype) for name, (_, dtype) in zip(names, columns, strict=True)]
    settled = [place for place in range(len(columns)) if place not in later]
    values = evaluated(context, [columns[place] for place in settled], rows)
    own = tuple(names[place] for place in settled)
    table = ConstantTable.of_columns(Table(own, tuple(values), rows), context.session.device)
    scan = Scan(table, own, tuple(fields[place] for place in settled))
    if not later:
        return scan
    exprs = [cast(later[place], column.dtype) if place in later else column.ref for place, column in enumerate(fields)]
    again = [
        column if place in later else context.field(column.name, column.dtype) for place, column in enumerate(fields)
    ]
    return Project(scan, tuple(again), tuple(exprs))
