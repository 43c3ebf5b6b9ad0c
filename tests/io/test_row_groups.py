"""Row groups that are not read: by what footers say of them, and because a LIMIT needs no more."""

from __future__ import annotations

import datetime
import decimal
import math
import os
import pickle
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tqp
from tests.limits import limit
from tqp.catalog.over_tables import attached, references_of, tables_of
from tqp.data.reading import Excerpt
from tqp.errors import SourceError
from tqp.io.files import parquet_source
from tqp.io.parquet import ParquetReader

ROWS = 10_000


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Columns as they are decoded, and how many rows of them."""
    found: list[tuple[str, int]] = []
    decode = ParquetReader._decoded

    def watched(self: ParquetReader, name: str, *rest: Any) -> list[pa.Array]:
        chunks = decode(self, name, *rest)
        found.append((name, sum(map(len, chunks))))
        return chunks

    monkeypatch.setattr(ParquetReader, "_decoded", watched)
    return found


def written(folder: Path, table: pa.Table, group: int = 1000, name: str = "x", **options: Any) -> Path:
    """The table in a file that was last written long ago, so that it is not read anew."""
    path = folder / f"{name}.parquet"
    pq.write_table(table, path, row_group_size=group, **options)
    os.utime(path, (1_600_000_000, 1_600_000_000))
    return path


def ordered(rows: int = ROWS, start: int = 0, value: float = 1.5) -> pa.Table:
    numbers = range(start, start + rows)
    days = pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(number // 100) for number in numbers])
    texts = [f"{number // 500:04}" for number in numbers]
    return pa.table({"k": numbers, "d": days, "s": texts, "v": [value] * rows})


def same(con: tqp.Connection, text: str) -> None:
    expected = duckdb.connect().sql(text).fetchall()
    assert repr(con.sql(text).fetchall()) == repr(expected), text


CONDITIONS = {
    "k = 4711": 1000,
    "k BETWEEN 2500 AND 3500": 2000,
    "k + 1 < 900": 1000,
    "k IN (1, 9999)": 2000,
    "k IN (1, 9999) AND s > '0015'": 1000,
    "s = '0007'": 1000,
    "d >= DATE '2020-04-01'": 1000,
    "d >= TIMESTAMP '2020-04-01 10:00:00'": 1000,
    "year(d) = 2021": 0,
    "k < 0": 0,
    "k IS NULL": 0,
    "v < 1": 0,
    "v > 5": ROWS,
    "k % 2 = 0": ROWS,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_reads_the_groups_where_it_may_hold(
    tmp_path: Path, decoded: list[tuple[str, int]], condition: str
) -> None:
    """Of floats no greatest value is known, as none says whether there is a NaN."""
    path = written(tmp_path, ordered())
    same(tqp.connect(threads=1), f"SELECT count(*), sum(v), min(s) FROM '{path}' WHERE {condition}")
    assert sum(rows for name, rows in decoded if name == "v") == CONDITIONS[condition]


JOINS = {
    "SELECT sum(v), count(*) FROM x JOIN n ON k = id WHERE part = 7": 1000,
    "SELECT sum(v), count(*) FROM n, x WHERE id + 0 = k AND part BETWEEN 7 AND 9 AND s > '0001'": 1000,
    "SELECT sum(v) FROM x WHERE k IN (SELECT id FROM n WHERE part = 8)": 1000,
    "SELECT count(v) FROM n LEFT JOIN x ON k = id WHERE part = 8": 1000,
    "SELECT sum(v), count(*) FROM x JOIN n ON k = id JOIN n AS m ON m.id = n.id WHERE n.part IN (0, 40)": 2000,
    "SELECT sum(v), count(*) FROM x LEFT JOIN n ON k = id AND part = 7": ROWS,
    "SELECT sum(v) FROM x WHERE k NOT IN (SELECT id FROM n WHERE part = 8)": ROWS,
    "SELECT sum(v), count(*) FROM x JOIN n ON k = id": ROWS,
    "SELECT sum(v), count(*) FROM x JOIN n ON k = id WHERE part = 7 OR v < 2": ROWS,
    "SELECT sum(v), count(*) FROM x JOIN n ON k = id WHERE part < 0": 0,
}


@pytest.mark.parametrize("text", JOINS)
def test_keys_of_a_small_table_read_their_groups(
    tmp_path: Path, decoded: list[tuple[str, int]], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 numbers, ten of each part of the table, in its order; without the limit all is read."""
    table = ordered()
    con = duckdb.connect()
    small = pa.table({"id": range(0, ROWS, 100), "part": [place // 2 for place in range(100)]})
    con.register("n", small)
    con.register("x", table)
    expected = con.sql(text).fetchall()
    path = written(tmp_path, table)
    for share in (0.125, 0.0):
        limit(monkeypatch, sought_share=share)
        decoded.clear()
        con = tqp.connect(threads=1).register("n", small).register("x", str(path))
        assert con.sql(text).fetchall() == expected
        assert sum(rows for name, rows in decoded if name == "v") == (JOINS[text] if share else ROWS)


def test_the_rule_can_be_left_out(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    path = written(tmp_path, ordered())
    text = f"SELECT sum(k) FROM '{path}' WHERE k < 10"
    con = tqp.connect(threads=1, disabled_rules=["row_groups"])
    assert con.sql(text).fetchall() == [(45,)]
    assert decoded == [("k", ROWS)]
    assert "row groups" not in con.sql(text).explain(True)
    assert "in row groups: 1 (not all)" in tqp.connect(threads=1).sql(text).explain(True)


@pytest.mark.parametrize(
    "text", ["SELECT * FROM x LIMIT 5", "SELECT s, k + 1 FROM (FROM x) LIMIT 5 OFFSET 3", "(FROM x LIMIT 9) LIMIT 5"]
)
def test_a_limit_reads_its_rows(tmp_path: Path, decoded: list[tuple[str, int]], text: str) -> None:
    path = written(tmp_path, ordered(), group=6000)
    same(tqp.connect(threads=2), text.replace("FROM x", f"FROM '{path}'"))
    assert decoded and all(rows == 2**11 for _, rows in decoded)


@pytest.mark.parametrize(
    ("condition", "groups"),
    [
        ("k % 50 = 49", 1),
        ("v > 1 AND s LIKE '%0%'", 1),
        ("k % 2500 = 2499 AND d > DATE '1999-01-01'", 16),
        ("abs(k - 1500) < 3", 4),
    ],
)
def test_a_limit_over_a_condition_reads_until_it_has_its_rows(
    tmp_path: Path, decoded: list[tuple[str, int]], condition: str, groups: int
) -> None:
    """Columns that are not asked of are read only as far as rows pass; more groups are looked at while there are too few."""
    path = written(tmp_path, ordered(20_000), group=500)
    con = tqp.connect(threads=1)
    query = f"SELECT d, k, s FROM '{path}' WHERE {condition} LIMIT 2"
    assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()
    shown = [rows for name, rows in decoded if name == "d"]
    assert max(shown) <= max(groups * 500, 2**11)
    assert max(rows for _, rows in decoded) < 20_000


@pytest.mark.parametrize(
    "condition", ["random() < 2", "k >= 0 AND random() >= 0", "k < (SELECT 7)", "k IN (SELECT 9999)"]
)
def test_a_limit_over_what_only_a_run_can_tell(tmp_path: Path, condition: str) -> None:
    path = written(tmp_path, ordered())
    found = tqp.connect(threads=1).sql(f"SELECT k FROM '{path}' WHERE {condition} LIMIT 5").fetchall()
    assert found == duckdb.sql(f"SELECT k FROM '{path}' WHERE {condition} LIMIT 5").fetchall()


def test_a_limit_over_a_condition_serves_its_constant_alone(tmp_path: Path) -> None:
    path = written(tmp_path, ordered())
    con = tqp.connect(threads=1)
    for number in (5, 9_990, 0, 4_000, 10_001):
        query = f"SELECT k FROM '{path}' WHERE k - v >= {number} LIMIT 3"
        assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()


def test_what_is_shown_is_read_and_no_more(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    """The whole is read when it is asked for, and of the version that is there then."""
    path = written(tmp_path, ordered(), group=6000)
    con = tqp.connect(threads=1)
    relation = con.sql(f"SELECT k + 1 AS n, s FROM '{path}'")
    assert "10,000 rows (20 shown)" in repr(relation) and "10,000 rows" in relation._repr_html_()
    assert decoded and all(rows == 2**11 for _, rows in decoded)
    written(tmp_path, ordered(7_000, 5), group=6000)
    assert "7,000 rows (20 shown)" in repr(relation)
    assert len(relation) == 7_000 and repr(relation) == repr(con.sql(f"SELECT k + 1 AS n, s FROM '{path}'"))
    assert "7004" in repr(con.sql(f"SELECT k, (SELECT max(k) FROM '{path}') FROM '{path}'"))


def test_a_limit_over_other_rows_reads_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that a condition or a join leaves out are not the first ones."""
    limit(monkeypatch, excerpt_rows=1, excerpt_share=1.0)
    path = written(tmp_path, ordered(100), group=7)
    con = tqp.connect(threads=1)
    for text in ("WHERE k % 50 = 49 LIMIT 2", "JOIN (SELECT 98 AS n) ON k = n LIMIT 1", "ORDER BY k DESC LIMIT 3"):
        same(con, f"SELECT k FROM '{path}' {text}")


def test_excerpts_end_when_the_table_is_worth_reading(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    """Each condition has excerpts of its own until they have as many rows as the table; what was read whole stays."""
    path = written(tmp_path, ordered())
    con = tqp.connect(threads=1)
    for start in range(0, ROWS, 500):
        same(con, f"SELECT sum(k) FROM '{path}' WHERE k BETWEEN {start + 10} AND {start + 1400}")
    assert ("k", ROWS) in decoded
    assert sum(rows for _, rows in decoded) <= 2 * ROWS
    read = sum(item["bytes"] for item in con.cache().arrow().to_pylist() if item["kind"] == "column")
    assert read >= 2 * ROWS  # excerpts are listed with the table
    decoded.clear()
    same(con, f"SELECT sum(k) FROM '{path}' WHERE k = 17")
    assert not decoded


def test_other_constants_are_other_groups(tmp_path: Path) -> None:
    """A plan that leaves out groups because of a number serves that number alone."""
    path = written(tmp_path, ordered())
    con = tqp.connect(threads=1)
    for number in (5, 9_990, 5_000, 4_999, 0, 10_001):
        same(con, f"SELECT k, s FROM '{path}' WHERE k = {number}")
        assert len(con.sql(f"FROM '{path}' WHERE k >= ? LIMIT 2", [number]).fetchall()) == min(2, max(ROWS - number, 0))


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    con = tqp.connect(threads=1)
    path = written(tmp_path, ordered())
    text = f"SELECT count(*), max(v) FROM '{path}' WHERE k >= 9500"
    con.register("x", str(path))
    relation = con.sql("SELECT count(*) FROM x WHERE k >= 9500")
    assert con.sql(text).fetchall() == [(500, 1.5)]
    written(tmp_path, ordered(600, 9_000, 2.5), 100)
    assert con.sql(text).fetchall() == [(100, 2.5)]
    assert relation.fetchall() == [(100,)]


def test_a_file_that_is_replaced_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, ordered())
    decode = ParquetReader._decoded
    others = [ordered(700, 9_000, 2.5)]

    def replacing(self: ParquetReader, *rest: Any) -> list[pa.Array]:
        found = decode(self, *rest)
        if others:
            written(tmp_path, others.pop(), 100)
        return found

    monkeypatch.setattr(ParquetReader, "_decoded", replacing)
    text = f"SELECT count(*), max(v) FROM '{path}' WHERE k >= 9500"
    assert tqp.connect(threads=1).sql(text).fetchall() == [(200, 2.5)]


def test_partitions_leave_out_files(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    for year in (2020, 2021, 2022, 2023):
        (tmp_path / f"year={year}").mkdir()
        written(tmp_path / f"year={year}", pa.table({"v": [float(year)] * 1000}), 300)
    same(tqp.connect(threads=2), f"SELECT count(*), max(v) FROM '{tmp_path}/*/*.parquet' WHERE year = 2022")
    assert sum(rows for _, rows in decoded) == 1000


def test_texts_that_a_writer_cuts_short(tmp_path: Path, decoded: list[tuple[str, int]]) -> None:
    """Limits need not occur: cut below, and raised above."""
    texts = [f"{chr(97 + place // 1000)}{'é' * 100}{place:05}" for place in range(ROWS)]
    path = tmp_path / "x.parquet"
    pl.DataFrame({"s": texts, "n": range(ROWS)}).write_parquet(path, row_group_size=1000)
    con = tqp.connect(threads=1)
    for text in (texts[4_500], texts[999], texts[1_000], "c", "z"):
        for operator in ("=", "<", ">=", "<>"):
            same(con, f"SELECT count(*), min(n), max(n) FROM '{path}' WHERE s {operator} '{text}'")
            con.clear_cache()
    decoded.clear()
    same(con, f"SELECT sum(n) FROM '{path}' WHERE s = '{texts[4_500]}'")
    assert sum(rows for name, rows in decoded if name == "n") == 1000


OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_nan_is_in_no_limit_that_a_file_says(tmp_path: Path, kind: pa.DataType) -> None:
    nan, inf = math.nan, math.inf
    values = [1.0, 2.0, nan, nan, 3.0, nan, 5.0, 6.0, None, None, None, nan, -inf, -0.0, inf, None]
    path = written(tmp_path, pa.table({"x": pa.array(values, kind), "n": range(len(values))}), 2)
    asks_every_group(
        path, ["'nan'", "'inf'", "'-inf'", "0", "2", "3", "4", "NULL"], str(kind).replace("float", "FLOAT")
    )


def test_one_of_two_files_says_nothing(tmp_path: Path) -> None:
    numbers = [*range(8), None, None, *range(4, 8)]
    for name, told in (("a", True), ("b", False)):
        written(
            tmp_path, pa.table({"x": pa.array(numbers, pa.int32()), "n": range(14)}), 2, name, write_statistics=told
        )
    asks_every_group(tmp_path, ["0", "3", "7", "9", "NULL"], "INTEGER")


def asks_every_group(path: Path, constants: list[str], kind: str) -> None:
    """Each comparison of x with each of the constants has DuckDB's rows, whichever groups it leaves out."""
    kind = {"FLOAT32": "FLOAT", "FLOAT64": "DOUBLE", "float": "FLOAT", "double": "DOUBLE"}.get(kind, kind)
    files = f"'{path}'" if path.is_file() else f"'{path}/*.parquet'"
    left_out = 0
    # DuckDB leaves out groups, too, where a file hides a NaN; not of rows in memory.
    plain = duckdb.connect()
    plain.register("rows", pq.read_table(path))
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, excerpt_rows=0, excerpt_share=1.0)
        con = tqp.connect(threads=1)
        for constant in constants:
            for operator in OPERATORS:
                text = f"SELECT n FROM {files} WHERE x {operator} {constant}::{kind} ORDER BY n"
                expected = plain.sql(text.replace(files, "rows")).fetchall()
                assert con.sql(text).fetchall() == expected, text
                left_out += any(table.excerpt is not None for table in tables_of(con.sql(text)._query.optimized))
                con.clear_cache()
    assert left_out


KINDS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int8(): st.integers(-3, 3),
    pa.uint32(): st.sampled_from([0, 1, 2**31, 2**32 - 1]),
    pa.uint64(): st.sampled_from([0, 1, 2**63, 2**64 - 1]),
    pa.int64(): st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1]),
    pa.decimal128(9, 2): st.integers(-5, 5).map(lambda n: decimal.Decimal(n).scaleb(-2)),
    pa.decimal128(38, 3): st.sampled_from([10**37, -(10**37), 0, 5]).map(lambda n: decimal.Decimal(f"{n}e-3")),
    pa.date32(): st.dates(datetime.date(1969, 12, 30), datetime.date(1970, 1, 3)),
    pa.timestamp("us"): st.integers(-3, 3),
    pa.timestamp("ms"): st.integers(-3, 3),
    pa.timestamp("s"): st.integers(-3, 3),
    pa.timestamp("ns"): st.integers(-3, 3).map(lambda n: 1000 * n),
    pa.timestamp("us", "UTC"): st.integers(-3, 3),
    pa.time64("us"): st.integers(0, 3),
    pa.bool_(): st.booleans(),
    pa.float32(): st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5]),
    pa.float64(): st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5]),
    pa.string(): st.text("aé", max_size=2),
}


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_comparison_with_any_groups(tmp_path: Path, data: st.DataObject) -> None:
    """Every value is compared with another one of its column, or with NULL alone; groups may be NULL, NaN, or untold of."""
    kind = data.draw(st.sampled_from(list(KINDS)))
    values = data.draw(st.lists(st.one_of(st.none(), KINDS[kind]), min_size=1, max_size=12))
    column = pa.array(values, kind)
    path = tmp_path / "x.parquet"
    pq.write_table(
        pa.table({"x": column, "n": range(len(column))}),
        path,
        row_group_size=data.draw(st.integers(1, 4)),
        write_statistics=data.draw(st.sampled_from([True, True, False, ["n"]])),
        use_dictionary=data.draw(st.booleans()),
        store_decimal_as_integer=data.draw(st.booleans()),
        store_schema=data.draw(st.booleans()),
        version=data.draw(st.sampled_from(["1.0", "2.6"])),
    )
    place = data.draw(st.integers(0, len(values) - 1))
    operator = data.draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"]))
    plain = duckdb.connect()
    literal = plain.sql(f"SELECT x::VARCHAR, typeof(x) FROM '{path}' WHERE n = {place}").fetchall()[0]
    name = "TIMESTAMP" if literal[1] == "TIMESTAMP_NS" else literal[1]
    one = "NULL" if literal[0] is None else f"'{literal[0]}'::{name}"
    condition = data.draw(
        st.sampled_from(
            [f"x {operator} {one}", f"x IN ({one}, NULL)", "x IS NULL", f"x IS NOT NULL AND x {operator} {one}"]
        )
    )
    text = f"SELECT n FROM '{path}' WHERE {condition} ORDER BY n"
    plain.register("rows", pq.read_table(path))
    expected = plain.sql(text.replace(f"'{path}'", "rows")).fetchall()
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, excerpt_rows=0, excerpt_share=1.0)
        for asked in (text, f"SELECT n FROM '{path}' LIMIT {place}"):
            found = tqp.connect(threads=1).sql(asked).fetchall()
            assert found == (expected if asked is text else [(row,) for row in range(place)]), asked


