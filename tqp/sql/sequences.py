"""nextval('s'), currval('s') and setval('s', n): what a sequence gives next, for each row another number, and what it gave last.

A call of nextval is bound to one that has the key of the run alone. Once the query is bound, rows are numbered below the step that
has it, so that each row's number stays its own wherever rules move what reads it; when the step runs first, it draws as many as
it has rows. A relation that is looked at twice draws once, a query that is asked twice draws twice.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import Path
from tqp.errors import BindError, UnsupportedError
from tqp.ir.expr import Call, ColumnRef, Expr, Literal, Predict
from tqp.ir.visit import subplans, walk
from tqp.own.sequences import Sequence
from tqp.sql.context import near
from tqp.sql.expr import ExprBinder, named
from tqp.sql.operators import cast
from tqp.sql.randoms import seed_of
from tqp.types import BIGINT, BOOLEAN, NULL, VARCHAR

__all__ = ["path_of"]

_PART: Final = re.compile(r'"((?:[^"]|"")*)"|([^".]+)')


@named("nextval")
def _next(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    sequence = _sequence(binder, node)
    if sequence is None:
        return Literal(None, BIGINT)
    return Call(sequence.next_row(), (seed_of(binder, node),), BIGINT)


@named("currval")
def _current(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    sequence = _sequence(binder, node)
    if sequence is None:
        return Literal(None, BIGINT)
    binder.context.is_dated = True
    return Call(sequence.current_value(binder.context.session.device), (), BIGINT)


@named("setval")
def _set(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) not in (2, 3):
        raise binder.context.error(node, "setval takes the name of a sequence, a value, and whether that is given out")
    value, *rest = [binder.bind(item) for item in node.expressions[1:]]
    given_out = rest[0] if rest else Literal(True, BOOLEAN)
    is_text = isinstance(value, Literal) and value.dtype == VARCHAR
    if not (value.dtype.is_integer or value.dtype == NULL or is_text):
        raise binder.context.error(node, f"setval takes an integer, not {value.dtype}", hint="cast it to BIGINT")
    if given_out.dtype not in (BOOLEAN, NULL):
        raise binder.context.error(node, f"whether setval gives a value out is a BOOLEAN, not {given_out.dtype}")
    sequence = _sequence(binder, node, has_others=True)
    if sequence is None:
        return Literal(None, BIGINT)
    arguments = (cast(value, BIGINT), cast(given_out, BOOLEAN), seed_of(binder, node))
    return Call(sequence.setting(), arguments, BIGINT)


def _sequence(binder: ExprBinder, node: exp.Anonymous, *, has_others: bool = False) -> Sequence | None:
    """The sequence that is named by the first argument, the only one unless there may be more; None for NULL."""
    name = node.name.lower()
    if len(node.expressions) != 1 and not has_others:
        raise binder.context.error(node, f"{name} takes the name of a sequence")
    said = binder.bind(node.expressions[0])
    if any(isinstance(part, ColumnRef | Predict) or subplans(part) for part in walk(said)):
        raise UnsupportedError(f"{name} of a name that rows give is not supported", hint=f"write the name: {name}('s')")
    text = said.value if isinstance(said, Literal) else binder.context.value(node, cast(said, VARCHAR))
    if text is None:
        return None
    sequences = binder.context.session.sequences
    path = path_of(str(text))
    meanings = binder.context.session.types.schemas.meanings(path)
    found = next((key for key in meanings if key in sequences.known), None)
    if found is None:
        raise BindError(
            f"there is no sequence {path}", hint=near(path.name, (one.name for one in sequences.known.values()))
        )
    return sequences.known[found]


def path_of(name: str) -> Path:
    """The name that a text says, with what stands before it: a, main.a, "a b"."""
    parts: list[str] = []
    place = 0
    while True:
        part = _PART.match(name, place)
        if part is None:
            raise BindError(f"{name!r} is no name", hint='write a, or main.a, with " around what is no word')
        parts.append(part[2] if part[1] is None else part[1].replace('""', '"'))
        place = part.end()
        if place == len(name):
            return Path(parts[-1], tuple(parts[:-1]))
        if name[place] != ".":
            raise BindError(f"{name!r} is no name")
        place += 1
