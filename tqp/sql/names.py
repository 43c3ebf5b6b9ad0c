"""What a result column is called when it has no alias: the expression as DuckDB would print it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.units import INTERVAL_UNITS, PARTS
from tqp.sql.datatypes import dtype_of
from tqp.sql.dialect import dialect_named
from tqp.sql.unread import peeked, unnoticed
from tqp.stack import deep
from tqp.types import Kind

__all__ = ["display", "inner_name"]

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.DPipe: "||",
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM", exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Distance: "<->", exp.DistanceNd: "<=>",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>",
}  # fmt: skip
_COMPLEMENTS: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
# Type names that are no keywords keep their lower case.
_LOWER_CASE = frozenset({Kind.DATE, Kind.DOUBLE, Kind.TINYINT, Kind.HUGEINT})
# Function names that are keywords, too, are printed in quotes.
_QUOTED = frozenset({
    "year", "month", "day", "hour", "minute", "second", "week", "quarter", "substring", "left", "right", "trim",
    "position", "overlay", "nullif", "if", "row", "replace", "values",
})  # fmt: skip


def display(node: exp.Expr, text: str) -> str:
    """The name of a result column that is this expression; `text` is the query it stands in."""
    with unnoticed(node):
        return _Printer(text, _text_of).show(node)


def inner_name(node: exp.Expr, text: str) -> str:
    """The same for a column that no result has: the plan does not build on the values of literals, which it may have others of."""
    with unnoticed(node):
        return _Printer(text, peeked).show(node)


def _text_of(node: exp.Literal) -> str:
    return str(node.this)


class _Printer:
    """`literal` gives a literal's text."""

    def __init__(self, text: str, literal: Callable[[exp.Literal], str]) -> None:
        self.text = text
        self.literal = literal

    @deep
    def show(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Binary) and type(node) in _OPERATORS:
            return self._binary(node)
        shower: Callable[[_Printer, Any], str] | None = _SHOWERS.get(type(node))
        return self._call(node) if shower is None else shower(self, node)

    def many(self, nodes: list[exp.Expr]) -> str:
        return ", ".join(map(self.show, nodes))

    def _binary(self, node: exp.Binary) -> str:
        # A long chain is a deep left spine: walk it, for recursion would overflow.
        spine: list[exp.Binary] = []
        current: exp.Expr = node
        while isinstance(current, exp.Binary) and type(current) in _OPERATORS:
            spine.append(current)
            current = current.this
        shown = self.show(current)
        for step in reversed(spine):
            shown = self._step(shown, step)
        return shown

    def _step(self, left: str, node: exp.Binary) -> str:
        right = node.expression
        if not isinstance(right, exp.Any | exp.All):
            return f"({left} {_OPERATORS[type(node)]} {self.show(right)})"
        query = self.show(right.this)
        if isinstance(right, exp.Any):
            return f"({left} {_OPERATORS[type(node)]} ANY{query})"
        complement = _COMPLEMENTS.get(type(node), type(node))
        return f"(NOT ({left} {_OPERATORS[complement]} ANY{query}))"

    def _call(self, node: exp.Expr) -> str:
        args: list[exp.Expr] = []
        for part in ["expressions"] if isinstance(node, exp.Anonymous) else node.arg_types:
            value = node.args.get(part)
            args += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, exp.Expr)]
        if isinstance(node, exp.Count) and (not args or isinstance(args[0], exp.Star)):
            return "count_star()"
        name = "GROUPING" if isinstance(node, exp.Grouping) else self.function_name(node)
        if len(args) == 1 and isinstance(args[0], exp.Distinct):
            return f"{name}(DISTINCT {self.many(args[0].expressions)})"
        return f"{name}({self.many(args)})"

    def function_name(self, node: exp.Expr) -> str:
        """The name as written where the node remembers its place, else the node's own."""
        meta = node._meta
        written = self.text[meta["start"] : meta["end"] + 1] if meta and "start" in meta else ""
        name = (
            written.lower()
            if written.isidentifier()
            else node.name.lower()
            if isinstance(node, exp.Anonymous)
            else str(node.sql_name()).lower()
            if isinstance(node, exp.AnyValue)
            else node.key
        )
        return f'"{name}"' if name in _QUOTED else name


def _column(printer: _Printer, node: exp.Column) -> str:
    return ".".join(part.name for part in node.parts)


def _literal(printer: _Printer, node: exp.Literal) -> str:
    text = printer.literal(node)
    if node.is_string:
        return "'" + text.replace("'", "''") + "'"
    return f"0{text}" if text.startswith(".") else text


def _literal_text(printer: _Printer, node: exp.RawString) -> str:
    return "'" + node.name.replace("'", "''") + "'"


