"""Cells of one form, bound once: an expression over columns of their literals.

The first cell is bound with inputs in the place of its literals, which write down what is built on their values
(`tqp.ir.inputs`), as for a plan that serves other constants. Each other cell for which all of that holds is the same expression
of its own literals. Those for which it does not are bound as forms of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from sqlglot import exp

from tqp.data.column import Column
from tqp.functions.unify import is_plain_integer, is_text_literal
from tqp.io.constants import column_of
from tqp.ir.expr import Call, ColumnRef, Expr, Literal, Predict
from tqp.ir.inputs import Input, Inputs
from tqp.ir.node import Node, Spine
from tqp.ir.own import OwnName
from tqp.ir.visit import subplans, walk
from tqp.sql.computed import ComputedColumn, Form, Templates
from tqp.sql.context import Context
from tqp.sql.gathering import Scattered
from tqp.sql.parts import Part, constant_parts
from tqp.sql.randoms import draws
from tqp.sql.unread import all_read, peeked, watch
from tqp.sql.written import Followed

__all__ = ["column_parts", "parts_of"]

_MOST: Final = 16
"""Expressions that the cells of one form may be."""


def column_parts(
    context: Context,
    templates: Templates,
    column: ComputedColumn,
    cells: Mapping[Form, exp.Expr],
    bind: Callable[[exp.Expr], Expr],
) -> tuple[list[Part], list[Expr]]:
    """A column in parts; and some of its cells, in their order, that take the type with others that all of them take.

    `cells`: the first of each form. `Scattered` as of `parts_of`.
    """
    parts, some = constant_parts(context, column)
    first: list[tuple[int, Expr]] = [*some]
    for form in column.forms:
        made = parts_of(context, templates, form, cells[form], bind)
        parts += made
        first += [(part.rows[0], part.expr) for part in made]
    return parts, [expr for _, expr in sorted(first, key=lambda one: one[0])]


def parts_of(
    context: Context, templates: Templates, form: Form, cell: exp.Expr, bind: Callable[[exp.Expr], Expr]
) -> list[Part]:
    """The cells of a form, of which `cell` is the first. `Scattered` where they are too different, or depend on other rows."""
    inputs, parts, first = templates.opened[form], list[Part](), cell
    left: Sequence[int] = range(len(form.rows))
    watched: list[str] = []
    while left:
        if len(parts) == _MOST:
            raise Scattered
        if parts:
            cell, inputs, watched = _other(form, first, left[0])
        expr = bind(cell)
        is_free = is_text_literal(expr) or is_plain_integer(expr)
        inputs.close()
        if context.gaps or not all_read(watched):
            raise Scattered
        served = [(at, inputs.again(form.literals[at])) for at in left]
        known = [(at, literals) for at, literals in served if literals is not None]
        if not known or known[0][0] != left[0]:
            raise Scattered
        found, columns = _over_columns(context, expr, inputs, [literals for _, literals in known])
        runs_later = _runs_later(found, columns)
        parts.append(Part([form.rows[at] for at, _ in known], found, columns, is_free and bool(columns), runs_later))
        left = [at for at, literals in served if literals is None]
    return parts


def _other(form: Form, cell: exp.Expr, at: int) -> tuple[exp.Expr, Inputs, list[str]]:
    """A cell of the form, from its first one; its inputs, and what of it is to be read."""
    own = dict(zip(form.starts, form.words[at], strict=True))
    first = dict(zip(form.starts, form.words[0], strict=True))
    found, inputs = cell.copy(), Inputs()
    for node in found.find_all(exp.Literal):
        start = node._meta.get("start") if node._meta else None
        if start not in own:
            continue
        if peeked(node) != first[start]:
            # The parser has made something else of it.
            raise Scattered
        node.args = {str(name): own[start] if str(name) == "this" else value for name, value in node.args.items()}
    followed = Followed(
        dict(zip(form.starts, inputs.given(form.literals[at]), strict=True)), form.starts if form.hands_on else ()
    )
    watched = watch(found, followed)
    followed.fix_others()
    if any(own[start] != first[start] for start in followed.lost):
        raise Scattered
    return found, inputs, watched


def _over_columns(
    context: Context, expr: Expr, inputs: Inputs, known: Sequence[Sequence[Literal]]
) -> tuple[Expr, dict[str, Column]]:
    """The expression over columns of the literals that differ, and these by their symbols. `known`: all literals of each row."""
    columns: dict[str, Column] = {}

    def is_open(node: Node) -> bool:
        return isinstance(node, Input) and node.inputs is inputs

    def column(node: Node) -> Node:
        assert isinstance(node, Input)
        first = known[0][node.number]
        values = [literals[node.number].value for literals in known]
        if all(value == first.value for value in values) and not isinstance(first.value, float):
            return first
        symbol = context.symbol("literal")
        columns[symbol] = column_of(values, node.type, context.session.device)
        return ColumnRef(symbol, node.type)

    return cast("Expr", Spine(expr, is_open).rebuilt(column)), columns


def _runs_later(expr: Expr, columns: Mapping[str, Column]) -> bool:
    """Whether the expression may give another value each time; `Scattered` where it reads something else than these columns."""
    found = False
    for one in walk(expr):
        if isinstance(one, ColumnRef) and one.symbol not in columns or isinstance(one, Predict) or subplans(one):
            raise Scattered
        found |= draws(one) or isinstance(one, Call) and isinstance(one.function, OwnName)
    if found and columns or expr.dtype.is_collated:
        raise Scattered
    return found
