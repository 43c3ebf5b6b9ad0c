"""Names of conditions and CASE."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.sql.names.printer import Printer, shows

_IS_NULL: Final = re.compile(r"[\s)\]}]*\bIS(?:NULL\b|\s+NULL\b)", re.IGNORECASE)


@shows(exp.And, exp.Or)
def _connector(printer: Printer, node: exp.Connector) -> str:
    parts: list[exp.Expr] = []
    current: exp.Expr = node
    while type(current) is type(node):
        parts.append(current.args["expression"])
        current = current.this
    return "(" + f" {node.key.upper()} ".join(printer.show(part) for part in [current, *reversed(parts)]) + ")"


@shows(exp.Like, exp.ILike)
def _like(printer: Printer, node: exp.Like | exp.ILike) -> str:
    sign = ("!" if node.args.get("negate") else "") + ("~~*" if isinstance(node, exp.ILike) else "~~")
    return f"({printer.show(node.this)} {sign} {printer.show(node.expression)})"


@shows(exp.Not)
def _not(printer: Printer, node: exp.Not) -> str:
    inner = node.this
    if not isinstance(inner, exp.Is) or _stands_before(printer, inner):
        return f"(NOT {printer.show(inner)})"
    if isinstance(inner.expression, exp.Null):
        return f"({printer.show(inner.this)} IS NOT NULL)"
    return f"(CAST({printer.show(inner.this)} AS BOOLEAN) IS DISTINCT FROM {printer.show(inner.expression)})"


def _stands_before(printer: Printer, test: exp.Is) -> bool:
    """Whether it is `NOT x IS NULL`, which the parser takes for `x IS NOT NULL`."""
    end = printer.places.end_of(test.this)
    return end is not None and _IS_NULL.match(printer.text, end) is not None


@shows(exp.Is)
def _is(printer: Printer, node: exp.Is) -> str:
    value = printer.show(node.this)
    if isinstance(node.expression, exp.Null):
        return f"({value} IS NULL)"
    return f"(CAST({value} AS BOOLEAN) IS NOT DISTINCT FROM {printer.show(node.expression)})"


@shows(exp.In)
def _in(printer: Printer, node: exp.In) -> str:
    value = printer.show(node.this)
    query = node.args.get("query")
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        query = node.expressions[0]
    if query is not None:
        return f"({value} = ANY{printer.show(query)})"
    if node.args.get("field") is not None:
        return f"contains({printer.show(node.args['field'])}, {value})"
    if not node.expressions:
        return f'contains("row"(), {value})'
    return f"({value} IN ({printer.many(node.expressions)}))"


@shows(exp.Between)
def _between(printer: Printer, node: exp.Between) -> str:
    low, high = printer.show(node.args["low"]), printer.show(node.args["high"])
    return f"({printer.show(node.this)} BETWEEN {low} AND {high})"


@shows(exp.Escape)
def _escape(printer: Printer, node: exp.Escape) -> str:
    inner = node.this
    parts = ", ".join(map(printer.show, (inner.this, inner.expression, node.expression)))
    shown = f"{inner.key}_escape({parts})"
    return f"(NOT {shown})" if inner.args.get("negate") else shown


@shows(exp.Case)
def _case(printer: Printer, node: exp.Case) -> str:
    shown = "CASE "
    for branch in node.args["ifs"]:
        when = printer.show(branch.this)
        if node.this is not None:
            when = f"({printer.show(node.this)} = {when})"
        shown += f" WHEN ({when}) THEN ({printer.show(branch.args['true'])})"
    default = node.args.get("default")
    return f"{shown} ELSE {'NULL' if default is None else printer.show(default)} END"
