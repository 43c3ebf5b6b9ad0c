"""Aggregates of the user's own, beside built-in ones that say the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

import tqp
from tests.limits import limit
from tests.own.tables import connected
from tqp.errors import BindError, ExecutionError


def largest(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    start = torch.full((groups,), torch.iinfo(values.dtype).min, dtype=values.dtype, device=values.device)
    return start.scatter_reduce_(0, ids, values, "amax")


def total(values: Tensor, ids: Tensor, groups: int) -> Tensor:
    return torch.zeros(groups, dtype=values.dtype, device=values.device).index_add_(0, ids, values)


def weighted(values: Tensor, weights: Tensor, ids: Tensor, groups: int) -> Tensor:
    return total(values * weights, ids, groups)


def nulls(values: tuple[Tensor, Tensor], ids: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    found = total((~values[1]).long(), ids, groups)
    return found, found > 0


@pytest.fixture(params=["one batch", "small batches", "threads"])
def con(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    if request.param != "one batch":
        limit(monkeypatch, batch_rows=7, smallest_batch=3)
    with connected(threads=3 if request.param == "threads" else 1) as made:
        made.create_aggregate("largest", largest, ["BIGINT"], "BIGINT")
        made.create_aggregate("total", total, ["BIGINT"], "BIGINT")
        made.create_aggregate("weighted", weighted, ["DOUBLE", "DOUBLE"], "DOUBLE")
        made.create_aggregate("nulls", nulls, ["BIGINT"], "BIGINT", null_handling="special")
        yield made


@pytest.mark.parametrize(
    ("own", "built_in"),
    [
        ("SELECT {} FROM t", ""),
        ("SELECT g, {} FROM t GROUP BY g", ""),
        ("SELECT s, g, {} FROM t GROUP BY s, g", ""),
        ("SELECT {} FROM t WHERE id < 0", ""),
        ("SELECT g, {} FROM t WHERE id < 0 GROUP BY g", ""),
        ("SELECT s, g, {} FROM t GROUP BY ROLLUP (s, g)", ""),
        ("SELECT s, g, b, {} FROM t GROUP BY CUBE (s, g, b)", ""),
        ("SELECT g, {} FILTER (WHERE b) FROM t GROUP BY g", ""),
        ("SELECT g FROM t GROUP BY g HAVING {} > 9", ""),
        ("SELECT id, {} OVER (PARTITION BY g) FROM t", ""),
        ("SELECT id, {} OVER (ORDER BY id) FROM t", ""),
        ("SELECT id, {} OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM t", ""),
        ("SELECT id, {} OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) FROM t", ""),
        ("SELECT a.g, {} FROM t a JOIN t b USING (id) GROUP BY a.g", "qualified"),
        ("SELECT (SELECT {} FROM t b WHERE b.g = a.g) FROM t a", "unqualified"),
    ],
)  # fmt: skip
def test_as_built_in_ones(con: tqp.Connection, own: str, built_in: str) -> None:
    column = "a.x" if built_in == "qualified" else "x"
    pairs = [
        (f"largest({column})", f"max({column})"),
        (f"total({column})", f"sum({column})::BIGINT"),
        (f"total(DISTINCT {column})", f"sum(DISTINCT {column})::BIGINT"),
        (f"weighted({column}, 2)", f"sum({column} * 2.0::DOUBLE)"),
        (f"nulls({column})", f"nullif(count(*) - count({column}), 0)"),
    ]
    if "OVER" in own or "FILTER" in own:
        pairs = pairs[:2]
    for mine, theirs in pairs:
        query = own.format(mine)
        wanted = own.format(theirs)
        if "OVER" in own or "FILTER" in own:
            wanted = own.replace(own[own.index("{}") : own.index(" FROM")], _cast(own, theirs))
        found = con.sql(query).fetchall()
        assert sorted(found, key=repr) == sorted(con.sql(wanted).fetchall(), key=repr), query


def _cast(own: str, theirs: str) -> str:
    """The built-in call with what stands behind it, before its cast."""
    call, _, kind = theirs.partition("::")
    behind = own[own.index("{}") + 2 : own.index(" FROM")]
    return f"({call}{behind})" + (f"::{kind}" if kind else "")


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda v, i, n: v.sum(), r"shape \(\)"),
        (lambda v, i, n: v, r"shape \(48,\)"),
        (lambda v, i, n: total(v, i, n).double(), "float64"),
        (lambda v, i, n: total(v, i, n) + torch.arange(n, device=v.device), "with other groups"),
        (lambda v, i, n: total(v, i, n) + n, "with other groups"),
        (lambda v, i, n: total(v * torch.arange(len(v), device=v.device), i, n), "in another order"),
        (lambda v, i: v, "TypeError"),
    ],
)
def test_what_is_no_aggregate_is_refused(f: Any, message: str) -> None:
    with connected() as con, pytest.raises(BindError, match=message):
        con.create_aggregate("bad", f, ["BIGINT"], "BIGINT")


def test_names_parameters_and_errors() -> None:
    with connected() as con:
        for name, parameters, message in (
            ("sum", ["BIGINT"], "already"),
            ("mine", [], "no parameter"),
            ("mine", ["VARCHAR"], "no type of tensors"),
        ):
            with pytest.raises(BindError, match=message):
                con.create_aggregate(name, total, parameters, "BIGINT")
        con.create_aggregate(
            "fails", lambda v, i, n: total(v, i, n) // (0 if len(v) == 60 else 1), ["BIGINT"], "BIGINT"
        )
        with pytest.raises(ExecutionError, match="fails failed"):
            con.sql("SELECT fails(id) FROM t").fetchall()
        assert con.sql("SELECT count(*) FROM t").fetchall() == [(60,)]
        assert "user code fails(id)" in con.sql("SELECT fails(id) FROM t").explain()
        with pytest.raises(BindError, match="WHERE cannot contain"):
            con.sql("SELECT id FROM t WHERE fails(id) > 1")
        con.remove_function("fails")
        assert con.functions() == []
