"""The element of a list at a place."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.data.nested import at
from tqp.functions.slices import with_own_strings

__all__ = ["element"]


def element(lists: Column, places: Column) -> Column:
    """The element at a place from 1, or from the end for negative ones; NULL outside. NULLs of the arguments do not count."""
    if lists.is_constant and not places.is_constant:
        lists = lists.expand(len(places))
    start, count = lists.data[..., 0], lists.data[..., 1]
    place = places.data.long()
    index = torch.where(place > 0, place - 1, place + count)
    inside = (index >= 0) & (index < count) & (place != 0)
    if lists.valid is not None:
        inside = inside & lists.valid
    found = at(lists.children[0], torch.where(inside, start + index, 0), inside)
    # The first parts of texts may all differ where the second ones do not.
    return found if found.is_constant else with_own_strings(found)
