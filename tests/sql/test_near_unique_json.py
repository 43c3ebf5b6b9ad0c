"""JSON of which no text comes twice: what is found in it and read of it is what DuckDB finds and reads, or one text at a time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.errors import ExecutionError

_ROWS = 1200
_SCALARS = (
    None, True, False, 0, 1, -5, 10**18, 12345678901234567890, 10**25, 0.5, 1.25, -0.0, 0.00001, 0.1234567890123456, 1e30, "", "x", "a b",
    'q"q', "new\nline", "\u0001", "ü🙂", "\\", "3", "true", "2020-01-01", "2020-01-01 10:00:00",
)  # fmt: skip
_SPACES = ((",", ":"), (", ", ": "), (" ,\n", "\t: "))


def _value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(14 if depth < 3 else 9)
    if kind < 9:
        return rng.choice(_SCALARS)
    if kind < 11:
        return [_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    names = ["a", "b", "c", "id", 'q"', "ü", ""]
    return {rng.choice(names): _value(rng, depth + 1) for _ in range(rng.randrange(4))}


def _usual(rng: random.Random) -> dict[str, Any]:
    return {
        "id": rng.randrange(1000),
        "a": f"text {rng.randrange(10**6)}",
        "b": {"c": rng.choice([rng.random(), rng.randrange(10**6) / 8]), "d": rng.choice([rng.randrange(99), None])},
        "l": [rng.randrange(9) for _ in range(rng.choice([3, 3, 0, 5]))],
    }


def _text(rng: random.Random) -> str | None:
    if rng.random() < 0.03:
        return None
    value = _usual(rng)
    if rng.random() < 0.5:
        value[rng.choice(list(value))] = _value(rng, 1)
    if rng.random() < 0.1:
        value = _value(rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.1, separators=rng.choice(_SPACES))
    # A member twice, or one more; and what DuckDB reads although it is no JSON.
    more = rng.choice(["a", "z", None, None, None, None, None, None])
    if more and text[0] == "{" and len(text) > 2:
        text = f'{text[:-1]},"{more}":7}}'
    return text[:-1] + "," + text[-1] if rng.random() < 0.02 and text[0] == "{" and len(text) > 2 else text


QUERIES = (
    "json_array_length(j)", "json_array_length(j, '$.l')", "json_array_length(j, '$.a')", "json_keys(j)", "json_keys(j, '$.b')",
    "json_type(j)", "json_type(j, '$.b')", "json_type(j, '$.a')", "json_exists(j, '$.b.c')", "json_valid(j)", "to_json(j)",
    "json_extract(j, ['$.a', '$.b.c'])", "json_extract(j, ['$.b'])", "json_extract(j, ['$.l[#-1]', '$.a'])",
    "json_extract_string(j, ['$.a', '$.b', '$.l[0]'])", "json_value(j, ['$.a', '$.b'])", "json_extract(j, [])",
    """json_transform(j, '{"id": "BIGINT"}')""",
    """json_transform(j, '{"id": "UTINYINT", "a": "VARCHAR", "b": {"c": "DOUBLE", "d": "INTEGER"}, "l": ["BIGINT"]}')""",
    """json_transform(j, '{"a": "JSON", "b": "JSON", "l": ["DOUBLE"]}')""",
    """json_transform(j, '{"b": {"a": "DECIMAL(10,2)", "c": "FLOAT"}, "a": "DATE", "l": ["VARCHAR"]}')""",
    """json_transform(j, '{"l": [{"a": "VARCHAR", "b": ["BIGINT"]}], "a": "BOOLEAN", "b": {"c": {"d": "HUGEINT"}}}')""",
    """json_transform(j, '["JSON"]')""",
    "TRY_CAST(j::JSON AS STRUCT(id BIGINT, a VARCHAR, b STRUCT(c DOUBLE, d BIGINT), l BIGINT[]))",
    "TRY_CAST(j::JSON->'l' AS DOUBLE[])", "TRY_CAST(j::JSON->'a' AS TIMESTAMP)", "TRY_CAST(j::JSON->'a' AS UBIGINT)",
    "TRY_CAST(j::JSON->'a' AS ENUM('x', '3'))", "TRY_CAST(j::JSON->'a' AS VARCHAR[])", "TRY_CAST(j::JSON->'a' AS BOOLEAN)",
    "TRY_CAST(j::JSON->'b' AS MAP(VARCHAR, JSON))",
)  # fmt: skip


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    rng = random.Random(11)
    usual = [json.dumps(_usual(rng)) for _ in range(_ROWS)]
    with tqp.connect() as con, duckdb.connect() as oracle:
        table = pa.table({"i": range(_ROWS), "j": [_text(rng) for _ in range(_ROWS)], "usual": usual})
        for side in (con, oracle):
            side.register("t", table)
        yield con, oracle


@pytest.mark.parametrize("query", QUERIES)
def test_as_duckdb(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection], query: str) -> None:
    con, oracle = engines
    # Some rows alone, too: their texts are fewer than those of the column.
    for rows in ("i % 97 <> 3", "i % 5 = 0"):
        asked = f"SELECT i, {query} AS x FROM t WHERE {rows} ORDER BY i"
        assert repr(con.sql(asked).fetchall()) == repr(oracle.execute(asked).fetchall())


_STRICT = (
    "j::JSON::STRUCT(id BIGINT, a VARCHAR, b STRUCT(c DOUBLE, d BIGINT), l BIGINT[])",
    """json_transform_strict(j, '{"id": "BIGINT", "l": ["UTINYINT"]}')""",
    "json_extract(j, '$.l')::BIGINT[]",
)
_WRONG = (
    '{"id":1,"a":"x","b":{"c":1,"d":2}}',
    '{"id":1,"a":"x","b":{"c":1,"d":2},"l":[],"l":[]}',
    '{"id":1,"a":"x","b":{"c":1,"c":2},"l":[]}',
    '{"id":1,"a":"x","b":{"c":1,"d":2},"l":[1,1.5,"x"]}',
    '{"id":1e30,"a":"x","b":{"c":1,"d":2},"l":[]}',
    '{"id":1,"a":"x","b":[],"l":{}}',
)


@pytest.mark.parametrize("query", _STRICT)
def test_what_fits_is_read_and_what_does_not_is_the_error_of_one_text(
    engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection], query: str
) -> None:
    con, oracle = engines
    asked = f"SELECT {query} AS x FROM (SELECT i, usual AS j FROM t) ORDER BY i"
    assert repr(con.sql(asked).fetchall()) == repr(oracle.execute(asked).fetchall())
    for wrong in _WRONG:
        one = f"SELECT {query} AS x FROM (SELECT '{wrong}' AS j)"
        among = f"SELECT {query} AS x FROM (SELECT if(i = 7, '{wrong}', usual) AS j, i FROM t) ORDER BY i"
        try:
            wanted = repr(oracle.execute(among).fetchall())
        except duckdb.Error:
            with pytest.raises(ExecutionError) as alone:
                con.sql(one).fetchall()
            with pytest.raises(ExecutionError) as found:
                con.sql(among).fetchall()
            assert found.value.message == alone.value.message
        else:
            assert repr(con.sql(among).fetchall()) == wanted
