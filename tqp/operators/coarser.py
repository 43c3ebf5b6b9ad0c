"""Coarser grouping sets from the groups of finer ones, whose states merge.

Of few groups all sets that they hold are made at once: as if every group were written once for each set, with the keys that it
lacks left out. Of many groups one set is made after the other, each of the set with the fewest groups among those that hold
its keys and are there: in shares, by several workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.functions.align import concat
from tqp.ir.plan import Aggregate, GroupingSets
from tqp.kernels import group
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, Run
from tqp.operators.partials import PartialAggregation
from tqp.operators.slots import DirectAggregation, most_slots
from tqp.operators.states import Arguments, Groups, States

__all__ = ["Coarser", "GroupsOfSets", "together"]

_INT64_MAX: Final = 2**63 - 1

Set = tuple[int, ...]
"""The places of the keys of a set, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupsOfSets:
    """Groups of one set or of several: `of_set` (groups,) int64 is the place in `sets` of each, None where there is but one.

    `keys` (groups,) by symbol, of which each set shows its own; those that no set shows may be absent.
    """

    sets: Sequence[Set]
    of_set: Tensor | None
    keys: Mapping[str, Column]
    states: States


class Coarser:
    """Makes the sets of `plan` from the groups of the finest ones; `owner` notes what it chooses."""

    def __init__(self, plan: GroupingSets, layouts: Layouts, run: Run, owner: Operator) -> None:
        self._plan = plan
        self._run = run
        self._owner = owner
        used = dict.fromkeys(plan.keys[place] for one in plan.sets for place in one)
        self._layouts = {symbol: layouts.of(symbol, settled=True) for symbol in used}
        self._arguments = Arguments(run.evaluator, self.grouped(()))

    def symbols(self, places: Set) -> tuple[str, ...]:
        """The keys at these places, each once."""
        return tuple(dict.fromkeys([self._plan.keys[place] for place in places]))

    def grouped(self, places: Set) -> Aggregate:
        """The aggregation by the keys at these places."""
        plan = self._plan
        return Aggregate(plan.input, self.symbols(places), plan.aggregate_fields, plan.aggregates)

    def sets(self, finest: Mapping[Set, list[Groups]]) -> Iterator[GroupsOfSets]:
        """The groups of all sets of the plan, those that are there twice twice."""
        known = dict(finest)
        pending = sorted(self._plan.sets, key=lambda one: (-len(one), one))
        while pending:
            one = pending[0]
            if one not in known:
                source = self._least(known, one)
                within = [other for other in pending if set(other) <= set(source) and other not in known]
                entries = _number(known[source])
                if 0 < entries <= self._run.limits.coarsened_at_once:
                    yield from self._at_once(source, known[source], within)
                    for other in within:
                        pending.remove(other)
                    continue
                known[one] = self._merged(one, source, known[source])
            for keys, states in known[one]:
                yield GroupsOfSets((one,), None, dict(zip(self.symbols(one), keys, strict=True)), states)
            pending.pop(0)

    def nothing(self) -> States:
        """States of no groups."""
        return States(self.grouped(()), 0, self._arguments)

    def _least(self, known: Mapping[Set, list[Groups]], one: Set) -> Set:
        """The set with the fewest groups among those that are known and hold all keys of `one`."""
        return min((other for other in known if set(one) <= set(other)), key=lambda other: _number(known[other]))

    def _merged(self, one: Set, source: Set, pieces: list[Groups]) -> list[Groups]:
        """The groups of a set, made of those of a finer one."""
        plan = self.grouped(one)
        if not plan.keys:
            total = States(plan, 1, self._arguments)
            for _, states in pieces:
                total.merge(states, torch.zeros(states.groups, dtype=torch.int64, device=self._run.device))
            return [([], total)]
        held = self.symbols(source)
        chosen = [held.index(key) for key in plan.keys]
        taken = [([keys[place] for place in chosen], states) for keys, states in pieces]
        layout = GroupLayout([self._layouts[key] for key in plan.keys])
        if layout.size is not None and layout.size <= most_slots(self._run.limits, _number(pieces)):
            return [DirectAggregation(plan, self._arguments, layout).merged(taken)]
        partials = PartialAggregation(plan, self._arguments, layout, self._run, self._owner, None)
        return partials.shares(taken, lambda groups: groups)

    def _at_once(self, source: Set, pieces: list[Groups], sets: list[Set]) -> Iterator[GroupsOfSets]:
        """All these sets of one's groups, so many at a time that what they are made of stays of a bounded size."""
        keys, states = _joined(self.grouped(source), pieces, self._arguments)
        by_symbol = dict(zip(self.symbols(source), keys, strict=True))
        codes = {symbol: group_rows([key], None)[::2] for symbol, key in by_symbol.items()}
        step = max(self._run.limits.grouped_at_once // states.groups, 1)
        for start in range(0, len(sets), step):
            some = sets[start : start + step]
            named = [self.symbols(one) for one in some]
            index, ids, representatives, groups = together(named, codes, states.groups, self._run.device)
            total = States(states.plan, groups, self._arguments)
            total.merge(states.pick(index), ids)
            shown = {symbol: key.take(representatives % states.groups) for symbol, key in by_symbol.items()}
            yield GroupsOfSets(some, representatives // states.groups, shown, total)


def _number(pieces: Sequence[Groups]) -> int:
    return sum(states.groups for _, states in pieces)


def _joined(plan: Aggregate, pieces: Sequence[Groups], arguments: Arguments) -> Groups:
    """Groups in parts as one."""
    if len(pieces) == 1:
        return pieces[0]
    lengths = [states.groups for _, states in pieces]
    total = States(plan, sum(lengths), arguments)
    places = torch.arange(total.groups, dtype=torch.int64, device=arguments.device)
    for (_, states), own in zip(pieces, torch.split(places, lengths), strict=True):
        total.merge(states, own)
    return [concat(list(parts), lengths) for parts in zip(*(keys for keys, _ in pieces), strict=True)], total


def together(
    sets: Sequence[Sequence[str]], codes: Mapping[str, tuple[Tensor, int]], entries: int, device: torch.device
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Entries written once for each set: which entry each is (n,), its group (n,), the first of each group, how many groups.

    Entry i of set number s is s * entries + i. Equal are those of one set with equal `codes` of all its keys: (entries,) int64 of
    each key, and how many there are.
    """
    index = torch.arange(entries, dtype=torch.int64, device=device).repeat(len(sets))
    number = torch.arange(len(sets), dtype=torch.int64, device=device).unsqueeze(1).expand(len(sets), entries)
    values, size = [number], len(sets)
    for symbol, (code, codes_of_key) in codes.items():
        present = torch.tensor([symbol in one for one in sets], dtype=torch.int64, device=device)
        # 0 stands for a key that the set does not have.
        digit = (code.unsqueeze(0) + 1) * present.unsqueeze(1)
        if size * (codes_of_key + 1) <= _INT64_MAX:
            values[-1] = values[-1] * (codes_of_key + 1) + digit
            size *= codes_of_key + 1
        else:
            values.append(digit)
            size = codes_of_key + 1
    if len(values) == 1:
        return (index, *group.group_ids(values[0].reshape(-1)))
    return (index, *group.group_ids_multi([value.reshape(-1) for value in values]))
