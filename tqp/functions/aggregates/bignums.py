"""The sum of BIGNUMs, which has as many digits as it needs."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from tqp.bignums import decoded, encoded
from tqp.data.column import Column
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.on_host import in_groups, of_groups, strings
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import same
from tqp.types import BIGNUM

__all__ = ["SUM_OF_BIGNUMS"]

SUM_OF_BIGNUMS: Final = "sum of bignums"
_WHY: Final = "integers of any length are added on the host"


@collected(SUM_OF_BIGNUMS, types=same)
def _sum(rows: Grouped) -> Column:
    if not rows.rows:
        return rows.nothing()
    numbers = [decoded(value) for value in strings(rows, _WHY)]
    sums = [encoded(sum(group)) for group in in_groups(rows, numbers, _WHY)]
    return of_groups(rows, pa.array(sums, pa.large_binary()), BIGNUM)
