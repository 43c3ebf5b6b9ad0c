"""The optimizer: an ordered list of rules, each Plan -> Plan with the same schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from tqp.errors import InternalError, UnsupportedError
from tqp.interrupt import checkpoint
from tqp.ir.plan import Aggregate, GroupingSets, Join, Limit, Plan, Window
from tqp.ir.symbols import Uniqueness
from tqp.ir.visit import definitions, expressions, kinds, walk_query
from tqp.optimizer.rules.common_aggregates import share_aggregates
from tqp.optimizer.rules.common_joins import share_joins
from tqp.optimizer.rules.decorrelate import decorrelate
from tqp.optimizer.rules.dependencies import reduce_group_keys
from tqp.optimizer.rules.distinct_sets import distinct_sets
from tqp.optimizer.rules.eager_aggregate import aggregate_early
from tqp.optimizer.rules.exact_moments import exact_moments
from tqp.optimizer.rules.existence import compare_extremes
from tqp.optimizer.rules.first_rows import keep_first_rows
from tqp.optimizer.rules.join_by_each import join_by_each
from tqp.optimizer.rules.join_elimination import eliminate_joins
from tqp.optimizer.rules.join_order import order_joins
from tqp.optimizer.rules.limits import push_limits
from tqp.optimizer.rules.merge import merge
from tqp.optimizer.rules.normalize import normalize
from tqp.optimizer.rules.predict_late import predict_late
from tqp.optimizer.rules.predict_low import predict_low
from tqp.optimizer.rules.predict_once import predict_once
from tqp.optimizer.rules.predict_together import predict_together
from tqp.optimizer.rules.predict_ways import fold_encoders, has_predictions, predict_distinct, predict_inputs
from tqp.optimizer.rules.prune import prune
from tqp.optimizer.rules.prune_trees import prune_trees
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.reduce_aggregates import reduce_aggregates
from tqp.optimizer.rules.roll_up import roll_up
from tqp.optimizer.rules.see_through import see_through
from tqp.optimizer.rules.share import narrow_shared, share, with_definitions
from tqp.optimizer.rules.simplify import simplify
from tqp.optimizer.rules.split_sums import split_sums

__all__ = ["EXCERPTS", "NEEDED", "RULES", "fired", "optimize"]

Rule = Callable[[Plan], Plan]

RULES: Final[tuple[tuple[str, Rule], ...]] = (
    # First: until then two places may make the same symbols, which no other rule expects.
    ("share", share),
    # All others see flat conjunctions, folded literals and conditions factored out of ORs.
    ("simplify", simplify),
    # Before everything that looks at joins: no later rule meets a right join, nor does the planner.
    ("normalize", normalize),
    # Before what else looks at joins: it makes most of them, and no later rule knows subqueries.
    ("decorrelate", decorrelate),
    # Subqueries are joins now, and predicates and unread columns of later rules have not made equal inputs differ.
    ("share_aggregates", share_aggregates),
    # Needs aggregates of equal keys to be one.
    ("roll_up", roll_up),
    # What aggregates do not share, rows may; before conditions that differ reach what is equal.
    ("share_joins", share_joins),
    # As soon as all expressions are in sight: what is not read needs no column, no join.
    ("predict_inputs", predict_inputs),
    # Predicates reach the scans, outer joins become inner, equalities become keys: what join ordering estimates with.
    ("push_down", push_down),
    # Equalities are keys, and what concerns one side has left the condition.
    ("join_by_each", join_by_each),
    # Predicates have left the projections that they asked; what is not put together any more is not read.
    ("see_through", see_through),
    # Reads only what is needed; before join ordering so that its cost sees the aggregates that remain.
    ("prune", prune),
    # Readers' predicates stand right above what they read, and unread columns are gone.
    ("narrow_shared", narrow_shared),
    # Needs keys and pruned expressions; before join ordering, which has fewer joins to order then.
    ("join_elimination", eliminate_joins),
    # Needs the predicates at the leaves and the keys of all joins.
    ("order_joins", order_joins),
    # Needs ordered joins, to know what a join will ask of an aggregate.
    ("reduce_aggregates", reduce_aggregates),
    # Needs the keys of all joins; after the rules that look into build sides, which it hides behind aggregates.
    ("compare_extremes", compare_extremes),
    # Needs the final joins and their keys, for which column determines which.
    ("reduce_group_keys", reduce_group_keys),
    # Needs the predicates below, for what they prove of values; before sums are divided among joins.
    ("exact_moments", exact_moments),
    ("split_sums", split_sums),
    # Groups must have their least keys, and joins their order.
    ("aggregate_early", aggregate_early),
    # Needs pruned aggregates, and sets without those that nobody asks for.
    ("distinct_sets", distinct_sets),
    # Sorts have settled; after decorrelate, which must see Limit and Sort apart.
    ("push_limits", push_limits),
    # Predicates have reached their places.
    ("predict_late", predict_late),
    # No later rule substitutes expressions.
    ("predict_once", predict_once),
    # Needs predictions as columns of their own, and the final joins.
    ("predict_low", predict_low),
    # Predictions stand where they will run; before each may have a model of its own.
    ("predict_together", predict_together),
    ("prune_trees", prune_trees),
    ("predict_distinct", predict_distinct),
    ("fold_encoders", fold_encoders),
    # Cleans up the projections that the rules above left.
    ("merge", merge),
    # Merged projections read less, and reordered joins need other columns.
    ("prune_again", prune),
    # Windows have the calls that are read, and filters their places.
    ("first_rows", keep_first_rows),
)

NEEDED: Final = frozenset({"share", "normalize", "decorrelate"})
"""Rules without which a plan cannot run where it has shared definitions, right joins or subqueries."""

EXCERPTS: Final = "row_groups"
"""Among the names of rules, it stands for `excerpt` of `optimize`."""

_SHARING: Final = (share, decorrelate, share_aggregates, roll_up, share_joins, join_by_each)
"""Rules that make shared definitions."""

_WHOLE: Final = (share, share_aggregates, roll_up, share_joins, join_by_each, narrow_shared)
"""Rules that see to shared definitions themselves; the others run on each as on a plan of its own."""

_PRUNED: Final = "narrow_shared"
"""After this rule no scan has a column that is not read."""

_OF_PREDICTIONS: Final = (
    predict_inputs, predict_late, predict_once, predict_low, predict_together, prune_trees, predict_distinct, fold_encoders,
)  # fmt: skip
"""Rules that leave a plan without predictions as it is, which none of the others brings one into."""


_ACT_AT: Final[dict[Rule, frozenset[type[Plan]]]] = {
    normalize: frozenset((Join,)),
    share_aggregates: frozenset((Aggregate,)),
    roll_up: frozenset((Aggregate,)),
    share_joins: frozenset((Join,)),
    join_by_each: frozenset((Join,)),
    eliminate_joins: frozenset((Join,)),
    order_joins: frozenset((Join,)),
    reduce_aggregates: frozenset((Join,)),
    compare_extremes: frozenset((Join,)),
    reduce_group_keys: frozenset((Aggregate,)),
    exact_moments: frozenset((Aggregate,)),
    split_sums: frozenset((Aggregate,)),
    aggregate_early: frozenset((Join,)),
    distinct_sets: frozenset((GroupingSets,)),
    push_limits: frozenset((Limit, Join)),
    keep_first_rows: frozenset((Window,)),
}
"""Rules that leave a plan as it is that has none of these nodes; the others look at every plan."""


def optimize(
    plan: Plan,
    *,
    disabled: frozenset[str] = frozenset(),
    excerpt: Rule | None = None,
    pruned: Callable[[Plan], None] | None = None,
) -> Plan:
    """The same relation as a plan without subqueries that runs faster.

    As soon as its scans name the columns that are read and no others, `excerpt` may put parts of tables in their places, where
    that is all the plan reads of them, and `pruned` is called with the plan.
    `disabled` names rules of `RULES` to leave out; without those of `NEEDED` the plan cannot run, or only some plans can.
    `normalize` is never left out, as the others rely on it.
    Raises UnsupportedError for the few correlated subqueries that have no join form yet, and InternalError
    where a rule changed the schema.
    """
    best = plan
    for name, after in _steps(plan, disabled, excerpt):
        best = after
        if name == _PRUNED and pruned is not None and "prune" not in disabled:
            pruned(best)
    return best


def fired(plan: Plan, *, disabled: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The rules that change the plan, in order, when it is optimized."""
    changed = []
    for name, after in _steps(plan, disabled):
        if after != plan:
            changed.append(name)
        plan = after
    return tuple(changed)


