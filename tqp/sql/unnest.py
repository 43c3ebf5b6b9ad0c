"""unnest(…) in SELECT: a row for each element, beside the other columns, and a column for each field of a struct."""

from __future__ import annotations

from math import inf

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.structs import EXTRACT
from tqp.functions.tables import find_table_function
from tqp.ir.expr import Call, Expr, Literal
from tqp.sql.collected import Unnests
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast
from tqp.types import BIGINT, BOOLEAN, NULL, UINTEGER, Kind, list_of

__all__ = ["unnested_fields"]


@handles(exp.Explode)
def _unnest(binder: ExprBinder, node: exp.Explode) -> Expr:
    """The column of the elements; all unnests of a SELECT go side by side, each list once."""
    value, levels = _elements(binder, node)
    if levels and value.dtype.is_struct:
        raise binder.context.error(
            node,
            "unnest of a STRUCT is a column of SELECT by itself, no part of an expression",
            hint="name its fields: s.a",
        )
    return value


@named("regexp_split_to_table")
def _split(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """A macro of DuckDB's: the parts of a text between matches, unnested."""
    parts = call("string_split_regex", *(binder.within_unnest().bind(part) for part in node.expressions))
    return _in_rows(binder, node, parts, 1)


def unnested_fields(binder: ExprBinder, node: exp.Expr) -> list[tuple[str, Expr]] | None:
    """The columns, by name, that a column of SELECT is which unnests a STRUCT; None where `node` is something else."""
    written = node.unnest()
    if not isinstance(written, exp.Explode):
        return None
    value, levels = _elements(binder, written)
    return _fields(value, levels) if levels and value.dtype.is_struct else None


def _elements(binder: ExprBinder, node: exp.Explode) -> tuple[Expr, float]:
    """What is within the lists of a call, as far as it goes, and how many levels it may go on from there."""
    if binder.grouped is None:
        _collector(binder, node)
    levels = _levels(binder, node)
    value = binder.within_unnest().bind(node.this)
    if value.dtype == NULL:
        value = cast(value, list_of(NULL))
    if value.dtype.is_struct:
        return value, levels
    unnest = find_table_function("unnest")
    # Another type than a list is none of its arguments.
    unnest.types((value,))
    count, inner = 0, value.dtype
    while count < levels and inner.kind in (Kind.LIST, Kind.ARRAY) and inner.element is not None:
        count, inner = count + 1, inner.element
    return _in_rows(binder, node, value, count), levels - count


def _in_rows(binder: ExprBinder, node: exp.Expr, value: Expr, levels: int) -> Expr:
    """The column of what is within so many levels of a list, whose own place is a SELECT."""
    for above in reversed(range(levels)):
        (wanted,), ((name, dtype),) = find_table_function("unnest").types((value,))
        value = cast(value, wanted)
        known = None if binder.grouped is None else binder.grouped.find(value, above)
        value = known or _collector(binder, node).add(value, name, dtype, above)
    return value


def _collector(binder: ExprBinder, node: exp.Expr) -> Unnests:
    """What collects the lists; BindError where rows cannot become more."""
    if binder.unnests is not None:
        return binder.unnests
    inside = binder.clause == "unnest"
    hint = "unnest(…, recursive := true), or max_depth := 2" if inside else "unnest in a subquery in FROM"
    raise binder.context.error(node, f"unnest is not allowed in {binder.clause}", hint=hint)


def _levels(binder: ExprBinder, node: exp.Explode) -> float:
    """How many levels of lists and structs a call goes down."""
    levels: float = 1
    for option in node.expressions:
        if not isinstance(option, exp.PropertyEQ | exp.Kwarg):
            raise BindError("unnest takes one list", hint="unnest(l, recursive := true)")
        name = option.this.name.lower()
        if name not in ("recursive", "max_depth"):
            raise UnsupportedError(f"unnest has no option {name}", hint="it has recursive and max_depth")
        wanted = BOOLEAN if name == "recursive" else UINTEGER
        given = binder.context.value(option, cast(binder.within_unnest().bind(option.expression), wanted))
        if given is None:
            raise BindError(f"{name} of unnest is NULL")
        if name == "recursive":
            levels = inf if given else levels
        elif given == 0:
            raise BindError("max_depth of unnest is 1 at least")
        else:
            levels = max(levels, given)
    return levels


def _fields(value: Expr, levels: float) -> list[tuple[str, Expr]]:
    """The fields of a struct, those of structs in it in their place as far as it may go; lists in it stay."""
    if not value.dtype.fields:
        raise BindError("unnest of a struct without fields gives no column")
    found: list[tuple[str, Expr]] = []
    for place, field in enumerate(value.dtype.fields):
        own = Call(EXTRACT, (value, Literal(place + 1, BIGINT)), field.type)
        if levels > 1 and field.type.is_struct:
            found += _fields(own, levels - 1)
        else:
            found.append((field.name or f"element{place + 1}", own))
    return found
