"""Whatever is handed in at a door: an answer that is the value, and DuckDB's, or a TqpError that says what and where.

The object is not changed, and the connection works afterwards. `odd_values` has what is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tqp
from tests.io import odd_values
from tests.io.odd_values import VALUES, VECTORS
from tqp.errors import InternalError, SourceError, TqpError

T = TypeVar("T")

EXITS = ("arrow", "fetchall", "__repr__", "_repr_html_", "numpy", "torch", "df", "pl")
QUERIES = (
    "SELECT * FROM t",
    "SELECT x, count(*) FROM t GROUP BY x",
    "SELECT * FROM t ORDER BY x",
    "SELECT x::VARCHAR FROM t",
    "SELECT min(x), max(x), count(x) FROM t",
)


@pytest.fixture(scope="module")
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


def _allowed(action: Callable[[], T], *names: str) -> T | None:
    """The result; None after an error of tqp that is none of its bugs and has one of `names` in it."""
    try:
        return action()
    except InternalError:
        raise
    except TqpError as error:
        assert str(error).strip()
        assert not names or any(name in str(error) for name in names), error
        return None


def _leave(relation: tqp.Relation) -> None:
    for exit in EXITS:
        _allowed(getattr(relation, exit))


def _enter(con: tqp.Connection, table: Any, queries: tuple[str, ...] = QUERIES) -> bool:
    """Hand the table in, ask all queries, and take the rows out of every exit; whether it could be read."""
    before = _seen(table)
    if _allowed(lambda: con.register("t", table)) is None:
        return False
    answers = [_allowed(lambda query=query: con.sql(query), "'x'", "cast", "x", "column") for query in queries]
    for answer in answers:
        if answer is not None:
            _leave(answer)
    assert con.sql("SELECT 42").fetchall() == [(42,)]
    assert _seen(table) == before
    return answers[0] is not None and _allowed(answers[0].arrow) is not None


def _seen(table: Any) -> Any:
    """What must not change in an object that is handed in."""
    if isinstance(table, dict):
        return {name: _seen(column) for name, column in table.items()}
    if isinstance(table, np.ndarray):
        masked = np.ma.getmaskarray(table).tobytes() if isinstance(table, np.ma.MaskedArray) else b""
        return str(table.dtype), table.shape, table.strides, masked, np.asarray(table).tobytes()
    if isinstance(table, torch.Tensor):
        return table.dtype, table.requires_grad, table._version if not table.is_inference() else 0
    if isinstance(table, pd.DataFrame):
        return list(map(str, table.columns)), list(map(str, table.dtypes)), table.shape
    if isinstance(table, (pa.Table, pl.DataFrame)):
        return str(table.schema), len(table)
    return None


def _theirs(table: Any, query: str) -> list[tuple[Any, ...]] | None:
    """DuckDB's answer, None where it has none; each in a database of its own, as some objects bring it down."""
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            connection.execute("SET TimeZone = 'UTC'")
            return connection.register("t", table).sql(query).fetchall()
        except (duckdb.Error, ValueError, TypeError):
            return None


def _as_duckdb(con: tqp.Connection, table: Any) -> None:
    """Where both read the column, its text is the same."""
    ours = _allowed(lambda: con.register("t", table).sql("SELECT x::VARCHAR FROM t").fetchall())
    theirs = None if ours is None else _theirs(table, "SELECT x::VARCHAR FROM t")
    if theirs is not None:
        assert ours == theirs


ARRAYS, TENSORS, ARROW = odd_values.arrays(), odd_values.tensors(), odd_values.arrow_columns()
PANDAS, POLARS, TABLES = odd_values.pandas_columns(), odd_values.polars_columns(), odd_values.tables()


@pytest.mark.parametrize("label", ARRAYS)
def test_arrays(con: tqp.Connection, label: str) -> None:
    _enter(con, {"x": ARRAYS[label]})


@pytest.mark.parametrize("label", TENSORS)
def test_tensors(con: tqp.Connection, label: str) -> None:
    unreadable = ("sparse", "csr", "meta", "complex", "conjugate", "float8", "quantized", "0-d", "(2, 0)", "fake")  # fmt: skip
    if label == "subclass" and con.settings.device.startswith("sim"):
        pytest.skip("on the simulated device every tensor is of a class of its own")
    assert _enter(con, {"x": TENSORS[label]}) == (label not in unreadable)
    if label not in unreadable:
        found = con.sql("SELECT x FROM t").fetchall()
        values = TENSORS[label].detach().resolve_neg()
        expected = (values.to(torch.uint8) if label == "odd bools" else values).unbind()
        whole = list if values.is_nested else _tuples
        assert found == [(whole(row.tolist()),) for row in expected]