def _steps(plan: Plan, disabled: frozenset[str], excerpt: Rule | None = None) -> Iterator[tuple[str, Plan]]:
    """Each rule's name and the plan after it, whose schema is the same and whose symbols are each made once."""
    uniqueness = Uniqueness()
    shares = True
    predicts = _predicts(plan)
    for name, rule in RULES:
        if (name in disabled and rule is not normalize) or (not predicts and rule in _OF_PREDICTIONS):
            continue
        checkpoint()
        before = plan.schema
        if not _acts_at(rule, definitions(plan) if shares else (), plan):
            yield name, plan
            continue
        try:
            plan = _everywhere(rule, plan) if shares and rule not in _WHOLE else rule(plan)
        except RecursionError:
            raise UnsupportedError("the query is nested too deeply", hint="split it with WITH") from None
        if plan.schema != before:
            raise InternalError(
                f"optimizer rule {name} changed the schema from "
                f"{[(f.symbol, str(f.dtype)) for f in before]} to {[(f.symbol, str(f.dtype)) for f in plan.schema]}"
            )
        trees = definitions(plan) if shares or rule in _SHARING else ()
        # Other rules share nothing that was not shared when they began.
        shares = bool(trees)
        for tree in (*trees, plan):
            uniqueness.check(tree, name)
        if name == _PRUNED and excerpt is not None and EXCERPTS not in disabled:
            # They have the same schema, and the rules that follow know nothing of the tables yet.
            plan = _everywhere(excerpt, plan)
        yield name, plan


def _acts_at(rule: Rule, trees: Iterable[Plan], plan: Plan) -> bool:
    """Whether there is anything for the rule in the plan or in one of the trees that it shares."""
    wanted = _ACT_AT.get(rule)
    return wanted is None or any(not wanted.isdisjoint(kinds(tree)) for tree in (plan, *trees))


def _predicts(plan: Plan) -> bool:
    """Whether a model is called anywhere in the query."""
    nodes = (node for tree in (*definitions(plan), plan) for node in walk_query(tree))
    return any(has_predictions(expr) for node in nodes for expr in expressions(node))


def _everywhere(rule: Rule, plan: Plan) -> Plan:
    """The rule applied to the plan and to each shared definition, those before what reads them."""
    trees = definitions(plan)
    if not trees:
        return rule(plan)
    done: dict[Plan, Plan] = {}
    for tree in (*trees, plan):
        before = with_definitions(tree, done)
        after = rule(before) if _acts_at(rule, (), before) else before
        # What did not change stays the same object, by which definitions are compared.
        done[tree] = before if after == before else after
    return done[plan]
