"""Relations that several places of a query read: computed once, or put in each place under symbols of its own.

A definition that one place reads becomes part of that place's plan, as does one that costs no more than to stream a table
again, or that reads columns of a query around it, or what a recursion around it gave. The others stay shared. What a
definition then computes is bounded by what its readers want: the columns that one of them reads, and the rows that one of
them lets through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tqp.errors import UnsupportedError
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import ColumnRef, Exists, Expr, InSubquery, Predict, ScalarSubquery
from tqp.ir.outside import iterates
from tqp.ir.plan import Aggregate, Filter, GroupingSets, Join, Limit, Plan, Project, SetOp, Shared, Sort, TopN, Window
from tqp.ir.symbols import all_symbols, renamed
from tqp.ir.visit import (
    definitions,
    expressions,
    free_symbols,
    holds_plans,
    rename,
    rewrite_query,
    shares,
    subplans,
    walk,
    walk_plan,
    walk_query,
)  # fmt: skip
from tqp.optimizer.fresh import Symbols, select
from tqp.optimizer.rules.prune import prune
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.simplify import disjunction

__all__ = ["narrow_shared", "share", "with_definitions"]

_MOST_SYMBOLS: Final = 100_000
"""A query whose references, written out, have more columns than this is refused."""


def share(plan: Plan) -> Plan:
    """The plan with each symbol made in one place: every definition and repeated subquery put in place or shared."""
    trees = (*definitions(plan), plan)
    nodes = [node for tree in trees for node in walk_query(tree)]
    subqueries = Counter(inner for node in nodes for part in _apart(node) for inner in subplans(part))
    repeated = Counter({inner: count for inner, count in subqueries.items() if count > 1})
    uses = Counter(node.definition for node in nodes if isinstance(node, Shared))
    if not uses and not repeated:
        return plan
    sharing = _Sharing(uses + repeated, frozenset(repeated), Symbols(plan))
    for tree in trees:
        sharing.add(tree)
    return sharing.trees[plan].plan


@dataclass(frozen=True, slots=True)
class _Tree:
    """A plan with its definitions in place, all symbols made in it, and whether its readers share it."""

    plan: Plan
    made: set[str]
    stays: bool


@dataclass(slots=True)
class _Sharing:
    uses: Counter[Plan]
    repeated: frozenset[Plan]
    names: Symbols
    trees: dict[Plan, _Tree] = field(default_factory=dict)

    def add(self, tree: Plan) -> None:
        """Put what `tree` reads, which was added before, in its place."""
        if tree in self.trees:
            return
        made = all_symbols(tree)
        plan = self._placed(tree, made)
        stays = self.uses[tree] > 1 and _is_work(plan) and not free_symbols(plan) and not iterates(plan)
        self.trees[tree] = _Tree(plan, made, stays)

    def _placed(self, plan: Plan, made: set[str]) -> Plan:
        def subquery(inner: Plan) -> Plan:
            if inner not in self.repeated:
                return self._placed(inner, made)
            self.add(inner)
            fields = tuple(replace(f, symbol=self.names.fresh(f.symbol)) for f in inner.schema)
            return self._in_place(Shared(inner, tuple(f.symbol for f in inner.schema), fields), made)

        def rule(node: Plan) -> Plan | None:
            return self._in_place(node, made) if isinstance(node, Shared) else None

        return rewrite_query(plan, rule, subquery=subquery, apart=True)

    def _in_place(self, node: Shared, made: set[str]) -> Plan:
        """What stands for a reference in a tree that makes the symbols `made`, to which its own are added."""
        tree = self.trees[node.definition]
        if tree.stays:
            return Shared(tree.plan, node.columns, node.fields)
        names: dict[str, str] = {}
        if not made.isdisjoint(tree.made):
            names = {symbol: self.names.fresh(symbol) for symbol in sorted(tree.made)}
        made.update(names.values() if names else tree.made)
        if len(made) > _MOST_SYMBOLS:
            raise UnsupportedError(
                f"the query refers to so many relations that it has more than {_MOST_SYMBOLS:,} columns when written out",
                hint="keep a part of it as a table: con.register(name, con.sql(…).arrow())",
            )
        placed = renamed(tree.plan, names) if names else tree.plan
        columns = [names.get(column, column) for column in node.columns]
        if isinstance(placed, Project) and len(set(columns)) == len(columns):
            # Not one projection upon the other, of which a long chain of WITH has many.
            exprs = {field.symbol: expr for field, expr in zip(placed.fields, placed.exprs, strict=True)}
            return Project(placed.input, node.fields, tuple([exprs[column] for column in columns]))
        by_symbol = {field.symbol: field for field in placed.schema}
        return Project(placed, node.fields, tuple([by_symbol[column].ref for column in columns]))


def _apart(node: Plan) -> Iterator[Expr]:
    """The node's expressions with subqueries, as far as each makes a place of its own for one: conditions one by one."""
    for expr in expressions(node):
        if holds_plans(expr):
            yield from conjuncts(expr)


