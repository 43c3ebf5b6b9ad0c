"""Parts of a query that are put together in Python: columns, values, calls and what operators make of them.

An `Expression` stands wherever a step over a relation takes text of SQL. It is that text, with every value written into it; names
are quoted, so that none is read as anything else. The names are those of DuckDB's Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from tqp.constants import constant
from tqp.errors import BindError
from tqp.keywords import identifier

if TYPE_CHECKING:
    from tqp.families import DtExpression, JsonExpression, ListExpression, StrExpression

__all__ = [
    "CaseExpression", "CoalesceOperator", "ColumnExpression", "ConstantExpression", "Expression", "FunctionExpression",
    "LambdaExpression", "SQLExpression", "StarExpression", "coalesce", "col", "count_all", "fn", "lit", "sql_expr", "star",
]  # fmt: skip

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NAMING: Final = frozenset({"struct_pack", "struct_insert"})
"""The functions that read the alias of an argument as its name."""


def _binary(operator: str, *, turned: bool = False) -> Callable[[Expression, object], Expression]:
    def method(self: Expression, other: object) -> Expression:
        left, right = (_text(other), self.text) if turned else (self.text, _text(other))
        return Expression(f"pow({left}, {right})" if operator == "**" else f"({left} {operator} {right})")

    return method


def _aggregate(name: str) -> Callable[..., Expression]:
    def method(self: Expression, *args: object) -> Expression:
        return FunctionExpression(name, self, *args)

    method.__doc__ = f"The aggregate `{name}` of it, over a window with `.over(…)`."
    return method


class _Families:
    """The names that would hide types in the class of expressions."""

    __slots__ = ()

    def str(self) -> StrExpression:
        """It with functions of texts as methods.

        >>> from tqp import col
        >>> orders.select(col("customer").str().upper().str().left(2)).limit(1).fetchall()
        [('AN',)]
        """
        from tqp.families import StrExpression

        return StrExpression(*_parts(self))

    def dt(self) -> DtExpression:
        """It with functions of dates, times and timestamps as methods: `col("day").dt().month()`."""
        from tqp.families import DtExpression

        return DtExpression(*_parts(self))

    def list(self) -> ListExpression:
        """It with functions of lists as methods: `col("tags").list().transform(lambda tag: tag.str().lower())`."""
        from tqp.families import ListExpression

        return ListExpression(*_parts(self))

    def json(self) -> JsonExpression:
        """It with functions of JSON, and those of texts, as methods: `col("event").json().extract_string("$.id")`."""
        from tqp.families import JsonExpression

        return JsonExpression(*_parts(self))


def _parts(expression: object) -> tuple[Any, ...]:
    assert isinstance(expression, Expression)
    return expression.text, expression._alias, expression._order, expression._kind, expression._written


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expression(_Families):
    """A part of a query: `text` is what it is in SQL; an alias and an order are kept apart from it.

    >>> from tqp import ColumnExpression as col
    >>> orders.filter((col("amount") > 5) & (col("customer") == "ann")).select(col("amount") * 2).fetchall()
    [(20,)]
    """

    text: str
    _alias: str | None = None
    _order: tuple[str, str] = ("", "")
    _kind: Literal["", "call", "case"] = ""
    _written: str | None = None

    __array_ufunc__ = None  # NumPy's scalars leave operators to it

    def alias(self, name: str) -> Expression:
        """The same as a column of that name; '' for none.

        >>> orders.select(tqp.col("amount").alias("euros")).columns
        ['euros']
        """
        if not isinstance(name, str):
            raise BindError(f"an alias is a name, not {name!r}", hint='expression.alias("total")')
        return replace(self, _alias=name or None)

    def asc(self) -> Expression:
        """As a key of an order, from the least on."""
        return replace(self, _order=("ASC", self._order[1]))

    def desc(self) -> Expression:
        """As a key of an order, from the greatest on.

        >>> orders.sort(tqp.col("customer"), tqp.col("amount").desc()).select("amount").fetchall()
        [(10,), (4,), (8,)]
        """
        return replace(self, _order=("DESC", self._order[1]))

    def nulls_first(self) -> Expression:
        """As a key of an order, NULLs before all values."""
        return replace(self, _order=(self._order[0], "NULLS FIRST"))

    def nulls_last(self) -> Expression:
        """As a key of an order, NULLs behind all values."""
        return replace(self, _order=(self._order[0], "NULLS LAST"))

    def as_select(self) -> str:
        """The text for a list of columns, with its alias."""
        if self._alias is not None:
            return f"{self.text} AS {identifier(self._alias)}"
        return self.text if self._written is None else self._written

    def as_order(self) -> str:
        """The text for ORDER BY, with its direction and the place of NULLs."""
        return " ".join(part for part in (self.text, *self._order) if part)

    @property
    def written(self) -> str | None:
        """The text as it was written, where it is nothing but that."""
        return self._written

    def get_name(self) -> str:
        """Its alias, else its text."""
        return self._alias if self._alias is not None else self._written or self.text

    def show(self) -> None:
        """Print its text."""
        print(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    __add__, __radd__ = _binary("+"), _binary("+", turned=True)
    __sub__, __rsub__ = _binary("-"), _binary("-", turned=True)
    __mul__, __rmul__ = _binary("*"), _binary("*", turned=True)
    __truediv__, __rtruediv__ = _binary("/"), _binary("/", turned=True)
    __floordiv__, __rfloordiv__ = _binary("//"), _binary("//", turned=True)
    __mod__, __rmod__ = _binary("%"), _binary("%", turned=True)
    __pow__, __rpow__ = _binary("**"), _binary("**", turned=True)
    __and__, __rand__ = _binary("AND"), _binary("AND", turned=True)
    __or__, __ror__ = _binary("OR"), _binary("OR", turned=True)
    __lt__, __le__, __gt__, __ge__ = _binary("<"), _binary("<="), _binary(">"), _binary(">=")
    __eq__ = _binary("=")  # type: ignore[assignment]
    __ne__ = _binary("<>")  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __invert__(self) -> Expression:
        return Expression(f"(NOT {self.text})")

    def __neg__(self) -> Expression:
        return Expression(f"(- {self.text})")

    def __getitem__(self, key: str | int) -> Expression:
        """A field of a struct, an element of a list or an entry of a map."""
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise BindError(
                f"an expression has fields and elements, not {key!r}", hint='expression["a"], expression[1]'
            )
        return Expression(f"{self.text}[{constant(key)}]")

    def __iter__(self) -> Any:
        raise BindError("an expression has no elements in Python", hint="expression[1] is its first in SQL")

    def __bool__(self) -> bool:
        raise BindError(
            "an expression is not true or false in Python", hint="write & | ~ for and, or, not; and .isin(…)"
        )

    def isnull(self) -> Expression:
        """Whether it is NULL."""
        return Expression(f"({self.text} IS NULL)")

    def isnotnull(self) -> Expression:
        """Whether it is not NULL."""
        return Expression(f"({self.text} IS NOT NULL)")

    is_null, is_not_null = isnull, isnotnull

    def isin(self, *values: object) -> Expression:
        """Whether it is one of the values, each an argument of its own.

        >>> orders.filter(tqp.col("amount").isin(4, 8)).count("*").fetchone()
        (2,)
        """
        return Expression(f"({self.text} IN ({self._members('isin', values)}))")

    def isnotin(self, *values: object) -> Expression:
        """Whether it is none of the values."""
        return Expression(f"(NOT ({self.text} IN ({self._members('isnotin', values)})))")

    def _members(self, method: str, values: tuple[object, ...]) -> str:
        if not values:
            raise BindError(f"{method}() needs a value", hint=f"expression.{method}(1, 2)")
        return ", ".join(map(_text, values))

    def between(self, lower: object, upper: object) -> Expression:
        """Whether it is from `lower` to `upper`, both included.

        >>> orders.filter(tqp.col("amount").between(4, 8)).select("id").fetchall()
        [(2,), (3,)]
        """
        return Expression(f"({self.text} BETWEEN {_text(lower)} AND {_text(upper)})")

    def like(self, pattern: object) -> Expression:
        """Whether a text is of a pattern of LIKE.

        >>> customers.filter(tqp.col("city").like("r%")).fetchall()
        [('ann', 'rome')]
        """
        return Expression(f"({self.text} LIKE {_text(pattern)})")

    def ilike(self, pattern: object) -> Expression:
        """Whether a text is of a pattern of LIKE, letter case aside."""
        return Expression(f"({self.text} ILIKE {_text(pattern)})")

    def cast(self, type: object) -> Expression:
        """It as a type: a name of SQL, or one of `tqp.types`.

        >>> orders.select(tqp.col("amount").cast("DECIMAL(9, 2)")).types
        [DECIMAL(9,2)]
        """
        return Expression(f"CAST({self.text} AS {type})")

    def try_cast(self, type: object) -> Expression:
        """It as a type, NULL where it cannot be."""
        return Expression(f"TRY_CAST({self.text} AS {type})")

    def collate(self, collation: str) -> Expression:
        """It as it compares in a collation, such as `nocase`."""
        return Expression(f"({self.text} COLLATE {collation})")

    def when(self, condition: object, value: object) -> Expression:
        """One more branch of a `CaseExpression`."""
        return self._case("when", f" WHEN {_text(condition)} THEN {_text(value)}")

    def otherwise(self, value: object) -> Expression:
        """What a `CaseExpression` is where no branch holds; NULL without."""
        return self._case("otherwise", f" ELSE {_text(value)}")

    def _case(self, method: str, more: str) -> Expression:
        if self._kind != "case":
            raise BindError(f"{method}() is for what CaseExpression gives", hint="CaseExpression(condition, value)")
        kind: Literal["", "case"] = "case" if method == "when" else ""
        return replace(self, text=f"{self.text.removesuffix(' END')}{more} END", _kind=kind)

    def where(self, condition: Expression) -> Expression:
        """An aggregate over the rows alone for which a condition is true.

        >>> orders.aggregate([tqp.col("amount").sum().where(tqp.col("customer") == "ann")]).fetchall()
        [(14,)]
        """
        if self._kind != "call":
            raise BindError("where() is for calls of aggregates", hint='FunctionExpression("sum", column).where(…)')
        return replace(self, text=f"{self.text} FILTER (WHERE {_text(condition)})")

    def over(
        self, partition_by: Expression | Iterable[Expression] = (), order_by: Expression | Iterable[Expression] = ()
    ) -> Expression:
        """A call over a window: the rows that agree in `partition_by`, in the order of `order_by`.

        >>> total = tqp.col("amount").sum().over(partition_by=tqp.col("customer"), order_by=tqp.col("id"))
        >>> orders.select("customer", total.alias("so_far")).fetchall()
        [('ann', 10), ('bob', 8), ('ann', 14)]
        """
        keys = ", ".join(_text(key) for key in _several(partition_by))
        order = ", ".join(key.as_order() for key in _several(order_by))
        parts = (f"PARTITION BY {keys}" if keys else "", f"ORDER BY {order}" if order else "")
        return replace(self, text=f"{self.text} OVER ({' '.join(part for part in parts if part)})", _kind="")

    sum, avg, mean, median = _aggregate("sum"), _aggregate("avg"), _aggregate("avg"), _aggregate("median")
    min, max, count, mode = _aggregate("min"), _aggregate("max"), _aggregate("count"), _aggregate("mode")
    std, var, product = _aggregate("stddev_samp"), _aggregate("var_samp"), _aggregate("product")
    first, last, any_value = _aggregate("first"), _aggregate("last"), _aggregate("any_value")
    arg_min, arg_max, array_agg = _aggregate("arg_min"), _aggregate("arg_max"), _aggregate("array_agg")
    bool_and, bool_or, string_agg = _aggregate("bool_and"), _aggregate("bool_or"), _aggregate("string_agg")
    quantile, quantile_cont = _aggregate("quantile_disc"), _aggregate("quantile_cont")
    bit_and, bit_or, entropy = _aggregate("bit_and"), _aggregate("bit_or"), _aggregate("entropy")
    skewness, kurtosis = _aggregate("skewness"), _aggregate("kurtosis")

    def concat(self, *others: object) -> Expression:
        """It and the others as one text or list; NULL where one is."""
        return Expression(f"({' || '.join((self.text, *map(_text, others)))})")

    def n_unique(self) -> Expression:
        """How many different values there are, NULL aside."""
        return Expression(f"count(DISTINCT {self.text})", _kind="call")


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


def FunctionExpression(function_name: str, *args: object) -> Expression:
    """A call of a function by its name; a text among the arguments is a value, no column.

    >>> orders.select(tqp.fn("concat", tqp.col("customer"), "!")).limit(1).fetchall()
    [('ann!',)]
    """
    if not isinstance(function_name, str) or not function_name:
        raise BindError(f"a function is called by its name, not by {function_name!r}")
    name = function_name if _PLAIN.match(function_name) else identifier(function_name)
    return Expression(f"{name}({', '.join(_argument(name, value) for value in args)})", _kind="call")


def CaseExpression(condition: object, value: object) -> Expression:
    """`CASE WHEN condition THEN value END`, with more branches by `.when(…)` and the rest by `.otherwise(…)`.

    >>> amount = tqp.col("amount")
    >>> orders.select(tqp.CaseExpression(amount > 9, "large").when(amount > 5, "medium").otherwise("small")).fetchall()
    [('large',), ('medium',), ('small',)]
    """
    return Expression(f"CASE WHEN {_text(condition)} THEN {_text(value)} END", _kind="case")


def CoalesceOperator(*args: object) -> Expression:
    """The first of the arguments that is not NULL.

    >>> con.values(None, 7).select(tqp.coalesce(tqp.col("col0"), tqp.col("col1"))).fetchall()
    [(7,)]
    """
    if not args:
        raise BindError("CoalesceOperator needs an argument")
    return Expression(f"COALESCE({', '.join(map(_text, args))})")


def StarExpression(*, exclude: Iterable[str | Expression] = ()) -> Expression:
    """All columns but those to `exclude`.

    >>> orders.select(tqp.star(exclude=["id"])).columns
    ['customer', 'amount']
    """
    items = [exclude] if isinstance(exclude, str) else list(exclude)
    names = ", ".join(identifier(item) if isinstance(item, str) else item.text for item in items)
    return Expression(f"* EXCLUDE ({names})" if names else "*")


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
    return Expression(f"lambda {', '.join(names)}: {_text(rhs)}")


def count_all() -> Expression:
    """How many rows there are: `count(*)`.

    >>> orders.aggregate([tqp.col("customer"), tqp.count_all().alias("n")]).order("n").fetchall()
    [('bob', 1), ('ann', 2)]
    """
    return Expression("count(*)", _kind="call")


col, lit, star, fn = ColumnExpression, ConstantExpression, StarExpression, FunctionExpression
coalesce, sql_expr = CoalesceOperator, SQLExpression


def _several(given: Expression | Iterable[Expression]) -> list[Expression]:
    return [given] if isinstance(given, Expression) else list(given)


def _text(value: object) -> str:
    """An expression as it is, anything else as a value."""
    return value.text if isinstance(value, Expression) else constant(value)


def _argument(function: str, value: object) -> str:
    if isinstance(value, Expression) and value._alias is not None and function.lower() in _NAMING:
        return f"{identifier(value._alias)} := {value.text}"
    return _text(value)
