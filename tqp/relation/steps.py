"""The steps of a query one by one, by the names that DuckDB's relations give them. None runs anything."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

from tqp.errors import BindError
from tqp.expressions.constants import constant
from tqp.expressions.expression import Expression
from tqp.keywords import identifier, text_constant
from tqp.relation.asking import Asking
from tqp.relation.missing import RELATION, instead
from tqp.sql.fragments import column_named, condition, group_keys, order_keys, select_list
from tqp.types import DType

__all__ = ["Steps", "items_of"]

_STATISTICS: Final = (
    ("count", False),
    ("mean", True),
    ("stddev", True),
    ("min", False),
    ("max", False),
    ("median", True),
)
"""What `describe` tells of a column, and whether it is of numbers alone."""


class Steps(Asking):
    """What is done with one relation. Texts are parts of SQL; several texts, one for each column, are names. An `Expression` may
    stand wherever a text does."""

    def filter(self, filter_expr: str | Expression) -> Self:
        """The rows for which the condition is true.

        >>> orders.filter("amount > 5 AND customer = 'ann'").fetchall()
        [(1, 'ann', 10)]
        """
        return self._where(condition(filter_expr, "the condition of filter()"))

    def project(self, *args: str | Expression, groups: str | Expression = "") -> Self:
        """Other columns: one text of expressions, or the names of columns; with `groups` one row for each group.

        >>> orders.project("id, amount * 2 AS twice").limit(1).fetchall()
        [(1, 20)]
        >>> orders.project("customer", "id").columns
        ['customer', 'id']
        """
        return self._projected("project", args, groups)

    def select(self, *args: str | Expression, groups: str | Expression = "") -> Self:
        """The same as `project`."""
        return self._projected("select", args, groups)

    def _projected(self, method: str, items: tuple[str | Expression, ...], groups: str | Expression) -> Self:
        found = items_of(items, f"{method}()")
        if isinstance(groups, str) and not groups:
            return self._select(found)
        return self._select(found, f"GROUP BY {group_keys(groups, f'the groups of {method}()')}")

    def aggregate(
        self,
        aggr_expr: str | Expression | Iterable[str | Expression],
        group_expr: str | Expression | Iterable[str | Expression] = "",
    ) -> Self:
        """Aggregates for each group of `group_expr`; without, for each group of the expressions that have no aggregate.

        >>> orders.aggregate("customer, count(*) AS n, sum(amount)").order("n DESC").fetchall()
        [('ann', 2, 14), ('bob', 1, 8)]
        >>> orders.aggregate("sum(amount)", "customer").order("ALL").fetchall()
        [(8,), (14,)]
        """
        items = _parts(aggr_expr)
        found = ", ".join(select_list(item, "what aggregate() computes") for item in items)
        if not found:
            raise BindError("aggregate() computes nothing", hint='rel.aggregate("count(*)")')
        keys = ", ".join(filter(None, (group_keys(key, "the groups of aggregate()") for key in _parts(group_expr))))
        return self._select(found, f"GROUP BY {keys or 'ALL'}")

    def group_by(self, *columns: str | Expression) -> Grouped[Self]:
        """The groups of some columns, which `agg` gives rows.

        >>> orders.group_by("customer").agg("max(amount) AS most").order("most").fetchall()
        [('bob', 8), ('ann', 10)]
        """
        return Grouped(self, columns)

    def order(self, order_expr: str | Expression) -> Self:
        """The rows in this order, as in ORDER BY.

        >>> orders.order("customer DESC, amount").fetchone()
        (2, 'bob', 8)
        """
        return self._select(behind=f"ORDER BY {order_keys(order_expr, 'the order')}")

    def sort(self, *args: str | Expression) -> Self:
        """The rows in the order of the first key, then of the next.

        >>> orders.sort("customer DESC", "amount").fetchone()
        (2, 'bob', 8)
        """
        if not args:
            raise BindError("sort() needs a key", hint='rel.sort("a", "b DESC")')
        return self._select(behind=f"ORDER BY {', '.join(order_keys(key, 'a key of sort()') for key in args)}")

    def limit(self, n: int, offset: int = 0) -> Self:
        """The first `n` rows after the first `offset`.

        >>> orders.order("id").limit(1, offset=1).fetchall()
        [(2, 'bob', 8)]
        """
        behind = f"LIMIT {_count('limit', 'n', n)}"
        return self._select(behind=f"{behind} OFFSET {offset}" if _count("limit", "offset", offset) else behind)

    def head(self, n: int = 5) -> Self:
        """The first `n` rows.

        >>> orders.head(1).fetchall()
        [(1, 'ann', 10)]
        """
        return self._select(behind=f"LIMIT {_count('head', 'n', n)}")

    def offset(self, n: int) -> Self:
        """All but the first `n` rows.

        >>> orders.order("id").offset(2).fetchall()
        [(3, 'ann', 4)]
        """
        return self._select(behind=f"OFFSET {_count('offset', 'n', n)}")

    def distinct(self, on: str | Expression | Iterable[str | Expression] | None = None) -> Self:
        """The rows without duplicates, or the first row for each value of the columns `on`.

        >>> orders.project("customer").distinct().order("customer").fetchall()
        [('ann',), ('bob',)]
        """
        if on is None:
            return self._select("DISTINCT *")
        keys = _parts(on)
        return self._select(f"DISTINCT ON ({', '.join(map(column_named, keys))}) *")

    def unique(self, unique_aggr: str | Expression) -> Self:
        """The distinct values of an expression, or of several.

        >>> orders.unique("customer").order("customer").fetchall()
        [('ann',), ('bob',)]
        """
        return self._select(f"DISTINCT {select_list(unique_aggr, 'what unique() gives')}")

    def with_columns(self, **columns: str | Expression) -> Self:
        """The same columns and more, each an expression or the name of a column; one with an existing name replaces that column.

        >>> orders.with_columns(amount="amount + 1", big="amount > 9").limit(1).fetchall()
        [(1, 'ann', 11, True)]
        """
        found = {
            name: f"{identifier(part) if isinstance(part, str) and part in self else condition(part, f'the column {name}')}"
            f" AS {identifier(name)}"
            for name, part in columns.items()
        }
        if not found:
            raise BindError("with_columns() needs a column", hint='rel.with_columns(b="a + 1")')
        taken = {name.lower() for name in self.columns}
        replaced = [text for name, text in found.items() if name.lower() in taken]
        star = f"* REPLACE ({', '.join(replaced)})" if replaced else "*"
        return self._select(", ".join([star, *(text for name, text in found.items() if name.lower() not in taken)]))

    def drop(self, *columns: str) -> Self:
        """All columns but these.

        >>> orders.drop("id", "amount").columns
        ['customer']
        """
        names = [identifier(self._known(name)) for name in columns]
        if not names:
            raise BindError("drop() needs a column", hint='rel.drop("a")')
        return self._select(f"* EXCLUDE ({', '.join(names)})")

    def rename(self, **columns: str) -> Self:
        """Columns by other names, given as old=new.

        >>> orders.rename(id="number").columns
        ['number', 'customer', 'amount']
        """
        pairs = [f"{identifier(self._known(old))} AS {identifier(new)}" for old, new in columns.items()]
        if not pairs:
            raise BindError("rename() needs a column", hint='rel.rename(old="new")')
        return self._select(f"* RENAME ({', '.join(pairs)})")

    def unnest(self, *columns: str) -> Self:
        """A row for each element of the lists of these columns.

        >>> con.sql("SELECT 1 AS a, [10, 20] AS l").unnest("l").fetchall()
        [(1, 10), (1, 20)]
        """
        names = [identifier(self._known(name)) for name in columns]
        if not names:
            raise BindError("unnest() needs a column", hint='rel.unnest("list")')
        return self._select(f"* REPLACE ({', '.join(f'unnest({name}) AS {name}' for name in names)})")

    def unpivot(self, *columns: str, name: str = "name", value: str = "value") -> Self:
        """A row for each of these columns: its name in the column `name`, and its value in the column `value`.

        >>> con.sql("SELECT 'x' AS shop, 1 AS jan, 2 AS feb").unpivot("jan", "feb").fetchall()
        [('x', 'jan', 1), ('x', 'feb', 2)]
        """
        names = ", ".join(identifier(self._known(column)) for column in columns)
        if not names:
            raise BindError("unpivot() needs a column", hint='rel.unpivot("jan", "feb")')
        into = f"INTO NAME {identifier(name)} VALUE {identifier(value)}"
        return self._over(f"FROM (UNPIVOT (FROM self) ON {names} {into})", {"self": self})

    def pivot(self, column: str | Expression, values: Iterable[object], aggregate: str | Expression) -> Self:
        """The values of a column as columns, each with an aggregate of its rows; all other columns that it does not read are kept.

        >>> orders.project("customer", "amount").pivot("customer", ["ann", "bob"], "sum(amount)").fetchall()
        [(14, 8)]
        """
        known = ", ".join(map(constant, [values] if isinstance(values, str) else values))
        if not known:
            raise BindError("pivot() needs a value", hint='rel.pivot("year", [2023, 2024], "sum(amount)")')
        using = select_list(aggregate, "the aggregate of pivot()")
        return self._over(
            f"FROM (PIVOT (FROM self) ON {column_named(column)} IN ({known}) USING {using})", {"self": self}
        )

    def sample(
        self, n: int | None = None, *, percent: float | None = None, seed: int | None = None, method: str | None = None
    ) -> Self:
        """A random sample: `n` rows, or `percent`; the same rows for the same `seed`.

        `method` is "reservoir", which is that of `n`, "bernoulli", which is that of `percent`, or "system".

        >>> len(orders.sample(2, seed=1))
        2
        """
        if (n is None) == (percent is None):
            raise BindError(
                "sample() takes n rows or percent of them", hint="rel.sample(100) or rel.sample(percent=10)"
            )
        if method is not None and method.lower() not in ("bernoulli", "reservoir", "system"):
            raise BindError(f"sample() knows no method {method!r}", hint="bernoulli, reservoir or system")
        size = f"{_count('sample', 'n', n)} ROWS" if n is not None else f"{float(percent or 0)} PERCENT"
        how = (method or ("bernoulli" if n is None else "reservoir")).lower()
        arguments = how if seed is None else f"{how}, {_count('sample', 'seed', seed)}"
        return self._select(behind=f"USING SAMPLE {size} ({arguments})")

    def __getitem__(self, name: str) -> Self:
        """One column, as a relation; `orders.amount` is the same where no method has that name.

        >>> orders["amount"].fetchall()
        [(10,), (8,), (4,)]
        """
        return self._select(f"{identifier(self._known(name))} AS {identifier(name)}")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Self:
            # A column, where its name is none of a method: rel.amount is rel["amount"].
            if name.startswith("_") or name not in self:
                raise AttributeError(instead("a relation", name, RELATION), name=name, obj=self)
            return self[name]

    def _ipython_key_completions_(self) -> list[str]:
        """What IPython offers behind `rel["`."""
        return self.columns

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in {column.lower() for column in self.columns}

    def select_types(self, types: Iterable[str | DType]) -> Self:
        """The columns of these types.

        >>> orders.select_types(["BIGINT"]).columns
        ['id', 'amount']
        """
        wanted = {str(kind).upper() for kind in types}
        names = [field.name for field in self.schema if str(field.dtype) in wanted]
        if not names:
            have = ", ".join(dict.fromkeys(map(str, self.types)))
            raise BindError(f"no column is one of {', '.join(sorted(wanted)) or 'no types'}", hint=f"types are {have}")
        return self._select(", ".join(map(identifier, names)))

    select_dtypes = select_types

    def describe(self) -> Self:
        """Count, mean, standard deviation, minimum, maximum and median of each column, one row each.

        >>> orders.describe().project("aggr, amount").fetchall()[:2]
        [('count', 3.0), ('mean', 7.333333333333333)]
        """
        inner, names = [], [text_constant(name) for name, _ in _STATISTICS]
        outer = [f"unnest([{', '.join(names)}]) AS aggr"]
        for place, field in enumerate(self.schema):
            parts = [f"stat_{place}_{number}" for number in range(len(_STATISTICS))]
            kind = "DOUBLE" if field.dtype.is_numeric else "VARCHAR"
            for (function, of_numbers), part in zip(_STATISTICS, parts, strict=True):
                of = f"{function}(c{place})::{kind}" if field.dtype.is_numeric or not of_numbers else "NULL"
                inner.append(f"{of} AS {part}")
            outer.append(f"unnest([{', '.join(parts)}]) AS {identifier(field.name)}")
        columns = ", ".join(f"c{place}" for place in range(len(self.schema)))
        text = f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM self AS self({columns}))"
        return self._over(text, {"self": self})

    def _known(self, name: object) -> str:
        """The name of a column; BindError where there is none of it."""
        if not isinstance(name, str):
            raise BindError(f"a column is called by its name, not by {name!r}", hint='rel["a"]; rel.project("a, b")')
        if name not in self:
            near = get_close_matches(name, self.columns, n=3, cutoff=0.6)
            known = ", ".join(map(identifier, near or self.columns))
            raise BindError(f"there is no column {name!r}", hint=f"{'did you mean' if near else 'columns are'} {known}")
        return name


R = TypeVar("R", bound=Steps)


class Grouped(Generic[R]):
    """A relation with the columns of its groups."""

    def __init__(self, relation: R, keys: tuple[str | Expression, ...]) -> None:
        self._relation = relation
        self._keys = keys

    def agg(self, *aggregates: str | Expression) -> R:
        """A row for each group: its keys, and these expressions with aggregates."""
        keys = [column_named(key) for key in self._keys]
        groups = [column_named(key) if isinstance(key, str) else key for key in self._keys]
        return self._relation.aggregate([*keys, items_of(aggregates, "agg()")], groups)


def _parts(given: str | Expression | Iterable[str | Expression]) -> list[str | Expression]:
    return [given] if isinstance(given, str | Expression) else list(given)


def items_of(items: tuple[str | Expression, ...], method: str) -> str:
    """What stands behind SELECT: one text of expressions, or columns by their names and expressions."""
    if not items:
        raise BindError(f"{method} needs an expression or names of columns", hint='"a, b + 1 AS c" or "a", "b"')
    if len(items) == 1:
        return select_list(items[0], f"what {method} gives")
    return ", ".join(map(column_named, items))


def _count(method: str, name: str, value: object) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise BindError(f"{method}() takes a whole number {name}, 0 or more, not {value!r}")
    return int(value.__index__())
