"""Which functions compare text by its collation is what is said of them where they are registered (`Function.of_keys`)."""

from __future__ import annotations

import pytest

import tqp
import tqp.functions
from tqp.errors import TqpError
from tqp.functions import registry
from tqp.functions.registry import find

CALLS = (
    "{0}", "{0}, {1}", "{0}, {2}", "{0}, {3}", "[{0}, 'b', {3}]", "['b', {0}, 'C', {3}]", "[{0}, 'x'], {2}", "[{0}, 'x'], [{2}]",
    "['b', {0}, 'C'], 'max'",
)  # fmt: skip
TEXTS = ("'Abc'", "'bC'", "'abc'", "'ABC'")
OF_EQUALITY = frozenset({"nullif"})
"""Made of a comparison."""


def _answer(con: tqp.Connection, name: str, call: str, collation: str) -> object:
    """The answer, None where there is none: a constant takes other types than text with a collation."""
    texts = [f"({text}{collation})" for text in TEXTS]
    try:
        return con.sql(f"SELECT {name}({call.format(*texts)})").fetchall()
    except TqpError:
        return None


def _is_called(name: str) -> bool:
    function = find(name)
    return name.isidentifier() and function.mirrored is None and not function.each_row and name not in OF_EQUALITY


@pytest.mark.slow
def test_collations_change_what_compares_by_keys() -> None:
    with tqp.connect(threads=1) as con:
        for name in filter(_is_called, registry.names()):
            plain = {call: _answer(con, name, call, "") for call in CALLS}
            collated = {call: _answer(con, name, call, " COLLATE NOCASE") for call in CALLS if plain[call] is not None}
            answers = [(plain[call], answer) for call, answer in collated.items() if answer is not None]
            changed = any(one != other for one, other in answers)
            assert changed == (find(name).of_keys is not None) or not answers, name