def _tuples(value: Any) -> Any:
    return tuple([_tuples(one) for one in value]) if isinstance(value, list) else value


@pytest.mark.parametrize("label", ARROW)
def test_arrow(con: tqp.Connection, label: str) -> None:
    table = pa.table({"x": ARROW[label]})
    _enter(con, table)
    _as_duckdb(con, table)


@pytest.mark.parametrize("label", PANDAS)
def test_pandas(con: tqp.Connection, label: str) -> None:
    frame = pd.DataFrame({"x": PANDAS[label]})
    _enter(con, frame)
    if label not in ("Categorical of numbers", "Categorical of bytes", "tensors"):
        _as_duckdb(con, frame)


@pytest.mark.parametrize("label", POLARS)
def test_polars(con: tqp.Connection, label: str) -> None:
    frame = pl.DataFrame({"x": POLARS[label]})
    _enter(con, frame)
    if "Object" not in str(POLARS[label].dtype):
        _as_duckdb(con, frame)


@pytest.mark.parametrize("label", TABLES)
def test_tables(con: tqp.Connection, label: str) -> None:
    _enter(con, TABLES[label](), QUERIES[:1])


@pytest.mark.parametrize("label", [*VALUES, *VECTORS])
@pytest.mark.parametrize("query", ["SELECT ? AS x", "SELECT ?::VARCHAR AS x", "SELECT ? IS NULL", "SELECT ? = 1"])
def test_parameters(con: tqp.Connection, label: str, query: str) -> None:
    for value in [values[label] for values in (VALUES, VECTORS) if label in values]:
        relation = _allowed(
            lambda value=value: con.sql(query, [value]), "parameter", "list", "compare", "cast", "no SQL"
        )
        if relation is not None:
            _leave(relation)
        assert con.sql("SELECT ?", [42]).fetchall() == [(42,)]


OTHER_PARAMETERS = {
    "0E+999999",
    "Timedelta ns",
    "Timestamp ns",
    "np NaT",
    "datetime64 BC",
    "datetime64 far",
    "0-d datetime64",
}
"""What DuckDB rounds or takes for an integer."""


