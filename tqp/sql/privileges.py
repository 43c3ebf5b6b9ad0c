"""Functions that tools for Postgres ask what a connection may do and see: everything, as in DuckDB."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError, counted
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, named
from tqp.sql.unread import discard
from tqp.types import BOOLEAN, INTEGER, NULL, DType


def _constant(name: str, value: bool | int | None, dtype: DType, *counts: int) -> None:
    """A function of so many arguments, none of which it reads."""

    @named(name)
    def constant(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        if len(node.expressions) not in counts:
            known = counted(counts[0], "argument") if len(counts) == 1 else f"{' or '.join(map(str, counts))} arguments"
            raise BindError(f"{name} takes {known}, not {len(node.expressions)}")
        for argument in node.expressions:
            discard(argument)
        return Literal(value, dtype, typed=True)


for _what in (
    *("any_column", "database", "foreign_data_wrapper", "function", "language", "schema", "sequence", "server"),
    *("table", "tablespace"),
):
    _constant(f"has_{_what}_privilege", True, BOOLEAN, 2, 3)
_constant("has_column_privilege", True, BOOLEAN, 3, 4)
_constant("pg_has_role", True, BOOLEAN, 2, 3)
for _what in (
    *("collation", "conversion", "function", "opclass", "operator", "opfamily", "table", "ts_config", "ts_dict"),
    *("ts_parser", "ts_template", "type"),
):
    _constant(f"pg_{_what}_is_visible", True, BOOLEAN, 1)
_constant("pg_is_other_temp_schema", False, BOOLEAN, 1)
_constant("pg_my_temp_schema", 0, INTEGER, 0)
for _what in ("col", "obj", "shobj"):
    _constant(f"{_what}_description", None, NULL, 2)
for _what in ("client_addr", "client_port", "server_addr", "server_port"):
    _constant(f"inet_{_what}", None, NULL, 0)
