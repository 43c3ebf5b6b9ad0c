"""How functions of JSON are registered: each runs once a distinct text, or a distinct combination of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.per_text import per_text
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.types import BIGINT, JSON, NULL, VARCHAR, DType

__all__ = ["json_function", "text_types"]


def text_types(
    name: str, args: tuple[Expr, ...], path: int | None = None, *, takes_places: bool = False
) -> tuple[DType, ...]:
    """The types of arguments that are JSON or its text, which a list, struct or map becomes; BindError for others.

    The one at `path` is a path, which may be a whole number where one `takes_places`.
    """
    wanted: list[DType] = []
    for position, arg in enumerate(args):
        if position == path and takes_places and arg.dtype.is_integer:
            wanted.append(BIGINT)
        elif arg.dtype.is_nested and position != path:
            wanted.append(JSON)
        elif arg.dtype.is_text or arg.dtype == NULL or is_text_literal(arg):
            wanted.append(arg.dtype if arg.dtype.is_text else VARCHAR)
        else:
            raise BindError(
                f"argument {position + 1} of {name} is {arg.dtype}, not VARCHAR", hint="write CAST(... AS VARCHAR)"
            )
    return tuple(wanted)


def _types(name: str, out: DType, least: int, most: int | None, path: int | None) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) < least or (most is not None and len(args) > most):
            wanted = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} or {most}"
            raise BindError(f"{name} takes {wanted} arguments, not {len(args)}")
        return text_types(name, args, path), out

    return types


def json_function(
    names: str,
    out: DType,
    least: int = 1,
    most: int | None = 1,
    *,
    path: int | None = None,
    strict: bool = True,
    at_once: Callable[[Args, DType, Callable[..., Any]], Column | None] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what gives for texts the value, or None for NULL; an ExecutionError of it is that of the rows.

    The argument number `path`, from 0, is one. Without `strict` it gets None for arguments that are NULL. `at_once` gives it for
    many texts, or None where it cannot.
    """

    def register(compute: Callable[..., Any]) -> Callable[..., Any]:
        first = names.split(",")[0]

        @scalar(
            *names.split(","),
            types=_types(first, out, least, most, path),
            strict=strict,
            on_distinct=True,
            on_host=True,
        )
        def kernel(args: Args, out: DType) -> Column:
            found = None if at_once is None else at_once(args, out, compute)
            return per_text(compute, args, out, strict=strict) if found is None else found

        return compute

    return register
