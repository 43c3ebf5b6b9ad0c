"""Tables by which groups of regular expressions are found (`tqp.kernels.automata`), made of graphs.

For each place of a string the nodes from which the rest of it matches are a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from tqp.functions.regular_expressions import DONE, Graph, Node, Unfit, graph_of
from tqp.kernels.automata import Automaton

__all__ = ["automaton"]

_STATES: Final = 200
_WORK: Final = 50_000
"""Larger tables, and those that take more steps to make, are left to RE2."""


@lru_cache(maxsize=256)
def automaton(pattern: str, wanted: tuple[int, ...]) -> Automaton | None:
    r"""The tables that find the groups `wanted` (0: all) in the first match, each with two slots, of a pattern that RE2 takes.

    None where it is not fit for tables.
    """
    try:
        return _tables(*graph_of(pattern, wanted), 2 * len(wanted))
    except Unfit:
        return None


def _tables(graph: Graph, first: Node, ends: bool, slots: int) -> Automaton:
    count = len(graph.reads)
    leading: list[list[Node]] = [[] for _ in range(count)]
    """For each node those that go on to it without a byte."""
    for node, follows in enumerate(graph.follows):
        if graph.reads[node] is None:
            for one in follows:
                leading[one].append(node)

    work = 0

    def closed(nodes: set[Node]) -> frozenset[Node]:
        nonlocal work
        found, left = set(nodes), list(nodes)
        while left:
            for one in leading[left.pop()]:
                if one not in found:
                    found.add(one)
                    left.append(one)
        work += len(found) + 1
        if work > _WORK:
            raise Unfit
        return frozenset(found)

    readers = [(node, reads, graph.follows[node][0]) for node, reads in enumerate(graph.reads) if reads is not None]
    states: dict[frozenset[Node], int] = {}
    order: list[frozenset[Node]] = []

    def number(state: frozenset[Node]) -> int:
        if state not in states:
            if len(order) >= _STATES:
                raise Unfit
            states[state] = len(order)
            order.append(state)
        return states[state]

    last = number(closed({DONE}))
    kinds, kind_of = _kinds([reads for _, reads, _ in readers])
    back: list[list[int]] = []
    while len(back) < len(order):
        behind = order[len(back)]
        live = [(node, reads) for node, reads, then in readers if then in behind]
        read = [{node for node, reads in live if byte in reads} for byte in kinds]
        back.append([number(closed(nodes if ends else nodes | {DONE})) for nodes in read])
    before = np.array(back, np.uint8)[:, kind_of]
    return _walked(graph, first, order, before, last, slots)


def _kinds(sets: Sequence[frozenset[int]]) -> tuple[list[int], list[int]]:
    """A byte of each kind that no set tells apart, and the kind of each byte."""
    different = list(dict.fromkeys(sets))
    met: dict[tuple[bool, ...], int] = {}
    kind_of = [met.setdefault(tuple([byte in one for one in different]), len(met)) for byte in range(256)]
    return [kind_of.index(kind) for kind in range(len(met))], kind_of


def _walked(
    graph: Graph, first: Node, order: list[frozenset[Node]], back: npt.NDArray[np.uint8], last: int, slots: int
) -> Automaton:
    """The tables of both passes: for each node behind a byte and each state, what the preferred way saves and reads."""
    saving = _that_save(graph)
    entered = list(dict.fromkeys([first, *(graph.follows[node][0] for node, reads in enumerate(graph.reads) if reads)]))
    numbers = {node: place for place, node in enumerate(entered)}
    ahead = np.empty((len(entered), len(order)), np.int32)
    for place, node in enumerate(entered):
        for state, nodes in enumerate(order):
            at, met = node, 0
            while at in nodes and at != DONE and graph.reads[at] is None:
                met |= graph.saves[at]
                at = next((one for one in graph.follows[at] if one in nodes), DONE)
            then = graph.follows[at][0] if at in nodes and at != DONE else DONE
            ahead[place, state] = (numbers[then] * len(order) if then in saving else -1) << 8 | met
    accepts = np.array([first in nodes for nodes in order], np.uint8)
    tables = [torch.from_numpy(table.reshape(-1)) for table in (back, accepts, ahead)]
    return Automaton(tables[0], last, tables[1], tables[2], slots)


def _that_save(graph: Graph) -> set[Node]:
    """The nodes from which one that saves is reached."""
    found = {node for node, saves in enumerate(graph.saves) if saves}
    before = -1
    while before < len(found):
        before = len(found)
        found |= {node for node, follows in enumerate(graph.follows) if not found.isdisjoint(follows)}
    return found
