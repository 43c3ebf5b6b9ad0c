"""Files behind protocols, beside DuckDB's answers on the same files here: servers of the web, an S3, and memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.arrow import ArrowFSWrapper
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow import ipc

import tqp
from tests.io.remote.servers import Shop, s3, web
from tqp.errors import SourceError, TqpError
from tqp.interrupt import Interrupt, current, obeying

ROWS = pa.table(
    {"a": list(range(40_000)), "s": [f"x{n % 97}" for n in range(40_000)], "f": [n / 7 for n in range(40_000)]}
)


def parquet(table: pa.Table = ROWS, rows: int = 10_000) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=rows, use_dictionary=False, compression="none")
    return sink.getvalue()


def arrow(table: pa.Table = ROWS) -> bytes:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue()


CSV = b"id,name\n1,one\n2,\n3,three\n"
JSON = b'{"id": 1, "l": [1, 2]}\n{"id": 2}\n'
FILES = {
    "d/x.parquet": parquet(),
    "d/x.arrow": arrow(),
    "d/t.csv": CSV,
    "d/t.csv.gz": gzip.compress(CSV),
    "d/t.csv.zst": pa.compress(CSV, "zstd", asbytes=True),
    "d/t.json": JSON,
    "d/year=2023/p.parquet": parquet(pa.table({"v": [1, 2]})),
    "d/year=2024/p.parquet": parquet(pa.table({"v": [3]})),
}


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=2)


@pytest.fixture
def shop() -> Iterator[Shop]:
    with web() as found:
        found.files = {f"/{name}": content for name, content in FILES.items()}
        yield found


@pytest.fixture
def bucket() -> Iterator[Shop]:
    with s3() as found:
        found.files = {f"/b/{name}": content for name, content in FILES.items()}
        yield found


def options(bucket: Shop) -> dict[str, Any]:
    host = bucket.url.removeprefix("http://")
    known = {"access_key": "key", "secret_key": "hidden-secret", "region": "us-east-1"}
    return {**known, "endpoint_override": host, "scheme": "http"}


def with_bucket(con: tqp.Connection, bucket: Shop) -> tqp.Connection:
    return con.register_filesystem(ArrowFSWrapper(pyarrow.fs.S3FileSystem(**options(bucket)), skip_instance_cache=True))


@pytest.fixture
def local(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path


@pytest.fixture(params=["http", "s3", "memory"])
def root(request: pytest.FixtureRequest, con: tqp.Connection) -> str:
    """Where the files are, each way in turn."""
    if request.param == "http":
        found: Shop = request.getfixturevalue("shop")
        return found.url
    if request.param == "s3":
        with_bucket(con, request.getfixturevalue("bucket"))
        return "s3://b"
    system = fsspec.filesystem("memory", skip_instance_cache=True)
    system.store.clear()
    for name, content in FILES.items():
        system.pipe_file(f"/{name}", content)
    return "memory:/"


QUERIES = [
    "SELECT count(*), sum(a), min(s), max(f) FROM 'ROOT/d/x.parquet'",
    "SELECT * FROM 'ROOT/d/x.parquet' LIMIT 3",
    "SELECT s, count(*) FROM 'ROOT/d/x.parquet' WHERE a < 100 GROUP BY s ORDER BY s",
    "FROM 'ROOT/d/t.csv'",
    "FROM 'ROOT/d/t.csv.gz'",
    "FROM 'ROOT/d/t.csv.zst'",
    "FROM read_csv('ROOT/d/t.csv', header = false, all_varchar = true)",
    "FROM 'ROOT/d/t.json'",
    "FROM read_parquet(['ROOT/d/year=2023/p.parquet', 'ROOT/d/year=2024/p.parquet'])",
    "SELECT size, content FROM read_text('ROOT/d/t.csv')",
]
LISTED = [
    "SELECT year, sum(v) FROM read_parquet('ROOT/d/*/p.parquet') GROUP BY year ORDER BY year",
    "SELECT count(*) FROM 'ROOT/d/**/*.parquet' WHERE false",
    "SELECT v FROM 'ROOT/d/year=202[34]/*.parquet' ORDER BY v",
]


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_files_here(con: tqp.Connection, root: str, local: Path, query: str) -> None:
    expected = duckdb.sql(query.replace("ROOT", str(local))).fetchall()
    assert con.sql(query.replace("ROOT", root)).fetchall() == expected


@pytest.mark.parametrize("query", LISTED)
def test_globs_and_partitions(con: tqp.Connection, root: str, local: Path, query: str) -> None:
    there = query.replace("ROOT", root)
    if root.startswith("http"):
        with pytest.raises(SourceError, match="has no lists of files|no such file"):
            con.sql(there)
        return
    if "WHERE false" not in query:
        assert con.sql(there).fetchall() == duckdb.sql(query.replace("ROOT", str(local))).fetchall()
    else:
        assert con.sql(f"SELECT count(*) FROM read_parquet('{root}/d/**/p.parquet')").fetchall() == [(3,)]


def test_every_door(con: tqp.Connection, root: str) -> None:
    assert con.read_parquet(f"{root}/d/x.parquet").aggregate("sum(a)").fetchall() == [(799980000,)]
    assert con.read_csv([f"{root}/d/t.csv", f"{root}/d/t.csv.gz"]).aggregate("count(*)").fetchall() == [(6,)]
    assert len(con.read_json(f"{root}/d/t.json")) == 2
    assert con.read_arrow(f"{root}/d/x.arrow").aggregate("max(s), count(*)").fetchall() == [("x96", 40_000)]
    con.register("t", f"{root}/d/t.csv")
    assert con.sql("SELECT max(id) FROM t").fetchall() == [(3,)]
    con.execute("CREATE TABLE c (id INTEGER, name VARCHAR)")
    con.execute(f"COPY c FROM '{root}/d/t.csv.gz'")
    assert con.sql("SELECT count(name) FROM c").fetchall() == [(2,)]
    name = con.read_csv(f"{root}/d/t.csv", filename=True).project("filename").limit(1).fetchall()
    assert name == [(f"{root}/d/t.csv",)]


@pytest.mark.parametrize(
    "query", ["SELECT sum(a) FROM 'ROOT/d/x.parquet'", "FROM 'ROOT/d/t.csv'", "FROM 'ROOT/d/x.arrow' LIMIT 9"]
)
def test_verify(con: tqp.Connection, root: str, query: str) -> None:
    report = con.verify(query.replace("ROOT", root))
    assert report.ok, report


def test_a_column_is_read_by_its_ranges(con: tqp.Connection, shop: Shop) -> None:
    url = f"{shop.url}/d/x.parquet"
    assert con.sql(f"SELECT sum(a) FROM '{url}'").fetchall() == [(799980000,)]
    first, *later = shop.asked_for("GET")
    assert first is not None and int(first.partition("-")[2]) == len(FILES["d/x.parquet"]) - 1
    assert len(later) == 4 and None not in later
    assert shop.sent < 0.75 * len(FILES["d/x.parquet"])
    shop.forget()
    assert con.sql(f"SELECT sum(a) + 1 FROM '{url}'").fetchall() == [(799980001,)]
    assert shop.sent == 0 and shop.asked_for("GET") == []


def test_a_server_without_ranges(con: tqp.Connection, shop: Shop) -> None:
    shop.ranges = False
    assert con.sql(f"SELECT sum(a), max(f) FROM '{shop.url}/d/x.parquet'").fetchall() == [(799980000, 39_999 / 7)]
    assert shop.sent == len(FILES["d/x.parquet"])
    held = con.cache().filter("kind = 'rows'").project("bytes").fetchall()
    assert held == [(len(FILES["d/x.parquet"]),)]


@pytest.mark.parametrize("marks", ["etag", "dates", "none"])
def test_a_file_that_changed_is_read_again(con: tqp.Connection, shop: Shop, marks: str) -> None:
    shop.etag, shop.dates = marks == "etag", marks == "dates"
    con.register("t", f"{shop.url}/d/x.parquet")
    before = con.sql("SELECT max(a) FROM t")
    assert before.fetchall() == [(39_999,)]
    relation = con.sql("SELECT max(a) AS most FROM t")
    shop.files["/d/x.parquet"] = parquet(ROWS.slice(0, 20_000))
    assert con.sql("SELECT max(a) FROM t").fetchall() == [(19_999,)] == relation.fetchall()
    assert before.fetchall() == [(39_999,)]
    if marks == "etag":
        shop.files["/d/t.csv"] = CSV.replace(b"one", b"uno")
        shop.files["/d/x.parquet"] = parquet(ROWS.slice(20_000, 20_000))
        assert con.sql("SELECT max(a) FROM t").fetchall() == [(39_999,)]


def test_a_file_that_changes_while_it_is_read(con: tqp.Connection, shop: Shop) -> None:
    seen = iter([parquet(ROWS.slice(0, count)) for count in range(30_000, 0, -500)])

    class Changing(dict[str, bytes]):
        def get(self, name: str, default: Any = None) -> Any:
            return next(seen) if name == "/d/x.parquet" else super().get(name, default)

    shop.files = Changing(shop.files)
    with pytest.raises(SourceError, match="changes again and again|no such file"):
        con.sql(f"SELECT sum(a) FROM '{shop.url}/d/x.parquet'").fetchall()
    assert con.sql(f"SELECT max(id) FROM '{shop.url}/d/t.csv'").fetchall() == [(3,)]


def test_a_look_at_a_text_fetches_its_beginning(
    con: tqp.Connection, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tqp.io.packed._FIRST", 2**14)
    shop.files["/d/long.csv"] = text = "".join(f"{number},name {number}\n" for number in range(20_000)).encode()
    shop.forget()
    query = f"SELECT * FROM read_csv('{shop.url}/d/long.csv', sample_size = 100) LIMIT 2"
    assert con.sql(query).fetchall() == [(0, "name 0"), (1, "name 1")]
    assert 0 < shop.sent < 0.2 * len(text)
    assert con.sql(query.replace("*", "count(*), max(column0)")).fetchall() == [(20_000, 19_999)]


def test_file_systems_know_of_no_run(con: tqp.Connection) -> None:
    """The thread of fsspec holds the context of its last call, and so would hold the pipeline and the tables of that run."""
    seen: list[object] = []

    class Watching(MemoryFileSystem):  # type: ignore[misc]
        protocol = ("watched",)
        store: dict[str, Any] = {}  # noqa: RUF012

        def cat_file(self, *args: Any, **options: Any) -> Any:
            seen.append(current())
            return super().cat_file(*args, **options)

    system = Watching()
    system.pipe_file("watched://x.csv", b"a,b\n1,2\n")
    con.register_filesystem(system)
    with obeying(Interrupt()):
        assert con.sql("FROM 'watched://x.csv'").fetchall() == [(1, 2)]
    assert seen and set(seen) == {None}


@pytest.mark.parametrize("name", ["d/x.parquet", "d/t.csv"])
@pytest.mark.parametrize("wrong", [5, -5])
@pytest.mark.parametrize("ranges", [True, False])
def test_lengths_that_are_wrong(con: tqp.Connection, shop: Shop, name: str, wrong: int, ranges: bool) -> None:
    shop.wrong_length, shop.ranges = wrong, ranges
    with pytest.raises(SourceError, match="the server says|the server sends|as Parquet") as caught:
        con.sql(f"FROM '{shop.url}/{name}'").fetchall()
    assert shop.url in str(caught.value) and caught.value.hint


FAULTS: list[tuple[Callable[[Shop], None], str]] = [
    (lambda shop: setattr(shop, "status", 403), "access is denied"),
    (lambda shop: setattr(shop, "status", 500), "500"),
    (lambda shop: setattr(shop, "status", 404), "no such file"),
    (lambda shop: shop.files.clear(), "no such file"),
]


@pytest.mark.parametrize("fault, says", FAULTS)
def test_what_goes_wrong_is_told(con: tqp.Connection, shop: Shop, bucket: Shop, fault: Any, says: str) -> None:
    with_bucket(con, bucket)
    for server, root in ((shop, shop.url), (bucket, "s3://b")):
        con.register("t", f"{root}/d/t.csv")
        relation = con.sql("SELECT id + 0 FROM t")
        fault(server)
        for door in (
            lambda: con.sql(f"FROM '{root}/d/x.parquet'"),
            lambda: con.sql(f"FROM '{root}/d/t.json'"),
            relation.fetchall,
        ):
            with pytest.raises(SourceError, match=says) as caught:
                door()
            assert f"{root}/d/" in str(caught.value)


def test_servers_that_are_not_there_or_slow(con: tqp.Connection, shop: Shop) -> None:
    with pytest.raises(SourceError, match="no connection to the server"):
        con.sql("FROM 'http://127.0.0.1:1/x.parquet'")
    shop.delay = 2
    import aiohttp

    slow = {"client_kwargs": {"timeout": aiohttp.ClientTimeout(total=0.2)}}
    with pytest.raises(SourceError, match="does not answer in time"):
        con.read_csv(f"{shop.url}/d/t.csv", storage_options=slow)


def test_protocols_and_libraries_that_are_not_there(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="Protocol not known: klingon") as caught:
        con.sql("FROM 'klingon://x.parquet'")
    assert "register_filesystem" in str(caught.value.hint)

    def missing(*_: Any, **__: Any) -> Any:
        raise ImportError("HTTPFileSystem requires aiohttp")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(SourceError, match="files of https:// need aiohttp, which is not installed") as caught:
        con.sql("FROM 'https://example.org/x.parquet'")
    assert caught.value.hint == 'pip install "tensor-query-processor[remote]"'


def test_google_is_not_asked_for_long(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without credentials or a network its client retries; how long is an option."""
    seen: list[Any] = []

    def made(**options: Any) -> Any:
        seen.append(options["retry_time_limit"].total_seconds())
        raise OSError("no network")

    monkeypatch.setattr(pa.fs, "GcsFileSystem", made)
    for given in ({}, {"retry_time_limit": timedelta(seconds=2)}):
        with pytest.raises(SourceError, match="no network"):
            con.read_parquet("gs://bucket/a.parquet", storage_options=given)
    assert seen == [30, 2]


