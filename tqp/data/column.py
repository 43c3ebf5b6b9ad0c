"""Columns: values of one SQL type on one device. How they lie in tensors is said in `tqp.data.layout`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import torch

from tqp.data.copies import placed
from tqp.data.dictionary import NULL_TEXT, Dictionary
from tqp.data.layout import ELEMENTS, FLAT_FORMS, OWN, Bounds, Encoding, narrowest, problem
from tqp.errors import InternalError
from tqp.interrupt import checkpoint
from tqp.kernels import waits, wide
from tqp.kernels.operation import is_tracing
from tqp.types import DType, Kind, integer_range

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Column", "Layout", "constant", "empty"]


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
        if dtype.is_exact and narrowest(*integer_range(dtype)) is None:
            encoding = Encoding.WIDE
        width = _FIXED.get(dtype.kind, torch.int32 if dtype.is_text else torch.int64)
        if dtype.element is not None:
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
        if self.is_measured and (self.dtype.is_exact or self.dtype.is_temporal):
            parts.append("or narrower")
        if self.is_constant:
            parts.append("constant")
        return " ".join(parts) + ("" if self.is_nullable else " not null")


_LEAST, _GREATEST = -(2**63), 2**63 - 1
_LONG = 2**16
"""Rows that take so long to gather that somebody may not want them any more."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Column:
    """One column of values on one device.

    `valid` is None (no NULL at all) or a bool tensor, True where not NULL ((n,), or () for a constant); where False, `data`
    holds anything of the right dtype (codes stay in range). `dictionary` is that of a text column. `bounds` is None or proven
    inclusive limits (low, high) of the stored integers, NULLs aside; it holds for every subset of the rows, so kernels use
    it to choose widths and to prove that nothing overflows. Bounds of data that is not wide lie within int64, those of wide
    data do not. A non-NULL constant integer has bounds (value, value).

    `encoding` says how a value lies in the tensor. FLAT stands for the only encoding that a type has (codes of text, spans,
    arrays); numbers of two limbs must say WIDE. InternalError where there are no such columns: a form that does not
    fit its type cannot be made. What has the form of another column is made by its methods, which need not check it again.
    """

    data: Tensor
    dtype: DType
    valid: Tensor | None = None
    dictionary: Dictionary | None = None
    bounds: Bounds | None = None
    encoding: Encoding = Encoding.FLAT
    is_constant: bool = field(init=False, repr=False)
    """One value for all rows: no row dimension."""
    is_wide: bool = field(init=False, repr=False)
    """Two 64-bit limbs a value."""

    def __init__(
        self,
        data: Tensor,
        dtype: DType,
        valid: Tensor | None = None,
        dictionary: Dictionary | None = None,
        bounds: Bounds | None = None,
        encoding: Encoding = Encoding.FLAT,
    ) -> None:
        if encoding is Encoding.FLAT:
            encoding = OWN.get(dtype.kind, encoding)
        # The attributes of a frozen class, by its slots: some 50 ns each.
        _set_data(self, data)
        _set_dtype(self, dtype)
        _set_valid(self, valid)
        _set_dictionary(self, dictionary)
        _set_bounds(self, bounds)
        _set_encoding(self, encoding)
        _set_is_constant(self, data.ndim == encoding.dimensions)
        _set_is_wide(self, encoding is Encoding.WIDE)
        # Most columns are proven right by these; `problem` looks at the others, and says what is wrong.
        is_flat = (dtype.kind, data.dtype, data.ndim) in FLAT_FORMS and not encoding.dimensions
        if not (is_flat and (bounds is None or _LEAST <= bounds[0] <= bounds[1] <= _GREATEST)):
            wrong = problem(dtype, encoding, data.dtype, data.shape, bounds)
            if wrong is not None:
                raise InternalError(f"{dtype} values that are {encoding.value} cannot have {wrong}")

    @property
    def layout(self) -> Layout:
        """The form of the column without its values."""
        nullable = self.valid is not None
        return Layout(
            self.dtype, self.encoding, self.data.dtype, self.is_constant, nullable, self.dictionary, self.bounds
        )

    @property
    def has_elements(self) -> bool:
        """A value is more than one element of the tensor, whose last dimension they are."""
        return self.encoding.dimensions == 1

    @property
    def device(self) -> torch.device:
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Bytes of the tensors (a shared dictionary not counted)."""
        size = self.data.numel() * self.data.element_size()
        return size if self.valid is None else size + self.valid.numel()

    def __len__(self) -> int:
        return self.data.shape[0]

    def map(self, move: Callable[[Tensor], Tensor]) -> Column:
        """The same values elsewhere or a choice of rows: `move` is applied to data and valid."""
        valid = self.valid
        return _alike(self, move(self.data), None if valid is None else move(valid))

    def take(self, rows: Tensor) -> Column:
        """The rows at `rows` ((m,) int32 or int64, in range); a constant stays as it is."""
        if self.is_constant:
            return self
        if rows.shape[0] >= _LONG:
            checkpoint()
        valid = self.valid
        return _alike(self, self.data.index_select(0, rows), None if valid is None else valid.index_select(0, rows))

    def slice(self, start: int, stop: int) -> Column:
        """Rows start..stop-1 as views."""
        if self.is_constant:
            return self
        if start == 0 and stop == self.data.shape[0]:
            return self
        valid = self.valid
        return _alike(self, self.data[start:stop], None if valid is None else valid[start:stop])

    def to(self, device: torch.device) -> Column:
        return self.map(lambda tensor: tensor.to(device))

    def expand(self, rows: int) -> Column:
        """A constant as a column of `rows` equal values (stride 0, no copy); others unchanged."""
        if not self.is_constant:
            return self
        valid = self.valid
        return _alike(self, self.data.expand(rows, *self.data.shape), None if valid is None else valid.expand(rows))

    def with_valid(self, valid: Tensor | None) -> Column:
        return self if valid is self.valid else _alike(self, self.data, valid)

    def ranked(self) -> Column:
        """A text column whose codes order and compare as its strings do; other columns unchanged."""
        if self.dictionary is None or self.dictionary.is_sorted:
            return self
        dictionary, ranks = self.dictionary.ranked()
        return self._recoded(dictionary, ranks)

    def in_order(self) -> Column:
        """As `ranked`, with a dictionary of its own where the rows are few beside the strings, which waits for the codes."""
        dictionary = self.dictionary
        if dictionary is None or self.is_constant or is_tracing() or dictionary.ranks_all(len(self)):
            return self.ranked()
        part, codes = dictionary.part(waits.fetched(self.data, "text is ordered on the host"))
        return replace(self, data=placed(codes, self.device), dictionary=part, bounds=part.bounds)

    def canonical(self) -> Column:
        """A text column whose codes, of the same dictionary, are equal where its strings are; other columns unchanged."""
        if self.dictionary is None or self.dictionary.is_sorted:
            return self
        firsts = self.dictionary.firsts()
        if firsts is None:
            return self if self.data.dtype is torch.int32 else replace(self, data=self.data.int())
        return self._recoded(self.dictionary, firsts)

    def _recoded(self, dictionary: Dictionary, codes: Tensor) -> Column:
        """The column with code i of its dictionary replaced by `codes[i]` of another."""
        lookup = placed(codes, self.device)
        if len(lookup) == 0:
            return replace(self, dictionary=dictionary, bounds=None)
        # Subscripts by a tensor without dimensions wait for it.
        data = lookup.index_select(0, self.data.int().reshape(-1)).reshape(self.data.shape)
        return replace(self, data=data, dictionary=dictionary, bounds=dictionary.bounds)


# mypy knows no slots.
_new = object.__new__
_set_data = Column.__dict__["data"].__set__
_set_dtype = Column.__dict__["dtype"].__set__
_set_valid = Column.__dict__["valid"].__set__
_set_dictionary = Column.__dict__["dictionary"].__set__
_set_bounds = Column.__dict__["bounds"].__set__
_set_encoding = Column.__dict__["encoding"].__set__
_set_is_constant = Column.__dict__["is_constant"].__set__
_set_is_wide = Column.__dict__["is_wide"].__set__


def _alike(column: Column, data: Tensor, valid: Tensor | None) -> Column:
    """A column of the same form, whose dtype, encoding and bounds fit as they did."""
    alike = _new(Column)
    _set_data(alike, data)
    _set_dtype(alike, column.dtype)
    _set_valid(alike, valid)
    _set_dictionary(alike, column.dictionary)
    _set_bounds(alike, column.bounds)
    encoding = column.encoding
    _set_encoding(alike, encoding)
    _set_is_constant(alike, data.ndim == encoding.dimensions)
    _set_is_wide(alike, column.is_wide)
    return alike


_SIZES = {Encoding.WIDE: 2, Encoding.SPAN: 3}
_FIXED = {
    Kind.BOOLEAN: torch.bool,
    Kind.NULL: torch.bool,
    Kind.FLOAT: torch.float32,
    Kind.DOUBLE: torch.float64,
    Kind.INTERVAL: torch.int64,
}


_NO_STRINGS = Dictionary(pa.array([], pa.large_string()), is_sorted=True)


def empty(layout: Layout, device: torch.device) -> Column:
    """The column of that layout without rows."""
    size: tuple[int, ...] = ()
    if layout.encoding.dimensions:
        size = (layout.dtype.size if layout.dtype.is_array else _SIZES[layout.encoding],)
    data = torch.empty((0, *size), dtype=layout.width, device=device)
    valid = torch.empty(0, dtype=torch.bool, device=device) if layout.is_nullable else None
    dictionary = layout.dictionary
    if dictionary is None and layout.encoding is Encoding.CODES:
        dictionary = _NO_STRINGS
    return Column(data, layout.dtype, valid, dictionary, layout.bounds, layout.encoding)


def constant(value: object, dtype: DType, device: torch.device) -> Column:
    """A constant column of one literal.

    `value` is in stored form (see `tqp.ir.expr.Literal`): None is NULL, DECIMAL a scaled int, DATE days,
    TIME and TIMESTAMP microseconds, INTERVAL (months, days, microseconds), VARCHAR str, ARRAY `Elements`.
    """
    null = value is None
    valid = torch.zeros((), dtype=torch.bool, device=device) if null else None
    if dtype.is_text:
        dictionary = NULL_TEXT if null else Dictionary(pa.array([str(value)], pa.large_string()), is_sorted=True)
        return Column(torch.zeros((), dtype=torch.int32, device=device), dtype, valid, dictionary, (0, 0))
    if dtype.is_array:
        assert dtype.element is not None
        numbers = [0] * dtype.size if null else value.numbers  # type: ignore[attr-defined]
        return Column(torch.tensor(numbers, dtype=ELEMENTS[dtype.element], device=device), dtype, valid)
    if dtype.kind in _FIXED:
        fixed = _FIXED[dtype.kind]
        if dtype.kind is Kind.INTERVAL:
            return Column(torch.tensor((0, 0, 0) if null else value, dtype=fixed, device=device), dtype, valid)
        number = 0.0 if null else float(value)  # type: ignore[arg-type]
        return Column(torch.full((), number, dtype=fixed, device=device), dtype, valid)
    number = 0 if null else int(value)  # type: ignore[call-overload]
    width = narrowest(number, number)
    if width is None:
        return Column(wide.scalar(number, device), dtype, valid, None, (number, number), Encoding.WIDE)
    return Column(
        torch.full((), number, dtype=width, device=device), dtype, valid, None, None if null else (number, number)
    )
