"""Sums of a column and a constant become sums of the column.

sum(x + k) is sum(x) + k * count(x): several sums over one x cost one, where it is proven that x + k leaves its type in no row, so
that the sum raises no error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf
from typing import Final

from tqp.functions.bind import bind, coerce
from tqp.ir import words
from tqp.ir.expr import AggregateCall, Call, Expr, Literal
from tqp.ir.inputs import decide
from tqp.ir.plan import Aggregate, Field, Plan, Project
from tqp.ir.visit import rewrite_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.ranges import stored_limits
from tqp.types import BIGINT, HUGEINT, integer_range

__all__ = ["split_sums"]

_ROWS_A_GROUP: Final = 8
"""What is computed for each group takes longer than an addition a row, in 128 bits."""
_Split = tuple[Expr, str, Literal]
"""x, whether the constant is added or subtracted, and the constant."""


def split_sums(plan: Plan) -> Plan:
    """The plan with sums of x + k taken apart where another sum reads x, too."""
    names: list[Symbols] = []
    estimator = Estimator()

    def rule(node: Plan) -> Plan | None:
        return _split_all(node, plan, names, estimator) if isinstance(node, Aggregate) else None

    return rewrite_plan(plan, rule)


def _split_all(node: Aggregate, root: Plan, names: list[Symbols], estimator: Estimator) -> Plan | None:
    sums = [call for call in node.aggregates if _is_plain_sum(call)]
    if len(sums) < 2:
        return None
    parts = {call: _parts(call.args[0]) for call in sums}
    readers = Counter((part[0] if part is not None else call.args[0], call.filter) for call, part in parts.items())
    split: dict[AggregateCall, _Split] = {}
    proven: dict[Expr, tuple[float, float]] = {}
    for call, part in parts.items():
        if part is None or readers[part[0], call.filter] < 2:
            continue
        if part[0] not in proven:
            proven[part[0]] = stored_limits(node.input, part[0])
        least, greatest = integer_range(call.args[0].dtype)
        if decide(_stays, part[2], rest=(part[1], *proven[part[0]], least, greatest)):
            split[call] = part
    if not split or estimator.rows(node.input) < _ROWS_A_GROUP * estimator.rows(node):
        return None
    if not names:
        names.append(Symbols(root))
    return _with(node, split, names[0])


def _with(node: Aggregate, split: dict[AggregateCall, _Split], names: Symbols) -> Plan:
    made: dict[AggregateCall, Field] = {}
    bases: dict[tuple[Expr, Expr | None], tuple[Expr, Expr]] = {}

    def field(call: AggregateCall, base: str) -> Field:
        if call not in made:
            made[call] = Field(names.fresh(base), base, call.dtype)
        return made[call]

    exprs: list[Expr] = [item.ref for item in node.schema[: len(node.keys)]]
    for item, call in zip(node.fields, node.aggregates, strict=True):
        part = split.get(call)
        if part is None:
            exprs.append(field(call, item.symbol).ref)
            continue
        x, function, k = part
        if (x, call.filter) not in bases:
            total = field(AggregateCall(call.function, (x,), call.dtype, filter=call.filter), words.SUM).ref
            count = field(AggregateCall(words.COUNT, (x,), BIGINT, filter=call.filter), words.COUNT).ref
            bases[x, call.filter] = total, coerce(count, HUGEINT)
        whole, rows = bases[x, call.filter]
        exprs.append(bind(function, whole, bind(words.MUL, rows, coerce(k, HUGEINT))))
    grouped = replace(node, fields=tuple(made.values()), aggregates=tuple(made))
    return Project(grouped, node.schema, tuple(exprs))


def _is_plain_sum(call: AggregateCall) -> bool:
    return (
        call.function == words.SUM
        and not call.distinct
        and not call.order
        and call.args[0].dtype.is_integer
        and call.dtype == HUGEINT
    )


def _parts(expr: Expr) -> _Split | None:
    match expr:
        case Call(function=words.ADD | words.SUB, args=(x, Literal() as k)) if not k.is_null:
            pass
        case Call(function=words.ADD, args=(Literal() as k, x)) if not k.is_null:
            pass
        case _:
            return None
    if isinstance(x, Literal) or not (x.dtype.is_integer and k.dtype.is_integer):
        return None
    return x, expr.function, k


def _stays(k: Literal, function: str, low: float, high: float, least: int, greatest: int) -> bool:
    """Whether x + k, or x - k, of low <= x <= high is within least .. greatest."""
    if not isinstance(k.value, int) or isinstance(k.value, bool) or low == -inf or high == inf:
        return False
    added = k.value if function == words.ADD else -k.value
    return least <= int(low) + added and int(high) + added <= greatest
