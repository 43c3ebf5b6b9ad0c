"""COPY: files as DuckDB writes them, which appear whole or not at all, and what comes back of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

import tqp
from tests.statements.runner import Sides
from tqp.errors import BindError, ExecutionError, SourceError, TqpError, UnsupportedError
from tqp.verify.compare import compare

VALUES = """SELECT * FROM (VALUES
    (1, 'a b', 1.50, DATE '2020-01-02', TIMESTAMP '2020-01-02 03:04:05.5', true, 1e300::DOUBLE, 5::HUGEINT, INTERVAL 1 DAY),
    (2, 'q"q,', -0.25, DATE '1999-12-31', NULL, false, 1e-7, -7, INTERVAL '1 month 2 days'),
    (3, ' lead#', NULL, NULL, TIMESTAMP '1970-01-01', NULL, 'nan', NULL, NULL),
    (4, e'n\\nn', 99.99, DATE '2020-02-29', TIMESTAMP '2000-01-01', true, '-inf', 1, INTERVAL 0 DAY),
    (5, '', 0.00, NULL, NULL, NULL, -0.0, 0, NULL),
    (6, NULL, 7.10, NULL, NULL, NULL, 0.1, 12345678901234567890, NULL),
    (7, 'back\\ s/é|', 7.00, NULL, NULL, NULL, 123456.75, NULL, NULL)
) t(i, s, d, dt, ts, b, f, h, iv) ORDER BY i"""


@pytest.fixture
def sides() -> Iterator[Sides]:
    made = Sides()
    yield made
    made.close()


def written(sides: Sides, folder: Path, query: str, name: str, options: str = "") -> tuple[bytes, bytes]:
    """What tqp and DuckDB write."""
    found = []
    for side, run in (("tqp", sides.tqp.execute), ("duckdb", sides.duckdb.execute)):
        place = folder / side
        place.mkdir(exist_ok=True)
        run(f"COPY ({query}) TO '{place / name}' {options}")
        assert sorted(os.listdir(place)) == [name], "what was written beside is gone"
        found.append((place / name).read_bytes())
        (place / name).unlink()
    return found[0], found[1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("x.csv", ""),
        ("x.tsv", ""),
        ("x.txt", ""),
        ("x.csv", "(HEADER false, DELIMITER '|')"),
        ("x.csv", "(DELIMITER '-', NULL 'N/A', ESCAPE '\\', FORCE_QUOTE (s, D))"),
        ("x.csv", "(DELIMITER '\\t')"),
        ("x.csv", "(FORCE_QUOTE *, QUOTE '''')"),
        ("x.csv", "(SEP ';;', HEADER)"),
        ("x.csv", "(DATEFORMAT '%d/%m/%Y', TIMESTAMPFORMAT '%Y')"),
        ("x.csv", "WITH (FORMAT 'csv', NULLSTR '\\N')"),
        ("x.csv", "HEADER DELIMITER ';'"),
        ("x.csv", "CSV HEADER"),
        ("x.csv", "(ESCAPE '')"),
        ("x.csv", "(QUOTE '')"),
        ("x.csv", "(PREFIX '<', SUFFIX '>')"),
        ("x.csv", "(PREFIX '', SUFFIX '')"),
        ("x.csv", "(PREFIX '[', SUFFIX ']', HEADER false, NEW_LINE '\\r\\n')"),
        ("x.csv", "(NEW_LINE '--', DATE_FORMAT '%d', TIMESTAMP_FORMAT '%Y', STRICT_MODE false)"),
        ("x.csv", "(COMPRESSION auto_detect, USE_TMP_FILE false, PRESERVE_ORDER true, HIVE_FILE_PATTERN true)"),
        ("x.json", ""),
        ("x.json", "(ARRAY true)"),
        ("x.ndjson", "(ARRAY)"),
        ("x", "(FORMAT json, DATEFORMAT '%d')"),
    ],
)
def test_texts_are_those_of_duckdb(sides: Sides, tmp_path: Path, name: str, options: str) -> None:
    ours, theirs = written(sides, tmp_path, VALUES, name, options)
    assert ours.decode() == theirs.decode()
    nothing = f"SELECT * FROM ({VALUES}) WHERE false"
    ours, theirs = written(sides, tmp_path, nothing, name, options)
    assert ours.decode() == theirs.decode()


def test_formats_of_timestamps(sides: Sides, tmp_path: Path) -> None:
    """In CSV of those in microseconds, with a time zone or without one, in JSON of all."""
    names = ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE")
    query = f"SELECT {', '.join(f'v::{name}' for name in names)} FROM (SELECT TIMESTAMP '2020-01-02 03:04:05' AS v)"
    for name in ("x.csv", "x.json"):
        ours, theirs = written(sides, tmp_path, query, name, "(TIMESTAMPFORMAT '%Y %H')")
        assert ours.decode() == theirs.decode()


def test_tabs_written_out(sides: Sides, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1\tx\n")
    for run in (sides.tqp.execute, sides.duckdb.execute):
        run("CREATE TABLE t (a INTEGER, b VARCHAR)")
        run(f"COPY t FROM '{tmp_path}/x.csv' (DELIMITER '\\t', HEADER false)")
        assert run("FROM t").fetchall() == [(1, "x")]


def test_nested_values_as_json(sides: Sides, tmp_path: Path) -> None:
    query = """SELECT * FROM (VALUES
        (1, [1, NULL], {'a': 'x"', 'b': 1.50::DECIMAL(4, 2)}, MAP {'k': DATE '2020-01-02'}, '{"y" : [ 1 ]}'::JSON, ['[1 ]'::JSON]),
        (2, [], NULL, MAP {}, NULL, NULL)) t(i, l, s, m, j, jl) ORDER BY i"""
    for options in ("", "(ARRAY true)"):
        ours, theirs = written(sides, tmp_path, query, "x.json", options)
        assert ours.decode() == theirs.decode()


def test_names_that_repeat(sides: Sides, tmp_path: Path) -> None:
    for name in ("x.csv", "x.json"):
        ours, theirs = written(sides, tmp_path, 'SELECT 1 AS a, 2 AS A, 3 AS "q""q,"', name)
        assert ours == theirs


@pytest.mark.parametrize(
    "options", ["", "(COMPRESSION zstd, ROW_GROUP_SIZE 3)", "(FORMAT parquet, CODEC 'uncompressed')"]
)
def test_parquet(sides: Sides, tmp_path: Path, options: str) -> None:
    path = tmp_path / "x.parquet"
    query = f"SELECT * EXCLUDE (h, iv), [1, i]::FLOAT[2] AS v, TIME '01:02:03' AS t FROM ({VALUES})"
    assert sides.tqp.execute(f"COPY ({query}) TO '{path}' {options}").fetchall() == [(7,)]
    ours = sides.duckdb.sql(f"SELECT * EXCLUDE v FROM '{path}'").to_arrow_table()
    expected = sides.duckdb.sql(f"SELECT * EXCLUDE v FROM ({query})").to_arrow_table()
    assert compare(ours, expected) is None
    assert pq.ParquetFile(path).num_row_groups == (3 if "ROW_GROUP_SIZE" in options else 1)
    assert sides.tqp.sql(f"SELECT count(v), max(v[2]) FROM '{path}'").fetchall() == [(7, 7.0)]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_partitions(sides: Sides, tmp_path: Path, kind: str) -> None:
    query = (
        "SELECT * FROM (VALUES (1, 'x y/ü=%', 10), (NULL, 'b', 20), (1, 'b', 30), (1, '', 40), (1, 'b', 50)) t(a, s, v)"
    )
    files = []
    for side, run in (("tqp", sides.tqp.execute), ("duckdb", sides.duckdb.execute)):
        place = tmp_path / side
        assert run(f"COPY ({query}) TO '{place}' (FORMAT {kind}, PARTITION_BY (A, s))").fetchall() == [(5,)]
        files.append(sorted(str(path.relative_to(place)) for path in place.rglob("*")))
        if kind != "parquet":
            files[-1] += [path.read_text() for path in sorted(place.rglob("*.*"))]
    assert files[0] == files[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["duckdb", "tqp"]
    with pytest.raises(SourceError, match="there is something already"):
        sides.tqp.execute(f"COPY ({query}) TO '{tmp_path / 'tqp'}' (FORMAT {kind}, PARTITION_BY (a, s))")
    count = len(list((tmp_path / "tqp").rglob(f"*.{kind}")))
    sides.tqp.execute(
        f"COPY ({query}) TO '{tmp_path / 'tqp'}' (FORMAT {kind}, PARTITION_BY (a, s), OVERWRITE_OR_IGNORE)"
    )
    assert len(list((tmp_path / "tqp").rglob(f"*.{kind}"))) == count
    sides.tqp.execute(f"COPY ({query}) TO '{tmp_path / 'tqp'}' (FORMAT {kind}, PARTITION_BY (a, s), APPEND)")
    assert len(list((tmp_path / "tqp").rglob(f"*.{kind}"))) == 2 * count
    overwrite = (
        f"(FORMAT {kind}, PARTITION_BY a, OVERWRITE, WRITE_PARTITION_COLUMNS true, FILENAME_PATTERN 'part_{{i}}')"
    )
    sides.tqp.execute(f"COPY ({query}) TO '{tmp_path / 'tqp'}' {overwrite}")
    assert sorted(path.name for path in (tmp_path / "tqp").rglob("*.*")) == 2 * [f"part_0.{kind}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["duckdb", "tqp"]


@pytest.mark.parametrize(
    "options",
    [
        "RETURN_FILES",
        "RETURN_FILES false",
        "RETURN_FILES, PARTITION_BY (a)",
        "RETURN_FILES, PARTITION_BY (a), FILENAME_PATTERN 'part'",
        "RETURN_FILES, PER_THREAD_OUTPUT",
        "PER_THREAD_OUTPUT, FILENAME_PATTERN 'x_{i}y', FILE_EXTENSION 'txt', RETURN_FILES",
        "PER_THREAD_OUTPUT false",
        "WRITE_EMPTY_FILE false, RETURN_FILES",
        "WRITE_EMPTY_FILE true, RETURN_FILES",
        "PREFIX '<', SUFFIX '>', PARTITION_BY (a)",
    ],
)
@pytest.mark.parametrize("condition", ["true", "false"])
def test_what_is_told_of_files(sides: Sides, tmp_path: Path, options: str, condition: str) -> None:
    """The same answers, and the same files of the same names."""
    place, outcomes = tmp_path / "out", []
    for run in (sides.tqp.execute, sides.duckdb.execute):
        query = f"SELECT range AS a, 'x' || range AS s FROM range(3) WHERE {condition}"
        answer = run(f"COPY ({query}) TO '{place}' (FORMAT csv, {options})")
        rows = [(count, *map(sorted, files)) for count, *files in answer.fetchall()]
        found = [(str(path), path.read_bytes()) for path in [place, *sorted(place.rglob("*"))] if path.is_file()]
        outcomes.append(([name for name, *_ in answer.description], rows, found))
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "options",
    [
        "FIELD_IDS 'auto'",
        "FIELD_IDS {A: 5, l: {__duckdb_field_id: 8, element: {z: 9}}}",
        "FIELD_IDS {s: {x: 4, y: {element: 6}}, m: {key: 10, value: 11}, v: 12}",
        "FIELD_IDS {}",
        "FIELD_IDS {b: 1}",
        "FIELD_IDS {a: 1, m: 1}",
        "FIELD_IDS {a: -1}",
        "FIELD_IDS {a: {x: 1}}",
        "FIELD_IDS {v: {element: 1}}",
        "FIELD_IDS 'some'",
        "KV_METADATA {author: 'é', n: 5, d: DATE '2020-01-02'}",
        "KV_METADATA {author: NULL}",
        "KV_METADATA 'some'",
        "CHUNK_SIZE 2048, PARTITION_BY (a), FIELD_IDS {m: 3}",
    ],
)
def test_numbers_of_fields_and_metadata(sides: Sides, tmp_path: Path, options: str) -> None:
    query = "SELECT 1 AS a, {'x': 1, 'y': [1]} AS s, [{'z': 1}] AS l, MAP {'k': 1} AS m, [1.5, 2]::FLOAT[2] AS v"
    outcomes = []
    for run, failure in ((sides.tqp.sql, TqpError), (sides.duckdb.sql, duckdb.Error)):
        place = tmp_path / str(len(outcomes))
        try:
            run(f"COPY ({query}) TO '{place}' (FORMAT parquet, {options})")
        except failure:
            outcomes.append(["refused"])
            continue
        (file,) = [path for path in [place, *place.rglob("*")] if path.is_file()]
        told = (
            f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{file}') WHERE decode(key) <> 'ARROW:schema'"
        )
        fields = f"SELECT name, field_id FROM parquet_schema('{file}') WHERE field_id IS NOT NULL"
        outcomes.append([sides.duckdb.sql(one).fetchall() for one in (fields, told)])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("FORMAT parquet, FILE_SIZE_BYTES '1MB'", "PARTITION_BY"),
        ("FORMAT parquet, ROW_GROUPS_PER_FILE 2", "PARTITION_BY"),
        ("FORMAT parquet, ROW_GROUP_SIZE_BYTES 10", "ROW_GROUP_SIZE"),
        ("FORMAT parquet, WRITE_BLOOM_FILTER true", "ROW_GROUP_SIZE"),
        ("FORMAT parquet, PARQUET_VERSION v2", "ROW_GROUP_SIZE"),
        ("FORMAT parquet, RETURN_STATS", "RETURN_FILES"),
        ("FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'k'}", "encrypt"),
        ("FORMAT csv, HIVE_FILE_PATTERN false", "key=value"),
        ("FORMAT csv, PREFIX '<'", "SUFFIX"),
        ("FORMAT csv, PREFIX '<', SUFFIX '>', HEADER", "HEADER"),
        ("FORMAT csv, NOTHING 1", "options are"),
    ],
)
def test_options_that_there_are_not(tmp_path: Path, options: str, said: str) -> None:
    with tqp.connect(threads=1) as con, pytest.raises(TqpError, match=said):
        con.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path / 'x'}' ({options})")
    assert not list(tmp_path.iterdir())


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    con = tqp.connect(threads=1)
    path = tmp_path / "x.csv"
    path.write_text("before")
    con.execute("CREATE TABLE t AS SELECT 1 AS a, 'q' AS s")
    for query, kind in (
        ("SELECT CAST(s AS INTEGER) FROM t", ExecutionError),
        ("SELECT nope FROM t", BindError),
    ):
        with pytest.raises(kind):
            con.execute(f"COPY ({query}) TO '{path}'")
    for options in (
        "(BLAH 1)",
        "(FORMAT nope)",
        "(HEADER 7)",
        "(FORMAT csv, FORMAT csv)",
        "(COMPRESSION nope)",
        "(PARTITION_BY b)",
        "(PARTITION_BY (a, A))",
        "(QUOTE 'ab')",
        "(ESCAPE 'é')",
    ):
        with pytest.raises(TqpError):
            con.execute(f"COPY t TO '{path}' {options}")
    with pytest.raises(BindError, match="name of a file"):
        con.execute("COPY t TO ''")
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"] and path.read_text() == "before"
    with pytest.raises(SourceError, match="there is no folder"):
        con.execute(f"COPY t TO '{tmp_path}/none/x.csv'")
    with pytest.raises(UnsupportedError, match="INTERVAL"):
        con.execute(f"COPY (SELECT INTERVAL 1 DAY AS i) TO '{path}' (FORMAT parquet)")
    assert con.execute(f"COPY t (s) TO '{path}'").fetchall() == [(1,)] and path.read_text() == "s\nq\n"
    with pytest.raises(SourceError, match="reads none|external_access"):
        tqp.connect(external_access=False).execute(f"COPY (SELECT 1) TO '{path}'")
    assert path.read_text() == "s\nq\n"


def test_gzip(sides: Sides, tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    sides.tqp.execute(f"COPY ({VALUES}) TO '{path}'")
    assert sides.duckdb.sql(f"SELECT count(*), sum(i) FROM '{path}'").fetchall() == [(7, 28)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("1,2,x\n3,,y\n", ""),
        ('a,b,s\n1,2,x\n3,,""\n', ""),
        ("1|2|x\n3|4|\n", ""),
        ("p;q;r\n1;2;x\n", ""),
        ('A,B,S\n1,2,"x,""y"\n', "(HEADER)"),
        ("1,2,NA\nNA,3,z\n", "(NULL 'NA', HEADER false)"),
        ("1,2,x\n1,z,y\n", ""),
        ("1,2,x\n3,4,y\n", "(SKIP 0)"),
        ("1,2,x\n3,4,y\n", "(SKIP 1)"),
        ("1,2,x\n", "(DELIMITER '')"),
        ("1,2\n", ""),
        ("", ""),
    ],
)
def test_csv_into_a_table(sides: Sides, tmp_path: Path, text: str, options: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    outcomes = []
    for run, failure in ((sides.tqp.execute, TqpError), (sides.duckdb.execute, duckdb.Error)):
        run("CREATE TABLE t(a INTEGER, b DECIMAL(5, 1), s VARCHAR)")
        try:
            count = run(f"COPY t FROM '{path}' {options}").fetchall()
        except failure:
            count = []
        outcomes.append((count, run("FROM t ORDER BY ALL").fetchall()))
    assert outcomes[0] == outcomes[1]


def test_parquet_into_a_table(sides: Sides, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    sides.duckdb.execute(f"COPY (SELECT 1::BIGINT AS x, '5' AS y) TO '{path}'")
    for run in (sides.tqp.execute, sides.duckdb.execute):
        run("CREATE TABLE t(a TINYINT, b INTEGER DEFAULT 7)")
        assert run(f"COPY t FROM '{path}'").fetchall() == [(1,)]
    assert sides.tqp.sql("FROM t").fetchall() == sides.duckdb.sql("FROM t").fetchall() == [(1, 5)]
    for text in (
        f"COPY nope FROM '{path}'",
        "COPY t FROM 'nowhere.csv'",
        f"COPY t(a) FROM '{path}'",
        f"COPY t FROM '{path}' (NOPE)",
    ):
        with pytest.raises(TqpError):
            sides.tqp.execute(text)
    assert sides.tqp.sql("FROM t").fetchall() == [(1, 5)]


@pytest.mark.parametrize(
    "options", ["", "(FORMAT json, ARRAY)", "(ARRAY false)", "(IGNORE_ERRORS)", "(AUTO_DETECT, DATEFORMAT '%d/%m/%Y')"]
)
@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('{"a": 1, "s": "x", "d": "2020-01-02"}\n{"a": 2}\n', ""),
        ('[{"a": 1, "l": [1, null]}, {"l": [], "c": 3, "a": "7"}]', ""),
        ('{"a": 1, "s": {"x": [1]}}\n{"A": 2}', ""),
        ('{"a": 1, "s": "x"}\n{"s": "y"}', "(s)"),
        ('{"a": 1, "s": "x"}\n{"s": "y", "a": 4}', "(s, a)"),
        ('{"a": 1}\n{"a": "x", "s": "y"}\n', ""),
        ('{"a": 1, "d": "31/12/2020"}', ""),
        ("1\n2\n", "(a)"),
        ('null\n{"a": 1}', ""),
        ('{"a": 1, "a": 2}', ""),
        ('{"b": null, "a": 1}', "(a, b)"),
        ("", ""),
        ("nope", ""),
    ],
)
def test_json_into_a_table(sides: Sides, tmp_path: Path, text: str, columns: str, options: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    outcomes = []
    for run, failure in ((sides.tqp.execute, TqpError), (sides.duckdb.execute, duckdb.Error)):
        run("CREATE TABLE t(a INTEGER, b INTEGER NOT NULL DEFAULT 5, s VARCHAR, d DATE, l INTEGER[])")
        try:
            count = run(f"COPY t{columns or '(a, s, d, l)'} FROM '{path}' {options}").fetchall()
        except failure:
            count = []
        outcomes.append((count, run("FROM t ORDER BY ALL").fetchall()))
    assert outcomes[0] == outcomes[1]
    with pytest.raises(TqpError, match="option header"):
        sides.tqp.execute(f"COPY t FROM '{path}' (HEADER)")


@pytest.mark.parametrize("option", ["", ", COMMENT ''", ", COMMENT '!'", ", DELIMITER ';', COMMENT ','"])
def test_what_may_begin_a_comment_stands_in_quotes(sides: Sides, tmp_path: Path, option: str) -> None:
    query = "SELECT 'a#b' AS x, 'p!q' AS y, 'a,b' AS z, 'c\"d' AS q, 'plain'"
    ours, theirs = written(sides, tmp_path, query, "x.csv", f"(FORMAT csv{option})")
    assert ours == theirs
    for wrong in ("'!!'", "','", "'\"'", "'é'"):
        text = f"COPY ({query}) TO '{tmp_path}/y.csv' (FORMAT csv, COMMENT {wrong})"
        assert isinstance(sides.actual(text), TqpError) and isinstance(sides.expected(text), duckdb.Error), text


def test_a_file_whose_name_is_computed(sides: Sides, tmp_path: Path) -> None:
    for side, run in (("tqp", sides.tqp.sql), ("duckdb", sides.duckdb.sql)):
        run(f"SET VARIABLE place = '{tmp_path / side}'")
        run("COPY (SELECT 1 AS a, 'x' AS b) TO (getvariable('place') || '.csv') (HEADER)")
        run("CREATE TABLE t(a INTEGER, b VARCHAR)")
        run("COPY t FROM (getvariable('place') || '.csv')")
    assert sides.tqp.sql("FROM t").fetchall() == sides.duckdb.sql("FROM t").fetchall() == [(1, "x")]
    for text in ("COPY t FROM (NULL)", "COPY t TO (SELECT 'x')"):
        assert isinstance(sides.actual(text), TqpError) and isinstance(sides.expected(text), duckdb.Error), text


def test_a_computed_name_needs_access_to_files(tmp_path: Path) -> None:
    with tqp.connect(external_access=False) as con, pytest.raises(TqpError, match="external_access"):
        con.sql(f"COPY (SELECT 1) TO ('{tmp_path}' || '/x.csv')")