def _subscript(printer: _Printer, node: exp.Bracket) -> str:
    return f"{printer.show(node.this)}[{printer.many(node.expressions)}]"


def _list(printer: _Printer, node: exp.Array) -> str:
    return f"list_value({printer.many(node.expressions)})"


def _cast(printer: _Printer, node: exp.Cast) -> str:
    try:
        dtype = dtype_of(node.args["to"])
        shown = str(dtype).replace(",", ", ")
        if dtype.kind in _LOWER_CASE:
            shown = shown.lower()
    except UnsupportedError:
        shown = node.args["to"].sql("duckdb")
    word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
    return f"{word}({printer.show(node.this)} AS {shown})"


def _connector(word: str) -> Callable[[_Printer, exp.Connector], str]:
    def show(printer: _Printer, node: exp.Connector) -> str:
        parts: list[exp.Expr] = []
        current: exp.Expr = node
        while type(current) is type(node):
            parts.append(current.args["expression"])
            current = current.this
        return "(" + f" {word} ".join(printer.show(part) for part in [current, *reversed(parts)]) + ")"

    return show


def _not(printer: _Printer, node: exp.Not) -> str:
    inner = node.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"({printer.show(inner.this)} IS NOT NULL)"
    if isinstance(inner, exp.Is):
        return f"(CAST({printer.show(inner.this)} AS BOOLEAN) IS DISTINCT FROM {printer.show(inner.expression)})"
    return f"(NOT {printer.show(inner)})"


def _is(printer: _Printer, node: exp.Is) -> str:
    value = printer.show(node.this)
    if isinstance(node.expression, exp.Null):
        return f"({value} IS NULL)"
    return f"(CAST({value} AS BOOLEAN) IS NOT DISTINCT FROM {printer.show(node.expression)})"


def _in(printer: _Printer, node: exp.In) -> str:
    value = printer.show(node.this)
    query = node.args.get("query")
    if query is not None:
        return f"({value} = ANY{printer.show(query)})"
    return f"({value} IN ({printer.many(node.expressions)}))"


def _between(printer: _Printer, node: exp.Between) -> str:
    low, high = printer.show(node.args["low"]), printer.show(node.args["high"])
    return f"({printer.show(node.this)} BETWEEN {low} AND {high})"


def _like(sign: str) -> Callable[[_Printer, exp.Binary], str]:
    def show(printer: _Printer, node: exp.Binary) -> str:
        negated = "!" if node.args.get("negate") else ""
        return f"({printer.show(node.this)} {negated}{sign} {printer.show(node.expression)})"

    return show


def _escape(printer: _Printer, node: exp.Escape) -> str:
    inner = node.this
    name = ("not_" if inner.args.get("negate") else "") + f"{inner.key}_escape"
    return f"{name}({printer.show(inner.this)}, {printer.show(inner.expression)}, {printer.show(node.expression)})"


def _case(printer: _Printer, node: exp.Case) -> str:
    shown = "CASE "
    for branch in node.args["ifs"]:
        when = printer.show(branch.this)
        if node.this is not None:
            when = f"({printer.show(node.this)} = {when})"
        shown += f" WHEN ({when}) THEN ({printer.show(branch.args['true'])})"
    default = node.args.get("default")
    return f"{shown} ELSE {'NULL' if default is None else printer.show(default)} END"


def _interval(printer: _Printer, node: exp.Interval) -> str:
    named, value = node.args.get("unit"), printer.show(node.this)
    unit = INTERVAL_UNITS.get(PARTS.get(named.name.lower(), "")) if named is not None else None
    if unit is None:
        return f"CAST({value} AS INTERVAL)"
    number = f"CAST({value} AS DOUBLE)"
    return f"{unit.maker}({number if unit.counted is None else f'CAST(trunc({number}) AS {unit.counted})'})"


def _extract(printer: _Printer, node: exp.Extract) -> str:
    return f"date_part('{node.this.name}', {printer.show(node.expression)})"


def _truncate(printer: _Printer, node: exp.Expr) -> str:
    return f"date_trunc('{node.args['unit'].name.lower()}', {printer.show(node.this)})"


def _filter(printer: _Printer, node: exp.Filter) -> str:
    return f"{printer.show(node.this)} FILTER (WHERE {printer.show(node.expression.this)})"


