"""CSV files as DuckDB reads them: every case in its table by both ways of reading, encodings, packed files, several files, errors."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tqp
from tests.io.csv_cases import CASES
from tqp.errors import SourceError, TqpError, UnsupportedError
from tqp.verify.compare import compare


def same_as_duckdb(query: str) -> bool:
    """Whether both give the same columns and rows, or both an error (False)."""
    try:
        expected = duckdb.sql(query)
        names, kinds, rows = (
            expected.columns,
            [str(kind).replace('"NULL"', "NULL") for kind in expected.types],
            expected.to_arrow_table(),
        )
    except duckdb.Error:
        with pytest.raises(TqpError) as caught:
            tqp.connect(threads=1).execute(query)
        assert "bug" not in str(caught.value)
        return False
    relation = tqp.connect(threads=1).sql(query)
    assert relation.columns == names
    assert [str(kind).replace('"NULL"', "NULL") for kind in relation.types] == kinds
    assert compare(relation.arrow(), rows) is None
    return True


@pytest.mark.parametrize("by_arrow", [True, False], ids=["arrow", "records"])
@pytest.mark.parametrize(("text", "options"), CASES, ids=range(len(CASES)))
def test_as_duckdb(text: str, options: str, by_arrow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not by_arrow:
        monkeypatch.setattr("tqp.io.csv.file._by_arrow", lambda *_: None)
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode(errors="surrogateescape"))
    same_as_duckdb(f"FROM read_csv('{path}'{', ' if options else ''}{options})")


VALUES = st.one_of(
    st.sampled_from(["", "1", "-7", "2.5", "x", "true", "2020-01-02", "a b", "1e3", " 1", "NULL", "12:30:00", "é"]),
    st.text("ab1,;|\"' \n", max_size=6),
)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=2, max_size=6))
def test_what_is_written_comes_back(rows: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Quoted values in any order: both ways of reading, and DuckDB, have the same rows."""
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    doubled = [["h1", "h2", "h3"], *[[value.replace('"', '""') for value in row] for row in rows]]
    path.write_text("\n".join(",".join(f'"{value}"' for value in row) for row in doubled) + "\n", newline="")
    query = f"FROM read_csv('{path}', header = true, delim = ',', quote = '\"', escape = '\"', all_varchar = true)"
    expected = [tuple(value or None for value in row) for row in rows]
    assert tqp.connect(threads=1).sql(query).fetchall() == expected == duckdb.sql(query).fetchall()


@pytest.mark.parametrize(
    ("encoding", "option"), [("latin-1", "latin-1"), ("utf-16", "utf-16"), ("utf-8", "utf-8"), ("utf-8-sig", "utf-8")]
)
def test_encodings(encoding: str, option: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("é,b\nü,1\nß,2\n".encode(encoding))
    assert same_as_duckdb(f"FROM read_csv('{path}', encoding = '{option}')")


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".zst", None)])
def test_packed_files(ending: str, pack: Any, tmp_path: Path) -> None:
    path, content = tmp_path / f"x.csv{ending}", b"a,b\n1,x\n2,y\n"
    path.write_bytes(pa.compress(content, "zstd", asbytes=True) if pack is None else pack(content))
    rows = [(1, "x"), (2, "y")]
    con = tqp.connect(threads=1)
    assert con.sql(f"FROM '{path}'").fetchall() == con.read_csv(path).fetchall() == rows
    other = tmp_path / "packed"
    other.write_bytes(path.read_bytes())
    codec = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}[ending]
    assert con.sql(f"FROM read_csv('{other}', compression = '{codec}')").fetchall() == rows
    with pytest.raises(SourceError, match="cannot read"):
        con.sql(f"FROM read_csv('{path}', compression = 'none')").fetchall()


