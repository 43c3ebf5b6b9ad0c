"""Tries a text on tqp and says what came of it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

import tqp
from tests.language.answers import Call as Asked
from tests.language.answers import Function, canonical, shown_rows
from tqp.errors import TqpError, UnsupportedError
from tqp.functions.registry import find
from tqp.ir.expr import Call
from tqp.ir.plan import Plan
from tqp.ir.visit import expressions, walk, walk_query
from tqp.session.idle import IDLE
from tqp.statements.pragma import NEEDLESS

__all__ = ["State", "Tried", "has_name", "is_idle", "of_function", "tried"]


@dataclass(frozen=True)
class Tried:
    """What tqp made of a text: `refusal` where it refuses it, `other` where its answer is not DuckDB's.

    `on_host`: a function in it is computed on the host, once for each distinct value of its arguments.
    """

    sql: str
    refusal: str | None = None
    hint: str | None = None
    other: str | None = None
    on_host: bool = False

    @property
    def is_answered(self) -> bool:
        return self.refusal is None and self.other is None


@dataclass(frozen=True)
class State:
    """What became of the calls of one function."""

    function: Function
    calls: tuple[Tried, ...]

    @property
    def answered(self) -> int:
        return sum(call.is_answered for call in self.calls)

    @property
    def on_host(self) -> bool:
        return any(call.on_host for call in self.calls)

    @property
    def is_supported(self) -> bool:
        """All calls that DuckDB answers have the same answer."""
        return bool(self.calls) and self.answered == len(self.calls)

    @property
    def is_partly_supported(self) -> bool:
        return 0 < self.answered < len(self.calls)


WITHOUT_ORDER = frozenset({"array_distinct", "list_distinct"})
"""Functions of lists that give elements in no order of which DuckDB says anything but that it is not that of the list."""


def _sorted(rows: list[list[str]]) -> list[list[list[str]]]:
    """Rows of lists as texts, the elements of each in one order."""
    return [[sorted(cell.strip("[]").split(", ")) for cell in row] for row in rows]


def tried(sql: str, types: list[str], rows: list[list[str]] | None, *, is_ordered: bool = True) -> Tried:
    """The text on a fresh connection, and its answer beside DuckDB's; if not `is_ordered`, elements of lists in any order."""
    with tqp.connect(threads=1) as con:
        try:
            relation = con.sql(sql)
            if relation is None:
                return Tried(sql)
            seen_types = [canonical(dtype) for dtype in relation.types]
            seen_rows = shown_rows(relation.arrow())
        except TqpError as error:
            first = error.gaps[0] if isinstance(error, UnsupportedError) and error.gaps else error
            return Tried(sql, first.message, first.hint)
    if seen_types != types:
        return Tried(sql, other=f"{', '.join(seen_types)}, not {', '.join(types)}")
    if rows is not None and seen_rows != rows and (is_ordered or _sorted(seen_rows) != _sorted(rows)):
        return Tried(sql, other=f"{seen_rows}, not {rows}")
    return Tried(sql, on_host=_is_on_host(relation.plan))


def _is_on_host(plan: Plan) -> bool:
    """Whether a function of the plan takes the distinct values of its arguments, as text does."""
    parts = (part for node in walk_query(plan) for expr in expressions(node) for part in walk(expr))
    kernels = (find(part.function).kernel for part in parts if isinstance(part, Call))
    return any(_ONCE_A_VALUE & vars(sys.modules[kernel.__module__]).keys() for kernel in kernels)


_ONCE_A_VALUE = {"spread", "per_text"}
"""What takes distinct values, as kernels import it."""


def has_name(kind: str, name: str) -> bool:
    """Whether tqp has the table function, pragma or setting of that name: another error than that it has none is an answer."""
    texts = {
        "table functions": (f"FROM {name}()",),
        "pragmas": (f"PRAGMA {name}", f"PRAGMA {name}('nothing')"),
        "settings": (f"SELECT current_setting('{name}')",),
    }[kind]
    return not all(re.search(_NONE_OF_THAT_NAME, str(tried(text, [], []).refusal)) for text in texts)


def is_idle(kind: str, name: str) -> bool:
    """Whether nothing in tqp heeds the pragma or setting of that name."""
    if kind != "pragmas":
        return name in IDLE
    return name in NEEDLESS or f"enable_{name.partition('_')[2]}" in IDLE


_NONE_OF_THAT_NAME = (
    r"^there is no (setting|table function)|^(PRAGMA|table function) \w+ (is not supported|does not exist)"
)


def of_function(function: Function) -> State:
    """All recorded calls of a function."""
    is_ordered = function.name not in WITHOUT_ORDER
    return State(function, tuple(_called(call, is_ordered) for call in function.calls))


def _called(call: Asked, is_ordered: bool) -> Tried:
    found = tried(f"SELECT {call.sql}", call.types, call.rows, is_ordered=is_ordered)
    return Tried(call.sql, found.refusal, found.hint, found.other, found.on_host)
