"""Where expressions begin: columns, values, calls, CASE. The names are those of DuckDB's Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from tqp.errors import BindError
from tqp.expressions.constants import constant
from tqp.expressions.expression import Expression, text_of
from tqp.keywords import identifier

__all__ = [
    "CaseExpression", "CoalesceOperator", "ColumnExpression", "ConstantExpression", "FunctionExpression", "LambdaExpression",
    "SQLExpression", "StarExpression", "coalesce", "col", "count_all", "dense_rank", "first_value", "fn", "lag", "last_value",
    "lead", "lit", "ntile", "rank", "row_number", "sql_expr", "star", "when",
]  # fmt: skip

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NAMING: Final = frozenset({"struct_pack", "struct_insert"})
"""The functions that read the alias of an argument as its name."""


def ColumnExpression(*names: str) -> Expression:
    """A column by its name, or by the parts of a name: `ColumnExpression("t", "a")` is `t.a`. A name is never split.

    >>> orders.select(tqp.col("amount") + 1).limit(1).fetchall()
    [(11,)]
    """
    if not names or not all(isinstance(name, str) and name for name in names):
        raise BindError(f"a column is called by its name, not by {names!r}", hint='ColumnExpression("t", "a")')
    return StarExpression() if names == ("*",) else Expression(".".join(identifier(name) for name in names))


def ConstantExpression(value: object) -> Expression:
    """A value of Python: what a parameter may be, an array or tensor as a list.

    >>> orders.select(tqp.lit("it's").alias("text"), "id").limit(1).fetchall()
    [("it's", 1)]
    """
    return Expression(constant(value))


def FunctionExpression(function_name: str, /, *args: object, **named: object) -> Expression:
    """A call of a function by its name; a text among the arguments is a value, no column. `named` arguments are `name := value`.

    >>> orders.select(tqp.fn("concat", tqp.col("customer"), "!")).limit(1).fetchall()
    [('ann!',)]
    """
    if not isinstance(function_name, str) or not function_name:
        raise BindError(f"a function is called by its name, not by {function_name!r}")
    name = function_name if _PLAIN.match(function_name) else identifier(function_name)
    given = [_argument(name, value) for value in args]
    given += [f"{identifier(key)} := {text_of(value)}" for key, value in named.items()]
    return Expression(f"{name}({', '.join(given)})", _kind="call")


def CaseExpression(condition: object, value: object) -> Expression:
    """`CASE WHEN condition THEN value END`, with more branches by `.when(…)` and the rest by `.otherwise(…)`.

    >>> amount = tqp.col("amount")
    >>> orders.select(tqp.CaseExpression(amount > 9, "large").when(amount > 5, "medium").otherwise("small")).fetchall()
    [('large',), ('medium',), ('small',)]
    """
    return Expression(f"CASE WHEN {text_of(condition)} THEN {text_of(value)} END", _kind="case")


def CoalesceOperator(*args: object) -> Expression:
    """The first of the arguments that is not NULL.

    >>> con.values(None, 7).select(tqp.coalesce(tqp.col("col0"), tqp.col("col1"))).fetchall()
    [(7,)]
    """
    if not args:
        raise BindError("CoalesceOperator needs an argument")
    return Expression(f"COALESCE({', '.join(map(text_of, args))})")


def StarExpression(
    exclude: Iterable[str | Expression] | None = None, rename: Mapping[str, str] | None = None
) -> Expression:
    """All columns but those to `exclude`, those in `rename` by other names: old name to new one.

    >>> orders.select(tqp.star(exclude=["id"])).columns
    ['customer', 'amount']
    """
    items = [exclude] if isinstance(exclude, str) else list(exclude or ())
    names = ", ".join(identifier(item) if isinstance(item, str) else item.text for item in items)
    pairs = ", ".join(f"{identifier(old)} AS {identifier(new)}" for old, new in (rename or {}).items())
    return Expression(f"*{f' EXCLUDE ({names})' if names else ''}{f' RENAME ({pairs})' if pairs else ''}")


def SQLExpression(expression: str) -> Expression:
    """One expression as text of SQL, an alias behind AS with it; looked at where it is used.

    >>> orders.select(tqp.sql_expr("amount % 3"), tqp.col("id")).limit(1).fetchall()
    [(1, 1)]
    """
    if not isinstance(expression, str) or not expression.strip():
        raise BindError(f"SQLExpression takes a text of SQL, not {expression!r}", hint='SQLExpression("a + 1")')
    written = expression.strip()
    return Expression(f"({written}\n)" if "--" in written else f"({written})", _written=written)


def LambdaExpression(lhs: str | Expression | tuple[str | Expression, ...], rhs: object) -> Expression:
    """`lambda x: …` for functions such as `list_transform`; `lhs` names its parameters, which `rhs` has as columns.

    >>> twice = tqp.LambdaExpression("x", tqp.col("x") * 2)
    >>> con.sql("SELECT [1, 2] AS l").select(tqp.fn("list_transform", tqp.col("l"), twice)).fetchall()
    [([2, 4],)]
    """
    names = [
        identifier(one) if isinstance(one, str) else one.text for one in (lhs if isinstance(lhs, tuple) else (lhs,))
    ]
    return Expression(f"lambda {', '.join(names)}: {text_of(rhs)}")


def count_all() -> Expression:
    """How many rows there are: `count(*)`.

    >>> orders.aggregate([tqp.col("customer"), tqp.count_all().alias("n")]).order("n").fetchall()
    [('bob', 1), ('ann', 2)]
    """
    return Expression("count(*)", _kind="call")


class Branch:
    """A CASE whose last branch has no value yet: `then` gives it one."""

    def __init__(self, text: str) -> None:
        self._text = text

    def then(self, value: object) -> Case:
        """The value where the condition is true."""
        return Case(f"{self._text} THEN {text_of(value)}")


class Case:
    """A CASE with a value for each condition; `otherwise` or `end` makes an expression of it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def when(self, condition: object) -> Branch:
        """One more condition, for rows that none before holds for."""
        return Branch(f"{self._text} WHEN {text_of(condition)}")

    def otherwise(self, value: object) -> Expression:
        """The expression, with the value of all other rows."""
        return Expression(f"{self._text} ELSE {text_of(value)} END")

    def end(self) -> Expression:
        """The expression, NULL for all other rows."""
        return Expression(f"{self._text} END")


