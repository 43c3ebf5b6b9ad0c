"""Layouts: how the values of a column lie in tensors, with all that is known of them but the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from tqp.data.dictionary import Dictionary
from tqp.data.layout import ELEMENTS, OWN, Bounds, Encoding, narrowest
from tqp.types import DType, Kind, stored_range

__all__ = ["FIXED", "Layout"]

FIXED = {
    Kind.BOOLEAN: torch.bool,
    Kind.NULL: torch.bool,
    Kind.FLOAT: torch.float32,
    Kind.DOUBLE: torch.float64,
    Kind.INTERVAL: torch.int64,
}
"""The dtypes of types whose values have one width."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole form of a column: of one that is there, or, before there is one, of those that all batches will have.

    `width` is the dtype of the tensor's elements. `bounds` are proven or None. `dictionary` is what codes point into: one for all
    batches, or None where each has its own. `is_nullable`: there may be NULLs. `is_measured`: a kernel chooses the form by
    the values of each batch; then encoding, width and bounds are the widest that it chooses, and it may choose a constant.
    """

    dtype: DType
    encoding: Encoding
    width: torch.dtype
    is_constant: bool
    is_nullable: bool
    dictionary: Dictionary | None
    bounds: Bounds | None
    is_measured: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What two layouts have in common that hold equal values in equal tensors; it keeps no dictionary alive."""
        token = None if self.dictionary is None else self.dictionary.token
        form = (self.encoding, self.width, self.is_constant, self.is_nullable, self.is_measured)
        return (self.dtype, form, token, self.bounds)

    def canonical(self) -> Layout:
        """The layout of `Column.canonical`."""
        if self.dictionary is None or self.dictionary.is_sorted:
            return self
        return replace(self, width=torch.int32, bounds=self.dictionary.bounds)

    def is_like(self, other: Layout) -> bool:
        """Whether values of both lie in tensors of the same kind, with codes into the same dictionary."""
        return (self.encoding, self.width) == (other.encoding, other.width) and self.dictionary is other.dictionary

    def whole(self) -> Layout:
        """The layout of what batches of this one make, one below the other."""
        if self.encoding is Encoding.CODES and self.dictionary is None:
            return replace(self, width=torch.int32, is_constant=False, bounds=None, is_measured=True)
        return replace(self, is_constant=False)

    def grouped(self) -> Layout:
        """The layout of its distinct values: codes of an unsorted dictionary may have become canonical."""
        found = self.whole()
        return found if found.dictionary is None else replace(found.canonical(), is_measured=True)

    def picked(self) -> Layout:
        """The layout of some of its values, with NULL where there is none, for which 0 stands, and no dictionary is known."""
        found = replace(self.whole(), is_nullable=True, is_measured=True)
        if found.encoding is Encoding.CODES:
            return replace(found, width=torch.int32, dictionary=None, bounds=None)
        return (
            found if found.bounds is None else replace(found, bounds=(min(found.bounds[0], 0), max(found.bounds[1], 0)))
        )

    @staticmethod
    def together(layouts: Sequence[Layout]) -> Layout:
        """The layout of columns of one type that have these layouts, one below the other, or of one of them."""
        typed = [layout for layout in layouts if layout.dtype.kind is not Kind.NULL] or list(layouts)
        has_null_type = len(typed) < len(layouts)
        first, *others = [layout.whole() for layout in typed]
        is_nullable = has_null_type or any(layout.is_nullable for layout in typed)
        is_same = all(one.is_like(first) for one in others)
        limits = [layout.bounds for layout in (first, *others) if layout.bounds is not None]
        is_bounded = len(limits) == len(typed)
        if has_null_type:
            # 0 stands for NULLs without a type.
            limits.append((0, 0))
        common = (min(low for low, _ in limits), max(high for _, high in limits)) if is_bounded else None
        is_measured = not is_same or any(layout.is_measured for layout in (first, *others))
        found = replace(first, is_nullable=is_nullable, bounds=common, is_measured=is_measured)
        if is_same:
            return found
        if first.encoding is Encoding.CODES:
            return replace(found, width=torch.int32, dictionary=None, bounds=None)
        widest = max((first, *others), key=lambda one: (one.encoding is Encoding.WIDE, one.width.itemsize))
        return replace(found, encoding=widest.encoding, width=widest.width)

    @staticmethod
    def of_type(dtype: DType) -> Layout:
        """What is known of a column by its type alone."""
        encoding = OWN.get(dtype.kind, Encoding.FLAT)
        if dtype.is_ordinal and narrowest(*stored_range(dtype)) is None:
            encoding = Encoding.WIDE
        width = FIXED.get(dtype.kind, torch.int32 if dtype.is_coded else torch.int64)
        if dtype.is_array and dtype.element is not None:
            width = ELEMENTS[dtype.element]
        return Layout(dtype, encoding, width, False, True, None, None, is_measured=True)

    def __str__(self) -> str:
        parts = [f"{self.dtype}", str(self.width).removeprefix("torch.")]
        if self.encoding in (Encoding.WIDE, Encoding.CODES):
            parts.append(self.encoding.value)
        if self.encoding is Encoding.CODES:
            parts.append("into each batch's own" if self.dictionary is None else f"into {len(self.dictionary):,}")
        elif self.bounds is not None:
            parts.append(f"{self.bounds[0]} to {self.bounds[1]}")
        if self.is_measured and self.dtype.is_ordinal:
            parts.append("or narrower")
        if self.is_constant:
            parts.append("constant")
        return " ".join(parts) + ("" if self.is_nullable else " not null")
