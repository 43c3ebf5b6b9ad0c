"""Queries over relations: every step is a text of SQL over one or more of them, bound when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from tqp.errors import BindError, with_article
from tqp.interrupt import seconds
from tqp.keywords import identifier
from tqp.relation.answer import Answer

if TYPE_CHECKING:
    from tqp.sql import Parameters

__all__ = ["Asking", "Joined", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A relation in FROM, and the name by which a step calls its columns."""

    answer: Answer
    alias: str

    @property
    def aliases(self) -> tuple[str, ...]:
        return (self.alias,)

    def text(self, known: dict[str, Answer]) -> str:
        """The item of FROM; `known` gets the name that it has there."""
        name = "self" if not known else f"relation {len(known) + 1}"
        known[name] = self.answer
        return name if name == self.alias else f"{identifier(name)} AS {identifier(self.alias)}"


@dataclass(frozen=True, slots=True)
class Joined:
    """A join of items of FROM, and the conditions by which its rows were filtered since."""

    left: Source | Joined
    right: Source | Joined
    keyword: str
    clause: str
    conditions: tuple[str, ...] = ()

    @property
    def aliases(self) -> tuple[str, ...]:
        return (*self.left.aliases, *self.right.aliases)

    def text(self, known: dict[str, Answer]) -> str:
        left, right = self.left.text(known), self.right.text(known)
        return f"{left} {self.keyword} JOIN {f'({right})' if isinstance(self.right, Joined) else right}{self.clause}"


class Asking(Answer):
    """A relation as something to query.

    Its columns may be called by its `alias`, as `orders.id` where the alias is `orders`. Right behind a join those of both sides
    may; conditions (`filter`) leave that as it is, and whatever else is done makes one relation of it.
    """

    _alias: str | None = None
    _joined: Joined | None = None
    _is_table = False

    @property
    def type(self) -> str:
        """ "TABLE_RELATION" of what `Connection.table` gives, else "QUERY_RELATION"."""
        return "TABLE_RELATION" if self._is_table else "QUERY_RELATION"

    @property
    def alias(self) -> str:
        """The name of the relation in a step, `self` unless `set_alias` or `Connection.table` gave another."""
        return self._alias or "self"

    def set_alias(self, alias: str) -> Self:
        """The same rows under another name, for the conditions of joins.

        >>> orders, customers = orders.set_alias("o"), customers.set_alias("c")
        >>> orders.join(customers, "o.customer = c.name").project("o.id, c.city").fetchall()
        [(1, 'rome'), (2, 'oslo'), (3, 'rome')]
        """
        if not isinstance(alias, str) or not alias:
            raise BindError(f"an alias is a name, not {alias!r}", hint='rel.set_alias("t")')
        made = type(self)(self.connection, self._query, self._timeout, self._table)
        made._alias = alias
        return made

    def sql(self, text: str, params: Parameters = None, alias: str = "self", timeout: float | None = None) -> Self:
        """A query over this relation, which it calls by `alias`, `self` or `this`; `timeout` as for `Connection.sql`.

        >>> orders.sql("SELECT customer, sum(amount) AS total FROM self GROUP BY ALL ORDER BY total").fetchall()
        [('bob', 8), ('ann', 14)]
        """
        limit = seconds(timeout)
        if not isinstance(alias, str):
            raise BindError(
                f"the name of a relation is text, not {with_article(type(alias).__qualname__)}", hint='alias="t"'
            )
        relations = dict.fromkeys(("self", "this", alias), self)
        return type(self)(self.connection, self.connection.derived(text, params, relations), limit)

    def query(self, virtual_table_name: str, sql_query: str) -> Self:
        """A query over this relation, which it calls by the name given first.

        >>> orders.query("sales", "SELECT sum(amount) AS total FROM sales").fetchall()
        [(22,)]
        """
        return self.sql(sql_query, alias=virtual_table_name)

    def _select(self, items: str = "*", behind: str = "") -> Self:
        """A SELECT of `items` over this relation, with these clauses behind WHERE."""
        text, known = _from(self._joined or Source(self, self.alias))
        return self._over("\n".join(filter(None, (f"SELECT {items}", text, behind))), known)

    def _where(self, condition: str) -> Self:
        if self._joined is None:
            return self._select(behind=f"WHERE ({condition})")
        return self._joining(replace(self._joined, conditions=(*self._joined.conditions, condition)))

    def _joining(self, joined: Joined) -> Self:
        """The rows of a join, whose sides the next step can call by their names."""
        text, known = _from(joined)
        made = self._over(f"SELECT *\n{text}", known)
        made._alias, made._joined = None, joined
        return made

    def _over(self, text: str, known: Mapping[str, Answer]) -> Self:
        """The query over the relations of these names. It may take as long as this one, and has its alias."""
        query = self.connection.derived(text, None, {**known, "this": self})
        made = type(self)(self.connection, query, self._timeout)
        made._alias = self._alias
        return made


def _from(source: Source | Joined) -> tuple[str, dict[str, Answer]]:
    """FROM, with WHERE where rows were filtered, and the relations by the names that they have there."""
    known: dict[str, Answer] = {}
    text = f"FROM {source.text(known)}"
    if isinstance(source, Joined) and source.conditions:
        text += f"\nWHERE {' AND '.join(f'({condition})' for condition in source.conditions)}"
    return text, known
