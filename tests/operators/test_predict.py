"""PREDICT on a batch: blocks of rows, and what is predicted ahead of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import tqp
from tests.predict.handmade import handmade
from tqp.data.column import Column
from tqp.ir.expr import ColumnRef, Expr, Predict
from tqp.limits import CPU
from tqp.operators import predict
from tqp.types import DOUBLE, VARCHAR

HOST = torch.device("cpu")
ROWS = 40
MODEL = handmade()
ARGS: tuple[Expr, ...] = tuple(ColumnRef(name, DOUBLE) for name in "abc")
LABEL = Predict(MODEL, ARGS, (0, 1, 2), "value", VARCHAR)


def columns() -> list[Column]:
    generator = torch.Generator().manual_seed(0)
    a, b, c = torch.randn(3, ROWS, dtype=torch.float64, generator=generator)
    # NULL and NaN in one block, in none of the others.
    valid = torch.ones(ROWS, dtype=torch.bool)
    valid[9] = False
    c[10] = torch.nan
    return [Column(a, DOUBLE, valid), Column(b, DOUBLE, torch.zeros(ROWS, dtype=torch.bool)), Column(c, DOUBLE)]


def shown(found: dict[Expr, Column]) -> dict[Expr, list[object]]:
    """The values by row, None for NULL; rounded, for a sigmoid's last bit depends on its place in a vector."""
    every = [True] * ROWS
    return {
        key: [
            np.round(value, 12).tolist() if known else None
            for value, known in zip(
                column.data.tolist(), every if column.valid is None else column.valid.tolist(), strict=True
            )
        ]
        for key, column in found.items()
    }


@pytest.mark.parametrize("output", ["value", 1])
@pytest.mark.parametrize("block", [1, 7, ROWS - 1])
def test_blocks_answer_as_the_whole(output: int | str, block: int) -> None:
    call = replace(LABEL, output=output, type=VARCHAR if output == "value" else DOUBLE)
    whole = predict.predict(call, columns(), ROWS, HOST, CPU)
    blocks = predict.predict(call, columns(), ROWS, HOST, replace(CPU, predicted_rows=block))
    assert shown(blocks) == shown(whole)


def test_what_cannot_change_the_answer_cannot_make_it_null() -> None:
    valid = predict.predict(LABEL, columns(), ROWS, HOST, CPU)[LABEL].valid
    assert valid is not None
    assert [row for row, known in enumerate(valid.tolist()) if not known] == [9, 10]


@pytest.mark.parametrize("value", ["nullif(k, 99)", "TRY_CAST(s AS INTEGER)", "nullif(k, 99) + 0"])
def test_rows_without_a_prediction_are_not_asked_for(value: str) -> None:
    torch.manual_seed(0)
    words = torch.nn.Embedding(5, 2)
    scores = torch.nn.Sequential(torch.nn.Embedding(5, 2), torch.nn.Softmax(1))
    with tqp.connect(threads=1) as con:
        con.register("t", {"k": torch.tensor([1, 99, 4, 99]), "s": ["1", "zz", "4", "yy"]})
        con.register_model("words", words, inputs={"id": int})
        con.register_model("scores", scores, inputs={"id": int}, output=["no", "yes"])
        rows = con.sql(
            f"SELECT {value}, PREDICT(words, {value}), PREDICT(scores, {value}), PREDICT_PROBA(scores, {value})[2] FROM t"
        ).fetchall()
        assert [None in row for row in rows] == [False, True, False, True]
        assert all(found == tuple(words.weight[int(k)].tolist()) for k, found, *_ in rows if k is not None)
        none = con.sql(
            f"SELECT PREDICT(scores, {value}), PREDICT_PROBA(scores, {value}) FROM t WHERE k = 99"
        ).fetchall()
        assert none == [(None, None)] * 2
