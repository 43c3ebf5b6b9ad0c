"""What a person sees of a query: estimates, what ran, and the program; and that results can be handed in again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.config import Settings
from tqp.errors import BindError, SourceError
from tqp.kernels.waits import Wait
from tqp.physical.planner import lower
from tqp.relation import TensorColumn
from tqp.runtime import executor
from tqp.runtime.trace import Trace, Waits
from tqp.types import DATE, VARCHAR, decimal

QUERY = """
    SELECT o.who, sum(l.amount) AS total, min(l.amount) AS least
    FROM lines l JOIN orders o ON l.id = o.id JOIN people p ON o.who = p.name
    WHERE l.amount > 2 AND p.age > 20 GROUP BY o.who ORDER BY total DESC LIMIT 2
"""


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as connection:
        rows = np.arange(1000)
        connection.register("orders", {"id": rows, "who": [f"p{row % 7}" for row in range(1000)]})
        connection.register("lines", {"id": np.repeat(rows, 3), "amount": np.arange(3000) % 11})
        connection.register("people", {"name": [f"p{row}" for row in range(7)], "age": [18, 20, 30, 40, 50, 60, 70]})
        yield connection


def test_a_file_is_called_as_it_is_registered(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "x.parquet")
    path = str(tmp_path / "x.parquet")
    con = tqp.connect(threads=1)
    con.register("Sales", path)
    con.register("again", path)
    for query, name in (
        ("SELECT a FROM sales WHERE a > 1", "Sales"),
        ("SELECT a FROM again WHERE a > 1", "again"),
        (f"SELECT a FROM '{path}' WHERE a > 1", path),
        (f"SELECT a FROM read_parquet('{path}') WHERE a > 1", path),
    ):
        asked = con.sql(query)
        assert f"Scan {name} [a]" in asked.explain()
        assert f"scan {name}(a)" in asked.explain("program")
        assert asked.fetchall() == [(2,), (3,)]
        assert name in str(asked.plot_plan())
    both = con.sql("SELECT count(*) FROM sales JOIN again USING (a)").explain(True)
    assert path not in both


def test_plan_has_estimates(con: tqp.Connection) -> None:
    *lines, rules = con.sql(QUERY).explain().splitlines()
    assert all(re.search(r"  -- ~[\d,]+ rows?$", line) for line in lines)
    assert any(line.strip().startswith("Scan lines [") and line.endswith("~3,000 rows") for line in lines)
    assert rules.startswith("-- rules: ") and "push_down" in rules


def test_plan_says_what_no_tensors_compute(con: tqp.Connection) -> None:
    text = "SELECT upper(who), id + 1 AS n FROM orders WHERE regexp_matches(who, 'p[12]') AND id > 3"
    lines = con.sql(text).explain().splitlines()
    (projected,) = [line for line in lines if line.startswith("Project")]
    assert projected.endswith("; once for each distinct value: upper")
    (filtered,) = [line for line in lines if "regexp" in line and "Filter" in line]
    assert filtered.endswith("; once for each distinct value: regexplike")
    assert not any("distinct value" in line for line in lines if "Scan" in line)
    assert "distinct value" not in con.sql("SELECT id + 1, sqrt(id) FROM orders WHERE who = 'p1'").explain()


@pytest.mark.parametrize("backend", ["eager", "compile"])
def test_analyze(con: tqp.Connection, backend: str) -> None:
    with tqp.connect(threads=2, backend=backend) as other:
        for table in ("orders", "lines", "people"):
            other.register(table, con.table(table).arrow())
        text = other.sql(QUERY).explain(analyze=True)
    assert re.match(
        rf"2 rows in [\d.]+ ms on cpu, 2 threads, {backend}, \d\.\d\d cores busy while workers worked\n", text
    )
    assert re.search(
        r"^pipeline 0: [\d.]+ ms, \d+ batch(es)?, \d workers?, [\d.]+ ms to prepare, \d+ waits? for the device$",
        text,
        re.M,
    )
    assert re.search(r"scan lines\(.*\): 3,000 rows, [\d,]+ bytes", text)
    assert re.search(r"probe \(inner\) .*: [\d,]+ rows?, [\d.]+ ms \[.+\]", text)
    assert re.search(r"aggregate by who: .*: \d rows, [\d,]+ bytes, [\d.]+ ms \+ [\d.]+ ms to finish \[.+\]", text)


def test_analyze_says_what_was_known_of_the_columns() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"a": pa.array([1, 7], pa.int64()), "s": ["x", None]}))
        columns = (
            "a * 100 AS c, s, s || '!' AS loud, (a::VARCHAR)::INTEGER AS n, NOT s LIKE 'x%' AS b, a / 2 AS h, 2 AS two"
        )
        text = con.sql(f"SELECT {columns} FROM t").explain(True)
    known = (
        "c BIGINT int16 100 to 700 not null; s VARCHAR int8 codes into 1; loud VARCHAR int32 codes into each batch's own; "
        "n INTEGER int64 or narrower; b BOOLEAN bool; h DOUBLE float64 not null; two INTEGER int8 2 to 2 constant not null"
    )
    assert f"  columns: {known}\n" in text


def test_analyze_says_how_busy_two_workers_were() -> None:
    rows = 2**20
    with tqp.connect(threads=2) as con:
        con.register("t", {"a": np.arange(rows), "b": np.arange(rows) % 7})
        text = con.sql("SELECT b, sum(a) FROM t WHERE a > 5 GROUP BY b").explain(True)
        alone = con.sql("SELECT b, sum(a) FROM t WHERE a < 5 GROUP BY b ORDER BY b").explain(True)
    found = re.search(r"^pipeline 0: [\d.]+ ms, 4 batches, 2 workers that kept (\d\.\d\d) cores busy, ", text, re.M)
    # CPU time of two threads over time on the clock.
    assert found and 0 < float(found[1]) < 2.2
    assert re.search(r"^pipeline 1: [\d.]+ ms, 1 batch, 1 worker, ", alone, re.M)


def test_waits_are_counted_by_pipeline(con: tqp.Connection) -> None:
    waited, trace = Waits(), Trace()
    executor.run(lower(con.sql(QUERY)._query.optimized), Settings(), trace, waited)
    assert len(waited.pipelines) == len(trace.pipelines) > 1
    assert Wait("the number of rows", "kernels.rows.select") in waited.pipelines[0]
    assert f"{waited.pipelines[0].total()} waits for the device" in trace.text(waited)


def test_analyze_counts_what_a_device_would_wait_for() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", {"a": np.arange(10), "b": np.arange(10) % 7})
        text = con.sql("SELECT count(*) FROM t WHERE a * b > 5").explain(True)
        none = con.sql("SELECT a + 1 FROM t").explain(True)
    assert re.search(r"^pipeline 0: .*, 1 wait for the device$", text, re.M)
    assert "  waits for the device: 1 for the number of rows (kernels.rows.select)" in text
    assert "0 waits for the device\n" in none and "waits for the device:" not in none


def test_program(con: tqp.Connection) -> None:
    text = con.sql(QUERY).explain("program")
    compile(text, "program", "exec")
    assert "compare.gt(amount" in text and "sort.top_k(" in text
    assigned = re.findall(r"^    (t\d+) = ", text, re.M)
    assert assigned and all(len(re.findall(rf"\b{name}\b", text)) > 1 for name in assigned)
    assert con.sql(QUERY).explain("program") == text


def test_explain_takes_nothing_else(con: tqp.Connection) -> None:
    with pytest.raises(BindError, match="'graph'"):
        con.sql("SELECT 1").explain("graph")  # type: ignore[arg-type]


def test_tensors_come_back_as_they_were(con: tqp.Connection) -> None:
    table = con.sql("""
        SELECT * FROM (VALUES
            (1::TINYINT, 1.50::DECIMAL(10,2), DATE '2020-01-01', 'x', TRUE, 1.5::FLOAT, 5::HUGEINT, INTERVAL 1 MONTH,
             TIMESTAMP '2020-01-01 01:02:03', TIME '01:02:03', 3::UTINYINT, 1e20::DECIMAL(38,0)),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            (2, 2.25, DATE '1970-01-01', 'a', FALSE, 2.5, 6, INTERVAL 2 DAY,
             TIMESTAMP '1960-01-01 00:00:00', TIME '00:00:00', 255, -1)) v
    """)
    tensors = table.torch()
    again = con.sql("SELECT * FROM tensors")
    assert again.types == table.types
    assert again.fetchall() == table.fetchall()
    assert tensors["col0"].data.dtype is torch.int8 and tensors["col10"].data.dtype is torch.uint8


def test_tensors_that_do_not_fit_their_type(con: tqp.Connection) -> None:
    words = pa.array(["a", "b"])
    for column in (
        TensorColumn(torch.tensor([0, 2], device="cpu"), None, VARCHAR, words),
        TensorColumn(torch.tensor([1000], device="cpu"), None, decimal(3, 1), None),
    ):
        table = {"c": column}
        with pytest.raises(SourceError, match="'c'"):
            con.register("bad", table).sql("SELECT * FROM bad").arrow()
    days = {
        "d": TensorColumn(torch.tensor([0, 1], device="cpu"), torch.tensor([True, False], device="cpu"), DATE, None)
    }
    assert days and str(con.sql("SELECT * FROM days").fetchall()) == "[(datetime.date(1970, 1, 1),), (None,)]"


def test_the_nearest_vectors_are_a_product_and_the_top_of_each_batch() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    with tqp.connect(threads=1) as con:
        found = con.register("t", {"id": [1, 2, 3], "v": rows}).sql(
            "SELECT id FROM t ORDER BY array_inner_product(v, ?) DESC LIMIT 2", [rows[1]]
        )
        assert found.fetchall() == [(3,), (2,)]
        plan = found.explain()
        assert "TopN 2 by [order_key DESC]" in plan
        assert "array_inner_product(v, [4.0, 5.0, 6.0, 7.0]::FLOAT[4])" in plan
        assert "top 2 of each batch, then of all, by order_key DESC" in found.explain(True)
        assert "vectors.inner(v, " in found.explain("program")


def test_steps(con: tqp.Connection) -> None:
    """What will run, with what was chosen and what the run still chooses, before it runs."""
    text = con.sql(QUERY).explain("steps")
    assert re.search(r"^%\d+ = 20  -- BIGINT$", text, re.M)
    assert re.search(r"^  name, age = scan\(table=people, columns=\(name, age\)\)  -- n0 rows$", text, re.M)
    assert re.search(r"^  sum_l_amount = sum\(amount, type=HUGEINT\)  -- g\d+ rows$", text, re.M)
    assert "-- inner join: " in text and "(not " in text
    assert text == con.sql(QUERY).explain("steps")
