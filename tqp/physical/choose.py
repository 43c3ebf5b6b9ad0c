"""What the planner chooses, and why: how a join finds its partners, which of its sides is probed, where a filter runs.

What depends on sizes that only data tells is chosen in the run, by the operator: how groups are found, by what lookup.
Both are a `Choice`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from tqp.data.statistics import ColumnStatistics
from tqp.errors import InternalError
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.lineage import lineage, stored_statistics
from tqp.ir.plan import Aggregate, Filter, GroupingSets, Join, Plan, Project, Recursion, Scan, Shared, Window, Working
from tqp.ir.visit import definitions, rename, walk_plan
from tqp.limits import Limits
from tqp.operators.choice import Choice
from tqp.operators.membership import StoredKeys
from tqp.optimizer.facts import covers, unique_keys

__all__ = [
    "ASKED", "BUILD", "INDEX", "KEYS", "ON_ALL_ROWS", "ON_ROWS_FOUND", "ChosenJoin", "Index", "KeysAlone", "Materialized",
    "choose_filter", "choose_join", "stored_keys", "swapped",
]  # fmt: skip

Estimate = Callable[[Plan], float]
"""About how many rows a plan has."""


INDEX: Final = "index of a stored table"
KEYS: Final = "keys alone"
BUILD: Final = "rows materialised and indexed"
_WAYS: Final = (INDEX, KEYS, BUILD)

ASKED: Final = "the rows asked for"
ON_ROWS_FOUND: Final = "on the rows found"
ON_ALL_ROWS: Final = "on all rows, kept as a mask"


@dataclass(frozen=True, eq=False)
class Index:
    """A build side that is a stored table, filtered: its scan, the conditions, and the join key that is a column of it.

    `place` is the key's, `column` the stored column, `renames` what the join's symbols are over the scan.
    """

    scan: Scan
    conditions: tuple[Expr, ...]
    renames: dict[str, Expr]
    place: int
    column: str
    facts: ColumnStatistics

    @property
    def name(self) -> str:
        return f"{self.scan.name}.{self.column}"

    def share(self, probes: float) -> float:
        """The share of the table's rows that this many probes look at."""
        return probes / max(self.facts.distinct, 1)


@dataclass(frozen=True)
class KeysAlone:
    """The distinct keys of the build side are kept, in a form that the run chooses."""


@dataclass(frozen=True)
class Materialized:
    """The rows of the build side are collected, and their keys indexed."""


@dataclass(frozen=True, eq=False)
class ChosenJoin:
    """A join as it will run, its left side probing what `way`, called `name`, makes of the right one, and what was chosen.

    `if_few`: an index of one side, better than `way` if the other side, which `few_left` says is the left one, turns out to have
    few rows. Then the choice is the run's. `distinct`: the keys of that side, the right one, may repeat, and are to be made
    distinct before they look anything up. `reduces`: the right side is first cut down to what the left one asks for.
    """

    plan: Join
    way: Index | KeysAlone | Materialized
    name: str
    choices: tuple[Choice, ...]
    if_few: Index | None = None
    few_left: bool = False
    distinct: bool = False
    reduces: bool = False


def choose_join(plan: Join, limits: Limits, estimate: Estimate) -> ChosenJoin:
    """How a join runs. The order of preference: an index that is there, a bitmap, else a build."""
    if plan.kind == "right":
        raise InternalError("a right join reached the planner, which the rule normalize turns into a left one")
    plan, choices = _sides(plan, limits, estimate)
    way, reason = _way(plan, limits, estimate)
    match way:
        case Index():
            chosen = INDEX
        case KeysAlone():
            chosen = KEYS
        case Materialized():
            chosen = BUILD
        case _:
            assert_never(way)
    if not isinstance(way, Index):
        if_few = _if_few_right(plan, limits, estimate)
        if if_few is not None:
            return ChosenJoin(plan, way, chosen, choices, if_few, distinct=_repeats(plan))
        if_few = _if_few_left(plan, limits)
        if if_few is not None:
            return ChosenJoin(plan, way, chosen, choices, if_few, few_left=True)
    others = tuple(name for name in _WAYS if name != chosen)
    choices = (*choices, Choice(f"{plan.kind} join", chosen, others, reason))
    reduced = _reduced(plan, limits, estimate) if isinstance(way, Materialized) else None
    if reduced is not None:
        return ChosenJoin(plan, way, chosen, (*choices, reduced), reduces=True)
    return ChosenJoin(plan, way, chosen, choices)


