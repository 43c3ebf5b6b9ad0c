"""Settings and pragmas that change no answer: their types, first values and what they take are DuckDB's."""

from __future__ import annotations

import duckdb
import pytest

import tqp
from tests.statements.runner import Sides
from tqp.errors import TqpError
from tqp.session.idle import IDLE, OPTIMIZERS
from tqp.session.options import SETTINGS

OF_THE_MACHINE = {"async_threads"}
"""What DuckDB derives from the machine."""


@pytest.fixture(scope="module")
def sides():
    made = Sides()
    yield made
    made.close()


def test_idle_settings_are_those_of_duckdb(sides: Sides):
    for name, idle in IDLE.items():
        asked = f"SELECT typeof(current_setting('{name}')), current_setting('{name}')"
        ours, theirs = sides.tqp.sql(asked).fetchone(), sides.duckdb.execute(asked).fetchall()[0]
        assert str(idle.dtype) == theirs[0], name
        assert name in OF_THE_MACHINE or ours[1] == theirs[1] or (not ours[1] and not theirs[1]), (name, ours, theirs)


WRITTEN = {
    "BOOLEAN": ("true", "false", "1", "0", "'yes'", "'T'", "'maybe'"),
    "UBIGINT": ("7", "'7'", "0", "33", "-1", "'x'"),
    "BIGINT": ("7", "-1", "'x'"),
    "DOUBLE": ("0.5", "1", "-1", "2", "'x'"),
    "VARCHAR": ("'1GB'", "'none'", "'NEVER'", "'Combine'", "'off'", "'nothing of this'"),
}


def test_idle_settings_take_what_they_take_in_duckdb(sides: Sides):
    for name, idle in IDLE.items():
        for value in WRITTEN[str(idle.dtype)]:
            for text in (f"SET {name} = {value}", f"PRAGMA {name} = {value}"):
                ours, theirs = sides.actual(text), sides.expected(text)
                assert isinstance(ours, TqpError) == isinstance(theirs, duckdb.Error), (text, ours, theirs)
            asked = f"SELECT current_setting('{name}')"
            assert sides.tqp.sql(asked).fetchall() == sides.duckdb.execute(asked).fetchall(), (name, value)


def test_set_session_takes_what_it_takes_in_duckdb(sides: Sides):
    for name in SETTINGS:
        asked = sides.expected(f"SELECT current_setting('{name}')")
        if not isinstance(asked, duckdb.Error):
            text = f"SET SESSION {name} = '{asked[0][0].as_py()}'"
            theirs, ours = sides.expected(text), sides.actual(text)
            assert isinstance(ours, TqpError) == isinstance(theirs, duckdb.Error), (text, ours, theirs)


def test_disabled_optimizers_names_rules_and_those_of_duckdb(sides: Sides):
    known = {name for (name,) in sides.duckdb.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    assert known == OPTIMIZERS
    con = tqp.connect()
    con.sql("SET disabled_optimizers = 'top_n, join_elimination'")
    assert con.sql("SELECT current_setting('disabled_optimizers')").fetchall() == [("join_elimination,top_n",)]
    assert con.settings.disabled_rules == {"join_elimination"}
    with pytest.raises(TqpError, match="no optimizer rule 'nothing'"):
        con.sql("SET disabled_optimizers = 'nothing'")
    con.sql("RESET disabled_optimizers")
    assert con.settings == con.settings_at_first


@pytest.mark.parametrize(
    "text",
    [
        "PRAGMA enable_verification",
        "PRAGMA disable_verification",
        "PRAGMA verify_parallelism",
        "PRAGMA disable_verify_parallelism",
        "PRAGMA enable_checkpoint_on_shutdown",
        "PRAGMA disable_checkpoint_on_shutdown",
        "PRAGMA force_checkpoint",
        "PRAGMA disable_profiling",
        "PRAGMA disable_profile",
        "PRAGMA enable_object_cache",
        "PRAGMA disable_object_cache",
        "PRAGMA disable_optimizer",
        "PRAGMA enable_optimizer",
        "SET integer_division = false",
        "SET ieee_floating_point_ops = true",
        "SET preserve_identifier_case = 'preserve_case'",
        "SET order_by_non_integer_literal = false",
        "SET scalar_subquery_error_on_multiple_rows = true",
        "SET errors_as_json = false",
        "SET wal_autocheckpoint = '1TB'",
        "SET storage_compatibility_version = 'v0.10.2'",
    ],
)
def test_what_has_nothing_to_do_is_accepted(sides: Sides, text: str):
    ours, theirs = sides.actual(text), sides.expected(text)
    assert not isinstance(theirs, duckdb.Error), theirs
    assert ours.num_rows == theirs.num_rows == 0


@pytest.mark.parametrize(
    "text", ["errors_as_json = true", "order_by_non_integer_literal = true", "disable_timestamptz_casts = true"]
)
def test_what_would_change_answers_is_refused(sides: Sides, text: str):
    with pytest.raises(TqpError, match="is not supported"):
        sides.tqp.sql(f"SET {text}")


_NUMBERS = ["0.0", "-0.0", "-1.0", "2.0", "1.0", "-0.5", "1000.0", "'inf'::DOUBLE", "'-inf'::DOUBLE", "'nan'::DOUBLE"]
_OF_ONE = "ln log log2 log10 sqrt sin cos tan cot asin acos atanh gamma lgamma exp sinh tanh".split()
_OF_TWO = "log pow fmod mod".split()


@pytest.mark.parametrize("ieee", [True, False])
@pytest.mark.parametrize("errors", [True, False])
def test_divisions_and_functions_of_floats_are_as_settings_say(sides: Sides, ieee: bool, errors: bool):
    for text in (f"SET ieee_floating_point_ops = {ieee}", f"SET error_on_division_by_zero = {errors}"):
        sides.actual(text)
        sides.expected(text)
    calls = [f"{name}({x})" for name in _OF_ONE for x in _NUMBERS]
    calls += [f"{name}({x}::DOUBLE, {y}::DOUBLE)" for name in _OF_TWO for x in _NUMBERS for y in _NUMBERS]
    calls += [f"({x})::DOUBLE {sign} ({y})::DOUBLE" for sign in ("/", "%", "//") for x in _NUMBERS for y in _NUMBERS]
    calls += [f"{x} {sign} 0" for sign in ("//", "%") for x in ("1", "1.5", "NULL", "5::HUGEINT")]
    # A row that fails is NULL: so that many are asked at once.
    text = f"SELECT {', '.join(f'TRY({call})' for call in calls)}"
    ours, theirs = sides.tqp.sql(text).fetchall()[0], sides.duckdb.execute(text).fetchall()[0]
    for call, mine, other in zip(calls, ours, theirs, strict=True):
        assert mine == other if other is None else mine == pytest.approx(float(other), nan_ok=True), call


def test_an_error_of_a_check_says_where_the_text_has_it():
    con = tqp.connect()
    con.sql("SET ieee_floating_point_ops = false")
    with pytest.raises(TqpError, match="no logarithm") as caught:
        con.sql("SELECT 1 + ln(x) FROM (VALUES (1), (0)) t(x)").fetchall()
    assert "line 1, column 12" in str(caught.value)
