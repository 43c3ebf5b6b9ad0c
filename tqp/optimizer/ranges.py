"""What is proven of the values of an expression in every row of a plan: limits of numbers, the texts that there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import assert_never

from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
from tqp.ir.lineage import lineage, pads, stored_statistics
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
from tqp.optimizer.literals import compares, mirrored
from tqp.types import DType, Kind, integer_range

__all__ = ["Range", "range_of", "stored_limits"]

_EXACT = 2**53
"""Up to here a DOUBLE holds every integer."""


@dataclass(frozen=True, slots=True)
class Range:
    """Inclusive limits of a number and the only `texts`, if known; both hold where there is a value that is no NaN.

    `never_null`, `never_nan`: there always is one.
    """

    low: float = -inf
    high: float = inf
    texts: frozenset[str] | None = None
    never_null: bool = False
    never_nan: bool = False

    def also(self, other: Range) -> Range:
        """Both hold."""
        texts = self.texts if other.texts is None else other.texts if self.texts is None else self.texts & other.texts
        return Range(
            max(self.low, other.low),
            min(self.high, other.high),
            texts,
            self.never_null or other.never_null,
            self.never_nan or other.never_nan,
        )


def range_of(plan: Plan, expr: Expr) -> Range:
    """What the plan's filters and stored tables prove of `expr` over its columns."""
    found = Range(never_nan=not expr.dtype.is_float)
    for node, origin in lineage(plan, expr):
        tested = _plain(origin)
        match node:
            case Filter():
                for part in conjuncts(node.predicate):
                    for fact in _facts(part, tested):
                        found = found.also(fact)
            case Join() if pads(node, tested):
                break
            case Scan():
                found = found.also(_stored(node, tested))
            case (
                Values() | Shared() | Project() | Join() | Aggregate() | GroupingSets() | Window() | Sort()
                | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
    return found


def _plain(expr: Expr) -> Expr:
    """The expression under casts that keep every number in order and NULL as it is."""
    while isinstance(expr, Cast) and not expr.safe and _keeps_order(expr.arg.dtype, expr.type):
        expr = expr.arg
    return expr


def _keeps_order(old: DType, new: DType) -> bool:
    return new.kind is Kind.DOUBLE and (old.is_exact or old.is_float) or old.is_integer and new.is_integer


def _facts(part: Expr, tested: Expr) -> Iterator[Range]:
    """What a condition that is true says of an expression."""
    if not isinstance(part, Call):
        return
    if part.function == words.IN and _plain(part.args[0]) == tested:
        facts = [fact for option in part.args[1:] for fact in _compared(words.EQ, option)]
        if len(facts) == len(part.args) - 1:
            texts = [fact.texts for fact in facts]
            known = None if any(text is None for text in texts) else frozenset[str]().union(*(t or () for t in texts))
            yield Range(min(f.low for f in facts), max(f.high for f in facts), known, True, True)
        return
    if not compares(part):
        return
    left, right = part.args
    if _plain(left) == tested:
        yield from _compared(part.function, right)
    elif _plain(right) == tested:
        yield from _compared(mirrored(part.function), left)


def _compared(function: str, other: Expr) -> Iterator[Range]:
    if not isinstance(other, Literal) or other.value is None:
        return
    if isinstance(other.value, str):
        if function == words.EQ:
            yield Range(texts=frozenset({other.value}), never_null=True, never_nan=True)
        return
    number = _number(other.value, other.type)
    if number is None or number != number:
        return
    low = number if function in (words.GT, words.GTE, words.EQ) else -inf
    high = number if function in (words.LT, words.LTE, words.EQ) else inf
    # NaN is greater than all numbers, so that only an upper limit keeps it out.
    yield Range(low, high, None, True, high < inf)


def _number(value: object, dtype: DType) -> float | None:
    """The number that a stored value stands for, as a model gets it; None where it may be rounded otherwise."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int) and dtype.is_exact:
        return value / 10**dtype.scale if abs(value) <= _EXACT else None
    return value if isinstance(value, float) and dtype.kind is Kind.DOUBLE else None


def _stored(plan: Scan, tested: Expr) -> Range:
    """What a stored column's statistics say."""
    if not isinstance(tested, ColumnRef):
        return Range()
    column = plan.column(tested.symbol)
    if column is None:
        return Range()
    facts = plan.source.statistics(column)
    low, high = (_number(limit, tested.type) for limit in (facts.minimum, facts.maximum))
    if low is None or high is None:
        return Range(never_null=facts.nulls == 0)
    return Range(low, high, None, facts.nulls == 0, True)


def stored_limits(plan: Plan, expr: Expr) -> tuple[float, float]:
    """Between which integers `expr`, of some integer type, lies by its type before it was widened and by stored statistics.

    Infinite where that is beyond what a DOUBLE counts. No condition is looked at, so that a plan that builds on it serves
    conditions with other constants.
    """
    narrow = expr
    while isinstance(narrow, Cast) and not narrow.safe and narrow.arg.dtype.is_integer:
        narrow = narrow.arg
    low, high = integer_range(narrow.dtype)
    facts = stored_statistics(plan, narrow)
    if facts is not None:
        least, greatest = (_number(limit, narrow.dtype) for limit in (facts.minimum, facts.maximum))
        if least is not None and greatest is not None:
            return max(low, least), min(high, greatest)
    return (low, high) if -_EXACT <= low and high <= _EXACT else (-inf, inf)
