"""Tables from pandas data frames."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import torch

from tqp.column import Column
from tqp.errors import SourceError
from tqp.io.arrow import column_from_arrow, with_fixed_size
from tqp.io.readers import Described

__all__ = ["PandasReader"]


class PandasReader(Described):
    """A pandas DataFrame, its index left out; None, NaN, NaT and NA are NULL.

    Holds a shallow copy: columns added to or removed from the frame later are not seen.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame.copy(deep=False)
        self._frame.columns = [str(name) for name in frame.columns]
        if self._frame.columns.has_duplicates:
            twice = self._frame.columns[self._frame.columns.duplicated()][0]
            raise SourceError(f"two columns are called {twice!r}", hint="rename one of them")
        try:
            schema = pa.Schema.from_pandas(self._frame, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise SourceError(f"the data frame cannot be read: {error}", hint="give mixed columns one type") from error
        # Whether lists are all of one length shows in the values alone.
        self._lists: dict[str, pa.ChunkedArray] = {}
        for place, field in enumerate(schema):
            if pa.types.is_list(field.type):
                array = with_fixed_size(
                    pa.chunked_array([pa.array(self._frame[field.name], field.type, from_pandas=True)])
                )
                self._lists[field.name] = array
                schema = schema.set(place, pa.field(field.name, array.type))
        super().__init__(schema, len(frame))

    def column(self, name: str, device: torch.device) -> Column:
        self.require(name)
        if name in self._lists:
            return column_from_arrow(self._lists[name], device, name)
        try:
            array = pa.array(self._frame[name], type=self.types[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise SourceError(f"column {name!r} of the data frame cannot be read: {error}") from error
        return column_from_arrow(array, device, name)
