"""Whatever the plan, the optimized one has the same rows, and so has it after each rule."""

from __future__ import annotations

import pytest

from tests.optimizer.interpret import run
from tests.optimizer.random_plans import Generator
from tqp.errors import UnsupportedError
from tqp.ir.check import check
from tqp.ir.plan import Join, Plan
from tqp.ir.show import show
from tqp.ir.symbols import Uniqueness
from tqp.ir.visit import walk_query
from tqp.optimizer.driver import _OF_PREDICTIONS, RULES

SEEDS = 400
ANSWERED = 0.6
"""The least share of plans with rows: a rule that loses rows does not show in others."""


@pytest.mark.parametrize("block", range(8))
def test_same_rows_after_each_rule(block: int) -> None:
    for seed in range(block * SEEDS // 8, (block + 1) * SEEDS // 8):
        assert_same_rows(seed)


@pytest.mark.parametrize("block", range(4))
def test_same_rows_of_windows(block: int) -> None:
    for seed in range(block * SEEDS // 4, (block + 1) * SEEDS // 4):
        assert_same_rows(seed, windows=True)


@pytest.mark.parametrize("windows", [False, True])
def test_most_plans_have_rows(windows: bool) -> None:
    answered = sum(bool(run(Generator(seed, windows).plan(3))) for seed in range(SEEDS))
    assert ANSWERED * SEEDS <= answered < SEEDS, "plans without rows are wanted as well, but few"


def _has_right_join(plan: Plan) -> bool:
    return any(isinstance(node, Join) and node.kind == "right" for node in walk_query(plan))


def assert_same_rows(seed: int, windows: bool = False) -> None:
    plan = Generator(seed, windows).plan(3)
    check(plan)
    expected = run(plan)
    current = plan
    uniqueness = Uniqueness()
    for name, rule in RULES:
        before = current
        try:
            current = rule(current)
        except UnsupportedError:
            return
        # The optimizer leaves these out where nothing is predicted.
        assert rule not in _OF_PREDICTIONS or current == before, (seed, name)
        uniqueness.check(current, name)
        check(current, subqueries=name in ("share", "simplify", "normalize"))
        assert current.schema == plan.schema, (seed, name)
        assert name in ("share", "simplify") or not _has_right_join(current), (seed, name)
        assert run(current) == expected, f"seed {seed}, rule {name}\n{show(plan)}\n\n{show(current)}"
