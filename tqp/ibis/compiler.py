"""Expressions of Ibis as SQL. tqp reads DuckDB's language, so that this is Ibis' compiler for DuckDB and what differs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import ibis.backends.sql.compilers as compilers
import ibis.common.exceptions as exc
import ibis.expr.operations as ops
import sqlglot
from ibis.backends.sql.compilers.base import FuncGen
from ibis.backends.sql.compilers.duckdb import DuckDBCompiler
from sqlglot import expressions as sge
from sqlglot.dialects import DuckDB
from sqlglot.dialects.dialect import Dialect

__all__ = ["TqpCompiler", "compiler"]

_GEOSPATIAL = tuple(
    kind
    for name, kind in vars(ops).items()
    if name.startswith("Geo") and isinstance(kind, type) and issubclass(kind, ops.Value)
)


class _Calls(FuncGen):
    """Calls of functions by name. sqlglot has nodes for those that it knows; the others are calls as they are written."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Callable[..., sge.Expression]:
        known = super().__getattr__(name)

        def call(*arguments: Any, **named: Any) -> sge.Expression:
            try:
                made: sge.Expression = known(*arguments, **named)
            except (AttributeError, TypeError):
                # Compiled, sqlglot refuses its own functions whose node is none of a call (mod is one of an operator) or that
                # have no constructor with a name (uuid).
                made = sge.Anonymous(this=name, expressions=[sge.convert(argument) for argument in arguments])
            return made

        return call


class TqpCompiler(DuckDBCompiler):
    """What tqp has not is refused by name when an expression is compiled."""

    f: _Calls

    UNSUPPORTED_OPS = (*_GEOSPATIAL, ops.RowID)

    def __init__(self) -> None:
        super().__init__()
        self.f = _Calls(dialect=self.dialect, copy=self.copy_func_args)

    def visit_NonNullLiteral(self, op: ops.Literal, *, value: Any, dtype: Any) -> Any:
        if not dtype.is_interval():
            return super().visit_NonNullLiteral(op, value=value, dtype=dtype)
        if dtype.unit.short == "ns":
            raise exc.UnsupportedOperationError("tqp has no intervals of nanoseconds; microseconds are the finest")
        return sge.Interval(this=sge.convert(str(value)), unit=sge.Var(this=dtype.resolution.upper()))

    def visit_ExtractEpochSeconds(self, op: ops.ExtractEpochSeconds, *, arg: Any) -> Any:
        return self.cast(self.f.floor(self.f.epoch(arg)), op.dtype)

    def visit_ArrayStringJoin(self, op: ops.ArrayStringJoin, *, arg: Any, sep: Any) -> Any:
        # Of no elements it is NULL in Ibis, and an empty text in DuckDB.
        return self.if_(self.f.len(arg) > 0, self.f.array_to_string(arg, sep))

    def visit_Hash(self, op: ops.Hash, *, arg: Any) -> Any:
        # The bits of an unsigned number as those of a signed one, by arithmetic: there is no type of bits.
        wide = sqlglot.cast(self.f.hash(arg), "HUGEINT", dialect=DuckDB)
        half, whole = (sge.Literal.number(2**bits) for bits in (63, 64))
        return sqlglot.cast((wide + half) % whole - half, "BIGINT", dialect=DuckDB)


compiler = TqpCompiler()

# `ibis.to_sql(expression, dialect="tqp")` looks for compilers there, `table.sql(text, dialect="tqp")` for a dialect of that name.
compilers.tqp = sys.modules[__name__]
Dialect.classes["tqp"] = DuckDB
