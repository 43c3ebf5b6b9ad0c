"""What one binding shares: the text, the tables, the parameters, the symbols handed out and the gaps met."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final, Protocol

from sqlglot import exp

from tqp.catalog.definitions import View
from tqp.data.column import Column
from tqp.data.table import Table
from tqp.errors import BindError, TqpError, UnsupportedError
from tqp.functions.forms import call_forms
from tqp.ir.expr import AggregateCall, ColumnRef, Expr, Literal
from tqp.ir.inputs import settled
from tqp.ir.plan import Field, Plan, Project, Values
from tqp.ir.source import Source
from tqp.ir.visit import holds_plans
from tqp.keywords import identifier
from tqp.models.model import Model
from tqp.sql.parameters import Given
from tqp.sql.places import Place, Places, place_of, place_of_macro
from tqp.sql.refusals import written_name
from tqp.sql.session import Session
from tqp.sql.spans import location_of
from tqp.sql.unread import discard
from tqp.types import DType

__all__ = ["Context", "Lookup", "Models", "Parameters", "Rows", "listed", "near"]

Lookup = Callable[[str], "Source | Plan | View | None"]
"""From a table's name as written to what it names; None where unknown."""


class Answered(Protocol):
    """What a plan gives: rows of Python's values, or columns."""

    def fetchall(self) -> list[tuple[Any, ...]]: ...

    def result(self) -> Table: ...


Rows = Callable[[Plan], Answered]
"""Runs a plan when its answer is asked for."""

Parameters = Sequence[Any] | Mapping[str, Any] | None


_MOST_LISTED: Final = 8
_MOST_COPIES: Final = 256
_NO_WORD: Final = re.compile(r"\W+")


@lru_cache(1024)
def _stem(name: str) -> str:
    """What symbols of that name begin with."""
    return _NO_WORD.sub("_", name).strip("_").lower() or "column"


def _none(name: str) -> Model | None:
    return None


@dataclass(frozen=True)
class Models:
    """The models that a query can call: `find` gives the one of a name, or None; `known` lists names for hints."""

    find: Callable[[str], Model | None] = _none
    known: Callable[[], Iterable[str]] = tuple


