"""The strings of a text column as slices of the bytes of its dictionary, of which no copies are made."""

from __future__ import annotations

from functools import partial
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary, standing_for_null
from tqp.functions.entries import Entries
from tqp.functions.slices import Slices, gives_copies
from tqp.kernels import waits
from tqp.kernels.slices import characters

__all__ = ["FAR", "characters_of", "slices_of"]

FAR: Final = 2**62
"""More characters than a string has."""


def slices_of(column: Column) -> tuple[Slices, Entries]:
    """The strings of a column of text (n,): those of its dictionary, or those of the rows where these are fewer.

    On the host, with the entries that they are, which have no operands.
    """
    assert column.dictionary is not None
    # NULLs alone leave an empty dictionary; their codes still need an entry.
    dictionary = column.dictionary if len(column.dictionary) else standing_for_null(column.dtype)
    data, offsets = dictionary.bytes_and_offsets()
    begins, stops, codes = offsets[:-1], offsets[1:], None
    if len(dictionary) > len(column):
        rows = torch.from_numpy(waits.array(column.data, "text is on the host")).int()
        begins, stops = begins.index_select(0, rows), stops.index_select(0, rows)
    else:
        codes = column.data.int()
    return Slices(data, begins, stops), Entries([], codes, False, len(begins), column.device)


def characters_of(strings: pa.Array, start: int, stop: int | None) -> pa.Array | Slices:
    """The characters start..stop-1 of each string, in Python's terms: as slices where few of many differ."""
    part = partial(pc.utf8_slice_codeunits, start=start, stop=stop)
    if not gives_copies(part, strings):
        return part(strings)
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    return Slices(data, *characters(data, offsets, start, FAR if stop is None else stop))