def when(condition: object) -> Branch:
    """A CASE, branch by branch.

    >>> from tqp import col, when
    >>> orders.select(when(col("amount") > 9).then("large").otherwise("small")).limit(2).fetchall()
    [('large',), ('small',)]
    """
    return Branch(f"CASE WHEN {text_of(condition)}")


def _window(name: str) -> Callable[..., Expression]:
    def function(*args: object) -> Expression:
        return FunctionExpression(name, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The window function `{name}`, over the window that `.over(…)` says."
    return function


def _window_of(name: str) -> Callable[..., Expression]:
    def function(subject: Expression, /, *args: object) -> Expression:
        return FunctionExpression(name, subject, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The window function `{name}` of an expression, over the window that `.over(…)` says."
    return function


row_number, rank, dense_rank, ntile = map(_window, ("row_number", "rank", "dense_rank", "ntile"))
lag, lead, first_value, last_value = map(_window_of, ("lag", "lead", "first_value", "last_value"))
col, lit, star, fn = ColumnExpression, ConstantExpression, StarExpression, FunctionExpression
coalesce, sql_expr = CoalesceOperator, SQLExpression


def _argument(function: str, value: object) -> str:
    if isinstance(value, Expression) and value._alias is not None and function.lower() in _NAMING:
        return f"{identifier(value._alias)} := {value.text}"
    return text_of(value)
