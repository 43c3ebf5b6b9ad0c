"""Tables from polars data frames."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import torch

from tqp.column import Column
from tqp.io.arrow import column_from_arrow, with_fixed_size
from tqp.io.readers import Described

__all__ = ["PolarsReader"]


class PolarsReader(Described):
    """A polars DataFrame, or a LazyFrame, which is collected at once."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame.collect() if hasattr(frame, "collect") else frame.clone()
        schema = self._frame.head(0).to_arrow().schema
        # Whether lists are all of one length shows in the values alone.
        for place, field in enumerate(schema):
            if pa.types.is_large_list(field.type):
                schema = schema.set(place, pa.field(field.name, self._lists(field.name).type))
        super().__init__(schema, self._frame.height)

    def column(self, name: str, device: torch.device) -> Column:
        self.require(name)
        return column_from_arrow(self._lists(name), device, name)

    def _lists(self, name: str) -> pa.ChunkedArray:
        return with_fixed_size(pa.chunked_array([self._frame.get_column(name).to_arrow()]))
