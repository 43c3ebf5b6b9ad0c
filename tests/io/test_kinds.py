"""Every kind of object that is a table: with NULLs, without rows, beside DuckDB where it reads the same, and what is refused."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
import torch

import tqp
from tqp.errors import TqpError

CPU = torch.device("cpu")
TABLE = pa.table({"a": [1, None, 3], "b": ["x", "y", None]})
Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Row:
    a: int
    b: str | None


class Stream:
    def __init__(self, of: Any) -> None:
        self._of = of

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._of.__arrow_c_stream__(requested_schema)


class OneArray:
    def __init__(self, of: Any) -> None:
        self._of = of

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._of.__arrow_c_array__(requested_schema)


class Pack:
    """What arrays of other libraries offer."""

    def __init__(self, of: torch.Tensor) -> None:
        self._of = of

    def __dlpack__(self, **options: Any) -> object:
        return self._of.__dlpack__(**options)

    def __dlpack_device__(self) -> object:
        return self._of.__dlpack_device__()


def _frame(values: Any, **options: Any) -> pd.DataFrame:
    return pd.DataFrame({"x": pd.Series(values, **options)})


def _objects(*values: Any) -> pd.DataFrame:
    return _frame(list(values), dtype=object)


def _names(*names: object) -> pd.DataFrame:
    return pd.DataFrame([list(range(len(names)))], columns=list(names))


AS_DUCKDB: dict[str, Callable[[], Any]] = {
    "Int64": lambda: _frame([1, None], dtype="Int64"),
    "boolean": lambda: _frame([True, None], dtype="boolean"),
    "str": lambda: _frame(["a", None]),
    "string": lambda: _frame(["a", None], dtype="string"),
    "NaN": lambda: _frame([1.5, np.nan]),
    "ordered categories": lambda: _frame(pd.Categorical(["b", "a", None], ["b", "a"], ordered=True)),
    "categories": lambda: _frame(pd.Categorical(["b", "a", None])),
    "lengths of time": lambda: _frame(pd.to_timedelta(["1 day", "-3 us", None])),
    "seconds": lambda: _frame(np.array([1001], "M8[s]")),
    "nanoseconds": lambda: _frame(np.array([1001], "M8[ns]")),
    "Arrow lists": lambda: _frame(pd.array([[1, 2], None], dtype=pd.ArrowDtype(pa.list_(pa.int32())))),
    "Arrow decimals": lambda: _frame(pd.array([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))),
    "integers as objects": lambda: _objects(1, None),
    "large integers as objects": lambda: _objects(1, 2**40),
    "integers and NaN": lambda: _objects(1, float("nan")),
    "integers and floats": lambda: _objects(1, 2.5),
    "2**63": lambda: _objects(2**63, 1),
    "2**70": lambda: _objects(2**70, 1),
    "truth values": lambda: _objects(True, None),
    "decimals": lambda: _objects(Decimal("1.5"), Decimal("22.25"), None),
    "decimals below 1": lambda: _objects(Decimal("0.05"), None),
    "decimals and integers": lambda: _objects(Decimal("1.5"), 2),
    "decimals and large integers": lambda: _objects(Decimal("1.5"), 2**40),
    "dates": lambda: _objects(date(2020, 1, 1), None),
    "dates and datetimes": lambda: _objects(date(2020, 1, 1), datetime(2020, 1, 1, 1)),
    "datetimes and dates": lambda: _objects(datetime(2020, 1, 1, 1), None, date(2020, 1, 1)),
    "times": lambda: _objects(time(1, 2), None),
    "timedeltas": lambda: _objects(timedelta(1), None),
    "bytes": lambda: _objects(b"a", None),
    "texts and all NULLs": lambda: _objects("a", None, float("nan"), pd.NaT, pd.NA),
    "lists": lambda: _objects([1, 2], None, []),
    "lists of one length": lambda: _objects([1, 2], [3, 4]),
    "lists with NULLs": lambda: _objects([1, None], [None]),
    "lists of large integers": lambda: _objects([1], [2**40]),
    "dicts in lists": lambda: _objects([{"a": [1]}], []),
    "tuples": lambda: _objects((1, 2), (3,)),
    "dicts of one shape": lambda: _objects({"a": 1, "b": "x"}, {"a": 2, "b": None}),
    "names twice": lambda: _names("a", "a", "A"),
    "names with numbers": lambda: _names("a", "a_1", "a", "a"),
    "names that a number takes": lambda: _names("x", "x", "X_1", "x"),
    "two floors of names": lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
    "numbers as names": lambda: _names(0, 1),
    "None as a name": lambda: _names(None),
    "an empty name": lambda: _names("", "b"),
    "no rows": lambda: pd.DataFrame({"a": pd.Series([], dtype="int64")}),
    "an index": lambda: pd.DataFrame({"x": [1]}, index=pd.Index([5], name="i")),
    "columns apart": lambda: pd.DataFrame(np.arange(12).reshape(3, 4))[[0, 2]],
    "series": lambda: pd.Series([1.5, np.nan], name="s"),
    "series without a name": lambda: pd.Series([1, 2]),
    "polars Enum": lambda: pl.DataFrame({"x": pl.Series(["b", None], dtype=pl.Enum(["b", "a"]))}),
    "polars Categorical": lambda: pl.DataFrame({"x": pl.Series(["b", None], dtype=pl.Categorical)}),
    "polars Struct": lambda: pl.DataFrame({"x": [{"a": 1, "b": "x"}, None]}),
    "polars arrays of arrays": lambda: pl.DataFrame(
        {"x": pl.Series([[[1, 2], [3, 4]]], dtype=pl.Array(pl.Array(pl.Int32, 2), 2))}
    ),
    "polars LazyFrame": lambda: pl.LazyFrame({"a": [1]}),
    "polars series": lambda: pl.Series("s", [1, None]),
    "polars series without a name": lambda: pl.Series([1, 2]),
    "array": lambda: np.array([1, 2]),
    "empty array": lambda: np.array([]),
    "array of two dimensions": lambda: np.arange(6).reshape(2, 3),
    "array of float16": lambda: np.array([1.5], np.float16),
    "array of truth values": lambda: np.array([True]),
    "array of objects": lambda: np.array([1, None], object),
    "array of nanoseconds": lambda: np.array(["2020-01-01", "NaT"], "M8[ns]"),
    "array of timedeltas": lambda: np.array([5, "NaT"], "m8[s]"),
    "masked array": lambda: np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    "dict of arrays": lambda: {"a": np.arange(2), "A": np.ones(2)},
    "dict of masked arrays": lambda: {"a": np.ma.array([1, 2, 3], mask=[0, 1, 0])},
    "dict with a number as a name": lambda: {1: np.arange(2)},
    "list of arrays": lambda: [np.arange(2), np.arange(2) * 1.5],
    "table": lambda: TABLE,
    "table without rows": lambda: TABLE.slice(0, 0),
    "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: TABLE.to_reader(),
    "scanner": lambda: ds.dataset(TABLE).scanner(),
    "dataset": lambda: ds.dataset(TABLE),
    "Arrow array": lambda: pa.array([1, None]),
    "Arrow chunks": lambda: pa.chunked_array([[1], [None, 2]]),
    "Arrow structs": lambda: pa.array([{"a": 1, "b": "x"}, None]),
    "Arrow names twice": lambda: pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]),
    "stream": lambda: Stream(TABLE),
    "stream without rows": lambda: Stream(TABLE.slice(0, 0)),
    "stream of values": lambda: Stream(pa.chunked_array([[1, None]])),
    "stream of structs": lambda: Stream(pa.chunked_array([pa.array([{"a": 1}, None])])),
    "__arrow_c_array__": lambda: OneArray(TABLE.to_batches()[0]),
    "__arrow_c_array__ of values": lambda: OneArray(pa.array([1, None])),
}  # fmt: skip


def _answer(relation: Any) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
    return relation.columns, [str(kind).strip('"') for kind in relation.types], relation.fetchall()


@pytest.mark.parametrize("label", AS_DUCKDB)
def test_is_read_as_in_duckdb(label: str) -> None:
    with duckdb.connect(config={"threads": 1}) as theirs:
        theirs.register("t", AS_DUCKDB[label]())
        expected = _answer(theirs.sql("FROM t"))
    assert _answer(tqp.connect(threads=1).register("t", AS_DUCKDB[label]()).sql("FROM t")) == expected


OURS: dict[str, tuple[Callable[[], Any], list[str], list[str], list[tuple[Any, ...]]]] = {
    # DuckDB makes DOUBLE of integers among which one is missing.
    "categories of integers": (lambda: _frame(pd.Categorical([3, None])), ["x"], ["BIGINT"], [(3,), (None,)]),
    # DuckDB makes texts of scalars of NumPy.
    "scalars of NumPy": (lambda: _objects(np.int32(1), np.float64(2.5)), ["x"], ["DOUBLE"], [(1.0,), (2.5,)]),
    "dicts of several shapes": (lambda: _objects({"a": 1}, {"b": "x"}, None), ["x"], ["MAP(VARCHAR, VARCHAR)"],
        [({"a": "1"},), ({"b": "x"},), (None,)]),
    "array of texts": (lambda: np.array(["a", "bc"]), ["column0"], ["VARCHAR"], [("a",), ("bc",)]),
    "array of bytes": (lambda: np.array([b"a"]), ["column0"], ["BLOB"], [(b"a",)]),
    "big endian": (lambda: np.array([1, 2], ">i4"), ["column0"], ["INTEGER"], [(1,), (2,)]),
    "structured array": (lambda: np.array([(1, 2.5, "a")], [("n", "i4"), ("f", "f8"), ("s", "U3")]), ["n", "f", "s"],
        ["INTEGER", "DOUBLE", "VARCHAR"], [(1, 2.5, "a")]),
    "days": (lambda: np.array(["2020-01-01", "NaT"], "M8[D]"), ["column0"], ["DATE"], [(date(2020, 1, 1),), (None,)]),
    "months": (lambda: np.array(["2020-02", "NaT"], "M8[M]"), ["column0"], ["DATE"], [(date(2020, 2, 1),), (None,)]),
    "hours": (lambda: np.array(["2020-02-01T05", "NaT"], "M8[h]"), ["column0"], ["TIMESTAMP_S"],
        [(datetime(2020, 2, 1, 5),), (None,)]),
    "lengths in minutes": (lambda: np.array([90, "NaT"], "m8[m]"), ["column0"], ["INTERVAL"],
        [(timedelta(minutes=90),), (None,)]),
    "index": (lambda: pd.Index([1, 2], name="i"), ["value"], ["BIGINT"], [(1,), (2,)]),
    "index of several": (lambda: pd.MultiIndex.from_tuples([(1, "x")], names=["a", "b"]), ["a", "b"], ["BIGINT", "VARCHAR"],
        [(1, "x")]),
    "array of pandas": (lambda: pd.array([1, None]), ["value"], ["BIGINT"], [(1,), (None,)]),
    "polars Int128": (lambda: pl.DataFrame({"x": pl.Series([2**100, None], dtype=pl.Int128)}), ["x"], ["HUGEINT"],
        [(2**100,), (None,)]),
    "polars Float16": (lambda: pl.DataFrame({"x": pl.Series([1.5, None], dtype=pl.Float16)}), ["x"], ["FLOAT"],
        [(1.5,), (None,)]),
    "zones": (lambda: pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]).tz_localize("Asia/Tokyo"),
        "b": pd.to_datetime(["2020-01-01"]).tz_localize("Europe/Berlin")}), ["a", "b"], ["TIMESTAMP WITH TIME ZONE"] * 2,
        [(datetime(2019, 12, 31, 15, tzinfo=UTC), datetime(2019, 12, 31, 23, tzinfo=UTC))]),
    "tensor": (lambda: torch.ones(2, device=CPU), ["column0"], ["FLOAT"], [(1.0,), (1.0,)]),
    "tensor of vectors": (lambda: torch.arange(6, device=CPU).reshape(2, 3), ["column0"], ["BIGINT[3]"],
        [((0, 1, 2),), ((3, 4, 5),)]),
    "tensor of matrices": (lambda: torch.arange(4, device=CPU).reshape(1, 2, 2), ["column0"], ["BIGINT[2][2]"],
        [(((0, 1), (2, 3)),)]),
    "truth values in rows": (lambda: torch.tensor([[True, False]], device=CPU), ["column0"], ["BOOLEAN[2]"],
        [((True, False),)]),
    "no rows of vectors": (lambda: torch.ones(0, 2, device=CPU), ["column0"], ["FLOAT[2]"], []),
    "uint64": (lambda: torch.tensor([2**64 - 1, 1], dtype=torch.uint64, device=CPU), ["column0"], ["UBIGINT"],
        [(2**64 - 1,), (1,)]),
    "small uint64": (lambda: torch.tensor([3, 1], dtype=torch.uint64, device=CPU)[::2], ["column0"], ["UBIGINT"], [(3,)]),
    "gradient": (lambda: torch.ones(1, device=CPU, requires_grad=True), ["column0"], ["FLOAT"], [(1.0,)]),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(0)]), ["column0"], ["FLOAT[]"],
        [([1.0],), ([],)]),
    "jagged": (lambda: torch.nested.nested_tensor([torch.arange(2), torch.arange(1)], layout=torch.jagged), ["column0"],
        ["BIGINT[]"], [([0, 1],), ([0],)]),
    "jagged with holes": (lambda: torch.nested.narrow(torch.arange(10).reshape(2, 5), 1, torch.tensor([0, 1]),
        torch.tensor([2, 3]), layout=torch.jagged), ["column0"], ["BIGINT[]"], [([0, 1],), ([6, 7, 8],)]),
    "jagged vectors": (lambda: torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(1, 2)], layout=torch.jagged),
        ["column0"], ["FLOAT[2][]"], [([(1.0, 1.0), (1.0, 1.0)],), ([(1.0, 1.0)],)]),
    "__dlpack__": (lambda: Pack(torch.arange(2, device=CPU)), ["column0"], ["BIGINT"], [(0,), (1,)]),
    "list of dicts": (lambda: [{"a": 1, "b": "x"}, {"a": 2}, {"c": 1.5}], ["a", "b", "c"], ["BIGINT", "VARCHAR", "DOUBLE"],
        [(1, "x", None), (2, None, None), (None, None, 1.5)]),
    "list of tuples": (lambda: [(1, "x"), (None, "y")], ["column0", "column1"], ["BIGINT", "VARCHAR"],
        [(1, "x"), (None, "y")]),
    "list of named tuples": (lambda: [Pair(1, "x"), Pair(2, None)], ["a", "b"], ["BIGINT", "VARCHAR"],
        [(1, "x"), (2, None)]),
    "list of dataclasses": (lambda: [Row(1, "x"), Row(2, None)], ["a", "b"], ["BIGINT", "VARCHAR"], [(1, "x"), (2, None)]),
    "list of batches": (lambda: TABLE.to_batches(max_chunksize=2), ["a", "b"], ["BIGINT", "VARCHAR"],
        [(1, "x"), (None, "y"), (3, None)]),
    "dict of everything": (lambda: {"s": pd.Series([1, None], dtype="Int64", index=[7, 8]), "i": pd.Index(["p", "q"]),
        "p": pl.Series([1.5, None]), "a": pa.array([{"f": 1}, None]), "r": range(2), "d": Pack(torch.arange(2, device=CPU)),
        "c": OneArray(pa.array([None, 2])), "t": Stream(pa.chunked_array([[1], [2]])), "n": np.array([True, False]),
        "l": ["x", None], "S": [1, 2]}, ["s", "i", "p", "a", "r", "d", "c", "t", "n", "l", "S_1"],
        ["BIGINT", "VARCHAR", "DOUBLE", "STRUCT(f BIGINT)", *["BIGINT"] * 4, "BOOLEAN", "VARCHAR", "BIGINT"],
        [(1, "p", 1.5, {"f": 1}, 0, 0, None, 1, True, "x", 1), (None, "q", None, None, 1, 1, 2, 2, False, None, 2)]),
}  # fmt: skip


@pytest.mark.host_only("nested tensors and the protocols of arrays are those of the CPU")
@pytest.mark.parametrize("label", OURS)
def test_is_read(label: str) -> None:
    make, *expected = OURS[label]
    relation = tqp.connect(threads=1, time_zone="UTC").register("t", make()).sql("FROM t")
    assert list(_answer(relation)) == expected


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "Period": (lambda: _frame(pd.period_range("2020", "2021", freq="M")), r"period\[M\].*to_timestamp"),
    "Interval": (lambda: _frame(pd.interval_range(0, 2)), r"interval.*array.left"),
    "numbers among texts": (lambda: _objects("a", 1), "mixes objects of the types str, int: make them of one type"),
    "decimals and floats": (lambda: _objects(Decimal(1), 1.5), "mixes objects of the types Decimal, float"),
    "zones in some rows": (lambda: _objects(datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)), "some have none"),
    "sparse": (lambda: torch.eye(2, device=CPU).to_sparse(), "to_dense"),
    "meta": (lambda: torch.ones(2, device="meta"), "without data"),
    "complex": (lambda: {"x": np.array([1j])}, "take .real and .imag"),
    "complex tensor": (lambda: torch.ones(2, dtype=torch.complex64, device=CPU), "take .real and .imag"),
    "complex series": (lambda: pd.Series([1j]), "numpy.real"),
    "sparse series": (lambda: pd.Series(pd.arrays.SparseArray([0, 1])), "sparse.to_dense"),
    "float8": (lambda: torch.ones(2, device=CPU).to(torch.float8_e4m3fn), r"\.float\(\)"),
    "picoseconds": (lambda: np.array(["2020-01-01"], "datetime64[ps]"), "from days to nanoseconds"),
    "dicts without values": (lambda: [{}, {}], "at least one column"),
    "tuples without values": (lambda: [(), ()], "at least one column"),
    "structured column": (lambda: {"x": np.zeros(1, [("p", "i4")])}, "take its fields"),
    "a tensor of no dimension": (lambda: torch.tensor(1, device=CPU), r"reshape\(1\)"),
    "an array of three dimensions": (lambda: np.zeros((2, 2, 2)), r'\{"v": array\}'),
    "an array with many rows": (lambda: np.zeros((20_000, 2)), r"rows of an array of two dimensions are its columns"),
    "unequal lengths": (lambda: {"a": pd.Series([1]), "b": [1, 2]}, "columns differ in length: a 1, b 2"),
    "unequal rows": (lambda: [(1, 2), (1,)], "row 1 has 1 values, and row 0 has 2"),
    "a column that is a value": (lambda: {"a": [1], "b": 5}, "column 'b' is of the type int"),
    "an empty dict": (dict, "without columns"),
    "a list of values": (lambda: [1, 2], 'needs a name: {"x": values}'),
    "an empty list": (list, "needs a name"),
    "an iterator": (lambda: iter([1]), r"list\("),
    "nested in several dimensions": (
        lambda: torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(1, 3)]), "differ in more than their first"
    ),
}  # fmt: skip


@pytest.mark.host_only("nested and sparse tensors are those of the CPU")
@pytest.mark.parametrize("label", REFUSED)
def test_is_refused_with_what_works(label: str) -> None:
    make, message = REFUSED[label]
    with pytest.raises(TqpError, match=message):
        tqp.connect(threads=1).register("t", make()).sql("FROM t").fetchall()


def test_variables_of_every_kind_are_tables() -> None:
    con = tqp.connect(threads=1)
    rows, series, numbers, tensor = [{"a": 1}], pd.Series([2]), np.array([3]), torch.tensor([4], device=CPU)
    found = [con.sql("FROM rows"), con.sql("FROM series"), con.sql("FROM numbers"), con.sql("FROM tensor")]
    assert [relation.fetchall() for relation in found] == [[(1,)], [(2,)], [(3,)], [(4,)]]
    number = 5
    with pytest.raises(TqpError, match="variable number is an int"):
        con.sql("FROM number")
    assert (rows, number) == ([{"a": 1}], 5) and len(series) == len(numbers) == len(tensor)
