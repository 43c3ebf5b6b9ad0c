"""The strings of a text column as slices of the bytes of its dictionary, of which no copies are made."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.data.dictionary import standing_for_null
from tqp.functions.entries import Entries
from tqp.functions.slices import Slices
from tqp.kernels import waits

__all__ = ["slices_of"]


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
