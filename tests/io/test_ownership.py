"""Who owns memory: neither the objects handed in nor the answers handed out reach into tqp's columns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

import tqp
from tqp.relation import TensorColumn

CPU = torch.device("cpu")

NUMBERS: dict[str, np.ndarray[Any, Any]] = {
    "bool": np.array([True, False, True, True]),
    "int8": np.array([1, 2, 3, 4], np.int8),
    "int16": np.array([1, 2, 3, 400], np.int16),
    "int32": np.array([1, 2, 3, 70_000], np.int32),
    "int64": np.array([1, 2, 3, 2**40]),
    "uint8": np.array([1, 2, 3, 200], np.uint8),
    "uint64": np.array([1, 2, 3, 2**63], np.uint64),
    "float32": np.array([1.5, 2.5, 3.5, 4.5], np.float32),
    "float64": np.array([1.5, 2.5, 3.5, 4.5]),
    "day": np.array(["2024-01-01", "2024-01-02", "2024-01-03", "9024-01-04"], "datetime64[D]"),
    "time": np.array(
        [datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 1, 3), datetime(2024, 1, 4)], "M8[us]"
    ),
    "vector": np.arange(8, dtype=np.float32).reshape(4, 2),
    "integers": np.arange(8, dtype=np.int64).reshape(4, 2) + 2**40,
}


def arrays() -> dict[str, Any]:
    return {name: values.copy() for name, values in NUMBERS.items()}


def masked() -> dict[str, Any]:
    return {
        name: np.ma.MaskedArray(values, [False, True, False, False])
        for name, values in arrays().items()
        if values.ndim == 1
    }


def tensors() -> dict[str, Any]:
    return {
        name: torch.from_numpy(values)
        for name, values in arrays().items()
        if values.dtype.kind in "bif" or name == "uint8"
    }


def frame() -> dict[str, Any]:
    return {name: values for name, values in arrays().items() if values.ndim == 1}


def own_result() -> dict[str, Any]:
    con = tqp.connect(threads=1)
    con.register("t", masked())
    return dict(con.sql("SELECT * EXCLUDE (uint64), 'x' || int8 AS s FROM t").torch())


def change(values: Any) -> None:
    """Write over an array or tensor in place."""
    if isinstance(values, TensorColumn):
        for part in (values.data, values.valid):
            if part is not None:
                change(part)
    elif isinstance(values, np.ma.MaskedArray):
        values[...] = np.ma.masked
        values.data[...] = values.data[:1]
    elif isinstance(values, torch.Tensor):
        values.copy_(values.flip(0) if values.dtype is not torch.bool else ~values)
    else:
        values[...] = ~values if values.dtype == bool else values[::-1].copy()


HANDED_IN: dict[str, tuple[Callable[[], dict[str, Any]], Callable[[dict[str, Any]], Any]]] = {
    "arrays": (arrays, lambda columns: columns),
    "masked arrays": (masked, lambda columns: columns),
    "tensors": (tensors, lambda columns: columns),
    "a result as tensors": (own_result, lambda columns: columns),
    "a pandas frame": (frame, lambda columns: pd.DataFrame(columns, copy=False)),
    "a polars frame": (frame, lambda columns: pl.DataFrame(columns)),
    "an Arrow table": (frame, lambda columns: pa.table(columns)),
}


@pytest.mark.parametrize("kind", HANDED_IN)
def test_answers_do_not_change_with_what_was_handed_in(kind: str) -> None:
    make, wrap = HANDED_IN[kind]
    columns = make()
    con = tqp.connect(threads=1)
    con.register("t", wrap(columns))
    relation = con.sql("SELECT * FROM t")
    arrow, rows = relation.arrow(), relation.fetchall()
    copied = arrow.to_pydict()
    given = relation.numpy(), relation.torch(), relation.df(), relation.pl()
    before = [str(one) for one in given]
    for values in columns.values():
        change(values)
    assert arrow.to_pydict() == copied and relation.fetchall() == rows
    assert [str(one) for one in given] == before
    # Facts of the columns were taken when they were read: the table must stay what they are true of.
    assert con.sql("SELECT * FROM t").fetchall() == rows


@pytest.mark.parametrize("kind", HANDED_IN)
def test_tables_and_other_answers_do_not_change_with_an_answer(kind: str) -> None:
    make, wrap = HANDED_IN[kind]
    columns = make()
    untouched = {name: str(values) for name, values in columns.items()}
    con = tqp.connect(threads=1)
    con.register("t", wrap(columns))
    relation = con.sql("SELECT * FROM t")
    rows, copied = relation.fetchall(), relation.arrow().to_pydict()
    for values in (*relation.numpy().values(), *relation.torch().values()):
        assert not isinstance(values, np.ndarray) or values.flags.writeable
        change(values)
    for taken in (relation.df(), con.sql("SELECT * FROM t").df()):
        for name in taken.columns:
            taken.loc[1, name] = taken.loc[2, name]
    polars = relation.pl()
    for place, name in enumerate(polars.columns):
        if name not in ("vector", "integers"):
            polars[0, place] = polars[2, place]
    assert relation.fetchall() == rows and relation.arrow().to_pydict() == copied
    assert con.sql("SELECT * FROM t").fetchall() == rows
    assert {name: str(values) for name, values in columns.items()} == untouched


def test_a_column_is_read_when_it_is_first_used() -> None:
    columns = {"a": np.array([1, 2, 3]), "b": np.array([1, 2, 3])}
    con = tqp.connect(threads=1)
    con.register("t", columns)
    assert con.sql("SELECT sum(a) FROM t").fetchall() == [(6,)]
    columns["a"][0] = columns["b"][0] = 100
    assert con.sql("SELECT sum(a), sum(b) FROM t").fetchall() == [(6, 105)]
    con.register("t", columns)
    assert con.sql("SELECT sum(a), sum(b) FROM t").fetchall() == [(105, 105)]


@pytest.mark.host_only("addresses are those of the CPU")
def test_memory_is_shared_on_the_way_out_where_the_layout_is_the_same() -> None:
    columns = arrays() | {"time": np.arange(4).astype("M8[us]") + 2**45}
    relation = tqp.connect(threads=1).register("t", columns).sql("SELECT * FROM t")
    shared, again, copies = relation.torch(copy=False), relation.torch(copy=False), relation.torch()
    arrow, host = relation.arrow(), relation.numpy()
    for name in ("bool", "int64", "float32", "float64", "time", "vector", "integers"):
        one, same, copy = [_data(taken[name]) for taken in (shared, again, copies)]
        assert one.data_ptr() == same.data_ptr() != copy.data_ptr(), name
        chunk = arrow[name].chunk(0)
        buffer = (chunk.values if name in ("vector", "integers") else chunk).buffers()[1]
        assert (buffer.address == one.data_ptr()) == (name != "bool"), name
        assert host[name].ctypes.data != one.data_ptr(), name
    assert all(columns[name].ctypes.data != _data(shared[name]).data_ptr() for name in shared)


def _data(column: torch.Tensor | TensorColumn) -> torch.Tensor:
    return column.data if isinstance(column, TensorColumn) else column
