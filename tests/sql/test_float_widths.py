"""No integers become float32 on their way to a DOUBLE, as torch has them where they meet Python's floats or are divided."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import tqp
from tests.shares import Cases, by_share
from tests.sql.case_tables import TABLES
from tests.sql.test_cases import _cases as cases
from tqp.errors import InternalError, TqpError

pytestmark = pytest.mark.host_only("what is the same code on any device")

OPERATORS = """
    __mul__ __rmul__ __truediv__ __rtruediv__ __add__ __radd__ __sub__ __rsub__ __pow__ __rpow__ mul div true_divide add sub pow
    sqrt log exp reciprocal""".split()
PACKAGE = str(Path(tqp.__file__).parent)


def _watched(real: Callable[..., Any], found: list[str]) -> Callable[..., Any]:
    def operator(self: Tensor, *args: Any, **options: Any) -> Any:
        result = real(self, *args, **options)
        given = [self, *(one for one in args if isinstance(one, Tensor))]
        if (
            isinstance(result, Tensor)
            and result.dtype is torch.float32
            and not any(map(Tensor.is_floating_point, given))
        ):
            frames = [at for at in traceback.extract_stack() if at.filename.startswith(PACKAGE)]
            found.extend(f"{at.filename}:{at.lineno}" for at in frames[-1:])
        return result

    return operator


@pytest.fixture
def narrowed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where integers became float32."""
    found: list[str] = []
    for name in OPERATORS:
        monkeypatch.setattr(Tensor, name, _watched(getattr(Tensor, name), found))
    return found


@pytest.fixture(scope="module")
def con() -> tqp.Connection:
    made = tqp.connect(threads=1)
    for name, table in TABLES.items():
        made.register(name, table)
    return made


def test_what_is_watched(narrowed: list[str]) -> None:
    from tqp.kernels import quotients

    count = torch.tensor([7])
    exec(compile("found = count * 10.0**10", f"{PACKAGE}/made_up.py", "exec"), {"count": count})
    assert len(narrowed) == 1
    quotients.narrow_to_float(count, 2, 7, torch.float32)
    assert len(narrowed) == 1


@by_share(12)
def test_integers_become_doubles(
    con: tqp.Connection, narrowed: list[str], share: Callable[[Cases], Iterator[tuple[str, str]]]
) -> None:
    ran = 0
    for _, statement in share((name, text) for name, text in cases() if "refuse" not in text):
        try:
            con.sql(statement).arrow()
        except TqpError as error:
            assert not isinstance(error, InternalError), statement
            continue
        assert not narrowed, (narrowed[-1], statement)
        ran += 1
    assert ran > 200
