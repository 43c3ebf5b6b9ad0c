"""Parts of a query that are put together in Python: columns, values, calls and what operators make of them.

An `Expression` stands wherever a step over a relation takes text of SQL. It is that text, with every value written into it; names
are quoted, so that none is read as anything else. The names are those of DuckDB's Python.
"""

from __future__ import annotations

import builtins
import datetime
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from tqp.errors import BindError
from tqp.expressions.constants import constant
from tqp.keywords import identifier

if TYPE_CHECKING:
    from tqp.expressions.families import DtExpression, JsonExpression, ListExpression, StrExpression

__all__ = ["Expression", "text_of"]

_OF_PYTHON: Final[Mapping[type, str]] = {
    bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bytes: "BLOB", datetime.date: "DATE",
    datetime.datetime: "TIMESTAMP", datetime.time: "TIME", datetime.timedelta: "INTERVAL", uuid.UUID: "UUID",
}  # fmt: skip
"""What Python's types are in a cast."""


def _binary(operator: str, *, turned: bool = False) -> Callable[[Expression, object], Expression]:
    def method(self: Expression, other: object) -> Expression:
        left, right = (text_of(other), self.text) if turned else (self.text, text_of(other))
        return Expression(f"pow({left}, {right})" if operator == "**" else f"({left} {operator} {right})")

    return method


def _aggregate(name: str) -> Callable[..., Expression]:
    def method(
        self: Expression, *args: object, order_by: Expression | Iterable[Expression] | None = None
    ) -> Expression:
        made = Expression(f"{name}({', '.join((self.text, *map(text_of, args)))})", _kind="call")
        return made if order_by is None else made.order_by(*_several("order_by", order_by))

    method.__doc__ = f"The aggregate `{name}` of it, of rows in the order of `order_by`; over a window with `.over(…)`."
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
        from tqp.expressions.families import StrExpression

        return StrExpression(*_parts(self))

    def dt(self) -> DtExpression:
        """It with functions of dates, times and timestamps as methods: `col("day").dt().month()`."""
        from tqp.expressions.families import DtExpression

        return DtExpression(*_parts(self))

    def list(self) -> ListExpression:
        """It with functions of lists as methods: `col("tags").list().transform(lambda tag: tag.str().lower())`."""
        from tqp.expressions.families import ListExpression

        return ListExpression(*_parts(self))

    def json(self) -> JsonExpression:
        """It with functions of JSON, and those of texts, as methods: `col("event").json().extract_string("$.id")`."""
        from tqp.expressions.families import JsonExpression

        return JsonExpression(*_parts(self))


