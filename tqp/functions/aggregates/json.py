"""Aggregates that make JSON of the values of a group, in the order of the source, NULLs too."""

from __future__ import annotations

from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc
from torch import Tensor

from tqp.data.column import Column
from tqp.data.to_arrow import few_strings
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import AggregateTypes, collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_making import json_of, parts_of
from tqp.functions.joined_text import coded, joined, strings
from tqp.functions.json.structure import common_structure, structure
from tqp.functions.json_text import in_quotes
from tqp.functions.zoned import holds_instants
from tqp.ir.expr import Expr
from tqp.kernels import sort, waits
from tqp.types import JSON, TIMETZ, VARCHAR, DType

__all__ = ["between", "in_order"]

_TEXT = pa.large_string()


def _any(name: str, count: int) -> AggregateTypes:
    def types(args: tuple[Expr, ...]) -> Types:
        if len(args) != count:
            raise BindError(f"{name} takes {count} argument{'s' if count > 1 else ''}, not {len(args)}")
        *keys, value = [arg.dtype for arg in args]
        # A cast shows instants by the clocks of the session's zone.
        wanted = [VARCHAR if _shows_instants(key) else key for key in keys]
        return (*wanted, JSON if _shows_instants(value) else value), JSON

    return types


def _shows_instants(dtype: DType) -> bool:
    return dtype != TIMETZ and holds_instants(dtype)


def in_order(rows: Grouped) -> list[Column]:
    """The arguments of one group after the other."""
    return [arg.expand(rows.rows).take(rows.sequence) for arg in rows.args]


def between(rows: Grouped, marks: str, parts: pa.Array, out: DType = JSON) -> Column:
    """The texts (n,) of each group with commas between two marks; NULL of no rows."""
    listed = joined(rows.counts, parts, pa.scalar(",", _TEXT))
    first, last, nothing = (pa.scalar(mark, _TEXT) for mark in (*marks, ""))
    whole = pc.binary_join_element_wise(first, listed, last, nothing)
    return coded(whole, rows.counts > 0, rows.device, out)


@collected("json_group_array", types=_any("json_group_array", 1), order_free=False, keeps_nulls=True, is_macro=True)
def _array(rows: Grouped) -> Column:
    """The JSON of each distinct value is made once; Arrow puts the texts together."""
    (values,) = in_order(rows)
    return between(rows, "[]", parts_of(values, cast))


@collected("json_group_object", types=_any("json_group_object", 2), order_free=False, keeps_nulls=True, is_macro=True)
def _object(rows: Grouped) -> Column:
    """As `json_group_array`; ExecutionError for a key that is NULL."""
    keys, values = in_order(rows)
    if keys.valid is not None and not waits.truth(keys.valid.all(), "a key that is NULL is an error"):
        raise ExecutionError("a key of json_group_object is NULL", hint="leave it out with WHERE")
    names = in_quotes(strings(cast(keys, VARCHAR, False)))
    return between(rows, "{}", pc.binary_join_element_wise(names, parts_of(values, cast), pa.scalar(":", _TEXT)))


@collected(
    "json_group_structure", types=_any("json_group_structure", 1), order_free=False, keeps_nulls=True, is_macro=True
)
def _structure(rows: Grouped) -> Column:
    """One step of Python for each distinct structure of a group, and each distinct text."""
    (values,) = rows.args
    made = json_of(values.expand(rows.rows), cast)
    assert made.dictionary is not None
    shapes = pa.array([structure(text) if text else "" for text in made.dictionary.values.to_pylist()], _TEXT)
    codes = pa.array(waits.array(made.data, "structures are compared on the host"))
    texts = shapes.take(codes)
    if made.valid is not None:
        texts = pc.if_else(pa.array(waits.array(made.valid, "structures are compared on the host")), texts, _NULL)
    column = coded(texts, None, rows.device)
    groups, firsts, _ = rows.equal(column)
    found = _together(groups, strings(column.take(firsts)), firsts)
    whole = pa.array([found.get(number, "") for number in range(rows.groups)], _TEXT)
    return coded(whole, rows.counts > 0, rows.device, JSON)


_NULL = few_strings(['"NULL"'], _TEXT)[0]


def _together(groups: Tensor, texts: pa.Array, firsts: Tensor) -> dict[int, str]:
    """The structure of each group that has some, of those at its `firsts`, in their order."""
    order = sort.argsort([groups, firsts])
    why = "structures are put together on the host"
    numbers = waits.array(groups.index_select(0, order), why).tolist()  # host: NumPy, no tensor
    ordered = texts.take(pa.array(waits.array(order, why))).to_pylist()
    pairs = groupby(zip(numbers, ordered, strict=True), key=lambda pair: pair[0])
    return {number: common_structure([text for _, text in members]) for number, members in pairs}
