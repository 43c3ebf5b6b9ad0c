"""Random small plans over random small tables with NULLs, duplicates and, sometimes, unique keys."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Literal

from tests.optimizer.build import group, lit, op, pick, project, scan, table, where, window
from tests.optimizer.interpret import Memory
from tqp.ir.expr import Case, ColumnRef, Exists, Expr, InSubquery, ScalarSubquery, SortKey
from tqp.ir.plan import Aggregate, Field, Join, JoinKind, Plan, SetOp, Shared, Sort, TopN
from tqp.ir.symbols import all_symbols, renamed
from tqp.ir.visit import free_symbols
from tqp.types import BIGINT, BOOLEAN

KINDS: tuple[JoinKind, ...] = ("inner", "inner", "inner", "left", "left", "right", "full", "semi", "anti", "mark")


class Generator:
    """Makes one plan after another from a seed; symbols never repeat.

    `copies`: parts that read no column around them often come again, under other symbols, aggregates by fewer keys.
    """

    def __init__(self, seed: int, windows: bool = False, copies: bool = False) -> None:
        self.windows = windows
        self.copies = copies
        self.closed: list[Plan] = []
        self.random = random.Random(seed)
        self.count = 0
        self.tables = [self._table(name) for name in ("r", "s", "t")]
        self.definitions: list[Plan] = []

    def _table(self, name: str) -> Memory:
        rng = self.random
        rows = 0 if rng.random() < 0.05 else rng.randint(3, 7)
        keys = rng.sample(range(1, 8), rows) if rng.random() < 0.6 else [rng.randint(1, 3) for _ in range(rows)]
        some = (None, 1, 2, 3, 4)
        data = [(key, rng.choice(some), rng.choice(some[1:] if name == "t" else some)) for key in keys]
        return table(name, "k a b", *data)

    def name(self, stem: str = "x") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def plan(self, depth: int, outer: tuple[str, ...] = ()) -> Plan:
        """A plan of BIGINT (and mark) columns; `outer` may be read by its predicates."""
        if not self.copies:
            return self._plan(depth, outer)
        if self.closed and 0 < depth < 4 and self.random.random() < 0.5:
            grouped = [one for one in self.closed if isinstance(one, Aggregate) and one.keys]
            again = self.random.choice(grouped if grouped and self.random.random() < 0.5 else self.closed)
            again = renamed(again, {symbol: self.name("c") for symbol in sorted(all_symbols(again))})
            if isinstance(again, Aggregate) and self.random.random() < 0.7:
                again = replace(again, keys=again.keys[: self.random.randint(0, len(again.keys))])
            return again
        made = self._plan(depth, outer)
        if 0 < depth < 4 and not free_symbols(made):
            self.closed.append(made)
        return made

    def _plan(self, depth: int, outer: tuple[str, ...]) -> Plan:
        rng = self.random
        if depth <= 0:
            return scan(rng.choice(self.tables), self.name("t"))
        if rng.random() < 0.12:
            return self._shared(depth)
        choice = rng.random()
        if self.windows and rng.random() < 0.3:
            return self._window(self.plan(depth - 1, outer))
        if choice < 0.4:
            return self._join(depth, outer)
        below = self.plan(depth - 1, outer)
        if choice < 0.65:
            condition = self.predicate(numbers(below), outer, depth)
            if rng.random() < 0.45:
                condition = op("or", condition, self.predicate(numbers(below), (), -1))
            return where(below, condition)
        if choice < 0.75:
            picked = [s for s in numbers(below) if rng.random() < 0.7] or list(numbers(below)[:1])
            exprs: dict[str, Expr | str] = {symbol: symbol for symbol in picked}
            exprs[self.name()] = self.number(numbers(below), ())
            return project(below, **exprs)
        if choice < 0.9:
            symbols = numbers(below)
            keys = tuple(rng.sample(symbols, min(rng.randint(0, 3), len(symbols))))
            function = rng.choice(("sum", "count", "min", "max"))
            arg: Expr = self.number(symbols, ())
            return group(below, *keys, **{self.name("agg"): (function, arg), self.name("n"): ("count_star", None)})
        if choice < 0.96:
            return self._set_operation(below, depth, outer)
        by = tuple(SortKey(ColumnRef(s, BIGINT), rng.random() < 0.5) for s in numbers(below))
        if rng.random() < 0.5 and len(numbers(below)) == len(below.schema):
            return TopN(below, by, rng.choice((0, 1, 2, 3, 4, 6)), rng.choice((0, 0, 1, 2)))
        return Sort(below, by)

    def _shared(self, depth: int) -> Plan:
        """A use of a definition, often one that was used before."""
        rng = self.random
        if not self.definitions or rng.random() < 0.4:
            self.definitions.append(self.plan(depth - 1))
        definition = rng.choice(self.definitions)
        fields = tuple(Field(self.name("c"), f.name, f.dtype) for f in definition.schema)
        return Shared(definition, tuple(f.symbol for f in definition.schema), fields)

    def _window(self, below: Plan) -> Plan:
        rng = self.random
        symbols = numbers(below)
        by = tuple(rng.sample(symbols, min(rng.randint(0, 2), len(symbols))))
        order = tuple(rng.sample(symbols, min(rng.randint(0, 2), len(symbols))))
        function = rng.choice(("sum", "count", "min", "max"))
        calls = {self.name("w"): (function, self.number(symbols, ())), self.name("r"): ("rank", None)}
        return window(below, by, order, **calls)

    def _join(self, depth: int, outer: tuple[str, ...]) -> Plan:
        rng = self.random
        left, right = self.plan(depth - 1, outer), self.plan(rng.randint(0, depth - 1), outer)
        kind = rng.choice(KINDS)
        both = (*numbers(left), *numbers(right))
        parts: list[Expr] = []
        if rng.random() < 0.85:
            parts.append(op("eq", rng.choice(numbers(left)), rng.choice(numbers(right))))
        if rng.random() < 0.2 or not parts:
            parts.append(self.predicate(both, outer if kind == "inner" else (), 0))
        condition = parts[0] if len(parts) == 1 else op("and", *parts)
        return Join(kind, left, right, residual=condition, mark=self.name("mark") if kind == "mark" else None)

    def _set_operation(self, below: Plan, depth: int, outer: tuple[str, ...]) -> Plan:
        rng = self.random
        kind: Literal["union", "intersect", "except"] = rng.choice(("union", "union", "intersect", "except"))
        others = [self.plan(depth - 1, outer) for _ in range(rng.choice((1, 1, 2)) if kind == "union" else 1)]
        inputs = (below, *others)
        width = min(2, *(len(numbers(one)) for one in inputs))
        fields = tuple(Field(self.name("u"), "u", BIGINT) for _ in range(width))
        return SetOp(kind, rng.random() < 0.5, tuple(pick(one, *numbers(one)[:width]) for one in inputs), fields)

    def number(self, symbols: tuple[str, ...], outer: tuple[str, ...]) -> Expr:
        rng = self.random
        column: Expr = ColumnRef(rng.choice((*symbols, *symbols, *outer)), BIGINT)
        choice = rng.random()
        if choice < 0.6:
            return column
        if choice < 0.75:
            return op("add", column, rng.randint(0, 2))
        if choice < 0.9:
            return op("coalesce", column, 0)
        return Case((op("lt", column, rng.randint(1, 4)),), (column,), lit(1))

    def predicate(self, symbols: tuple[str, ...], outer: tuple[str, ...], depth: int) -> Expr:
        rng = self.random
        choice = rng.random()
        if depth > 0 and choice < 0.3:
            return self._subquery(symbols, depth)
        if choice < 0.4 and depth >= 0:
            parts = [self.predicate(symbols, outer, -1) for _ in range(2)]
            return op("or", op("and", parts[0], self.predicate(symbols, outer, -1)), op("and", *parts))
        if choice < 0.55 and depth >= 0:
            return op("not", self.predicate(symbols, outer, depth - 1))
        if choice < 0.62:
            return op("is_null", self.number(symbols, ()))
        if choice < 0.75 and depth >= 0:
            return op("and", self.predicate(symbols, outer, depth - 1), self.predicate(symbols, outer, -1))
        left = self.number(symbols, outer)
        if outer and rng.random() < 0.4:
            return op("eq", left, self.number(symbols, outer))
        # Mostly such as leave rows: an answer without any shows little.
        if rng.random() < 0.5:
            return op(rng.choice(("eq", "gte", "gte", "neq", "neq")), left, rng.randint(1, 3))
        return op(rng.choice(("eq", "lt", "gte", "neq")), left, self.number(symbols, outer))

    def _subquery(self, symbols: tuple[str, ...], depth: int) -> Expr:
        rng = self.random
        visible = tuple(rng.sample(symbols, min(2, len(symbols))))
        inner = self.plan(depth - 1, visible)
        inner = where(inner, self.predicate(numbers(inner), visible, 0))
        choice = rng.random()
        if choice < 0.35:
            return Exists(inner)
        if choice < 0.6:
            return InSubquery((ColumnRef(rng.choice(symbols), BIGINT),), pick(inner, rng.choice(numbers(inner))))
        function = rng.choice(("sum", "count", "max"))
        one = group(inner, **{self.name("agg"): (function, rng.choice(numbers(inner)))})
        return op(rng.choice(("lt", "eq", "gte")), ColumnRef(rng.choice(symbols), BIGINT), ScalarSubquery(one))


def numbers(plan: Plan) -> tuple[str, ...]:
    """The symbols of the plan's BIGINT columns."""
    return tuple(field.symbol for field in plan.schema if field.dtype != BOOLEAN)
