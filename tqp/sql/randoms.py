"""random(), uuid(), nextval() and others: for each row another value, by the row's number and a seed that each call has of its own.

A call is bound to one that says its seed alone. Once the query is bound, rows are numbered below each step that has such calls:
so a value stays that of its row wherever rules move what reads it, and each query, also one that is planned already, draws anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.registry import expect
from tqp.ir.dependent import Generate
from tqp.ir.expr import Call, Expr, Literal
from tqp.ir.inputs import derived
from tqp.ir.own import OwnName
from tqp.ir.plan import Aggregate, Filter, Join, Plan, Project, Recursion, Shared, Sort, TopN, Values, Window, Working
from tqp.ir.visit import (
    definitions,
    expressions,
    free_symbols,
    rewrite,
    rewrite_query,
    walk,
    walk_query,
    with_expressions,
)
from tqp.own.randoms import Randoms
from tqp.own.sequences import NEXT_ROW, of_numbered_row
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.limits import counted, numbered
from tqp.sql.operators import call, cast
from tqp.types import BIGINT, DOUBLE, NULL, VARCHAR

__all__ = ["draws", "seed_of", "with_numbered_rows"]

_DRAWN: Final = {"row random": "sample draw", "row seeded": "seeded draw", "row uuid": "sample uuid"}
"""What a call is bound to, and what it is once rows have numbers, which come before its other arguments."""
_ONE: Final = Literal(1, BIGINT)


@handles(exp.Rand)
def _random(binder: ExprBinder, node: exp.Rand) -> Expr:
    if any(node.args.get(name) is not None for name in ("this", "lower", "upper")):
        raise BindError("random takes no arguments")
    is_seeded = binder.context.session.randoms.is_seeded
    return call("row seeded" if is_seeded else "row random", _random_seed(binder, node))


@named("setseed")
def _set_seed(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 1, "setseed")
    seed = binder.bind(node.expressions[0])
    if not (seed.dtype.is_numeric or seed.dtype == NULL or (isinstance(seed, Literal) and seed.dtype == VARCHAR)):
        raise BindError(f"setseed takes a number, not {seed.dtype}")
    return Call(binder.context.session.randoms.setseed(), (cast(seed, DOUBLE), seed_of(binder, node)), NULL)


@handles(exp.Uuid)
def _uuid(binder: ExprBinder, node: exp.Uuid) -> Expr:
    if node.args.get("this") is not None:
        raise BindError("uuid takes no arguments")
    return call("row uuid", _random_seed(binder, node), Literal(-1, BIGINT))


@named("uuidv4")
def _uuid_4(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 0, "uuidv4")
    return call("row uuid", _random_seed(binder, node), Literal(-1, BIGINT))


@named("uuidv7")
def _uuid_7(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 0, "uuidv7")
    return call("row uuid", _random_seed(binder, node), derived(_millis, binder.context.session.moment))


def seed_of(binder: ExprBinder, node: exp.Expr) -> Literal:
    """What tells a call of a query from all others, in any query."""
    context = binder.context
    context.is_dated = True
    # An alias that is bound in several places is one value.
    place, _ = context.draws.setdefault(id(node), (len(context.draws), node))
    return derived(_seed, context.session.moment, rest=(place,))


def _random_seed(binder: ExprBinder, node: exp.Expr) -> Literal:
    """The same for random() and uuid(), after a setseed by the generator that this began."""
    context, randoms = binder.context, binder.context.session.randoms
    if not randoms.is_seeded:
        return seed_of(binder, node)
    seed_of(binder, node)
    place = context.seeds.setdefault(id(node), len(context.seeds))
    return derived(_drawn_seed, context.session.moment, rest=(randoms, place))


def _drawn_seed(moment: Literal, randoms: Randoms, place: int) -> Literal:
    assert isinstance(moment.value, int)
    return Literal(randoms.seed(moment.value, place), BIGINT)


def _millis(moment: Literal) -> Literal:
    assert isinstance(moment.value, int)
    return Literal(moment.value // 1000, BIGINT)


def _seed(moment: Literal, place: int) -> Literal:
    assert isinstance(moment.value, int)
    return Literal((moment.value * 1_000_003 + place * 2_654_435_761) % 2**62, BIGINT)


def with_numbered_rows(context: Context, plan: Plan) -> Plan:
    """The plan with numbers for the rows that calls draw by; UnsupportedError where a call has no row of its own."""
    if not context.draws:
        return plan
    _require_rows_that_come_once(plan)
    known: dict[int, Plan] = {}

    def changed(node: Plan) -> Plan | None:
        if isinstance(node, Shared):
            return replace(node, definition=known[id(node.definition)])
        if not _has_draws(node):
            return None
        if isinstance(node, Values):
            # Each call stands in one row.
            rows = tuple(
                tuple(_drawn(expr, Literal(place, BIGINT), None) for expr in row)
                for place, row in enumerate(node.rows, 1)
            )
            return Values(node.fields, rows)
        if isinstance(node, Join) and not any(map(_asks_how_many, expressions(node))):
            return _by_pairs(context, node)
        if not isinstance(node, Filter | Project | Aggregate | Sort | TopN | Window | Generate):
            raise UnsupportedError(
                "random(), uuid() and nextval() are not supported here",
                hint="select it in a subquery, and use its column",
            )
        number, numbers = numbered(context)
        below = Window(node.input, (), (), (number,), (numbers,))
        total = None
        if any(map(_asks_how_many, expressions(node))):
            total = context.field("rows", BIGINT)
            below = Window(below, (), (), (total,), (counted(),))
        found = with_expressions(
            node, tuple(_drawn(expr, number.ref, None if total is None else total.ref) for expr in expressions(node))
        )
        found = found.with_children((below,))
        if found.schema == node.schema:
            return found
        return Project(found, node.schema, tuple(column.ref for column in node.schema))

    for definition in definitions(plan):
        known[id(definition)] = rewrite_query(definition, changed)
    return rewrite_query(plan, changed)


def _require_rows_that_come_once(plan: Plan) -> None:
    """UnsupportedError for calls in what runs again and again with rows of the same numbers."""
    for tree in (*definitions(plan), plan):
        for node in walk_query(tree):
            if isinstance(node, Recursion) and any(map(_has_draws, _repeated(node))):
                raise UnsupportedError(
                    "random(), uuid() and nextval() are not supported in the step of a recursive query",
                    hint="select them of its result",
                )
            if _has_draws(node) and free_symbols(node):
                raise UnsupportedError(
                    "random(), uuid() and nextval() are not supported in a subquery beside columns of the query around it",
                    hint="select them in the query around it",
                )


def _repeated(recursion: Recursion) -> Iterator[Plan]:
    """What is computed in each round."""
    for tree in (recursion.step, *definitions(recursion.step)):
        nodes = list(walk_query(tree))
        if tree is recursion.step or any(isinstance(node, Working) for node in nodes):
            yield from nodes


def _has_draws(node: Plan) -> bool:
    return any(map(_draws, expressions(node)))


def _by_pairs(context: Context, join: Join) -> Plan:
    """A join whose condition draws by the numbers of both its rows."""
    sides, numbers = [], []
    for side in (join.left, join.right):
        number, count = numbered(context)
        sides.append(Window(side, (), (), (number,), (count,)))
        numbers.append(number.ref)
    pair = call("pair number", *numbers)
    found = with_expressions(join, tuple(_drawn(expr, pair, None) for expr in expressions(join))).with_children(
        tuple(sides)
    )
    return Project(found, join.schema, tuple(column.ref for column in join.schema))


def draws(expr: Expr) -> bool:
    """Whether it is a call that gives another value for each row."""
    return isinstance(expr, Call) and (expr.function in _DRAWN or _is_next(expr))


def _draws(expr: Expr) -> bool:
    return any(map(draws, walk(expr)))


def _asks_how_many(expr: Expr) -> bool:
    return any(isinstance(part, Call) and _is_next(part) for part in walk(expr))


def _is_next(call: Call) -> bool:
    return isinstance(call.function, OwnName) and str(call.function) == NEXT_ROW


def _drawn(expr: Expr, number: Expr, total: Expr | None) -> Expr:
    """`number` is that of the row, of so many; of one row without `total`."""

    def numbered_call(part: Expr) -> Expr | None:
        if not isinstance(part, Call):
            return None
        if _is_next(part):
            row = (_ONE, _ONE) if total is None else (number, total)
            return Call(of_numbered_row(part.function), (*row, *part.args), part.type)
        drawn = _DRAWN.get(part.function)
        return None if drawn is None else call(drawn, number, *part.children)

    return rewrite(expr, numbered_call)
