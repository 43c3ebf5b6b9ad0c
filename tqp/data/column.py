"""Columns: values of one SQL type on one device. How they lie in tensors is said in `tqp.data.layout`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import torch

from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary, arrow_kind, standing_for_null
from tqp.data.form import FIXED, Layout
from tqp.data.layout import ELEMENTS, FLAT_FORMS, OWN, Bounds, Encoding, narrowest, problem
from tqp.data.to_arrow import few_strings
from tqp.errors import InternalError
from tqp.interrupt import checkpoint
from tqp.ir.elements import Members
from tqp.kernels import waits, wide
from tqp.kernels.operation import is_tracing
from tqp.types import BIGNUM, BIT, BLOB, JSON, VARCHAR, VARIANT, DType, Kind

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Column", "Layout", "constant", "empty"]


_LEAST, _GREATEST = -(2**63), 2**63 - 1
_LONG = 2**16
"""Rows that take so long to gather that somebody may not want them any more."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Column:
    """One column of values on one device.

    `valid` is None (no NULL at all) or a bool tensor, True where not NULL ((n,), or () for a constant); where False, `data`
    holds anything of the right dtype (codes stay in range). `dictionary` is that of a column of text or of bytes. `bounds` is None
    or proven inclusive limits (low, high) of the stored integers, NULLs aside; it holds for every subset of the rows, so kernels
    use it to choose widths and to prove that nothing overflows. Bounds of data that is not wide lie within int64, those of wide
    data do not. A non-NULL constant integer has bounds (value, value).

    `children` are the columns that a nested value points into, of its element or its fields (`tqp.data.nested`). They have rows of
    their own, as many as it takes, are never constant, and are shared by all columns made of this one.

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
    children: tuple[Column, ...] = ()
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
        children: tuple[Column, ...] = (),
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
        _set_children(self, children)
        _set_is_constant(self, data.ndim == encoding.dimensions)
        _set_is_wide(self, encoding is Encoding.WIDE)
        # Most columns are proven right by these; `problem` looks at the others, and says what is wrong.
        is_flat = (dtype.kind, data.dtype, data.ndim) in FLAT_FORMS and not encoding.dimensions and not dtype.is_record
        if not (is_flat and (bounds is None or _LEAST <= bounds[0] <= bounds[1] <= _GREATEST)):
            wrong = problem(dtype, encoding, data.dtype, data.shape, bounds)
            if wrong is None and tuple([child.dtype for child in children]) != dtype.children:
                wrong = f"{len(children)} children"
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
        """Bytes of the tensors, those of children too (a shared dictionary not counted)."""
        size = self.data.numel() * self.data.element_size() + sum(child.nbytes for child in self.children)
        return size if self.valid is None else size + self.valid.numel()

    def __len__(self) -> int:
        return self.data.shape[0]

    def map(self, move: Callable[[Tensor], Tensor]) -> Column:
        """The same values in other rows: `move` is applied to data and valid."""
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
        return self.moved(lambda tensor: tensor.to(device))

    def moved(self, move: Callable[[Tensor], Tensor]) -> Column:
        """The same rows elsewhere: `move` is applied to all tensors."""
        found = self.map(move)
        return (
            replace(found, children=tuple([child.moved(move) for child in self.children])) if self.children else found
        )

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
_set_children = Column.__dict__["children"].__set__
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
    _set_children(alike, column.children)
    _set_is_constant(alike, data.ndim == encoding.dimensions)
    _set_is_wide(alike, column.is_wide)
    return alike


_SIZES = {Encoding.WIDE: 2, Encoding.SPAN: 3, Encoding.RANGES: 2}


_NO_TEXT = Dictionary(few_strings([], pa.large_string()), is_sorted=True)
_NO_BYTES = Dictionary(few_strings([], pa.large_binary()), is_sorted=True)
_NO_STRINGS = {
    VARCHAR: _NO_TEXT,
    JSON: _NO_TEXT,
    BIT: _NO_TEXT,
    VARIANT: _NO_TEXT,
    BLOB: _NO_BYTES,
    BIGNUM: _NO_BYTES,
}


def empty(layout: Layout, device: torch.device) -> Column:
    """The column of that layout without rows."""
    size: tuple[int, ...] = ()
    if layout.encoding.dimensions:
        size = (layout.dtype.size if layout.dtype.is_array else _SIZES[layout.encoding],)
    data = torch.empty((0, *size), dtype=layout.width, device=device)
    valid = torch.empty(0, dtype=torch.bool, device=device) if layout.is_nullable else None
    dictionary = layout.dictionary
    if dictionary is None and layout.encoding is Encoding.CODES:
        dictionary = _NO_STRINGS[layout.dtype]
    children = tuple([empty(Layout.of_type(child), device) for child in layout.dtype.children])
    return Column(data, layout.dtype, valid, dictionary, layout.bounds, layout.encoding, children)


def constant(value: object, dtype: DType, device: torch.device) -> Column:
    """A constant column of one literal.

    `value` is in stored form (see `tqp.ir.expr.Literal`): None is NULL, DECIMAL a scaled int, DATE days,
    TIME and TIMESTAMP microseconds, INTERVAL (months, days, microseconds), VARCHAR and BIT str, BLOB and BIGNUM bytes,
    ARRAY `Elements`, LIST `Elements` or `Members`, a STRUCT without fields `Elements`.
    """
    null = value is None
    valid = torch.zeros((), dtype=torch.bool, device=device) if null else None
    if dtype.is_coded:
        dictionary = standing_for_null(dtype)
        if not null:
            dictionary = Dictionary(few_strings([value], arrow_kind(value)), is_sorted=True)  # type: ignore[list-item, arg-type]
        return Column(torch.zeros((), dtype=torch.int32, device=device), dtype, valid, dictionary, (0, 0))
    if dtype.has_children:
        return _nested_constant(value, dtype, device)
    if dtype.is_array:
        assert dtype.element is not None
        numbers = [0] * dtype.size if null else value.numbers  # type: ignore[attr-defined]
        return Column(torch.tensor(numbers, dtype=ELEMENTS[dtype.element], device=device), dtype, valid)
    if dtype.kind in FIXED:
        fixed = FIXED[dtype.kind]
        if dtype.kind is Kind.INTERVAL:
            return Column(torch.tensor((0, 0, 0) if null else value, dtype=fixed, device=device), dtype, valid)
        number = 0.0 if null else float(value)  # type: ignore[arg-type]
        # What a text of FLOAT has too much of is infinite.
        return Column(torch.full((), number, dtype=torch.float64, device=device).to(fixed), dtype, valid)
    number = 0 if null else int(value)  # type: ignore[call-overload]
    width = narrowest(number, number)
    if width is None:
        return Column(wide.scalar(number, device), dtype, valid, None, (number, number), Encoding.WIDE)
    return Column(
        torch.full((), number, dtype=width, device=device), dtype, valid, None, None if null else (number, number)
    )


def _nested_constant(value: object, dtype: DType, device: torch.device) -> Column:
    """A NULL, a struct without fields, or the list of the numbers of `Elements`, or of `Members`."""
    encoding = OWN[dtype.kind]
    children = tuple([empty(Layout.of_type(child), device) for child in dtype.children])
    if value is None:
        data = torch.zeros((2,) if encoding.dimensions else (), dtype=torch.int64, device=device)
        return Column(data, dtype, torch.zeros((), dtype=torch.bool, device=device), children=children)
    if not children:
        return Column(torch.zeros((), dtype=torch.int64, device=device), dtype)
    child = children[0]
    numbers: tuple[Any, ...] = value.values if isinstance(value, Members) else value.numbers  # type: ignore[attr-defined]
    if child.dtype.is_coded:
        dictionary = Dictionary(pa.array(numbers, standing_for_null(child.dtype).values.type), is_sorted=True)
        codes = torch.arange(len(numbers), dtype=torch.int32, device=device)
        child = replace(child, data=codes, valid=None, dictionary=dictionary, bounds=dictionary.bounds)
        return Column(torch.tensor((0, len(numbers)), dtype=torch.int64, device=device), dtype, children=(child,))
    if not numbers:
        return Column(torch.zeros(2, dtype=torch.int64, device=device), dtype, children=children)
    width, bounds = child.data.dtype, None
    if child.dtype.is_exact or child.dtype.is_temporal:
        low, high = min(numbers), max(numbers)
        width, bounds = narrowest(low, high) or width, (low, high)
    child = Column(torch.tensor(numbers, dtype=width, device=device), child.dtype, bounds=bounds)
    return Column(torch.tensor((0, len(numbers)), dtype=torch.int64, device=device), dtype, children=(child,))
