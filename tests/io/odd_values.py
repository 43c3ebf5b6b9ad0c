"""Odd things that people hand in: values, vectors, columns and tables by a label, for the tests of the doors."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch

CPU = torch.device("cpu")
UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")


class Colour(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    THREE = 3


class Word(enum.StrEnum):
    X = "x"


Text, Whole, Real = type("Text", (str,), {}), type("Whole", (int,), {}), type("Real", (float,), {})
Day, Moment = type("Day", (date,), {}), type("Moment", (datetime,), {})

VALUES: dict[str, Any] = {
    "None": None, "True": True, "5": 5, "2**31": 2**31, "2**63": 2**63, "2**64": 2**64, "2**70": 2**70,
    "2**127": 2**127, "-2**127": -(2**127), "2**130": 2**130, "10**400": 10**400, "1.5": 1.5, "nan": float("nan"),
    "inf": float("inf"), "-0.0": -0.0, "1e308": 1e308, "text": "a", "empty": "", "unicode": "ä😀", "nul": "a\0b",
    "surrogate": "a\ud800b", "1.50": Decimal("1.50"), "0.05": Decimal("0.05"), "Decimal NaN": Decimal("NaN"),
    "signaling NaN": Decimal("sNaN"), "Decimal -inf": Decimal("-Infinity"), "1E+400": Decimal("1E+400"),
    "1E-400": Decimal("1E-400"), "38 digits": Decimal("9" * 38), "39 digits": Decimal("9" * 39),
    "5000 digits": Decimal("9" * 5000), "1E+5": Decimal("1E+5"), "0E+999999": Decimal("0E+999999"),
    "1E+999999999": Decimal("1E+999999999"), "-0.00": Decimal("-0.00"), "date": date(2020, 1, 1), "first date": date.min,
    "last date": date.max, "datetime": datetime(2020, 1, 1, 1, 2, 3, 4), "utc": datetime(2020, 1, 1, tzinfo=UTC),
    "zone": datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    "last datetime": datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))),
    "first datetime": datetime.min.replace(tzinfo=timezone(timedelta(hours=5))), "time": time(1, 2, 3, 4),
    "time with zone": time(1, 2, tzinfo=UTC), "timedelta": timedelta(days=1, microseconds=-3),
    "longest": timedelta.max, "shortest": timedelta.min, "NaT": pd.NaT, "NA": pd.NA,
    "Timestamp": pd.Timestamp("2020-01-01 01:02:03.000004"), "Timestamp ns": pd.Timestamp(5), "Timestamp tz":
    pd.Timestamp("2020-01-01", tz="Asia/Tokyo"), "Timestamp far": pd.Timestamp(np.datetime64("20000-01-01", "s")),
    "Timedelta": pd.Timedelta("1 day") - pd.Timedelta("3 us"), "Timedelta ns": pd.Timedelta(5), "Period": pd.Period("2020-01"),
    "Interval": pd.Interval(0, 1), "DateOffset": pd.DateOffset(months=1), "int8": np.int8(-5),
    "uint64": np.uint64(2**64 - 1), "float16": np.float16(1.5), "float32": np.float32(0.1),
    "longdouble": np.longdouble(1.5), "long": np.longdouble(1) + np.longdouble(2) ** -60, "bool_": np.bool_(True),
    "str_": np.str_("x"), "bytes_": np.bytes_(b"x"), "np NaT": np.datetime64("NaT"), "datetime64 ns 5":
    np.datetime64(5, "ns"), "datetime64 ns 5000": np.datetime64(5000, "ns"), "datetime64 BC":
    np.datetime64("-0043-03-15"), "datetime64 far": np.datetime64("20000-01-01T00", "h"), "timedelta64 NaT":
    np.timedelta64("NaT"), "timedelta64 generic": np.timedelta64(5), "complex64": np.complex64(1j), "void": np.void(b"ab"),
    **{f"datetime64 {unit}": np.datetime64(2**62 if unit in ("as", "Y", "D") else 50, unit) for unit in UNITS},
    **{f"timedelta64 {unit}": np.timedelta64(2**62 if unit in ("fs", "Y", "h") else 50, unit) for unit in UNITS},
    "0-d": np.array(5), "0-d object": np.array(None, object), "0-d text": np.array("x"), "masked": np.ma.masked,
    "0-d datetime64": np.array("2020-01-01", "datetime64[ns]"), "tensor": torch.tensor(5, device=CPU),
    "bfloat16": torch.tensor(0.5, dtype=torch.bfloat16, device=CPU), "gradient":
    torch.tensor(0.5, requires_grad=True, device=CPU), "meta": torch.tensor(0.5, device="meta"), "complex tensor":
    torch.tensor(1j, device=CPU), "complex": 1j, "bytes": b"ab", "bytearray": bytearray(b"ab"), "memoryview":
    memoryview(b"ab"), "enum": Colour.RED, "int enum": Number.THREE, "str enum": Word.X, "str subclass": Text("q"),
    "int subclass": Whole(7), "float subclass": Real(0.5), "date subclass": Day(2020, 1, 1), "datetime subclass":
    Moment(2020, 1, 1), "uuid": uuid.UUID(int=5), "object": object(), "type": int, "function": len, "set": {1},
    "dict": {"a": 1}, "range": range(3), "ellipsis": ..., "fraction": Fraction(1, 3), "mock": MagicMock(), "pa.scalar": pa.scalar(5),
}  # fmt: skip

VECTORS: dict[str, Any] = {
    "[]": [], "[1, 2]": [1, 2], "[1, None]": [1, None], "[nan]": [float("nan")], "[2**70]": [2**70], "[10**400, 1.5]":
    [10**400, 1.5], "[[1]]": [[1]], "['a']": ["a"], "[True]": [True], "[Decimal]": [Decimal(1)], "(1,)": (1,),
    "[np.int8]": [np.int8(1)], "[datetime64]": [np.datetime64(1, "s")], "float64": np.array([1.0, 2.0]), "2-d": np.ones((2, 2)), "no numbers": np.ones(0),
    "objects": np.array([1, 2], object), "words": np.array(["a"]), "days": np.array(["2020"], "datetime64[D]"),
    "uint16": np.array([1], np.uint16), "uint64": np.array([2**64 - 1], np.uint64), "bool": np.array([True]),
    "big endian": np.array([1.0, 2.0], ">f8"), "backwards": np.array([1.0, 2.0])[::-1], "masked":
    np.ma.array([1.0, 2.0], mask=[0, 1]), "unmasked": np.ma.array([1.0, 2.0]), "longdouble":
    np.array([1.0], np.longdouble), "complex": np.array([1j]), "records": np.zeros(2, [("a", "i4")]),
    "float32 tensor": torch.ones(2, device=CPU), "Series": pd.Series([1.0, 2.0]), "Series NA":
    pd.Series([1, None], dtype="Int64"), "polars": pl.Series([1.0, 2.0]), "arrow": pa.array([1.0, 2.0]),
}  # fmt: skip


def tensors() -> dict[str, torch.Tensor]:
    """Tensors of all kinds that torch knows, of two or three rows."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    ones, pairs = torch.ones(3, device=CPU), torch.ones(3, 2, device=CPU)
    complexes = torch.tensor([1 + 2j, 3 - 1j], device=CPU)
    with torch.inference_mode():
        inference = torch.ones(3, device=CPU)
    with FakeTensorMode():
        fake = torch.ones(3, device=CPU)
    bits = torch.tensor([2, 0], dtype=torch.uint8, device=CPU)
    return {
        "sparse": pairs.to_sparse(), "csr": pairs.to_sparse_csr(), "meta": torch.ones(3, device="meta"),
        "gradient": ones.clone().requires_grad_(), "gradients": pairs.clone().requires_grad_(),
        "with history": ones.clone().requires_grad_() * 2, "complex": ones.to(torch.complex64), "conjugate":
        complexes.conj(), "negative": complexes.conj().imag, "negatives": complexes.conj().imag.reshape(1, 2),
        "real": complexes.real, "bfloat16": ones.bfloat16(), "float16": ones.half(), "bfloat16 2-d": pairs.bfloat16(),
        "float8": ones.to(torch.float8_e5m2), "uint64": torch.ones(3, dtype=torch.uint64, device=CPU), "uint32":
        torch.tensor([0, 2**32 - 1], dtype=torch.uint32, device=CPU), "uint16 2-d":
        torch.tensor([[0, 65535]], dtype=torch.uint16, device=CPU), "quantized":
        torch.quantize_per_tensor(ones, 0.1, 0, torch.qint8), "nested": torch.nested.nested_tensor([ones, ones[:2]]),
        "jagged": torch.nested.nested_tensor([ones, ones[:2]], layout=torch.jagged), "expanded": ones[:1].expand(3),
        "transposed": torch.arange(6.0, device=CPU).reshape(2, 3).T, "strided": torch.arange(6, device=CPU)[::2],
        "0-d": torch.tensor(1, device=CPU), "3-d": torch.ones(2, 2, 2, device=CPU), "empty": ones[:0], "(0, 2)":
        pairs[:0], "(2, 0)": pairs[:2, :0], "bools 2-d": pairs.bool(), "int64": torch.tensor([-(2**63), 2**63 - 1], device=CPU),
        "parameter": torch.nn.Parameter(ones.clone()), "inference": inference, "subclass":
        ones.as_subclass(type("Own", (torch.Tensor,), {})), "fake": fake, "odd bools": bits.view(torch.bool),
    }  # fmt: skip


