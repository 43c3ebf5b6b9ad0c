"""Columns in one layout."""

from __future__ import annotations

import pytest
import torch

from tqp.data.column import Column, constant
from tqp.functions.align import align, concat
from tqp.types import BLOB, VARCHAR, DType

HOST = torch.device("cpu")


@pytest.mark.parametrize(("value", "dtype"), [("", VARCHAR), ("a", VARCHAR), (b"", BLOB), (b"a", BLOB)])
def test_equal_constants_are_as_wide_with_one_dictionary_as_with_two(value: object, dtype: DType) -> None:
    """A run computes equal constants once, and who announces them beforehand may compute each."""
    one, other = constant(value, dtype, HOST), constant(value, dtype, HOST)
    assert one.dictionary is not other.dictionary
    shared = align([one, one])
    apart = align([one, other])
    assert [column.layout.width for column in shared] == [column.layout.width for column in apart]


@pytest.mark.parametrize("values", [("a", "a"), ("a", "b"), ("a", None), ("b", "a", None, "a")])
def test_rows_of_constants_are_as_wide_with_one_dictionary_as_with_several(values: tuple[str | None, ...]) -> None:
    known: dict[str | None, Column] = {value: constant(value, VARCHAR, HOST) for value in values}
    shared = concat([known[value].expand(1) for value in values], [1] * len(values))
    apart = concat([constant(value, VARCHAR, HOST).expand(1) for value in values], [1] * len(values))
    assert shared.layout.width == apart.layout.width
