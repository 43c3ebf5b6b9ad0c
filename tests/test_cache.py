"""What a connection keeps: that it is listed, bounded, ends when it should, and can be let go of."""

from __future__ import annotations

import gc
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.stored import StoredTable
from tqp.errors import BindError
from tqp.kept import KINDS
from tqp.query import Query


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", pa.table({"a": [1, 2, 3], "s": ["x", "y", "x"]}))
    connection.register("u", {"k": np.arange(1000)[::-1].copy(), "v": np.arange(1000) % 50, "unused": np.zeros(1000)})
    return connection


def kept(con: tqp.Connection) -> dict[tuple[str, str], int]:
    return {(kind, key): size for kind, key, size, _, _ in con.cache().fetchall()}


def kinds(con: tqp.Connection) -> set[str]:
    return {kind for kind, _ in kept(con)}


def living() -> Counter[type]:
    """How many objects there are of each type."""
    gc.collect()
    return Counter(map(type, gc.get_objects()))


def parquet(path: Path, rows: int = 100, start: int = 0) -> Path:
    pq.write_table(pa.table({"a": range(start, start + rows), "s": [f"v{row % 7}" for row in range(rows)]}), path)
    return path


VARIABLE = pa.table({"b": [1.5, 2.5]})
JOIN = "SELECT min(s), max(v) FROM t JOIN u ON t.a = u.k"


def test_everything_that_is_kept_is_listed(con: tqp.Connection, tmp_path: Path) -> None:
    assert con.cache().fetchall() == []
    assert con.cache().columns == ["kind", "key", "bytes", "bound", "until"]
    assert con.sql(JOIN).fetchall() == [("x", 48)]
    found = kept(con)
    assert found["column", "t.s"] == 3 and found["column", "u.k"] == 2000
    assert found["dictionary", "t.s"] >= 2 and found["index", "u.k"] == 4 * 1001
    assert found["statistics", "u.k"] > 0 and found["plan", JOIN] > 0
    assert not any(key == "u.unused" for _, key in found)
    for kind, _, size, bound, until in con.cache().fetchall():
        assert size >= 0 and (bound, until) == (KINDS[kind].bound, KINDS[kind].until)
    rows = pa.table({"a": list(range(10_000))})
    pyarrow.csv.write_csv(rows, tmp_path / "x.csv")
    con.sql(f"SELECT sum(a) FROM '{tmp_path}/x.csv'").fetchall()
    # As texts, with an offset for each.
    texts = sum(len(str(value)) for value in rows.column("a").to_pylist())
    assert texts < kept(con)["rows", f"{tmp_path}/x.csv"] <= texts + 8 * (rows.num_rows + 1) + rows.num_rows
    assert con.cache().sql("SELECT kind FROM self ORDER BY bytes DESC LIMIT 1").fetchall() == [("rows",)]


def test_answers_of_models_are_listed(con: tqp.Connection) -> None:
    def lengths(texts: list[str]) -> list[float]:
        return [float(len(text)) for text in texts]

    con.register_model("lengths", lengths, inputs={"text": str})
    assert con.sql("SELECT sum(PREDICT(lengths, s)) FROM t").fetchall() == [(3.0,)]
    assert kept(con)["answers", "lengths"] > 0
    con.clear_cache()
    assert kinds(con) == set()
    assert con.sql("SELECT sum(PREDICT(lengths, s)) FROM t").fetchall() == [(3.0,)]
    con.register("t", pa.table({"s": ["a"]}))
    gc.collect()
    assert "answers" not in kinds(con), "the strings are gone"


def test_compiled_functions_are_listed_and_let_go() -> None:
    con = tqp.connect(threads=1, backend="compile")
    con.register("big", {"a": torch.arange(2**18, dtype=torch.int16, device="cpu")})
    query = "SELECT sum(a) FROM big WHERE a <> 5"
    answer = con.sql(query).fetchall()
    assert kept(con)["compiled", query] == 4 * 2**18 + 4, "the column in 32 bits, and the constant"
    con.clear_cache()
    assert kinds(con) == set()
    assert con.sql(query).fetchall() == answer


