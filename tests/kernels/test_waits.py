"""`tqp.kernels.waits`: what is fetched, what a log holds, and what a tracer is told."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

from tqp.interrupt import Interrupt, obeying
from tqp.kernels import rows, waits
from tqp.kernels.operation import NotTraceable, tracing

CPU = torch.device("cpu")
X = torch.tensor([3, 1, 2], device=CPU)
MASK = torch.tensor([True, False, True], device=CPU)

CALLS: list[tuple[Any, Any]] = [
    (lambda: waits.number(X[0], "why"), 3),
    (lambda: waits.real(X[0].double(), "why"), 3.0),
    (lambda: waits.truth(MASK[1], "why"), False),
    (lambda: waits.numbers(X, "why"), [3, 1, 2]),
    (lambda: waits.values(X.reshape(3, 1), "why"), [[3], [1], [2]]),
    (lambda: waits.limits(X, "why"), (1, 3)),
    (lambda: waits.several((X[0], MASK[1], X.max().int()), "why"), [3, 0, 3]),
    (lambda: waits.fetched(X, "why").tolist(), [3, 1, 2]),
    (lambda: waits.array(X, "why").tolist(), [3, 1, 2]),
    (lambda: waits.places(MASK, "why").tolist(), [0, 2]),
    (lambda: waits.unique(X, "why").tolist(), [1, 2, 3]),
    (lambda: waits.repeated(X, X, "why").tolist(), [3, 3, 3, 1, 2, 2]),
    (lambda: waits.masked(X, MASK, "why").tolist(), [3, 2]),
    (lambda: waits.are_equal(X, X, "why"), True),
]


@pytest.mark.parametrize(("call", "wanted"), CALLS)
def test_each_waits_once(call: Any, wanted: Any) -> None:
    assert call() == wanted
    with waits.logging() as log:
        assert call() == wanted
    ((wait, count),) = log.counts().items()
    assert (wait.why, count) == ("why", 1) and wait.place.endswith("<lambda>")
    with tracing(), pytest.raises(NotTraceable, match="why"):
        call()


def test_the_place_is_the_operation_whichever_form_runs() -> None:
    with waits.logging() as log:
        rows.select(MASK)
        rows.select.__wrapped__(MASK)
    assert {str(wait) for wait in log.counts()} == {"the number of rows (kernels.rows.select)"}


def test_a_log_holds_the_waits_of_its_run_on_all_threads() -> None:
    first, second = Interrupt(), Interrupt()

    def work(run: Interrupt) -> None:
        with obeying(run):
            waits.number(X[0], "why")

    with obeying(first), waits.logging() as outer:
        work(first)
        with waits.logging() as inner:
            threads = [threading.Thread(target=work, args=(run,)) for run in (first, first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        work(first)
    work(first)
    assert (outer.counts().total(), inner.counts().total()) == (2, 2)
