"""Functions of arrays: construction, elements, similarity and distance."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.layout import ELEMENTS
from tqp.data.nested import MOST_ELEMENTS
from tqp.errors import BindError, ExecutionError
from tqp.functions.lists.picking import element
from tqp.functions.lists.products import OfLists, cosine, distance, inner, of_lists
from tqp.functions.nested import CONSTRUCTOR, LIST, size_of
from tqp.functions.promotion import common_type
from tqp.functions.registry import Args, Metric, OfPairs, Signature, TypeRule, find, scalar
from tqp.functions.string import TEXT_PLACE
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Call, Expr, Literal
from tqp.kernels import vectors, waits
from tqp.kernels.measures import Measure
from tqp.types import BIGINT, DOUBLE, FLOAT, NULL, VARCHAR, DType, Kind, array, list_of

__all__: list[str] = []

_SHOWN = {
    "distance": "<->",
    "distancend": "<=>",
    "euclideandistance": "list_distance",
    "cosinedistance": "list_cosine_distance",
}
"""sqlglot's names of functions in the query's own words."""


def _constructor_types(args: tuple[Expr, ...]) -> Signature:
    common = common_type(*(arg.dtype for arg in args))
    if common is None or not args:
        raise BindError("array_value takes elements of one type")
    return (common,) * len(args), array(common, len(args))


@scalar(CONSTRUCTOR, types=_constructor_types, strict=False)
def _construct(args: Args, out: DType) -> Column:
    """The elements side by side: one pass. ExecutionError where one is NULL."""
    assert out.element is not None
    for arg in args:
        if arg.valid is not None and not waits.truth(arg.valid.all(), "an element that is NULL is an error"):
            raise ExecutionError(
                f"an element of a {out} is NULL, which tqp does not hold",
                hint="use coalesce, or CASE to make the whole array NULL",
            )
    rows = next((len(arg) for arg in args if not arg.is_constant), None)
    parts = [arg.data if rows is None else arg.expand(rows).data for arg in args]
    return Column(vectors.stacked(parts, ELEMENTS[out.element]), out)


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) == 2 and args[0].dtype.is_text:
        return find(TEXT_PLACE).types(args)
    if len(args) != 2 or args[0].dtype.kind not in (Kind.ARRAY, Kind.LIST, Kind.NULL):
        raise BindError("a subscript takes a list and a number")
    have, place = args[0].dtype, args[1].dtype
    if not place.is_integer and place.kind is not Kind.NULL and not is_text_literal(args[1]):
        raise BindError(f"a subscript is a whole number, not {place}")
    # As the text of which a character is wanted.
    return (have, BIGINT), VARCHAR if have.element is None else have.element


def _written(call: Call) -> Expr | None:
    """Of a list that is written, the element itself; NULL where it has none."""
    made, place = call.args
    if not isinstance(made, Call) or made.function != LIST or not isinstance(place, Literal):
        return None
    number = place.value
    if not isinstance(number, int):
        return Literal(None, call.type) if number is None else None
    index = number - 1 if number > 0 else number + len(made.args)
    if number == 0 or not 0 <= index < len(made.args):
        return Literal(None, call.type)
    return made.args[index]


@scalar("array_extract", "list_extract", "list_element", types=_extract_types, picks=True, sees_through=_written)
def _extract(args: Args, out: DType) -> Column:
    """The element at a place from 1, or from the end for negative ones; NULL outside."""
    values, places = args
    if values.dtype.is_text:
        return find(TEXT_PLACE).kernel(args, out)
    if values.dtype.kind is Kind.NULL:
        return constant(None, out, values.device)
    if values.dtype.is_list:
        return element(values, places)
    size = values.dtype.size
    place = places.data.long()
    index = torch.where(place > 0, place - 1, place + size)
    inside = (index >= 0) & (index < size) & (place != 0)
    index = torch.where(inside, index, 0)
    if places.bounds is not None and places.bounds[0] == places.bounds[1]:
        known = places.bounds[0]
        chosen = known - 1 if known > 0 else known + size
        if known and 0 <= chosen < size:
            return Column(values.data[..., chosen].contiguous(), out)
    if values.is_constant:
        return Column(values.data[index], out, inside)
    if places.is_constant:
        data = values.data.index_select(1, index.reshape(1)).squeeze(1)
        return Column(data, out, inside.expand(data.shape[0]))
    return Column(values.data.gather(1, index.unsqueeze(1)).squeeze(1), out, inside)


def _size_types(args: tuple[Expr, ...]) -> Signature:
    if not 1 <= len(args) <= 2 or args[0].dtype.kind not in (Kind.ARRAY, Kind.LIST, Kind.NULL):
        raise BindError("array_length takes a list")
    dtype = list_of(NULL) if args[0].dtype.kind is Kind.NULL else args[0].dtype
    return (dtype, BIGINT)[: len(args)], BIGINT


def _written_length(call: Call) -> Expr | None:
    made = call.args[0]
    if len(call.args) > 1 or not isinstance(made, Call) or made.function != LIST:
        return None
    return Literal(len(made.args), BIGINT)


@scalar("array_length", types=_size_types, sees_through=_written_length)
def _length(args: Args, out: DType) -> Column:
    """The number of elements, in the first and only dimension."""
    if len(args) == 2 and args[1].bounds != (1, 1):
        raise ExecutionError("array_length: an array has one dimension")
    if args[0].dtype.is_list:
        return Column(args[0].data[..., 1].contiguous(), out, None, None, (0, MOST_ELEMENTS))
    size = args[0].dtype.size
    return Column(torch.full((), size, dtype=torch.int32, device=args[0].device), out, None, None, (size, size))


def _is_parameter(arg: Expr) -> bool:
    # Its value is not looked at: a plan would depend on it.
    return isinstance(arg, Literal) and arg.dtype.kind is Kind.LIST and not arg.typed


def _has_null(arg: Expr) -> bool:
    """Whether NULL is written among the elements of a list."""
    return (
        isinstance(arg, Call)
        and arg.function == LIST
        and any(isinstance(item, Literal) and item.is_null for item in arg.args)
    )


def _vector_types(name: str, *, of_arrays: bool) -> TypeRule:
    """Two vectors of one size as FLOAT or DOUBLE; `of_arrays`: one of them is an ARRAY of such numbers already."""
    name = _SHOWN.get(name, name)

    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes 2 arguments, not {len(args)}")
        nested = [arg.dtype for arg in args if arg.dtype.is_nested]
        if not nested or any(not arg.dtype.is_nested and arg.dtype.kind is not Kind.NULL for arg in args):
            shown = " and ".join(str(arg.dtype) for arg in args)
            raise BindError(f"{name} takes two arrays, not {shown}")
        known = [size_of(arg) for arg in args]
        sizes = [size for size in known if size is not None]
        if not sizes and of_arrays:
            raise BindError(f"{name} takes arrays, not two lists", hint="cast one to an array: v::FLOAT[3]")
        if not of_arrays and (0 in sizes or len(set(sizes)) > 1 or any(map(_has_null, args))):
            # An error, but of rows that have both.
            sizes = []
        if 0 in sizes:
            raise BindError("the list is empty")
        if len(set(sizes)) > 1:
            raise BindError(f"{name} takes arrays of one size, not of {sizes[0]} and {sizes[1]} elements")
        # A list that is a parameter takes the type of the array, as one that is written does.
        fixed = [arg.dtype for arg in args if arg.dtype.is_nested and not (of_arrays and _is_parameter(arg))] or nested
        elements = {dtype.element for dtype in fixed if dtype.element is not None}
        common = common_type(*elements)
        if common is None or not common.is_numeric and (of_arrays or common.kind is not Kind.NULL):
            raise BindError(f"{name} takes arrays of numbers")
        if not common.is_float:
            if sizes and of_arrays:
                raise BindError(f"{name} takes arrays of FLOAT or DOUBLE", hint=f"cast one AS FLOAT[{sizes[0]}]")
            common = DOUBLE
        wanted = array(common, sizes[0]) if sizes else list_of(common)
        return (wanted, wanted), common

    return types


def _vectors(
    arrays: str,
    lists: str,
    compute: Callable[[Tensor, Tensor], Tensor],
    of_pairs: OfPairs,
    of_rows: OfLists,
    measure: Measure,
    sign: int = 1,
    start: int = 0,
) -> None:
    """Register start + sign * compute(a, b) under the names of the functions of arrays and of lists."""

    def finished(values: Tensor) -> Tensor:
        values = values if sign == 1 else -values
        return start + values if start else values

    def kernel(args: Args, out: DType) -> Column:
        if args[0].dtype.is_list:
            return _of_lists(args, out)
        return Column(finished(compute(args[0].data, args[1].data)), out)

    def _of_lists(args: Args, out: DType) -> Column:
        rows = next((len(arg) for arg in args if not arg.is_constant), None)
        wide = [arg.expand(1 if rows is None else rows) for arg in args]
        values, counts = of_lists(wide, of_rows, _SHOWN.get(lists.split()[0], lists.split()[0]))
        # Between lists without elements there is no angle.
        known = counts > 0 if of_rows is cosine else None
        made = Column(finished(values).to(torch.float32 if out == FLOAT else torch.float64), out, known)
        return made if rows is not None else made.map(lambda tensor: tensor[0])

    def kernel_of_pairs(a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return finished(of_pairs(a, b, i, j))

    for name in (*arrays.split(), *lists.split()):
        rule = _vector_types(name, of_arrays=name in arrays.split())
        scalar(name, types=rule, of_pairs=kernel_of_pairs, metric=Metric(measure, sign, start))(kernel)


_vectors(
    "array_inner_product array_dot_product",
    "list_inner_product list_dot_product",
    vectors.inner, vectors.inner_of_pairs, inner, "inner",
)  # fmt: skip
_vectors(
    "array_negative_inner_product array_negative_dot_product",
    "list_negative_inner_product list_negative_dot_product",
    vectors.inner, vectors.inner_of_pairs, inner, "inner", sign=-1,
)  # fmt: skip
_vectors(
    "array_distance", "euclideandistance distance", vectors.distance, vectors.distance_of_pairs, distance, "euclidean"
)
_vectors("array_cosine_similarity", "list_cosine_similarity", vectors.cosine, vectors.cosine_of_pairs, cosine, "cosine")
_vectors(
    "array_cosine_distance",
    "cosinedistance distancend",
    vectors.cosine,
    vectors.cosine_of_pairs,
    cosine,
    "cosine",
    sign=-1,
    start=1,
)


def _cross_types(args: tuple[Expr, ...]) -> Signature:
    wanted, element = _vector_types("array_cross_product", of_arrays=True)(args)
    if wanted[0].size != 3 or element not in (FLOAT, DOUBLE):
        raise BindError("array_cross_product takes arrays of 3 elements")
    return wanted, wanted[0]


@scalar("array_cross_product", types=_cross_types)
def _cross(args: Args, out: DType) -> Column:
    a, b = (arg.data for arg in args)
    if a.ndim != b.ndim:
        a, b = a.expand(max(a.shape, b.shape, key=len)), b.expand(max(a.shape, b.shape, key=len))
    return Column(torch.linalg.cross(a, b), out)