FILES = {
    "a.csv": "i,s\n1,x\n2,y\n",
    "reordered.csv": "s,i\nz,3\n",
    "widened.csv": "i,s\n1.5,w\n",
    "added.csv": "i,s,extra\n4,w,2020-01-01\n",
    "fewer.csv": "i\n5\n",
    "text.csv": "i,s\nt,u\n",
    "other.csv": "i;s\n6;v\n",
    "empty.csv": "",
    "head.csv": "i,s\n",
    "null.csv": "i,s\n,\n",
    "dates.csv": "i,s\n2020-01-02,\n",
    "days.csv": "i,s\n31/12/2020,q\n",
    "times.csv": "i,s\n2020-01-02 10:00:00,\n",
    "huge.csv": "i,s\n12345678901234567890,\n",
    "true.csv": "i,s\ntrue,\n",
    "h/k=1/x.csv": "v\n1\n",
    "h/k=2/x.csv": "v\n2\n",
}
QUERIES = """
FROM read_csv(['a.csv', 'other.csv'])
FROM read_csv(['a.csv', 'widened.csv'])
FROM read_csv(['widened.csv', 'a.csv'])
FROM read_csv(['a.csv', 'text.csv'])
FROM read_csv(['text.csv', 'a.csv'])
FROM read_csv(['a.csv', 'added.csv', 'fewer.csv'], union_by_name = true)
FROM read_csv(['a.csv', 'widened.csv', 'text.csv'], union_by_name = true)
FROM read_csv(['a.csv', 'fewer.csv'])
FROM read_csv('[a]*.csv', union_by_name = true, filename = true)
FROM read_csv('h/**/*.csv')
FROM read_csv('h/*/x.csv', hive_partitioning = false, filename = 'f')
FROM read_csv('h/*/x.csv', hive_types = {'k': 'VARCHAR'})
FROM read_csv('h/*/x.csv', hive_types = {k: VARCHAR}, filename = "Place")
FROM read_csv('h/*/x.csv', all_varchar = true, nullstr = [x, N])
FROM read_csv('h/*/x.csv', hive_types = {'k': klingon})
FROM read_csv(concat(list_string_agg([lower(s) for s in ['A', 'B'] if s < 'B']), '.csv'))
FROM read_csv([lower(s) for s in ['A.CSV']])
FROM read_csv('nothing*.csv')
FROM read_csv('a.csv', file_row_number = true)
FROM read_csv_auto('a.csv', filename = true)
FROM read_csv('a.csv', filename = 'i')
FROM 'h/*/*.csv'
FROM read_csv(['head.csv', 'a.csv'])
FROM read_csv(['a.csv', 'empty.csv'])
FROM read_csv(['a.csv', 'empty.csv', 'dates.csv'], union_by_name = true)
FROM read_csv(['dates.csv', 'times.csv'])
FROM read_csv(['dates.csv', 'times.csv', 'days.csv'], union_by_name = true)
FROM read_csv(['a.csv', 'huge.csv'])
FROM read_csv(['huge.csv', 'widened.csv'])
FROM read_csv(['a.csv', 'true.csv'])
FROM read_csv(['a.csv', 'true.csv'], union_by_name = true)
FROM read_csv(['null.csv', 'a.csv'])
SELECT a.i FROM 'a.csv'
SELECT sum(i) FROM read_csv('a.csv') WHERE s = 'x'
"""


