"""Names of what makes nested values and reads them, and of lambdas."""

from __future__ import annotations

from sqlglot import exp

from tqp.keywords import identifier
from tqp.sql.arrows import as_arrow, has_arrow
from tqp.sql.names.printer import Printer, shows
from tqp.sql.names.queries import query_text


@shows(exp.Bracket)
def _subscript(printer: Printer, node: exp.Bracket) -> str:
    return f"{printer.show(node.this)}[{printer.many(node.expressions)}]"


@shows(exp.Slice)
def _slice(printer: Printer, node: exp.Slice) -> str:
    start, stop, step = (node.args.get(name) for name in ("this", "expression", "step"))
    ends = [
        "" if start is None else printer.show(start),
        ("" if step is None else "-") if stop is None else printer.show(stop),
    ]
    return ":".join(ends if step is None else [*ends, printer.show(step)])


def _comprehension(printer: Printer, node: exp.Comprehension) -> str:
    names = ", ".join(
        identifier(item.name) for item in (node.expression, node.args.get("position")) if item is not None
    )
    body, of, condition = printer.show(node.this), printer.show(node.args["iterator"]), node.args.get("condition")
    if condition is None:
        return f"list_apply({of}, (lambda {names}: {body}))"
    both = f'struct_pack("filter" := {printer.show(condition)}, result := {body})'
    parts = [f"(lambda elem: struct_extract(elem, '{name}'))" for name in ("filter", "result")]
    return f"list_apply(list_filter(list_apply({of}, (lambda {names}: {both})), {parts[0]}), {parts[1]})"


@shows(exp.Dot)
def _field(printer: Printer, node: exp.Dot) -> str:
    value = printer.show(node.this)
    whole = value if isinstance(node.this, exp.Identifier | exp.Column) else f"({value})"
    return f"{whole}.{identifier(node.expression.name)}"


@shows(exp.Array)
def _list(printer: Printer, node: exp.Array) -> str:
    is_written = bool(node.args.get("value_constructor"))
    if not is_written and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Query):
        query = f"FROM ({query_text(printer, node.expressions[0])})"
        return f"(SELECT CASE  WHEN ((array_agg(#1) IS NULL)) THEN (list_value()) ELSE array_agg(#1) END {query})"
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Comprehension):
        return _comprehension(printer, node.expressions[0])
    return f"list_value({printer.many(node.expressions)})"


@shows(exp.Struct)
def _struct(printer: Printer, node: exp.Struct) -> str:
    return f"struct_pack({', '.join(_field_of(printer, item) for item in node.expressions)})"


def _field_of(printer: Printer, item: exp.Expr) -> str:
    if not isinstance(item, exp.PropertyEQ):
        return printer.show(item)
    return f"{identifier(item.this.name)} := {printer.show(item.expression)}"


@shows(exp.Lambda)
def _lambda(printer: Printer, node: exp.Lambda) -> str:
    arrow = as_arrow(node, printer.text)
    if arrow is not None:
        return printer.show(arrow)
    names = ", ".join(identifier(item.name) for item in node.expressions)
    if has_arrow(node, printer.text):
        return f'("row"({names}) -> {printer.show(node.this)})'
    return f"(lambda {names}: {printer.show(node.this)})"


@shows(exp.ToMap)
def _map_literal(printer: Printer, node: exp.ToMap) -> str:
    pairs = node.this.expressions
    keys, values = [pair.this for pair in pairs], [pair.expression for pair in pairs]
    return f'"map"(list_value({printer.many(keys)}), list_value({printer.many(values)}))'


@shows(exp.Map)
def _map(printer: Printer, node: exp.Map) -> str:
    return f'"map"({printer.many([node.args[part] for part in ("keys", "values") if node.args.get(part)])})'


@shows(exp.Tuple)
def _row(printer: Printer, node: exp.Tuple) -> str:
    return f'"row"({printer.many(node.expressions)})'


@shows(exp.PropertyEQ, exp.Kwarg)
def _named(printer: Printer, node: exp.PropertyEQ | exp.Kwarg) -> str:
    return f"{identifier(node.this.name)} := {printer.show(node.expression)}"


@shows(exp.Identifier)
def _name(printer: Printer, node: exp.Identifier) -> str:
    return identifier(node.name)
