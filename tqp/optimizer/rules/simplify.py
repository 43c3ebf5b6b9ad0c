"""Simplify expressions: fold literals, flatten AND and OR, factor common conditions out of ORs.

`(a AND b) OR (a AND c)` becomes `a AND (b OR c)` (Kleene logic is distributive, so NULLs agree);
`x = 1 OR x IN (2, 3)` becomes `x IN (1, 2, 3)`; `CAST(x AS wider) < literal` compares x itself;
`string_split(x, ',')[2]` makes that piece alone, `[a, b][2]` is b.
"""

from __future__ import annotations

from typing import assert_never

from tqp.functions.fold import fold_cast
from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import expressions, rewrite, rewrite_plan, with_expressions
from tqp.optimizer.literals import (
    boolean,
    compares,
    fold_arithmetic,
    fold_compare,
    fold_interval,
    mirrored,
    narrow,
)
from tqp.optimizer.seen_through import asks_for_less, seen_through
from tqp.stack import deep
from tqp.types import BOOLEAN

__all__ = ["disjunction", "simplify", "simplify_expr"]

_MOST_FLAT = 64
"""Calls of associative functions get no more arguments than that from one another."""


@deep
def simplify(plan: Plan) -> Plan:
    """Every expression of the plan and of its subqueries, simplified."""
    return rewrite_plan(plan, _simplify_node)