def test_clearing_lets_go_of_all_and_changes_no_answer(con: tqp.Connection, tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet")
    con.register("f", path).register("v", con.sql("SELECT a, s FROM f WHERE a < 50"))
    queries = [JOIN, "SELECT sum(a) FROM f", "SELECT max(s), count(*) FROM v", "SELECT sum(b) FROM VARIABLE"]
    relations = [con.sql(query) for query in queries]
    lazy = [con.sql(query) for query in queries]
    before = [relation.fetchall() for relation in relations]
    assert len(kept(con)) > 10
    assert con.clear_cache() is con
    assert kept(con) == {}
    gc.collect()
    assert [relation.fetchall() for relation in relations] == before
    assert [relation.fetchall() for relation in lazy] == before
    assert [con.sql(query).fetchall() for query in queries] == before
    assert con.tables() == ["f", "t", "u", "v"]


def test_tables_that_go_are_let_go(con: tqp.Connection, tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet")
    con.register("f", path).register("view", con.sql("SELECT a AS b, s FROM f"))

    def run() -> list[weakref.ref[Any]]:
        queries = [
            JOIN,
            f"SELECT max(s), sum(a) FROM '{path}'",
            "SELECT max(s) FROM f",
            "SELECT sum(b), max(s) FROM view",
        ]
        for query in queries:
            con.sql(query).fetchall()
        known = [con.catalog.lookup("t"), con.catalog.lookup("u"), con._names.table(str(path)).meaning]
        assert all(isinstance(table, StoredTable) for table in known)
        dictionary = known[2].column("s").dictionary  # type: ignore[union-attr]
        return [weakref.ref(one) for one in (*known, dictionary)]

    old_t, old_u, old_file, old_words = run()
    con.register("t", pa.table({"a": [7], "s": ["z"]}))
    assert old_t() is None, "nothing but the plan cache could hold it"
    con.unregister("u")
    assert old_u() is None
    con.register("u", {"k": [7], "v": [7]})
    parquet(path, 10)
    assert con.sql(f"SELECT max(s), sum(a) FROM '{path}'").fetchall() == [("v6", 45)]
    gc.collect()
    assert old_file() is None and old_words() is None, "the name, the view and the plans over it held the old version"
    *_, old_file, old_words = run()
    path.unlink()
    assert [key for _, key in kept(con) if key.startswith(str(path))] == []
    gc.collect()
    assert old_file() is None and old_words() is None


def test_files_that_are_gone_are_let_go_when_another_is_read(con: tqp.Connection, tmp_path: Path) -> None:
    for number in range(5):
        path = parquet(tmp_path / f"{number}.parquet")
        con.sql(f"SELECT sum(a) FROM '{path}'").fetchall()
        path.unlink()
    assert len(list(con._names.files)) == 1 and len(con._plans) <= 1


def test_an_index_keeps_no_table_that_probed_it(con: tqp.Connection) -> None:
    con.register("words", pa.table({"s": [f"w{row}" for row in range(500)], "n": list(range(500))}))
    before = living()[Dictionary]
    for round_ in range(5):
        con.register("t", pa.table({"s": ["w1", "w2", f"x{round_}"]}))
        assert con.sql("SELECT sum(n) FROM t JOIN words USING (s)").fetchall() == [(3,)]
    assert living()[Dictionary] <= before + 2


def test_queries_are_bounded(con: tqp.Connection) -> None:
    for number in range(300):
        con.sql(f"SELECT a + {number} FROM t")
    assert len(con._plans) == 256
    first = con.sql("SELECT a + 44 FROM t")
    assert con.sql("SELECT a + 44 FROM t")._query is first._query


def test_names_that_change_under_queries_of_other_threads(con: tqp.Connection) -> None:
    """Every answer is of one table that the name meant, whole, whatever the caches of the connection go through."""
    wrong: list[object] = []
    answers: list[int] = []
    done = Event()

    def ask() -> None:
        while not done.is_set():
            try:
                (row,) = con.sql(
                    "SELECT min(p.n), max(q.n), min(p.s), max(q.s), count(*) FROM w p JOIN w q USING (k)"
                ).fetchall()
            except BindError as error:
                if "no table w" not in str(error):
                    wrong.append(error)
                continue
            except Exception as error:
                wrong.append(error)
                continue
            answers.append(row[0])
            if row != (row[0], row[0], f"s{row[0]}", f"s{row[0]}", 3):
                wrong.append(row)

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    number = 0
    while number < 100 or (len(set(answers)) < 5 and number < 20_000):
        number += 1
        con.register("w", pa.table({"k": [1, 2, 3], "n": [number] * 3, "s": [f"s{number}"] * 3}))
        if number % 7 == 0:
            con.clear_cache()
        if number % 11 == 0:
            con.unregister("w")
        if number % 5 == 0:
            time.sleep(0.01)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == [] and answers


def _steps(con: tqp.Connection, tmp_path: Path) -> Iterator[None]:
    """Small queries of all kinds, each of which leaves something to keep, over tables that come and go."""
    path = tmp_path / "x.parquet"
    con.register_model("size", lambda texts: [float(len(text)) for text in texts], inputs={"text": str})
    number = 0
    while True:
        number += 1
        con.register("t", pa.table({"a": [1, 2, number], "s": ["x", f"y{number}", "x"]}))
        local = pa.table({"c": [number]})
        if number % 5 == 0:
            parquet(path, 10, number)
            con.register("f", path)
        elif number == 1:
            parquet(path)
            con.register("f", path)
        for query in (
            "SELECT count(*) FROM t WHERE a > 1",
            f"SELECT a + {number} FROM t",
            JOIN,
            "SELECT count(*) FROM t JOIN u ON t.a = u.k JOIN f ON f.s = t.s",
            f"SELECT max(a), max(s) FROM '{path}'",
            "SELECT sum(c) FROM local",
            "SELECT sum(PREDICT(size, s)) FROM t",
        ):
            con.sql(query).fetchall()
            yield
        con.sql("FROM t").sql("SELECT ?::INTEGER + a FROM self", [number]).fetchall()
        con.register("w", con.sql("SELECT a FROM t")).sql("SELECT max(a) FROM w").fetchall()
        yield
        assert local.num_rows == 1
        con.unregister("t")


def test_memory_stays_flat(con: tqp.Connection, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Counts of objects and bytes kept after many queries over tables that are registered anew (--soak 20000)."""
    queries = max(request.config.getoption("--soak"), 400)
    steps = _steps(con, tmp_path)

    def measure() -> dict[str, int]:
        counts = living()
        few = {kind.__name__: counts[kind] for kind in (StoredTable, Column, Dictionary, Query)}
        sizes = Counter({kind: 0 for kind in KINDS})
        for (kind, _), size in kept(con).items():
            sizes[kind] += size
        return {**few, **sizes, "objects": counts.total()}

    for _ in range(queries // 2):
        next(steps)
    first = measure()
    for _ in range(queries // 2):
        next(steps)
    last = measure()
    for name, count in last.items():
        # A few plans more or less, by how soon after a file was written its plan was made.
        allowed = {"objects": 2000, **dict.fromkeys(KINDS, 500), "plan": 2**18, "Query": 12}.get(name, 5)
        assert count <= 1.01 * first[name] + allowed, (name, first, last)
