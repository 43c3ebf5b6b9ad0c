"""What queries reach beside what is registered, and what a connection refuses at its doors."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.errors import BindError, ModelError, SourceError, TqpError

ROWS = pa.table({"a": [1, 2, 3]})


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", ROWS)
    return connection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(ROWS, tmp_path / "x.parquet")
    pyarrow.csv.write_csv(ROWS, tmp_path / "x.csv")
    (tmp_path / "m.onnx").write_bytes(b"")
    return tmp_path


def test_a_connection_without_files(folder: Path) -> None:
    con = tqp.connect(threads=1, external_access=False)
    con.register("t", ROWS)
    names = [
        f"{folder}/x.parquet",
        f"{folder}/x.csv",
        f"{folder}/*.parquet",
        f"{folder}/none.parquet",
        f"{folder}/x.arrow",
        "x.arrow",
        f"{folder}",
        "none.csv",
    ]
    doors: list[Callable[[str], object]] = [
        lambda name: con.sql(f"FROM '{name}'"),
        lambda name: con.sql(f"SELECT * FROM t WHERE a IN (FROM read_parquet('{name}'))"),
        lambda name: con.sql("FROM t").sql(f"FROM '{name}'"),
        lambda name: con.table(name),
        lambda name: con.register("f", name),
        lambda name: con.register("f", Path(name)),
        lambda name: con.read_parquet(name),
        lambda name: con.read_csv([name]),
        lambda name: con.read_arrow(name),
        lambda name: con.verify(f"FROM '{name}'"),
    ]
    for name in names:
        for door in doors:
            with pytest.raises(SourceError, match="names a file, and this connection reads none") as caught:
                door(name)
            assert "external_access" in str(caught.value)
    model = str(folder / "m.onnx")
    for path in (model, Path(model)):
        with pytest.raises(SourceError, match="reads none"):
            con.register_model("m", path)
    with pytest.raises(SourceError, match="reads none"):
        con.sql("SELECT PREDICT(model, a) FROM t")
    con.register("x.parquet", ROWS)
    assert con.sql("FROM 'x.parquet'").fetchall() == con.sql("FROM ROWS").fetchall() == [(1,), (2,), (3,)]
    assert con.tables() == ["t", "x.parquet"]


def test_a_connection_without_variables(folder: Path) -> None:
    con = tqp.connect(threads=1, variables=False)
    con.register("t", ROWS)
    hidden, model = ROWS, torch.nn.Linear(1, 1)
    relation = con.sql("FROM t")
    assert hidden.num_rows == 3 and model.in_features == 1
    for query in ("FROM hidden", "FROM ROWS", "FROM relation", "SELECT (SELECT max(a) FROM hidden) FROM t"):
        with pytest.raises(BindError, match="no table") as caught:
            con.sql(query)
        assert "hidden" not in (caught.value.hint or "")
    with pytest.raises(BindError, match="no table hidden"):
        relation.sql("FROM self, hidden")
    with pytest.raises(BindError, match="no model model") as caught:
        con.sql("SELECT PREDICT(model, a) FROM t")
    assert caught.value.hint == "register it with connection.register_model"
    assert relation.sql("SELECT max(a) FROM self").fetchall() == [(3,)]
    assert con.sql(f"SELECT max(a) FROM '{folder}/x.parquet'").fetchall() == [(3,)]
    con.register_model("model", model)
    assert len(con.sql("SELECT PREDICT(model, a::FLOAT) FROM t").fetchall()) == 3


def double(values: Any) -> Any:
    return values * 2


@pytest.mark.parametrize("kind", ["function", "lambda", "partial", "method", "builtin", "class", "ufunc"])
def test_a_function_is_a_model_only_when_registered(con: tqp.Connection, kind: str) -> None:
    called: list[object] = []

    class Holder:
        def call(self, values: Any) -> Any:
            called.append(values)
            return values

    calls: dict[str, Any] = {
        "function": double,
        "lambda": lambda values: called.append(values) or values,
        "partial": functools.partial(double),
        "method": Holder().call,
        "builtin": math.sqrt,
        "class": Holder,
        "ufunc": np.sqrt,
    }
    chosen = calls[kind]
    assert chosen is not None
    with pytest.raises(ModelError, match="chosen is a function or class, which is no model until it is registered"):
        con.sql("SELECT PREDICT(chosen, a) FROM t")
    assert called == [] and "chosen" not in con._names.known_models(None)


def test_a_registered_function_is_a_model(con: tqp.Connection) -> None:
    con.register_model("twice", double, inputs=["x"])
    assert con.sql("SELECT PREDICT(twice, a::DOUBLE) FROM t").fetchall() == [(2.0,), (4.0,), (6.0,)]


NAMES: list[object] = [None, "", 5, b"x", "a\ud800b", ["t"], Path("t")]


@pytest.mark.parametrize("name", NAMES, ids=lambda value: type(value).__name__)
def test_names_that_are_none(con: tqp.Connection, name: Any) -> None:
    doors: list[Callable[[], object]] = [
        lambda: con.register(name, ROWS),
        lambda: con.unregister(name),
        lambda: con.table(name),
        lambda: con.register_model(name, torch.nn.Linear(1, 1)),
        lambda: con.unregister_model(name),
        lambda: con.sql("FROM t").sql("FROM self", alias=name),
    ]
    for door in doors:
        with pytest.raises(BindError, match="the name"):
            door()
    assert con.tables() == ["t"] and con.models() == []
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(3,)]


@pytest.mark.parametrize(
    "text", [None, 5, b"SELECT 1", ["SELECT 1"], Path("q.sql")], ids=lambda value: type(value).__name__
)
def test_queries_that_are_no_text(con: tqp.Connection, text: Any) -> None:
    for door in (con.sql, con.execute, con.sql("FROM t").sql, con.verify):
        with pytest.raises(BindError, match="a query is text"):
            door(text)


@pytest.mark.parametrize("read", [None, 5, [], "klingon"], ids=lambda value: type(value).__name__)
def test_dialects_that_are_none(con: tqp.Connection, read: Any) -> None:
    with pytest.raises(BindError, match="dialect"):
        con.sql("SELECT 1", read=read)


@pytest.mark.parametrize(
    "values",
    [None, object(), 3, "", "t", int, [], {}, lambda: None, (1, 2), {"a"}],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_no_table(con: tqp.Connection, values: Any) -> None:
    with pytest.raises(TqpError):
        con.register("x", values)
    assert con.tables() == ["t"]


SETTINGS: list[dict[str, Any]] = [
    {"device": None},
    {"device": []},
    {"device": "abacus"},
    {"threads": True},
    {"threads": -1},
    {"threads": "2"},
    {"backend": []},
    {"backend": None},
    {"memory_limit": []},
    {"memory_limit": float("nan")},
    {"disabled_rules": None},
    {"disabled_rules": [5]},
    {"disabled_rules": ["decorrelate"]},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda value: type(value).__name__)
def test_settings_that_are_none(settings: dict[str, Any]) -> None:
    with pytest.raises(TqpError):
        tqp.connect(**settings)


def _paths(folder: Path) -> dict[str, Any]:
    os.symlink(folder / "loop.parquet", folder / "loop.parquet")
    os.symlink(folder / "gone.csv", folder / "dangling.csv")
    os.mkfifo(folder / "pipe.parquet")
    for name in ("folder.parquet", "folder.csv", "empty"):
        (folder / name).mkdir()
    bad: dict[str, bytes] = {
        "empty.parquet": b"",
        "short.parquet": b"PAR1",
        "zeros.parquet": b"PAR1" + bytes(100) + b"PAR1",
        "noise.parquet": b"PAR1" + b"\xff" * 100 + b"\x10\0\0\0PAR1",
        "text.parquet": b"a,b\n1,2\n",
        "name.csv": b"\xff,b\n1,2\n",
        "plain.csv.gz": b"a,b\n1,2\n",
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    cut = (folder / "x.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(cut[: len(cut) // 2])
    found = [
        "loop.parquet", "dangling.csv", "pipe.parquet", "folder.parquet", "folder.csv", "empty", "cut.parquet", "none.parquet",
        "x\0.parquet", "\ud800.parquet", "x" * 300 + ".parquet", "x.parquet/y.parquet", "none/*.csv", *bad,
    ]  # fmt: skip
    return {name: str(folder / name) for name in found} | {"folder": str(folder), "below": f"{folder}/**/loop.parquet"}


def test_paths_that_are_none(con: tqp.Connection, folder: Path) -> None:
    (folder / "x.csv").unlink()
    for name, path in _paths(folder).items():
        reader = con.read_csv if ".csv" in name else con.read_parquet
        for door in (lambda: con.sql(f"FROM '{path}'"), lambda: con.register("x", path), lambda: reader(path)):
            with pytest.raises(TqpError) as caught:
                door().fetchall()  # type: ignore[attr-defined]
            assert "bug in tqp" not in str(caught.value), name
        assert con.tables() == ["t"], name
        assert con.sql("SELECT count(*) FROM t").fetchall() == [(3,)]
    assert con.sql(f"SELECT max(a) FROM '{folder}/x.parquet'").fetchall() == [(3,)]


@pytest.mark.parametrize(
    "path",
    [None, 5, [], [None], b"x.parquet", [b"x"], {"a": 1}, "", [""], (), object()],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_no_path(con: tqp.Connection, path: Any) -> None:
    for door in (con.read_parquet, con.read_csv):
        with pytest.raises(SourceError, match="no path"):
            door(path)


OPTIONS: list[dict[str, Any]] = [
    {"delimiter": 5},
    {"quote": "ab"},
    {"quote": 5},
    {"header": "x"},
    {"names": 5},
    {"names": "ab"},
    {"names": [1]},
    {"types": {"a": 5}},
    {"types": {"a": "NOTHING OF THE KIND"}},
    {"types": {1: "INTEGER"}},
    {"types": 5},
    {"nullstr": 5},
    {"nullstr": [None]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda value: type(value).__name__)
def test_csv_options_that_are_none(con: tqp.Connection, folder: Path, options: dict[str, Any]) -> None:
    with pytest.raises((SourceError, BindError)):
        con.read_csv(folder / "x.csv", **options)


def test_folders_linked_in_a_circle(con: tqp.Connection, folder: Path) -> None:
    os.symlink(folder, folder / "self")
    for path in (folder, f"{folder}/*.parquet", f"{folder}/**/*.parquet"):
        assert con.sql(f"SELECT count(*) FROM '{path}'").fetchall() == [(3,)], path


def test_files_that_may_not_be_read(con: tqp.Connection, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = f"SELECT max(a) FROM '{folder}/x.parquet'"
    relation = con.sql(query)

    def refused(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("tqp.io.state.state_of", refused)
        for door in (lambda: con.sql(query), relation.fetchall, lambda: con.read_csv(folder / "x.csv")):
            with pytest.raises(SourceError, match="Permission denied"):
                door()
    with monkeypatch.context() as patch:
        patch.setattr("tqp.io.state.pa.OSFile", refused)
        with pytest.raises(SourceError, match="Permission denied"):
            con.sql(f"SELECT a FROM '{folder}/*.parquet'")
    assert relation.fetchall() == [(3,)]
