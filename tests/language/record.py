"""Asks DuckDB for its functions, for calls of each that it answers, and for the answers to these and to `forms.sql`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import duckdb

from tests.language.answers import FILE, canonical, shown_rows
from tests.language.forms import forms
from tests.language.scope import family_of, reason_to_leave_out
from tqp.verify.oracle import arrow_of

_Item = TypeVar("_Item")
_MOST_CALLS = 8
"""Of one function, without its examples."""

VALUES: dict[str, tuple[str, ...]] = {
    "ANY": ("7", "'abc'"),
    "ANY[]": ("[3, 1, 2]",),
    "BIGINT": ("3::BIGINT",),
    "BIGINT[]": ("[1, 2]::BIGINT[]",),
    "BIT": ("'10110'::BIT",),
    "BLOB": (r"'a\xC3\xBC'::BLOB",),
    "BOOLEAN": ("true",),
    "BOOLEAN[]": ("[true, false, true]",),
    "DATE": ("DATE '2024-02-29'",),
    "DECIMAL": ("12.25",),
    "DOUBLE": ("0.5::DOUBLE",),
    "DOUBLE[]": ("[0.25, 0.5]::DOUBLE[]",),
    "DOUBLE[3]": ("[1, 2, 3]::DOUBLE[3]",),
    "DOUBLE[ANY]": ("[1, 2]::DOUBLE[2]",),
    "FLOAT": ("0.5::FLOAT",),
    "FLOAT[]": ("[0.25, 0.5]::FLOAT[]",),
    "FLOAT[3]": ("[1, 2, 3]::FLOAT[3]",),
    "FLOAT[ANY]": ("[1, 2]::FLOAT[2]",),
    "HUGEINT": ("5::HUGEINT",),
    "INTEGER": ("2::INTEGER",),
    "INTERVAL": ("INTERVAL '3 days'",),
    "JSON": ("""'{"a": [1, 2]}'::JSON""",),
    "K": ("'a'",),
    "LAMBDA": ("lambda x: x > 1", "lambda x, y: x + y"),
    "MAP(K, V)": ("MAP {'a': 1}",),
    "SMALLINT": ("2::SMALLINT",),
    "STRUCT": ("{'a': 1, 'b': 'x'}",),
    "T": ("2",),
    "T[]": ("[3, 1, 2]",),
    "T[][]": ("[[3], [1, 2]]",),
    "TIME": ("TIME '10:20:30.5'",),
    "TIME WITH TIME ZONE": ("TIMETZ '10:20:30.5+02'",),
    "TIME_NS": ("TIME_NS '10:20:30.123456789'",),
    "TIMESTAMP": ("TIMESTAMP '2024-02-29 10:20:30.5'",),
    "TIMESTAMP WITH TIME ZONE": ("TIMESTAMPTZ '2024-02-29 10:20:30.5+00'",),
    "TIMESTAMP_MS": ("TIMESTAMP_MS '2024-02-29 10:20:30.5'",),
    "TIMESTAMP_NS": ("TIMESTAMP_NS '2024-02-29 10:20:30.5'",),
    "TIMESTAMP_S": ("TIMESTAMP_S '2024-02-29 10:20:30'",),
    "TINYINT": ("2::TINYINT",),
    "UBIGINT": ("6::UBIGINT",),
    "UHUGEINT": ("6::UHUGEINT",),
    "UINTEGER": ("6::UINTEGER",),
    "USMALLINT": ("6::USMALLINT",),
    "UTINYINT": ("6::UTINYINT",),
    "UUID": ("'019482e4-1441-7aad-8127-eec99573b0a0'::UUID",),
    "VARIANT": ("{'a': [1, 'x']}::VARIANT",),
    "VARCHAR": ("'abc'", "'day'", "'$.a'"),
    "VARCHAR[]": ("['a', 'b']",),
}
"""Arguments of each type. Those of types that are not here (UNION, ENUM, …) are tried by DuckDB's examples alone."""

