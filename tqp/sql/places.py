"""Where a text says the parts of its plan: for errors of a run, which meet expressions alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from sqlglot import exp

from tqp.errors import Location
from tqp.functions.domains import CHECKED
from tqp.ir.expr import AggregateCall, Call, ColumnRef, Expr
from tqp.ir.visit import call_expressions, walk
from tqp.sql.spans import span_of
from tqp.sql.written import written

__all__ = ["ARGUMENT", "CALLED", "NAMED", "Place", "Places", "place_of", "place_of_macro"]

_MOST: Final = 200
"""Expressions that are shown in order to be told apart."""

CALLED: Final = "called"
"""Under which the node in the place of a macro's call remembers that call, by which columns are named."""
NAMED: Final = "named"
"""Under which the query in the place of a table macro's call remembers that call."""
ARGUMENT: Final = "argument"
"""What marks the argument of a call within the macro that takes the call's place."""


@dataclass(frozen=True, slots=True)
class Place:
    """The offset of a word in the text, None of what it does not say; what it names there says the rest: views and macros,
    outermost first."""

    start: int | None = None
    views: tuple[str, ...] = ()


def place_of(node: exp.Expr) -> Place:
    """Where the text says a node that stands in it."""
    # Of a chain each operator is known by its right side, as all begin alike.
    if isinstance(node, exp.Binary) and isinstance(node.this, exp.Binary) and not _is_called(node):
        node = node.expression
    while isinstance(node, exp.Binary | exp.Cast | exp.Paren) and not _is_called(node):
        node = node.this
    span = span_of(node)
    return Place() if span is None else Place(span[0])


def _is_called(node: exp.Expr) -> bool:
    """Whether an operator is written as a call: that has a place of its own."""
    return "start" in node.meta


def place_of_macro(node: exp.Expr) -> Place | None:
    """Where the text calls the macro whose definition says a node; None for what stands in the text, as arguments do."""
    inside, start, names = 0, None, []
    around: exp.Expr | None = node
    while around is not None:
        meta = around._meta
        if meta:
            inside += ARGUMENT in meta
            call = meta.get(CALLED) or meta.get(NAMED)
            if call is not None and inside:
                inside -= 1
            elif call is not None:
                span = span_of(call)
                start = None if span is None else span[0]
                names.append(f"macro {call.name}")
        around = around.parent
    return Place(start, tuple(reversed(names))) if names else None


@dataclass(frozen=True, slots=True)
class Places:
    """The expressions and calls that were bound of a text, each with its place; of those that hold plans the class.

    `are_all`: the plan has no others, of relations that the text names.
    """

    text: str
    parts: Sequence[tuple[Expr | AggregateCall | type[Expr], Place]] = ()
    are_all: bool = True

    def find(self, part: object, shown: Callable[[Any], str], text: str) -> tuple[Location, tuple[str, ...]] | None:
        """Where a text says what failed, or the only expression of a class, and the views and macros there that say it; None
        where that is not sure.

        `text` may differ from the one that was bound in its constants. `shown` gives the text of an expression. Rules may have
        changed what failed, so that it is told by what it says, or as the only one that does the same with these columns.
        """
        if isinstance(part, type):
            same = [place for one, place in self.parts if one is part] if self.are_all else []
        else:
            same = list(self._like(cast("Expr | AggregateCall", part), shown))
        if len(same) != 1 or same[0].start is None:
            return None
        found = self._moved(same[0].start, text)
        return None if found is None else (found, same[0].views)

    def _like(self, part: Expr | AggregateCall, shown: Callable[[Any], str]) -> Sequence[Place]:
        told = [(one, place) for one, place in self.parts if not isinstance(one, type)]
        alike = [(one, place) for one, place in told if _head(one) == _head(part)]
        same = [(one, place) for one, place in alike if hash(one) == hash(part)]
        if len(same) == 1:
            return [same[0][1]]
        wanted = shown(part)
        # What is said twice fails at both places.
        said = [place for one, place in (same or alike)[:_MOST] if shown(one) == wanted][:1]
        if said or len(alike) > 1:
            return said
        names = _names(part, shown)
        if isinstance(part, AggregateCall) and not alike:
            # A rule may have made another aggregate of it.
            alike = [(one, place) for one, place in told if isinstance(one, AggregateCall)]
        return [place for one, place in alike if _names(one, shown) == names]

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
        return Location.at(text, start)


def _head(part: Expr | AggregateCall) -> object:
    """What an expression or a call does, whatever with."""
    if isinstance(part, Call | AggregateCall):
        # A check is made for the call that it stands in.
        return type(part), part.function.removeprefix(CHECKED)
    return type(part), part.dtype


def _names(part: Expr | AggregateCall, shown: Callable[[Any], str]) -> set[str]:
    """What the columns are called that it reads."""
    exprs = call_expressions(part) if isinstance(part, AggregateCall) else (part,)
    return {shown(ref) for expr in exprs for ref in walk(expr) if isinstance(ref, ColumnRef)}