def _parts(expression: object) -> tuple[Any, ...]:
    assert isinstance(expression, Expression)
    return tuple([getattr(expression, field.name) for field in fields(expression)])


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
    _keys: str = ""
    """Of a call: the ORDER BY before its parenthesis."""
    _filter: str = ""
    """Of a call: the FILTER behind it."""

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
        return ", ".join(map(text_of, values))

    def between(self, lower: object, upper: object) -> Expression:
        """Whether it is from `lower` to `upper`, both included.

        >>> orders.filter(tqp.col("amount").between(4, 8)).select("id").fetchall()
        [(2,), (3,)]
        """
        return Expression(f"({self.text} BETWEEN {text_of(lower)} AND {text_of(upper)})")

    def like(self, pattern: object, *, escape: builtins.str | None = None) -> Expression:
        """Whether a text is of a pattern of LIKE, in which the sign behind `escape` stands for itself.

        >>> customers.filter(tqp.col("city").like("r%")).fetchall()
        [('ann', 'rome')]
        """
        return self._matching("LIKE", pattern, escape)

    def ilike(self, pattern: object, *, escape: builtins.str | None = None) -> Expression:
        """The same, letter case aside."""
        return self._matching("ILIKE", pattern, escape)

    def _matching(self, word: builtins.str, pattern: object, escape: builtins.str | None) -> Expression:
        behind = "" if escape is None else f" ESCAPE {text_of(escape)}"
        return Expression(f"({self.text} {word} {text_of(pattern)}{behind})")

    def cast(self, type: object) -> Expression:
        """It as a type: a name of SQL, one of `tqp.types`, or `int`, `float`, `str`, `bool` and the like.

        >>> orders.select(tqp.col("amount").cast("DECIMAL(9, 2)")).types
        [DECIMAL(9,2)]
        """
        return Expression(f"CAST({self.text} AS {_type_name(type)})")

    def try_cast(self, type: object) -> Expression:
        """It as a type, NULL where it cannot be."""
        return Expression(f"TRY_CAST({self.text} AS {_type_name(type)})")

    def collate(self, collation: str) -> Expression:
        """It as it compares in a collation, such as `nocase`."""
        return Expression(f"({self.text} COLLATE {collation})")

    def when(self, condition: object, value: object) -> Expression:
        """One more branch of a `CaseExpression`."""
        return self._case("when", f" WHEN {text_of(condition)} THEN {text_of(value)}")

    def otherwise(self, value: object) -> Expression:
        """What a `CaseExpression` is where no branch holds; NULL without."""
        return self._case("otherwise", f" ELSE {text_of(value)}")

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
        made = f" FILTER (WHERE {text_of(condition)})"
        return replace(self, text=f"{self.text}{made}", _filter=made)

    def order_by(self, *keys: Expression) -> Expression:
        """An aggregate of rows in this order, as in `list(x ORDER BY y)`; another call takes the place of this one.

        >>> orders.aggregate([tqp.col("amount").array_agg().order_by(tqp.col("amount").desc())]).fetchall()
        [([10, 8, 4],)]
        """
        if self._kind != "call" or " IGNORE NULLS)" in self.text:
            raise BindError(
                "order_by() is for calls of aggregates", hint='FunctionExpression("list", column).order_by(…)'
            )
        made = f" ORDER BY {', '.join(key.as_order() for key in keys)}" if keys else ""
        call = self.text.removesuffix(self._filter).removesuffix(f"{self._keys})")
        return replace(self, text=f"{call}{made}){self._filter}", _keys=made)

    def ignore_nulls(self) -> Expression:
        """A call of `lag`, `first_value` and the like that skips NULLs."""
        if self._kind != "call":
            raise BindError("ignore_nulls() is for calls of window functions", hint="tqp.lag(column).ignore_nulls()")
        return replace(self, text=f"{self.text.removesuffix(')')} IGNORE NULLS)")

    def over(
        self,
        partition_by: Expression | Iterable[Expression] | None = None,
        order_by: Expression | Iterable[Expression] | None = None,
        *,
        rows: tuple[int | None, int | None] | None = None,
        range: tuple[int | None, int | None] | None = None,
    ) -> Expression:
        """A call over a window: the rows that agree in `partition_by`, in the order of `order_by`.

        `rows` are the first and the last row of the frame, counted from the row itself, `range` the same of values of the order;
        None is the end of the window: `rows=(-2, 0)` is the row and two before it.

        >>> from tqp import col
        >>> orders.select(col("amount").sum().over(order_by=col("id"), rows=(-1, 0))).fetchall()
        [(10,), (18,), (12,)]
        """
        if rows is not None and range is not None:
            raise BindError("a window has a frame of rows or of a range", hint="give rows or range")
        keys = ", ".join(text_of(key) for key in _several("partition_by", partition_by))
        order = ", ".join(key.as_order() for key in _several("order_by", order_by))
        frame = _frame("ROWS", rows) if rows is not None else "" if range is None else _frame("RANGE", range)
        parts = (f"PARTITION BY {keys}" if keys else "", f"ORDER BY {order}" if order else "", frame)
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
        return Expression(f"({' || '.join((self.text, *map(text_of, others)))})")

    def n_unique(self) -> Expression:
        """How many different values there are, NULL aside."""
        return Expression(f"count(DISTINCT {self.text})", _kind="call")


def _several(name: str, given: Expression | Iterable[Expression] | None) -> list[Expression]:
    found = [] if given is None else [given] if isinstance(given, Expression) else list(given)
    if not all(isinstance(key, Expression) for key in found):
        raise BindError(f"{name} takes expressions, not {given!r}", hint=f'{name}=tqp.col("a"), or a list of some')
    return found


def _frame(word: str, ends: tuple[int | None, int | None]) -> str:
    """The frame of a window from the first to the last of its rows or values."""
    texts = []
    for end, side in zip(ends, ("PRECEDING", "FOLLOWING"), strict=True):
        if end is None:
            texts.append(f"UNBOUNDED {side}")
        elif end == 0:
            texts.append("CURRENT ROW")
        else:
            texts.append(f"{text_of(abs(end))} {'PRECEDING' if end < 0 else 'FOLLOWING'}")
    return f"{word} BETWEEN {' AND '.join(texts)}"


def _type_name(kind: object) -> str:
    """A type as SQL writes it."""
    if not isinstance(kind, type):
        return str(kind)
    if kind not in _OF_PYTHON:
        raise BindError(f"SQL has no type for Python's {kind.__name__}", hint='cast("VARCHAR")')
    return _OF_PYTHON[kind]


def text_of(value: object) -> str:
    """An expression as it is, anything else as a value."""
    return value.text if isinstance(value, Expression) else constant(value)
