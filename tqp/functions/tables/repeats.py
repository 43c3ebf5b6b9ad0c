"""Table functions that give one row again and again: repeat and repeat_row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.registry import Args
from tqp.functions.tables.registry import Asked, TableSignature, table_function
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr, Literal, Value
from tqp.ir.show import show_expr
from tqp.kernels import waits
from tqp.types import BIGINT

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Repeated:
    """The same constants `counts` times."""

    constants: tuple[Column, ...]
    counts: int
    begins: None = None

    def columns(self, asked: Asked) -> list[Column]:
        return list(self.constants)


def _count(args: Sequence[Value]) -> float | None:
    count = args[-1]
    return float(count) if isinstance(count, int) else None


def _times(column: Column, message: str) -> int:
    valid = column.valid is None or waits.truth(column.valid, "a NULL count is an error")
    count = waits.number(column.data.long(), "how often a row is repeated") if valid else -1
    if count < 0:
        raise ExecutionError(message)
    return count


def _is_count(expr: Expr) -> bool:
    return expr.dtype.is_integer or is_text_literal(expr) or expr == Literal(None, expr.dtype)


def _repeat_types(args: tuple[Expr, ...]) -> TableSignature:
    if len(args) != 2 or not _is_count(args[1]):
        raise BindError("repeat takes a value and a BIGINT, how often", hint="as in repeat('x', 3)")
    value = args[0]
    name = str(value.value) if isinstance(value, Literal) and isinstance(value.value, str) else show_expr(value)
    # As DuckDB calls a first column without a name.
    name = name or "C0"
    return (value.dtype, BIGINT), ((name, value.dtype),)


@table_function("repeat", types=_repeat_types, rows=_count)
def _repeat(args: Args, rows: int) -> _Repeated:
    return _Repeated((args[0],), _times(args[1], "repeat takes a count of 0 or more, and no NULL"))


def _repeat_row_types(args: tuple[Expr, ...]) -> TableSignature:
    *values, count = args
    if not values:
        raise BindError("repeat_row needs a value at least", hint="as in repeat_row(1, 'x', num_rows = 3)")
    if not _is_count(count):
        raise BindError("num_rows of repeat_row is a BIGINT")
    types = tuple(value.dtype for value in values)
    return (*types, BIGINT), tuple((f"column{place}", dtype) for place, dtype in enumerate(types))


@table_function("repeat_row", types=_repeat_row_types, rows=_count, options=("num_rows",))
def _repeat_row(args: Args, rows: int) -> _Repeated:
    return _Repeated(tuple(args[:-1]), _times(args[-1], "num_rows of repeat_row is 0 or more, and not NULL"))
