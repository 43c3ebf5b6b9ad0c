"""Names of calls with FILTER, WITHIN GROUP and OVER."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.sql.names.printer import Printer, shows

_ORDER: Final = re.compile(r"[\s)\]}]*(?:(ASC|DESC)\b)?\s*(?:(NULLS\s+(?:FIRST|LAST))\b)?", re.IGNORECASE)
_STANDARD_FRAME: Final = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


@shows(exp.Filter)
def _filter(printer: Printer, node: exp.Filter) -> str:
    return f"{printer.show(node.this)} FILTER (WHERE {printer.show(node.expression.this)})"


@shows(exp.WithinGroup)
def _within_group(printer: Printer, node: exp.WithinGroup) -> str:
    order = printer.many(node.expression.expressions)
    if isinstance(node.this, exp.Mode):
        return f'"mode"() WITHIN GROUP ( ORDER BY {order})'
    shown = printer.show(node.this).replace("percentile", "quantile", 1)
    return f"{shown[:-1]} ORDER BY {order})"


@shows(exp.Window)
def _window(printer: Printer, node: exp.Window) -> str:
    call = node.this
    ignores = False
    while isinstance(call, exp.IgnoreNulls | exp.RespectNulls):
        ignores |= isinstance(call, exp.IgnoreNulls) and not isinstance(call.this, exp.AnyValue)
        call = call.this
    shown = printer.show(call)
    if shown.startswith("count_star()"):
        shown = shown.replace("count_star()", "count()", 1)
    if shown.startswith('"'):
        shown = shown.replace('"', "", 2)
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


@shows(exp.WindowSpec)
def _frame(printer: Printer, node: exp.WindowSpec) -> str:
    ends = []
    for end in ("start", "end"):
        value = node.args.get(end) or "CURRENT ROW"
        side = (node.args.get(f"{end}_side") or "").upper()
        ends.append(f"{value if isinstance(value, str) else printer.show(value)} {side}".rstrip())
    kind = node.args["kind"].upper()
    if kind == "RANGE" and ends == ["UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING"]:
        kind = "ROWS"
    shown = f"{kind} BETWEEN {ends[0]} AND {ends[1]}"
    exclude = node.args.get("exclude")
    return shown if exclude is None or exclude.name == "NO OTHERS" else f"{shown} EXCLUDE {exclude.name}"


@shows(exp.Ordered)
def _ordered(printer: Printer, node: exp.Ordered) -> str:
    """ASC and NULLS LAST, which the parser forgets where they change nothing, are read in the text."""
    meant = (["DESC"] if node.args.get("desc") else []) + (["NULLS FIRST"] if node.args.get("nulls_first") else [])
    end = printer.places.end_of(node.this)
    match = None if end is None else _ORDER.match(printer.text, end)
    written = [" ".join(word.upper().split()) for word in (match.groups() if match is not None else ()) if word]
    # What stands behind parentheses may belong to something around them.
    agrees = [word for word in written if word not in ("ASC", "NULLS LAST")] == meant
    return " ".join([printer.show(node.this), *(written if agrees else meant)])


@shows(exp.IgnoreNulls)
def _without_nulls(printer: Printer, node: exp.IgnoreNulls) -> str:
    return printer.show(node.this)
