"""UNIONs in and out: of Arrow, sparse and dense, to Python, pandas, polars, tensors and files, as DuckDB's are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import UnsupportedError

ROWS = "(1::UNION(num INT, str VARCHAR), 1), ('two', 2), (NULL, 3), (union_value(num := NULL), 4), (union_value(str := 'x, y'), 5)"
TABLE = f"SELECT u, k, [u] AS l, {{'u': u}} AS s FROM (VALUES {ROWS}) v(u, k) ORDER BY k"
TAGS = pa.array([0, 1, 0, 1, 0], pa.int8())
SPARSE = pa.UnionArray.from_sparse(
    TAGS, [pa.array([1, 9, 3, None, None], pa.int32()), pa.array(["z", "b", "q", None, "w"])], ["n", "s"]
)
DENSE = pa.UnionArray.from_dense(
    TAGS, pa.array([1, 0, 0, 1, 2], pa.int32()), [pa.array([3, 1, None], pa.int32()), pa.array(["b", None])], ["n", "s"]
)
ASKED = "SELECT u, union_tag(u), u.n, u.s, u IS NULL, k FROM t ORDER BY k"


def _asked(array: pa.Array | pa.ChunkedArray, query: str = ASKED, engine: Any = tqp) -> list[tuple[Any, ...]]:
    con = engine.connect()
    con.register("t", pa.table({"u": array, "k": range(len(array))}))
    return list(con.sql(query).fetchall())


def test_sparse_unions_are_read_as_duckdb_reads_them() -> None:
    for array in (
        SPARSE,
        SPARSE.slice(1),
        SPARSE.slice(2, 2),
        SPARSE.slice(5),
        pa.chunked_array([SPARSE[:2], SPARSE[2:]]),
    ):
        assert _asked(array) == _asked(array, engine=duckdb)
    assert _asked(SPARSE, "DESCRIBE t") == _asked(SPARSE, "DESCRIBE t", duckdb)
    assert _asked(SPARSE, "SELECT u FROM t ORDER BY u") == _asked(SPARSE, "SELECT u FROM t ORDER BY u", duckdb)


def test_dense_unions_hold_what_sparse_ones_do() -> None:
    for start in range(len(DENSE)):
        assert _asked(DENSE.slice(start)) == _asked(SPARSE.slice(start))
    parts = pa.chunked_array([DENSE.slice(1, 2), DENSE.slice(0, 0), DENSE.slice(3)], DENSE.type)
    assert _asked(parts) == _asked(SPARSE.slice(1))


def test_codes_of_members_may_be_any() -> None:
    values = [pa.array([1, None, 3], pa.int32()), pa.array([None, "b", None])]
    array = pa.UnionArray.from_sparse(pa.array([5, 7, 5], pa.int8()), values, ["n", "s"], [5, 7])
    assert [row[:2] for row in _asked(array)] == [(1, "n"), ("b", "s"), (3, "n")]


def test_members_without_names_have_numbers() -> None:
    array = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    assert _asked(array, "DESCRIBE t") == _asked(array, "DESCRIBE t", duckdb)
    assert _asked(array, 'SELECT u."0", u."1" FROM t') == [(1, None), (None, "b")]


@pytest.mark.parametrize("kind", ["list", "struct", "map", "union"])
def test_unions_within_other_values(kind: str) -> None:
    query = "SELECT c FROM t ORDER BY k"
    made = {
        "list": lambda: pa.ListArray.from_arrays([0, 2, 2, 5], SPARSE),
        "struct": lambda: pa.StructArray.from_arrays([SPARSE], ["u"]),
        "map": lambda: pa.MapArray.from_arrays([0, 2, 5], pa.array(list("abcde")), SPARSE),
        "union": lambda: pa.UnionArray.from_sparse(pa.array([0] * 5, pa.int8()), [SPARSE], ["u"]),
    }[kind]()
    table = pa.table({"c": made, "k": range(len(made))})
    ours, theirs = tqp.connect(), duckdb.connect()
    for con in (ours, theirs):
        con.register("t", table)
    assert ours.sql(query).fetchall() == theirs.sql(query).fetchall()
    assert ours.sql(query).arrow().to_pylist() == theirs.sql(query).to_arrow_table().to_pylist()


def test_a_union_of_what_no_tensor_holds_is_refused_for_that_column_alone() -> None:
    array = pa.UnionArray.from_sparse(
        pa.array([0, 0], pa.int8()),
        [pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([{"a": 1}]))],
        ["e"],
    )
    assert _asked(array, "SELECT k FROM t") == [(0,), (1,)]
    with pytest.raises(UnsupportedError, match="column 'u' of 't' cannot be read"):
        _asked(array, "SELECT u FROM t")


def test_arrow_gets_sparse_unions_as_of_duckdb() -> None:
    ours, theirs = tqp.sql(TABLE).arrow(), duckdb.sql(TABLE).to_arrow_table()
    assert ours.schema == theirs.schema
    assert ours.to_pylist() == theirs.to_pylist()
    assert ours["u"].chunk(0).type_codes == theirs["u"].chunk(0).type_codes
    ours.validate(full=True)


def test_arrow_of_no_rows_and_of_constants() -> None:
    for query in (
        f"{TABLE} LIMIT 0",
        "SELECT 1::UNION(a INT, b VARCHAR) AS u FROM range(3)",
        "SELECT NULL::UNION(a INT) AS u",
    ):
        ours, theirs = tqp.sql(query).arrow(), duckdb.sql(query).to_arrow_table()
        assert ours.schema == theirs.schema
        assert ours.to_pylist() == theirs.to_pylist()


def test_pandas_has_the_values_of_members() -> None:
    assert tqp.sql(TABLE).df()["u"].tolist() == [1, "two", None, None, "x, y"]
    assert tqp.sql(TABLE).fetchnumpy()["u"].tolist() == [1, "two", None, None, "x, y"]


def test_polars_has_no_unions() -> None:
    with pytest.raises(UnsupportedError, match="union_extract"):
        tqp.sql(TABLE).pl()


def test_tensors_of_a_union_come_back() -> None:
    made = tqp.sql(TABLE).torch()
    con = tqp.connect()
    con.register("t", made)
    assert con.sql("SELECT u, k, l, s FROM t ORDER BY k").fetchall() == tqp.sql(TABLE).fetchall()
    assert con.sql("SELECT typeof(u) FROM t LIMIT 1").fetchall() == [("UNION(num INTEGER, str VARCHAR)",)]


def test_parameters_become_members() -> None:
    con = tqp.connect()
    con.execute("CREATE TABLE t (u UNION(num INT, str VARCHAR), k INT)")
    con.execute("INSERT INTO t VALUES (?, 1), (?, 2), (?, 3)", [1, "x", None])
    assert con.sql("SELECT u, union_tag(u) FROM t ORDER BY k").fetchall() == [(1, "num"), ("x", "str"), (None, None)]
    assert con.execute("SELECT k FROM t WHERE u = ?", ["x"]).fetchall() == [(2,)]
    assert con.execute("SELECT k FROM t WHERE u = ?", [1]).fetchall() == [(1,)]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_text_files_are_those_of_duckdb(ending: str, tmp_path: Path) -> None:
    found = []
    for con in (tqp.connect(), duckdb.connect()):
        path = tmp_path / f"{type(con).__module__}.{ending}"
        con.execute(f"COPY ({TABLE}) TO '{path}'")
        found.append(path.read_text())
        columns = "columns={'u': 'UNION(num INT, str VARCHAR)', 'k': 'INT'}"
        shape = "" if ending == "csv" else ", union_tag(u)"
        written = f"SELECT u, k{shape} FROM read_{ending}('{tmp_path}/two.{ending}', {columns}) ORDER BY k"
        con.execute(f"COPY (SELECT u, k FROM ({TABLE})) TO '{tmp_path}/two.{ending}'")
        found.append(con.sql(written).fetchall())
    assert found[:2] == found[2:]


def test_parquet_has_a_struct_of_the_tag_and_all_members(tmp_path: Path) -> None:
    path, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    tqp.sql(f"COPY ({TABLE}) TO '{path}'")
    duckdb.sql(f"COPY ({TABLE}) TO '{other}'")
    assert pq.read_table(path).to_pylist() == pq.read_table(other).to_pylist()
    assert [str(kind) for kind in pq.read_schema(path).types] == [str(kind) for kind in pq.read_schema(other).types]
    back = f"SELECT u::UNION(num INT, str VARCHAR) AS u, l::UNION(num INT, str VARCHAR)[] FROM '{path}' ORDER BY k"
    assert tqp.sql(back).fetchall() == [(row[0], row[2]) for row in tqp.sql(TABLE).fetchall()]


def test_files_of_arrow_keep_unions(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    tqp.sql(f"COPY ({TABLE}) TO '{path}' (FORMAT arrow)")
    with ipc.open_file(path) as file:
        assert file.read_all().equals(tqp.sql(TABLE).arrow())
    # What Arrow holds knows no NULL but that of a member.
    assert tqp.sql(f"SELECT u FROM '{path}' ORDER BY k").fetchall() == tqp.sql(f"SELECT u FROM ({TABLE})").fetchall()


def test_functions_take_members_and_give_arrow_unions() -> None:
    con = tqp.connect()
    union = "UNION(num INTEGER, str VARCHAR)"
    con.create_function("shown", str, [union], "VARCHAR", type="python")
    assert con.sql(f"SELECT shown(u) FROM ({TABLE}) ORDER BY k LIMIT 2").fetchall() == [("1",), ("two",)]

    def either(numbers: pa.Array) -> pa.Array:
        tags = pa.array([number % 2 for number in numbers.to_pylist()], pa.int8())
        return pa.UnionArray.from_sparse(tags, [numbers, numbers.cast(pa.string())], ["num", "str"])

    con.create_function("either", either, ["INTEGER"], union, type="arrow")
    found = con.sql("SELECT either(x), union_tag(either(x)) FROM (VALUES (1), (2)) v(x) ORDER BY x").fetchall()
    assert found == [("1", "str"), (2, "num")]
    con.create_function("other", lambda x: x if x % 2 else str(x), ["INTEGER"], union, type="python")
    found = con.sql("SELECT other(x), union_tag(other(x)) FROM (VALUES (1), (2)) v(x) ORDER BY x").fetchall()
    assert found == [(1, "num"), ("2", "str")]