def test_options_are_secret_and_told_apart(con: tqp.Connection, bucket: Shop) -> None:
    given = options(bucket)
    relation = con.read_parquet("s3://b/d/x.parquet", storage_options=given).aggregate("sum(a)")
    assert relation.fetchall() == [(799980000,)]
    shown = f"{relation.explain()} {relation.explain(True)} {con.cache().fetchall()}"
    assert "hidden-secret" not in shown
    for wrong in ({"klingon": 1}, 5, {1: 2}):
        with pytest.raises(SourceError) as caught:
            con.read_parquet("s3://b/d/x.parquet", storage_options=wrong)  # type: ignore[arg-type]
        assert "hidden-secret" not in str(caught.value)


@pytest.mark.parametrize("kind", ["parquet", "csv", "json", "arrow"])
def test_written_with_options(con: tqp.Connection, bucket: Shop, kind: str) -> None:
    """Files and folders of files, by the options alone: without them nobody may write there."""
    given, relation = options(bucket), con.sql("SELECT i, i % 2 AS g FROM range(4) r(i)")
    write, read = (getattr(side, f"{word}_{kind}") for side, word in ((relation, "write"), (con, "read")))
    url = f"s3://b/options/{kind}.{kind}"
    write(url, storage_options=given)
    assert read(url, storage_options=given).order("i").fetchall() == relation.fetchall()
    write(f"s3://b/options/{kind}", partition_by=["g"], storage_options=given)
    again = read(f"s3://b/options/{kind}/*/*.{kind}", storage_options=given, hive_partitioning=True)
    assert again.order("i").fetchall() == relation.fetchall()
    for wrong in ({**given, "klingon": 1}, 5):
        with pytest.raises(SourceError) as caught:
            write(url, storage_options=wrong)
        assert "hidden-secret" not in str(caught.value)