OF_NAME: dict[str, tuple[str, ...]] = {
    "ago": ("ago(INTERVAL 1 DAY) < now()",),
    "array_append": ("array_append([1, 2], 3)",),
    "array_extract": ("array_extract([4, 5], 2)", "array_extract('DuckDB', 2)"),
    "array_pop_back": ("array_pop_back([1, 2])",),
    "array_pop_front": ("array_pop_front([1, 2])",),
    "array_prepend": ("array_prepend(1, [2, 3])",),
    "array_push_back": ("array_push_back([1, 2], 3)",),
    "array_push_front": ("array_push_front([1, 2], 3)",),
    "array_reverse": ("array_reverse([1, 2])",),
    "array_to_json": ("array_to_json([1, 2])",),
    "array_to_string": ("array_to_string([1, 2], '-')",),
    "assert_true": ("assert_true(1 < 2)",),
    "date_add": ("date_add(DATE '2024-01-31', INTERVAL 1 MONTH)",),
    "days_in_month": ("days_in_month(DATE '2024-02-01')",),
    "enum_code": ("enum_code('b'::ENUM('a', 'b'))",),
    "enum_first": ("enum_first(NULL::ENUM('a', 'b'))",),
    "enum_last": ("enum_last(NULL::ENUM('a', 'b'))",),
    "enum_range": ("enum_range(NULL::ENUM('a', 'b'))",),
    "enum_range_boundary": ("enum_range_boundary('a'::ENUM('a', 'b', 'c'), 'b'::ENUM('a', 'b', 'c'))",),
    "error": ("CASE WHEN false THEN error('never') ELSE 1 END",),
    "factorial": ("factorial(5)",),
    "fdiv": ("fdiv(7, 2)",),
    "fmod": ("fmod(7, 2)",),
    "from_json": ("""from_json('{"a": 1}', '{"a": "INTEGER"}')""",),
    "from_json_strict": ("""from_json_strict('{"a": 1}', '{"a": "INTEGER"}')""",),
    "geomean": ("geomean(2.5)",),
    "geometric_mean": ("geometric_mean(2.5)",),
    "if": ("if(true, 1, 2)",),
    "json": ("""json('{"a": 1}')""",),
    "json_group_array": ("json_group_array(5)",),
    "json_group_object": ("json_group_object('a', 5)",),
    "json_group_structure": ("json_group_structure('[1]'::JSON)",),
    "json_transform": ("""json_transform('{"a": 1}', '{"a": "INTEGER"}')""",),
    "json_transform_strict": ("""json_transform_strict('{"a": 1}', '{"a": "INTEGER"}')""",),
    "list_append": ("list_append([1, 2], 3)",),
    "list_prepend": ("list_prepend(1, [2, 3])",),
    "list_string_agg": ("list_string_agg(['a', 'b'])",),
    "list_bool_and": ("list_bool_and([true, false])",),
    "list_bool_or": ("list_bool_or([true, false])",),
    "list_histogram": ("list_histogram([1, 2, 2])",),
    "make_timestamp": ("make_timestamp(2024, 2, 29, 1, 2, 3.5)",),
    "map_contains_entry": ("map_contains_entry(MAP {'a': 1}, 'a', 1)",),
    "map_contains_value": ("map_contains_value(MAP {'a': 1}, 1)",),
    "md5_number_lower": ("md5_number_lower('abc')",),
    "md5_number_upper": ("md5_number_upper('abc')",),
    "nullif": ("nullif(1, 2)",),
    "pg_size_pretty": ("pg_size_pretty(16000)",),
    "pg_typeof": ("pg_typeof(1)",),
    "regexp_split_to_table": ("regexp_split_to_table('a b', ' ')",),
    "row": ("row(1, 'a')",),
    "row_to_json": ("row_to_json({'a': 1})",),
    "generate_subscripts": ("generate_subscripts([4, 5], 1)",),
    "split_part": ("split_part('a-b', '-', 2)",),
    "struct_pack": ("struct_pack(a := 1)",),
    "to_json": ("to_json([1, 2])",),
    "union_extract": ("union_extract(union_value(k := 'a'), 'k')",),
    "url_encode": ("url_encode('a b')",),
    "wavg": ("wavg(3, 2)",),
    "weighted_avg": ("weighted_avg(3, 2)",),
}
"""Calls of macros, which have no types, and of what needs arguments that go together."""

_NO_MACRO_CALL = re.compile(r"^list_\w+$")


@dataclass
class Found:
    """One function as DuckDB lists it, with all its signatures."""

    name: str
    kind: str
    schema: str
    alias_of: str | None
    examples: list[str]
    signatures: list[list[str]]
    varargs: list[str | None]
    names: list[str]
    fixed: bool

    @property
    def types(self) -> list[str]:
        return [signature[0] for signature in self.signatures if signature]

    def calls(self) -> Iterator[str]:
        """Calls that may have an answer, the most telling first."""
        yield from OF_NAME.get(self.name, ())
        if self.kind in ("scalar", "macro"):
            yield from (example.strip().rstrip(";") for example in self.examples)
        over = " OVER (ORDER BY 1)" if self.kind == "window" else ""
        if self.kind == "macro":
            if not self.names:
                yield f"{self.name}()"
            elif _NO_MACRO_CALL.match(self.name) and len(self.names) == 1:
                yield f"{self.name}([3, 1, 2])"
            return
        for signature, more in _spread(list(zip(self.signatures, self.varargs, strict=True)), 3 * _MOST_CALLS):
            wanted = [*signature, *([more] if more else [])]
            if any(dtype not in VALUES for dtype in wanted):
                continue
            for chosen in product(*(VALUES[dtype] for dtype in wanted)):
                yield f"{self.name}({', '.join(chosen)}){over}"


