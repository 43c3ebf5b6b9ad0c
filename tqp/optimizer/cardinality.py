"""Estimates of how many rows a plan has, and how many distinct values a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, assert_never

from tqp.functions.registry import find
from tqp.functions.tables import find_table_function
from tqp.functions.windows import find_window
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import (
    Call,
    Case,
    Cast,
    ColumnRef,
    Exists,
    Expr,
    InSubquery,
    Literal,
    Members,
    Predict,
    ScalarSubquery,
    Value,
)
from tqp.ir.lineage import stored_statistics
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import symbols
from tqp.models.model import Model
from tqp.optimizer.conditions import condition_of
from tqp.optimizer.literals import compares, mirrored
from tqp.stack import deep

__all__ = ["MOST_ROWS", "Estimator", "estimate"]

# Where neither statistics nor the function say anything: the share of rows for which a condition is true.
_UNKNOWN: Final = 0.5
# Rows of a working table, and how often a recursion takes its step: nothing tells before it runs.
_WORKING: Final = 1_000.0
_STEPS: Final = 10.0
# Rows of a table function for one row of its arguments.
_GENERATED: Final = 10.0

MOST_ROWS: Final = 1e60
"""No estimate is above it, so that what is computed of some is finite: the rows of many joins without conditions multiply."""


def estimate(plan: Plan) -> float:
    """About how many rows the plan has."""
    return Estimator().rows(plan)


@dataclass(slots=True)
class Estimator:
    """Remembers what it estimated; for use while statistics do not change."""

    _rows: dict[Plan, float] = field(default_factory=dict)
    _distinct: dict[tuple[Plan, str], float] = field(default_factory=dict)

    def rows(self, plan: Plan) -> float:
        """About how many rows the plan has; from 0 to `MOST_ROWS`, and 1 for an aggregate without keys."""
        known = self._rows.get(plan)
        if known is None:
            known = self._rows[plan] = min(self._estimate(plan), MOST_ROWS)
        return known

    @deep
    def _estimate(self, plan: Plan) -> float:
        match plan:
            case Scan():
                return float(plan.source.rows)
            case Shared():
                return self.rows(plan.definition)
            case Values():
                return float(len(plan.rows))
            case Filter(input=Window() as windowed):
                return self._first_rows(windowed, conjuncts(plan.predicate))
            case Filter(input=Scan() as scan):
                return self.rows(scan) * self.share(scan, conjuncts(plan.predicate))
            case Filter():
                return self.rows(plan.input) * self.selectivity(plan.input, plan.predicate)
            case Project() | Sort() | Window():
                return self.rows(plan.input)
            case Join():
                return self._join(plan)
            case Aggregate():
                return self._groups(plan)
            case Pivot():
                return self._groups(Aggregate(plan.input, plan.keys, (), ()))
            case GroupingSets():
                groups = (Aggregate(plan.input, tuple(plan.keys[p] for p in one), (), ()) for one in plan.sets)
                return sum(map(self._groups, groups))
            case Limit() | TopN():
                below = self.rows(plan.input)
                return below if plan.limit is None else min(below, float(plan.limit))
            case SetOp():
                return sum(map(self.rows, plan.inputs)) if plan.kind == "union" else self.rows(plan.inputs[0])
            case Generate():
                return self.rows(plan.input) * self._generated(plan)
            case DependentJoin():
                return self.rows(plan.left) * max(self.rows(plan.right), 1.0)
            case NearestJoin():
                return self.rows(plan.left) * min(float(plan.limit), max(self.rows(plan.right), 1.0))
            case AsofJoin():
                left = self.rows(plan.left)
                return left + self.rows(plan.right) if plan.kind in ("right", "full") else left
            case Recursion():
                rows = self.rows(plan.seed) + _STEPS * self.rows(plan.step)
                return rows if plan.most is None else min(rows, float(plan.most))
            case Working():
                return _WORKING
            case _:
                assert_never(plan)

    def _generated(self, plan: Generate) -> float:
        """Rows of a table function for one row of its input."""
        function = find_table_function(plan.function)
        known = None if function.rows is None else function.rows([_known(arg) for arg in plan.args])
        return _GENERATED if known is None else known

    def _first_rows(self, plan: Window, parts: tuple[Expr, ...]) -> float:
        """Rows of a window for which the parts are true; row numbers up to a limit keep so many rows a partition."""
        rows, partitions = self.rows(plan), 1.0
        for expr in plan.partition_by:
            partitions = min(partitions * self.distinct_of(plan.input, expr), rows)
        calls = zip(plan.fields, plan.calls, strict=True)
        known = ((f.symbol, find_window(call.call.function)) for f, call in calls if not call.call.order)
        numbers = {symbol for symbol, function in known if function is not None and function.numbers}
        rest = []
        for part in parts:
            match part:
                case Call(function=words.EQ, args=(ColumnRef(symbol=symbol), Literal())) if symbol in numbers:
                    rows = min(rows, partitions)
                case Call(function=words.LT | words.LTE, args=(ColumnRef(symbol=symbol), Literal() as limit)) if (
                    symbol in numbers and isinstance(last := limit.estimated, int)
                ):
                    rows = min(rows, partitions * max(last - (part.function == words.LT), 0))
                case _:
                    rest.append(part)
        return rows * self.selectivity(plan, conjunction(tuple(rest)))

    def _groups(self, plan: Aggregate) -> float:
        if not plan.keys:
            return 1.0
        rows = self.rows(plan.input)
        groups = 1.0
        for key in plan.keys:
            groups *= self.distinct(plan.input, key)
            if groups >= rows:
                return max(rows * (1.0 if len(plan.keys) == 1 else 0.8), 1.0)
        return max(groups, 1.0)

    def _join(self, plan: Join) -> float:
        left, right = self.rows(plan.left), self.rows(plan.right)
        if plan.kind in ("mark", "single"):
            return left
        if plan.kind in ("semi", "anti"):
            share = self.match_share(plan)
            return left * (share if plan.kind == "semi" else 1.0 - share)
        matches = left * right
        columns = [(self.distinct_of(plan.left, a), self.distinct_of(plan.right, b)) for a, b in plan.keys]
        for a, b in columns:
            matches /= max(a, b, 1.0)
        if len(columns) > 1:
            # Two keys are seldom independent; one side is taken to have every combination once.
            matches = max(matches, min(left, right) * 0.5)
        if plan.residual is not None:
            # Over the join on its keys alone: the rows of `plan` itself are what is being asked.
            matches *= self.selectivity(Join("inner", plan.left, plan.right, plan.keys), plan.residual)
        if plan.kind in ("left", "full"):
            matches = max(matches, left)
        return max(matches, right) if plan.kind in ("right", "full") else matches

    @deep
    def match_share(self, plan: Join) -> float:
        """The share of left rows with a match on the right."""
        share = 1.0
        for a, b in plan.keys:
            have = max(self.distinct_of(plan.left, a), 1.0)
            share = min(share, self.distinct_of(plan.right, b) / have)
        if not plan.keys:
            share = 0.5
        if plan.residual is not None:
            share *= 0.7
        return min(max(share, 0.001), 0.95)

    def share(self, scan: Scan, parts: tuple[Expr, ...]) -> float:
        """The share of a stored table's rows for which the parts are true, by what earlier runs found, else as `selectivity`."""
        estimated = self.selectivity(scan, conjunction(parts))
        if not scan.source.selectivities:
            return estimated
        condition = condition_of(scan, parts)
        found = None if condition is None else scan.source.selectivities.share(condition, estimated)
        return estimated if found is None else max(found, 1.0 / max(scan.source.rows, 1))

    def is_measured(self, plan: Plan) -> bool:
        """Whether the estimate of the plan itself is what earlier runs found."""
        if not (isinstance(plan, Filter) and isinstance(plan.input, Scan)):
            return False
        condition = condition_of(plan.input, conjuncts(plan.predicate))
        return condition is not None and plan.input.source.selectivities.share(condition, 1.0) is not None

    def selectivity(self, plan: Plan, predicate: Expr) -> float:
        """The share of the plan's rows for which the predicate is true."""
        share = 1.0
        ranges: dict[str, list[Call]] = {}
        for part in conjuncts(predicate):
            bounded = _bound(part)
            if bounded is not None:
                ranges.setdefault(bounded[0], []).append(bounded[1])
            else:
                share *= self._part(plan, part)
        for bounds in ranges.values():
            share *= self._range(plan, bounds)
        return share

    def _range(self, plan: Plan, bounds: list[Call]) -> float:
        facts = stored_statistics(plan, bounds[0].args[0])
        values = [part.args[1].estimated for part in bounds if isinstance(part.args[1], Literal)]
        if facts is None or facts.minimum is None or facts.maximum is None or not all(type(v) is int for v in values):
            return _guess(words.LT) if len(bounds) == 1 else 0.1
        low, high = float(facts.minimum), float(facts.maximum)
        for part, value in zip(bounds, values, strict=True):
            assert isinstance(value, int)
            if part.function in (words.GT, words.GTE):
                low = max(low, value + (part.function == words.GT))
            else:
                high = min(high, value - (part.function == words.LT))
        width = facts.maximum - facts.minimum + 1
        return min(max((high - low + 1) / width, 0.0), 1.0) or 1.0 / max(facts.rows, 1)

    @deep
    def _part(self, plan: Plan, part: Expr) -> float:
        match part:
            case Literal():
                return 1.0 if part.estimated is True else 0.0
            case Call(function=words.OR):
                miss = 1.0
                for branch in part.args:
                    miss *= 1.0 - self.selectivity(plan, branch)
                return 1.0 - miss
            case Call(function=words.NOT):
                return max(1.0 - self.selectivity(plan, part.args[0]), 0.01)
            case Call(function=words.EQ, args=(ColumnRef() as tested, Literal())):
                return 1.0 / max(self.distinct(plan, tested.symbol), 1.0)
            case Call(function=words.IN, args=(ColumnRef() as tested, *options)):
                return min(len(options) / max(self.distinct(plan, tested.symbol), 1.0), 1.0)
            case Call(function=words.IN_LIST, args=(ColumnRef() as tested, Literal(value=Members() as members))):
                return min(len(members.values) / max(self.distinct(plan, tested.symbol), 1.0), 1.0)
            case Call(function=words.EQ, args=(a, b)):
                return 1.0 / max(self.distinct_of(plan, a), self.distinct_of(plan, b), 2.0)
            case Call(function=words.IS_NULL, args=(ColumnRef() as tested,)):
                facts = stored_statistics(plan, tested)
                return _guess(words.IS_NULL) if facts is None else facts.nulls / max(facts.rows, 1)
            case Call():
                return _guess(part.function)
            case ColumnRef() | Cast() | Case() | Predict() | ScalarSubquery() | Exists() | InSubquery():
                return _UNKNOWN
            case _:
                assert_never(part)

    def distinct_of(self, plan: Plan, expr: Expr) -> float:
        """About how many values an expression over the plan's columns takes."""
        while isinstance(expr, Cast):
            expr = expr.arg
        if isinstance(expr, ColumnRef):
            return self.distinct(plan, expr.symbol)
        if (
            isinstance(expr, Predict)
            and isinstance(expr.model, Model)
            and expr.output == "value"
            and expr.model.classes
        ):
            return float(len(expr.model.classes))
        read = symbols(expr)
        product = 1.0
        for symbol in read:
            product *= self.distinct(plan, symbol)
        return min(product, self.rows(plan)) if read else 1.0

    def distinct(self, plan: Plan, symbol: str) -> float:
        """About how many values a column has in the plan."""
        key = (plan, symbol)
        known = self._distinct.get(key)
        if known is None:
            known = self._distinct[key] = max(self._count_distinct(plan, symbol), 1.0)
        return known

    @deep
    def _count_distinct(self, plan: Plan, symbol: str) -> float:
        match plan:
            case Scan():
                stored = plan.column(symbol)
                return float(plan.source.rows if stored is None else plan.source.statistics(stored).distinct)
            case Shared():
                column = plan.column(symbol)
                return self.rows(plan) if column is None else self.distinct(plan.definition, column)
            case Filter():
                before = self.distinct(plan.input, symbol)
                for part in conjuncts(plan.predicate):
                    match part:
                        case Call(function=words.EQ | words.IN, args=(ColumnRef(symbol=tested), *options)) if (
                            tested == symbol and all(isinstance(option, Literal) for option in options)
                        ):
                            return min(before, len(options))
                        case _:
                            pass
                return self._surviving(before, self.rows(plan.input), self.rows(plan))
            case Join():
                side = plan.left if any(f.symbol == symbol for f in plan.left.schema) else plan.right
                if symbol == plan.mark:
                    return 2.0
                return self._surviving(self.distinct(side, symbol), self.rows(side), self.rows(plan))
            case Project():
                for f, expr in zip(plan.fields, plan.exprs, strict=True):
                    if f.symbol == symbol:
                        return self.distinct_of(plan.input, expr)
                return 1.0
            case Aggregate() | Pivot():
                if symbol in plan.keys:
                    return min(self.distinct(plan.input, symbol), self.rows(plan))
                return self.rows(plan)
            case GroupingSets():
                for f, key in zip(plan.key_fields, plan.keys, strict=True):
                    if f.symbol == symbol:
                        return min(self.distinct(plan.input, key), self.rows(plan))
                return self.rows(plan)
            case Window() if any(f.symbol == symbol for f in plan.fields):
                return self.rows(plan)
            case Sort() | Limit() | TopN() | Window():
                return min(self.distinct(plan.input, symbol), self.rows(plan))
            case SetOp():
                place = next(place for place, f in enumerate(plan.fields) if f.symbol == symbol)
                sides = [self.distinct(side, side.schema[place].symbol) for side in plan.inputs]
                either = {"union": sum(sides), "intersect": min(sides), "except": sides[0]}[plan.kind]
                return min(either, self.rows(plan))
            case Generate() | DependentJoin() | AsofJoin() | NearestJoin():
                holding = (side for side in plan.children if any(f.symbol == symbol for f in side.schema))
                side_of = next(holding, None)
                return self.rows(plan) if side_of is None else min(self.distinct(side_of, symbol), self.rows(plan))
            case Recursion() | Working():
                return self.rows(plan)
            case Values():
                place = next(place for place, f in enumerate(plan.fields) if f.symbol == symbol)
                return float(len({row[place] for row in plan.rows}))
            case _:
                assert_never(plan)

    @staticmethod
    def _surviving(distinct: float, before: float, after: float) -> float:
        """Distinct values left when `after` of `before` rows stay: each value stays if one of its rows does."""
        if after >= before or before <= 0 or distinct <= 0:
            return distinct
        each = before / distinct
        return float(min(distinct * (1.0 - (1.0 - after / before) ** each), max(after, 1.0)))


def _known(expr: Expr) -> Value:
    return expr.estimated if isinstance(expr, Literal) else None


def _guess(function: str) -> float:
    """The share of rows for which a condition is true, where statistics say nothing."""
    share = find(function).selectivity
    return _UNKNOWN if share is None else share


def _bound(part: Expr) -> tuple[str, Call] | None:
    """(column, comparison with the literal on the right) of a range condition."""
    if not (isinstance(part, Call) and compares(part) and part.function not in (words.EQ, words.NEQ)):
        return None
    match part.args:
        case (ColumnRef() as column, Literal()):
            return column.symbol, part
        case (Literal() as value, ColumnRef() as column):
            return column.symbol, Call(mirrored(part.function), (column, value), part.type)
        case _:
            return None