def _simplify_node(node: Plan) -> Plan | None:
    old = expressions(node)
    if not old:
        return None
    new = tuple(map(simplify_expr, old))
    if any(a is not b for a, b in zip(new, old, strict=True)):
        node = with_expressions(node, new)
    match node:
        case Filter() if node.predicate == boolean(True):
            return node.input
        case Join() if node.residual == boolean(True):
            return Join(node.kind, node.left, node.right, node.keys, None, node.mark, node.null_aware)
        case (
            Scan() | Values() | Shared() | Filter() | Project() | Join() | Aggregate() | GroupingSets() | Window()
            | Sort() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return node
        case _:
            assert_never(node)


def simplify_expr(expr: Expr) -> Expr:
    """The same value with less to compute."""
    return rewrite(expr, _simplify)


def _simplify(expr: Expr) -> Expr | None:
    match expr:
        case Call(function=words.AND):
            return _and(expr)
        case Call(function=words.OR):
            return disjunction(expr.args)
        case Call(function=words.NOT):
            return _not(expr.args[0])
        case Call(function=words.IS_NULL, args=(Literal() as arg,)):
            return boolean(arg.is_null)
        case Call(function=words.IN, args=(tested, Literal() as only)):
            return _simplify(Call(words.EQ, (tested, only), BOOLEAN)) or Call(words.EQ, (tested, only), BOOLEAN)
        case Call(function=words.IN, args=(Literal() as tested, *options)):
            equal = [_comparison(Call(words.EQ, (tested, option), BOOLEAN)) for option in options]
            known = tuple([one for one in equal if isinstance(one, Literal)])
            return disjunction(known) if len(known) == len(equal) else None
        case Call() if compares(expr):
            return _comparison(expr)
        case Call(function=words.ADD | words.SUB | words.MUL):
            return fold_arithmetic(expr) or fold_interval(expr)
        case Cast():
            if isinstance(expr.arg, Literal):
                return fold_cast(expr.arg, expr.type)
            return expr.arg if expr.arg.dtype == expr.type else None
        case Case():
            return _case(expr)
        case Call() if find(expr.function).associative:
            return _flat(expr)
        case Call(args=(Call(), *_)) if asks_for_less(expr):
            return seen_through(expr)
        case ScalarSubquery():
            return ScalarSubquery(simplify(expr.plan))
        case Exists():
            return Exists(simplify(expr.plan))
        case InSubquery():
            return InSubquery(expr.operands, simplify(expr.plan))
        case ColumnRef() | Literal() | Call() | Predict():
            return None
        case _:
            assert_never(expr)


def _and(expr: Call) -> Expr:
    parts = tuple(dict.fromkeys(conjuncts(expr)))
    if any(isinstance(part, Literal) and part.value is False for part in parts):
        return boolean(False)
    return expr if parts == expr.args else conjunction(parts)


def _flat(expr: Call) -> Expr | None:
    """A call of an associative function with the arguments of those among its own arguments that are calls of it."""
    args: list[Expr] = []
    for arg in expr.args:
        if isinstance(arg, Call) and arg.function == expr.function and arg.dtype == expr.dtype:
            args.extend(arg.args)
        else:
            args.append(arg)
    # Of what many share each would have a copy.
    return Call(expr.function, tuple(args), expr.dtype) if len(expr.args) < len(args) <= _MOST_FLAT else None


def _not(arg: Expr) -> Expr | None:
    match arg:
        case Literal(value=bool(value)):
            return boolean(not value)
        case Literal() if arg.is_null:
            return boolean(None)
        case Call(function=words.NOT):
            return arg.args[0]
        case Call() if (opposite := find(arg.function).negated) is not None:
            return Call(opposite, arg.args, BOOLEAN)
        case Call(function=words.OR):
            negated = (Call(words.NOT, (part,), BOOLEAN) for part in arg.args)
            return conjunction(tuple(_not(part.args[0]) or part for part in negated))
        case (
            ColumnRef() | Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists() | InSubquery()
        ):
            return None
        case _:
            assert_never(arg)


@deep
def _comparison(expr: Call) -> Expr | None:
    left, right = expr.args
    if isinstance(left, Literal) and isinstance(right, Literal):
        return fold_compare(expr.function, left, right)
    if isinstance(left, Literal):
        # Literals stand on the right, so that later rules know one form only.
        flipped = Call(mirrored(expr.function), (right, left), BOOLEAN)
        return _comparison(flipped) or flipped
    if isinstance(right, Literal):
        if right.is_null:
            return boolean(None)
        if isinstance(left, Cast):
            narrowed = narrow(expr.function, left, right)
            # A cast below the one just removed may go as well.
            return None if narrowed is None else _simplify(narrowed) or narrowed
    return None


def _case(expr: Case) -> Expr | None:
    arms = []
    default = expr.default
    for condition, value in zip(expr.conditions, expr.values, strict=True):
        if isinstance(condition, Literal):
            if condition.value is True:
                default = value
                break
            continue
        arms.append((condition, value))
    if not arms:
        return default
    if len(arms) == len(expr.conditions):
        return None
    return Case(tuple(c for c, _ in arms), tuple(v for _, v in arms), default)


def disjunction(branches: tuple[Expr, ...]) -> Expr:
    """OR of the branches, flattened, with what all have in common factored out."""
    flat: dict[Expr, None] = {}
    for branch in branches:
        inner = branch.args if isinstance(branch, Call) and branch.function == words.OR else (branch,)
        for part in inner:
            if isinstance(part, Literal) and part.value is True:
                return part
            if not (isinstance(part, Literal) and part.value is False):
                flat[part] = None
    if not flat:
        return boolean(False)
    if len(flat) == 1:
        return next(iter(flat))
    return _factor(tuple(flat))


def _factor(branches: tuple[Expr, ...]) -> Expr:
    parts = [dict.fromkeys(conjuncts(branch)) for branch in branches]
    common = tuple(part for part in parts[0] if all(part in other for other in parts[1:]))
    if not common:
        return _one_of(branches)
    rest = [tuple(part for part in own if part not in common) for own in parts]
    # A branch that is just the common part is true whenever the common part is: a OR (a AND b) = a.
    if any(not own for own in rest):
        return conjunction(common)
    return conjunction((*common, *conjuncts(_one_of(tuple(map(conjunction, rest))))))


def _one_of(branches: tuple[Expr, ...]) -> Expr:
    """OR, its equalities of one expression with literals gathered into an IN."""
    options: dict[Expr, dict[Expr, None]] = {}
    kept: list[tuple[Expr, bool]] = []
    for branch in branches:
        match branch:
            case Call(function=words.EQ, args=(tested, Literal() as option)) if not isinstance(tested, Literal):
                found: tuple[Expr, ...] = (option,)
            case Call(function=words.IN, args=(tested, *listed)) if all(isinstance(o, Literal) for o in listed):
                found = tuple(listed)
            case _:
                kept.append((branch, False))
                continue
        if tested not in options:
            options[tested] = {}
            kept.append((tested, True))
        options[tested].update(dict.fromkeys(found))
    made = tuple(_membership(part, tuple(options[part])) if gathered else part for part, gathered in kept)
    return made[0] if len(made) == 1 else Call(words.OR, made, BOOLEAN)


def _membership(tested: Expr, options: tuple[Expr, ...]) -> Expr:
    if len(options) == 1:
        return Call(words.EQ, (tested, options[0]), BOOLEAN)
    return Call(words.IN, (tested, *options), BOOLEAN)
