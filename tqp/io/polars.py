"""Tables from polars data frames."""

from __future__ import annotations

from typing import Any

import torch

from tqp.column import Column
from tqp.io.arrow import column_from_arrow
from tqp.io.readers import Described

__all__ = ["PolarsReader"]


class PolarsReader(Described):
    """A polars DataFrame, or a LazyFrame, which is collected at once."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame.collect() if hasattr(frame, "collect") else frame.clone()
        super().__init__(self._frame.head(0).to_arrow().schema, self._frame.height)

    def column(self, name: str, device: torch.device) -> Column:
        self.require(name)
        return column_from_arrow(self._frame.get_column(name).to_arrow(), device, name)