def arrays() -> dict[str, np.ndarray[Any, Any]]:
    """NumPy arrays of every dtype, layout and mask."""
    found: dict[str, Any] = {}
    limits = np.array([-(2**63) + 1, 2**63 - 1])
    for unit in UNITS:
        for kind in ("datetime64", "timedelta64"):
            found[f"{kind} {unit}"] = np.array([5, "NaT"], f"{kind}[{unit}]")
            found[f"{kind} {unit} limits"] = limits.view(f"{kind}[{unit}]")
    for code in "?bBhHiIlLqQefdgFDG":
        found[f"zeros {code}"], found[f"empty {code}"] = np.zeros(2, code), np.zeros(0, code)
        found[f"2-d {code}"] = np.zeros((2, 2), code)
    for code in ("S3", "U3", "V3", "O"):
        found[f"zeros {code}"], found[f"empty {code}"] = np.zeros(2, code), np.zeros(0, code)
    for code in (">i2", ">i8", ">u4", ">f2", ">f4", ">c8", ">U3"):
        found[f"swapped {code}"] = np.ones(2).astype(code)
    numbers = np.arange(8.0)
    found |= {
        "several seconds": np.array([5], "datetime64[2s]"), "no unit": np.array([5], "timedelta64"), "BC":
        np.array(["-0043-03-15"], "datetime64[D]"), "swapped 2-d": np.ones((2, 2), ">f4"), "swapped time":
        np.array([1, 2], "datetime64[us]").astype(">M8[us]"), "records": np.zeros(2, [("a", "i4"), ("b", "f4")]),
        "backwards": numbers[::-1], "strided": numbers[::2], "2-d backwards": numbers.reshape(4, 2)[::-1], "2-d strided":
        numbers.reshape(2, 4)[:, ::2], "transposed": numbers.reshape(2, 4).T, "broadcast": np.broadcast_to(numbers[1], 3),
        "read only": np.frombuffer(b"12345678", np.int64), "odd bools": np.array([2, 0], np.uint8).view(np.bool_),
        "StringDType": np.array(["a", "b"], np.dtypes.StringDType()), "StringDType NA":
        np.array(["a", None], np.dtypes.StringDType(na_object=None)), "0-d": np.array(5), "3-d": np.zeros((2, 2, 2)),
        "no columns": np.zeros((2, 0)), "no rows": np.zeros((0, 2)), "objects 2-d": np.array([[1, 2], [3, 4]], object),
        "words 2-d": np.array([["a"], ["b"]]), "floats": np.array([np.nan, np.inf, -np.inf, -0.0]), "long":
        np.array([np.longdouble("1e4000"), 1]), "uint64": np.array([0, 2**64 - 1], np.uint64), "int64": limits, "bytes":
        np.array([b"a", b"\xff"]), "surrogate": np.array(["a\ud800"]), "nul": np.array(["a\0b", "c\0"]), "matrix":
        np.asmatrix(np.ones((2, 2))), "chararray": np.char.array(["a", "b"]), "masked":
        np.ma.array([1, 2, 3], mask=[0, 1, 0]), "all masked": np.ma.array([1, 2], mask=True), "masked words":
        np.ma.array(["a", "b"], mask=[1, 0]), "masked objects": np.ma.array([None, 2**70], mask=[1, 0], dtype=object),
        "masked days": np.ma.array(np.array([1, 2], "M8[D]"), mask=[1, 0]), "masked bytes":
        np.ma.array([b"a", b"b"], mask=[1, 0]), "masked rows": np.ma.array(np.ones((2, 2)), mask=[[1, 1], [0, 0]]),
        "masked cells": np.ma.array(np.ones((2, 2)), mask=[[1, 0], [0, 0]]), "masked records":
        np.ma.zeros(2, [("a", "i4")]), "masked long": np.ma.array([1.0, 2.0], dtype="g", mask=[1, 0]), "masked swapped":
        np.ma.array([1, 2], dtype=">i4", mask=[1, 0]),
    }  # fmt: skip
    return found


