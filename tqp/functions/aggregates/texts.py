"""Aggregates that make text of the texts of a group."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.errors import BindError
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import Types
from tqp.ir.expr import Expr
from tqp.ir.visit import symbols
from tqp.kernels import waits
from tqp.types import NULL, VARCHAR

__all__: list[str] = []

_COMMA = ","
_WHY = "texts are put together on the host"


def _types(args: tuple[Expr, ...]) -> Types:
    if not 1 <= len(args) <= 2:
        raise BindError(
            f"string_agg takes a value and, if need be, what stands between values, not {len(args)} arguments"
        )
    if len(args) == 2:
        if not args[1].dtype.is_text and args[1].dtype != NULL:
            raise BindError(f"the separator of string_agg is VARCHAR, not {args[1].dtype}")
        if symbols(args[1]):
            raise BindError("the separator of string_agg must be a constant")
    return (VARCHAR,) * len(args), VARCHAR


@collected("string_agg", "group_concat", "listagg", types=_types, order_free=False)
def _string_agg(rows: Grouped) -> Column:
    """The texts of each group, one after the other, with a comma or the second argument between them.

    Arrow puts them together on the host, without a step a row.
    """
    if not rows.rows:
        return rows.nothing()
    texts = rows.args[0]
    assert texts.dictionary is not None
    codes, lengths, separator = (
        waits.fetched(one, _WHY)
        for one in (texts.data.index_select(0, rows.sequence), rows.counts, rows.args[-1].data[:1])
    )
    offsets = torch.zeros(rows.groups + 1, dtype=torch.int64, device=lengths.device)
    torch.cumsum(lengths, 0, out=offsets[1:])
    between = rows.args[1].dictionary if len(rows.args) == 2 else None
    by = _COMMA if between is None else between.values[int(separator)].as_py()  # host: on the CPU
    strings = texts.dictionary.values.take(pa.array(codes.numpy()))
    joined = pc.binary_join(
        pa.LargeListArray.from_arrays(pa.array(offsets.numpy()), strings), pa.scalar(by, pa.large_string())
    )
    numbers = placed(torch.arange(rows.groups, dtype=torch.int32, device=lengths.device), rows.device)
    return Column(numbers, VARCHAR, rows.counts > 0, Dictionary(joined, is_sorted=False))
