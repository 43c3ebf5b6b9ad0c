"""The connection: names, files, caching, errors that leave it usable."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.errors import BindError, ExecutionError, SourceError, TqpError, UnsupportedError

GLOBAL_TABLE = pa.table({"a": [1, 2, 3]})


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", pa.table({"a": [1, 2, None], "s": ["x", "y", "x"]}))
    return connection


def test_import_is_light() -> None:
    script = (
        "import sys, tqp; assert 'torch' not in sys.modules and 'pyarrow' not in sys.modules; print(tqp.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0.1.0"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tqp.nothing  # noqa: B018
    assert "sql" in dir(tqp)


def test_registered_tables(con: tqp.Connection) -> None:
    assert con.tables() == ["t"]
    assert con.sql("SELECT sum(a) FROM T").fetchall() == [(3,)]
    assert con.table("T").fetchall() == [(1, "x"), (2, "y"), (None, "x")]
    con.register("T", pa.table({"a": [10]}))
    assert con.sql("SELECT sum(a) FROM t").fetchall() == [(10,)]
    con.unregister("t")
    with pytest.raises(BindError, match="t"):
        con.sql("SELECT * FROM t")
    with pytest.raises(SourceError, match="no table 't'"):
        con.unregister("t")


def test_variables_of_the_caller(con: tqp.Connection) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    polars_frame = pl.DataFrame({"a": [3, 4]})
    lazy = polars_frame.lazy()
    batch = pa.record_batch({"a": [5, 6]})
    arrays = {"a": np.array([7, 8])}
    tensors = {"a": torch.tensor([9, 10], device="cpu")}
    relation = con.sql("SELECT 11 AS a")
    duck = duckdb.sql("SELECT 12::HUGEINT AS a")
    assert frame is not None and lazy is not None and batch and arrays and tensors and relation and duck
    total = " UNION ALL ".join(
        f"SELECT a::BIGINT AS a FROM {name}"
        for name in ("frame", "polars_frame", "lazy", "batch", "arrays", "tensors", "relation", "duck", "GLOBAL_TABLE")
    )
    assert con.sql(f"SELECT sum(a) FROM ({total})").fetchall() == [(1 + 2 + 3 + 4 + 3 + 4 + sum(range(5, 13)) + 6,)]
    assert str(con.sql("SELECT a FROM duck").types[0]) == "HUGEINT"


def test_catalog_comes_before_variables(con: tqp.Connection) -> None:
    t = pa.table({"a": [100]})
    assert t.num_rows == 1
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(3,)]


def test_changed_variables_are_seen(con: tqp.Connection) -> None:
    query = "SELECT sum(a) FROM data"
    data: object = pa.table({"a": [1]})
    assert con.sql(query).fetchall() == [(1,)]
    data = pa.table({"a": [2]})
    assert con.sql(query).fetchall() == [(2,)]
    frame = pd.DataFrame({"a": [3]})
    data = frame
    assert con.sql(query).fetchall() == [(3,)]
    frame.loc[0, "a"] = 4
    assert con.sql(query).fetchall() == [(4,)]
    arrays = {"a": np.array([5])}
    data = arrays
    assert con.sql(query).fetchall() == [(5,)]
    arrays["a"][0] = 6
    assert con.sql(query).fetchall() == [(6,)]
    del data
    with pytest.raises(BindError):
        con.sql(query)


def test_dead_variables_are_forgotten(con: tqp.Connection) -> None:
    def use() -> None:
        data = pa.table({"a": [1]})
        assert con.sql("SELECT a FROM data").fetchall() == [(1,)]
        assert data.num_rows == len(con._names.variables) == 1

    use()
    con.sql("SELECT a FROM t").fetchall()
    gc.collect()
    assert len(con._plans) == 1
    assert len(con._names.variables) == 0


def test_files(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    query = f"SELECT sum(a) FROM '{path}'"
    assert con.sql(query).fetchall() == [(3,)]
    assert con.sql(f"SELECT count(*) FROM '{tmp_path}/*.parquet'").fetchall() == [(2,)]
    pq.write_table(pa.table({"a": [1, 2, 30]}), path)
    assert con.sql(query).fetchall() == [(33,)]
    (tmp_path / "y.csv").write_text("a,b\n1,x\n")
    assert con.sql(f"SELECT * FROM '{tmp_path}/y.csv'").fetchall() == [(1, "x")]
    assert con.read_csv(tmp_path / "y.csv").fetchall() == [(1, "x")]
    assert con.read_parquet(path).sql("SELECT max(a) FROM self").fetchall() == [(30,)]
    con.register("p", path)
    assert con.sql("SELECT count(*) FROM p").fetchall() == [(3,)]
    with pytest.raises(SourceError, match="no such file"):
        con.sql("SELECT * FROM 'missing.parquet'")


def test_parameters(con: tqp.Connection) -> None:
    query = "SELECT count(*) FROM t WHERE a >= ?"
    assert con.sql(query, [1]).fetchall() == [(2,)]
    assert con.sql(query, [2]).fetchall() == [(1,)]
    assert con.execute("SELECT count(*) FROM t WHERE s = $s", {"s": "x"}).fetchall() == [(2,)]


def test_columns_that_cannot_be_read_are_refused_only_when_used(con: tqp.Connection) -> None:
    con.register(
        "u", pa.table({"k": [1, 2], "l": pa.array([1, 2], pa.decimal256(50)), "b": pa.array([1, 2], pa.decimal256(60))})
    )
    assert con.sql("SELECT sum(k) FROM u").fetchall() == [(3,)]
    assert con.sql("WITH c AS (SELECT * FROM u) SELECT k FROM c").fetchall() == [(1,), (2,)]
    for query in ("SELECT * FROM u", "SELECT l IS NULL FROM u", "SELECT count(*) FROM u GROUP BY l"):
        with pytest.raises(UnsupportedError, match="'l' of 'u'.*decimal"):
            con.sql(query)
    with pytest.raises(UnsupportedError, match="'l' of 'u'.*'b' of 'u'"):
        con.sql("SELECT l, b FROM u")


def test_errors_change_nothing(con: tqp.Connection) -> None:
    for query in ("SELEC 1", "SELECT nope FROM t", "SELECT * FROM nowhere"):
        with pytest.raises(TqpError):
            con.sql(query)
    con.register("big", pa.table({"a": [2**63 - 1]}))
    with pytest.raises(ExecutionError):
        con.execute("SELECT a + 1 FROM big")
    for value in (5, object(), {"a": [1], "b": [1, 2]}, [(1,), (1, 2)]):
        with pytest.raises(SourceError):
            con.register("t", value)
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(3,)]


def test_registering_leaves_the_object_alone(con: tqp.Connection) -> None:
    frame = pd.DataFrame({"a": [3, 1, 2], "s": ["x", None, "y"]})
    before = frame.copy(deep=True)
    tensor = torch.tensor([1, 2, 3], device="cpu")
    con.register("f", frame).register("d", {"a": tensor})
    con.sql("SELECT f.a, s, d.a FROM f JOIN d ON f.a = d.a ORDER BY 1").df()
    pd.testing.assert_frame_equal(frame, before)
    assert tensor.tolist() == [1, 2, 3] and tensor.dtype is torch.int64


def test_repeated_queries_are_cheap(con: tqp.Connection) -> None:
    query = "SELECT a FROM t WHERE a > 1"
    first = con.sql(query)
    assert con.sql(query)._query is first._query
    con.register("other", pa.table({"b": [1]}))
    assert con.sql(query)._query is first._query
    con.register("T", pa.table({"a": [5]}))
    assert con.sql(query)._query is not first._query
    assert con.sql(query).fetchall() == [(5,)]
    again = con.sql("SELECT a FROM t").sql
    relation = con.sql("SELECT a FROM t")
    assert relation.sql("SELECT a + 1 FROM self")._query is relation.sql("SELECT a + 1 FROM self")._query
    assert again("SELECT a + 1 FROM self").fetchall() == [(6,)]


def test_queries_over_a_relation_do_not_outlive_it(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a FROM t")
    over = relation.sql("SELECT count(a) FROM self")
    before = len(con._plans)
    del relation
    gc.collect()
    assert len(con._plans) == before - 1
    assert over.fetchall() == [(2,)]


@pytest.mark.parametrize("end", ["''", "'a'''", "''''"])
def test_a_text_may_end_in_an_apostrophe_behind_a_parameter(con: tqp.Connection, end: str) -> None:
    with duckdb.connect() as oracle:
        expected = oracle.execute(f"SELECT $1, {end}", [7]).fetchall()
    assert con.sql(f"SELECT $1, {end}", [7]).fetchall() == expected


def test_parameters_are_told_apart(con: tqp.Connection) -> None:
    class Shy(str):
        def __repr__(self) -> str:
            return "'x'"

    class Color(StrEnum):
        RED = "y"

    query = "SELECT count(*) FROM t WHERE s = ?"
    assert [con.sql(query, [value]).fetchall()[0][0] for value in ("x", Shy("y"), Color.RED, Shy("x"))] == [2, 1, 1, 2]
    one = "SELECT ? AS x"
    singles = [0.12341, torch.tensor(0.12344, dtype=torch.float64, device="cpu"), np.array(0.12345), 0.12341]
    assert [con.sql(one, [value]).fetchall()[0][0] for value in singles] == [0.12341, 0.12344, 0.12345, 0.12341]
    same = [1, 1.0, True, Decimal("1"), Decimal("1.0"), "1", None, date(1970, 1, 2), timedelta(1)]
    for value in same * 2:
        kind = str(duckdb.sql(one, params=[value]).types[0]).strip('"')
        assert str(con.sql(one, [value]).types[0]) == kind
    text = [con.sql("SELECT ?::VARCHAR", [value]).fetchall()[0][0] for value in (0.0, -0.0, math.nan, 0.0, math.nan)]
    assert text == ["0.0", "-0.0", "nan", "0.0", "nan"]
    assert len({con.sql("SELECT ?::FLOAT[2]", [value])._query for value in ([0.0, 1.0], [-0.0, 1.0], [0.0, 1.0])}) == 2
    named = "SELECT $a::VARCHAR || $b::VARCHAR"
    assert con.sql(named, {"a": 1, "b": 2})._query is con.sql(named, {"b": 2, "a": 1})._query
    assert con.sql(named, {"a": 2, "b": 1}).fetchall() == [("21",)]


def test_parameters_are_taken_as_they_are_when_given(con: tqp.Connection) -> None:
    tensor, values = torch.tensor(5, device="cpu"), [1]
    late, other = con.sql("SELECT ?::INTEGER", [tensor]), con.sql("SELECT ?", values)
    tensor += 1
    values[0] = 2
    assert late.fetchall() == [(5,)] and other.fetchall() == [(1,)]
    assert con.sql("SELECT ?::INTEGER", [tensor]).fetchall() == [(6,)]


def test_a_parameter_of_what_is_not_read_counts_as_used(con: tqp.Connection) -> None:
    assert con.sql("WITH unread AS (SELECT $x) SELECT 1", {"x": 5}).fetchall() == [(1,)]
    assert con.sql("WITH unread AS (SELECT ?) SELECT ?", [5, 6]).fetchall() == [(6,)]
    with pytest.raises(BindError, match=r"does not have: \$y"):
        con.sql("SELECT $x", {"x": 5, "y": 6})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("abc", "neither a sequence nor a mapping"),
        ([object()], r"parameter \$1: .*object is no SQL value"),
        ([1, {"a": object()}], r"parameter \$2: .*object is no constant of SQL"),
        ({"a": set()}, r"parameter \$a: .*set"),
        ({1: 2}, "1 is not the name of a parameter"),
        ([[object()]], r"parameter \$1: .*object is no constant of SQL"),
    ],
)
def test_bad_parameters_are_refused_first(con: tqp.Connection, params: object, message: str) -> None:
    with pytest.raises(BindError, match=message):
        con.sql("not even SQL", params)  # type: ignore[arg-type]


def test_settings_are_checked() -> None:
    with pytest.raises(SourceError, match="no device is called"):
        tqp.connect(device="abacus")
    if not torch.cuda.is_available():
        with pytest.raises(SourceError, match="no CUDA device"):
            tqp.connect(device="cuda")
    with pytest.raises(BindError, match="threads=0"):
        tqp.connect(threads=0)
    with pytest.raises(BindError, match="no backend 'magic'"):
        tqp.connect(backend="magic")
    with pytest.raises(BindError, match="not a size"):
        tqp.connect(memory_limit="lots")
    assert tqp.connect(memory_limit="1.5 GB").settings.memory_limit == 1_500_000_000


def test_closing() -> None:
    with tqp.connect() as con:
        con.register("t", pa.table({"a": [1]}))
        relation = con.sql("SELECT * FROM t")
    assert relation.fetchall() == [(1,)]
    with pytest.raises(BindError, match="closed"):
        con.sql("SELECT 1")


def test_module_functions() -> None:
    import_module("tqp.sql.bind")
    tqp.register("of_module", pa.table({"a": [1]}))
    local = pa.table({"b": [2]})
    assert local.num_rows == 1
    assert tqp.sql("SELECT a, b FROM of_module, local").fetchall() == [(1, 2)]


def test_rules_can_be_left_out() -> None:
    sql = "SELECT a FROM (SELECT a, b FROM t) WHERE b > 1"
    plans = []
    for disabled in ((), ("prune", "prune_again", "merge", "push_down"), "push_down"):
        with tqp.connect(disabled_rules=disabled) as connection:
            connection.register("t", {"a": [1, 2, 3], "b": [1, 2, 3]})
            assert connection.sql(sql).fetchall() == [(2,), (3,)]
            plans.append(connection.sql(sql).explain())
    assert plans[0] != plans[1]
    with pytest.raises(BindError, match="no optimizer rule 'nothing'"):
        tqp.connect(disabled_rules=["nothing"])
