"""From a callable of values, group numbers and a count of groups to an aggregate of SQL.

The rows of a group must be there together: it is one of those that collect them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.aggregates import AggregateFunction
from tqp.functions.aggregates.grouped import Grouped
from tqp.own.calls import blank, called, given, inputs
from tqp.own.check import require_groups, sample
from tqp.own.registered import Own
from tqp.own.scalars import option
from tqp.own.types import tensor_dtype, type_rule
from tqp.types import DType

__all__ = ["own_aggregate"]


def own_aggregate(
    name: str,
    f: Callable[..., Any],
    parameters: Sequence[DType],
    result: DType,
    *,
    null_handling: str,
    tried_with: Sequence[Any] | None,
    device: torch.device,
) -> Own:
    """The aggregate `name`, checked; see `Connection.create_aggregate`. Raises BindError."""
    special = option("null_handling", null_handling, ("default", "special")) == "special"
    types = tuple(parameters)
    if not types:
        raise BindError(f"{name} has no parameter", hint="an aggregate reads one column at least")
    for dtype in (*types, result):
        tensor_dtype(dtype, name)

    def of_groups(args: Sequence[Column], ids: Tensor, groups: int) -> Column:
        """The results (groups,) of rows (n,) in groups `ids` (n,) int64; NULL where a group has no row."""
        if groups == 0 or ids.shape[0] == 0:
            return blank(result, groups, device)
        tensors = inputs(args, types, name, special)
        found = given(name, called(name, f, *tensors, ids.clone(), groups), result, groups, device, special)
        some = torch.zeros(groups, dtype=torch.bool, device=device).index_fill_(0, ids, True)
        return found.with_valid(some if found.valid is None else some & found.valid)

    def collect(rows: Grouped) -> Column:
        return of_groups([arg.expand(rows.rows) for arg in rows.args], rows.ids, rows.groups)

    require_groups(name, of_groups, sample(name, types, tried_with, device), device)
    rule = type_rule(name, types, result)
    return Own(name, "torch", types, result, AggregateFunction(name, rule, None, collect, keeps_nulls=special))
