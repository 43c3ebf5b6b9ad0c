"""Order joins by estimated cost: the sum of rows that flow, plus the rows of the tables built to be probed.

Inner joins commute and associate; a semi, anti, mark, single or left join commutes with them where its condition reads
none of their other inputs. All connected orders are weighed where they are few. Else joining greedily gives an order of the
inputs, and the best tree is found whose joins are of neighbours in it (linearized dynamic programming: Neumann and Radke, "Adaptive
Optimization of Very Large Join Queries", 2018); the greedy tree is one of these.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr
from tqp.ir.plan import Join, Plan, Project
from tqp.optimizer.cardinality import MOST_ROWS, Estimator
from tqp.optimizer.fresh import select
from tqp.optimizer.join_graph import Graph
from tqp.optimizer.join_region import build_graph
from tqp.stack import deep

__all__ = ["order_joins"]

# Pairs of sets that exhaustive search may weigh, some 5 µs each.
_PAIRS = 1500


def order_joins(plan: Plan) -> Plan:
    """The plan with every region of joins in the cheapest order found."""
    return _order(plan, Estimator())


@deep
def _order(plan: Plan, estimator: Estimator) -> Plan:
    if isinstance(plan, Join) and plan.kind != "full":
        return _region(plan, estimator)
    inputs = tuple(_order(child, estimator) for child in plan.children)
    same = all(new is old for new, old in zip(inputs, plan.children, strict=True))
    return plan if same else plan.with_children(inputs)


@dataclass(slots=True)
class _Set:
    """A set of joined inputs: `left` probes `right` (0 for a single input)."""

    cost: float
    rows: float
    left: int = 0
    right: int = 0


def _region(root: Join, estimator: Estimator) -> Plan:
    graph = build_graph(root, estimator)
    full = (1 << len(graph.inputs)) - 1
    table = _search(graph, full)
    if full not in table:
        table = _linear(graph, full, table)
    joined = _construct(graph, table, full, estimator)
    if not graph.renamed:
        return select(joined, root.schema)
    exprs: tuple[Expr, ...] = tuple(graph.renamed.get(field.symbol, field.ref) for field in root.schema)
    return Project(joined, root.schema, exprs)


@deep
def _construct(graph: Graph, table: dict[int, _Set], mask: int, estimator: Estimator) -> Plan:
    entry = table[mask]
    if not entry.left:
        return _order(graph.inputs[mask.bit_length() - 1].plan, estimator)
    left = _construct(graph, table, entry.left, estimator)
    right_is_one = entry.right & (entry.right - 1) == 0
    if right_is_one and graph.inputs[entry.right.bit_length() - 1].join is not None:
        right = graph.inputs[entry.right.bit_length() - 1].plan
        joined = graph.join(entry.left, left, entry.right, right)
        return _with_ordered_right(joined, estimator)
    return graph.join(entry.left, left, entry.right, _construct(graph, table, entry.right, estimator))


@deep
def _with_ordered_right(joined: Plan, estimator: Estimator) -> Plan:
    if isinstance(joined, Join):
        return joined.with_children((joined.left, _order(joined.right, estimator)))
    return joined.with_children((_with_ordered_right(joined.children[0], estimator),))


def _search(graph: Graph, full: int) -> dict[int, _Set]:
    """The cheapest way to join each connected set of inputs, the small ones first; stops where there are too many."""
    table: dict[int, _Set] = {}
    by_size: list[list[int]] = [[] for _ in range(full.bit_length() + 1)]
    attached: list[int] = []
    for number, one in enumerate(graph.inputs):
        if one.join is None:
            table[1 << number] = _Set(0.0, one.rows)
            by_size[1].append(1 << number)
        else:
            attached.append(number)
    adjacent: dict[int, int] = {mask: graph.adjacent(mask) for mask in by_size[1]}
    pairs = 0
    for size in range(2, full.bit_length() + 1):
        for left_size in range(1, size // 2 + 1):
            lefts, rights = by_size[left_size], by_size[size - left_size]
            for a in lefts:
                reach = adjacent[a]
                for b in rights:
                    if a & b or not reach & b or (left_size * 2 == size and a > b):
                        continue
                    pairs += 1
                    if pairs > _PAIRS:
                        return table
                    _weigh(graph, table, by_size[size], adjacent, a, b)
        for number in attached:
            bit = 1 << number
            requires = graph.inputs[number].requires
            for mask in by_size[size - 1]:
                if not mask & bit and mask & requires == requires:
                    pairs += 1
                    _weigh_attached(graph, table, by_size[size], adjacent, mask, number)
        if pairs > _PAIRS:
            return table
    return table


def _weigh(graph: Graph, table: dict[int, _Set], found: list[int], adjacent: dict[int, int], a: int, b: int) -> None:
    both = a | b
    one, two = table[a], table[b]
    known = table.get(both)
    if known is None:
        keys = graph.pairs(a, b)
        rows = min(one.rows * two.rows * graph.selectivity(a, b, keys), MOST_ROWS)
        found.append(both)
        adjacent[both] = (adjacent[a] | adjacent[b]) & ~both
        known = table[both] = _Set(float("inf"), rows)
    below = one.cost + two.cost
    for probe, build, left, right in ((a, b, one, two), (b, a, two, one)):
        cost = below + graph.join_cost(probe, left.rows, build, right.rows, known.rows)
        if cost < known.cost:
            known.cost, known.left, known.right = cost, probe, build


def _weigh_attached(
    graph: Graph, table: dict[int, _Set], found: list[int], adjacent: dict[int, int], mask: int, number: int
) -> None:
    both = mask | 1 << number
    one, item = table[mask], graph.inputs[number]
    rows = one.rows * item.share * graph.selectivity(mask, 1 << number, [])
    cost = one.cost + one.rows * (1.0 + graph.candidates(number)) + rows + graph.attach_cost(number)
    known = table.get(both)
    if known is None:
        found.append(both)
        adjacent[both] = adjacent[mask] & ~both
        table[both] = _Set(cost, rows, mask, 1 << number)
    elif cost < known.cost:
        known.cost, known.left, known.right = cost, mask, 1 << number


def _linear(graph: Graph, full: int, known: dict[int, _Set]) -> dict[int, _Set]:
    """The cheapest tree whose joins are of neighbours in the order of the greedy one; `known` are sets that were weighed before."""
    greedy = _greedy(graph, full)
    table = {**greedy, **known}
    places = _leaves(greedy, full)
    adjacent = {mask: graph.adjacent(mask) for mask in table}
    for size in range(2, len(places) + 1):
        for start in range(len(places) - size + 1):
            checkpoint()
            parts = places[start : start + size]
            right = sum(parts)
            left = 0
            for bit in parts[:-1]:
                left, right = left | bit, right ^ bit
                if left not in table:
                    continue
                if right in table:
                    if adjacent[left] & right:
                        _weigh(graph, table, [], adjacent, left, right)
                elif right & (right - 1) == 0:
                    requires = graph.inputs[right.bit_length() - 1].requires
                    if left & requires == requires:
                        _weigh_attached(graph, table, [], adjacent, left, right.bit_length() - 1)
    return table


def _leaves(table: dict[int, _Set], mask: int) -> list[int]:
    """The inputs of a set, each as a set of one, in the order of its tree."""
    found: list[int] = []
    waiting = [mask]
    while waiting:
        mask = waiting.pop()
        entry = table.get(mask)
        if entry is None or not entry.left:
            found.append(mask)
        else:
            waiting += (entry.right, entry.left)
    return found


def _greedy(graph: Graph, full: int) -> dict[int, _Set]:
    """Joins the pair whose join is cheapest, again and again."""
    table: dict[int, _Set] = {}
    sets = []
    waiting = []
    for number, one in enumerate(graph.inputs):
        if one.join is None:
            table[1 << number] = _Set(0.0, one.rows)
            sets.append(1 << number)
        else:
            waiting.append(number)
    adjacent = {mask: graph.adjacent(mask) for mask in sets}
    # Joins of two of `sets` that were weighed, cheapest first; those of sets that are gone are passed over.
    candidates: list[tuple[float, float, int, int]] = []
    fresh = list(itertools.combinations(sets, 2))
    places = itertools.count()
    while len(sets) > 1 or waiting:
        made: list[int] = []
        for a, b in fresh:
            if adjacent[a] & b and a | b not in table:
                _weigh(graph, table, made, adjacent, a, b)
        ready = [(m, n) for n in waiting for m in sets if m & graph.inputs[n].requires == graph.inputs[n].requires]
        # An attached input that keeps all rows may as well wait.
        early = [(m, n) for m, n in ready if graph.inputs[n].share < 1.0 or len(sets) == 1]
        best = 0
        for attached in (early, ready):
            for mask, number in attached:
                _weigh_attached(graph, table, made, adjacent, mask, number)
                made.append(mask | 1 << number)
            for mask in made:
                heapq.heappush(candidates, (table[mask].rows, table[mask].cost, next(places), mask))
            made = []
            best = _cheapest(candidates, table, sets, waiting)
            if best:
                break
        entry = table[best]
        sets = [mask for mask in sets if not mask & best]
        fresh = [(mask, best) for mask in sets]
        sets.append(best)
        waiting = [number for number in waiting if entry.right != 1 << number]
    return table


def _cheapest(
    candidates: list[tuple[float, float, int, int]], table: dict[int, _Set], sets: list[int], waiting: list[int]
) -> int:
    """The cheapest join of what is there now, taken off the heap; 0 where there is none."""
    there = set(sets)
    while candidates:
        _, _, _, mask = heapq.heappop(candidates)
        if mask not in there and _is_next(table[mask], sets, waiting):
            return mask
    return 0


def _is_next(entry: _Set, sets: list[int], waiting: list[int]) -> bool:
    return entry.left in sets and (entry.right in sets or any(entry.right == 1 << number for number in waiting))
