"""Arrow arrays made without `pa.array` are those that it makes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tqp.data.to_arrow import few_strings, integers


@pytest.mark.parametrize("strings", [[], [""], ["a"], ["", "é", "", "日本\0x", "a" * 1000, ""]])
def test_strings(strings: list[str]) -> None:
    made = few_strings(strings, pa.large_string())
    made.validate(full=True)
    assert made.equals(pa.array(strings, pa.large_string())) and made.null_count == 0
    raw = [text.encode() + b"\xff" for text in strings]
    assert few_strings(raw, pa.large_binary()).equals(pa.array(raw, pa.large_binary()))


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        few_strings(["\ud800"], pa.large_string())


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_integers(dtype: type, rows: int) -> None:
    values = np.arange(rows * 2, dtype=dtype)
    for given in (values, values[::2], values[::-1]):
        made = integers(given)
        made.validate(full=True)
        assert made.equals(pa.array(given))
