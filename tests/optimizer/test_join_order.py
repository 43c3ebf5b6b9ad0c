"""Orders of joins: by exhaustive search, by neighbours in the greedy order, greedily."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tqp
from tqp.ir.plan import Join, Plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.join_graph import Graph
from tqp.optimizer.join_region import build_graph
from tqp.optimizer.rules import join_order
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.simplify import simplify
from tqp.sql import bind


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A connected graph of joins between tables of many sizes; some edges close circles."""
    count = draw(st.integers(3, 7))
    edges = {(draw(st.integers(0, number - 1)), number) for number in range(1, count)}
    edges |= set(draw(st.lists(st.sampled_from(list(itertools.combinations(range(count), 2))), max_size=2)))
    rows = [draw(st.sampled_from([1, 5, 40, 300])) for _ in range(count)]
    unique = [draw(st.booleans()) for _ in range(count)]
    with tqp.connect() as connection:
        for number, size in enumerate(rows):
            columns = {
                f"k{other}": np.arange(size) if unique[number] else np.arange(size) // 3 for other in range(count)
            }
            connection.register(f"t{number}", pd.DataFrame(columns))
        # A key of each edge of its own, so that no class of equal columns connects more than two tables.
        on = " AND ".join(f"t{a}.k{b} = t{b}.k{a}" for a, b in sorted(edges))
        tables = ", ".join(f"t{number}" for number in range(count))
        plan = push_down(simplify(bind(f"SELECT count(*) FROM {tables} WHERE {on}", connection.lookup).plan))
    return build_graph(_join(plan), Estimator())


def _join(plan: Plan) -> Join:
    while not isinstance(plan, Join):
        (plan,) = plan.children
    return plan


def _cheapest(graph: Graph, mask: int, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """The cost and rows of the best tree of connected sets, by trying all; rows as the first split gives them."""
    if mask in known:
        return known[mask]
    if mask & (mask - 1) == 0:
        return 0.0, graph.inputs[mask.bit_length() - 1].rows
    table: dict[int, join_order._Set] = join_order._search(graph, mask)
    rows = table[mask].rows
    best = float("inf")
    left = (mask - 1) & mask
    while left:
        right = mask ^ left
        if left in table and right in table and graph.adjacent(left) & right:
            (a, left_rows), (b, right_rows) = _cheapest(graph, left, known), _cheapest(graph, right, known)
            best = min(best, a + b + graph.join_cost(left, left_rows, right, right_rows, rows))
        left = (left - 1) & mask
    known[mask] = best, rows
    return known[mask]


@settings(max_examples=40)
@given(graphs())
def test_costs(graph: Graph) -> None:
    full = (1 << len(graph.inputs)) - 1
    best = join_order._search(graph, full)[full].cost
    assert best == pytest.approx(_cheapest(graph, full, {})[0])
    greedy = join_order._greedy(graph, full)[full].cost
    linear = join_order._linear(graph, full, {})[full].cost
    assert linear <= greedy * (1 + 1e-9)
    if len(graph.classes) < len(graph.inputs):
        # In a circle the rows of a set are estimated by the split that was met first, and are not the same in both.
        assert best <= linear * (1 + 1e-9)


@settings(max_examples=15)
@given(graphs(), st.integers(1, 12))
def test_what_was_weighed_before_the_budget_ended_is_used(graph: Graph, pairs: int) -> None:
    full = (1 << len(graph.inputs)) - 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(join_order, "_PAIRS", pairs)
        known = join_order._search(graph, full)
    alone = join_order._linear(graph, full, {})[full].cost
    both = join_order._linear(graph, full, known)[full].cost
    if len(graph.classes) < len(graph.inputs):
        assert both <= alone * (1 + 1e-9)


@pytest.mark.parametrize("shape", ["chain", "star", "circle", "clique"])
def test_many_tables(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the budget, with left and semi joins among them: the answer is that of the text's order."""
    count = 16
    edges = {
        "chain": [(n, n + 1) for n in range(count - 1)],
        "star": [(0, n) for n in range(1, count)],
        "circle": [(n, (n + 1) % count) for n in range(count)],
        "clique": list(itertools.combinations(range(count), 2)),
    }[shape]
    on = " AND ".join(f"t{a}.k = t{b}.k" if shape == "clique" else f"t{a}.k{b} = t{b}.k{a}" for a, b in edges)
    tables = ", ".join(f"t{number}" for number in range(count))
    text = (
        f"SELECT count(*), sum(t3.v) FROM {tables} LEFT JOIN extra ON extra.k = t0.k WHERE {on} "
        "AND EXISTS (SELECT 1 FROM few WHERE few.k = t5.k) AND t7.k NOT IN (SELECT k FROM none)"
    )
    random = np.random.default_rng(3)
    with tqp.connect() as connection, tqp.connect(disabled_rules=["order_joins"]) as plain:
        for one in (connection, plain):
            for number in range(count):
                own = np.arange(20 + 5 * number) % 40
                others = {f"k{other}": own for other in range(count)}
                one.register(f"t{number}", pd.DataFrame({"k": own, "v": random.integers(0, 9, len(own)), **others}))
            one.register("extra", pd.DataFrame({"k": np.arange(30)}))
            one.register("few", pd.DataFrame({"k": np.arange(7).repeat(2)}))
            one.register("none", pd.DataFrame({"k": np.arange(3)}))
            random = np.random.default_rng(3)
        assert connection.sql(text).fetchall() == plain.sql(text).fetchall()
        monkeypatch.setattr(join_order, "_PAIRS", 0)
        assert connection.sql(text + " AND true").fetchall() == plain.sql(text).fetchall()