def _window(printer: _Printer, node: exp.Window) -> str:
    call = node.this
    ignores = False
    while isinstance(call, exp.IgnoreNulls | exp.RespectNulls):
        ignores |= isinstance(call, exp.IgnoreNulls) and not isinstance(call.this, exp.AnyValue)
        call = call.this
    shown = printer.show(call).replace("count_star()", "count()")
    if isinstance(call, exp.First | exp.Last):
        shown = shown.replace(call.key, f"{call.key}_value", 1)
    if ignores:
        shown = shown[:-1] + " IGNORE NULLS)"
    parts = dict(node.args)
    select = node.find_ancestor(exp.Select)
    named = {item.name.lower(): item for item in (select.args.get("windows") or () if select is not None else ())}
    base = node.args.get("alias")
    while base is not None and base.name.lower() in named:
        definition = named.pop(base.name.lower())
        parts |= {part: value for part, value in definition.args.items() if part != "this" and not parts.get(part)}
        base = definition.args.get("alias")
    partition, order, spec = parts.get("partition_by"), parts.get("order"), parts.get("spec")
    over = [f"PARTITION BY {printer.many(partition)}"] if partition else []
    over += [f"ORDER BY {printer.many(order.expressions)}"] if order is not None else []
    frame = "" if spec is None else printer.show(spec)
    over += [frame] if frame and frame != _STANDARD_FRAME else []
    return f"{shown} OVER ({' '.join(over)})"


_STANDARD_FRAME = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def _frame(printer: _Printer, node: exp.WindowSpec) -> str:
    ends = []
    for end in ("start", "end"):
        value = node.args.get(end) or "CURRENT ROW"
        side = (node.args.get(f"{end}_side") or "").upper()
        ends.append(f"{value if isinstance(value, str) else printer.show(value)} {side}".rstrip())
    shown = f"{node.args['kind'].upper()} BETWEEN {ends[0]} AND {ends[1]}"
    exclude = node.args.get("exclude")
    return shown if exclude is None or exclude.name == "NO OTHERS" else f"{shown} EXCLUDE {exclude.name}"


def _ordered(printer: _Printer, node: exp.Ordered) -> str:
    shown = printer.show(node.this) + (" DESC" if node.args.get("desc") else "")
    return f"{shown} NULLS FIRST" if node.args.get("nulls_first") else shown


def _negative(printer: _Printer, node: exp.Neg) -> str:
    inner: exp.Expr = node
    negative = False
    while isinstance(inner, exp.Neg | exp.Paren):
        negative ^= isinstance(inner, exp.Neg)
        inner = inner.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return "-" * negative + printer.show(inner)
    return f"(-({printer.show(node.this)}))"


def _coalesce(printer: _Printer, node: exp.Coalesce) -> str:
    return f"COALESCE({printer.many([node.this, *node.expressions])})"


def _subquery(printer: _Printer, node: exp.Expr) -> str:
    inner = node.this if isinstance(node, exp.Subquery) else node
    return f"({inner.sql(dialect_named('duckdb'), comments=False)})"


def _exists(printer: _Printer, node: exp.Exists) -> str:
    return f"EXISTS({node.this.sql(dialect_named('duckdb'), comments=False)})"


_SHOWERS: dict[type[exp.Expr], Callable[[_Printer, Any], str]] = {
    exp.Alias: lambda printer, node: printer.show(node.this),
    exp.And: _connector("AND"),
    exp.Array: _list,
    exp.Between: _between,
    exp.Boolean: lambda printer, node: "true" if node.this else "false",
    exp.Bracket: _subscript,
    exp.Case: _case,
    exp.Cast: _cast,
    exp.Coalesce: _coalesce,
    exp.Column: _column,
    exp.DateTrunc: _truncate,
    exp.Escape: _escape,
    exp.Exists: _exists,
    exp.Extract: _extract,
    exp.Filter: _filter,
    exp.ILike: _like("~~*"),
    exp.IgnoreNulls: lambda printer, node: printer.show(node.this),
    exp.In: _in,
    exp.Interval: _interval,
    exp.Is: _is,
    exp.Like: _like("~~"),
    exp.Literal: _literal,
    exp.Neg: _negative,
    exp.Not: _not,
    exp.Null: lambda printer, node: "NULL",
    exp.Or: _connector("OR"),
    exp.Ordered: _ordered,
    exp.Paren: lambda printer, node: printer.show(node.this),
    exp.Placeholder: lambda printer, node: f"${node.name or '1'}",
    exp.RawString: _literal_text,
    exp.Select: _subquery,
    exp.Star: lambda printer, node: "*",
    exp.Subquery: _subquery,
    exp.TimestampTrunc: _truncate,
    exp.TryCast: _cast,
    exp.Tuple: lambda printer, node: f"({printer.many(node.expressions)})",
    exp.Var: lambda printer, node: f"'{node.name.lower()}'",
    exp.Window: _window,
    exp.WindowSpec: _frame,
}
