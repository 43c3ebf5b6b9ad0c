"""What predicates imply: keys of joins, rejected NULLs, conditions for one side only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, assert_never

from tqp.functions.registry import find
from tqp.functions.unions import with_value
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import (
    Call,
    Case,
    Cast,
    ColumnRef,
    Elements,
    Exists,
    Expr,
    InSubquery,
    Literal,
    Predict,
    ScalarSubquery,
)
from tqp.ir.plan import Filter, Plan
from tqp.ir.visit import fold, rename, symbols
from tqp.optimizer.facts import never_null
from tqp.optimizer.rules.simplify import disjunction
from tqp.stack import deep
from tqp.types import BOOLEAN, DType, Kind

__all__ = ["filtered", "implied", "is_null", "rejects_nulls", "split_keys", "transferred"]

Keys = tuple[tuple[Expr, Expr], ...]


def filtered(plan: Plan, parts: Iterable[Expr]) -> Plan:
    """The plan under the conjunction of `parts`, each once, less those that a Filter on top of it has already."""
    wanted = dict.fromkeys(parts)
    if isinstance(plan, Filter):
        wanted = dict.fromkeys((*conjuncts(plan.predicate), *wanted))
        plan = plan.input
    return Filter(plan, conjunction(tuple(wanted))) if wanted else plan


def rejects_nulls(predicate: Expr, padded: frozenset[str]) -> bool:
    """Whether the predicate is not true for a row in which all columns `padded` are NULL."""
    return fold(predicate, lambda node, below: _known(node, below, padded)).untrue


def is_null(expr: Expr, padded: frozenset[str]) -> bool:
    """Whether the expression is NULL in every row in which all columns `padded` are."""
    return fold(expr, lambda node, below: _known(node, below, padded)).null


class _Known(NamedTuple):
    """What is certain of a value where the padded columns are NULL: that it is NULL, that it is not true, that it is true."""

    null: bool = False
    untrue: bool = False
    true: bool = False


def _known(node: Expr, below: tuple[_Known, ...], padded: frozenset[str]) -> _Known:
    match node:
        case ColumnRef():
            null = node.symbol in padded
        case Literal():
            null = node.is_null
        case Cast():
            null = below[0].null
        case Call(function=words.AND):
            return _Known(all(part.null for part in below), any(part.untrue for part in below))
        case Call(function=words.OR):
            return _Known(all(part.null for part in below), all(part.untrue for part in below))
        case Call(function=words.IS_NULL):
            return _Known(true=below[0].null)
        case Call(function=words.NOT):
            return _Known(below[0].null, below[0].null or below[0].true)
        case Call():
            null = find(node.function).is_null([part.null for part in below])
        case Case() | Predict() | ScalarSubquery() | Exists() | InSubquery():
            null = False
        case _:
            assert_never(node)
    return _Known(null, null)


@deep
def implied(predicate: Expr, side: frozenset[str]) -> Expr | None:
    """What an OR over several inputs says of the columns `side` alone: (a AND x) OR (b AND y) implies a OR b."""
    if not (isinstance(predicate, Call) and predicate.function == words.OR):
        return None
    branches = []
    for branch in predicate.args:
        own = []
        for part in conjuncts(branch):
            read = symbols(part)
            if read and read <= side:
                own.append(part)
            elif (nested := implied(part, side)) is not None:
                own.append(nested)
        if not own:
            return None
        branches.append(conjunction(tuple(own)))
    return disjunction(tuple(branches))


def transferred(parts: Iterable[Expr], same: dict[str, list[ColumnRef]]) -> list[Expr]:
    """Copies of the conditions over a single column for the columns that are equal to it."""
    made: list[Expr] = []
    for part in parts:
        read = symbols(part)
        if len(read) != 1:
            continue
        (symbol,) = read
        for other in same.get(symbol, ()):
            if other.symbol != symbol:
                made.append(rename(part, {symbol: other}))
    return made


def split_keys(
    parts: Iterable[Expr], left: Plan, right: Plan, sides: tuple[frozenset[str], frozenset[str]] | None = None
) -> tuple[Keys, list[Expr]]:
    """The equalities of a left with a right expression as join keys, and the other parts."""
    if sides is None:
        sides = frozenset(f.symbol for f in left.schema), frozenset(f.symbol for f in right.schema)
    keys: dict[tuple[Expr, Expr], None] = {}
    rest: list[Expr] = []
    for part in parts:
        pair = _sides(part, *sides)
        if pair is None:
            rest.append(part)
        elif _is_plain(part) and pair[0].dtype.is_union:
            keys[with_value(pair[0]), with_value(pair[1])] = None
        elif _is_plain(part) or never_null(left, pair[0]) or never_null(right, pair[1]):
            keys[pair] = None
        elif pair[0].dtype.has_children and pair[0].dtype.kind is not Kind.LIST:
            # No constant of theirs stands for NULL.
            rest.append(part)
        else:
            keys.update(dict.fromkeys(_null_safe(*pair)))
    return tuple(keys), rest


def _sides(part: Expr, left: frozenset[str], right: frozenset[str]) -> tuple[Expr, Expr] | None:
    if not (isinstance(part, Call) and part.function in (words.EQ, words.NULL_SAFE_EQ)):
        return None
    a, b = part.args
    read_a, read_b = symbols(a), symbols(b)
    # Arrays are no keys: their equality is left to be tested.
    if not read_a or not read_b or a.dtype != b.dtype or a.dtype.is_array:
        return None
    if read_a <= left and read_b <= right:
        return a, b
    if read_a <= right and read_b <= left:
        return b, a
    return None


def _is_plain(part: Expr) -> bool:
    return isinstance(part, Call) and part.function == words.EQ


def _null_safe(left: Expr, right: Expr) -> Keys:
    """IS NOT DISTINCT FROM as two keys that are never NULL."""
    some = _some_value(left.dtype)
    flags = Call(words.IS_NULL, (left,), BOOLEAN), Call(words.IS_NULL, (right,), BOOLEAN)
    values = Call(words.COALESCE, (left, some), left.dtype), Call(words.COALESCE, (right, some), right.dtype)
    return flags, values


def _some_value(dtype: DType) -> Literal:
    """Of a type that is no key of joins, STRUCT, MAP or ARRAY, nobody asks for one."""
    if dtype.is_coded:
        return Literal("" if dtype.is_text else b"", dtype)
    if dtype.kind is Kind.LIST:
        return Literal(Elements(()), dtype)
    if dtype.is_float:
        return Literal(0.0, dtype)
    if dtype.kind is Kind.BOOLEAN:
        return Literal(False, dtype)
    if dtype.kind is Kind.INTERVAL:
        return Literal((0, 0, 0), dtype)
    return Literal(None if dtype.kind is Kind.NULL else 0, dtype)
