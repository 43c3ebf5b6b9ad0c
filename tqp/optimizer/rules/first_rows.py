"""row_number() or rank() of which only the first k are kept: the window may leave the others out.

Filter(r <= k) above a Window all of whose calls count the rows before: a row with k rows of its partition before it does not pass,
and changes nothing for those that do. The filter stays, as the window leaves out what is cheap to find.
"""

from __future__ import annotations

from tqp.functions.windows import find_window
from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.ir.plan import Filter, Plan, Window
from tqp.ir.visit import rewrite_plan
from tqp.ir.window import WindowCall

__all__ = ["keep_first_rows"]

_MOST = 100
"""The first rows of more are found by a sort as fast."""

_LESS = {words.LTE: 0, words.EQ: 0, words.LT: 1}
"""Comparisons that only numbers up to k pass, less this."""


def keep_first_rows(plan: Plan) -> Plan:
    """The plan with windows that say how many rows of each partition are read."""
    return rewrite_plan(plan, _rule)


def _rule(node: Plan) -> Plan | None:
    if not isinstance(node, Filter) or not isinstance(node.input, Window):
        return None
    window = node.input
    # Without ORDER BY all rows are equal, except for their numbers.
    is_ordered = bool(window.order_by)
    if not (is_ordered or window.partition_by) or not all(_counts_before(call, is_ordered) for call in window.calls):
        return None
    made = {item.symbol for item in window.fields}
    limits = [limit for part in conjuncts(node.predicate) if (limit := _limit(part, made)) is not None]
    if not limits or min(limits) > _MOST:
        return None
    most = max(min(limits), 1)
    return Filter(
        Window(window.input, window.partition_by, window.order_by, window.fields, window.calls, most), node.predicate
    )


def _counts_before(call: WindowCall, is_ordered: bool) -> bool:
    function = find_window(call.call.function)
    if function is None or call.call.order:
        return False
    return function.counts_before and (is_ordered or call.call.function == words.ROW_NUMBER)


def _limit(part: Expr, made: set[str]) -> int | None:
    """The largest number that passes, where the condition is an upper limit of a column of `made`."""
    match part:
        case Call(function=function, args=(ColumnRef(symbol=symbol), Literal() as literal)) if (
            function in _LESS and symbol in made and not literal.is_null
        ):
            value = literal.value
            return value - _LESS[function] if isinstance(value, int) else None
        case _:
            return None
