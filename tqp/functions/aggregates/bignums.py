"""The sum of BIGNUMs, which has as many digits as it needs."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pyarrow as pa
import torch

from tqp.bignums import decoded, encoded
from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import same
from tqp.kernels import waits
from tqp.types import BIGNUM

__all__ = ["SUM_OF_BIGNUMS"]

SUM_OF_BIGNUMS: Final = "sum of bignums"
_WHY: Final = "integers of any length are added on the host"


@collected(SUM_OF_BIGNUMS, types=same)
def _sum(rows: Grouped) -> Column:
    if not rows.rows:
        return rows.nothing()
    column = rows.args[0]
    assert column.dictionary is not None
    codes = waits.fetched(column.data.index_select(0, rows.sequence), _WHY)
    numbers = [decoded(value) for value in column.dictionary.values.take(pa.array(codes.numpy())).to_pylist()]
    ends = [0, *waits.values(torch.cumsum(rows.counts, 0), _WHY)]
    sums = pa.array([encoded(sum(numbers[start:stop])) for start, stop in pairwise(ends)], pa.large_binary())
    places = placed(torch.arange(rows.groups, dtype=torch.int32, device="cpu"), rows.device)
    return Column(places, BIGNUM, rows.counts > 0, Dictionary(sums, is_sorted=False))
