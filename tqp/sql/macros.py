"""DuckDB's own macros: calls that stand for another expression of their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.enums import require_enum
from tqp.functions.nested import written
from tqp.functions.registry import expect
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, named
from tqp.sql.operators import call, cast
from tqp.types import DOUBLE, NULL, VARCHAR, list_of

__all__: list[str] = []


@named("date_add")
def _date_add(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    args = [binder.bind(arg) for arg in node.expressions]
    expect(args, 2, "date_add")
    return call("add", *args)


@named("fdiv")
def _floored(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 2, "fdiv")
    return call("floor", call("div", *map(binder.bind, node.expressions)))


def _arithmetic(name: str, operator: str, of_one: str | None) -> None:
    """Register an operator under the name that it has as a function, of one operand as well."""

    @named(name)
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        args = [binder.bind(arg) for arg in node.expressions]
        if operator == "add" and any(arg.dtype.is_nested for arg in args):
            return call("list_concat", *args)
        if of_one is None or len(args) != 1:
            expect(args, 2, name)
            return call(operator, *args)
        return call(of_one, *args)


_arithmetic("add", "add", "plus")
_arithmetic("subtract", "sub", "neg")
_arithmetic("multiply", "mul", None)


def _label(name: str, place: int) -> None:
    """The label in this place; NULL of an ENUM without labels."""

    @named(name)
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        labels = require_enum(tuple(map(binder.bind, node.expressions)), name).labels
        return Literal(labels[place] if labels else None, VARCHAR, typed=True)


_label("enum_first", 0)
_label("enum_last", -1)


def _listed(labels: Sequence[str]) -> Expr:
    return written([Literal(label, VARCHAR) for label in labels], VARCHAR, is_list=True)


@named("enum_range")
def _range(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _listed(require_enum(tuple(map(binder.bind, node.expressions)), "enum_range").labels)


@named("enum_range_boundary")
def _range_boundary(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """The labels from one to another, of constants; NULL stands for the first or the last."""
    expect(node.expressions, 2, "enum_range_boundary")
    ends = [binder.bind(part) for part in node.expressions]
    labels = require_enum(tuple([end for end in ends if end.dtype != NULL][:1]), "enum_range_boundary").labels
    places = [end.value for end in ends if isinstance(end, Literal)]
    if len(places) < len(ends):
        raise UnsupportedError("enum_range_boundary takes constants", hint="'a'::ENUM('a', 'b')")
    first, last = places
    return _listed(labels[first if isinstance(first, int) else 0 : last + 1 if isinstance(last, int) else None])


@named("equi_width_bins")
def _equi_width_bins(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """Bins of the type that the greatest value has, but of DOUBLE for DECIMAL."""
    args = [binder.bind(arg) for arg in node.expressions]
    found = call("equi_width_bins", *args)
    dtype = DOUBLE if args[1].dtype.is_decimal else args[1].dtype
    return found if found.dtype == NULL or dtype == NULL else cast(found, list_of(dtype))