def _from_bytes(kind: pa.DataType, offsets: list[int], data: bytes, validity: bytes | None = None) -> pa.Array:
    width = np.int64 if kind == pa.large_string() else np.int32
    bits = None if validity is None else pa.py_buffer(validity)
    return pa.Array.from_buffers(
        kind, len(offsets) - 1, [bits, pa.py_buffer(np.array(offsets, width)), pa.py_buffer(data)]
    )


def _from_integers(kind: pa.DataType, *values: int | None) -> pa.Array:
    return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


def arrow_columns() -> dict[str, pa.Array | pa.ChunkedArray]:
    """Arrow arrays of every type, with the extremes of each, and with buffers that hold what the type does not allow."""
    bad = _from_bytes(pa.string(), [0, 1, 3], b"a\xff\xfe")
    found: dict[str, Any] = {
        "no utf-8": bad, "no utf-8 large": _from_bytes(pa.large_string(), [0, 1, 3], b"a\xff\xfe"), "no utf-8 dictionary":
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), bad), "surrogate": _from_bytes(pa.string(), [0, 3], b"\xed\xa0\x80"),
        "no utf-8 in null": _from_bytes(pa.string(), [0, 1, 3], b"a\xff\xfe", b"\x01"), "nul": pa.array(["a\0b"]),
        "view": pa.array(["a", "too long to be inline", None], pa.string_view()), "binary": pa.array([b"a", None]),
        "binary view": pa.array([b"a"], pa.binary_view()), "fixed binary": pa.array([b"ab"], pa.binary(2)), "runs":
        pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, None])), "text runs":
        pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int16()), pa.array(["a", "b"])), "bad indices":
        pa.DictionaryArray.from_arrays(pa.array([5, -1], pa.int8()), pa.array(["a"]), safe=False), "no dictionary":
        pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string())), "sparse union":
        pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]), "struct":
        pa.array([{"a": 1}]), "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())), "lists":
        pa.array([[1], [1, 2]]), "equal lists": pa.array([[1, 2], None, [3, 4]]), "empty lists":
        pa.array([[], []], pa.list_(pa.int32())), "null lists": pa.array([None, None], pa.list_(pa.int32())), "text lists":
        pa.array([["a"], ["b"]]), "null elements": pa.array([[1, None]]), "list view":
        pa.array([[1, 2]], pa.list_view(pa.int32())), "no lists": pa.array([], pa.list_(pa.int32())), "sliced lists":
        pa.array([[1, 2], [3, 4], [5, 6]]).slice(1), "fixed 0": pa.array([[], []], pa.list_(pa.int32(), 0)), "fixed bool":
        pa.array([[True]], pa.list_(pa.bool_(), 1)), "fixed uint64": pa.array([[2**64 - 1]], pa.list_(pa.uint64(), 1)),
        "months": pa.array([(1, 2, 3000), None], pa.month_day_nano_interval()), "months ns":
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "longest":
        pa.array([(2**31 - 1, -(2**31), (2**63 - 1) // 1000 * 1000)], pa.month_day_nano_interval()), "float16":
        pa.array([1.5, float("nan"), None], pa.float16()), "float": pa.array([float("nan"), None, -0.0], pa.float32()),
        "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()), "null": pa.nulls(3), "no nulls": pa.nulls(0), "sliced bool":
        pa.array([True, None, False] * 5).slice(3, 5), "no chunks": pa.chunked_array([], pa.int32()), "chunks":
        pa.chunked_array([[1], [], [None]]), "dictionaries":
        pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]), "uuid":
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16], pa.binary(16))), "json":
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}"])), "bool8":
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([2, 0, None], pa.int8())), "tensor": pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [2, 2]), pa.array([[1, 2, 3, 4]], pa.list_(pa.float32(), 4))),
        "decimal too long": pa.Array.from_buffers(pa.decimal128(3, 0), 1, [None, pa.py_buffer(np.array([5000, 0]))]),
        "decimal high limb": pa.Array.from_buffers(pa.decimal128(18, 0), 1, [None, pa.py_buffer(np.array([5, 7]))]),
        "decimal 39 digits": pa.Array.from_buffers(pa.decimal128(38, 0), 1, [None, pa.py_buffer(np.array([0, 2**62]))]),
        "decimal32": pa.array([Decimal("1.5")], pa.decimal32(5, 2)), "decimal256": pa.array([Decimal("1.5")], pa.decimal256(76, 2)),
        "decimal by 100": pa.array([Decimal("1E+3")], pa.decimal128(5, -2)),
    }  # fmt: skip
    for label, values in {
        "text": pa.array(["z", "a"]), "integers": pa.array([10, 20]), "decimals": pa.array([Decimal("1.5"), Decimal("2.5")]),
        "nulls": pa.nulls(2), "dates": pa.array([1, 2], pa.date32()), "arrays": pa.array([[1], [2]], pa.list_(pa.int8(), 1)),
        "structs": pa.array([{"a": 1}, {"a": 2}]), "views": pa.array(["z", "a"], pa.string_view()), "bools":
        pa.array([True, False]), "intervals": pa.array([(1, 2, 3000), (0, 0, 0)], pa.month_day_nano_interval()), "null text":
        pa.array(["z", None]),
    }.items():  # fmt: skip
        found[f"dictionary of {label}"] = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), values)
        found[f"empty dictionary of {label}"] = pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), values)
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin", "+05:30", "No/Where"):
            found[f"timestamp {unit} {zone}"] = pa.array([0, -1000, None], pa.timestamp(unit, zone))
            for label, value in {"min": -(2**63), "max - 1": 2**63 - 2, "before": -9_223_372_022_400_000_001}.items():
                found[f"timestamp {unit} {zone} {label}"] = _from_integers(pa.timestamp(unit, zone), value)
        found[f"duration {unit}"] = pa.array([5000, None], pa.duration(unit))
        for value in (2**63 - 1, -(2**63)):
            found[f"duration {unit} {value}"] = _from_integers(pa.duration(unit), value)
    for kind, second in (
        (pa.time32("s"), 1),
        (pa.time32("ms"), 10**3),
        (pa.time64("us"), 10**6),
        (pa.time64("ns"), 10**9),
    ):
        for label, seconds in {"0": 0, "midnight": 86_400, "before": -1, "after": 90_000}.items():
            found[f"{kind} {label}"] = _from_integers(kind, seconds * second, None)
    for value in (-(2**31), -800_000, 10**7, 2_932_896, 2_932_897, 2**31 - 2):
        found[f"date32 {value}"] = _from_integers(pa.date32(), value)
    for value in (2**63 - 1, -(2**63), 86_400_001, -1):
        found[f"date64 {value}"] = _from_integers(pa.date64(), value)
    for precision, scale in ((1, 0), (1, 1), (38, 38), (38, 0), (38, 37)):
        nines = (9,) * precision
        values = [Decimal((0, nines, -scale)), Decimal((1, nines, -scale)), None]
        found[f"decimal {precision} {scale}"] = pa.array(values, pa.decimal128(precision, scale))
    return found


