"""Texts in other dialects than DuckDB's: what of them means the same, is read as meant, or is refused.

A word may mean something else where a text was written: 7 / 2, round(2.5), LIKE with a backslash, the text of a float. So a
dialect lists what is known to mean the same as here, and nothing else is taken. `PostgreSQL` was compared with a server;
of all others only the common core is taken, which standard SQL settles. What depends on types is looked at once they are known.

- `as_meant(context, tree, read)`, after parsing: gaps for what is not on the list, and what is written differently rewritten.
- `in_duckdb(text, read)`: the text in DuckDB's dialect, for an oracle.
- `check_types(context, plan, read)`, after binding: gaps for calls and casts whose answers differ for some types.

How texts compare (their collation) is a setting of a database and no part of a dialect: tqp compares bytes, as DuckDB does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
from tqp.ir.plan import Plan
from tqp.ir.visit import definitions, expressions, walk, walk_query
from tqp.sql.context import Context
from tqp.sql.parse import parse
from tqp.types import DType, Kind

__all__ = ["as_meant", "check_types", "in_duckdb"]

_CORE: frozenset[type[exp.Expr]] = frozenset({
    exp.Add, exp.All, exp.And, exp.Any, exp.Between, exp.Boolean, exp.Case, exp.Cast, exp.Coalesce, exp.Column, exp.Count,
    exp.DenseRank, exp.EQ, exp.Exists, exp.GT, exp.GTE, exp.If, exp.In, exp.Is, exp.LT, exp.LTE, exp.Literal, exp.Max, exp.Min,
    exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Null, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Nullif, exp.Or, exp.Parameter, exp.Paren,
    exp.Placeholder, exp.Rank, exp.RowNumber, exp.Sub, exp.Sum, exp.Window,
})  # fmt: skip
_POSTGRES: frozenset[type[exp.Expr]] = _CORE | {
    exp.Abs, exp.Ascii, exp.Avg, exp.BitwiseAnd, exp.BitwiseLeftShift, exp.BitwiseNot, exp.BitwiseOr, exp.BitwiseRightShift,
    exp.BitwiseXor, exp.Cbrt, exp.Ceil, exp.Chr, exp.Concat, exp.ConcatWs, exp.Cos, exp.CumeDist, exp.DPipe, exp.Degrees, exp.Div,
    exp.Escape, exp.Exp, exp.Extract, exp.Filter, exp.FirstValue, exp.Floor, exp.Greatest, exp.Grouping, exp.ILike, exp.Interval,
    exp.Lag, exp.LastValue, exp.Lead, exp.Least, exp.Left, exp.Length, exp.Like, exp.Ln, exp.Log, exp.LogicalAnd, exp.LogicalOr,
    exp.Lower, exp.MD5, exp.Mod, exp.NthValue, exp.Ntile, exp.Pad, exp.PercentRank, exp.Pi, exp.Pow, exp.Radians, exp.Repeat,
    exp.Replace, exp.Right, exp.Round, exp.Sign, exp.Sin, exp.Sqrt, exp.StartsWith, exp.Stddev, exp.StddevPop, exp.StddevSamp,
    exp.StrPosition, exp.Substring, exp.TimestampTrunc, exp.Trim, exp.Trunc, exp.Upper, exp.Variance, exp.VariancePop,
}  # fmt: skip
_PREDICTIONS = frozenset({"predict", "predict_proba"})
_POSTGRES_NAMES = _PREDICTIONS | {"date_part", "date_trunc", "gcd", "lcm", "isfinite"}

_INTO_TEXT = frozenset({"concat", "concat_ws", "dpipe"})


def as_meant(context: Context, tree: exp.Expr, read: str) -> None:
    """Add a gap for each expression not known to mean the same in the dialect `read`; rewrite what is spelt differently.

    Clauses are not looked at: the binder reads them or refuses them.
    """
    means_the_same = _in_postgres if read == "postgres" else _in_core
    refused: dict[int, exp.Expr] = {}
    for node in tree.walk(prune=lambda node: id(node) in refused):
        if isinstance(node, exp.Condition) and not means_the_same(node):
            refused[id(node)] = node
    for node in refused.values():
        what = f"{node.name.lower()}()" if isinstance(node, exp.Anonymous) else node.key.upper()
        hint = "write it in DuckDB's SQL, without read="
        context.gap(node, f"{what} of {read} is not supported: it may mean something else than in DuckDB", hint=hint)
        # Named once: the binder finds a NULL there.
        node.replace(exp.Null())
    if read == "postgres":
        for like in [*tree.find_all(exp.Like, exp.ILike)]:
            if not isinstance(like.parent, exp.Escape):
                # A backslash takes the meaning from the sign after it.
                like.replace(exp.Escape(this=like.copy(), expression=exp.Literal.string("\\")))


def in_duckdb(text: str, read: str) -> str:
    """A text of the dialect `read` that tqp runs, in DuckDB's."""
    tree = parse(text, read)
    as_meant(Context(text, lambda name: None), tree, read)
    for node in [*tree.find_all(exp.Div)]:
        divisor = node.expression
        if node.args.get("safe"):
            divisor = exp.Nullif(this=divisor, expression=exp.Literal.number(0))
        kind = exp.IntDiv if node.args.get("typed") else exp.Div
        node.replace(kind(this=exp.Paren(this=node.this), expression=exp.Paren(this=divisor)))
    return tree.sql("duckdb")