def _spread(items: list[_Item], count: int) -> list[_Item]:
    """So many of the items, evenly."""
    if len(items) <= count:
        return items
    return [items[place * len(items) // count] for place in range(count)]


def functions(con: duckdb.DuckDBPyConnection) -> list[Found]:
    """All functions that a query may call by name, and that the page counts."""
    rows = con.sql("""
        SELECT function_name, function_type, schema_name, max(alias_of), list(examples), list(parameter_types ORDER BY parameter_types),
               list(varargs ORDER BY parameter_types), any_value(parameters), bool_and(stability = 'CONSISTENT')
        FROM duckdb_functions()
        WHERE function_type IN ('scalar', 'macro', 'aggregate', 'window')
        GROUP BY ALL ORDER BY function_name, function_type
    """).fetchall()
    made: dict[str, Found] = {}
    for name, kind, schema, alias, examples, signatures, varargs, names, fixed in rows:
        if reason_to_leave_out(name, schema) is None and name not in made:
            distinct = list(dict.fromkeys(example for several in examples for example in several))
            made[name] = Found(name, kind, schema, alias, distinct, signatures, varargs, names, fixed is not False)
    return list(made.values())


def answer(con: duckdb.DuckDBPyConnection, sql: str, fixed: bool = True) -> list[Any] | None:
    """The types of the columns and the rows of a query, None for the rows where they are others each time; None for an error."""
    try:
        relation = con.sql(sql)
        if relation is None:
            return [[], []]
        types, rows = [canonical(dtype) for dtype in relation.types], shown_rows(arrow_of(relation))
    except (duckdb.Error, OverflowError):  # the latter: no such date in Python
        return None
    return [types, rows if fixed else None]


def connection() -> duckdb.DuckDBPyConnection:
    """A connection on which answers are the same on each machine."""
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'; SET threads = 1; SET autoinstall_known_extensions = false")
    return con


def _answered(con: duckdb.DuckDBPyConnection, calls: Iterable[str], fixed: bool) -> list[list[Any]]:
    found: dict[str, list[Any]] = {}
    for call in calls:
        if len(found) < _MOST_CALLS and call not in found and (one := answer(con, f"SELECT {call}", fixed)) is not None:
            found[call] = one
    return [[call, *one] for call, one in found.items()]


NAMES: dict[str, str] = {
    "table functions": """
        SELECT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro') AND function_name NOT LIKE '%\\_scan' ESCAPE '\\'
    """,
    "pragmas": "SELECT function_name FROM duckdb_functions() WHERE function_type = 'pragma'",
    "settings": "SELECT name FROM duckdb_settings()",
}
"""What DuckDB has by name alone, by kind; scans of objects are not for queries."""


def names(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The names of each kind of `NAMES`, in order."""
    return {kind: sorted({name for (name,) in con.execute(query).fetchall()}) for kind, query in NAMES.items()}


def record() -> None:
    """Write the file anew."""
    con = connection()
    listed = []
    for found in functions(con):
        kind = "aggregate" if found.name in _AGGREGATE_MACROS else "scalar" if found.kind == "macro" else found.kind
        family = family_of(found.name, found.types) if kind == "scalar" else ""
        calls = _answered(con, found.calls(), found.fixed and found.name not in _OF_THE_DAY)
        listed.append({"name": found.name, "kind": kind, "family": family, "calls": calls})
    told = {form.name: answer(connection(), form.sql, form.fixed) for form in forms()}
    wrong = [title for title, one in told.items() if one is None]
    if wrong:
        raise ValueError(f"DuckDB refuses {wrong}")
    pairs = (f"{_json(name)}: {_json(one)}" for name, one in told.items())
    parts = [
        f'"functions": [\n{_lines(map(_json, listed))}\n]',
        f'"forms": {{\n{_lines(pairs)}\n}}',
        f'"names": {_json(names(con))}',
    ]
    FILE.write_text("{\n" + _lines([f'"duckdb": {_json(duckdb.__version__)}', *parts]) + "\n}\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(items: Iterable[str]) -> str:
    return ",\n".join(items)


_AGGREGATE_MACROS = frozenset({"geomean", "geometric_mean", "json_group_array", "json_group_object", "json_group_structure",
                               "wavg", "weighted_avg"})  # fmt: skip
_OF_THE_DAY = frozenset(
    {
        "age",
        "ago",
        "current_localtime",
        "current_localtimestamp",
        "current_query",
        "version",
        "uuid",
        "uuidv4",
        "uuidv7",
        "gen_random_uuid",
        "random",
        "today",
    }
)
"""Functions that answer otherwise each day, though DuckDB calls some of them consistent."""