def pandas_columns() -> dict[str, pd.Series]:
    """Series of every dtype of pandas."""
    found: dict[str, Any] = {}
    for name in (
        "Int8",
        "Int64",
        "UInt64",
        "Float32",
        "Float64",
        "boolean",
        "string[python]",
        "string[pyarrow]",
        "str",
    ):
        value = {"b": True, "s": "a"}.get(name[0], 1)
        for label, values in {"": [value, None], " none": [value], " all": [None], " no rows": []}.items():
            found[name + label] = pd.Series(values, dtype=name)
    for kind in (
        pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.bool_(), pa.string(), pa.large_string(), pa.string_view(),
        pa.binary(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ns"),
        pa.timestamp("us", "Asia/Tokyo"), pa.duration("s"), pa.duration("ns"), pa.month_day_nano_interval(),
        pa.decimal128(5, 2), pa.decimal256(50, 2), pa.null(), pa.list_(pa.int32()), pa.list_(pa.int32(), 2),
        pa.struct([("a", pa.int32())]), pa.dictionary(pa.int8(), pa.string()),
    ):  # fmt: skip
        found[f"Arrow {kind}"] = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.nulls(2, kind)])))
    for label, values in {
        "text": ["b", "a", None], "numbers": [3, 1], "floats": [1.5, float("nan")], "bools": [True, False], "times":
        list(pd.to_datetime(["2020-01-01", "2021-01-01"])), "mixed": [1, "a"], "tuples": [(1, 2), (3,)], "intervals":
        list(pd.interval_range(0, 2)), "large": [2**70, 1], "bytes": [b"a"], "decimals": [Decimal(1)], "dates":
        [date(2020, 1, 1)], "zoned": list(pd.to_datetime(["2020-01-01"], utc=True)), "lengths": [pd.Timedelta(1, "s")],
        "none": [], "nulls": [None, None],
    }.items():  # fmt: skip
        found[f"Categorical of {label}"] = pd.Series(pd.Categorical(values))
    limits = np.array([2**63 - 2, -9_223_372_022_400_000_000])
    for unit in ("s", "ms", "us", "ns"):
        found[f"datetime64 {unit}"] = pd.Series(np.array([1_000_000, "NaT"], f"M8[{unit}]"))
        found[f"timedelta64 {unit}"] = pd.Series(np.array([4 * 10**15, -5_000_000, "NaT"], f"m8[{unit}]"))
        found[f"datetime64 {unit} limits"] = pd.Series(limits.view(f"M8[{unit}]"))
        found[f"timedelta64 {unit} limits"] = pd.Series(limits.view(f"m8[{unit}]"))
        found[f"datetime64 {unit} zoned"] = pd.Series(np.array([10**6], f"M8[{unit}]")).dt.tz_localize("Asia/Tokyo")
    nothing = pd.Series([1.0, 0.0], dtype="Float64")
    found |= {
        "Int64 large": pd.Series([2**53 + 1, pd.NA, -(2**63)], dtype="Int64"), "Float64 NaN": nothing / nothing, "Period":
        pd.Series(pd.period_range("2020", "2021", freq="M")), "Interval": pd.Series(pd.interval_range(0, 2)), "Sparse int":
        pd.Series(pd.arrays.SparseArray([0, 1, 0])), "Sparse float": pd.Series(pd.arrays.SparseArray([np.nan, 1.0])),
        "Sparse text": pd.Series(pd.arrays.SparseArray(["a", "b"], fill_value="a")), "float16":
        pd.Series(np.array([1.5], np.float16)), "complex": pd.Series([1j]), "int64": pd.Series([2**63 - 1]), "uint64":
        pd.Series([2**64 - 1], dtype="u8"), "longdouble": pd.Series(np.array([1.5], np.longdouble)), "swapped":
        pd.Series(np.array([1, 2], ">i4")), "lists": pd.Series([[1, 2], [3]]), "equal lists": pd.Series([[1, 2], [3, 4]]),
        "arrays": pd.Series([np.array([1.0, 2.0]), None]), "2-d arrays": pd.Series([np.ones((2, 2))]), "dicts":
        pd.Series([{"a": 1}]), "tensors": pd.Series([torch.ones(2, device=CPU)] * 2), "NaN": pd.Series([1.5, np.nan]),
        "backwards": pd.Series(np.arange(4)[::-1]), "all NULL": pd.Series([None, None], dtype=object),
    }  # fmt: skip
    return found


