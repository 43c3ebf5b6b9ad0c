"""The strings of a text column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch

from tqp.data.layout import Bounds

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Dictionary"]


class Dictionary:
    """The distinct (or, for near-unique text, simply all) strings that a text column's codes point to.

    `values` is a `large_string` Arrow array without NULLs, on the host. `is_sorted` says that it is
    strictly ascending in UTF-8 byte order: then codes compare as the strings do. An unsorted
    dictionary may repeat values; `ranked()` gives the sorted one. Immutable; equal only to itself. Its `token` is equal only
    to itself, too, and stands for it where the strings are not to be kept.
    """

    __slots__ = ("__weakref__", "_ranked", "is_sorted", "token", "values")

    def __init__(self, values: pa.Array, *, is_sorted: bool) -> None:
        self.values = values if pa.types.is_large_string(values.type) else values.cast(pa.large_string())
        self.is_sorted = is_sorted
        self.token = object()
        self._ranked: tuple[Dictionary, Tensor] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """Bytes of the strings, and of the sorted dictionary that is remembered."""
        own = int(self.values.nbytes)
        if self._ranked is None:
            return own
        ordered, codes = self._ranked
        return own + ordered.nbytes + codes.nbytes

    @property
    def bounds(self) -> Bounds:
        """Limits of the codes; without strings those of the code 0, which rows that are NULL have all the same."""
        return 0, max(len(self.values) - 1, 0)

    def ranked(self) -> tuple[Dictionary, Tensor]:
        """The sorted dictionary of the same strings and the int32 CPU tensor (len,) old code → new code.

        Cost: one sort of the strings, remembered.
        """
        if self._ranked is None:
            encoded = self.values.dictionary_encode()
            order = pc.sort_indices(encoded.dictionary)
            ranks = np.empty(len(order), dtype=np.int32)
            ranks[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
            codes = ranks[encoded.indices.to_numpy(zero_copy_only=False)]
            ordered = Dictionary(encoded.dictionary.take(order), is_sorted=True)
            self._ranked = (ordered, torch.from_numpy(np.ascontiguousarray(codes)))
        return self._ranked

    def has_ranked(self, other: Dictionary) -> bool:
        """Whether `other` is the sorted one that `ranked` gave."""
        return self._ranked is not None and self._ranked[0] is other

    def bytes_and_offsets(self) -> tuple[Tensor, Tensor]:
        """UTF-8 bytes (b,) uint8 and offsets (len + 1,) int64 on the CPU; views where Arrow allows."""
        offsets = np.frombuffer(self.values.buffers()[1], dtype=np.int64)
        offsets = offsets[self.values.offset : self.values.offset + len(self.values) + 1]
        buffer = self.values.buffers()[2]
        data = np.frombuffer(buffer, dtype=np.uint8) if buffer is not None else np.empty(0, dtype=np.uint8)
        return torch.from_numpy(data), torch.from_numpy(offsets)