@dataclass
class Context:
    """The state of one binding."""

    text: str
    lookup: Lookup
    known: Callable[[], Iterable[str]] | None = None
    params: Given = None
    models: Models = Models()
    run: Rows | None = None
    read_rows: bool = False
    """Whether the plan depends on rows that were read while it was bound."""
    session: Session = field(default_factory=Session)
    is_dated: bool = False
    """Whether the query asked for the moment of the session."""
    samples: int = 0
    """How many samples without a seed were met."""
    draws: dict[int, tuple[int, exp.Expr]] = field(default_factory=dict)
    """By the identity of their nodes, which are kept for that, the calls that rows are numbered for, and how many came before."""
    seeds: dict[int, int] = field(default_factory=dict)
    """The places of calls of random() and uuid() among themselves, by the same."""
    gaps: list[UnsupportedError] = field(default_factory=list)
    collates: list[exp.Expr] = field(default_factory=list)
    """Where the text says COLLATE."""
    views: dict[View, Plan] = field(default_factory=dict)
    """The plans of the views that were met."""
    opened: tuple[View, ...] = ()
    """The views within which names are bound, outermost first."""
    called: dict[str, str] = field(default_factory=dict)
    """What the text calls columns, by their symbols."""
    reads_plans: bool = False
    """Whether a name means the plan of another query."""
    viewed: Place = field(default_factory=Place)
    """Where the outermost text names the view within which names are bound."""
    _bound: dict[int, tuple[Expr | AggregateCall, Place]] = field(default_factory=dict)
    """By their identities, which are kept for that, the expressions and calls that were bound, and where the text has them."""
    _symbols: dict[str, int] = field(default_factory=dict)
    _copies: int = 0

    def wrote(self, symbol: str, name: str) -> None:
        """Note what a column is called in the text; its own name, if it is called so somewhere."""
        if self.called.get(symbol) != symbol:
            self.called[symbol] = name if name == symbol else identifier(name)

    def stands(self, expr: Expr, node: exp.Expr) -> None:
        """Note where the text says an expression that was bound, and all that was made with it."""
        if isinstance(expr, ColumnRef | Literal) or id(expr) in self._bound:
            return
        place = self._place(node)
        pending: list[Expr] = [expr]
        while pending:
            part = pending.pop()
            if id(part) not in self._bound and not isinstance(part, ColumnRef | Literal):
                self._bound[id(part)] = (part, place)
                pending += part.children

    def calls(self, call: AggregateCall, node: exp.Expr) -> None:
        """Note where the text calls an aggregate or a window function."""
        self._bound.setdefault(id(call), (call, self._place(node)))

    def _place(self, node: exp.Expr) -> Place:
        if self.opened:
            return self.viewed
        return (place_of_macro(node) if self.session.macros.known else None) or place_of(node)

    @property
    def places(self) -> Places:
        """Where the text says what was bound; of what holds plans only the class, as tables of files come and go."""
        parts = [
            (part if isinstance(part, AggregateCall) or not holds_plans(part) else type(part), place)
            for part, place in self._bound.values()
        ]
        return Places(self.text, parts, not self.reads_plans)

    def within(self, view: View, node: exp.Expr) -> Context:
        """The context of the text of a view that `node` names: what is bound in it goes into the same plan, but parameters mean
        nothing there."""
        named = self._place(node)
        viewed = Place(named.start, (*named.views, f"view {view.name}"))
        return replace(self, text=view.text, params=None, opened=(*self.opened, view), viewed=viewed)

    def leave(self, inner: Context) -> None:
        """Learn what was found out `within` a view."""
        self.read_rows |= inner.read_rows
        self.is_dated |= inner.is_dated
        self.samples = inner.samples

    def symbol(self, name: str) -> str:
        """A new symbol that reads like `name`."""
        stem = _stem(name)
        count = self._symbols.get(stem, 0) + 1
        while count > 1 and f"{stem}_{count}" in self._symbols:
            count += 1
        self._symbols[stem] = count
        if count == 1:
            return stem
        symbol = f"{stem}_{count}"
        self._symbols[symbol] = 1
        return symbol

    def field(self, name: str, dtype: DType) -> Field:
        """A new field called `name`."""
        return Field(self.symbol(name), name, dtype)

    def rows(self, plan: Plan) -> list[tuple[Any, ...]]:
        """The rows of a plan, which is run now: what the query's columns are depends on them."""
        self.read_rows = True
        return self.computed(plan)

    def value(self, node: exp.Expr, expr: Expr) -> Any:
        """The value of an expression without columns, as Python has it. Raises what computing it does, at the node."""
        column = self.field("value", expr.dtype)
        with self.at(node):
            ((found,),) = self.computed(Project(Values((), ((),)), (column,), (expr,)))
        return found

    def computed(self, plan: Plan) -> list[tuple[Any, ...]]:
        """The rows of a plan that reads no tables."""
        return self._asked(plan).fetchall()

    def columns(self, plan: Plan) -> list[Column]:
        """The columns of a plan that reads no tables: each of as many rows as there are, or constant."""
        return list(self._asked(plan).result().columns)

    def _asked(self, plan: Plan) -> Answered:
        if self.run is None:
            raise UnsupportedError("what only a run can tell is not supported without a connection")
        return self.run(settled(plan))

    def copied(self, node: exp.Expr) -> None:
        """Count an alias that is bound once more for its subquery; UnsupportedError where aliases of aliases multiply it."""
        self._copies += 1
        if self._copies > _MOST_COPIES:
            hint = "select it in a subquery in FROM, and build on its column"
            raise UnsupportedError(f"the subquery behind {node.name} is used too often", hint=hint)

    def error(self, node: exp.Expr | None, message: str, hint: str | None = None) -> BindError:
        """A BindError at the node."""
        return BindError(message, hint=hint, location=location_of(node, self.text), text=self.text)

    def gap(self, node: exp.Expr | None, message: str, hint: str | None = None) -> None:
        """Remember something unsupported; binding goes on, so that all of them are reported at once."""
        self.gaps.append(UnsupportedError(message, hint=hint, location=location_of(node, self.text), text=self.text))
        if node is not None:
            discard(node)

    @contextmanager
    def at(self, node: exp.Expr) -> Iterator[None]:
        """Give errors that say no place the node's."""
        try:
            yield
        except TqpError as error:
            self.locate(error, node)
            raise

    def locate(self, error: TqpError, node: exp.Expr) -> None:
        """Give an error that says no place the node's."""
        if error.location is None:
            error.location = location_of(node, self.text)
            if error.hint is None and isinstance(error, BindError) and isinstance(node, exp.Func):
                error.hint = call_forms(written_name(node, self.text))
        error.with_text(self.text)

    def raise_gaps(self) -> None:
        """One UnsupportedError for all gaps met, if any."""
        if not self.gaps:
            return
        unique = {(gap.message, gap.location): gap for gap in self.gaps}
        gaps = sorted(unique.values(), key=_place)
        if len(gaps) == 1:
            raise gaps[0]
        message = f"{len(gaps)} parts of the query are not supported"
        raise UnsupportedError(message, location=gaps[0].location, text=self.text).with_gaps(tuple(gaps))


def near(name: str, names: Iterable[str]) -> str | None:
    """A hint with the known names most like `name`."""
    by_lower = {known.lower(): known for known in names}
    found = get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    return f"did you mean {', '.join(by_lower[match] for match in found)}?" if found else None


def listed(names: Iterable[str]) -> str:
    """Some of the names, each once."""
    unique = list(dict.fromkeys(names))
    return ", ".join(unique[:_MOST_LISTED]) + (", …" if len(unique) > _MOST_LISTED else "")


def _place(gap: TqpError) -> tuple[int, int]:
    return (gap.location.line, gap.location.column) if gap.location else (0, 0)
