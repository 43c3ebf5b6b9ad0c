"""Tensors that are values: in lists and columns of objects, as Arrow's tensors of a fixed shape, and as what is searched for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp.errors import BindError, UnsupportedError

VECTORS = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0])]
ROWS = [((1.0, 2.0),), ((3.0, 4.0),), ((5.0, 6.0),)]


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1).register("t", {"id": [1, 2, 3], "v": torch.stack(VECTORS)})


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


@pytest.mark.parametrize(
    "table",
    [
        {"v": VECTORS}, {"v": tuple(VECTORS)}, {"v": [one.half() for one in VECTORS]}, {"v": [one.bfloat16() for one in VECTORS]},
        {"v": [one.clone().requires_grad_() for one in VECTORS]}, {"v": [torch.nn.Parameter(one) for one in VECTORS]},
        [{"v": one} for one in VECTORS], pd.DataFrame({"v": pd.Series(VECTORS, dtype=object)}), {"v": _objects(VECTORS)},
        {"v": [one.repeat_interleave(2)[::2] for one in VECTORS]},
    ],
)  # fmt: skip
def test_tensors_in_lists_are_arrays(con: tqp.Connection, table: Any) -> None:
    found = con.register("u", table).sql("SELECT v FROM u")
    assert (str(found.types[0]), found.fetchall()) == ("FLOAT[2]", ROWS)


@pytest.mark.parametrize(
    ("values", "dtype", "rows"),
    [
        ([VECTORS[0], None], "FLOAT[2]", [((1.0, 2.0),), (None,)]), ([VECTORS[0], torch.ones(1)], "FLOAT[]", [([1.0, 2.0],), ([1.0],)]),
        ([torch.tensor([1, 2])] * 2, "BIGINT[]", [([1, 2],)] * 2), ([torch.tensor(1.5), torch.tensor(2.5)], "DOUBLE", [(1.5,), (2.5,)]),
        ([torch.tensor([True, False])], "BOOLEAN[]", [([True, False],)]), ([torch.eye(2)], "DOUBLE[][]", [([[1.0, 0.0], [0.0, 1.0]],)]),
        ([VECTORS[0].double(), np.array([3.0, 4.0])], "DOUBLE[2]", [((1.0, 2.0),), ((3.0, 4.0),)]),
    ],
)  # fmt: skip
def test_tensors_in_lists_of_all_kinds(con: tqp.Connection, values: list[Any], dtype: str, rows: list[Any]) -> None:
    found = con.register("u", {"v": values}).sql("SELECT v FROM u")
    assert (str(found.types[0]), found.fetchall()) == (dtype, rows)


@pytest.mark.parametrize(
    "value", [torch.eye(2).to_sparse(), torch.zeros(2, dtype=torch.complex64), torch.empty(2, device="meta")]
)
def test_tensors_without_values_say_so(con: tqp.Connection, value: torch.Tensor) -> None:
    con.register("u", {"id": [1], "v": [value]})
    with pytest.raises(UnsupportedError, match="column 'v' of 'u' cannot be read"):
        con.sql("SELECT v FROM u")
    assert con.sql("SELECT id FROM u").fetchall() == [(1,)]


def test_tensors_of_a_fixed_shape_in_arrow(con: tqp.Connection, tmp_path: Path) -> None:
    values = pa.FixedShapeTensorArray.from_numpy_ndarray(torch.stack(VECTORS).numpy())
    pq.write_table(pa.table({"v": values}), tmp_path / "v.parquet")
    con.register("u", pa.table({"v": values}))
    for source in ("u", f"'{tmp_path / 'v.parquet'}'"):
        found = con.sql(f"SELECT v FROM {source}")
        assert (str(found.types[0]), found.fetchall()) == ("FLOAT[2]", ROWS)
    con.register_model("sum", lambda v: v.sum(1), inputs={"v": "FLOAT[2]"})
    assert con.sql("SELECT PREDICT(sum, v) FROM u").fetchall() == [(3,), (7,), (11,)]


@pytest.mark.parametrize(
    "query",
    [VECTORS[1], VECTORS[1].reshape(1, 2), VECTORS[1].reshape(1, 2).double(), VECTORS[1][None].numpy(), [[3.0, 4.0]]],
)
def test_what_is_searched_for_may_be_a_matrix_of_one_row(con: tqp.Connection, query: Any) -> None:
    assert con.sql("SELECT id FROM t ORDER BY array_distance(v, ?) LIMIT 1", [query]).fetchall() == [(2,)]
    found = con.sql(
        "SELECT array_inner_product($q, v), array_cosine_similarity(v, $q) > 0.99 FROM t", {"q": query}
    ).fetchall()
    assert found == [(11, False), (25, True), (39, True)]


def test_matrices_of_other_shapes_are_no_vector(con: tqp.Connection) -> None:
    for query in (torch.ones(2, 2), torch.ones(2, 1), torch.ones(1, 3)):
        with pytest.raises(BindError, match="takes arrays of"):
            con.sql("SELECT array_distance(v, ?) FROM t", [query])
    kinds = con.sql("SELECT ?, ?, ?", [torch.ones(1, 2), np.ones((1, 2)), torch.ones(1, 2).int()]).types
    assert list(map(str, kinds)) == ["FLOAT[2]", "DOUBLE[][]", "INTEGER[][]"]