@pytest.mark.parametrize("label", [label for label in VALUES if label not in OTHER_PARAMETERS])
def test_parameters_are_as_duckdbs(con: tqp.Connection, label: str, oracle: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT ?::VARCHAR"
    ours = _allowed(lambda: con.sql(query, [VALUES[label]]).fetchall())
    oracle.execute("SET TimeZone = 'UTC'")
    try:
        theirs = oracle.execute(query, [VALUES[label]]).fetchall()
    except duckdb.Error:
        return
    if ours is not None and not label.startswith(("datetime64", "0-d float")):
        assert ours == theirs


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (pd.NaT, "NULL", None), (pd.NA, "NULL", None), (np.datetime64("NaT"), "NULL", None), (np.ma.masked, "NULL", None),
        (np.timedelta64("NaT"), "NULL", None), (2**63, "UBIGINT", 2**63), (2**70, "HUGEINT", 2**70),
        (odd_values.Number.THREE, "INTEGER", 3), (odd_values.Word.X, "VARCHAR", "x"),
        (Decimal("0.05"), "DECIMAL(3,2)", Decimal("0.05")), (Decimal("1E+5"), "DECIMAL(6,0)", Decimal(100000)),
        (np.datetime64("2020-01-01"), "DATE", date(2020, 1, 1)), (np.datetime64("2020", "Y"), "DATE", date(2020, 1, 1)),
        (np.datetime64(5000, "ns"), "TIMESTAMP", datetime(1970, 1, 1, 0, 0, 0, 5)),
        (np.array("2020-01-01", "datetime64[ns]"), "TIMESTAMP", datetime(2020, 1, 1)),
        (np.datetime64("-0043-03-15"), "DATE", "0044-03-15 (BC)"), (np.timedelta64(3, "M"), "INTERVAL", timedelta(90)),
        (np.timedelta64(5000, "ns"), "INTERVAL", timedelta(microseconds=5)), (np.float16(1.5), "DOUBLE", 1.5),
        (torch.tensor(0.5, requires_grad=True, device="cpu"), "DOUBLE", 0.5), (np.uint64(2**64 - 1), "UBIGINT", 2**64 - 1),
    ],
)  # fmt: skip
def test_values_of_parameters(con: tqp.Connection, value: Any, kind: str, expected: Any) -> None:
    relation = con.sql("SELECT ? AS x", [value])
    assert str(relation.types[0]) == kind and relation.fetchall() == [(expected,)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"x": pa.chunked_array([["a"], ARROW["no utf-8"]])}), r"column 'x', row 2: its text is no valid UTF-8"),
        (pa.table({"x": ARROW["time64[us] after"]}), r"column 'x', row 0: 90000000000 microseconds are beyond TIME"),
        (pa.table({"x": ARROW["decimal too long"]}), r"column 'x', row 0: 5000 units of the last digit are beyond DECIMAL"),
        (pa.table({"x": ARROW["timestamp us None min"]}), r"column 'x', row 0: -9223372036854775808 microseconds"),
        (pd.DataFrame({"x": pd.Series([1, "a"], dtype=object)}), r"column 'x'.*mixes objects of the types int, str"),
        (pd.DataFrame({"x": pd.Series([2**130], dtype=object)}), r"column 'x'.*row 0 is beyond the 128 bits of HUGEINT"),
        ({"x": [date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=odd_values.UTC)]}, r"column 'x'.*some have none"),
        ({"x": [datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=odd_values.UTC)]}, r"column 'x'.*some have none"),
        ({"x": [pd.Timestamp(1000), pd.Timestamp(5)]}, r"column 'x'.*nanoseconds.* in row 1"),
        ({"x": ["a\ud800"]}, r"column 'x'.*no Unicode"),
        ({"x": TENSORS["sparse"]}, r"column 'x'.*use .to_dense\(\)"),
        ({"x": ARRAYS["long"]}, r"column 'x'.*dtype longdouble|column 'x'.*float128"),
        ({"x": [1], "y": [1, 2]}, r"columns differ in length: x 1, y 2"),
    ],
)  # fmt: skip
def test_errors_say_what_and_where(con: tqp.Connection, table: Any, message: str) -> None:
    with pytest.raises(TqpError, match=message):
        con.register("t", table).sql("SELECT x FROM t").arrow()


def test_integers_beyond_64_bits_are_hugeints(con: tqp.Connection) -> None:
    values = [2**70, None, -(2**127), 1]
    for table in (pd.DataFrame({"x": pd.Series(values, dtype=object)}), {"x": values}, {"x": np.array(values, object)}):
        relation = con.register("t", table).sql("SELECT x, x + 1 FROM t ORDER BY x")
        assert str(relation.types[0]) == "HUGEINT"
        assert [row[0] for row in relation.fetchall()] == [-(2**127), 1, 2**70, None]


def test_a_column_without_a_name_is_called_by_its_place(con: tqp.Connection) -> None:
    for table, name in (
        (pd.DataFrame([[1, 2]], columns=["a", ""]), "C1"), ({"a": [1], "": [2]}, "C1"),
        (pl.DataFrame({"a": [1], "": [2]}), "v1"), (pa.table({"a": [1], "": [2]}), "v1"),
    ):  # fmt: skip
        assert con.register("t", table).sql("SELECT * FROM t").columns == ["a", name]
        if not isinstance(table, dict):
            assert _theirs(table, f"SELECT {name} FROM t") == con.sql(f"SELECT {name} FROM t").fetchall() == [(2,)]


def test_lengths_of_time_have_duckdbs_parts(con: tqp.Connection) -> None:
    days = [0, 29, 30, 45, 400, -45, -0.5]
    series = pd.Series([pd.Timedelta(days=count) for count in days])
    for frame in (
        pd.DataFrame({"x": series}),
        pd.DataFrame({"x": pd.Series([length.to_pytimedelta() for length in series], dtype=object)}),
    ):
        query = "SELECT x::VARCHAR FROM t"
        assert con.register("t", frame).sql(query).fetchall() == _theirs(frame, query)


@pytest.mark.parametrize(
    "value", [pd.Series([3.0, 4.0]), pd.Index([3, 4]), np.array([3, 4], np.uint32), [np.float32(3), 4]]
)
def test_vectors_of_libraries_are_parameters(con: tqp.Connection, value: Any) -> None:
    assert con.sql("SELECT ?::DOUBLE[2]", [value]).fetchall() == [((3.0, 4.0),)]


class _Broken:
    def __arrow_c_stream__(self, requested: object = None) -> object:
        raise ZeroDivisionError("of its own")


