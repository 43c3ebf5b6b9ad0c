"""Both sides of each row of docs/coming-from.md give the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import torch

PAGE = (Path(__file__).parents[1] / "docs" / "coming-from.md").read_text()
ROWS = re.findall(r"^\| `(.*)` \| `(.*)` \|$", PAGE, re.MULTILINE)


def test_there_are_rows() -> None:
    assert len(ROWS) == len(re.findall(r"^\| `", PAGE, re.MULTILINE)) > 30


def test_rows() -> None:
    """One after the other, as they build on those above them."""
    names: dict[str, Any] = {"__name__": "page"}
    block = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    exec(block[1], names)
    for theirs, ours in ROWS:
        try:
            _require_same(eval(theirs, names), eval(ours, names))
        except BaseException as error:
            error.add_note(f"in the row of `{theirs}`")
            raise


def _require_same(expected: Any, found: Any) -> None:
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(found.to(expected.dtype), expected)
    elif isinstance(expected, pd.DataFrame | pl.DataFrame | pa.Table):
        assert type(found) is type(expected)
        assert _rows(found) == _rows(expected)
    elif isinstance(expected, list | tuple):
        assert found == expected
    else:
        assert found is None or hasattr(found, "sql")  # a connection, or a statement without rows


def _rows(table: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names and rows, in an order of their own, as SQL's have none."""
    if isinstance(table, pd.DataFrame):
        # What pandas calls missing is None here, and its names need be no texts.
        rows = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
        return [str(name) for name in table.columns], sorted(rows, key=repr)
    table = table.to_arrow() if isinstance(table, pl.DataFrame) else table
    return table.column_names, sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)
