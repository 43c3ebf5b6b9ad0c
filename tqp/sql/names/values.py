"""Names of columns, constants, casts, and of functions with a syntax of their own."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.errors import TqpError
from tqp.functions.units import INTERVAL_UNITS, PARTS
from tqp.keywords import KEYWORDS, identifier, text_constant
from tqp.sql.datatypes import dtype_of
from tqp.sql.gathering import ConstantsNode, Scattered
from tqp.sql.names.places import has_place, start_of
from tqp.sql.names.printer import Printer, shows
from tqp.sql.places import CALLED
from tqp.sql.stand_ins import PLUS

_MOMENTS: dict[type[exp.Expr], str] = {
    exp.CurrentDate: "current_date", exp.CurrentTimestamp: "current_timestamp", exp.Localtime: "localtime",
    exp.Localtimestamp: "localtimestamp", exp.CurrentUser: "current_user", exp.SessionUser: "session_user",
    exp.CurrentTime: "current_time", exp.CurrentCatalog: "current_catalog", exp.CurrentRole: "current_role",
}  # fmt: skip


@shows(ConstantsNode)
def _constants(printer: Printer, node: ConstantsNode) -> str:
    raise Scattered


_EXTRACTED: Final = re.compile(r"\bEXTRACT\s*\(\s*'?(\w+)", re.IGNORECASE)
"""What is extracted, which the parser has in capitals."""


@shows(*_MOMENTS)
def _moment(printer: Printer, node: exp.Expr) -> str:
    """With parentheses it has a place in the text."""
    name = printer.function_name(node)
    return f"{name}()" if has_place(node) else _MOMENTS[type(node)]


@shows(exp.Collate)
def _collate(printer: Printer, node: exp.Collate) -> str:
    of = node.expression
    name = ".".join(part.name for part in of.parts) if isinstance(of, exp.Column) else of.name
    return f"{printer.show(node.this)} COLLATE {identifier(name)}"


@shows(exp.Column)
def _column(printer: Printer, node: exp.Column) -> str:
    return ".".join("*" if isinstance(part, exp.Star) else identifier(part.name) for part in node.parts)


@shows(exp.PositionalColumn)
def _numbered_column(printer: Printer, node: exp.PositionalColumn) -> str:
    return f"#{node.name}"


@shows(exp.Paren)
def _paren(printer: Printer, node: exp.Paren) -> str:
    """What is in parentheses; a macro as it was called."""
    return printer.show(node._meta[CALLED] if node._meta and CALLED in node._meta else node.this)


@shows(exp.Literal)
def _literal(printer: Printer, node: exp.Literal) -> str:
    text = printer.literal(node)
    if node.is_string:
        return text_constant(text)
    if not has_place(node):
        return text.removeprefix("0")
    written = printer.text[node.meta["start"] : node.meta["end"] + 1]
    return written if written.replace("_", "") == text else text


@shows(exp.RawString, exp.National, exp.ByteString)
def _literal_text(printer: Printer, node: exp.RawString) -> str:
    return text_constant(node.name)


@shows(exp.Cast, exp.TryCast)
def _cast(printer: Printer, node: exp.Cast) -> str:
    written = printer.places.type_of_cast(node)
    word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    return f"{word}({printer.show(node.this)} AS {_type(node) if written is None else written.shown})"


@shows(exp.Date)
def _date(printer: Printer, node: exp.Date) -> str:
    return f"CAST({printer.show(node.this)} AS DATE)"


def _type(node: exp.Cast) -> str:
    """The type as it is called where the text does not tell how it is written."""
    try:
        shown = re.sub(",(?! )", ", ", str(dtype_of(node.args["to"])))
        return re.sub(r"\bJSON\b", identifier("JSON"), shown)
    except TqpError:
        kind = node.args["to"]
        name = kind.args.get("kind") if isinstance(kind, exp.DataType) else None
        return str(kind.sql("duckdb")) if name is None else ".".join(map(identifier, str(name).split(".")))


@shows(exp.ParseJSON)
def _parse_json(printer: Printer, node: exp.ParseJSON) -> str:
    value = printer.show(node.this)
    if not node.args.get("is_literal"):
        return f'"json"({value})'
    written = printer.places.type_of_cast(node)
    return f"CAST({value} AS {identifier('json') if written is None else written.shown})"


@shows(exp.Neg)
def _negative(printer: Printer, node: exp.Neg) -> str:
    inner: exp.Expr = node
    negative = False
    while isinstance(inner, exp.Neg | exp.Paren):
        negative ^= isinstance(inner, exp.Neg)
        inner = inner.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return "-" * negative + printer.show(inner)
    return f"(-({printer.show(node.this)}))"


@shows(exp.Interval)
def _interval(printer: Printer, node: exp.Interval) -> str:
    named, value = node.args.get("unit"), printer.show(node.this)
    unit = INTERVAL_UNITS.get(PARTS.get(named.name.lower(), "")) if named is not None else None
    if unit is None:
        return f"CAST({value} AS INTERVAL)"
    number = f"CAST({value} AS DOUBLE)"
    return f"{unit.maker}({number if unit.counted is None else f'CAST(trunc({number}) AS {unit.counted})'})"


_PLURAL: Final = {"MICROSECOND": "MICROSECONDS", "MILLISECOND": "MILLISECONDS"}
"""How DuckDB spells parts that are words, in whatever form they are written."""


@shows(exp.Extract)
def _extract(printer: Printer, node: exp.Extract) -> str:
    part, start = node.this.name, start_of(node.expression)
    before = [] if start is None else _EXTRACTED.findall(printer.text, 0, start)
    if before and part not in KEYWORDS:
        part = before[-1]
    part = _PLURAL.get(part, part)
    return f"date_part('{part}', {printer.show(node.expression)})"


@shows(exp.DateDiff)
def _difference(printer: Printer, node: exp.DateDiff) -> str:
    unit, start, end = (printer.show(part) for part in (node.args["unit"], node.expression, node.this))
    return f"{printer.function_name(node)}({unit}, {start}, {end})"


@shows(exp.Try)
def _try(printer: Printer, node: exp.Try) -> str:
    return f"TRY({printer.show(node.this)})"


@shows(exp.DateTrunc, exp.TimestampTrunc)
def _truncate(printer: Printer, node: exp.Expr) -> str:
    name = printer.function_name(node) if has_place(node) else "date_trunc"
    return f"{name}('{node.args['unit'].name.lower()}', {printer.show(node.this)})"


@shows(exp.Trim)
def _trim(printer: Printer, node: exp.Trim) -> str:
    kept = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.args.get("position") or "", '"trim"')
    name = printer.function_name(node) if has_place(node) else kept
    return f"{name}({printer.many([part for part in (node.this, node.expression) if part is not None])})"


@shows(exp.StartsWith)
def _starts_with(printer: Printer, node: exp.StartsWith) -> str:
    text, start = printer.show(node.this), printer.show(node.expression)
    return printer.call(node) if has_place(node) else f"({text} ^@ {start})"


@shows(exp.Pow)
def _power(printer: Printer, node: exp.Pow) -> str:
    if has_place(node):
        return printer.call(node)
    base, exponent = printer.show(node.this), printer.show(node.expression)
    end, start = printer.places.end_of(node.this), start_of(node.expression)
    return f"({base} {'^' if end is not None and '^' in printer.text[end:start] else '**'} {exponent})"


@shows(exp.BitwiseNot)
def _complement(printer: Printer, node: exp.BitwiseNot) -> str:
    return f"(~({printer.show(node.this)}))"


@shows(exp.Abs)
def _absolute(printer: Printer, node: exp.Abs) -> str:
    return printer.call(node) if has_place(node) else f"(@({printer.show(node.this)}))"


@shows(exp.RegexpILike)
def _matches_any_case(printer: Printer, node: exp.RegexpILike) -> str:
    return f"regexp_matches({printer.show(node.this)}, {printer.show(node.expression)}, 'i')"


@shows(exp.Anonymous)
def _plus(printer: Printer, node: exp.Anonymous) -> str:
    return f"(+({printer.show(node.expressions[0])}))" if node.name == PLUS else printer.call(node)


@shows(exp.Coalesce)
def _coalesce(printer: Printer, node: exp.Coalesce) -> str:
    return f"COALESCE({printer.many([node.this, *node.expressions])})"


@shows(exp.Alias)
def _alias(printer: Printer, node: exp.Alias) -> str:
    return printer.show(node.this)


@shows(exp.Boolean)
def _boolean(printer: Printer, node: exp.Boolean) -> str:
    return "true" if node.this else "false"


@shows(exp.Null)
def _null(printer: Printer, node: exp.Null) -> str:
    return "NULL"


@shows(exp.HexString)
def _bytes(printer: Printer, node: exp.HexString) -> str:
    return f"X'{node.name}'"


@shows(exp.Placeholder)
def _parameter(printer: Printer, node: exp.Placeholder) -> str:
    return f"${node.name or '1'}"


@shows(exp.Var)
def _word(printer: Printer, node: exp.Var) -> str:
    return f"'{node.name.lower()}'"


@shows(exp.Star)
def _star(printer: Printer, node: exp.Star) -> str:
    return "*"


@shows(exp.AtTimeZone)
def _in_zone(printer: Printer, node: exp.AtTimeZone) -> str:
    return f"timezone({printer.show(node.args['zone'])}, {printer.show(node.this)})"