@pytest.mark.parametrize("query", QUERIES.strip().splitlines())
def test_several_files(query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    same_as_duckdb(query)


LONG = "".join(f"{row},x\n" for row in range(30_000))


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,b\n" + LONG + "y,x\n", {}, "'y' on line 30002, column 'a', is no BIGINT.*VARCHAR"),
        ("a,b\n" + LONG + "1,x,3\n", {}, "line 30002 has 3 values instead of 2.*ignore_errors=true"),
        ("a,b\n" + LONG + "1\n", {}, "line 30002 has 1 values instead of 2.*null_padding=true"),
        ('a,b\n"1\n2",x\n3,4,5\n', {"delimiter": ",", "quote": '"', "skip": 0, "columns": {"a": "VARCHAR", "b": "VARCHAR"}},
         "line 4 has 3 values"),
        ("a\n01/02/2020\n", {"types": {"a": "DATE"}, "dateformat": "%Y-%m-%d"}, "line 2, column 'a', is no DATE"),
        ("a,b\n1,2\n", {"types": {"zz": "INTEGER"}}, "no column 'zz'.*a, b"),
        ("a,b\n1,2\n", {"force_not_null": ["zz"]}, "no column 'zz'.*a, b"),
        ("a,b\n1,2\n", {"encoding": "cp1252"}, "encoding is not 'cp1252'.*latin-1.*iconv"),
        ("a,b\n1,2\n", {"names": ["x", "x"]}, "'x' stands twice"),
        ("a,b\n1,2\n", {"skip": 5}, "has 2 lines, and skip=5"),
    ],
)  # fmt: skip
def test_errors_say_what_where_and_what_works(text: str, options: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        tqp.connect(threads=1).read_csv(path, **options).fetchall()
    message = str(caught.value).replace("\n", " ")
    assert "x.csv" in message or "stands twice" in message or "encoding" in message
    assert re.search(said, message), message


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_times_in_another_format_are_in_the_zone_of_the_session(zone: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n13/02/2021 10:00:00,2020-01-02 10:00:00\n14/02/2021 10:00:00,2020-07-02 10:00:00\n")
    con, other = tqp.connect(threads=1), duckdb.connect()
    for query in (
        f"SELECT typeof(b), epoch(b), b > '2020-03-01' FROM '{path}' WHERE b <> '2020-01-01' ORDER BY b DESC",
        f"SELECT count(*), max(a), count(DISTINCT b), min(epoch(b)) FROM read_csv('{path}')",
        f"SELECT column_type FROM (DESCRIBE FROM '{path}')",
    ):
        for one in (con, other):
            one.execute(f"SET TimeZone = '{zone}'")
        assert con.sql(query).fetchall() == other.sql(query).fetchall()


def test_text_that_is_no_utf8_says_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1,x\n2,\xe9\n")
    with pytest.raises(SourceError, match=r"line 3 is no UTF-8(.|\n)*encoding='latin-1'"):
        tqp.connect(threads=1).read_csv(path)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("store_rejects = true", "ignore_errors=true"),
        ("rejects_table = 'r'", "ignore_errors=true"),
        ("strict_mode = false", "null_padding=true"),
        ("schema = NULL", "columns="),
    ],
)
def test_refused_options_say_what_works(option: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(UnsupportedError, match=said):
        tqp.connect(threads=1).sql(f"FROM read_csv('{tmp_path}/x.csv', {option})")


def test_integers_beyond_128_bits_are_bignums(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"a,b,c,d\n{'1' * 43},1,{'1' * 43},\n-{'2' * 60},2,0x1F, {'3' * 39} \n5,3,1,7\n")
    con, query = tqp.connect(threads=1), f"SELECT *, typeof(a), typeof(b), typeof(c), typeof(d) FROM '{path}'"
    assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()
    given = "read_csv('{}', header = true, {})".format(path, "types = {'a': 'BIGNUM', 'b': 'BIGNUM'}")
    query = f"SELECT a, b, typeof(b), sum(a) OVER () FROM {given} ORDER BY a"
    assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()
    assert con.read_csv(path, types={"a": "VARCHAR"}).fetchall()[0][0] == "1" * 43


def test_times_with_offsets_are_instants(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\n2020-01-01 10:00:00+02\n2020-01-01T10:00:00Z\n")
    query = f"SELECT typeof(a), epoch(a) FROM '{path}'"
    assert tqp.connect(threads=1).sql(query).fetchall() == duckdb.sql(query).fetchall()


def test_only_columns_that_are_used_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + LONG + "y,x\n")
    query = f"SELECT count(b) FROM '{path}'"
    assert tqp.connect(threads=1).sql(query).fetchall() == duckdb.sql(query).fetchall() == [(30_001,)]
