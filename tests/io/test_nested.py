"""Lists, structs and maps, in and out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.errors import SourceError, UnsupportedError

QUERY = """
SELECT * FROM (VALUES
  (1, [1, 2], {'a': 1, 'b': 'x'}, MAP {'k': 1}, [['a'], NULL]),
  (2, [], {'a': NULL, 'b': 'y'}, MAP {}, []),
  (3, NULL, NULL, NULL, NULL)
) t(i, l, s, m, n)
"""
ROWS = [
    (1, [1, 2], {"a": 1, "b": "x"}, {"k": 1}, [["a"], None]),
    (2, [], {"a": None, "b": "y"}, {}, []),
    (3, None, None, None, None),
]


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


def test_python_values(con: tqp.Connection) -> None:
    assert con.sql(QUERY).fetchall() == ROWS


@pytest.mark.parametrize("form", ["arrow", "pl", "torch"])
def test_round_trips(con: tqp.Connection, form: str) -> None:
    """What a result gives is a table of the same values and types."""
    found = con.sql(QUERY)
    again = con.register("again", getattr(found, form)()).sql("SELECT * FROM again")
    assert again.fetchall() == ROWS
    assert [str(kind) for kind in again.types] == [str(kind) for kind in found.types]


def test_parquet(con: tqp.Connection, tmp_path: object) -> None:
    path = f"{tmp_path}/nested.parquet"
    pq.write_table(con.sql(QUERY).arrow(), path)
    assert con.sql(f"SELECT * FROM '{path}'").fetchall() == ROWS
    assert con.sql(f"SELECT s.b, l[2], m['k'] FROM '{path}' WHERE len(l) = 2").fetchall() == [("x", 2, 1)]


def test_structs_without_fields(con: tqp.Connection, tmp_path: object) -> None:
    """As Arrow has them, alone and in other values; Parquet has none."""
    empty = pa.struct([])
    table = pa.table(
        {
            "s": pa.array([{}, None, {}], empty),
            "l": pa.array([[{}, None], [], None], pa.list_(empty)),
            "m": pa.array([[("k", {})], None, []], pa.map_(pa.string(), empty)),
            "n": pa.array([{"a": {}}, {"a": None}, None], pa.struct([("a", empty)])),
        }
    )
    rows = [({}, [{}, None], {"k": {}}, {"a": {}}), (None, [], None, {"a": None}), ({}, None, {}, None)]
    con.register("t", table)
    found = con.sql("FROM t")
    assert found.fetchall() == rows and [str(kind) for kind in found.types][:2] == ["STRUCT", "STRUCT[]"]
    for form in ("arrow", "pl", "torch"):
        assert con.register("again", getattr(found, form)()).sql("FROM again").fetchall() == rows
    assert con.sql("SELECT s, count(*) FROM t GROUP BY s ORDER BY s").fetchall() == [({}, 2), (None, 1)]
    assert found.df()["s"].tolist() == [{}, None, {}]
    with pytest.raises(SourceError, match="cannot write Parquet"):
        found.write_parquet(f"{tmp_path}/t.parquet")


def test_pandas(con: tqp.Connection) -> None:
    frame = con.sql(QUERY).df()
    assert frame["l"][0].tolist() == [1, 2] and frame["l"][0].dtype == np.int32 and frame["l"][2] is None
    assert frame["s"].tolist() == [row[2] for row in ROWS] and frame["m"].tolist() == [row[3] for row in ROWS]
    again = con.register("again", pd.DataFrame({"l": [[1, None], [], None], "s": [{"a": [1]}, None, {"a": None}]}))
    assert again.sql("SELECT l, s.a[1] FROM again").fetchall() == [([1, None], 1), ([], None), (None, None)]


def test_numpy(con: tqp.Connection) -> None:
    found = con.sql(QUERY).numpy()
    assert found["l"][1].shape == (0,) and np.ma.getmaskarray(found["l"]).tolist() == [False, False, True]


@pytest.mark.host_only("torch.nested knows no simulated device")
def test_tensors_are_offsets_and_values(con: tqp.Connection) -> None:
    lists = con.sql(QUERY).torch()["l"]
    assert (
        lists.data.tolist() == [0, 2, 2, 2] and lists.valid is not None and lists.valid.tolist() == [True, True, False]
    )
    (elements,) = lists.children
    assert elements.data.tolist() == [1, 2] and elements.data.dtype is torch.int32
    assert [part.tolist() for part in lists.nested().unbind()] == [[1, 2], [], []]
    with pytest.raises(UnsupportedError, match="nested tensor of VARCHAR"):
        con.sql("SELECT ['a'] AS v").torch()["v"].nested()
    with pytest.raises(SourceError, match="do not fit"):
        con.register("wrong", {"l": replace(lists, data=lists.data + 1)}).sql("SELECT l FROM wrong").arrow()


def test_slices_and_views_of_arrow(con: tqp.Connection) -> None:
    lists = pa.array([[0], [1, 2], None, [3]])
    structs = pa.array([{"a": 0}, {"a": 1}, None, {"a": 3}])
    table = pa.table(
        {
            "l": lists.slice(1),
            "s": structs.slice(1),
            "v": pa.array(lists.to_pylist(), pa.list_view(pa.int64())).slice(1),
        }
    )
    assert con.register("t", table).sql("SELECT l, s.a, v FROM t").fetchall() == [
        ([1, 2], 1, [1, 2]),
        (None, None, None),
        ([3], 3, [3]),
    ]


def test_frames_of_polars(con: tqp.Connection) -> None:
    frame = pl.DataFrame({"l": [[1], [2, 3]], "s": [{"a": 1}, {"a": None}]})
    assert con.register("t", frame).sql("SELECT l[-1], s.a FROM t").fetchall() == [(1, 1), (3, None)]


def test_where_values_point_is_no_fact_of_them(con: tqp.Connection) -> None:
    """The places of structs ascend and differ in every table; their values need not."""
    structs = [{"a": number % 2} for number in range(8)]
    con.register("t", pa.table({"k": [number % 3 for number in range(8)], "s": structs, "l": [[1]] * 8}))
    assert len(con.sql("SELECT DISTINCT k, s FROM t").fetchall()) == 6
    assert con.sql("SELECT count(DISTINCT s), count(DISTINCT l) FROM t").fetchall() == [(2, 1)]
    assert con.sql("SELECT a.k FROM t a JOIN t b ON a.s = b.s").arrow().num_rows == 32


ARRAYS = """
SELECT * FROM (VALUES
  (['a', 'b']::VARCHAR[2], [[1, 2], [3, 4]]::INTEGER[2][2], [true]::BOOLEAN[1]),
  (NULL, NULL, NULL),
  (['c', NULL], [[5, 6], [7, 8]], [NULL])
) t(x, y, z)
"""
ARRAY_ROWS = [
    (("a", "b"), ((1, 2), (3, 4)), (True,)),
    (None, None, None),
    (("c", None), ((5, 6), (7, 8)), (None,)),
]


def test_arrays_of_any_type_keep_their_size(con: tqp.Connection, tmp_path: object) -> None:
    relation = con.sql(ARRAYS)
    assert relation.fetchall() == ARRAY_ROWS
    table = relation.arrow()
    assert [kind.list_size for kind in table.schema.types] == [2, 2, 1]
    pq.write_table(table, f"{tmp_path}/arrays.parquet")
    parts = pa.concat_tables([table.slice(1), table.slice(0, 1)])
    for made, rows in (
        (table, ARRAY_ROWS),
        (relation.pl(), ARRAY_ROWS),
        (parts, [*ARRAY_ROWS[1:], ARRAY_ROWS[0]]),
        (con.read_parquet(f"{tmp_path}/arrays.parquet").arrow(), ARRAY_ROWS),
        (table.slice(0, 0), []),
    ):
        con.register("back", made)
        again = con.sql("SELECT * FROM back")
        assert [str(dtype) for dtype in again.types] == ["VARCHAR[2]", "INTEGER[2][2]", "BOOLEAN[1]"]
        assert again.fetchall() == rows
