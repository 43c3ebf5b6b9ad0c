"""What one binding shares: the text, the tables, the parameters, the symbols handed out and the gaps met."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from sqlglot import exp

from tqp.errors import BindError, TqpError, UnsupportedError
from tqp.ir.expr import Expr
from tqp.ir.plan import Field, Plan
from tqp.ir.source import Source
from tqp.models.model import Model
from tqp.sql.parameters import Given
from tqp.sql.parse import location_of
from tqp.sql.unread import discard
from tqp.types import DType

__all__ = ["Context", "Lookup", "Models", "Parameters", "near"]

Lookup = Callable[[str], "Source | Plan | None"]
"""From a table's name as written to what it names; None where unknown."""

Parameters = Sequence[Any] | Mapping[str, Any] | None


_MOST_COPIES: Final = 256
_NO_WORD: Final = re.compile(r"\W+")


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
    gaps: list[UnsupportedError] = field(default_factory=list)
    lists: dict[Expr, exp.Expr] = field(default_factory=dict)
    """Lists and arrays as they are written, and where: they must take a type that columns have."""
    _symbols: dict[str, int] = field(default_factory=dict)
    _copies: int = 0

    def symbol(self, name: str) -> str:
        """A new symbol that reads like `name`."""
        stem = _NO_WORD.sub("_", name).strip("_").lower() or "column"
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
            if error.location is None:
                error.location = location_of(node, self.text)
            error.with_text(self.text)
            raise

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


def _place(gap: TqpError) -> tuple[int, int]:
    return (gap.location.line, gap.location.column) if gap.location else (0, 0)