def _reduced(plan: Join, limits: Limits, estimate: Estimate) -> Choice | None:
    """Whether of a large right side only the rows are built on that a much smaller left side asks for.

    Not where rows without a match count too, nor where it counts whether a comparison is NULL.
    """
    if not plan.keys or plan.kind in ("full", "mark") or plan.null_aware:
        return None
    if _changes(plan.left) and not _changes(plan.right):
        # What is built of all rows serves every step of a recursion.
        return None
    left, right = estimate(plan.left), estimate(plan.right)
    keys = max(_distinct(plan.right, theirs, right) for _, theirs in plan.keys)
    if right < limits.reduced_rows or left > limits.reduced_share * keys:
        return None
    reason = f"~{left:,.0f} rows ask ~{right:,.0f}, whose keys have at least ~{keys:,.0f} values"
    return Choice("build side", ASKED, ("all rows",), reason)


def _sides(plan: Join, limits: Limits, estimate: Estimate) -> tuple[Join, tuple[Choice, ...]]:
    """The join with the side on the left that shall be probed with."""
    if plan.kind != "inner" or not plan.keys:
        return plan, ()
    if _changes(plan.right) and not _changes(plan.left):
        reason = "rows of a recursion look up what is the same in each step"
        return swapped(plan), (Choice("sides", "swapped", ("as written",), reason),)
    found = _index_of(plan.left, tuple(ours for ours, _ in plan.keys), limits)
    if found is None:
        return plan, ()
    left, right = estimate(plan.left), estimate(plan.right)
    share = found.share(right)
    unfiltered = found.facts.is_unique and not right < limits.index_share * left
    if unfiltered or not share < limits.index_share:
        return plan, ()
    reason = f"~{right:,.0f} rows find theirs by the index on {found.name}, "
    reason += f"{share:.1%} of what a scan reads"
    return swapped(plan), (Choice("sides", "swapped", ("as written",), reason),)


def _changes(plan: Plan) -> bool:
    """Whether the plan has other rows in each step of a recursion around it."""
    inner = {
        node.name for tree in (plan, *definitions(plan)) for node in walk_plan(tree) if isinstance(node, Recursion)
    }
    return any(
        isinstance(node, Working) and node.name not in inner
        for tree in (plan, *definitions(plan))
        for node in walk_plan(tree)
    )


def _distinct(plan: Plan, key: Expr, rows: float) -> float:
    """About how many values a key of so many rows has: those of its stored column; as many as rows where it is none."""
    stored = stored_statistics(plan, key)
    return rows if stored is None else min(float(stored.distinct), rows)


def _if_few_right(plan: Join, limits: Limits, estimate: Estimate) -> Index | None:
    """An index of the left side by which a right side finds its partners that may have few rows.

    Of an inner or a semi join: all other kinds give every row of the left side, or all but few of them, and read it as a whole.
    """
    if plan.kind not in ("inner", "semi") or plan.residual is not None and _repeats(plan):
        return None
    found = _index_of(plan.left, tuple(ours for ours, _ in plan.keys), limits)
    if found is None or _is_guess(plan.right):
        return found
    # The sides of an inner join are chosen by estimates alone (`_sides`): all its rows would be collected.
    is_small = plan.kind == "semi" and found.share(estimate(plan.right)) < limits.index_share
    return found if is_small else None


def _if_few_left(plan: Join, limits: Limits) -> Index | None:
    """An index of the right side by which a left side finds its partners that may have few rows.

    A left side of groups alone: what else it might be is more to collect before anybody knows how much there is.
    """
    if plan.kind not in ("inner", "left", "single", "semi", "anti") or plan.null_aware:
        return None
    node, is_filtered = plan.left, False
    while isinstance(node, Filter | Project | Shared):
        is_filtered = is_filtered or isinstance(node, Filter)
        node = node.definition if isinstance(node, Shared) else node.input
    if not is_filtered or not isinstance(node, Aggregate | GroupingSets | Window):
        return None
    return _index_of(plan.right, tuple(theirs for _, theirs in plan.keys), limits)


def _repeats(plan: Join) -> bool:
    """Whether two rows of the right side of a semi join may have the same keys, and so find a row of the left side twice."""
    return plan.kind == "semi" and not covers(unique_keys(plan.right), (theirs for _, theirs in plan.keys))


def _is_guess(plan: Plan) -> bool:
    """Whether the number of the plan's rows is no more than a guess: what groups or windows came to is filtered.

    That may be in a shared definition that it reads.
    """
    trees = [plan, *definitions(plan)]
    return any(isinstance(node, Filter) and _is_grouped(node.input) for tree in trees for node in walk_plan(tree))


def _is_grouped(plan: Plan) -> bool:
    """Whether rows are groups, or come from windows."""
    while isinstance(plan, Project | Shared):
        plan = plan.input if isinstance(plan, Project) else plan.definition
    return isinstance(plan, Aggregate | GroupingSets | Window)


def swapped(plan: Join) -> Join:
    """The inner join of the same matches, its sides exchanged; of an inner join, or a semi join whose right keys are unique."""
    keys = tuple((right, left) for left, right in plan.keys)
    return Join("inner", plan.right, plan.left, keys, plan.residual)


