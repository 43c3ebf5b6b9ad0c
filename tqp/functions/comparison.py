"""Comparisons: = <> < <= > >=, IS [NOT] DISTINCT FROM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import String, as_bytes
from tqp.data.layout import Bounds
from tqp.data.nested import elements, field, lengths
from tqp.data.unions import are_unknown
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.compared import compared
from tqp.functions.entries import spread, text
from tqp.functions.promotion import compared_type
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.unify import unify_compared
from tqp.ir.expr import Expr
from tqp.kernels import compare as elementwise
from tqp.kernels import wide
from tqp.kernels.rows import select
from tqp.types import BOOLEAN, DType, Kind

__all__ = ["comparable", "compare", "equal_or_both_null", "position"]

_OPERATORS: dict[str, Callable[[Tensor, Tensor | int], Tensor]] = {
    "eq": elementwise.eq, "neq": elementwise.ne, "lt": elementwise.lt, "lte": elementwise.le, "gt": elementwise.gt,
    "gte": elementwise.ge,
}  # fmt: skip
_FLOATS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "eq": elementwise.float_eq, "neq": elementwise.float_ne, "lt": elementwise.float_lt, "lte": elementwise.float_le,
    "gt": elementwise.float_gt, "gte": elementwise.float_ge,
}  # fmt: skip
_ARROW = {
    "eq": pc.equal, "neq": pc.not_equal, "lt": pc.less, "lte": pc.less_equal, "gt": pc.greater, "gte": pc.greater_equal,
}  # fmt: skip
_MIRRORED = {"eq": "eq", "neq": "neq", "lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_NEGATED = {"eq": "neq", "neq": "eq", "lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}
_SELECTIVITY = {"eq": 0.02, "neq": 0.95}
_RANGE_SELECTIVITY = 0.33
_MONTH_DAYS = 30
_DAY = 86_400_000_000


def comparable(args: tuple[Expr, ...], what: str) -> DType:
    """The type in which expressions are compared; BindError where there is none.

    Constants take the column's type where that loses nothing; text equals a value of another type by being cast to it.
    """
    common = unify_compared(args, equality=what not in ("lt", "lte", "gt", "gte"))
    if common is None:
        types = " and ".join(dict.fromkeys(str(arg.dtype) for arg in args))
        raise BindError(f"cannot compare {types} ({what})", hint="cast one side to the type of the other")
    return compared_type(common, *(arg.dtype for arg in args))


def _types(name: str) -> Callable[[tuple[Expr, ...]], Signature]:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes 2 arguments, not {len(args)}")
        common = comparable(args, name)
        return (common, common), BOOLEAN

    return types


def compare(op: str, a: Column, b: Column) -> Column:
    """`a op b` for columns of one SQL type, as BOOLEAN; what it says of rows with a NULL means nothing.

    A constant column where bounds decide it for all rows.
    """
    match a.dtype.kind:
        case Kind.VARIANT:
            return compare(op, compared(a), compared(b))
        case Kind.VARCHAR | Kind.JSON | Kind.BLOB | Kind.BIT | Kind.BIGNUM:
            return _compare_text(op, a, b)
        case Kind.FLOAT | Kind.DOUBLE:
            return Column(_compare_floats(op, a, b), BOOLEAN)
        case Kind.BOOLEAN | Kind.NULL:
            return Column(_OPERATORS[op](a.data, b.data), BOOLEAN)
        case Kind.INTERVAL:
            return Column(_compare_intervals(op, a.data, b.data), BOOLEAN)
        case Kind.ARRAY:
            return Column(_compare_arrays(op, a, b), BOOLEAN)
        case Kind.LIST | Kind.STRUCT | Kind.MAP | Kind.UNION:
            return Column(_compare_nested(op, a, b), BOOLEAN)
        case _:
            return _compare_integers(op, a, b)


def _compare_integers(op: str, a: Column, b: Column) -> Column:
    if a.is_wide or b.is_wide:
        a, b = exact.narrowed(a), exact.narrowed(b)
    decided = _decided(op, a.bounds or exact.limits(a), b.bounds or exact.limits(b))
    if decided is not None:
        return _boolean(decided, a.device)
    if a.is_wide or b.is_wide:
        return Column(_compare_wide(op, exact.as_wide(a), exact.as_wide(b)), BOOLEAN)
    if a.is_constant:
        a, b, op = b, a, _MIRRORED[op]
    x, y = a.data, exact.operand(b)
    if isinstance(y, Tensor) and x.ndim != y.ndim and x.dtype != y.dtype:
        # A 0-dim tensor would be cut to the dtype of the other side.
        shared = torch.promote_types(x.dtype, y.dtype)
        x, y = x.to(shared), y.to(shared)
    return Column(_OPERATORS[op](x, y), BOOLEAN)


def _decided(op: str, a: Bounds, b: Bounds) -> bool | None:
    """The outcome where limits of both sides leave but one."""
    match op:
        case "lt":
            return True if a[1] < b[0] else False if a[0] >= b[1] else None
        case "lte":
            return True if a[1] <= b[0] else False if a[0] > b[1] else None
        case "gt":
            return True if b[1] < a[0] else False if b[0] >= a[1] else None
        case "gte":
            return True if b[1] <= a[0] else False if b[0] > a[1] else None
        case _:
            if a[1] < b[0] or b[1] < a[0]:
                return op == "neq"
            return op == "eq" if a[0] == a[1] == b[0] == b[1] else None


def _boolean(value: bool, device: torch.device) -> Column:
    return Column(torch.full((), value, dtype=torch.bool, device=device), BOOLEAN)


def _compare_wide(op: str, a: Tensor, b: Tensor) -> Tensor:
    match op:
        case "eq":
            return wide.eq(a, b)
        case "neq":
            return ~wide.eq(a, b)
        case "lt":
            return wide.lt(a, b)
        case "lte":
            return wide.le(a, b)
        case "gt":
            return wide.lt(b, a)
        case _:
            return wide.le(b, a)


def _compare_floats(op: str, a: Column, b: Column) -> Tensor:
    """NaN equals itself and is greater than all other numbers."""
    if a.is_constant and not b.is_constant:
        a, b, op = b, a, _MIRRORED[op]
    return _FLOATS[op](a.data, b.data)


def _compare_nested(op: str, a: Column, b: Column) -> Tensor:
    """By the first value in them that differs."""
    rows = next((len(side) for side in (a, b) if not side.is_constant), None)
    size = 1 if rows is None else rows
    if op in ("eq", "neq"):
        same = _are_same(a.expand(size), b.expand(size))
        found = same if op == "eq" else ~same
    else:
        found = _OPERATORS[op](_signs(a.expand(size), b.expand(size)), 0)
    return found[0] if rows is None else found


def _are_same(a: Column, b: Column) -> Tensor:
    """Where nested values (n,) of two columns are equal, NULL within them being a value. Cost: two gathers of the elements of
    lists that are as long as the other one."""
    if a.dtype.is_record:
        same = torch.ones(len(a), dtype=torch.bool, device=a.device)
        for place in range(len(a.children)):
            same = same & equal_or_both_null(field(a, place), field(b, place)).data
        return same
    equal = lengths(a) == lengths(b)
    rows = select(equal)
    (owners, mine), (_, theirs) = elements(a.take(rows)), elements(b.take(rows))
    differ = ~equal_or_both_null(mine, theirs).data.expand(len(mine))
    wrong = rows.index_select(0, owners.index_select(0, select(differ)).long())
    return equal.index_fill(0, wrong, False)


def _signs(a: Column, b: Column) -> Tensor:
    """-1, 0 or 1 (n,) int8, as values (n,) of two columns are less, equal or greater, NULL within nested ones being the greatest.

    Cost: two gathers of the elements of lists as far as both have some.
    """
    if a.dtype.is_record:
        signs = torch.zeros(len(a), dtype=torch.int8, device=a.device)
        for place in range(len(a.children)):
            signs = torch.where(signs == 0, _signs_with_null(field(a, place), field(b, place)), signs)
        return signs
    if not a.dtype.is_list:
        greater, less = (compare(op, a, b).data.expand(len(a)).to(torch.int8) for op in ("gt", "lt"))
        return greater - less
    mine, theirs = lengths(a), lengths(b)
    both = torch.minimum(mine, theirs)
    x, y = (Column(torch.stack([side.data[:, 0], both], 1), a.dtype, children=side.children) for side in (a, b))
    (owners, left), (_, right) = elements(x), elements(y)
    differ = select(~equal_or_both_null(left, right).data.expand(len(left)))
    # Elements lie list by list: of those that differ, the one that comes first in its list.
    owners = owners.long()
    none = torch.full_like(mine, len(left))
    first = none.scatter_reduce_(0, owners.index_select(0, differ), differ, "amin")
    found = select(first < len(left))
    at = first.index_select(0, found)
    signs = torch.sign(mine - theirs).to(torch.int8)
    return signs.index_copy_(0, found, _signs_with_null(left.take(at), right.take(at)))


def _signs_with_null(a: Column, b: Column) -> Tensor:
    """`_signs` of what is in nested values."""
    signs = _signs(a, b)
    if a.valid is None and b.valid is None:
        return signs
    x, y = (
        torch.ones(len(a), dtype=torch.int8, device=a.device) if side.valid is None else side.valid.to(torch.int8)
        for side in (a, b)
    )
    return torch.where((x & y).bool(), signs, y - x)


def _compare_intervals(op: str, a: Tensor, b: Tensor) -> Tensor:
    """Months of 30 days, days of 24 hours: compared by months, then days, then microseconds left over."""
    sides = []
    for side in (a, b):
        months, days, micros = side.unbind(-1)
        days = days + torch.div(micros, _DAY, rounding_mode="floor")
        months = months + torch.div(days, _MONTH_DAYS, rounding_mode="floor")
        sides.append((months, torch.remainder(days, _MONTH_DAYS) * _DAY + torch.remainder(micros, _DAY)))
    (x, x_rest), (y, y_rest) = sides
    if op in ("eq", "neq"):
        same = (x == y) & (x_rest == y_rest)
        return same if op == "eq" else ~same
    strict = op.removesuffix("e")
    return _OPERATORS[strict](x, y) | ((x == y) & _OPERATORS[op](x_rest, y_rest))


def _compare_arrays(op: str, a: Column, b: Column) -> Tensor:
    """By the first element that differs."""
    element = a.dtype.element
    assert element is not None
    shape = max(a.data.shape, b.data.shape, key=len)
    x, y = (Column(side.data.expand(shape).reshape(-1), element) for side in (a, b))
    differs = compare("neq", x, y).data.expand(x.data.shape).reshape(shape)
    some = differs.any(-1)
    if op in ("eq", "neq"):
        return some if op == "neq" else ~some
    first = differs.to(torch.int8).argmax(-1, keepdim=True)
    x, y = (Column(side.data.reshape(shape).gather(-1, first).reshape(-1), element) for side in (x, y))
    return compare(op, x, y).data.expand(x.data.shape).reshape(shape[:-1])


def position(values: pa.Array, wanted: String) -> tuple[int, bool]:
    """Where a string stands, or would stand, among sorted strings; and whether it is there."""
    key = as_bytes(wanted)
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle].as_buffer().to_pybytes() < key:
            low = middle + 1
        else:
            high = middle
    return low, low < len(values) and values[low].as_buffer().to_pybytes() == key


def _compare_text(op: str, a: Column, b: Column) -> Column:
    if a.is_constant and not b.is_constant:
        a, b, op = b, a, _MIRRORED[op]
    assert a.dictionary is not None and b.dictionary is not None
    if a.dictionary is b.dictionary and a.dictionary.is_sorted:
        return _compare_integers(op, replace(a, dtype=_CODES), replace(b, dtype=_CODES))
    if b.is_constant and a.dictionary.is_sorted and not a.is_constant:
        return _compare_codes(op, a, text(b))
    entries = spread((a, b))
    left, right = entries.operands
    return entries.finish(_ARROW[op](left, right), BOOLEAN)


# Codes are compared as the integers that they are.
_CODES = DType(Kind.INTEGER)


def _compare_codes(op: str, column: Column, wanted: String) -> Column:
    """Codes of a sorted dictionary against the code that the constant has or would have."""
    assert column.dictionary is not None
    place, found = position(column.dictionary.values, wanted)
    codes = Column(column.data, _CODES, None, None, (0, max(len(column.dictionary) - 1, 0)))
    if op in ("eq", "neq"):
        if not found:
            return _boolean(op == "neq", column.device)
        border = place
    elif op in ("lt", "gte"):
        border = place
    else:
        # x <= text holds for the codes below the first one behind it.
        border = place + found
        op = "lt" if op == "lte" else "gte"
    constant = Column(torch.full((), border, device=column.device), _CODES, None, None, (border, border))
    return _compare_integers(op, codes, constant)


def _register(name: str) -> None:
    @scalar(
        name, types=_types(name), on_distinct=True, total=True, selectivity=_SELECTIVITY.get(name, _RANGE_SELECTIVITY),
        mirrored=_MIRRORED[name], negated=_NEGATED[name], compares=_MIRRORED[name] != name, by_layout=True,
    )  # fmt: skip
    def kernel(args: Args, out: DType) -> Column:
        found = compare(name, args[0], args[1])
        return _with_unknown(found, args[0], args[1]) if args[0].dtype.is_union else found


for _name in _OPERATORS:
    _register(_name)


def _with_unknown(found: Column, a: Column, b: Column) -> Column:
    """The outcomes of a comparison of UNIONs: NULL where both are the same member, which is NULL in one."""
    rows = next((len(side) for side in (a, b) if not side.is_constant), None)
    x, y = a.expand(1 if rows is None else rows), b.expand(1 if rows is None else rows)
    known = ~are_unknown(x, y)
    return found.with_valid(known[0] if rows is None else known)


def equal_or_both_null(a: Column, b: Column) -> Column:
    """a IS NOT DISTINCT FROM b; never NULL."""
    same = compare("eq", a, b)
    if a.valid is None and b.valid is None:
        return same
    true = torch.ones((), dtype=torch.bool, device=a.device)
    x = true if a.valid is None else a.valid
    y = true if b.valid is None else b.valid
    return Column((same.data & x & y) | ~(x | y), BOOLEAN)


@scalar(
    "nullsafeeq", types=_types("IS NOT DISTINCT FROM"), strict=False, total=True, selectivity=0.02,
    mirrored="nullsafeeq", negated="nullsafeneq", by_layout=True,
)  # fmt: skip
def _null_safe_eq(args: Args, out: DType) -> Column:
    return equal_or_both_null(args[0], args[1])


@scalar(
    "nullsafeneq", types=_types("IS DISTINCT FROM"), strict=False, total=True, mirrored="nullsafeneq",
    negated="nullsafeeq", by_layout=True,
)  # fmt: skip
def _null_safe_neq(args: Args, out: DType) -> Column:
    same = equal_or_both_null(args[0], args[1])
    return replace(same, data=~same.data)
