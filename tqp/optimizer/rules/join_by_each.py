"""A join by one of several keys, `ON a.x = b.x OR a.y = b.y`, as a join by each of them.

The pairs that the second key finds are those for which the first condition is not true, and so on, so that none comes twice and
the rows of all can be put below each other. Each side is computed once. A left, semi, anti or mark join numbers the left rows,
finds the pairs as an inner join does, and joins the left rows with these by their numbers. A full join numbers the rows of both
sides. No number is NULL; so a mark is TRUE or FALSE, as it is without keys, and NOT IN, which has keys, is none of these joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall, Call, Expr, Literal, Predict
from tqp.ir.outside import iterates
from tqp.ir.plan import Field, Join, Plan, Project, SetOp, Shared, Window
from tqp.ir.visit import definitions, free_symbols, rename, rewrite_plan, walk
from tqp.ir.window import WindowCall
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import Keys, split_keys
from tqp.optimizer.rules.share import with_definitions
from tqp.types import BIGINT, BOOLEAN

__all__ = ["join_by_each"]

_KINDS: Final = frozenset({"inner", "left", "full", "semi", "anti", "mark"})
_FEWEST_PAIRS: Final = 100_000
"""Fewer are compared one by one."""
_MOST_KEYS: Final = 8


def join_by_each(plan: Plan) -> Plan:
    """The plan without larger joins whose only keys stand in an OR."""
    estimator = Estimator()
    names: list[Symbols] = []
    done: dict[Plan, Plan] = {}
    for tree in (*definitions(plan), plan):
        done[tree] = rewrite_plan(with_definitions(tree, done), partial(_rule, estimator, plan, names))
    return done[plan]


def _rule(estimator: Estimator, whole: Plan, names: list[Symbols], node: Plan) -> Plan | None:
    if not isinstance(node, Join) or node.keys or node.residual is None or node.kind not in _KINDS or node.null_aware:
        return None
    parts = conjuncts(node.residual)
    found = next((part for part in parts if _branches(part, node)), None)
    if found is None or estimator.rows(node.left) * estimator.rows(node.right) < _FEWEST_PAIRS:
        return None
    if any(_is_of_each_row(part) for part in parts):
        # It is asked for other pairs now, or twice.
        return None
    if any(free_symbols(side) or iterates(side) for side in node.children):
        return None
    if not names:
        names.append(Symbols(whole))
    rest = tuple(part for part in parts if part is not found)
    return _Join(node, _branches(found, node), rest, names[0]).plan()


def _is_of_each_row(expr: Expr) -> bool:
    """Whether another computation of it may give another value, or takes a model."""
    return any(
        isinstance(part, Predict) or isinstance(part, Call) and find(part.function).each_row for part in walk(expr)
    )


_Branch = tuple[Expr, Keys, list[Expr]]
"""A condition, its keys, and what else it says."""


def _branches(part: Expr, node: Join) -> list[_Branch]:
    """The conditions of an OR, if there are several and each has a key."""
    if not (isinstance(part, Call) and part.function == words.OR) or len(part.args) > _MOST_KEYS:
        return []
    found = [(one, *split_keys(conjuncts(one), node.left, node.right)) for one in part.args]
    return found if all(keys for _, keys, _ in found) else []


@dataclass
class _Join:
    node: Join
    branches: list[_Branch]
    rest: tuple[Expr, ...]
    """What must hold besides."""
    names: Symbols

    def plan(self) -> Plan:
        node = self.node
        if node.kind == "inner":
            return self._pairs(node.left, node.right, node.schema)
        left, number = self._numbered(node.left)
        found = self._fresh(number)
        if node.kind == "full":
            right, other = self._numbered(node.right)
            met = self._fresh(other)
            pairs = self._pairs(left, right, (number, other), (found, met))
            padded = Join("left", _whole(left), pairs, ((number.ref, found.ref),))
            joined = Join("full", padded, _whole(right), ((met.ref, other.ref),))
        else:
            shown = node.right.schema if node.kind == "left" else ()
            pairs = self._pairs(left, node.right, (number, *shown), (found, *shown))
            joined = Join(node.kind, _whole(left), pairs, ((number.ref, found.ref),), mark=node.mark)
        return Project(joined, node.schema, tuple(field.ref for field in node.schema))

    def _numbered(self, side: Plan) -> tuple[Plan, Field]:
        """The side with a number for each row, and the column of these."""
        number = Field(self.names.fresh("row"), "row", BIGINT)
        call = WindowCall(AggregateCall(words.ROW_NUMBER, (), BIGINT))
        return Window(side, (), (), (number,), (call,)), number

    def _pairs(
        self, left: Plan, right: Plan, wanted: tuple[Field, ...], fields: tuple[Field, ...] | None = None
    ) -> Plan:
        """The columns `wanted` of all pairs, which are called as `fields` then."""
        branches: list[Plan] = []
        before: list[Expr] = []
        for condition, keys, rest in self.branches:
            sides = [self._read(side) for side in (left, right)]
            columns = {symbol: field for _, names in sides for symbol, field in names.items()}
            refs: dict[str, Expr] = {symbol: field.ref for symbol, field in columns.items()}
            others = [rename(part, refs) for part in (*rest, *self.rest, *before)]
            pairs = tuple((rename(a, refs), rename(b, refs)) for a, b in keys)
            joined = Join("inner", sides[0][0], sides[1][0], pairs, conjunction(tuple(others)) if others else None)
            made = tuple(columns[field.symbol] for field in wanted)
            branches.append(Project(joined, made, tuple(field.ref for field in made)))
            before.append(_not_true(condition))
        return SetOp("union", True, tuple(branches), fields or wanted)

    def _read(self, side: Plan) -> tuple[Shared, dict[str, Field]]:
        """The side once more, and its columns by what it calls them."""
        fields = tuple(self._fresh(field) for field in side.schema)
        symbols = tuple(field.symbol for field in side.schema)
        return Shared(side, symbols, fields), dict(zip(symbols, fields, strict=True))

    def _fresh(self, field: Field) -> Field:
        return Field(self.names.fresh(field.symbol), field.name, field.dtype)


def _whole(side: Plan) -> Shared:
    """The side, which others read as well, by its own symbols."""
    return Shared(side, tuple(field.symbol for field in side.schema), side.schema)


def _not_true(condition: Expr) -> Expr:
    known = Call(words.COALESCE, (condition, Literal(False, BOOLEAN)), BOOLEAN)
    return Call(words.NOT, (known,), BOOLEAN)