def _way(plan: Join, limits: Limits, estimate: Estimate) -> tuple[Index | KeysAlone | Materialized, str]:
    if plan.kind == "full":
        return Materialized(), "rows without a partner are added at the end"
    if not plan.keys:
        return Materialized(), "there is no key"
    if plan.kind == "mark" or plan.null_aware:
        if plan.residual is not None or len(plan.keys) > 1:
            return Materialized(), "NULL keys decide"
        index, reason = _index(plan, limits, estimate)
        if index is not None and not index.conditions:
            return index, f"{reason}, and has no NULL"
        return KeysAlone(), "only whether a key is there counts, and whether one is NULL"
    index, reason = _index(plan, limits, estimate)
    if index is not None:
        return index, reason
    if plan.kind in ("semi", "anti") and plan.residual is None:
        return KeysAlone(), "only whether a key is there counts"
    return Materialized(), reason


def _index(plan: Join, limits: Limits, estimate: Estimate) -> tuple[Index | None, str]:
    """An index for the build side of a join, if using it pays, and why or why not."""
    found = _index_of(plan.right, tuple(theirs for _, theirs in plan.keys), limits)
    if found is None:
        return None, "no key is a stored column with an index"
    name = found.name
    if found.facts.is_unique:
        return found, f"{name} is unique"
    share = found.share(estimate(plan.left))
    repeats = found.facts.rows / max(found.facts.distinct, 1)
    if len(plan.keys) > 1 and repeats > limits.pairs_a_row and (share >= limits.index_share or _changes(plan.left)):
        return None, f"{name} is sorted, but about {repeats:,.0f} rows have the same"
    if not found.conditions:
        return found, f"{name} is sorted"
    if share < limits.index_share:
        return found, f"{name} is sorted, and {share:.1%} of the table is looked at"
    return None, f"{share:.1%} of a filtered table would be looked at by its index on {name}"


def _index_of(plan: Plan, keys: tuple[Expr, ...], limits: Limits) -> Index | None:
    """The best index for these keys of `plan`: of a unique column, else of a sorted one."""
    base = _stored(plan)
    if base is None:
        return None
    scan, conditions, renames = base
    best: Index | None = None
    for place, key in enumerate(keys):
        key = rename(key, renames)
        if not isinstance(key, ColumnRef) or not key.dtype.is_ordinal:
            continue
        column = scan.column(key.symbol)
        assert column is not None
        facts = scan.source.statistics(column)
        if facts.minimum is None or facts.maximum is None or facts.nulls:
            continue
        if facts.maximum - facts.minimum > limits.index_table(facts.rows):
            continue
        found = Index(scan, conditions, renames, place, column, facts)
        if facts.is_unique:
            return found
        if facts.is_sorted and best is None:
            best = found
    return best


def _stored(plan: Plan) -> tuple[Scan, tuple[Expr, ...], dict[str, Expr]] | None:
    """A scan under filters and renaming projects, its conditions in the scan's symbols, and what renames to what."""
    conditions: list[tuple[Plan, Expr]] = []
    node, renaming = plan, False
    while not isinstance(node, Scan):
        if isinstance(node, Filter):
            conditions += [(node.input, part) for part in conjuncts(node.predicate)]
        elif isinstance(node, Project) and all(isinstance(expr, ColumnRef) for expr in node.exprs):
            renaming = True
        else:
            return None
        node = node.input
    renames = {item.symbol: _origin(plan, item.ref) for item in plan.schema} if renaming else {}
    return node, tuple(_origin(below, part) for below, part in conditions), renames


def stored_keys(plan: Plan, keys: tuple[Expr, ...], limits: Limits) -> StoredKeys | None:
    """The stored column whose values are the key of all rows of the plan, of a large table."""
    base = _stored(plan)
    if base is None or base[1] or len(keys) != 1:
        return None
    scan, _, renames = base
    key = rename(keys[0], renames)
    column = scan.column(key.symbol) if isinstance(key, ColumnRef) else None
    is_large = limits.indexed_rows is not None and scan.source.rows >= limits.indexed_rows
    return StoredKeys(scan.source, column) if column is not None and is_large else None


def _origin(plan: Plan, expr: Expr) -> Expr:
    """The expression over the columns of the scan that the plan is of."""
    *_, (_, origin) = lineage(plan, expr)
    return origin


def choose_filter(index: Index, probes: float, limits: Limits) -> Choice | None:
    """Whether the conditions on an indexed table run on all its rows or on the few that are found; None: there are none."""
    if not index.conditions:
        return None
    share = index.share(probes)
    few = share < limits.index_share
    chosen, other = (ON_ROWS_FOUND, ON_ALL_ROWS) if few else (ON_ALL_ROWS, ON_ROWS_FOUND)
    looked = f"{share:.1%} of its rows are looked at" if share <= 1 else f"each row is looked at {share:.1f} times"
    return Choice(f"filter of {index.scan.name}", chosen, (other,), looked)