def _is_work(plan: Plan) -> bool:
    """Whether computing it once and keeping the rows may pay."""
    for node in walk_plan(plan):
        if isinstance(node, Join | Aggregate | GroupingSets | Sort | TopN | Limit | SetOp | Window):
            return True
        exprs = expressions(node)
        if any(isinstance(part, Predict | ScalarSubquery | Exists | InSubquery) for e in exprs for part in walk(e)):
            return True
    return False


def with_definitions(plan: Plan, mapping: Mapping[Plan, Plan]) -> Plan:
    """The plan with its shared definitions replaced; their columns keep their symbols."""
    if not shares(plan) or all(new is old for old, new in mapping.items()):
        return plan

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Shared):
            return None
        definition = mapping.get(node.definition, node.definition)
        return None if definition is node.definition else Shared(definition, node.columns, node.fields)

    return rewrite_query(plan, rule, enters=shares)


def narrow_shared(plan: Plan) -> Plan:
    """The plan with its definitions reduced to the rows and columns that their readers want.

    A row is wanted where the conditions right above one of the readers hold for it.
    """
    trees = definitions(plan)
    if not trees:
        return plan
    wanted = {tree: _Wanted() for tree in trees}
    _collect(plan, wanted)
    narrowed: dict[Plan, Plan] = {}
    # Readers before what they read: what a definition no longer needs, its own definitions need not give.
    for tree in reversed(trees):
        narrowed[tree] = wanted[tree].of(tree)
        _collect(narrowed[tree], wanted)
    done: dict[Plan, Plan] = {}
    for tree in trees:
        done[tree] = with_definitions(narrowed[tree], done)
    return with_definitions(plan, done)


@dataclass(slots=True)
class _Wanted:
    """What the readers of a definition want: columns, and for each reader its conditions over them."""

    columns: set[str] = field(default_factory=set)
    conditions: list[tuple[Expr, ...]] = field(default_factory=list)

    def of(self, tree: Plan) -> Plan:
        fields = tuple(field for field in tree.schema if field.symbol in self.columns) or tree.schema[:1]
        if all(self.conditions):
            tree = push_down(Filter(tree, disjunction(tuple(map(conjunction, self.conditions)))))
        elif fields == tree.schema:
            return tree
        return prune(select(tree, fields))


def _collect(plan: Plan, wanted: dict[Plan, _Wanted]) -> None:
    """Add what `plan` wants of the definitions that it reads."""
    readers: list[tuple[Shared, tuple[Expr, ...]]] = [(plan, ())] if isinstance(plan, Shared) else []
    for node in walk_plan(plan):
        parts = conjuncts(node.predicate) if isinstance(node, Filter) else ()
        readers += [(child, parts) for child in node.children if isinstance(child, Shared)]
    for shared, parts in readers:
        refs: dict[str, Expr] = {
            made.symbol: ColumnRef(column, made.dtype)
            for made, column in zip(shared.fields, shared.columns, strict=True)
        }
        plain = (part for part in parts if not any(isinstance(below, Predict) for below in walk(part)))
        found = wanted[shared.definition]
        found.columns.update(shared.columns)
        found.conditions.append(tuple(rename(part, refs) for part in plain))
