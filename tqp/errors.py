"""Everything tqp raises on purpose.

Who is at fault decides the class: the query (`ParseError`, `BindError`), a gap in tqp
(`UnsupportedError`), the data (`ExecutionError`), the machine (`OutOfMemoryError`), a model
(`ModelError`), a file or object handed in (`SourceError`), what others did meanwhile
(`TransactionError`), or a bug in tqp (`InternalError`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from traceback import format_exception
from typing import Any, Final

from tqp.tracebacks import short_traceback

__all__ = [
    "BindError", "ConstraintError", "ExecutionError", "InternalError", "Location", "ModelError", "OutOfMemoryError",
    "ParseError", "QueryInterruptedError", "QueryTimeoutError", "SourceChanged", "SourceError", "TqpError", "TransactionError",
    "UnsupportedError", "caret", "counted", "with_article",
]  # fmt: skip


_LINE: Final = 120
"""Letters of a line that errors show."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the query text; line and column count from 1."""

    line: int
    column: int

    @staticmethod
    def at(text: str, offset: int) -> Location:
        """The place of the letter of that number, from 0."""
        return Location(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


Find = Callable[[object, Callable[[Any], str], str], "tuple[Location, tuple[str, ...]] | None"]
"""From a part of a plan, what gives the text of one, and the query's text to the place where that says the part."""


def caret(text: str, location: Location) -> str:
    """The line of `text` that holds `location`, with a caret under its column; of a long line the part around it."""
    lines = text.splitlines() or [""]
    line, before = lines[min(location.line, len(lines)) - 1], location.column - 1
    if len(line) > _LINE:
        start = max(min(before - _LINE // 2, len(line) - _LINE), 0)
        end = start + _LINE
        before += bool(start) - start
        line = "…" * bool(start) + line[start:end] + "…" * (end < len(line))
    margin = "\t".join(" " * _places(part) for part in line[:before].split("\t"))
    return f"{line}\n{margin}^"


def with_article(name: str) -> str:
    """The name of a type behind `a`, or `an` where it begins with a vowel."""
    return f"{'an' if name[:1] in 'aeioAEIO' else 'a'} {name}"


def _places(text: str) -> int:
    """How many places of a line the text takes: letters may be two wide, or none."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # loaded for such texts alone

    width = wcswidth(text)
    return len(text) if width < 0 else width


def counted(number: int, noun: str) -> str:
    """So many of something: `1 column`, `2 columns`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class TqpError(Exception):
    """Base of all errors of tqp.

    `message` says what is wrong, `hint` what would work, `location` and `text` where.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        location: Location | None = None,
        text: str | None = None,
    ) -> None:
        self.message = message
        self.hint = hint
        self.location = location
        self.text = text
        super().__init__(message)

    def with_text(self, text: str) -> TqpError:
        """Remember the query text, so that the message can show the line; returns self."""
        if self.text is None:
            self.text = text
        return self

    def _where(self) -> list[str]:
        """The lines below the message that show where."""
        return [] if self.location is None or self.text is None else [caret(self.text, self.location)]

    def __str__(self) -> str:
        place = "" if self.location is None else f" (line {self.location.line}, column {self.location.column})"
        hint = [f"Hint: {self.hint}"] if self.hint else []
        return "\n".join([self.message + place, *self._where(), *hint])

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a traceback: it asks for them by this name."""
        return short_traceback(self)


class ParseError(TqpError):
    """The text is not SQL."""


class BindError(TqpError):
    """The SQL does not fit the tables: an unknown or ambiguous name, a type mismatch."""


class UnsupportedError(TqpError):
    """Valid SQL that tqp does not run yet; always raised before execution starts.

    `gaps` holds one error for each gap where a query has several; all of them are part of the text.
    """

    gaps: tuple[UnsupportedError, ...] = ()

    def with_gaps(self, gaps: tuple[UnsupportedError, ...]) -> UnsupportedError:
        """Say `gaps` after the message; returns self."""
        self.gaps = gaps
        return self

    def __str__(self) -> str:
        if not self.gaps:
            return super().__str__()
        return "\n".join([self.message, *(f"- {gap}" for gap in self.gaps)])


class ExecutionError(TqpError):
    """The data does not allow the answer: overflow, a bad cast, a scalar subquery with 2 rows.

    `expression` is the part of the query that failed, as SQL, where one did; casts that the query does not write are in it.
    `views` has the views and macros that say it, outermost first; `location` is then where the query names the first of them.
    """

    expression: str | None = None
    views: tuple[str, ...] = ()
    part: object = None
    """The expression or the call of the plan that failed, or its class."""
    _shown: Callable[[Any, Mapping[str, str]], str] | None = None

    def say(self, shown: Callable[[Any, Mapping[str, str]], str], part: object, *, is_spoken: bool = True) -> None:
        """Note the part that failed, and what gives its text, with names for columns that have some in place of their symbols.

        One that is not `is_spoken` was made of parts of others: its place says where it failed, and not its text.
        """
        self._shown, self.part, self.expression = shown, part, shown(part, {}) if is_spoken else ""

    def within(self, names: Mapping[str, str], text: str | None, find: Find | None) -> None:
        """Call columns as the query does, and say where its text has the part that failed, if that is known."""
        shown, self._shown = self._shown, None
        if shown is not None and self.expression:
            self.expression = shown(self.part, names)
        if find is not None and text is not None and self.part is not None and self.location is None:
            found = find(self.part, lambda part: "" if shown is None else shown(part, names), text)
            if found is not None:
                self.location, self.views = found
        self.part, self.expression = None, self.expression or None

    def _where(self) -> list[str]:
        failed = [*self.views, *([self.expression] if self.expression else [])]
        return super()._where() + ([f"In {': '.join(failed)}"] if failed else [])


class ConstraintError(ExecutionError):
    """A row breaks a rule of its table, such as NOT NULL."""


class QueryInterruptedError(ExecutionError):
    """Somebody asked the query to stop; it may be run again."""


class QueryTimeoutError(QueryInterruptedError):
    """The query ran longer than its `timeout`."""


class TransactionError(TqpError):
    """A transaction cannot go on, begin or end; what it did is undone where it was to be committed."""


class OutOfMemoryError(TqpError):
    """A step needs more memory than allowed."""


class SourceError(TqpError):
    """A file or an object handed in cannot be read as a table."""


class SourceChanged(SourceError):
    """A file is not as it was when its table was opened; a query that meets this runs anew on the file as it is now."""

    def __init__(self, file: str) -> None:
        self.file = file
        super().__init__(f"{file!r} changed while it was read", hint="run the query again when nobody writes the file")


class ModelError(TqpError):
    """A model cannot be imported, or does not fit the arguments."""


class InternalError(TqpError):
    """A bug in tqp."""

    def _render_traceback_(self) -> list[str]:
        # Whoever mends it wants all of it.
        return "".join(format_exception(self)).rstrip("\n").split("\n")
