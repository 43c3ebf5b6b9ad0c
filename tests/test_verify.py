"""The comparator: what it accepts, what it finds, and the order it asks for."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
import torch

import tqp
from tqp.data.stored import StoredTable
from tqp.errors import SourceError
from tqp.sql.row_order import row_order
from tqp.verify import Report
from tqp.verify.compare import compare, compare_query

NAN = float("nan")


def rows(**columns: object) -> pa.Table:
    return pa.table(columns)


@pytest.mark.parametrize(
    "values",
    [
        [1, None, 2],
        [1.5, NAN, None, float("inf"), float("-inf")],
        ["a", "", None],
        [Decimal("1.10"), None],
        [True, None, False],
        [None, None],
        [[1, 2], None],
        [{"a": 1}, None],
    ],
)
def test_equal_tables(values: list[object]) -> None:
    table = rows(x=values)
    assert compare(table, table) is None
    assert compare(table, table, order_by=["x"]) is None
    assert compare(table.take(list(range(len(values)))[::-1]), table) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([1, 2], [1, 3]),
        ([1, None], [1, 0]),
        ([1.0, NAN], [1.0, None]),
        ([1.0, NAN], [1.0, 0.0]),
        ([1.0, float("inf")], [1.0, float("-inf")]),
        ([1.0], [1.0 + 1e-8]),
        ([1.0], [-1.0]),
        (["a"], ["A"]),
        (["", None], ["", ""]),
        ([Decimal("1.10")], [Decimal("1.11")]),
        ([True], [False]),
        ([1, 1, 2], [1, 2, 2]),
        ([[1, 2]], [[2, 1]]),
    ],
)
def test_wrong_values_are_found(ours: list[object], theirs: list[object]) -> None:
    found = compare(rows(x=ours), rows(x=theirs))
    assert found is not None
    assert "differ" in found.summary
    assert found.rows


def test_floats_have_a_tolerance() -> None:
    assert compare(rows(x=[1e15, 1e-15]), rows(x=[1e15 + 1, 1e-15 * (1 + 1e-10)])) is None
    assert compare(rows(x=[1.0]), rows(x=[1.001]), rel_tol=0.01) is None
    single = pa.array([1.0], pa.float32()), pa.array([1.0000001], pa.float32())
    assert compare(rows(x=single[0]), rows(x=single[1])) is None


def test_near_floats_find_their_partners_in_any_order() -> None:
    near = 1.0 + 1e-12
    assert compare(rows(x=[1.0, near], y=[5.0, 6.0]), rows(x=[near, 1.0], y=[5.0, 6.0])) is None
    assert compare(rows(x=[1.0, near], y=[5.0, 6.0]), rows(x=[near, 1.0], y=[5.0, 7.0])) is not None


def test_shapes() -> None:
    assert "columns" in str(compare(rows(x=[1]), rows(x=[1], y=[1])))
    found = compare(rows(x=[1, 2, 3]), rows(x=[1, 3]))
    assert found is not None
    assert str(found) == "3 rows instead of 2\n  only in tqp's: (2)"
    found = compare(rows(x=[1]), rows(x=[1, 1]))
    assert found is not None
    assert "only in the expected: (1)" in str(found)
    empty = pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.string())})
    assert compare(empty, empty, order_by=["x"]) is None
    assert compare(empty, empty.slice(0, 0)) is None


def test_the_message_shows_row_and_column() -> None:
    found = compare(rows(k=[1, 2], v=["a", "b"]), rows(k=[1, 2], v=["a", "c"]))
    assert str(found) == "1 of 2 rows differ\n  row 1 (2, b): v: 'b' instead of 'c'"


def test_types() -> None:
    small, large = rows(x=pa.array([1], pa.int32())), rows(x=pa.array([1], pa.int64()))
    assert "int32 instead of int64" in str(compare(small, large))
    assert compare(small, large, strict=False) is None
    narrow = rows(x=pa.array([Decimal("1.50")], pa.decimal128(10, 2)))
    wide = rows(x=pa.array([Decimal("1.5")], pa.decimal128(38, 1)))
    assert "decimal128(10, 2) instead of decimal128(38, 1)" in str(compare(narrow, wide))
    assert compare(narrow, wide, strict=False) is None
    assert compare(narrow, rows(x=[1.5]), strict=False) is None
    assert compare(narrow, rows(x=[1.6]), strict=False) is not None
    assert compare(rows(x=["1"]), rows(x=[1]), strict=False) is not None


def test_layouts_of_one_type_are_the_same() -> None:
    plain = pa.array(["a", None, "b"])
    for other in (plain.cast(pa.large_string()), plain.cast(pa.string_view()), plain.dictionary_encode()):
        assert compare(rows(x=other), rows(x=plain)) is None
    moment = pa.array([0, None], pa.timestamp("us", "UTC"))
    assert compare(rows(x=moment), rows(x=moment.cast(pa.timestamp("us", "Europe/Oslo")))) is None


def test_arrays_are_compared_by_element() -> None:
    kind = pa.list_(pa.float32(), 2)
    ours = rows(k=[1, 2, 3], v=pa.array([[1.0, 2.0], None, [NAN, 4.0]], kind))
    near = rows(k=[1, 2, 3], v=pa.array([[1.0, 2.0000002], None, [NAN, 4.0]], pa.list_(pa.field("x", pa.float32()), 2)))
    far = rows(k=[1, 2, 3], v=pa.array([[1.0, 2.1], None, [NAN, 4.0]], kind))
    assert compare(ours, near) is None and compare(ours, near, order_by=["v"]) is None
    assert "1 of 3 rows differ" in str(compare(ours, far))
    assert "the order differs" in str(compare(ours, far, order_by=["k", "v"]))
    assert compare(ours, rows(k=[1, 2, 3], v=pa.array([[1.0, 2.0], [0.0, 0.0], [NAN, 4.0]], kind))) is not None
    assert "types differ" in str(compare(ours, ours.set_column(1, "v", ours["v"].cast(pa.list_(pa.float64(), 2)))))


def test_verify_knows_arrays_and_vectors() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": [1, 2, 3], "v": np.array([[1, 2], [0, 0], [3, -4]], np.float32)})
        query = "SELECT v[2], v, array_cosine_similarity(v, ?::FLOAT[2]) AS s FROM t ORDER BY s DESC LIMIT 2"
        for vector in ([1.0, 2.0], np.array([1, 2], np.float32), (1, 2)):
            assert con.verify(query, [vector]).ok
            assert con.sql(query, [vector]).verify().ok


def test_order() -> None:
    expected = rows(k=[1, 1, 2, None], v=[1, 2, 3, 4])
    assert compare(expected.take([1, 0, 2, 3]), expected, order_by=["k"]) is None
    assert "order" in str(compare(expected.take([0, 2, 1, 3]), expected, order_by=["k"]))
    assert "order" in str(compare(expected.take([3, 0, 1, 2]), expected, order_by=[0]))
    assert compare(expected.take([0, 2, 1, 3]), expected) is None
    # Rows of different runs must not trade what is not in the key.
    swapped = rows(k=[1, 1, 2, None], v=[1, 3, 2, 4])
    assert compare(swapped, expected, order_by=["k"]) is not None


QUERY = "SELECT k, v FROM t ORDER BY k LIMIT 2"
ALL = rows(k=[1, 2, 2, 2, 3], v=["a", "b", "c", "d", "e"])


def rerun(text: str) -> pa.Table:
    assert "LIMIT" not in text
    return ALL


def test_limit_may_choose_within_a_run() -> None:
    expected = rows(k=[1, 2], v=["a", "b"])
    assert compare_query(QUERY, rows(k=[1, 2], v=["a", "d"]), expected, rerun) is None
    assert compare_query(QUERY, rows(k=[1, 2], v=["a", "e"]), expected, rerun) is not None
    assert compare_query(QUERY, rows(k=[1, 2], v=["x", "b"]), expected, rerun) is not None
    assert compare_query(QUERY, rows(k=[1, 3], v=["a", "e"]), expected, rerun) is not None
    assert compare_query(QUERY, rows(k=[1, 2], v=["a", "d"]), expected) is not None


def test_limit_may_not_repeat_a_row() -> None:
    text = "SELECT k, v FROM t ORDER BY k LIMIT 3"
    expected = rows(k=[1, 2, 2], v=["a", "b", "c"])
    assert compare_query(text, rows(k=[1, 2, 2], v=["a", "c", "d"]), expected, rerun) is None
    assert compare_query(text, rows(k=[1, 2, 2], v=["a", "d", "d"]), expected, rerun) is not None


def test_limit_behind_a_hidden_key_must_match() -> None:
    text = "SELECT v FROM t ORDER BY k LIMIT 2"
    values = ALL.select(["v"])
    assert compare_query(text, values.slice(0, 2), values.slice(0, 2), lambda _: values) is None
    assert compare_query(text, values.slice(3), values.slice(0, 2), lambda _: values) is not None


def test_limit_without_order_may_choose_any_rows() -> None:
    text = "SELECT k, v FROM t LIMIT 2"
    assert compare_query(text, ALL.slice(3), ALL.slice(0, 2), rerun) is None
    assert compare_query(text, ALL.slice(4), ALL.slice(0, 2), rerun) is not None
    assert compare_query(text, rows(k=[7, 8], v=["a", "b"]), ALL.slice(0, 2), rerun) is not None


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("SELECT a, b FROM t", ["a", "b"], None),
        ("SELECT a, b FROM t ORDER BY b DESC, 1", ["a", "b"], [1, 0]),
        ("SELECT a AS b, b AS a FROM t ORDER BY a", ["b", "a"], [1]),
        ("SELECT sum(x), k FROM t GROUP BY k ORDER BY sum(x), k", ["sum(x)", "k"], [0, 1]),
        ("SELECT t.a FROM t ORDER BY t.a", ["a"], [0]),
        ("SELECT a, b FROM t ORDER BY a, c, b", ["a", "b"], [0]),
        ("SELECT a FROM t ORDER BY -a", ["a"], []),
        ("SELECT * FROM t ORDER BY B", ["a", "b"], [1]),
        ("SELECT a, b FROM t ORDER BY ALL", ["a", "b"], [0, 1]),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY a", ["a"], [0]),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", ["a"], None),
        ("WITH q AS (SELECT 1 AS a) SELECT a FROM q ORDER BY 1", ["a"], [0]),
        ("(SELECT a FROM t ORDER BY a)", ["a"], [0]),
        ("SELECT a AS x, b AS x FROM t ORDER BY x", ["x", "x"], [1]),
        ("SELECT -a AS a, a FROM t ORDER BY a", ["a", "a"], [0]),
        ("SELECT a AS x, b AS x FROM t UNION ALL SELECT 1, 2 ORDER BY x", ["x", "x"], [0]),
    ],
)
def test_order_columns(text: str, names: list[str], expected: list[int] | None) -> None:
    assert row_order(text, names)[0] == expected


def test_verify_registered_variables_files_and_views(tmp_path: Path) -> None:
    path = f"{tmp_path}/t.parquet"
    pa.parquet.write_table(ALL, path)
    here = ALL
    with tqp.connect(threads=1) as connection:
        connection.register("t", here).register("view", connection.sql("SELECT k FROM here WHERE k > 1"))
        for source in ("t", "here", "view", f"'{path}'"):
            report = connection.verify(f"SELECT k, count(*) AS c FROM {source} GROUP BY k ORDER BY k")
            assert report.ok, source
            assert report
            assert "rows equal DuckDB's" in str(report)
        assert str(connection.verify("SELECT max(k) AS k FROM t")) == "verified: 1 row equals DuckDB's"
        assert connection.verify("SELECT k FROM t WHERE k > ?", [1]).rows == 4
        assert connection.verify("SELECT k FROM t WHERE k > $least", {"least": 2}).ok
        assert connection.verify("WITH t AS (SELECT 1 AS k) SELECT k FROM t").ok
        assert connection.sql("SELECT v FROM t").verify().ok


def test_verify_keeps_hugeint() -> None:
    with tqp.connect(threads=1) as connection:
        connection.register("h", connection.sql("SELECT k::HUGEINT AS x FROM (VALUES (1), (2)) t (k)"))
        assert str(connection.verify("SELECT x, x + x, sum(x) FROM h GROUP BY x")).startswith("verified")


def test_reports() -> None:
    assert not Report("", 1, failure="no such function").ok
    assert "cannot run" in str(Report("", 1, failure="no such function"))
    found = compare(rows(x=[1]), rows(x=[2]))
    assert "differs" in str(Report("", 1, found))
    assert not Report("", 1, found)


def test_verify_sees_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with tqp.connect(threads=1) as connection:
        connection.register("t", ALL)
        relation = type(connection.sql("SELECT k FROM t"))
        right = relation.arrow
        monkeypatch.setattr(relation, "arrow", lambda self: right(self).slice(1) if len(self) == 3 else right(self))
        assert not connection.verify("SELECT DISTINCT k FROM t").ok


def test_duckdb_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with tqp.connect(threads=1) as connection, pytest.raises(SourceError, match="not installed"):
        connection.verify("SELECT 1")


def test_verify_hands_duckdb_the_objects_themselves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(pa.table({"k": [1, 2, 3]}), path)
    frame = pandas.DataFrame({"k": [1, 2, 3], "day": pandas.to_datetime(["2024-01-01", None, "2024-01-03"])})
    sources = {
        "frame": frame, "lazy": polars.DataFrame({"k": [1, 2, 3]}), "arrow": pa.table({"k": [1, 2, 3]}),
        "data": pyarrow.dataset.dataset(path), "file": str(path), "tensors": {"k": torch.tensor([1, 2, 3])},
    }  # fmt: skip
    with tqp.connect(threads=1) as connection:
        for name, source in sources.items():
            connection.register(name, source)
            assert connection.verify(f"SELECT sum(k), count(*) FROM {name}").ok, name
        assert connection.verify("SELECT day, k FROM frame").ok
        # What is wrong in the reading of tqp alone is seen.
        for name in sources:
            table = connection.lookup(name)
            assert isinstance(table, StoredTable)
            right = table.column("k")
            monkeypatch.setitem(table._columns, "k", replace(right, data=right.data.flip(0) * 2))
            report = connection.verify(f"SELECT k, k + 1 FROM {name}")
            # Tensors are no table to DuckDB, so that it gets them as tqp reads them.
            assert report.ok == (name == "tensors"), name


def test_verify_knows_self_and_what_names_meant() -> None:
    with tqp.connect(threads=1) as connection:
        here = pa.table({"k": [1, 2, 3]})
        relation = connection.sql("SELECT k FROM here").sql("SELECT sum(p.k) AS s FROM self p, self q")
        here = pa.table({"k": [5]})
        assert relation.verify().ok and relation.fetchall() == [(18,)]
        assert here.num_rows == 1


def test_verify_reads_other_dialects_as_they_are_meant() -> None:
    with tqp.connect(threads=1) as connection:
        connection.register("t", pa.table({"k": [1, 2, -7], "s": ["a_c", "abc", None]}))
        text = "SELECT k / 2, k / 2.0, s LIKE 'a\\_c' FROM t ORDER BY k DESC"
        relation = connection.sql(text, read="postgres")
        assert [row[0] for row in relation.fetchall()] == [1, 0, -3]
        assert relation.verify().ok and connection.verify(text, read="postgres").ok
        assert connection.sql(text).fetchall() != relation.fetchall()


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("SELECT +k FROM t LIMIT 2", "SELECT +k FROM t "),
        (
            "SELECT k AS offset, {'limit': k} FROM t LIMIT 3 OFFSET 2 -- limit",
            "SELECT k AS offset, {'limit': k} FROM t ",
        ),
        ("FROM t WHERE k < (SELECT 1 LIMIT 1) OFFSET 1 FETCH NEXT 2 ROWS ONLY", "FROM t WHERE k < (SELECT 1 LIMIT 1) "),
        ("(SELECT k FROM t LIMIT 9) LIMIT 10%", "(SELECT k FROM t LIMIT 9) "),
    ],
)
def test_the_oracle_gets_the_query_as_it_is_written(text: str, whole: str) -> None:
    asked: list[str] = []

    def answer(written: str) -> pa.Table:
        asked.append(written)
        return ALL

    compare_query(text, ALL.slice(1), ALL.slice(0, len(ALL) - 1), answer)
    assert asked == [whole]