def _in_core(node: exp.Expr) -> bool:
    return type(node) in _CORE or isinstance(node, exp.Anonymous) and node.name.lower() in _PREDICTIONS


def _in_postgres(node: exp.Expr) -> bool:
    match node:
        case exp.Anonymous():
            return node.name.lower() in _POSTGRES_NAMES
        case exp.Concat() | exp.ConcatWs():
            return not any(isinstance(part, exp.Boolean) for part in node.expressions)  # true is t there
        case exp.Ntile():
            return isinstance(node.this, exp.Literal)  # the first row's is everybody's there
        case exp.Escape() if isinstance(node.this, exp.ILike):
            return False  # there the sign itself is compared without case
        case _:
            return type(node) in _POSTGRES


def check_types(context: Context, plan: Plan, read: str) -> None:
    """Add a gap for what gives other answers in the dialect `read` for the types that it meets."""
    nodes = (node for tree in (plan, *definitions(plan)) for node in walk_query(tree))
    differs = _differs_in_postgres if read == "postgres" else _differs_in_core
    found = dict.fromkeys(what for node in nodes for expr in expressions(node) for what in differs(expr))
    for what in found:
        context.gaps.append(UnsupportedError(f"{what} of {read} gives another answer than DuckDB's", text=context.text))


def _differs_in_postgres(expr: Expr) -> Iterator[str]:
    for part in walk(expr):
        match part:
            case Call(function="round", args=(value, *_)) if value.dtype.is_float:
                yield f"round of {value.dtype}"
            case Call(
                function="extract",
                args=(Literal(value=("second" | "seconds" | "millisecond" | "milliseconds") as unit), _),
            ):
                yield f"extract({unit} FROM …)"
            case Call(function="date_trunc", args=(Literal(value=("century" | "millennium") as unit), _)):
                yield f"date_trunc('{unit}', …)"
            case Call(function="intdiv", args=args) if any(arg.dtype.kind is Kind.HUGEINT for arg in args):
                yield "a sum divided by `/` (cast the sum to bigint or double precision; `/`)"
            case Call(function=name, args=args) if name in _INTO_TEXT:
                yield from (f"the text of {arg.dtype}" for arg in args if _is_spelt_otherwise(arg.dtype))
            case Cast() if part.type.is_text and _is_spelt_otherwise(part.arg.dtype):
                yield f"the text of {part.arg.dtype}"
            case (
                ColumnRef() | Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists()
                | InSubquery()
            ):  # fmt: skip
                pass
            case _:
                assert_never(part)


def _is_spelt_otherwise(dtype: DType) -> bool:
    # A boolean is true where it is cast and t where it is put together with text; here both are casts.
    return dtype.is_float or dtype.kind in (Kind.INTERVAL, Kind.BOOLEAN)


def _differs_in_core(expr: Expr) -> Iterator[str]:
    for part in walk(expr):
        match part:
            case Cast() if not (part.arg.dtype.is_exact and (part.type.is_exact or part.type.is_float)):
                yield f"the cast from {part.arg.dtype} to {part.type}"
            case Cast() if part.type.is_exact and part.type.scale < part.arg.dtype.scale:
                yield f"the cast from {part.arg.dtype} to {part.type}"
            case Call(function="add" | "sub" | "mul", args=args) if any(arg.dtype.is_temporal for arg in args):
                yield "arithmetic with dates and times"
            case (
                ColumnRef() | Literal() | Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists()
                | InSubquery()
            ):  # fmt: skip
                pass
            case _:
                assert_never(part)
