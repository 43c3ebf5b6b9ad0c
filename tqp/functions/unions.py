"""UNION in expressions: values put into one, its tag, its members."""

from __future__ import annotations

from typing import Final

from tqp.data.column import Column, constant
from tqp.data.nested import field
from tqp.data.unions import has_value, put, tag
from tqp.errors import BindError
from tqp.functions.registry import Args, Signature, scalar
from tqp.ir.expr import Call, Expr, Literal
from tqp.ir.words import HAS_VALUE
from tqp.types import BIGINT, NULL, DType, union

__all__ = ["extract_member", "of_member", "single", "with_value"]

_PUT: Final = "union_put"
"""The function from a value, and the number of the member that it is, to the UNION."""
_AT: Final = "union_extract_at"
"""The function that gives the member of a number, from 1, of a UNION."""


def of_member(value: Expr, place: int, dtype: DType) -> Expr:
    """A value, of the type of member number `place`, as the UNION, which is never NULL: that member may be."""
    return Call(_PUT, (value, Literal(place, BIGINT)), dtype)


def single(name: str, value: Expr) -> Expr:
    """The UNION of one member, which the value is; BindError where the name is empty."""
    try:
        return of_member(value, 0, union([(name, value.dtype)]))
    except ValueError as error:
        raise BindError(str(error)) from None


def extract_member(value: Expr, name: str) -> Expr:
    """The member of that name of a UNION, NULL where the value is another one; BindError where there is none."""
    place = value.dtype.field(name)
    if place is None:
        known = ", ".join(one.name for one in value.dtype.fields)
        raise BindError(f"{value.dtype} has no member {name!r}", hint=f"it has {known}")
    return Call(_AT, (value, Literal(place + 1, BIGINT)), value.dtype.fields[place].type)


def with_value(side: Expr) -> Expr:
    """A UNION as a key of a join, where one whose member is NULL finds nothing."""
    is_made = isinstance(side, Call) and side.function == HAS_VALUE
    return side if is_made else Call(HAS_VALUE, (side,), side.dtype)


def _inner(name: str, instead: str) -> Signature:
    raise BindError(f"{name} is no function of SQL", hint=f"write {instead}")


@scalar(_PUT, types=lambda args: _inner(_PUT, "union_value(name := value)"), strict=False)
def _put(args: Args, out: DType) -> Column:
    """The value as it is: nothing is copied."""
    bounds = args[1].bounds
    assert bounds is not None
    return put(args[0], bounds[0], out)


def _member_put(call: Call) -> Expr | None:
    """The member of a UNION that was made of it."""
    made, place = call.args
    if not isinstance(made, Call) or made.function != _PUT or not isinstance(place, Literal):
        return None
    value, number = made.args
    assert isinstance(number, Literal) and isinstance(number.value, int) and isinstance(place.value, int)
    return value if place.value == number.value + 1 else None


@scalar(_AT, types=lambda args: _inner(_AT, "union_extract(value, name)"), strict=False, sees_through=_member_put)
def _at(args: Args, out: DType) -> Column:
    """A gather of the member's values."""
    bounds = args[1].bounds
    assert bounds is not None
    return field(args[0], bounds[0])


def _tag_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) == 1 and args[0].dtype == NULL:
        return (NULL,), NULL
    if len(args) != 1 or not args[0].dtype.is_union:
        raise BindError("union_tag takes a UNION")
    return (args[0].dtype,), args[0].dtype.tag


@scalar("union_tag", types=_tag_types, total=True)
def _tag(args: Args, out: DType) -> Column:
    """The name of the member that a value is."""
    return constant(None, NULL, args[0].device) if out == NULL else tag(args[0])


def _union_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1 or not args[0].dtype.is_union:
        raise BindError(f"{HAS_VALUE} takes a UNION")
    return (args[0].dtype,), args[0].dtype


@scalar(HAS_VALUE, types=_union_types)
def _with_value(args: Args, out: DType) -> Column:
    """The UNION; NULL where its member is, which equals no other."""
    return args[0].with_valid(has_value(args[0]))
