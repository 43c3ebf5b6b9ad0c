"""Whatever the plan, the optimized one has the same rows, and so has it after each rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.optimizer.interpret import run
from tests.optimizer.random_plans import Generator
from tqp.errors import UnsupportedError
from tqp.ir.check import check
from tqp.ir.plan import Join, Plan
from tqp.ir.show import show
from tqp.ir.symbols import Uniqueness
from tqp.ir.visit import definitions, kinds, walk_query
from tqp.optimizer.driver import _ACT_AT, _OF_PREDICTIONS, RULES
from tqp.optimizer.rules.join_elimination import eliminate_joins
from tqp.optimizer.rules.normalize import normalize
from tqp.optimizer.rules.prune import prune
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.share import share

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


@pytest.mark.parametrize("rule", [push_down, prune, eliminate_joins])
def test_what_stays_as_it_is_stays_the_same_node(rule: Callable[[Plan], Plan]) -> None:
    for seed in range(60):
        plan = prune(push_down(normalize(share(Generator(seed, windows=True).plan(3)))))
        once = rule(plan)
        assert rule(once) is once or rule(once) != once, seed


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
        wanted, found = _ACT_AT.get(rule), {kind for tree in (*definitions(before), before) for kind in kinds(tree)}
        assert wanted is None or not wanted.isdisjoint(found) or current == before, (seed, name)
        uniqueness.check(current, name)
        check(current, subqueries=name in ("share", "simplify", "normalize"))
        assert current.schema == plan.schema, (seed, name)
        assert name in ("share", "simplify") or not _has_right_join(current), (seed, name)
        assert run(current) == expected, f"seed {seed}, rule {name}\n{show(plan)}\n\n{show(current)}"
