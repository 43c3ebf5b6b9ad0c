"""Functions that are no call of a kernel: of how something is written, of its type, of the session, of what fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import MAIN
from tqp.errors import BindError
from tqp.functions.nested import written
from tqp.functions.promotion import common_type
from tqp.functions.registry import expect
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
from tqp.ir.visit import subplans, walk
from tqp.sql.expr import ExprBinder, bare, handles, named
from tqp.sql.names import display
from tqp.sql.operators import call, cast, choose, negate
from tqp.sql.unread import operands
from tqp.types import BOOLEAN, NULL, VARCHAR, DType, list_of

__all__ = ["widens"]


def _escaped(name: str, like: str, is_negated: bool) -> None:
    @named(name)
    def handler(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        if len(node.expressions) != 3:
            raise BindError(f"{name} takes 3 arguments, not {len(node.expressions)}")
        matched = call(like, *map(binder.bind, node.expressions))
        return negate(matched) if is_negated else matched


_escaped("like_escape", "like", is_negated=False)
_escaped("ilike_escape", "ilike", is_negated=False)
_escaped("not_like_escape", "like", is_negated=True)
_escaped("not_ilike_escape", "ilike", is_negated=True)


# Types, names and the session ---------------------------------------------------------------------------------------


def _unread_value(binder: ExprBinder, nodes: list[exp.Expr], name: str) -> Expr:
    """The one argument of a call that asks for its type or name alone."""
    if len(nodes) != 1:
        raise BindError(f"{name} takes 1 argument, not {len(nodes)}")
    return binder.bind(nodes[0])


def _type_name(value: Expr, in_lower_case: bool = False) -> Expr:
    """The name of its type; of a NULL with the value beside it, which may be a column that cannot be read."""
    shown = '"NULL"' if value.dtype == NULL else str(value.dtype)
    name = Literal(shown.lower() if in_lower_case else shown, VARCHAR, typed=True)
    return (
        call("coalesce", cast(value, VARCHAR), name) if isinstance(value, ColumnRef) and value.dtype == NULL else name
    )


@handles(exp.Typeof)
def _typeof(binder: ExprBinder, node: exp.Typeof) -> Expr:
    return _type_name(binder.bind(node.this))


@named("pg_typeof")
def _pg_typeof(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _type_name(_unread_value(binder, node.expressions, "pg_typeof"), in_lower_case=True)


@named("alias")
def _alias(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    _unread_value(binder, node.expressions, "alias")
    if isinstance(node.parent, exp.Alias):
        return Literal(node.parent.alias, VARCHAR, typed=True)
    if isinstance(node.expressions[0], exp.Column):
        column = binder.scope.resolve(binder.context, node.expressions[0])
        if column is not None:
            return Literal(column.name, VARCHAR, typed=True)
    for literal in node.expressions[0].find_all(exp.Literal):
        # The name shows what is written: another constant needs another plan.
        literal.this  # noqa: B018
    return Literal(display(node.expressions[0], binder.context.text), VARCHAR, typed=True)


@named("can_cast_implicitly")
def _can_cast_implicitly(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) != 2:
        raise BindError(f"can_cast_implicitly takes 2 arguments, not {len(node.expressions)}")
    have, to = (binder.bind(part).dtype for part in node.expressions)
    return Literal(widens(have, to), BOOLEAN, typed=True)


def widens(have: DType, to: DType) -> bool:
    """Whether a value of one type becomes one of another without a cast that is written."""
    if have == BOOLEAN and to.is_integer:
        return False
    return have.is_exact and to.is_decimal or common_type(have, to) == to


_SESSION: Final = {
    "current_catalog": "memory", "current_database": "memory", "current_role": "duckdb",
    "current_user": "duckdb", "session_user": "duckdb", "user": "duckdb",
}  # fmt: skip
"""What DuckDB says of a connection to no database in particular."""


def _session(name: str, *kinds: type[exp.Expr]) -> None:
    def value(binder: ExprBinder, node: exp.Expr) -> Expr:
        if not isinstance(node, exp.Column) and operands(node):
            raise BindError(f"{name} takes no arguments")
        return Literal(_SESSION[name], VARCHAR, typed=True)

    handles(*kinds)(value)
    named(name)(value)
    bare(name)(value)


_session("current_catalog", exp.CurrentCatalog)
_session("current_database", exp.CurrentDatabase)
_session("current_role", exp.CurrentRole)
_session("current_user", exp.CurrentUser)
_session("session_user", exp.SessionUser)
_session("user")


def _current_schema(binder: ExprBinder, node: exp.Expr) -> Expr:
    if not isinstance(node, exp.Column) and operands(node):
        raise BindError("current_schema takes no arguments")
    schemas = binder.context.session.types.schemas
    return Literal(schemas.known[schemas.current], VARCHAR, typed=True)


handles(exp.CurrentSchema)(_current_schema)
named("current_schema")(_current_schema)
bare("current_schema")(_current_schema)


@named("current_query")
def _query(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 0, "current_query")
    # No other text may run by this one's plan, whatever its constants.
    binder.context.read_rows = True
    return Literal(binder.context.text.strip().removesuffix(";").rstrip(), VARCHAR, typed=True)


@handles(exp.CurrentSchemas)
def _schemas(binder: ExprBinder, node: exp.CurrentSchemas) -> Expr:
    given = binder.bind(node.this)
    asked = cast(given, BOOLEAN)
    if given.dtype not in (BOOLEAN, NULL) or not isinstance(asked, Literal):
        raise binder.context.error(node, "current_schemas takes true or false, a constant")
    if asked.value is None:
        return Literal(None, list_of(VARCHAR), typed=True)
    schemas = binder.context.session.types.schemas
    names = [path.name for path in schemas.search]
    if asked.value:
        # Of the databases that DuckDB always has: temp, this one, system.
        names = [MAIN, *names, MAIN, MAIN, "pg_catalog"]
    return written([Literal(name, VARCHAR) for name in names], VARCHAR, is_list=True)


LANGUAGE: Final = "v2.0.1"
"""The version of DuckDB whose SQL this is."""


@handles(exp.CurrentVersion)
def _version(binder: ExprBinder, node: exp.CurrentVersion) -> Expr:
    return Literal(LANGUAGE, VARCHAR, typed=True)


# What fails ---------------------------------------------------------------------------------------------------------


@handles(exp.Try)
def _try(binder: ExprBinder, node: exp.Try) -> Expr:
    inner = replace(binder, aggregates=None, windows=None, clause="TRY")
    value = inner.bind(node.this)
    if any(True for _ in subplans(value)):
        raise BindError("TRY takes no subquery")
    if any(isinstance(part, Call) and part.function == "error" for part in walk(value)):
        raise BindError("TRY takes no call of error")
    if not isinstance(value, Cast) or isinstance(value.arg, Literal):
        return call("try", value)
    # Rows whose cast fails are found in one go, those where something else does one by one.
    arg = value.arg if isinstance(value.arg, ColumnRef) else call("try", value.arg)
    return cast(arg, value.type, safe=True)


@named("assert_true")
def _assert_true(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) not in (1, 2):
        raise BindError(f"assert_true takes 1 or 2 arguments, not {len(node.expressions)}")
    holds, *message = [binder.bind(part) for part in node.expressions]
    failure = call("error", *(message or [Literal("Assertion failed", VARCHAR)]))
    return choose([holds], [Literal(None, NULL)], failure)


@named("constant_or_null")
def _constant_or_null(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) < 2:
        raise BindError("constant_or_null takes a constant and at least 1 more argument")
    value, *others = [binder.bind(part) for part in node.expressions]
    if any(isinstance(part, ColumnRef) for part in walk(value)) or any(True for _ in subplans(value)):
        raise BindError("the first argument of constant_or_null is a constant")
    if any(isinstance(other, Literal) and other.dtype == NULL for other in others):
        return Literal(None, NULL)
    return choose([call("is_null", other) for other in others], [Literal(None, NULL)] * len(others), value)
