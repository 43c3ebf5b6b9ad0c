"""Tasks of a sink's end: done by all workers, in the order in which they were given, stopped by the first error."""

from __future__ import annotations

import threading

import pytest
import torch

from tqp.runtime.workers import side_by_side


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_have_the_order_of_the_tasks(threads: int) -> None:
    assert side_by_side([lambda n=n: n * n for n in range(50)], None, threads) == [n * n for n in range(50)]
    assert side_by_side([], None, threads) == []


def test_tasks_run_at_the_same_time() -> None:
    """Each of two tasks waits for the other one."""
    barrier = threading.Barrier(2, timeout=60)
    found = side_by_side([barrier.wait, barrier.wait], None, 2)
    assert sorted(found) == [0, 1]


def test_helpers_infer() -> None:
    barrier = threading.Barrier(2, timeout=60)

    def task() -> bool:
        barrier.wait()
        return torch.is_inference_mode_enabled()

    with torch.inference_mode():
        assert side_by_side([task, task], None, 2) == [True, True]


@pytest.mark.parametrize("threads", [1, 2])
def test_no_task_begins_after_an_error(threads: int) -> None:
    begun: list[int] = []

    def task(number: int) -> None:
        begun.append(number)
        if number == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        side_by_side([lambda n=n: task(n) for n in range(1000)], None, threads)
    assert len(begun) < 1000
