"""TIMESTAMPTZ within nested values by the clocks of a zone: their casts, and series of instants."""

from __future__ import annotations

from tqp.data.column import Column, constant
from tqp.errors import BindError, InternalError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json import cast_json
from tqp.functions.casts.nested import cast_nested
from tqp.functions.casts.variant_reading import read
from tqp.functions.entries import string
from tqp.functions.registry import Args, Signature, find, scalar
from tqp.functions.zoned import in_zone
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
from tqp.types import JSON, TIMESTAMPTZ, TIMETZ, VARIANT, DType, Kind

__all__ = ["cast_in_zone"]


def _types(args: tuple[Expr, ...]) -> Signature:
    raise BindError("casts of nested values are no function", hint="write CAST(... AS ...)")


@scalar("nested_in_zone", types=_types)
def _cast_kernel(args: Args, out: DType) -> Column:
    """A cast of nested values, of which some become or are instants."""
    return cast_in_zone(args[1], out, string(args[0]))


@scalar("try_nested_in_zone", types=_types)
def _try_cast_kernel(args: Args, out: DType) -> Column:
    return cast_in_zone(args[1], out, string(args[0]), safe=True)


def cast_in_zone(column: Column, to: DType, name: str, *, safe: bool = False) -> Column:
    """As `casts.cast`, but instants are read and shown by the clocks of the zone of that name."""
    return _Zoned(name).cast(column, to, safe)


class _Zoned:
    """Casts of columns in the zone of a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def cast(self, column: Column, to: DType, safe: bool) -> Column:
        have = column.dtype
        if have == VARIANT and to not in (VARIANT, JSON):
            return read(column, to, safe, self.cast)
        if have == JSON and to.is_nested:
            # As in DuckDB what has no offset there is in UTC.
            return cast(column, to, safe)
        if have.kind is not Kind.NULL and (have.is_nested or to.is_nested) and VARIANT not in (have, to):
            by = cast_json if to == JSON else cast_nested
            return column if have == to else by(column, to, safe, self.cast)
        if not {TIMESTAMPTZ, TIMETZ} & {have.in_microseconds, to.in_microseconds} or have == to:
            return cast(column, to, safe)
        asked = Cast(ColumnRef("", have), to, safe)
        return self._value(in_zone(asked, self._name) or asked, column)

    def _value(self, expr: Expr, column: Column) -> Column:
        """The value of what `in_zone` makes of a cast of the column."""
        match expr:
            case ColumnRef():
                return column
            case Literal():
                return constant(expr.value, expr.type, column.device)
            case Cast():
                return cast(self._value(expr.arg, column), expr.type, expr.safe)
            case Call():
                args = [self._value(arg, column) for arg in expr.args]
                made = find(expr.function).kernel(args, expr.type)
                if column.valid is None:
                    return made
                return made.with_valid(column.valid if made.valid is None else made.valid & column.valid)
        raise InternalError(f"a cast in a zone is no {type(expr).__name__}")
