"""From the arguments of PREDICT, which are columns, to the features of its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Bounds, Encoding
from tqp.device import limits_on
from tqp.errors import InternalError
from tqp.functions.casts.cast import cast
from tqp.ir.expr import Predict
from tqp.kernels.nan import without_nan
from tqp.models.features import Coded, Element, Elements, Feature, Numeric, Text
from tqp.models.model import Input, Model
from tqp.types import BIGINT, DOUBLE, VARCHAR, DType, Kind

__all__ = ["Reading", "counted_from", "integer_limits"]


class Reading:
    """How the arguments of a prediction become features, found out once for all blocks of rows."""

    def __init__(self, expr: Predict, model: Model) -> None:
        self._expr = expr
        self._model = model
        self._used = model.used_inputs()
        self._takes_arrays = any(input_.type is not None for input_ in model.inputs)
        self._tolerant = [model.takes_missing and input_.takes_missing for input_ in model.inputs]
        everything = tuple(range(len(model.inputs)))
        self._is_matrix = len(expr.args) == 1 and expr.places == everything and not self._takes_arrays
        self._of_matrix = [(place, self._tolerant[place]) for place in everything if place in self._used]
        self._is_whole = all(input_.is_whole for input_ in model.inputs)

    def features(
        self, args: Sequence[Column], rows: int, device: torch.device
    ) -> tuple[Sequence[Feature], Tensor | None]:
        """The features of `rows` rows, and where they are known (n,) if that matters to the answer; None: everywhere."""
        if self._is_matrix and args[0].dtype.is_array:
            values, valid = _elements(args[0].expand(rows), self._of_matrix, self._is_whole)
            return Elements(values), valid
        columns = [part for arg in args for part in _spread(arg.expand(rows), self._takes_arrays)]
        placed = dict(zip(self._expr.places, columns, strict=True))
        arrays, valid = self._arrays(placed)
        features: list[Feature] = []
        for place, input_ in enumerate(self._model.inputs):
            column = placed.get(place)
            if isinstance(column, _Part):
                features.append(Element(arrays[id(column.array)], column.place))
            elif column is None or place not in self._used:
                features.append(_unread(input_.is_text, rows, device))
            else:
                feature, known = self._feature(column, input_, self._tolerant[place])
                features.append(feature)
                valid = _both(valid, known)
        return features, valid

    def _arrays(self, placed: dict[int, Column | _Part]) -> tuple[dict[int, Tensor], Tensor | None]:
        """The elements of each array that stands for several inputs, by its identity, and where all are known."""
        parts = {place: part for place, part in placed.items() if isinstance(part, _Part)}
        found: dict[int, Tensor] = {}
        valid: Tensor | None = None
        for one in {id(part.array): part.array for part in parts.values()}.values():
            here = [
                (part.place, self._tolerant[place])
                for place, part in parts.items()
                if part.array is one and place in self._used
            ]
            found[id(one)], known = _elements(one, here, self._is_whole)
            valid = _both(valid, known)
        return found, valid

    def _feature(self, column: Column, input_: Input, takes_missing: bool) -> tuple[Feature, Tensor | None]:
        if input_.type is not None:
            return _declared(column, input_.type, self._model.takes_missing)
        if input_.is_whole and column.dtype.is_exact and not column.dtype.scale:
            # Not by way of a float, which would round.
            return Numeric(cast(column, BIGINT, False).data.long()), column.valid
        return _feature(column, input_.is_text, takes_missing, self._expr.folded)


def _declared(column: Column, dtype: DType, takes_missing: bool) -> tuple[Numeric, Tensor | None]:
    """What is passed on in the type that it is declared to have, and where it is known if that matters to the answer."""
    data = column.data
    if not dtype.is_array and not takes_missing:
        return Numeric(data), without_nan(data, column.valid) if dtype.is_float else column.valid
    if column.valid is None or not takes_missing:
        return Numeric(data), column.valid
    # NaN makes float32 of integers.
    data = data if data.is_floating_point() else data.double()
    return Numeric(torch.where(column.valid.unsqueeze(1) if dtype.is_array else column.valid, data, torch.nan)), None


def _both(valid: Tensor | None, known: Tensor | None) -> Tensor | None:
    if valid is None or known is None:
        return known if valid is None else valid
    return valid & known


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """An element of an array, which stands for one input."""

    array: Column
    place: int


def _spread(column: Column, takes_arrays: bool) -> Sequence[Column | _Part]:
    """What an argument stands for: an array for each of its elements, unless the model takes it whole."""
    if takes_arrays or not column.dtype.is_array:
        return [column]
    return [_Part(column, place) for place in range(column.data.shape[1])]


def _elements(column: Column, used: Sequence[tuple[int, bool]], is_whole: bool) -> tuple[Tensor, Tensor | None]:
    """The elements (n, d) of an array as floats, or as int64 if the model takes whole numbers, and where they are known if that
    matters to the answer.

    `used`: the elements that can change the answer, and whether each may be missing.
    """
    if is_whole and not column.data.dtype.is_floating_point:
        return column.data.long(), column.valid
    values = column.data if column.data.dtype.is_floating_point else column.data.double()
    strict = [place for place, tolerates in used if not tolerates]
    if column.valid is not None and len(strict) < len(used):
        values = torch.where(column.valid.unsqueeze(1), values, torch.nan)
    if not strict:
        return values, None
    if not column.data.dtype.is_floating_point:
        return values, column.valid
    some = values
    if len(strict) < values.shape[1]:
        some = values.index_select(1, torch.tensor(strict, dtype=torch.int64, device=values.device))
    # A sum is NaN wherever a number is, and seldom elsewhere.
    sums = some.sum(dim=1)
    if without_nan(sums, None) is None:
        return values, column.valid
    known = ~some.isnan().any(dim=1)
    return values, known if column.valid is None else column.valid & known


def _unread(is_text: bool, rows: int, device: torch.device) -> Feature:
    """An input that cannot change the answer; a text is NULL, which no encoder refuses."""
    codes = torch.zeros(1, dtype=torch.int32, device=device).expand(rows)
    if is_text:
        none = torch.zeros(1, dtype=torch.bool, device=device).expand(rows)
        return Text(Column(codes, VARCHAR, none, Dictionary(pa.array([""], pa.large_string()), is_sorted=True), (0, 0)))
    return Coded(codes, torch.zeros(1, dtype=torch.float64, device=device))


def _feature(column: Column, is_text: bool, takes_missing: bool, folded: bool) -> tuple[Feature, Tensor | None]:
    """The feature of a column, and where it is known if that matters to the answer."""
    if is_text:
        if column.dictionary is None:
            raise InternalError("a text column without a dictionary met a model")
        if len(column.dictionary) == 0:
            empty = Dictionary(pa.array([""], pa.large_string()), is_sorted=True)
            column = replace(column, dictionary=empty, bounds=(0, 0))
        return Text(column), None if takes_missing else column.valid
    coded = _coded(column, takes_missing) if folded else None
    if coded is not None:
        return coded, None if takes_missing else column.valid
    values = cast(column, DOUBLE, False).data
    if takes_missing:
        if column.valid is not None:
            values = torch.where(column.valid, values, torch.nan)
        return Numeric(values), None
    if not column.dtype.is_float:
        return Numeric(values), column.valid
    return Numeric(values), without_nan(values, column.valid)


def _coded(column: Column, takes_missing: bool) -> Coded | None:
    """A boolean or an exact number of a narrow range as codes; NULL, where it counts, is the last code."""
    limits = integer_limits(column)
    if limits is None or column.encoding is not Encoding.FLAT:
        return None
    low, high = limits
    count = high - low + 1
    most = limits_on(column.device)
    if count > most.coded_numbers or count * most.rows_a_combination > len(column):
        return None
    device = column.device
    codes = counted_from(column, low)
    # Not an `arange` of floats, which does not move by 1 where numbers are large.
    whole = torch.arange(count, dtype=torch.int64, device=device) + low
    values = whole.to(torch.float64) / 10**column.dtype.scale
    if column.valid is not None:
        codes = torch.where(column.valid, codes, count if takes_missing else 0)
        if takes_missing:
            values = torch.cat([values, torch.full((1,), torch.nan, dtype=torch.float64, device=device)])
    return Coded(codes, values)


def integer_limits(column: Column) -> Bounds | None:
    """What the stored integers lie between."""
    if column.dictionary is not None:
        return 0, max(len(column.dictionary) - 1, 0)
    if column.dtype.kind is Kind.BOOLEAN:
        return 0, 1
    return column.bounds if column.dtype.is_exact else None


def counted_from(column: Column, low: int) -> Tensor:
    """The stored integers counted from `low`, as int32; their range fits."""
    data = column.data
    if low == 0:
        return data.to(torch.int32)
    # Narrow integers less their minimum can leave their own width.
    wide = data.to(torch.int64) if data.dtype is torch.int64 or abs(low) >= 2**31 else data.to(torch.int32)
    return (wide - low).to(torch.int32)
