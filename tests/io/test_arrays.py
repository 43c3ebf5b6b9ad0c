"""Columns of arrays in and out: Arrow, tensors, NumPy, pandas, polars, Parquet, Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.errors import OutOfMemoryError, SourceError, TqpError, UnsupportedError
from tqp.relation import TensorColumn

ROWS = [[1.0, 2.0], None, [-3.5, 0.25], [5.0, float("inf")]]


def _column(table: Any, **settings: Any) -> tqp.Relation:
    con = tqp.connect(threads=1, **settings)
    con.register("t", table)
    return con.sql("SELECT v FROM t")


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (pa.float32(), "FLOAT[2]"), (pa.float64(), "DOUBLE[2]"), (pa.float16(), "FLOAT[2]"), (pa.int8(), "TINYINT[2]"),
        (pa.int16(), "SMALLINT[2]"), (pa.int32(), "INTEGER[2]"), (pa.int64(), "BIGINT[2]"), (pa.uint8(), "UTINYINT[2]"),
        (pa.uint16(), "USMALLINT[2]"), (pa.uint32(), "UINTEGER[2]"),
    ],
)  # fmt: skip
def test_arrow_arrays_come_back_as_they_were(kind: pa.DataType, shown: str) -> None:
    values = [[1, 2], None, [3, 0], [127, 5]]
    table = pa.table({"v": pa.array(values, pa.list_(kind, 2))})
    found = _column(table)
    assert str(found.types[0]) == shown
    assert found.arrow()["v"].to_pylist() == values
    expected = pa.float32() if kind == pa.float16() else kind
    assert found.arrow().schema.field("v").type == pa.list_(expected, 2)
    assert found.fetchall() == [(None if row is None else tuple(row),) for row in values]


def test_slices_and_chunks_of_arrow_arrays_keep_their_rows() -> None:
    kind = pa.list_(pa.float32(), 2)
    whole = pa.array(ROWS, kind)
    chunked = pa.chunked_array([whole.slice(1, 2), whole.slice(3), whole.slice(0, 0), whole.slice(0, 1)])
    found = _column(pa.table({"v": chunked}))
    assert found.arrow()["v"].to_pylist() == chunked.to_pylist()
    sliced = pa.table({"v": pa.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], kind)}).slice(1)
    assert _column(sliced).fetchall() == [((3.0, 4.0),), ((5.0, 6.0),)]


def test_a_null_element_is_refused_and_one_in_a_null_row_is_not() -> None:
    kind = pa.list_(pa.float32(), 2)
    with pytest.raises(UnsupportedError, match="NULL element"):
        _column(pa.table({"v": pa.array([[1.0, None]], kind)})).arrow()
    hidden = pa.FixedSizeListArray.from_arrays(
        pa.array([1.0, 2.0, None, None], pa.float32()), 2, mask=pa.array([False, True])
    )
    assert _column(pa.table({"v": hidden})).fetchall() == [((1.0, 2.0),), (None,)]


def test_lists_of_one_length_are_arrays_and_others_lists() -> None:
    assert str(_column(pa.table({"v": pa.array(ROWS, pa.list_(pa.float64()))})).types[0]) == "DOUBLE[2]"
    found = _column(pa.table({"v": pa.array(ROWS, pa.large_list(pa.float32()))}))
    assert found.arrow()["v"].to_pylist() == ROWS
    assert str(_column(pa.table({"v": [[1.0], [1.0, 2.0]]})).types[0]) == "DOUBLE[]"
    assert _column(pa.table({"v": pa.array([[], []], pa.list_(pa.float32()))})).fetchall() == [([],), ([],)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int32, torch.int64, torch.uint8])
def test_tensors_of_two_dimensions_are_arrays(dtype: torch.dtype) -> None:
    rows = torch.arange(6, device="cpu").reshape(3, 2).to(dtype)
    con = tqp.connect(threads=1)
    con.register("t", {"id": torch.tensor([1, 2, 3], device="cpu"), "v": rows})
    found = con.sql("SELECT v FROM t WHERE id > 1").torch()["v"]
    assert found.data.tolist() == [[2, 3], [4, 5]]
    again = con.register("u", {"v": found}).sql("SELECT v, v[2] FROM u")
    assert again.fetchall() == [((2, 3), 3), ((4, 5), 5)] and again.types == con.sql("SELECT v, v[2] FROM t").types
    assert isinstance(found, torch.Tensor) and found.dtype is (torch.float32 if dtype is torch.float16 else dtype)
    column = TensorColumn(found[:, :1], None, again.types[0], None)
    with pytest.raises(SourceError, match="not that of"):
        con.register("w", {"v": column}).sql("SELECT v FROM w").arrow()


def test_float_tensors_are_not_copied_in() -> None:
    rows = torch.zeros(3, 2, device="cpu")
    con = tqp.connect(threads=1).register("t", {"v": rows})
    rows[1, 1] = 7.0
    assert con.sql("SELECT v[2] FROM t").fetchall() == [(0.0,), (7.0,), (0.0,)]


def test_numpy_arrays_in_and_out() -> None:
    masked = np.ma.MaskedArray(np.arange(6, dtype=np.float32).reshape(3, 2), [[False] * 2, [True] * 2, [False] * 2])
    found = _column({"v": masked})
    out = found.numpy()["v"]
    assert found.fetchall() == [((0.0, 1.0),), (None,), ((4.0, 5.0),)]
    assert out.dtype == np.float32 and out.shape == (3, 2) and out.mask.tolist() == masked.mask.tolist()
    assert _column({"v": np.ones((2, 3), ">f8")}).fetchall() == [((1.0, 1.0, 1.0),)] * 2
    masked.mask[0, 0] = True
    with pytest.raises(UnsupportedError, match="only a part is masked"):
        _column({"v": masked})


@pytest.mark.parametrize(
    "values",
    [
        np.ones((2, 0), np.float32), np.ones((2, 2), "U1"), np.ones((2, 2), np.complex64),
        torch.ones(2, 2, 0, device="cpu"), torch.ones(2, 2, dtype=torch.complex64, device="cpu"),
    ],
)  # fmt: skip
def test_what_is_no_array_of_numbers_is_refused(values: Any) -> None:
    with pytest.raises((UnsupportedError, SourceError)):
        _column({"v": values}).arrow()


def test_frames() -> None:
    found = _column(pd.DataFrame({"v": [np.array([1.0, 2.0], np.float32), None, np.array([3.0, 4.0], np.float32)]}))
    assert str(found.types[0]) == "FLOAT[2]"
    assert found.fetchall() == [((1.0, 2.0),), (None,), ((3.0, 4.0),)]
    assert found.df()["v"][0].tolist() == [1.0, 2.0]
    assert _column(pd.DataFrame({"v": [[1.0], [1.0, 2.0]]})).fetchall() == [([1.0],), ([1.0, 2.0],)]
    typed = pd.Series(pa.array(ROWS, pa.list_(pa.float32(), 2)), dtype=pd.ArrowDtype(pa.list_(pa.float32(), 2)))
    assert _column(pd.DataFrame({"v": typed})).arrow()["v"].to_pylist() == ROWS
    frame = pl.DataFrame({"v": pl.Series(ROWS, dtype=pl.Array(pl.Float32, 2)), "w": pl.Series(ROWS)})
    con = tqp.connect(threads=1).register("t", frame)
    both = con.sql("SELECT v, w FROM t")
    assert [str(kind) for kind in both.types] == ["FLOAT[2]", "DOUBLE[2]"]
    assert both.pl()["v"].equals(frame["v"]) and both.pl()["w"].to_list() == ROWS


def test_lists_of_python_are_arrays() -> None:
    assert _column({"v": [[1.0, 2.0], [3.0, 4.0]]}).fetchall() == [((1.0, 2.0),), ((3.0, 4.0),)]
    assert _column({"v": [[1, 2], [3, 4]]}).fetchall() == [([1, 2],), ([3, 4],)]


def test_parquet_keeps_arrays(tmp_path: Path) -> None:
    path = str(tmp_path / "v.parquet")
    table = pa.table({"id": range(4), "v": pa.array(ROWS, pa.list_(pa.float32(), 2))})
    pq.write_table(table, path, row_group_size=2)
    con = tqp.connect(threads=1)
    found = con.sql(f"SELECT v FROM '{path}' WHERE id <> 2").arrow()
    assert found["v"].to_pylist() == [ROWS[0], ROWS[1], ROWS[3]]
    pq.write_table(found, path)
    assert pq.read_table(path)["v"].type == pa.list_(pa.float32(), 2)


def test_a_relation_of_duckdb_keeps_arrays() -> None:
    with duckdb.connect() as other:
        relation = other.sql("SELECT [1.5, 2]::FLOAT[2] AS v UNION ALL SELECT NULL ORDER BY 1")
        assert _column(relation).fetchall() == relation.fetchall()


def test_an_array_is_shown_in_brackets() -> None:
    assert "│ [1.0, 2.0]" in repr(_column({"v": np.array([[1.0, 2.0]])}))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.array([1.0, 2.0], np.float32), "FLOAT"), (torch.tensor([1.0, 2.0], device="cpu"), "FLOAT"),
        (np.array([1.0, 2.0]), "DOUBLE"), ([1, 2.0], "FLOAT"), ((1, 2), "FLOAT"), ([0.1, 1e300], "DOUBLE"),
    ],
)  # fmt: skip
def test_vectors_are_parameters(value: Any, kind: str) -> None:
    con = tqp.connect(threads=1).register("t", {"v": np.array([[3.0, 4.0]], np.float32), "w": np.array([[3.0, 4.0]])})
    column = "w" if kind == "DOUBLE" else "v"
    found = con.sql(f"SELECT array_inner_product({column}, $q) FROM t", {"q": value})
    assert str(found.types[0]) == kind
    assert found.fetchall() == [(3.0 * float(value[0]) + 4.0 * float(value[1]),)]
    assert con.sql("SELECT ?::DOUBLE[2]", [value]).fetchall() == [((float(value[0]), float(value[1])),)]


def test_long_vectors_are_told_apart() -> None:
    con = tqp.connect(threads=1)
    for last in (1.0, 2.0):
        vector = np.zeros(5000, np.float32)
        vector[2500] = last
        assert con.sql("SELECT (?)[2501]", [vector]).fetchall() == [(last,)]


@pytest.mark.parametrize("value", [[object()], [{1, 2}], np.array([1j]), np.array(["2020"], "M8[D]"), [1, "a"]])
def test_what_is_no_list_is_no_parameter(value: Any) -> None:
    with pytest.raises(TqpError):
        tqp.connect(threads=1).sql("SELECT ?", [value]).fetchall()


def test_a_list_parameter_is_a_list() -> None:
    assert tqp.connect(threads=1).sql("SELECT ?", [[1.0, 2.0]]).fetchall() == [([1.0, 2.0],)]


def test_the_memory_of_arrays_counts() -> None:
    con = tqp.connect(threads=1, memory_limit=2**20).register("t", {"v": np.ones((1000, 400), np.float32)})
    with pytest.raises(OutOfMemoryError):
        con.sql("SELECT v FROM t ORDER BY v[1]").arrow()
    con.sql("SELECT v[2] FROM t ORDER BY v[1]").arrow()


@pytest.mark.parametrize("shape", [(3, 2, 4), (3, 2, 2, 2), (3, 2)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool], ids=str)
def test_tensors_of_more_dimensions_come_back(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    values = (torch.arange(math.prod(shape)) % 5).reshape(shape).to(dtype)
    con = tqp.connect(device="cpu").register("t", {"v": values, "i": torch.arange(3)})
    back = con.sql("SELECT v FROM t ORDER BY i DESC").torch()
    assert isinstance(back["v"], torch.Tensor) and torch.equal(back["v"], values.flip(0))
    assert con.sql("SELECT v FROM back").types == con.sql("SELECT v FROM t").types
    none = con.sql("SELECT v FROM t WHERE i > 3").torch(copy=False)["v"]
    assert isinstance(none, torch.Tensor) and none.shape == (0, *shape[1:])
    some = con.sql("SELECT if(i = 1, NULL, v) AS v FROM t").torch()["v"]
    assert isinstance(some, TensorColumn) and len(some) == 3 and some.valid is not None


def test_what_a_column_of_tensors_shows() -> None:
    columns = tqp.sql("SELECT i::VARCHAR AS s, [i] AS l, if(i = 0, NULL, i) AS n FROM range(8) r(i)").torch()
    assert [len(column) for column in columns.values()] == [8, 8, 8]
    assert str(columns["s"]).endswith("dictionary=['0', '1', '2', '3', '4', '5', … 2 more])")
    assert str(columns["l"]).startswith("TensorColumn(BIGINT[], data=tensor([0, 1,")
    assert "valid=tensor([False,  True" in str(columns["n"]) and "dictionary" not in str(columns["n"])
