"""JSON files as DuckDB reads them: every case in its table, packed files, several files, errors."""

from __future__ import annotations

import gzip
import re
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

import tqp
from tests.io.json_cases import CASES
from tests.io.test_csv_files import same_as_duckdb
from tqp.errors import SourceError, UnsupportedError
from tqp.io.json import file


@pytest.mark.parametrize("by_arrow", [True, False], ids=["arrow", "values"])
@pytest.mark.parametrize(("text", "options", "function"), CASES, ids=range(len(CASES)))
def test_as_duckdb(
    text: str, options: str, function: str, by_arrow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_arrow:
        monkeypatch.setattr(file, "_WORTH", 1)
    path = tmp_path / "x.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    same_as_duckdb(f"FROM {function}('{path}'{', ' if options else ''}{options})")


def test_objects_of_many_keys_are_maps(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("".join(f'{{"m": {{"k{row}": {row}}}}}\n' for row in range(300)))
    assert same_as_duckdb(f"FROM read_json('{path}')")
    assert same_as_duckdb(
        f"SELECT typeof(m), count(*) FROM read_json('{path}', map_inference_threshold = 100) GROUP BY 1"
    )


def test_times_with_offsets_are_instants(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": "2020-01-01T10:00:00Z"}\n{"a": "2020-01-01T10:00:00+02:00"}\n')
    query = f"SELECT typeof(a), epoch(a) FROM '{path}'"
    assert tqp.connect(threads=1).sql(query).fetchall() == duckdb.sql(query).fetchall()


def test_dates_of_a_column_have_one_format(tmp_path: Path) -> None:
    """DuckDB reads each value in the first format that it fits."""
    path = tmp_path / "x.json"
    path.write_text('{"a": "05-06-2020"}\n' * 30 + '{"a": "01-31-2020"}\n')
    con = tqp.connect(threads=1)
    assert con.sql(f"SELECT DISTINCT a FROM '{path}' ORDER BY a").fetchall() == [
        (date(2020, 1, 31),),
        (date(2020, 5, 6),),
    ]
    with pytest.raises(
        SourceError, match=r"line 31, column 'a': could not convert '01-31-2020' to DATE\n.*sample_size=-1"
    ):
        con.sql(f"FROM read_json('{path}', sample_size = 10)").fetchall()


def test_packed_files_and_endings(tmp_path: Path) -> None:
    con = tqp.connect(threads=1)
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(b'[{"a": 1}, {"a": 2}]'))
    assert con.sql(f"FROM '{tmp_path}/x.json.gz'").fetchall() == [(1,), (2,)]
    (tmp_path / "x.ndjson").write_text('{"a": 1}\n{"a": 2}\n')
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    for name in ("x.ndjson", "x.jsonl"):
        assert con.sql(f"FROM '{tmp_path}/{name}'").fetchall() == con.read_json(tmp_path / name).fetchall()


FILES = {
    "a.json": '{"i": 1, "s": "x"}\n',
    "b.json": '[{"s": "z", "i": 2.5}]',
    "c.json": '{"extra": [1, 2]}',
    "h/k=1/x.json": '{"v": 1}',
    "h/k=2/x.json": '{"v": 2}',
}
QUERIES = """
FROM read_json(['a.json', 'b.json'])
FROM read_json(['a.json', 'b.json', 'c.json'], union_by_name = true)
FROM read_json(['a.json', 'c.json'])
FROM read_json('?.json', union_by_name = true, filename = true)
FROM read_json('h/**/*.json')
FROM read_json('h/*/x.json', hive_partitioning = false, filename = 'f')
FROM read_json('nothing*.json')
FROM 'h/*/*.json'
SELECT a.i FROM 'a.json'
"""


@pytest.mark.parametrize("query", QUERIES.strip().splitlines())
def test_several_files(query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    same_as_duckdb(query)


TOGETHER = [
    (("", '{"a":1}'), ""), (('{"a":1}', ""), ""), (("", ""), ""), (("[]", '[{"a":1}]'), ""), (("[]",), ""), (('{"a":1}', '{"a":"x"}'), ""),
    (('{"a":1}', "5"), ""), (("5", '{"a":1}'), ""), (("5", "6"), ""), (("[1,2]", '{"a":1}'), ""), (('{"a":1}', '[{"a":1}, 3]'), ""),
    (('{"a":1}', "null"), ""), (("null", '{"a":1}'), ""), (('{"a":{}}', '{"a":{"b":1}}'), ""), (('{"a":7}', '{"a":{"b":1}}'), ""),
    (('{"a":"2020-01-01"}', '{"a":"x"}'), ""), (('{"a":"2020-01-01"}', '{"a":1}'), ""), (("{}", '{"a":1}'), ""), (("{}", "{}"), ""),
    (('{"a":1}', '{"A":2}'), ""), (('{"a":1}', '{"a":"x"}'), "union_by_name=true"), (('{"a":1}', ""), "union_by_name=true"),
    (('{"a":1}', "5"), "union_by_name=true"), (('{"a":1}', '{"a":"x"}'), "sample_size=1"), (('{"a":1}', '{"b":"x"}'), "sample_size=1"),
    (('{"a":1}\n{"a":2}', '{"a":"x"}'), "sample_size=2"), (('{"a":1}\n{"b":2}', ""), "sample_size=1"),
    (('{"a":1}\n{"b":2}',), "sample_size=1"), (('{"a":1}', '{"a":1}\n{"b":2}', '{"c":3}'), "sample_size=1"),
    (('{"a":1}', '{"a":1}\n{"b":2}', '{"c":3}'), "maximum_sample_files=1"), (('{"a":1}\n{"b":2}',), "sample_size=1, maximum_sample_files=1"),
    (('{"a":1}', '{"a":1}\n{"b":2}', '{"c":3}'), "maximum_sample_files=2"), (('{"a":1}', "", "5"), "maximum_sample_files=2"),
    (('{"a":1}\n5',), "sample_size=1"), (('{"a":1}\n5',), "sample_size=1, ignore_errors=true"), (('{"a":1}', '[1,{"a":2}]'), "maximum_sample_files=1"),
    (('{"a":1}', "5"), "columns={'a':'INT'}"), (('{"a":1}', "5\n6", ""), "columns={'a':'INT'}, auto_detect=false"), (('{"a":1}\n5',), "columns={'a':'INT'}"),
    (('{"a":1}\n5',), "columns={'a':'JSON'}"), (('{"a":1}\n5',), "columns={'a':'INT'}, sample_size=1"), (("5", '{"a":1}'), "columns={'a':'INT','b':'INT'}"),
    (("5", '{"a":1}'), "columns={'a':'INT'}, records=true"), (('null\n{"a":1}',), "columns={'a':'INT'}"), (("{}\n{}",), "columns={'a':'INT'}"),
    (("{}\n{}",), "columns={'a':'INT','b':'INT'}"), (('{"a":1}\n5',), "columns={'a':'INT'}, ignore_errors=true"),
    (('{"a":1,"a":2}', '{"a":1}'), "maximum_sample_files=1"), (('{"a":1}', '{"b":2}'), "records=true, maximum_sample_files=1"),
    (('{"a":1}', "5"), "records=true"), (('{"a":1}', ""), "records=true"), (("",), "records=true"), (("",), "records=false"),
    (('{"a":1}', "5"), "records=false"), (('{"a":1}', ""), "maximum_depth=0"), (('{"a":1,"b":2}', '{"a":"x","c":2}'), "map_inference_threshold=1"),
]  # fmt: skip
"""Files that are read as one: what their values have together, whatever one of them has alone."""


@pytest.mark.parametrize(("texts", "options"), TOGETHER, ids=range(len(TOGETHER)))
def test_files_are_of_one_structure(texts: tuple[str, ...], options: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number}.json") for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_text(text)
    same_as_duckdb(f"FROM read_json({paths}{', ' if options else ''}{options})")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ('{"a": 1}\n{"a": "x"}\n', {"sample_size": 1}, "line 2, column 'a'.*'x'.*BIGINT.*sample_size=-1"),
        ('{"a": 1}\n\n{"b": 2}\n', {"sample_size": 1}, "line 3: no object before has a key 'b'.*columns"),
        ('{"a": 1}\n{"a": 2\n', {"format": "newline_delimited"}, "line 2: Malformed JSON.*ignore_errors=true"),
        ('{"a": 1}', {"format": "array"}, "no JSON array.*newline_delimited"),
        ("1", {"records": True}, "values that are no objects.*records=false"),
        ('{"a": 1}', {"format": "lines"}, "format is not 'lines'.*newline_delimited"),
        ('{"a": 1}', {"auto_detect": False}, "needs columns"),
        ('{"a": 1}', {"records": False, "columns": {"a": "JSON", "b": "JSON"}}, "gives one column"),
    ],
)
def test_errors_say_what_where_and_what_works(text: str, options: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        tqp.connect(threads=1).read_json(path, **options).fetchall()
    message = str(caught.value).replace("\n", " ")
    assert re.search(said, message), message


def test_refused_options_say_what_works(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UnsupportedError, match="geojson.*\n(.|\n)*features"):
        tqp.connect(threads=1).sql(f"FROM read_json('{tmp_path}/x.json', geojson = true)")
