"""The page of the language is what the engine does, and its refusals speak SQL."""

from __future__ import annotations

import re

import duckdb
import pytest
from sqlglot import exp

from tests.language.answers import answers
from tests.language.forms import forms
from tests.language.page import PAGE, page
from tests.language.record import answer, connection, functions, names
from tests.language.tried import Tried, of_function, tried


def test_page() -> None:
    assert PAGE.read_text() == page(), "python -m tests.language writes the page anew"


def test_forms_have_names_of_their_own() -> None:
    names = [form.name for form in forms()]
    assert len(set(names)) == len(names) and set(names) == set(answers().forms)


@pytest.mark.skipif(duckdb.__version__ != answers().version, reason="recorded from another DuckDB")
def test_answers_are_those_of_this_duckdb() -> None:
    con = connection()
    assert [function.name for function in answers().functions] == [found.name for found in functions(con)]
    assert answers().names == names(con)
    for function in answers().functions[::10]:
        for call in function.calls:
            assert answer(con, f"SELECT {call.sql}", call.rows is not None) == [call.types, call.rows], call.sql


def test_refusals_speak_sql() -> None:
    """No message or hint has a name that only the parser gives."""
    wrong = [f"{one.sql}: {found} in {one.refusal!r}" for one in _refused() if (found := _parsers_words(one))]
    assert not wrong, "\n".join(wrong)


def _refused() -> list[Tried]:
    called = [call for function in answers().functions for call in of_function(function).calls]
    told = [tried(form.sql, *answers().forms[form.name]) for form in forms()]
    return [one for one in (*called, *told) if one.refusal is not None]


def _parsers_words(one: Tried) -> set[str]:
    said = set(re.findall(r"\w+", f"{one.refusal} {one.hint or ''}".lower()))
    return (said & _PARSERS_WORDS) - set(re.findall(r"\w+", one.sql.lower()))


_DUCKDBS = {function.name for function in answers().functions}
_PARSERS_WORDS = {
    kind.key
    for kind in vars(exp).values()
    if isinstance(kind, type) and issubclass(kind, exp.Expr) and kind.key not in _DUCKDBS
    # What is one word of English or SQL may be said of other things.
    if len(re.findall("[A-Z][a-z]+", kind.__name__)) > 1 or kind.key in {"explode", "collate", "rand", "sha"}
}
