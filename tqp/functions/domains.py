"""Numbers for which functions of floats have no number: errors where a setting says so, as IEEE 754 says otherwise.

For each of these functions there is a scalar function `checked NAME` of the same arguments, a name that no text can write. It
gives its first argument, and raises ExecutionError for rows that the function has no number for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Final

from torch import Tensor

from tqp.config import Semantics
from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.bind import bind, coerce
from tqp.functions.exact import first_bad
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.ir.expr import Call, Expr, LambdaCall, Literal
from tqp.ir.visit import rewrite
from tqp.types import INTEGER, DType

__all__ = ["CHECKED", "within"]

CHECKED: Final = "checked "
"""Before the name of a function, in that of what checks its arguments."""

Outside = Callable[..., Tensor]
"""From the data of the arguments to where they are outside of the domain."""


def _not_positive(x: Tensor) -> Tensor:
    return x <= 0


def _infinite(x: Tensor) -> Tensor:
    return x.isinf()


def _beyond_one(x: Tensor) -> Tensor:
    return x.abs() > 1


def _zero(x: Tensor) -> Tensor:
    return x == 0


def _no_logarithm(first: Tensor, second: Tensor | None = None) -> Tensor:
    """Of log(x), or of log(base, x)."""
    return first <= 0 if second is None else (first <= 0) | (first == 1) | (second <= 0)


_LOGARITHM: Final = "there is no logarithm of zero, of a negative number, or to base 1"
_DOMAINS: Final[dict[tuple[str, ...], tuple[str, Outside]]] = {
    ("ln", "log2", "log10"): (_LOGARITHM, _not_positive),
    ("log",): (_LOGARITHM, _no_logarithm),
    ("sqrt",): ("there is no square root of a negative number", lambda x: x < 0),
    ("sin", "cos", "tan"): ("there is no angle without end", _infinite),
    ("cot",): ("there is no cotangent of zero, or of an angle without end", lambda x: (x == 0) | x.isinf()),
    ("asin", "acos", "atanh"): ("the number is not between -1 and 1", _beyond_one),
    ("gamma", "lgamma"): ("there is no gamma of zero", _zero),
    ("pow", "power"): ("zero has no negative power", lambda x, y: (x == 0) & (y < 0)),
    ("div", "mod", "fmod"): ("division by zero", lambda x, y: y == 0),
}
"""What is wrong, and where, by the names of functions."""
_WHOLE: Final = frozenset({"intdiv", "divide"})
_DIVISIONS: Final = _WHOLE | {"div", "mod", "fmod"}
_CHECKED: Final = frozenset(name for names in _DOMAINS for name in names)


def _floats(outside: Outside) -> TypeRule:
    """Floats as they are, as many as `outside` takes."""
    parameters = signature(outside).parameters.values()
    least = sum(one.default is one.empty for one in parameters)

    def types(args: tuple[Expr, ...]) -> Signature:
        if not least <= len(args) <= len(parameters) or not all(arg.dtype.is_float for arg in args):
            raise BindError("a check is of the floats that the function takes")
        return tuple([arg.dtype for arg in args]), args[0].dtype

    return types


def _register(name: str, wrong: str, outside: Outside) -> None:
    @scalar(CHECKED + name, types=_floats(outside))
    def kernel(args: Args, out: DType) -> Column:
        if first_bad(outside(*(arg.data for arg in args)), tuple(args)) is not None:
            raise ExecutionError(
                wrong, hint="TRY(…) gives NULL there; SET ieee_floating_point_ops = true gives a float"
            )
        return args[0]


for _names, (_wrong, _outside) in _DOMAINS.items():
    for _name in _names:
        _register(_name, _wrong, _outside)


def within(expr: Expr, semantics: Semantics) -> Expr | None:
    """What a call is by the settings, its arguments rewritten already; None where that is the same."""
    if isinstance(expr, LambdaCall) and expr.body is not None:
        return replace(expr, body=rewrite(expr.body, lambda node: within(node, semantics)))
    if not isinstance(expr, Call) or not isinstance(expr.function, str) or len(expr.args) not in (1, 2):
        return None
    name = expr.function
    is_division = name in _DIVISIONS
    if is_division and (name in _WHOLE or not expr.dtype.is_float):
        # An error of its own, whatever floats do.
        return None if semantics.error_on_division_by_zero else _null_at_zero(expr)
    if semantics.ieee_floating_point_ops or name not in _CHECKED:
        return None
    if is_division and not semantics.error_on_division_by_zero:
        return _null_at_zero(expr)
    first, *others = expr.args
    if isinstance(first, Call) and first.function == CHECKED + name:
        return None
    return replace(expr, args=(Call(CHECKED + name, expr.args, first.dtype), *others))


def _null_at_zero(expr: Call) -> Call:
    dividend, divisor = expr.args
    return replace(expr, args=(dividend, coerce(bind("nullif", divisor, Literal(0, INTEGER)), divisor.dtype)))
