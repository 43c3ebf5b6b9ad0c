"""Parts of dates and times: EXTRACT, `date_part`, `year(…)` and their kin, `date_trunc`."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError
from tqp.functions.differences import is_counted
from tqp.functions.registry import find
from tqp.functions.structs import pack
from tqp.functions.units import PARTS, part_name
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.ir.visit import subplans, walk
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast, choose, flat
from tqp.types import BIGINT, DOUBLE, NULL, VARCHAR, DType, Kind

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
    return _of_part(binder, node, "extract")


@named("date_trunc")
@named("datetrunc")
def _trunc(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _of_part(binder, node, "date_trunc")


@named("date_diff")
@named("datediff")
def _diff(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _of_part(binder, node, "date_diff")


@named("date_sub")
@named("datesub")
def _sub(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _of_part(binder, node, "date_sub")


def _of_part(binder: ExprBinder, node: exp.Anonymous, name: str) -> Expr:
    """The call of a function whose first argument is a part of dates, a value as any other: constant, or of each row."""
    if not node.expressions:
        raise binder.context.error(node, f"{node.name.lower()} takes a part")
    part, *rest = [binder.bind(arg) for arg in node.expressions]
    written = node.expressions[0]
    if name == "extract" and part.dtype.kind is Kind.LIST and len(rest) == 1:
        return _parts(binder, written, part, rest[0])
    if not part.dtype.is_text and part.dtype.kind not in (Kind.ENUM, Kind.NULL):
        raise binder.context.error(written, f"a part of dates is a text, not {part.dtype}")
    part = cast(part, VARCHAR) if part.dtype != NULL else part
    part = _folded(binder, written, part)
    if not isinstance(part, Literal):
        return _of_each_row(name, part, rest)
    if part.is_null:
        # Of any part that all types have.
        dtype = call(name, Literal("hour", VARCHAR), *rest).dtype
        return Literal(None, DOUBLE if name == "extract" else dtype, typed=True)
    part = Literal(str(part.value), VARCHAR)
    return _named_part(part, *rest) if name == "extract" else call(name, part, *rest)


def _folded(binder: ExprBinder, node: exp.Expr, expr: Expr) -> Expr:
    """The constant that an expression without columns is, for the type of the result depends on it."""
    if isinstance(expr, Literal) or not _is_constant(expr):
        return expr
    return Literal(binder.context.value(node, expr), expr.dtype, typed=True)


def _is_constant(expr: Expr) -> bool:
    return not any(True for _ in subplans(expr)) and not any(map(_differs, walk(expr)))


def _differs(expr: Expr) -> bool:
    return isinstance(expr, ColumnRef) or (isinstance(expr, Call) and find(expr.function).each_row)


def _of_each_row(name: str, part: Expr, rest: list[Expr]) -> Expr:
    """What the function gives for the part in each row: of them all, that which is called so."""
    found, failure = {}, None
    for one in dict.fromkeys(PARTS.values()):
        if any(_lacks(name, arg.dtype, one) for arg in rest):
            continue
        try:
            found[one] = call(name, Literal(one, VARCHAR), *rest)
        except BindError as error:
            failure = error
    if not found:
        assert failure is not None
        raise failure
    kind = ", ".join(dict.fromkeys(str(arg.dtype) for arg in rest))
    called = call("date_part_name", part, Literal(" ".join(found), VARCHAR), Literal(kind, VARCHAR))
    unknown = [call("is_null", arg) for arg in (part, *rest)]
    dtype = DOUBLE if name == "extract" else next(iter(found.values())).dtype
    values = [cast(value, dtype) for value in found.values()]
    conditions = [call("eq", called, Literal(one, VARCHAR)) for one in found]
    # Where a value is NULL nobody asks what the part is.
    return choose([flat("or", unknown), *conditions[:-1]], [Literal(None, dtype), *values[:-1]], values[-1])


def _lacks(name: str, dtype: DType, part: str) -> bool:
    """Whether the function fails for the part of a value of that type only where there is one."""
    if name == "extract":
        return dtype.kind is Kind.DATE and part.startswith("timezone")
    return name in ("date_diff", "date_sub") and not is_counted(part, dtype)


def _parts(binder: ExprBinder, written: exp.Expr, names: Expr, value: Expr) -> Expr:
    """Several parts, as a struct with a field for each; NULL of what is NULL."""
    told: list[object] = [name.value for name in names.children if isinstance(name, Literal)]
    if len(told) < len(names.children):
        told = (binder.context.value(written, names) if _is_constant(names) else None) or []
    texts = [name for name in told if isinstance(name, str)]
    if not texts or len(texts) < len(told):
        raise binder.context.error(written, "date_part takes a part, or a list of texts that are no column")
    found = pack(texts, [_field(text, value) for text in texts])
    return choose([call("is_null", value)], [Literal(None, found.dtype)], found)


def _field(part: str, value: Expr) -> Expr:
    """A part among others: of a date its time zone, which it lacks alone, is 0, and NULL of an infinite one."""
    if not _lacks("extract", value.dtype, part_name(part)):
        return call("extract", Literal(part.lower(), VARCHAR), value)
    day = call("extract", Literal("day", VARCHAR), value)
    return choose([call("is_null", day)], [Literal(None, BIGINT)], Literal(0, BIGINT))
