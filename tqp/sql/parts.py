"""Columns of many cells in parts: each is one expression of all of its rows, and computed when the query is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from tqp.data.column import Column, constant
from tqp.data.table import Table
from tqp.functions.align import concat
from tqp.io.constants import ConstantTable, column_of
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.plan import Field, Project, Scan
from tqp.sql.computed import ComputedColumn
from tqp.sql.constants import Cells
from tqp.sql.context import Context
from tqp.sql.operators import cast
from tqp.sql.zones import with_zone
from tqp.types import NULL, DType

__all__ = ["Part", "constant_parts", "evaluated"]

_GROUPS = ("NM", "S", "TF")
"""Kinds of constants that have types of one family."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a column: their numbers, ascending, and what they are, an expression over these `columns` by their symbols."""

    rows: Sequence[int]
    expr: Expr
    columns: Mapping[str, Column] = field(default_factory=dict)
    is_free: bool = False
    """Whether it is several literals that take the type of what they meet, each by itself."""
    runs_later: bool = False
    """Whether it may give another value each time: it is left to the query."""


def constant_parts(context: Context, column: ComputedColumn) -> tuple[list[Part], list[tuple[int, Literal]]]:
    """The constants of a column by their types; and some of them, with their rows, that take the type with others that all take."""
    parts, some = [], list[tuple[int, Literal]]()
    nulls = [row for row, kind in zip(column.rows, column.kinds, strict=True) if kind == "K"]
    if nulls:
        none = Literal(None, NULL)
        parts.append(Part(nulls, none))
        some.append((nulls[0], none))
    for group in _GROUPS:
        places = [place for place, kind in enumerate(column.kinds) if kind in group]
        if not places:
            continue
        cells = Cells("".join([column.kinds[place] for place in places]), [column.texts[place] for place in places])
        rows = [column.rows[place] for place in places]
        some += [(rows[place], literal) for place, literal in cells.literals()]
        for dtype, (own, values) in cells.typed().items():
            symbol = context.symbol("constant")
            given = {symbol: column_of(values, dtype, context.session.device)}
            parts.append(Part([rows[place] for place in own], ColumnRef(symbol, dtype), given))
    return parts, some


def evaluated(context: Context, columns: Sequence[tuple[Sequence[Part], DType]], rows: int) -> list[Column]:
    """The columns, all of whose parts together have so many rows, in these types. Raises what computing them does."""
    device = context.session.device
    found: dict[int, Column] = {}
    waiting: dict[object, list[tuple[Part, Expr]]] = {}
    for parts, dtype in columns:
        for part in parts:
            expr = cast(part.expr, dtype)
            if isinstance(expr, Literal):
                found[id(part)] = constant(expr.value, dtype, device).expand(len(part.rows))
            elif isinstance(expr, ColumnRef):
                found[id(part)] = part.columns[expr.symbol]
            else:
                waiting.setdefault(None if len(part.rows) == rows else id(part), []).append((part, expr))
    for some in waiting.values():
        found.update(zip([id(part) for part, _ in some], _run(context, some), strict=True))
    return [_together([part.rows for part in parts], [found[id(part)] for part in parts]) for parts, _ in columns]


def _run(context: Context, some: Sequence[tuple[Part, Expr]]) -> list[Column]:
    """The values of expressions over columns of the same rows."""
    rows = len(some[0][0].rows)
    given = {symbol: column for part, _ in some for symbol, column in part.columns.items()}
    table = ConstantTable.of_columns(Table(tuple(given), tuple(given.values()), rows), context.session.device)
    scan = Scan(table, tuple(given), tuple(Field(symbol, symbol, column.dtype) for symbol, column in given.items()))
    fields = tuple(context.field("value", expr.dtype) for _, expr in some)
    plan = Project(scan, fields, tuple(expr for _, expr in some))
    return [column.expand(rows) for column in context.columns(with_zone(plan, context.session.time_zone))]


def _together(rows: Sequence[Sequence[int]], columns: Sequence[Column]) -> Column:
    """The column of parts, each of these rows."""
    if len(columns) == 1:
        return columns[0]
    whole = concat(columns, [len(some) for some in rows])
    places = np.argsort(np.concatenate([np.asarray(some, np.int64) for some in rows]))
    return whole.take(torch.from_numpy(places).to(whole.device))
