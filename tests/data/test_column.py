"""What a column may be: its layout and its bounds must fit one another."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.data.layout import OWN, Bounds, Encoding, clipped, problem
from tqp.errors import InternalError
from tqp.types import BIGINT, BOOLEAN, DOUBLE, FLOAT, HUGEINT, INTERVAL, VARCHAR, DType, array, decimal

_CPU = torch.device("cpu")
_limits = st.tuples(*[st.integers(-(2**65), 2**65)] * 2).map(lambda pair: (min(pair), max(pair)))


@given(_limits, _limits, st.integers(-(2**65), 2**65))
def test_clipped_holds_what_lies_in_both(bounds: Bounds, allowed: Bounds, value: int) -> None:
    low, high = clipped(bounds, allowed)
    assert allowed[0] <= low <= high <= allowed[1]
    if bounds[0] <= value <= bounds[1] and allowed[0] <= value <= allowed[1]:
        assert low <= value <= high


def _zeros(shape: tuple[int, ...], width: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.zeros(shape, dtype=width, device=_CPU)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 2**63), (2**64, 2**64)])
def test_bounds_that_no_narrow_number_has(bounds: Bounds) -> None:
    for shape in ((3,), ()):
        with pytest.raises(InternalError, match="cannot have the bounds"):
            Column(_zeros(shape), HUGEINT, bounds=bounds)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 1), (-1, -1), (-(2**63), 2**63 - 1)])
def test_bounds_that_no_wide_number_has(bounds: Bounds) -> None:
    for shape in ((3, 2), (2,)):
        with pytest.raises(InternalError, match="cannot have the bounds"):
            Column(_zeros(shape), HUGEINT, bounds=bounds, encoding=Encoding.WIDE)


@pytest.mark.parametrize(
    ("dtype", "encoding", "shape", "width"),
    [
        (HUGEINT, Encoding.FLAT, (3, 2), torch.int64),
        (HUGEINT, Encoding.WIDE, (3,), torch.int64),
        (HUGEINT, Encoding.WIDE, (3, 3), torch.int64),
        (HUGEINT, Encoding.WIDE, (3, 2), torch.int32),
        (BIGINT, Encoding.FLAT, (3,), torch.float64),
        (BIGINT, Encoding.FLAT, (3,), torch.uint8),
        (DOUBLE, Encoding.FLAT, (3,), torch.float32),
        (DOUBLE, Encoding.WIDE, (3, 2), torch.int64),
        (BOOLEAN, Encoding.FLAT, (3,), torch.int8),
        (VARCHAR, Encoding.CODES, (3, 1), torch.int32),
        (INTERVAL, Encoding.SPAN, (4,), torch.int64),
        (INTERVAL, Encoding.SPAN, (3, 3), torch.int32),
        (array(FLOAT, 4), Encoding.ARRAY, (3, 3), torch.float32),
        (array(FLOAT, 4), Encoding.ARRAY, (3, 4), torch.float64),
    ],
)
def test_a_form_that_does_not_fit_its_type(
    dtype: DType, encoding: Encoding, shape: tuple[int, ...], width: torch.dtype
) -> None:
    with pytest.raises(InternalError, match="cannot have"):
        Column(_zeros(shape, width), dtype, encoding=encoding)


_WIDTHS = (torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float32, torch.float64)
_BOUNDS = (None, (0, 0), (1, 0), (-(2**63), 2**63 - 1), (0, 2**63), (-(2**70), -(2**63) - 1))


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize(
    "dtype", [BIGINT, BOOLEAN, DOUBLE, FLOAT, HUGEINT, INTERVAL, VARCHAR, array(FLOAT, 3), decimal(9, 2)], ids=str
)
def test_a_column_is_made_where_there_is_no_problem_with_its_form(dtype: DType, encoding: Encoding) -> None:
    """What is looked at first when a column is made lets nothing pass that `problem` finds wrong, and refuses nothing else."""
    made = 0
    # FLAT stands for the one encoding that a type has.
    meant = OWN.get(dtype.kind, encoding) if encoding is Encoding.FLAT else encoding
    for width, shape, bounds in product(_WIDTHS, ((), (2,), (3,), (0,), (4, 2), (4, 3), (4, 3, 1)), _BOUNDS):
        data = torch.zeros(shape, dtype=width, device=_CPU)
        try:
            Column(data, dtype, None, None, bounds, encoding)
        except InternalError:
            assert problem(dtype, meant, width, shape, bounds) is not None
        else:
            made += 1
            assert problem(dtype, meant, width, shape, bounds) is None
    assert made or encoding is not Encoding.FLAT


def test_two_rows_are_no_wide_number() -> None:
    """Whatever is known of their bounds."""
    for bounds in (None, (2**64, 2**64)):
        number = Column(_zeros((2,)), HUGEINT, bounds=bounds, encoding=Encoding.WIDE)
        assert number.is_constant and number.is_wide and number.expand(5).data.shape == (5, 2)
    rows = Column(_zeros((2,)), HUGEINT)
    assert not rows.is_constant and not rows.is_wide and len(rows) == 2


@pytest.mark.parametrize("value", [0, -1, 2**63 - 1, 2**63, -(2**100), 2**127 - 1])
def test_a_constant_is_as_wide_as_its_number(value: int) -> None:
    column = constant(value, HUGEINT, _CPU)
    assert column.is_constant and column.is_wide == (not -(2**63) <= value < 2**63)
    assert column.layout == replace(column, data=column.data.clone()).layout
    assert column.expand(3).layout == replace(column.layout, is_constant=False)


def test_types_have_their_own_encoding() -> None:
    text = Dictionary(pa.array(["a"], pa.large_string()), is_sorted=True)
    assert Column(_zeros((2,), torch.int8), VARCHAR, None, text).encoding is Encoding.CODES
    assert Column(_zeros((3,)), INTERVAL).is_constant
    assert not Column(_zeros((3, 3)), INTERVAL).is_constant
    assert Column(_zeros((4,), torch.float32), array(FLOAT, 4)).is_constant
