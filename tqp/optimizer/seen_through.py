"""Calls that ask a call below them for less than all it makes: what they give without it."""

from __future__ import annotations

from tqp.functions.registry import find
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
from tqp.optimizer.literals import keeps_values

__all__ = ["asks_for_less", "seen_through"]


def asks_for_less(call: Call) -> bool:
    """Whether some calls as its first argument need not be made for it."""
    function = find(call.function)
    return function.picks or function.sees_through is not None


def seen_through(call: Call) -> Expr | None:
    """The same value without the call that is the first argument; None where that has to be made.

    What fails for a row goes on failing: arguments that are left out are columns and literals alone, or casts that keep all values.
    """
    made = call.args[0]
    assert isinstance(made, Call)
    function = find(call.function)
    if function.picks and len(call.args) == 2:
        element = find(made.function).element
        if element is not None and all(isinstance(arg, Literal) and not arg.is_null for arg in made.args[1:]):
            return Call(element, (*made.args, call.args[1]), call.type)
    if function.sees_through is None or not all(map(_never_fails, made.args)):
        return None
    found = function.sees_through(call)
    return found if found is not None and found.dtype == call.type else None


def _never_fails(expr: Expr) -> bool:
    while isinstance(expr, Cast):
        if not keeps_values(expr.arg.dtype, expr.type):
            return False
        expr = expr.arg
    return isinstance(expr, ColumnRef | Literal)
