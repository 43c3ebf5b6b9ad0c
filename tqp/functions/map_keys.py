"""What the keys of a map must be: known, and all different."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.compared import told_apart
from tqp.functions.order import order_digits
from tqp.kernels import waits
from tqp.kernels.group import group_ids_multi
from tqp.kernels.rows import select

__all__ = ["require_keys", "with_good_keys"]

_CHECK = "keys of a map that repeat or are NULL are an error"


def require_keys(owners: Tensor, keys: Column) -> None:
    """ExecutionError where the maps of rows `owners` (m,) have keys (m,) that are NULL, or the same one twice."""
    if keys.valid is not None and not waits.truth(keys.valid.all(), _CHECK):
        raise ExecutionError("a key of a map is NULL")
    _, _, distinct = group_ids_multi([owners, *order_digits(told_apart(keys))])
    if distinct < len(keys):
        raise ExecutionError("the keys of a map are not all different")


def with_good_keys(maps: Tensor, owners: Tensor, keys: Column) -> Tensor:
    """Of `maps` (n,) bool those whose keys (m,), of the rows `owners` (m,), are known and differ."""
    if keys.valid is not None:
        maps = maps.index_fill(0, owners.index_select(0, select(~keys.valid)), False)
    ids, firsts, groups = group_ids_multi([owners, *order_digits(told_apart(keys))])
    if groups == len(keys):
        return maps
    is_first = torch.zeros(len(keys), dtype=torch.bool, device=ids.device).index_fill_(0, firsts, True)
    return maps.index_fill(0, owners.index_select(0, select(~is_first)), False)
