"""Two relations as one: joins, and what sets have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Self

from tqp.errors import BindError, ParseError, with_article
from tqp.expressions.expression import Expression
from tqp.keywords import identifier
from tqp.relation.asking import Asking, Joined, Source
from tqp.sql.fragments import condition as one_condition
from tqp.sql.fragments import key_columns

__all__ = ["Combining"]

_KINDS: Final = {
    "inner": ("INNER", True),
    "left": ("LEFT", True),
    "right": ("RIGHT", True),
    "outer": ("FULL OUTER", True),
    "full": ("FULL OUTER", True),
    "semi": ("SEMI", True),
    "anti": ("ANTI", True),
    "asof": ("ASOF", True),
    "cross": ("CROSS", False),
    "positional": ("POSITIONAL", False),
    "natural": ("NATURAL", False),
}
"""The word of each kind of join, and whether it has a condition."""


class Combining(Asking):
    """What is done with this relation and another one, which may be of another connection."""

    def join(
        self,
        other_rel: Self,
        condition: str | Expression | Iterable[str] | None = None,
        how: str = "inner",
        suffix: str | None = None,
    ) -> Self:
        """Pairs of rows of both for which the condition holds, or with equal values in columns, which the result has once.

        `condition` is text of SQL, the name of a column, or several with commas or in a list. A side is called by its alias
        (`set_alias`); one without an alias is `self` on the left and `other` on the right. `how` is inner, left, right,
        outer (or full), semi, anti, asof, or, without a condition, cross, positional, natural. With a `suffix` columns of the
        right side have it whose names the left side has too; their sides cannot be named in the next step then.

        >>> orders.join(customers, "customer = name").project("id, city").order("id").fetchall()
        [(1, 'rome'), (2, 'oslo'), (3, 'rome')]
        >>> orders.join(customers, "orders.customer = customers.name AND amount > 5", how="anti").fetchall()
        [(3, 'ann', 4)]
        """
        kind = how.strip().lower() if isinstance(how, str) else ""
        if kind not in _KINDS:
            raise BindError(f"there is no join {how!r}", hint=f"joins are {', '.join(_KINDS)}")
        keyword, needs = _KINDS[kind]
        clause = "" if condition is None else _clause(condition)
        if needs and not clause:
            raise BindError(f"a join {kind} needs a condition", hint='rel.join(other, "id") or "self.a = other.b"')
        if clause and not needs:
            raise BindError(f"a join {kind} has no condition", hint="filter() what it gives")
        left, right = self._sides(other_rel, "join")
        joined = self._joining(Joined(left, right, keyword, clause))
        return joined if suffix is None else joined._suffixed(len(self.columns), suffix)

    def _suffixed(self, left: int, suffix: str) -> Self:
        """The rows of a join, whose columns from place `left` on have the suffix where one before is called the same."""
        if not isinstance(suffix, str) or not suffix:
            raise BindError(f"a suffix of join() is text, not {suffix!r}", hint='suffix="_r"')
        taken = {name.lower() for name in self.columns[:left]}
        names = self.columns[:left] + [
            f"{name}{suffix}" if name.lower() in taken else name for name in self.columns[left:]
        ]
        return self._over(f"FROM self AS self({', '.join(map(identifier, names))})", {"self": self})

    def cross(self, other_rel: Self) -> Self:
        """All pairs of rows.

        >>> len(orders.cross(customers))
        6
        """
        return self._joining(Joined(*self._sides(other_rel, "cross"), "CROSS", ""))

    def union(self, union_rel: Self) -> Self:
        """All rows of both.

        >>> orders["id"].union(orders["amount"]).fetchall()
        [(1,), (2,), (3,), (10,), (8,), (4,)]
        """
        return self._with(union_rel, "UNION ALL")

    def except_(self, other_rel: Self) -> Self:
        """The rows of this relation, without as many equal ones as the other has.

        >>> orders["id"].except_(orders.limit(1)["id"]).order("id").fetchall()
        [(2,), (3,)]
        """
        return self._with(other_rel, "EXCEPT ALL")

    def intersect(self, other_rel: Self) -> Self:
        """The rows that both have, as often as both have them.

        >>> orders["id"].intersect(orders.limit(1)["id"]).fetchall()
        [(1,)]
        """
        return self._with(other_rel, "INTERSECT ALL")

    def union_by_name(self, other: Self, *, all: bool = True) -> Self:
        """The rows of both, with columns matched by name; without `all` without duplicates.

        >>> orders.project("id").union_by_name(con.sql("SELECT 9 AS id, 'x' AS note")).fetchall()[-1]
        (9, 'x')
        """
        return self._with(other, "UNION ALL BY NAME" if all else "UNION BY NAME")

    def _with(self, other: Self, words: str) -> Self:
        _require_relation(other, words.split()[0].lower())
        return self._over(f'FROM self\n{words}\nFROM "relation 2"', {"self": self, "relation 2": other})

    def _sides(self, other: Self, method: str) -> tuple[Source | Joined, Source | Joined]:
        """What FROM has of both: sides of joins that nothing was done to since are named as they are."""
        _require_relation(other, method)
        whole = Source(self, self.alias), Source(other, other._alias or "other")
        left, right = _open(self), _open(other)
        for pair in ((left or whole[0], right or whole[1]), (left or whole[0], whole[1]), whole):
            aliases = [alias.lower() for side in pair for alias in side.aliases]
            if len(set(aliases)) == len(aliases):
                return pair
        raise BindError(
            f"both sides of the {method} are called {self.alias!r}", hint='give one another name: rel.set_alias("t")'
        )


def _open(relation: Asking) -> Joined | None:
    """The join whose rows the relation has, all of them."""
    joined = relation._joined
    return None if joined is None or joined.conditions else replace(joined)


def _require_relation(other: object, method: str) -> None:
    if not isinstance(other, Combining):
        hint = "con.sql(...) and con.table(name) give one"
        raise BindError(f"{method}() takes a relation of tqp, not {with_article(type(other).__qualname__)}", hint=hint)


def _clause(condition: str | Expression | Iterable[str]) -> str:
    if isinstance(condition, Expression):
        return f"\nON ({one_condition(condition, 'the condition of join()')})"
    if isinstance(condition, str):
        found = key_columns(condition, "the condition of join()")
        if found is None:
            return f"\nON ({one_condition(condition, 'the condition of join()')})"
    else:
        found = tuple(condition)
        if not found or not all(isinstance(name, str) for name in found):
            raise ParseError("join() takes the names of columns in a list", hint='rel.join(other, ["a", "b"])')
    return f" USING ({', '.join(map(identifier, found))})"
