"""Many strings that are parts of others, and whether so few of them differ that each is kept once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.data.to_arrow import texts
from tqp.kernels import slices, waits

__all__ = ["SMALL", "Slices", "ends", "gives_copies", "repeats", "with_own_strings"]

SMALL = 1 << 14
"""Results of no more strings get a sorted dictionary at once: later comparisons and groupings gain from it."""
_SAMPLE = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Parts of strings, those at `begins` to `stops` (n,) int64 of the bytes `data`, where UTF-8 lies."""

    data: Tensor
    begins: Tensor
    stops: Tensor

    def strings(self) -> pa.Array:
        """A copy of each."""
        return self.joined(1)

    def joined(self, count: int) -> pa.Array:
        """Strings of so many of them each, one after the other."""
        data, bounds = slices.gathered(self.data, self.begins, self.stops)
        return texts(data.numpy(), bounds[::count].numpy(), pa.large_string())

    def encoded(self) -> tuple[pa.Array, Tensor]:
        """The distinct ones, and which of them each is (n,) int32."""
        numbers, firsts = slices.numbered(self.data, self.begins, self.stops)
        return self.take(firsts).strings(), numbers

    def take(self, rows: Tensor) -> Slices:
        """Some of them."""
        return Slices(self.data, self.begins.index_select(0, rows), self.stops.index_select(0, rows))


def repeats(strings: pa.Array) -> bool:
    """Whether so few of the strings differ, by the first and the last of them, that it pays to keep each once."""
    sample = strings.take(pa.array(ends(len(strings)).numpy()))
    return 2 * len(sample.unique()) <= len(sample)  # host: strings of Arrow


def ends(count: int) -> Tensor:
    """The numbers of the first and the last of so many; all, where these are few."""
    if count <= _SAMPLE:
        return torch.arange(count, device="cpu")
    first = torch.arange(_SAMPLE // 2, device="cpu")
    return torch.cat([first, first + (count - _SAMPLE // 2)])


def with_own_strings(column: Column) -> Column:
    """A column of text (n,) with a dictionary of its own strings, where few of these differ, by a sample, of one that has more."""
    dictionary, rows = column.dictionary, column.data.shape[0]
    if dictionary is None or rows <= SMALL or len(dictionary) <= rows:
        return column
    codes = torch.from_numpy(waits.array(column.data, "what texts are made of is on the host"))
    data, offsets = dictionary.bytes_and_offsets()
    slices = Slices(data, offsets.index_select(0, codes), offsets.index_select(0, codes + 1))
    if not repeats(slices.take(ends(rows)).strings()):
        return column
    strings, numbers = slices.encoded()
    own = Dictionary(strings, is_sorted=False)
    return replace(column, data=placed(numbers, column.device), dictionary=own, bounds=own.bounds)


def gives_copies(function: Callable[[pa.Array], pa.Array], strings: pa.Array) -> bool:
    """Whether the strings are many, and of what a function makes of them few differ, by a sample."""
    return len(strings) > SMALL and repeats(function(strings.take(pa.array(ends(len(strings)).numpy()))))
