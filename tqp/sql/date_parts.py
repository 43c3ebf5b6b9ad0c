"""Parts of dates and times: EXTRACT, `date_part`, `year(…)` and their kin, `date_trunc`."""

from __future__ import annotations

from sqlglot import exp

from tqp.functions.structs import pack
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, choose
from tqp.types import DOUBLE, NULL, VARCHAR

__all__: list[str] = []

_DATE_PARTS: dict[type[exp.Expr], str] = {
    exp.Year: "year", exp.Month: "month", exp.Day: "day", exp.Quarter: "quarter", exp.Week: "week",
    exp.DayOfWeek: "dow", exp.DayOfYear: "doy", exp.DayOfMonth: "day", exp.WeekOfYear: "week",
    exp.DayOfWeekIso: "isodow", exp.Hour: "hour", exp.Minute: "minute", exp.Second: "second",
}  # fmt: skip


@handles(exp.Extract)
def _extract(binder: ExprBinder, node: exp.Extract) -> Expr:
    return _named_part(Literal(node.this.name.lower(), VARCHAR), binder.bind(node.expression))


def _named_part(*args: Expr) -> Expr:
    """`extract` and `date_part`: of a date that is known to be NULL DuckDB makes a DOUBLE, whatever the part."""
    found = call("extract", *args)
    known = isinstance(args[1], Literal) and args[1].is_null and args[1].dtype != NULL
    return Literal(None, DOUBLE, typed=True) if known else found


@handles(*_DATE_PARTS)
def _date_part(binder: ExprBinder, node: exp.Expr) -> Expr:
    return call("extract", Literal(_DATE_PARTS[type(node)], VARCHAR), binder.bind(node.this))


@handles(exp.TimestampTrunc, exp.DateTrunc)
def _date_trunc(binder: ExprBinder, node: exp.Expr) -> Expr:
    return call("date_trunc", Literal(node.args["unit"].name.lower(), VARCHAR), binder.bind(node.this))


@named("date_part")
@named("datepart")
def _part(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) == 2 and isinstance(node.expressions[0], exp.Array):
        return _parts(binder, node, node.expressions[0])
    return _named_part(*[binder.bind(arg) for arg in node.expressions])


def _parts(binder: ExprBinder, node: exp.Anonymous, written: exp.Array) -> Expr:
    """Several parts, as a struct with a field for each; NULL of what is NULL."""
    names = [binder.bind(item) for item in written.expressions]
    texts = [name.value for name in names if isinstance(name, Literal) and isinstance(name.value, str)]
    if not texts or len(texts) < len(names):
        raise binder.context.error(written, "date_part takes a part, or a list of texts that are no column")
    value = binder.bind(node.expressions[1])
    found = pack(texts, [call("extract", Literal(text.lower(), VARCHAR), value) for text in texts])
    return choose([call("is_null", value)], [Literal(None, found.dtype)], found)
