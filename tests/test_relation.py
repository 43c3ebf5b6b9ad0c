"""The relation: lazy, run once, and exact in every form it is handed out in."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import torch

import tqp
from tqp.errors import ExecutionError, UnsupportedError
from tqp.relation import Relation, TensorColumn

ALL_TYPES = """
    SELECT * FROM (VALUES
        (true, 1::TINYINT, 2::BIGINT, 255::UTINYINT, 3::HUGEINT, 1.25::DECIMAL(4,2), 0.5::DOUBLE, 0.25::FLOAT, 'x',
         DATE '2020-02-29', TIME '01:02:03', TIMESTAMP '2020-01-01 01:02:03', INTERVAL 1 DAY),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    ) v(b, t, i, u, h, d, f, r, s, dt, tm, ts, iv)
"""


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", pa.table({"a": list(range(50)), "s": [f"s{place % 3}" for place in range(50)]}))
    return connection


@pytest.fixture
def every(con: tqp.Connection) -> Relation:
    return con.sql(ALL_TYPES)


def test_nothing_runs_before_rows_are_asked_for(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a / 0 AS x, a FROM t")
    assert relation.columns == ["x", "a"]
    assert [str(kind) for kind in relation.types] == ["DOUBLE", "BIGINT"]
    assert relation._table is None
    assert relation and relation._table is None
    assert relation.result() is relation.result()
    assert relation.shape == (50, 2)


def test_arrow_and_rows_equal_duckdbs(every: Relation) -> None:
    theirs = duckdb.sql(ALL_TYPES)
    assert theirs is not None
    expected = theirs.to_arrow_table()
    assert every.arrow().schema.types == expected.schema.types
    assert every.arrow().to_pylist() == expected.to_pylist()
    assert every.fetchall() == theirs.fetchall()


def test_python_values(every: Relation) -> None:
    assert every.fetchone() == (
        True, 1, 2, 255, 3, Decimal("1.25"), 0.5, 0.25, "x", date(2020, 2, 29), time(1, 2, 3),
        datetime(2020, 1, 1, 1, 2, 3), timedelta(days=1),
    )  # fmt: skip
    assert every.fetchone() == (None,) * 13
    assert every.fetchone() is None
    assert len(every.fetchall()) == 2


def test_fetchmany(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a FROM t ORDER BY a LIMIT 5")
    assert relation.fetchmany(2) == [(0,), (1,)]
    assert relation.fetchmany(10) == [(2,), (3,), (4,)]
    assert relation.fetchmany(1) == []


def test_torch(every: Relation) -> None:
    tensors = every.torch()
    for name, width in (
        ("b", torch.bool), ("t", torch.int8), ("i", torch.int64), ("u", torch.uint8), ("d", torch.int64),
        ("f", torch.float64), ("r", torch.float32), ("s", torch.int32), ("dt", torch.int32), ("ts", torch.int64),
    ):  # fmt: skip
        assert tensors[name].data.dtype is width, name
        valid = tensors[name].valid
        assert valid is not None and valid.tolist() == [True, False]
    assert tensors["d"].data[0].item() == 125 and tensors["d"].dtype.scale == 2
    assert tensors["s"].dictionary is not None
    assert tensors["s"].dictionary[tensors["s"].data[0].item()].as_py() == "x"
    assert tensors["iv"].data[0].tolist() == [0, 1, 0]


def test_tensors_are_free_to_use(con: tqp.Connection) -> None:
    con.register("d", {"x": torch.tensor([1.0, 2.0], device="cpu")})
    column = con.sql("SELECT x FROM d").torch()["x"]
    weight = torch.ones(2, dtype=torch.float32, device=column.device, requires_grad=True)
    (gradient,) = torch.autograd.grad((weight * column).sum(), weight)
    assert gradient.tolist() == [1.0, 2.0]
    column.zero_()
    assert con.sql("SELECT sum(x) FROM d").fetchall() == [(3.0,)]


PLAIN = {
    "BOOLEAN": torch.bool, "TINYINT": torch.int8, "SMALLINT": torch.int16, "INTEGER": torch.int32, "BIGINT": torch.int64,
    "UTINYINT": torch.uint8, "FLOAT": torch.float32, "DOUBLE": torch.float64,
}  # fmt: skip
OTHERS = ("USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "DECIMAL(9,2)", "DATE", "VARCHAR", "TIMESTAMP", "INTEGER[]")


@pytest.mark.parametrize("copy", [True, False])
def test_a_column_whose_dtype_says_all_is_a_tensor(con: tqp.Connection, copy: bool) -> None:
    listed = ", ".join(f"(a % 2)::{kind} AS {kind}" for kind in PLAIN)
    relation = con.sql(f"SELECT {listed}, [a, 2]::FLOAT[2] AS v, 7::BIGINT AS one FROM t")
    columns = relation.torch(copy=copy)
    assert all(isinstance(column, torch.Tensor) and column.shape[0] == 50 for column in columns.values())
    assert {name: columns[name].dtype for name in PLAIN} == PLAIN
    assert (columns["BIGINT"] + 1).tolist() == [1, 2] * 25 and columns["v"].shape == (50, 2)
    again = con.sql("SELECT * FROM columns")
    assert again.types == relation.types and again.fetchall() == relation.fetchall()
    assert all(
        isinstance(column, torch.Tensor) for column in relation.sql("FROM self LIMIT 0").torch(copy=copy).values()
    )


@pytest.mark.parametrize("copy", [True, False])
def test_any_other_column_says_its_type(con: tqp.Connection, copy: bool) -> None:
    values = {"DATE": "DATE '2020-01-01'", "TIMESTAMP": "TIMESTAMP '2020-01-01'", "INTEGER[]": "[1, NULL]"}
    listed = ", ".join(f"{values.get(kind, '1')}::{kind} AS c{place}" for place, kind in enumerate(OTHERS))
    relation = con.sql(f"SELECT {listed}, CASE WHEN a > 0 THEN a END AS n FROM t ORDER BY a")
    columns = relation.torch(copy=copy)
    assert all(isinstance(column, TensorColumn) for column in columns.values())
    again = con.sql("SELECT * FROM columns")
    assert again.types == relation.types and again.fetchall() == relation.fetchall()
    column = columns["n"]
    uses = (
        lambda: torch.sum(column), lambda: torch.ones(50, device="cpu") * column, lambda: torch.stack([column]), lambda: column + 1,
        lambda: 2 * column, lambda: column > 3, lambda: column / column,
    )  # fmt: skip
    for use in uses:
        with pytest.raises(UnsupportedError, match="more than a tensor"):
            use()


def test_tensors_that_are_no_copies(con: tqp.Connection) -> None:
    con.register("d", {"x": torch.tensor([1.0, 2.0], device="cpu"), "i": torch.tensor([1, 2], device="cpu")})
    relation = con.sql("SELECT * FROM d")
    kept = relation.result().columns[0].data
    assert relation.torch(copy=False)["x"].data_ptr() == kept.data_ptr() != relation.torch()["x"].data_ptr()


def test_numpy(every: Relation, con: tqp.Connection) -> None:
    arrays = every.numpy()
    assert all(np.ma.isMaskedArray(array) and array.mask.tolist() == [False, True] for array in arrays.values())
    assert arrays["i"].dtype == np.int64 and arrays["u"].dtype == np.uint8
    assert arrays["d"][0] == Decimal("1.25") and arrays["h"][0] == 3
    assert arrays["dt"][0] == np.datetime64("2020-02-29")
    plain = con.sql("SELECT a FROM t").numpy()["a"]
    assert not np.ma.isMaskedArray(plain) and plain.tolist() == list(range(50))


def test_frames(every: Relation, con: tqp.Connection) -> None:
    frame = every.df()
    assert frame["d"][0] == Decimal("1.25") and frame["s"][0] == "x"
    assert [str(frame[name].dtype) for name in ("dt", "b", "i", "u")] == ["datetime64[us]", "boolean", "Int64", "UInt8"]
    assert con.sql("SELECT sum(a) AS x FROM t").df()["x"].dtype == np.int64
    polars = every.pl()
    assert polars["d"][0] == Decimal("1.25") and polars["i"].to_list() == [2, None]
    twice = con.sql("SELECT a, a, 1 AS a_1 FROM t LIMIT 1")
    assert twice.columns == ["a", "a", "a_1"]
    assert list(twice.df().columns) == ["a", "a_2", "a_1"]
    assert list(twice.torch()) == list(twice.numpy()) == twice.pl().columns == ["a", "a_2", "a_1"]


def test_other_libraries_read_it(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a, s FROM t WHERE a < 3")
    assert pl.DataFrame(relation).height == 3
    assert pa.table(relation).num_rows == 3
    summed = duckdb.sql("SELECT sum(a) FROM relation")
    assert summed is not None and summed.fetchall() == [(3,)]
    assert relation.arrow() is not None


def test_relations_over_relations(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a, s FROM t WHERE a < 10")
    assert relation.sql("SELECT count(*) FROM self").fetchall() == [(10,)]
    assert relation.sql("SELECT count(*) FROM this JOIN t USING (a)").fetchall() == [(10,)]
    assert relation.sql("SELECT max(a) FROM r", alias="r").fetchall() == [(9,)]
    con.register("v", relation)
    assert con.sql("SELECT count(*) FROM v x JOIN v y USING (a)").fetchall() == [(10,)]
    other = tqp.connect()
    assert other.sql("SELECT count(*) FROM relation").fetchall() == [(10,)]


def test_shown(con: tqp.Connection, capsys: pytest.CaptureFixture[str]) -> None:
    text = repr(con.sql("SELECT a, s FROM t"))
    assert "│ BIGINT │" in text and "50 rows (20 shown)" in text
    con.sql("SELECT NULL AS n, 'a\nb' AS s, true AS b").show()
    shown = capsys.readouterr().out
    assert "NULL" in shown and "a\\nb" in shown and "true" in shown and "1 row\n" in shown
    html = con.sql("SELECT '<b>' AS s")._repr_html_()
    assert "&lt;b&gt;" in html and "<b>" not in html


def test_explain(con: tqp.Connection) -> None:
    relation = con.sql("SELECT s, sum(a) FROM t WHERE a > 3 GROUP BY s")
    assert "Scan t" in relation.explain()
    assert "pipeline 0" in relation.explain(analyze=True)
    assert "def pipeline_0" in relation.explain("program")


def test_empty_results(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a, s FROM t WHERE a < 0")
    assert relation.fetchall() == [] and len(relation) == 0
    assert relation.df().shape == relation.pl().shape == relation.arrow().shape == (0, 2)
    assert relation.torch()["a"].data.shape == (0,) and relation.numpy()["s"].shape == (0,)
    assert "0 rows" in repr(relation)


def test_integers_beside_null_stay_exact(con: tqp.Connection) -> None:
    frame = con.sql("SELECT * FROM (VALUES (9007199254740993, true), (NULL, NULL)) v(i, b)").df()
    assert frame["i"][0] == 2**53 + 1 and str(frame["i"].dtype) == "Int64"
    assert frame["b"][0] is np.True_ and str(frame["b"].dtype) == "boolean"


def test_frames_and_arrays_have_memory_of_their_own(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a, a::DOUBLE AS f FROM t ORDER BY a")
    frame, arrays = relation.df(), relation.numpy()
    frame.loc[0, "f"] = arrays["f"][0] = 7.0
    frame.loc[0, "a"] = arrays["a"][0] = 7
    assert relation.fetchone() == (0, 0.0)


def test_dates_beyond_python_are_shown_and_fetched_as_text(con: tqp.Connection) -> None:
    relation = con.sql(
        "SELECT '0044-03-15 (BC)'::DATE AS d, '20000-01-01'::TIMESTAMP AS t, INTERVAL '100000000' YEAR AS i"
    )
    assert relation.sql("SELECT d, t FROM self").fetchall() == [("0044-03-15 (BC)", "20000-01-01 00:00:00")]
    for text in (repr(relation), relation._repr_html_()):
        assert "0044-03-15 (BC)" in text and "20000-01-01 00:00:00" in text and "100000000 years" in text
    for door in (relation.df, relation.numpy, relation.pl, relation.fetchall):
        with pytest.raises(ExecutionError, match="INTERVAL"):
            door()


def test_a_name_for_a_correlated_relation_beside_its_own_table() -> None:
    """Its symbols are those of the other scan of the table, which it does not read."""
    con = tqp.connect()
    con.register("t", {"a": np.arange(3), "b": np.arange(3)})
    steps = "WITH RECURSIVE s(i) AS (SELECT t.a UNION ALL SELECT i + 1 FROM s WHERE i < t.b + 1) SELECT i FROM s"
    con.register("v", con.sql(f"SELECT sum(i) AS a FROM t JOIN LATERAL ({steps}) AS r(i) ON true"))
    beside = "SELECT t.b, v.a FROM t RIGHT JOIN (SELECT a FROM v) AS v ON t.a * 4 + 1 = v.a"
    assert con.sql(beside).fetchall() == [(2, 9)]
    assert con.sql("SELECT count(*) FROM t FULL JOIN v ON true").fetchall() == [(3,)]