def test_file_systems_are_registered_by_connection(con: tqp.Connection) -> None:
    class Own(fsspec.implementations.memory.MemoryFileSystem):  # type: ignore[misc]
        protocol = ("own", "mine")
        store: dict[str, Any] = {}  # noqa: RUF012

    system = Own()
    system.pipe_file("own://x.csv", CSV)
    with pytest.raises(SourceError, match="Protocol not known"):
        con.sql("FROM 'own://x.csv'")
    con.register_filesystem(system)
    assert con.list_filesystems() == ["mine", "own"] and con.filesystem_is_registered("own")
    assert con.sql("SELECT count(*) FROM 'own://x.csv'").fetchall() == [(3,)]
    con.unregister_filesystem("own")
    with pytest.raises(SourceError, match="Protocol not known"):
        con.sql("FROM 'own://x.csv'")
    with pytest.raises(SourceError, match="registered: mine"):
        con.unregister_filesystem("own")
    with pytest.raises(SourceError, match="no file system of fsspec"):
        con.register_filesystem("memory")


@pytest.fixture(params=["s3", "memory"])
def target(request: pytest.FixtureRequest, con: tqp.Connection) -> tuple[str, Callable[[], list[str]]]:
    """Where files are written, and what lists them."""
    if request.param == "s3":
        found: Shop = request.getfixturevalue("bucket")
        found.files = {}
        with_bucket(con, found)
        return "s3://b", lambda: sorted(name.removeprefix("/b/") for name in found.files if not name.endswith("/"))
    system = fsspec.filesystem("memory")
    system.store.clear()
    return "memory:/", lambda: sorted(name.removeprefix("/") for name in system.find("/"))


