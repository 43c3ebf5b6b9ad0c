"""A region of joins as a graph: its inputs, the conditions between them, and what joining costs.

Inputs are numbered; sets of them are bit masks. An *attached* input is the right side of a semi, anti, mark, single or
left join: it joins onto any set that holds the inputs its condition reads, and nothing is joined onto it alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tqp.ir import words
from tqp.ir.conditions import conjunction
from tqp.ir.expr import Call, ColumnRef, Expr
from tqp.ir.lineage import stored_statistics
from tqp.ir.plan import (
    Filter,
    Join,
    Plan,
    Project,
    Scan,
)
from tqp.ir.visit import rename, symbols
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.predicates import filtered, split_keys
from tqp.types import BOOLEAN

__all__ = ["Column", "Condition", "Graph", "Input", "is_equality"]

# Work per row, relative to passing one row through a probe. A unique key of a stored table finds rows almost by
# itself; a key with many rows per value has to be grouped first, and its matches are expanded.
_BUILD_STORED = 0.05
_BUILD_UNIQUE = 1.0
_BUILD_MANY = 5.0
_EXPAND = 1.5


Column = tuple[int, ColumnRef]
"""A column and the number of the input that has it."""

Pair = tuple[Column, Column]

Condition = tuple[int, Expr]
"""A predicate and the set of inputs that it reads."""


@dataclass(slots=True)
class Input:
    """One input of the region; `join` is the node that attaches it, None for an input of inner joins."""

    plan: Plan
    rows: float
    unique: frozenset[frozenset[str]]
    join: Join | None = None
    requires: int = 0
    share: float = 1.0


@dataclass(slots=True)
class Graph:
    """`classes`: columns that inner equalities make equal; `conditions`: the others, with the inputs they read."""

    inputs: list[Input]
    classes: list[list[Column]]
    conditions: list[Condition]
    neighbours: list[int]
    renamed: dict[str, Expr]
    estimator: Estimator
    _distinct: dict[tuple[int, str], float] = field(default_factory=dict)
    _has: dict[int, int] = field(default_factory=dict)
    _unique: dict[int, int] = field(default_factory=dict)
    _keys: list[list[int]] = field(default_factory=list)
    _shares: list[tuple[int, float]] = field(default_factory=list)
    _candidates: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        number_of: dict[str, int] = {}
        for place, members in enumerate(self.classes):
            for number, ref in members:
                number_of[ref.symbol] = place
                self._has[1 << number] = self._has.get(1 << number, 0) | 1 << place
        for one in self.inputs:
            known = [key for key in one.unique if key <= number_of.keys()]
            self._keys.append([sum({1 << number_of[symbol] for symbol in key}) for key in known])

    def adjacent(self, mask: int) -> int:
        """The inputs that a condition connects with those in `mask`."""
        found = 0
        for number, others in enumerate(self.neighbours):
            if mask >> number & 1:
                found |= others
        return found & ~mask

    def distinct(self, number: int, symbol: str) -> float:
        key = (number, symbol)
        known = self._distinct.get(key)
        if known is None:
            known = self._distinct[key] = self.estimator.distinct(self.inputs[number].plan, symbol)
        return known

    def pairs(self, left: int, right: int) -> list[Pair]:
        """One pair of equal columns for each class that both sets have a column of."""
        shared = self._classes_of(left) & self._classes_of(right)
        return [
            (_first(members, left), _first(members, right))
            for place, members in enumerate(self.classes)
            if shared >> place & 1
        ]

    def _classes_of(self, mask: int) -> int:
        """The classes that the set has a column of; sets are asked for in pairs, so each is looked at once."""
        known = self._has.get(mask)
        if known is None:
            last = 1 << (mask.bit_length() - 1)
            known = self._has[mask] = 0 if mask == last else self._classes_of(mask ^ last) | self._classes_of(last)
        return known

    def _unique_for(self, mask: int) -> int:
        """The inputs with a key that equals columns of the set: each of its rows finds one of theirs at most."""
        known = self._unique.get(mask)
        if known is None:
            there = self._classes_of(mask)
            known = 0
            for number, keys in enumerate(self._keys):
                if any(key & there == key for key in keys):
                    known |= 1 << number
            self._unique[mask] = known
        return known

    def selectivity(self, left: int, right: int, keys: list[Pair]) -> float:
        """Rows of the join over rows of the cross product."""
        share = 1.0
        if len(keys) > 1:
            share = self._composite(keys)
        else:
            for a, b in keys:
                share /= max(self.base_distinct(*a), self.base_distinct(*b), 1.0)
        if len(self._shares) < len(self.conditions):
            self._shares = [
                (read, 1.0 / self._equal_values(part) if is_equality(part) else 0.33) for read, part in self.conditions
            ]
        both = left | right
        for read, factor in self._shares:
            if read & both == read and read & left and read & right:
                share *= factor
        return share

    def base_distinct(self, number: int, ref: ColumnRef) -> float:
        """Distinct values before filters: they thin out both sides of a key alike."""
        key = (number, "base " + ref.symbol)
        known = self._distinct.get(key)
        if known is None:
            plan = self.inputs[number].plan
            facts = stored_statistics(plan, ref)
            known = float(facts.distinct) if facts is not None else self.distinct(number, ref.symbol)
            self._distinct[key] = known
        return known

    def _equal_values(self, part: Expr) -> float:
        read = symbols(part)
        return max(
            (self.distinct(n, s) for n, one in enumerate(self.inputs) for s in read if _has(one.plan, s)), default=10.0
        )

    def _composite(self, keys: list[Pair]) -> float:
        """Several keys at once.

        Where the columns of one side are of one input and their combinations exceed its stored rows, they are
        taken for its key, so that each row of the other side finds one.
        """
        apart = 1.0
        for a, b in keys:
            apart /= max(self.base_distinct(*a), self.base_distinct(*b), 1.0)
        best = apart
        for side in (0, 1):
            owners = {pair[side][0] for pair in keys}
            if len(owners) != 1:
                continue
            (owner,) = owners
            combinations = 1.0
            for pair in keys:
                combinations *= self.base_distinct(*pair[side])
            stored = self._stored_rows(owner)
            if combinations >= stored:
                best = max(best, 1.0 / max(stored, 1.0))
        return best

    def _stored_rows(self, number: int) -> float:
        plan = self.inputs[number].plan
        while isinstance(plan, Filter | Project):
            plan = plan.input
        return self.estimator.rows(plan)

    def join_cost(self, left: int, left_rows: float, right: int, right_rows: float, rows: float) -> float:
        """Probe `left` into a table made of `right`."""
        if not self._is_unique(left, right, right_rows):
            return left_rows + rows * _EXPAND + right_rows * _BUILD_MANY
        stored = right & (right - 1) == 0 and isinstance(self.inputs[right.bit_length() - 1].plan, Scan)
        return left_rows + rows + right_rows * (_BUILD_STORED if stored else _BUILD_UNIQUE)

    def _is_unique(self, left: int, right: int, right_rows: float) -> bool:
        """Whether a row of `left` finds at most one: by the key of an input that the joins in `right` do not repeat."""
        candidates = self._unique_for(left) & right
        while candidates:
            number = candidates.bit_length() - 1
            if right_rows <= self.inputs[number].rows * 1.001:
                return True
            candidates ^= 1 << number
        return False

    def attach_cost(self, number: int) -> float:
        """Making the table of an attached input; the same in every order, except for comparisons with others."""
        one = self.inputs[number]
        return one.rows * (_BUILD_STORED if isinstance(one.plan, Scan) else _BUILD_UNIQUE)

    def candidates(self, number: int) -> float:
        """Rows of an attached input that a row finds by the keys and compares by other conditions, as work; 0 where it has none.

        Of a semi or an anti join: rows that others give are counted as such.
        """
        known = self._candidates.get(number)
        if known is None:
            one = self.inputs[number]
            known = 0.0
            if one.join is not None and one.join.residual is not None and one.join.kind in ("semi", "anti"):
                values = [self.estimator.distinct_of(one.plan, theirs) for _, theirs in one.join.keys]
                known = _EXPAND * one.rows / max(*values, 1.0) if values else 0.0
            self._candidates[number] = known
        return known

    def join(self, left_mask: int, left: Plan, right_mask: int, right: Plan) -> Plan:
        """The two sides joined with all conditions that they are the first to have."""
        both = left_mask | right_mask
        own = self.inputs[right_mask.bit_length() - 1]
        if own.join is not None and right_mask & (right_mask - 1) == 0:
            ready = (part for read, part in self.conditions if read & both == read and read & right_mask)
            return filtered(self._attach(left, own.join), ready)
        parts: list[Expr] = [Call(words.EQ, (a[1], b[1]), BOOLEAN) for a, b in self.pairs(left_mask, right_mask)]
        parts += [p for r, p in self.conditions if r & both == r and r & left_mask and r & right_mask]
        keys, rest = split_keys(parts, left, right)
        return Join("inner", left, right, keys, conjunction(tuple(rest)) if rest else None)

    def _attach(self, left: Plan, join: Join) -> Plan:
        keys = tuple((rename(a, self.renamed), b) for a, b in join.keys)
        residual = None if join.residual is None else rename(join.residual, self.renamed)
        return Join(join.kind, left, join.right, keys, residual, join.mark, join.null_aware)


def _first(members: list[Column], mask: int) -> Column:
    """The first column of a class that the set has."""
    return next(member for member in members if mask >> member[0] & 1)


def is_equality(part: Expr) -> bool:
    return isinstance(part, Call) and part.function == words.EQ


def _has(plan: Plan, symbol: str) -> bool:
    return any(field.symbol == symbol for field in plan.schema)