def polars_columns() -> dict[str, pl.Series]:
    """Series of every dtype of polars."""
    found: dict[str, Any] = {}
    for kind in (
        pl.Int8, pl.Int64, pl.Int128, pl.UInt8, pl.UInt64, pl.UInt128, pl.Float16, pl.Float32, pl.Float64, pl.Boolean,
        pl.Null, pl.String, pl.Binary, pl.Date, pl.Time, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns"),
        pl.Datetime("us", "Asia/Tokyo"), pl.Duration("ms"), pl.Duration("ns"), pl.Decimal(38, 10), pl.Categorical,
        pl.Enum(["b", "a"]), pl.List(pl.Int32), pl.Array(pl.Int32, 2), pl.Array(pl.Int32, 0), pl.Array(pl.Boolean, 2),
        pl.List(pl.String), pl.Struct({"a": pl.Int8}),
    ):  # fmt: skip
        found[f"{kind} nulls"] = pl.Series([None, None], dtype=kind)
        found[f"{kind} no rows"] = pl.Series([], dtype=kind)
    far = 2**63 - 2
    found |= {
        "objects": pl.Series([object()], dtype=pl.Object), "Int128": pl.Series([2**100, -(2**127), None], dtype=pl.Int128),
        "lists": pl.Series([[1], [1, 2]]), "equal lists": pl.Series([[1, 2], [3, 4]]), "arrays":
        pl.Series([[1, 2], None], dtype=pl.Array(pl.Int16, 2)), "struct": pl.Series([{"a": 1}]), "NaN":
        pl.Series([1.5, float("nan"), None]), "last time": pl.Series([time.max]), "ns":
        pl.Series([1001]).cast(pl.Datetime("ns")), "last us": pl.Series([far]).cast(pl.Datetime("us")), "first us":
        pl.Series([-(2**63)]).cast(pl.Datetime("us")), "last ms": pl.Series([far]).cast(pl.Datetime("ms")), "last date":
        pl.Series([2**31 - 2], dtype=pl.Int32).cast(pl.Date), "longest": pl.Series([far]).cast(pl.Duration("us")),
        "decimals": pl.Series([Decimal("1.5"), None]), "categorical": pl.Series(["z", "a"], dtype=pl.Categorical), "enum":
        pl.Series(["z", "a"], dtype=pl.Enum(["z", "a"])), "times": pl.Series([datetime(2020, 1, 1), None]), "nul":
        pl.Series(["a\0b"]),
    }  # fmt: skip
    return found


