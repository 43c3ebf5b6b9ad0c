"""Where a text says the parts of its plan: for errors of a run, which meet expressions alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from tqp.errors import Location
from tqp.ir.expr import Call, ColumnRef, Expr
from tqp.ir.visit import walk
from tqp.sql.written import written

__all__ = ["Places", "place_in"]

_MOST: Final = 200
"""Expressions that are shown in order to be told apart."""


def place_in(text: str, start: int) -> Location:
    """The line and column of an offset."""
    return Location(text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


@dataclass(frozen=True, slots=True)
class Places:
    """The expressions that were bound of a text, each with the offset of a word of it, None of one in a view; of
    those that hold plans the class.

    `are_all`: the plan has no others, of relations that the text names.
    """

    text: str
    parts: Sequence[tuple[Expr | type[Expr], int | None]] = ()
    are_all: bool = True

    def find(self, part: object, shown: Callable[[Any], str], text: str) -> Location | None:
        """Where a text says an expression that failed, or the only one of a class of them; None where that is not sure.

        `text` may differ from the one that was bound in its constants. `shown` gives the text of an expression. Rules may have
        changed what failed, so that it is told by what it says, or as the only expression that does the same with these columns.
        """
        if isinstance(part, type):
            same: list[tuple[object, int | None]] = (
                [one for one in self.parts if one[0] is part] if self.are_all else []
            )
        else:
            same = list(self._like(cast("Expr", part), shown))
        return self._moved(same[0][1], text) if len(same) == 1 and same[0][1] is not None else None

    def _like(self, part: Expr, shown: Callable[[Any], str]) -> Sequence[tuple[object, int | None]]:
        told = [(one, start) for one, start in self.parts if not isinstance(one, type)]
        alike = [one for one in told if _head(one[0]) == _head(part)]
        same = [one for one in alike if hash(one[0]) == hash(part)]
        if len(same) == 1:
            return same
        wanted = shown(part)
        # What is said twice fails at both places.
        said = [one for one in (same or alike)[:_MOST] if shown(one[0]) == wanted][:1]
        if said or len(alike) > 1:
            return said
        names = _names(part, shown)
        return [one for one in alike if _names(one[0], shown) == names]

    def _moved(self, start: int, text: str) -> Location | None:
        """The place in a text that may have other constants."""
        if text != self.text:
            before, now = written(self.text), written(text)
            if before is None or now is None or len(before.tokens) != len(now.tokens):
                return None
            at = next((at for at, token in enumerate(before.tokens) if token.start == start), None)
            if at is None:
                return None
            start = now.tokens[at].start
        return place_in(text, start)


def _head(expr: object) -> object:
    """What an expression does, whatever with."""
    return type(expr), expr.function if isinstance(expr, Call) else getattr(expr, "dtype", None)


def _names(expr: Expr, shown: Callable[[Any], str]) -> set[str]:
    """What the columns are called that it reads."""
    return {shown(part) for part in walk(expr) if isinstance(part, ColumnRef)}
