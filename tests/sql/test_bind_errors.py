"""Errors say what, where and what would work; all gaps come at once."""

from __future__ import annotations

import pytest

import tqp
from tests.sql.tables import plan_of
from tqp.errors import BindError, ExecutionError, Location, ParseError, UnsupportedError


def test_all_gaps_are_reported_at_once_with_their_places() -> None:
    text = "select nosuchwindow(a) over (order by a),\n  oops(b), nosuchfunction(a)\nfrom t"
    with pytest.raises(UnsupportedError) as caught:
        plan_of(text)
    message = str(caught.value)
    assert "nosuchwindow" in message and "oops" in message and "nosuchfunction" in message
    assert "line 1, column 8" in message and "line 2, column 3" in message and "line 2, column 12" in message
    assert caught.value.location == Location(1, 8)


@pytest.mark.parametrize(
    "text",
    [
        "create table z (a int)",
        "insert into t values (1)",
        "explain select 1",
        "select 1; select 2",
    ],
)
def test_what_is_not_done_yet_is_unsupported(text: str) -> None:
    with pytest.raises(UnsupportedError):
        plan_of(text)


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("select 1 from", Location(1, 10)),
        ("select a b c\nfrom t", Location(1, 12)),
        ("select 1 +\n  from t where", None),
        ("select 'open", None),
        ("", None),
    ],
)
def test_what_is_no_sql_is_a_parse_error(text: str, location: Location | None) -> None:
    with pytest.raises(ParseError) as caught:
        plan_of(text)
    if location is not None:
        assert caught.value.location == location


def test_near_names_are_offered() -> None:
    with pytest.raises(BindError, match="did you mean bo"):
        plan_of("select boo from t")
    with pytest.raises(BindError, match="tables: t, u|did you mean"):
        plan_of("select 1 from tt")


def test_an_ambiguous_name_lists_what_it_can_be() -> None:
    with pytest.raises(BindError, match="t.a or u.a"):
        plan_of("select 1 from t, u where a = 1")


def test_the_caret_stands_under_the_name() -> None:
    with pytest.raises(BindError) as caught:
        plan_of("select a,\n       wrong\nfrom t")
    assert str(caught.value).splitlines()[1:3] == ["       wrong", "       ^"]


@pytest.mark.parametrize(
    ("text", "says", "location"),
    [
        ("select a,\n  array_value(1, null)\nfrom t", "NULL element", Location(2, 3)),
        ("select [1, null]::FLOAT[2]", "NULL element", Location(1, 9)),
    ],
)
def test_what_lists_and_arrays_cannot_do_yet_is_said_with_its_place(
    text: str, says: str, location: Location | None
) -> None:
    with pytest.raises(UnsupportedError, match=says) as caught:
        plan_of(text if "from" in text else f"{text} from t")
    if location is not None:
        assert caught.value.location == location


def test_vectors_of_different_sizes_are_named_in_the_words_of_the_query() -> None:
    with pytest.raises(BindError, match="^array_distance takes arrays of one size, not of 2 and 3 elements"):
        plan_of("select array_distance([1, 2]::FLOAT[2], [1, 2, 3]) from t")
    for operator, function in (("<->", "list_distance"), ("<=>", "list_cosine_distance")):
        # As in DuckDB an error of rows, of which there may be none.
        relation = tqp.sql(f"select [1, 2]::FLOAT[2] {operator} [1, 2, 3] from range(?)", [1])
        with pytest.raises(ExecutionError, match=f"^{function} takes lists of one length"):
            relation.fetchall()


@pytest.mark.parametrize("name", ["read_csv", "duckdb_tables", "repeat_row"])
def test_table_functions_in_a_value_say_where_they_stand(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{name} is a table function, which stands in FROM"):
        plan_of(f"select {name}(1)")
