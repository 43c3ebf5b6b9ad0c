"""PREDICT on a batch: blocks of rows, and what is predicted ahead of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.predict.handmade import handmade
from tqp.data.column import Column
from tqp.device import CPU
from tqp.ir.expr import ColumnRef, Expr, Predict
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
