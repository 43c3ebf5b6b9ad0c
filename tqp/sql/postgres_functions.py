"""Functions that tools for Postgres ask what numbers in `pg_catalog` stand for: queries over what describes the connection."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.errors import BindError, counted
from tqp.ir.expr import Expr, ScalarSubquery
from tqp.sql.expansion import expression_of
from tqp.sql.expr import ExprBinder, named
from tqp.sql.postgres_types import oid_of_name, oid_of_type, type_name
from tqp.sql.query import bind_query
from tqp.sql.scope import Scope

__all__: list[str] = []

_FIRST, _SECOND = '" 1"', '" 2"'
"""What texts call the arguments; no column is called so."""

_TYPE: Final = f"""SELECT shown FROM (
    SELECT {type_name("logical_type", "type_name")} AS shown,
        CASE WHEN internal THEN coalesce({oid_of_type("type_oid")}, type_oid + 16384) ELSE type_oid END AS oid
    FROM duckdb_types() WHERE type_oid IS NOT NULL) WHERE oid = {_FIRST}"""
_DIGITS: Final = f"""{_FIRST} || CASE WHEN {_SECOND} > 0
    THEN concat('(', {_SECOND} // 1000, ',', {_SECOND} % 1000, ')') ELSE '' END"""
_CONSTRAINT: Final = (
    f"SELECT constraint_text FROM duckdb_constraints() WHERE table_oid * 1000000 + constraint_index = {_FIRST}"
)
_VIEW: Final = f'SELECT "sql" FROM duckdb_views() WHERE view_oid = {_FIRST}'


def _arguments(binder: ExprBinder, node: exp.Anonymous, *counts: int) -> list[Expr]:
    if len(node.expressions) not in counts:
        known = counted(counts[0], "argument") if len(counts) == 1 else f"{' or '.join(map(str, counts))} arguments"
        raise BindError(f"{node.name.lower()} takes {known}, not {len(node.expressions)}")
    return [binder.bind(argument) for argument in node.expressions]


def _named(arguments: list[Expr]) -> dict[str, Expr]:
    return {f" {place}": argument for place, argument in enumerate(arguments, 1)}


def _expression(binder: ExprBinder, text: str, *arguments: Expr) -> Expr:
    """An expression over the arguments alone."""
    return replace(binder, lambdas=_named([*arguments])).bind(expression_of(text))


def _found(binder: ExprBinder, text: str, *arguments: Expr) -> Expr:
    """The one value of a query which reads the arguments; NULL where it has none."""
    around = Scope(binder.scope, aliases=lambda column: _named([*arguments]).get(column.name))
    return ScalarSubquery(bind_query(binder.context, expression_of(text, is_query=True), around, {}))


def _over(name: str, text: str, count: int) -> None:
    """Register an expression over so many arguments."""

    @named(name)
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        return _expression(binder, text, *_arguments(binder, node, count))


_over("format_pg_type", type_name(_FIRST, _SECOND), 2)
_over("map_to_pg_oid", oid_of_name(_FIRST), 1)
_over("map_type_id_to_pg_oid", oid_of_type(_FIRST), 1)
_over("pg_conf_load_time", "current_timestamp", 0)
_over("pg_get_expr", _FIRST, 2)
_over("pg_postmaster_start_time", "current_timestamp", 0)


@named("format_type")
def _format_type(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """What Postgres calls the type of that number, with digits where the second argument says them."""
    number, digits = _arguments(binder, node, 2)
    return _expression(binder, _DIGITS, _found(binder, _TYPE, number), digits)


@named("pg_get_constraintdef")
def _constraint(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    number, *_ = _arguments(binder, node, 1, 2)
    return _found(binder, _CONSTRAINT, number)


@named("pg_get_viewdef")
def _view(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _found(binder, _VIEW, *_arguments(binder, node, 1))