def test_an_excerpt_is_the_rows_of_its_groups(tmp_path: Path) -> None:
    path = written(tmp_path, ordered(), 1500)
    source = parquet_source(path)
    reader = source.open(source.look().files)
    assert isinstance(reader, ParquetReader)
    assert reader.groups == [1500] * 6 + [1000]
    part = reader.excerpt(Excerpt((1, 6), 2500))
    assert part.column("k").data.tolist() == [*range(1500, 3000), *range(9000, 10_000)]
    first = reader.excerpt(Excerpt((0, 1), 1501))
    assert first.column("k").data.tolist() == list(range(1501))
    assert first.column("s").data.shape == (1501,) and reader.rows == ROWS


def test_a_plan_over_an_excerpt_travels_with_its_groups(tmp_path: Path) -> None:
    path = written(tmp_path, ordered())
    con = tqp.connect(threads=1)
    con.register("x", str(path))
    (table,) = tables_of(con.sql("FROM x").plan)
    relation = con.sql("SELECT k FROM x WHERE k < 900")
    plan = relation._query.optimized
    copy = pickle.loads(pickle.dumps(plan))
    (reference,) = references_of(copy)
    assert reference.excerpt == Excerpt((0,), 1000)
    (part,) = tables_of(attached(copy, {table.name: table}))
    assert part.rows == 1000
    con.register("x", {"k": list(range(ROWS))})
    (other,) = tables_of(con.sql("FROM x").plan)
    with pytest.raises(SourceError, match="row groups"):
        attached(copy, {table.name: other})
