"""Short ways to write plans in tests."""

from __future__ import annotations

from typing import Any

from tests.optimizer.interpret import Memory
from tqp.ir.expr import AggregateCall, Call, ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import Aggregate, Field, Filter, Join, JoinKind, Plan, Project, Scan, Window
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.types import BIGINT, BOOLEAN


def table(name: str, columns: str, *data: tuple[Any, ...]) -> Memory:
    """A table of BIGINT columns, one letter or word each."""
    return Memory(name, tuple((column, BIGINT) for column in columns.split()), list(data))


def scan(source: Memory, prefix: str) -> Scan:
    """All columns, as symbols `prefix.column`."""
    columns = tuple(column for column, _ in source.schema)
    return Scan(source, columns, tuple(Field(f"{prefix}.{c}", c, t) for c, t in source.schema))


def col(symbol: str) -> ColumnRef:
    return ColumnRef(symbol, BIGINT)


def lit(value: int | None) -> Literal:
    return Literal(value, BIGINT)


def op(function: str, *args: Expr | int | str) -> Call:
    """A call; strings are columns, numbers literals; comparisons and logic are BOOLEAN, the rest BIGINT."""
    exprs = tuple(col(a) if isinstance(a, str) else lit(a) if isinstance(a, int) else a for a in args)
    numeric = function in ("add", "sub", "mul", "coalesce", "neg")
    return Call(function, exprs, BIGINT if numeric else BOOLEAN)


def where(plan: Plan, *parts: Expr) -> Plan:
    return Filter(plan, parts[0] if len(parts) == 1 else op("and", *parts))


def project(plan: Plan, **exprs: Expr | str) -> Project:
    """Columns by symbol; `_` in a keyword stands for the dot of a symbol that stays."""
    pairs = [(Field(s, s, BIGINT), col(e) if isinstance(e, str) else e) for s, e in exprs.items()]
    fields = tuple(Field(f.symbol, f.name, e.dtype) for f, e in pairs)
    return Project(plan, fields, tuple(e for _, e in pairs))


def pick(plan: Plan, *symbols: str) -> Project:
    by_symbol = {field.symbol: field for field in plan.schema}
    fields = tuple(by_symbol[symbol] for symbol in symbols)
    return Project(plan, fields, tuple(field.ref for field in fields))


def join(kind: JoinKind, left: Plan, right: Plan, condition: Expr | None = None) -> Join:
    return Join(kind, left, right, residual=condition, mark="m" if kind == "mark" else None)


def group(plan: Plan, *keys: str, **calls: tuple[str, str | Expr | None]) -> Aggregate:
    """Aggregates by symbol: ("sum", "t.a"); ("count_star", None)."""
    made = []
    for function, arg in calls.values():
        args: tuple[Expr, ...] = () if arg is None else (col(arg) if isinstance(arg, str) else arg,)
        made.append(AggregateCall(function, args, BIGINT))
    return Aggregate(plan, keys, tuple(Field(s, s, BIGINT) for s in calls), tuple(made))


def window(
    plan: Plan, by: tuple[str, ...] = (), order: tuple[str, ...] = (), **calls: tuple[str, str | Expr | None]
) -> Window:
    """Calls by symbol: ("sum", "t.a"); ("rank", None). Without `order` over the whole partition, else up to equal rows."""
    end = FrameBound("current row" if order else "unbounded following")
    frame = Frame("range", FrameBound("unbounded preceding"), end)
    made = []
    for function, arg in calls.values():
        args: tuple[Expr, ...] = () if arg is None else (col(arg) if isinstance(arg, str) else arg,)
        made.append(
            WindowCall(AggregateCall(function, args, BIGINT), None if function in ("rank", "row_number") else frame)
        )
    keys = tuple(SortKey(col(symbol)) for symbol in order)
    return Window(plan, tuple(map(col, by)), keys, tuple(Field(s, s, BIGINT) for s in calls), tuple(made))