def tables() -> dict[str, Callable[[], Any]]:
    """Tables with odd names, shapes and classes, and what is no table at all; made when they are needed."""
    odd = (
        "",
        " ",
        "a\nb",
        'a"b',
        "select",
        "x\0y",
        "ä",
        "a\ud800",
        "X" * 5000,
        ".",
        "*",
        "a.b",
        "'",
        "--",
        "t1",
        "rows",
    )
    found: dict[str, Callable[[], Any]] = {}
    for name in odd:
        for label, make in {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}.items():
            if name == "a\ud800" and label != "dict":
                continue
            found[f"{label} {name[:9]!r}"] = lambda make=make, name=name: make({name: [1, 2]})
    found |= {
        "integer names": lambda: pd.DataFrame({1: [1], 2: [2]}), "1 and '1'": lambda: pd.DataFrame([[1, 2]], columns=[1, "1"]),
        "None": lambda: pd.DataFrame({None: [1]}), "NaN": lambda: pd.DataFrame({float("nan"): [1]}), "tuples":
        lambda: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "twice":
        lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), "case": lambda: pd.DataFrame([[1, 2]], columns=["a", "A"]),
        "no columns": lambda: pd.DataFrame(index=[0, 1]), "nothing": pd.DataFrame, "no rows": lambda: pd.DataFrame({"x": []}),
        "index": lambda: pd.DataFrame({"x": [1]}, index=pd.Index(["q"], name="x")), "numbers as names": lambda: {1: [1]},
        "empty dict": dict, "a scalar": lambda: {"a": 1}, "a text": lambda: {"a": "xy"}, "None in it": lambda: {"a": None},
        "lengths": lambda: {"a": [1], "b": [1, 2]}, "lengths of arrays": lambda: {"a": np.ones(1), "b": np.ones(2)}, "series":
        lambda: {"a": pd.Series([1, 2])}, "a range": lambda: {"a": range(3)}, "no values": lambda: {"a": []}, "a set":
        lambda: {"a": {1}}, "a mock": MagicMock, "a mock in it": lambda: {"a": MagicMock()}, "subclass of str": lambda: {Text("a"): [1]}, "object": object, "number": lambda: 5, "None as a table":
        lambda: None, "no such file": lambda: "nowhere.parquet", "a list": lambda: [1, 2], "records": lambda: [{"a": 1}], "array":
        lambda: np.ones(3), "tensor": lambda: torch.ones(3, device=CPU), "pandas series": lambda: pd.Series([1]), "polars series":
        lambda: pl.Series([1]), "arrow array": lambda: pa.array([1]), "arrow structs": lambda: pa.array([{"a": 1}]), "no arrow":
        lambda: pa.table({}), "arrow twice": lambda: pa.Table.from_arrays([pa.array([1])] * 2, ["a", "a"]), "no polars":
        pl.DataFrame, "lazy": lambda: pl.LazyFrame({"a": [1]}), "lazy and wrong": lambda: pl.LazyFrame({"a": [1]}).select("z"),
        "class": lambda: pd.DataFrame, "module": lambda: np, "grouped": lambda: pd.DataFrame({"x": [1]}).groupby("x"),
        "iterator": lambda: iter([1]), "bytes": lambda: b"x",
    }  # fmt: skip
    return found