class _Derived(pd.DataFrame):
    pass


def test_objects_that_read_themselves_fail_as_sources(con: tqp.Connection) -> None:
    with pytest.raises(SourceError, match="_Broken cannot be read: of its own"):
        con.register("t", _Broken())


def test_a_class_derived_from_a_frame_is_read_as_a_frame(con: tqp.Connection) -> None:
    assert con.register("t", _Derived({"x": [1.5, np.nan]})).sql("SELECT x FROM t").fetchall() == [(1.5,), (None,)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT '\ud800'",
        'SELECT 1 AS "\ud800"',
        "SELECT '\udfff' = x FROM t",
    ],
)
def test_texts_of_queries(con: tqp.Connection, text: str) -> None:
    with pytest.raises(TqpError, match="no Unicode"):
        con.sql(text)


@pytest.mark.parametrize("number", ["9" * 39, f"-{'9' * 5000}"])
def test_long_numbers_in_queries(con: tqp.Connection, number: str) -> None:
    assert con.sql(f"SELECT {number}").fetchall() == [(number,)]


def test_tensors_of_a_result_that_were_changed_are_refused(con: tqp.Connection) -> None:
    column = con.sql("SELECT * FROM (VALUES ('a'), (NULL)) v(x)").torch()["x"]
    for changed in (
        replace(column, valid=torch.tensor([True], device="cpu")), replace(column, valid=column.data),
        replace(column, data=column.data + 5), replace(column, dictionary=None),
    ):  # fmt: skip
        with pytest.raises(SourceError, match="'x'"):
            con.register("t", {"x": changed}).sql("SELECT x FROM t").arrow()


PLAIN = (bool, int, str, Decimal, date, datetime, timedelta, float)


def _equal(found: Any, given: Any) -> bool:
    """Whether an object that was handed in came out as itself."""
    if type(given).__name__ in ("NAType", "NaTType") or given is None:
        return found is None
    if given.is_nan() if isinstance(given, Decimal) else isinstance(given, float) and math.isnan(given):
        return found is None or found != found
    if isinstance(given, datetime) and isinstance(found, str):
        return found[:5] in ("20000", "10000") or found.startswith("0001-12-31 (BC)")
    if isinstance(given, pd.Timestamp | pd.Timedelta):
        given = given.to_pydatetime() if isinstance(given, pd.Timestamp) else given.to_pytimedelta()
    return bool(found == given)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    labels=st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4),
    door=st.sampled_from(["frame", "list", "array", "params"]),
)
def test_mixtures_of_objects(labels: list[str], door: str) -> None:
    values = [VALUES[label] for label in labels]
    objects = np.empty(len(values), object)
    for place, value in enumerate(values):
        objects[place] = value
    con = tqp.connect(threads=1)
    if door == "params":
        query = ", ".join(f"? AS x{place}" for place in range(len(values)))
        relation = _allowed(lambda: con.sql(f"SELECT {query}", values), "parameter")
        rows = None if relation is None else _allowed(relation.fetchall)
        found = list(rows[0]) if rows else []
    else:
        table: Any = {"x": values if door == "list" else objects}
        if door == "frame":
            table = pd.DataFrame({"x": pd.Series(objects, dtype=object)})
        read = _enter(con, table, QUERIES[:3])
        found = [row[0] for row in con.sql("SELECT x FROM t").fetchall()] if read else []
    for label, value, given_back in zip(labels, values, found, strict=bool(found)):
        if isinstance(value, PLAIN) and not isinstance(value, np.generic):
            assert _equal(given_back, value), (label, value, given_back)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_mixtures_of_columns(data: st.DataObject) -> None:
    rows = 2
    arrow = [label for label, array in ARROW.items() if len(array) == rows]
    series = [label for label, column in PANDAS.items() if len(column) == rows]
    con = tqp.connect(threads=1)
    if data.draw(st.booleans()):
        chosen = data.draw(st.lists(st.sampled_from(arrow), min_size=2, max_size=5))
        table: Any = pa.table([ARROW[label] for label in chosen], [f"x{place}" for place in range(len(chosen))])
    else:
        chosen = data.draw(st.lists(st.sampled_from(series), min_size=2, max_size=5))
        table = pd.DataFrame({f"x{place}": PANDAS[label] for place, label in enumerate(chosen)})
    for place in range(len(chosen)):
        _enter(con, table, (f"SELECT x{place} AS x FROM t",))
