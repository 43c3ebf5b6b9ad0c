"""Aggregates that make a variant of the values of a group: an array of them, or an object."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.json import between, in_order
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.joined_text import strings
from tqp.functions.json_text import in_quotes
from tqp.functions.order import value_digits
from tqp.functions.registry import expect
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.kernels.group import group_ids_multi
from tqp.types import VARCHAR, VARIANT

__all__: list[str] = []

_TEXT = pa.large_string()


def _one(args: tuple[Expr, ...]) -> Types:
    expect(args, 1, "variant_group_array")
    return (VARIANT,), VARIANT


@collected("variant_group_array", types=_one, order_free=False, keeps_nulls=True, is_macro=True)
def _array(rows: Grouped) -> Column:
    """The values of any type as an array; NULL of no rows."""
    (values,) = in_order(rows)
    return between(rows, "[]", strings(values).fill_null("null"), VARIANT)


def _pair(args: tuple[Expr, ...]) -> Types:
    expect(args, 2, "variant_group_object")
    if args[0].dtype != VARCHAR or args[1].dtype != VARIANT:
        hint = "variant_group_object(k::VARCHAR, v::VARIANT)"
        raise BindError("variant_group_object takes a VARCHAR and a VARIANT", hint=hint)
    return (VARCHAR, VARIANT), VARIANT


@collected("variant_group_object", types=_pair, order_free=False, keeps_nulls=True)
def _object(rows: Grouped) -> Column:
    """The object of the members; ExecutionError for a name that is NULL or comes twice, NULL of no rows."""
    keys, values = in_order(rows)
    if keys.valid is not None and not waits.truth(keys.valid.all(), "a key that is NULL is an error"):
        raise ExecutionError("a key of variant_group_object is NULL", hint="leave it out with WHERE")
    groups = torch.repeat_interleave(rows.counts, output_size=len(keys))
    if len(keys) and group_ids_multi([groups, *value_digits(keys)])[2] < len(keys):
        raise ExecutionError("a key of variant_group_object comes twice in a group", hint="group by it, too")
    parts = pc.binary_join_element_wise(
        in_quotes(strings(keys)), strings(values).fill_null("null"), pa.scalar(":", _TEXT)
    )
    return between(rows, "{}", parts, VARIANT)
