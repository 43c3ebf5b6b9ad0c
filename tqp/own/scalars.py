"""From a callable to a scalar function of SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError, with_article
from tqp.functions.registry import Args, Function
from tqp.io.laid_out import has_union
from tqp.own.calls import Rows, called, given, inputs, of_rows
from tqp.own.check import require_rows, sample
from tqp.own.host import of_arrow, of_values
from tqp.own.registered import Own
from tqp.own.types import tensor_dtype, type_rule
from tqp.types import DType

__all__ = ["option", "own_function", "require_callable"]

KINDS: Final = ("torch", "arrow", "python")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


def own_function(
    name: str,
    f: Callable[..., Any],
    parameters: Sequence[DType],
    result: DType,
    *,
    kind: str,
    null_handling: str,
    exception_handling: str,
    side_effects: bool,
    tried_with: Sequence[Any] | None,
    device: torch.device,
) -> Own:
    """The function `name`, checked; see `Connection.create_function`. Raises BindError."""
    option("type", kind, KINDS)
    special = option("null_handling", null_handling, ("default", "special")) == "special"
    safe = option("exception_handling", exception_handling, ("default", "return_null")) == "return_null"
    types = tuple(parameters)
    if safe and kind != "python":
        raise BindError('exception_handling="return_null" is for type="python"', hint="give (values, valid) instead")
    if side_effects and not types:
        raise BindError(
            f"{name} has side effects and no parameter, so that nothing says for how many rows it is called",
            hint="give it a parameter, and call it with a column",
        )
    run: Rows
    match kind:
        case "torch":
            for dtype in (*types, result):
                tensor_dtype(dtype, name)
            columns = sample(name, types, tried_with, device)
            require_rows(name, f, columns, result, device, special, not side_effects)
            run = _of_tensors(name, f, types, result, device, special)
        case "arrow":
            run = of_arrow(name, f, result, device, special)
        case _:
            if any(map(has_union, result.children)):
                hint = 'give Arrow arrays (type="arrow")'
                raise UnsupportedError(f"{name}: {result} of Python values is not supported", hint=hint)
            run = of_values(name, f, result, device, special, each=side_effects, safe=safe)

    def kernel(args: Args, out: DType) -> Column:
        return of_rows(args, result, run, device, known_alone=not special)

    rule = type_rule(name, types, result, each_row=side_effects)
    function = Function(name, rule, kernel, strict=not special, each_row=side_effects)
    return Own(name, kind, types, result, function, side_effects)


def _of_tensors(
    name: str, f: Callable[..., Any], types: tuple[DType, ...], result: DType, device: torch.device, special: bool
) -> Rows:
    def run(args: Sequence[Column], count: int) -> Column:
        return given(name, called(name, f, *inputs(args, types, name, special)), result, count, device, special)

    return run


def require_callable(name: str, f: object) -> str:
    """The name in lower case; BindError where it is none that a call in SQL has, or where `f` cannot be called."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise BindError(
            f"{name!r} is no name of a function", hint="it begins with a letter; letters, digits and _ follow"
        )
    if not callable(f):
        raise BindError(f"{name}: {with_article(type(f).__name__)} cannot be called")
    return name.lower()


def option(what: str, value: object, known: Sequence[str]) -> str:
    """The value of an option, as DuckDB's enumerations are written, too; BindError for another one."""
    found = str(getattr(value, "name", value)).lower()
    found = {"native": "python"}.get(found, found)
    if found not in known:
        raise BindError(f"{what}={value!r} is not known", hint=f"choose {', '.join(known)}")
    return found