def test_files_are_written(con: tqp.Connection, target: tuple[str, Callable[[], list[str]]]) -> None:
    root, listed = target
    rows = con.sql("SELECT range AS a, range % 3 AS p FROM range(10)")
    rows.write_parquet(f"{root}/o/x.parquet")
    rows.write_csv(f"{root}/o/x.csv")
    con.execute(f"COPY (FROM range(5)) TO '{root}/o/x.json.gz'")
    con.execute(f"COPY (FROM range(5)) TO '{root}/o/x.arrow' (FORMAT arrow)")
    assert listed() == ["o/x.arrow", "o/x.csv", "o/x.json.gz", "o/x.parquet"]
    for name, rows_there in (("x.parquet", 10), ("x.csv", 10), ("x.json.gz", 5), ("x.arrow", 5)):
        assert con.sql(f"SELECT count(*) FROM '{root}/o/{name}'").fetchall() == [(rows_there,)]
    con.execute(f"COPY (FROM range(2)) TO '{root}/o/x.csv'")
    assert con.sql(f"SELECT count(*) FROM '{root}/o/x.csv'").fetchall() == [(2,)]


def test_partitions_are_written(con: tqp.Connection, target: tuple[str, Callable[[], list[str]]]) -> None:
    root, listed = target
    write = f"COPY (SELECT range AS a, range % KINDS AS p FROM range(10)) TO '{root}/part' (FORMAT parquet, PARTITION_BY (p)MORE)"
    con.execute(write.replace("KINDS", "3").replace("MORE", ""))
    assert listed() == [f"part/p={place}/data_0.parquet" for place in range(3)]
    assert con.sql(f"SELECT p, sum(a) FROM '{root}/part/*/*.parquet' GROUP BY p ORDER BY p").fetchall() == [
        (0, 18),
        (1, 12),
        (2, 15),
    ]
    with pytest.raises(SourceError, match="there is something already"):
        con.execute(write.replace("KINDS", "3").replace("MORE", ""))
    con.execute(write.replace("KINDS", "2").replace("MORE", ", APPEND"))
    assert len(listed()) == 5
    con.execute(write.replace("KINDS", "2").replace("MORE", ", OVERWRITE"))
    assert listed() == [f"part/p={place}/data_0.parquet" for place in range(2)]


