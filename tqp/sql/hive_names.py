"""hive_partition_component(name, value): what the folder of a value is called where files are divided by a column."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.functions.registry import expect
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, named
from tqp.sql.operators import call, cast
from tqp.types import NULL, VARCHAR

__all__: list[str] = []

_NONE: Final = Literal("__HIVE_DEFAULT_PARTITION__", VARCHAR)
"""The value of a folder of NULLs."""
_LIKE_NONE: Final = Literal("%5F_HIVE_DEFAULT_PARTITION__", VARCHAR)
"""A value that is this text."""


@named("hive_partition_component")
def _component(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 2, "hive_partition_component")
    name, value = (binder.bind(argument) for argument in node.expressions)
    if name.dtype not in (VARCHAR, NULL):
        raise binder.context.error(node, f"the name in hive_partition_component is a text, not {name.dtype}")
    shown = cast(value, VARCHAR)
    encoded = call("nullif", call("url_encode", shown), _NONE)
    folder = call("coalesce", encoded, call("replace", shown, _NONE, _LIKE_NONE), _NONE)
    called = call("coalesce", call("url_encode", cast(name, VARCHAR)), Literal("NULL", VARCHAR))
    return call("concat", called, Literal("=", VARCHAR), folder)
