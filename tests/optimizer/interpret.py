"""A reference interpreter: plans evaluated row by row in Python, subqueries and correlation included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cmp_to_key, reduce
from operator import add, and_, sub
from typing import Any

from tqp.data.selectivities import Selectivities
from tqp.data.statistics import ColumnStatistics
from tqp.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Exists,
    Expr,
    InSubquery,
    Literal,
    ScalarSubquery,
    SortKey,
)
from tqp.ir.plan import (
    Aggregate,
    Filter,
    GroupingSets,
    Join,
    Limit,
    Plan,
    Project,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
)
from tqp.types import DType

Row = dict[str, Any]


@dataclass(eq=False)
class Memory:
    """A table of Python rows, with the statistics that its values have."""

    name: str
    schema: tuple[tuple[str, DType], ...]
    data: list[tuple[Any, ...]]
    excerpt: None = None
    hidden: tuple[tuple[str, DType], ...] = ()
    local: frozenset[str] = frozenset()

    @property
    def rows(self) -> int:
        return len(self.data)

    @property
    def selectivities(self) -> Selectivities:
        return Selectivities()

    def statistics(self, column: str) -> ColumnStatistics:
        index = [name for name, _ in self.schema].index(column)
        values = [row[index] for row in self.data]
        some = [value for value in values if value is not None]
        numbers = some if some and all(type(value) is int for value in some) else []
        return ColumnStatistics(
            rows=len(values), nulls=len(values) - len(some), minimum=min(numbers, default=None),
            maximum=max(numbers, default=None), distinct=len(set(some)), is_sorted=False,
            is_unique=len(set(some)) == len(values),
        )  # fmt: skip


class TooManyRows(Exception):
    """A scalar subquery or single join met a second row."""


def run(plan: Plan) -> Counter[tuple[Any, ...]]:
    """The rows as a bag."""
    return Counter(listed(plan))


def listed(plan: Plan) -> list[tuple[Any, ...]]:
    """The rows in order."""
    return [tuple(row[field.symbol] for field in plan.schema) for row in rows(plan, {})]


def rows(plan: Plan, outer: Row) -> list[Row]:
    match plan:
        case Scan():
            at = {name: i for i, (name, _) in enumerate(plan.source.schema)}
            pairs = [(f.symbol, at[c]) for f, c in zip(plan.fields, plan.columns, strict=True)]
            return [{symbol: row[i] for symbol, i in pairs} for row in plan.source.data]  # type: ignore[attr-defined]
        case Shared():
            names = [(f.symbol, column) for f, column in zip(plan.fields, plan.columns, strict=True)]
            return [{symbol: row[column] for symbol, column in names} for row in rows(plan.definition, {})]
        case Values():
            return [{f.symbol: value(e, outer) for f, e in zip(plan.fields, row, strict=True)} for row in plan.rows]
        case Filter():
            return [row for row in rows(plan.input, outer) if value(plan.predicate, outer | row) is True]
        case Project():
            return [
                {f.symbol: value(e, outer | row) for f, e in zip(plan.fields, plan.exprs, strict=True)}
                for row in rows(plan.input, outer)
            ]
        case Join():
            return _join(plan, outer)
        case Aggregate():
            return _aggregate(plan, outer)
        case GroupingSets():
            return _grouping_sets(plan, outer)
        case Window():
            return _window(plan, outer)
        case Sort():
            return _sorted(rows(plan.input, outer), plan.keys, outer)
        case Limit():
            end = None if plan.limit is None else plan.offset + plan.limit
            return rows(plan.input, outer)[plan.offset : end]
        case TopN():
            return _sorted(rows(plan.input, outer), plan.keys, outer)[plan.offset : plan.offset + plan.limit]
        case SetOp():
            return _set_operation(plan, outer)
    raise NotImplementedError(type(plan).__name__)


def _join(plan: Join, outer: Row) -> list[Row]:
    left, right = rows(plan.left, outer), rows(plan.right, outer)
    left_nulls: Row = {field.symbol: None for field in plan.left.schema}
    right_nulls: Row = {field.symbol: None for field in plan.right.schema}
    made: list[Row] = []
    matched: set[int] = set()

    def verdict(row: Row) -> bool | None:
        """Of the residual first: rows it refuses are no candidates; then of the keys."""
        if plan.residual is not None and value(plan.residual, row) is not True:
            return False
        result: bool | None = True
        for a, b in plan.keys:
            x, y = value(a, row), value(b, row)
            if x is None or y is None:
                result = None if result is not False else False
            elif x != y:
                result = False
        return result

    for row in left:
        verdicts = [verdict(outer | row | other) for other in right]
        hits = [i for i, found in enumerate(verdicts) if found is True]
        matched.update(hits)
        match plan.kind:
            case "semi":
                made += [row] if hits else []
            case "anti":
                drops = hits or (plan.null_aware and None in verdicts)
                made += [] if drops else [row]
            case "mark":
                assert plan.mark is not None
                made.append(row | {plan.mark: True if hits else None if None in verdicts else False})
            case _:
                if plan.kind == "single" and len(hits) > 1:
                    raise TooManyRows
                made += [row | right[i] for i in hits]
                if not hits and plan.kind in ("left", "full", "single"):
                    made.append(row | right_nulls)
    if plan.kind in ("right", "full"):
        made += [left_nulls | other for i, other in enumerate(right) if i not in matched]
    return made


def _aggregate(plan: Aggregate, outer: Row) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Row]] = {} if plan.keys else {(): []}
    for row in rows(plan.input, outer):
        groups.setdefault(tuple(row[key] for key in plan.keys), []).append(row)
    made = []
    for key, members in groups.items():
        row = dict(zip(plan.keys, key, strict=True))
        for field, call in zip(plan.fields, plan.aggregates, strict=True):
            row[field.symbol] = _reduce(call, members, outer)
        made.append(row)
    return made


def _grouping_sets(plan: GroupingSets, outer: Row) -> list[Row]:
    made = []
    for chosen in plan.sets:
        keys = tuple(plan.keys[place] for place in chosen)
        for row in _aggregate(Aggregate(plan.input, keys, plan.aggregate_fields, plan.aggregates), outer):
            result = {field.symbol: row[field.symbol] for field in plan.aggregate_fields}
            for place, (field, key) in enumerate(zip(plan.key_fields, plan.keys, strict=True)):
                result[field.symbol] = row[key] if place in chosen else None
            for field, places in zip(plan.mark_fields, plan.marked, strict=True):
                result[field.symbol] = plan.mark(chosen, places)
            made.append(result)
    return made


def _reduce(call: AggregateCall, members: list[Row], outer: Row) -> Any:
    if call.filter is not None:
        members = [row for row in members if value(call.filter, outer | row) is True]
    if call.function == "count_star":
        return len(members)
    ordered = _sorted(members, call.order, outer) if call.order else members
    values = [value(call.args[0], outer | row) for row in ordered]
    if call.function in ("first", "any_value"):
        return values[0] if values else None
    values = [one for one in values if one is not None]
    if call.distinct:
        values = list(dict.fromkeys(values))
    if call.function == "count":
        return len(values)
    if not values:
        return None
    match call.function:
        case "sum":
            return sum(values)
        case "avg":
            return sum(values) / len(values)
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "any_value":
            return values[0]
    raise NotImplementedError(call.function)


def _window(plan: Window, outer: Row) -> list[Row]:
    """row_number(), rank() and aggregates over the whole partition, or over it up to the last row that is equal in order."""
    found = rows(plan.input, outer)
    made = []
    for row in found:
        own = [value(expr, outer | row) for expr in plan.partition_by]
        members = [other for other in found if [value(expr, outer | other) for expr in plan.partition_by] == own]
        before = [other for other in members if _compared(plan.order_by, other, row, outer) < 0]
        equal = [other for other in members if _compared(plan.order_by, other, row, outer) == 0]
        more = {}
        for field, call in zip(plan.fields, plan.calls, strict=True):
            if call.call.function == "row_number":
                place = next(place for place, other in enumerate(equal) if other is row)
                more[field.symbol] = len(before) + place + 1
                continue
            if call.call.function == "rank":
                more[field.symbol] = len(before) + 1
                continue
            assert call.frame is not None
            more[field.symbol] = _reduce(call.call, members if call.frame.is_whole else [*before, *equal], outer)
        made.append(row | more)
    return made


def _sorted(found: list[Row], keys: tuple[SortKey, ...], outer: Row) -> list[Row]:
    return sorted(found, key=cmp_to_key(lambda a, b: _compared(keys, a, b, outer)))


def _compared(keys: tuple[SortKey, ...], a: Row, b: Row, outer: Row) -> int:
    for key in keys:
        x, y = value(key.expr, outer | a), value(key.expr, outer | b)
        if x == y:
            continue
        if x is None or y is None:
            return -1 if (x is None) == key.nulls_first else 1
        return -1 if (x < y) != key.descending else 1
    return 0


def _set_operation(plan: SetOp, outer: Row) -> list[Row]:
    sides = []
    for side in plan.children:
        order = [field.symbol for field in side.schema]
        sides.append(Counter(tuple(row[s] for s in order) for row in rows(side, outer)))
    if not plan.all:
        sides = [Counter(dict.fromkeys(side, 1)) for side in sides]
    found = reduce({"union": add, "intersect": and_, "except": sub}[plan.kind], sides)
    if not plan.all:
        found = Counter(dict.fromkeys(found, 1))
    return [dict(zip((f.symbol for f in plan.fields), one, strict=True)) for one in found.elements()]


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b, "neq": lambda a, b: a != b, "lt": lambda a, b: a < b, "lte": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "gte": lambda a, b: a >= b, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}  # fmt: skip


def value(expr: Expr, row: Row) -> Any:
    match expr:
        case ColumnRef():
            return row[expr.symbol]
        case Literal():
            return expr.value
        case Cast():
            return value(expr.arg, row)
        case Case():
            for condition, result in zip(expr.conditions, expr.values, strict=True):
                if value(condition, row) is True:
                    return value(result, row)
            return value(expr.default, row)
        case ScalarSubquery():
            found = rows(expr.plan, row)
            if len(found) > 1:
                raise TooManyRows
            return found[0][expr.plan.schema[0].symbol] if found else None
        case Exists():
            return bool(rows(expr.plan, row))
        case InSubquery():
            return _in(expr, row)
        case Call():
            return _call(expr.function, [value(arg, row) for arg in expr.args])
    raise NotImplementedError(type(expr).__name__)


def _in(expr: InSubquery, row: Row) -> bool | None:
    operands = [value(operand, row) for operand in expr.operands]
    result: bool | None = False
    for other in rows(expr.plan, row):
        pairs = zip(operands, (other[field.symbol] for field in expr.plan.schema), strict=True)
        found = _call("and", [_call("eq", list(pair)) for pair in pairs])
        if found is True:
            return True
        result = None if found is None else result
    return result


def _call(function: str, args: list[Any]) -> Any:
    match function:
        case "and":
            return False if False in args else None if None in args else True
        case "or":
            return True if True in args else None if None in args else False
        case "not":
            return None if args[0] is None else not args[0]
        case "is_null":
            return args[0] is None
        case "coalesce":
            return next((arg for arg in args if arg is not None), None)
        case "nullsafeeq":
            return args[0] == args[1]
        case "in":
            return _call("or", [_call("eq", [args[0], option]) for option in args[1:]])
    if None in args:
        return None
    return _BINARY[function](*args)