def test_a_file_is_written_whole_or_not_at_all(con: tqp.Connection, bucket: Shop, shop: Shop) -> None:
    with_bucket(con, bucket)
    before = dict(bucket.files)
    with pytest.raises(TqpError, match="Could not convert|cannot be cast|range|convert"):
        con.execute("COPY (SELECT ('x' || range)::INTEGER FROM range(10)) TO 's3://b/new.csv'")
    bucket.status = 403
    with pytest.raises(SourceError, match="cannot write 's3://b/new.csv': access is denied"):
        con.execute("COPY (FROM range(10)) TO 's3://b/new.csv'")
    assert bucket.files == before
    with pytest.raises(SourceError, match="can only be read"):
        con.execute(f"COPY (FROM range(10)) TO '{shop.url}/new.csv'")


def test_a_connection_without_files_reads_none_behind_protocols(shop: Shop) -> None:
    con = tqp.connect(threads=1, external_access=False)
    doors: list[Callable[[str], object]] = [
        lambda name: con.sql(f"FROM '{name}'"),
        lambda name: con.sql(f"FROM read_text('{name}')"),
        lambda name: con.sql(f"FROM read_parquet(['{name}'])"),
        lambda name: con.sql(f"FROM read_arrow('{name}')"),
        lambda name: con.register("f", name),
        lambda name: con.read_parquet(name, storage_options={}),
        lambda name: con.read_arrow(name),
        lambda name: con.read_csv(name),
        lambda name: con.read_json(name),
        lambda name: con.sql("SELECT 1").write_csv(name),
        lambda name: con.execute(f"COPY (SELECT 1) TO '{name}'"),
    ]
    for name in (
        f"{shop.url}/d/x.parquet",
        "s3://b/d/x.parquet",
        "memory://x.arrow",
        "x.arrow",
        "klingon://x",
        "zip://x.csv::http://h/x",
    ):
        for door in doors:
            with pytest.raises(SourceError, match="this connection reads none"):
                door(name)
    assert shop.asked == []


def test_the_shell_writes_behind_protocols() -> None:
    from tqp.shell.main import main

    system = fsspec.filesystem("memory")
    system.store.clear()
    assert main(["-c", "SELECT 1 AS a", "--csv", "-o", "memory://out/x.csv"]) == 0
    assert system.cat_file("/out/x.csv") == b"a\n1\n"
