"""The fields of texts of one form are those that an expression finds, and are written as Python writes them."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
import torch

from tqp.kernels import fields
from tqp.kernels.fields import Step
from tqp.kernels.operation import OPERATIONS

_STEPS = [
    Step(fields.NUMBER, 0, 4), Step(fields.TEXT, texts=("é".encode(),)), Step(fields.NAME, 1, texts=(b"jan", b"feb")),
    Step(fields.SEPARATOR), Step(fields.NUMBER, 2, 2, 0, 23), Step(fields.TAIL, 3, 6), Step(fields.BLANKS), Step(fields.WORD, 4),
]  # fmt: skip
_FORM = re.compile(rb"\s*(\d{1,4}+)\xc3\xa9(?i:(jan|feb))(?:T|\s+)(\d{1,2}+)(?:\.(\d*+))?\s+([A-Za-z0-9_/+-]++)\s*")
_ODD = ["", " ", "\t", "0", "é", "🙂", "T", ".", "x" * 300, "\0"]


def _texts() -> list[bytes]:
    turn = random.Random(3)
    made = ["", " ", "é"]
    for _ in range(2000):
        text = (
            f"{turn.choice(['', ' '])}{turn.randrange(12000)}é{turn.choice(['Jan', 'feb', 'FEB', 'mar'])}{turn.choice(['T', ' ', '  '])}"
            f"{turn.randrange(26):02}{turn.choice(['', '.', '.5', '.123456', '.1234567890123'])} {turn.choice(['UTC', 'a/b-c', '_'])}"
        )
        place = turn.randrange(len(text) + 1)
        made.append(
            text if turn.random() < 0.6 else text[:place] + turn.choice(_ODD) + text[place + turn.randrange(2) :]
        )
    return [text.encode() for text in made]


def _expected(text: bytes) -> list[int | bytes] | None:
    match = _FORM.fullmatch(text)
    if match is None or int(match[3]) > 23:
        return None
    tail = int((match[4] or b"")[:6].ljust(9, b"0"))
    return [int(match[1]), [b"jan", b"feb"].index(match[2].lower()), int(match[3]), tail, match[5]]


@pytest.mark.parametrize("form", [OPERATIONS["fields.read"].plain, fields.read])
def test_what_is_read(form: object) -> None:
    texts = _texts()
    ends = torch.tensor([sum(map(len, texts[:count])) for count in range(len(texts) + 1)])
    data = torch.frombuffer(bytearray(b"".join(texts)), dtype=torch.uint8)
    assert callable(form)
    found, good = form(data, ends[:-1].contiguous(), ends[1:].contiguous(), _STEPS, 6)
    whole = data.numpy().tobytes()
    got = [
        [*row[:4], whole[row[4] : row[5]]] if is_read else None
        for row, is_read in zip(found.T.tolist(), good.tolist(), strict=True)
    ]
    wanted = [_expected(text) for text in texts]
    assert got == wanted
    assert 100 < sum(one is not None for one in wanted) < len(wanted) - 100


@pytest.mark.parametrize("form", [OPERATIONS["fields.written"].plain, fields.written])
def test_what_is_written(form: object) -> None:
    turn = random.Random(4)
    numbers = [0, 7, 99, 100, 9999, 10000, -1, -12345, 2**63 - 1, -(2**63)] + [
        turn.randrange(20000) for _ in range(500)
    ]
    tails = [turn.choice([0, 5, 120000, 999999, 100]) for _ in numbers]
    names = [turn.randrange(3) for _ in numbers]
    steps = [
        Step(fields.NUMBER, 0, 4), Step(fields.TEXT, texts=("é".encode(),)), Step(fields.TAIL, 1, 6),
        Step(fields.NAME, 2, texts=(b"", b"BC", b"x")), Step(fields.NUMBER, 0, 1),
    ]  # fmt: skip
    assert callable(form)
    data, bounds = form(torch.tensor([numbers, tails, names]), steps)
    whole, ends = data.numpy().tobytes(), bounds.tolist()
    wanted = [
        f"{number if number < 0 else str(number).zfill(4)}é{f'.{tail:06}'.rstrip('0').rstrip('.')}{['', 'BC', 'x'][name]}{number}"
        for number, tail, name in zip(numbers, tails, names, strict=True)
    ]
    assert [whole[start:stop].decode() for start, stop in pairwise(ends)] == wanted
