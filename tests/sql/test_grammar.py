"""What DuckDB's parser refuses, tqp refuses: by examples, and on mutated texts of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import pytest

import tqp
from tests.engines import Engines
from tests.sql.case_tables import TABLES
from tests.sql.mutations import Mutations, texts
from tqp.errors import InternalError, ParseError, TqpError, UnsupportedError
from tqp.keywords import KEYWORDS
from tqp.sql.dialect import dialect_named
from tqp.sql.grammar import read_query
from tqp.sql.parse import parse
from tqp.sql.words import words

TEXTS_A_SEED = 60


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines(TABLES)
    yield made
    made.close()


@pytest.fixture(scope="module")
def connection(engines: Engines) -> tqp.Connection:
    return engines.tqp


def _duckdb_refuses(text: str) -> bool:
    try:
        duckdb.extract_statements(text)
    except duckdb.ParserException:
        return True
    except duckdb.Error:
        return False
    return False


INVALID = [
    "SELECT FROM emp",
    "SELECT * FROM select",
    "SELECT id FROM emp ORDER BY id ASC DESC",
    "SELECT * FROM emp CROSS JOIN dept ON emp.dept = dept.id",
    "SELECT * FROM emp JOIN dept",
    "SELECT * FROM emp a JOIN dept b JOIN dept c ON a.dept = c.id",
    "SELECT * FROM emp NATURAL JOIN dept ON true",
    "SELECT * FROM emp OUTER JOIN dept ON true",
    "SELECT ifnull(id) FROM emp",
    "SELECT nullif(id, 1, 2) FROM emp",
    "SELECT row_number() OVER FROM emp",
    "SELECT sum(id) OVER (ORDER BY id PARTITION BY dept) FROM emp",
    "SELECT sum(id) OVER () FILTER (WHERE true) FROM emp",
    "SELECT sum(id) IGNORE NULLS OVER () FROM emp",
    "SELECT 5 > 3 > 1",
    "SELECT 5 = 3 = true",
    "SELECT 1 IS DISTINCT FROM 2 IS DISTINCT FROM 3",
    "SELECT 'a' LIKE 'a' LIKE 'b'",
    "SELECT 1 BETWEEN 0 = 0 AND 2",
    "SELECT 'a' 'b'",
    "SELECT id select FROM emp",
    "SELECT id year FROM emp",
    "SELECT id AS FROM emp",
    "SELECT id,, name FROM emp",
    "SELECT extract(year, hired) FROM emp",
    "SELECT position('a', name) FROM emp",
    "SELECT CASE WHEN true THEN 1 ELSE END",
    "SELECT CAST(id, INT) FROM emp",
    "SELECT id::INT(3) FROM emp",
    "SELECT * ILIKE 'i%' EXCLUDE (id) FROM emp",
    "SELECT * REPLACE (1 AS id) EXCLUDE (name) FROM emp",
    "SELECT * FROM emp LIMIT 1, 2",
    "SELECT * FROM emp LIMIT 1 ORDER BY id",
    "SELECT * FROM emp ORDER BY ALL, id",
    "SELECT id FROM emp GROUP BY id WHERE true",
    "SELECT id FROM emp QUALIFY rank() OVER w = 1 WINDOW w AS (ORDER BY id)",
    "SELECT * FROM (emp, dept)",
    "SELECT * FROM emp AS",
    "SELECT * FROM (VALUES 1, 2)",
    "WITH w AS (SELECT 1) WITH v AS (SELECT 2) SELECT 3",
    "SELECT 1 INTERSECT BY NAME SELECT 2",
    "SELECT 1 UNION BY NAME ALL SELECT 2",
    "SELECT 1 ORDER BY 1 UNION SELECT 2",
    "SELECT -*",
    "SELECT INTERVAL (SELECT 1)",
    "SELECT {1: 2}",
    "SELECT {a = 1}",
    "SELECT {a: 1 b: 2}",
    "SELECT {select: 1}",
    "SELECT MAP {1}",
    "SELECT [x FOR x IF x > 1]",
    "SELECT list_transform([1], lambda (x, y): x)",
    "SELECT NULL::STRUCT(INT)",
    "SELECT 3!!",
]


@pytest.mark.parametrize("text", INVALID)
def test_what_is_no_sql_is_refused(connection: tqp.Connection, text: str) -> None:
    assert _duckdb_refuses(text)
    with pytest.raises((ParseError, UnsupportedError)):
        connection.sql(text).fetchall()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 3!- 1",
        "SELECT count(DISTINCT *) FROM emp",
        "SELECT sum(*) FROM emp",
        "SELECT id 'x' FROM emp",
        "SELECT 1::DECIMAL(a)",
    ],
)
def test_what_has_no_meaning_is_refused(engines: Engines, text: str) -> None:
    with pytest.raises(duckdb.Error):
        engines.duckdb.sql(text)
    with pytest.raises(TqpError):
        engines.tqp.sql(text).fetchall()


def test_the_error_names_the_word_and_its_place(connection: tqp.Connection) -> None:
    with pytest.raises(ParseError, match="syntax error at or near 'DESC'") as caught:
        connection.sql("SELECT id\nFROM emp ORDER BY id ASC DESC")
    assert caught.value.location is not None
    assert (caught.value.location.line, caught.value.location.column) == (2, 26)


VALID = [
    "SELECT 1, 2, FROM emp GROUP BY 1, ORDER BY 1,",
    "SELECT id IN (1, 2,) AND NOT NOT id = ANY (SELECT 1) FROM emp",
    "SELECT 1 = 2 IS NULL = true, 1 < 2 BETWEEN false AND true, 1 IS NOT DISTINCT FROM 2 = false",
    "SELECT ((SELECT 1) UNION (SELECT 2) ORDER BY 1 LIMIT 1), ((SELECT 1) + 1), EXISTS (FROM emp)",
    "FROM (emp a JOIN dept b JOIN m c ON b.id = c.k ON a.dept = b.id) x SELECT *",
    "SELECT date, year, 'a' AS year, 1 AS select FROM (SELECT 1 AS date, 2 AS year)",
    "SELECT left('ab', 1), trim(BOTH 'a' FROM name), substring(name FROM 1 FOR 2), extract('year' FROM hired) FROM emp",
    "WITH a AS MATERIALIZED (SELECT 1 x), b(y) AS (VALUES (1), (2),), SELECT * FROM a, b, LIMIT ALL OFFSET 0 ROWS",
    "SELECT [1, 2,][1:], -2 ** 3, ~1 << 2 >> 1, 1_000 // 7 % 2, 'a'.upper().lower(), $1, ?::INT, INTERVAL (1) DAY",
    "SELECT {a: 1, 'b': {\"c d\": 2},}.b, MAP {1: MAP {2: 3},}, {}, MAP {}, NULL::STRUCT(a INT, b MAP(INT, INT[])[])",
    "SELECT [x + i FOR x, i IN [1, 2] IF x > 1], list_reduce([1], (lambda x, y: x + y)), x.f(lambda x: x).g()[1].h()!",
    "SELECT sum(x ORDER BY y DESC NULLS LAST) FILTER (x > 1) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)",
]


@pytest.mark.parametrize("text", VALID)
def test_what_is_unusual_sql_is_not_refused(text: str) -> None:
    # The window of the last one is not defined, which DuckDB's parser finds and here the binder.
    assert not _duckdb_refuses(text.replace("(w ", "("))
    error = syntax_error(text)
    assert error is None, error


def test_the_grammar_knows_all_that_the_cases_write() -> None:
    read = [(text, syntax_error(text)) for text in texts() if not _duckdb_refuses(text)]
    wrong = [(text, error) for text, error in read if isinstance(error, ParseError)]
    assert not wrong, wrong[0]


def _names_of_columns(engine: tqp.Connection | duckdb.DuckDBPyConnection, text: str) -> list[str] | None:
    """None: refused."""
    try:
        return [column[0] for column in engine.execute(text).description]
    except (TqpError, duckdb.Error):
        return None


@pytest.mark.parametrize(
    "form",
    [
        "SELECT 1 {}, 2", "SELECT 1 + 2 {}", "SELECT * FROM range(2) {}", 'SELECT {} FROM (SELECT 1 AS "{}")', "SELECT {}: 1",
        "SELECT * FROM {}: range(2)", "WITH {} AS (SELECT 1) SELECT 2", "SELECT {{'{}': 1}}.{}", "SELECT 1 AS {}",
    ],
)  # fmt: skip
def test_keywords_are_names_where_they_are_to_duckdb(engines: Engines, form: str) -> None:
    texts = [form.replace("{}", word.lower()).replace("{{", "{").replace("}}", "}") for word in sorted(KEYWORDS)]
    differing = [
        text for text in texts if _names_of_columns(engines.tqp, text) != _names_of_columns(engines.duckdb, text)
    ]
    assert set(differing) <= {"SELECT * FROM range(2) at", "SELECT case: 1"}


def test_deep_and_long_texts_are_read() -> None:
    assert syntax_error(f"SELECT {'(' * 900}1{')' * 900}") is None
    assert syntax_error(f"SELECT {' + '.join(['1'] * 20_000)}") is None
    assert syntax_error(f"SELECT {'(' * 900}1{')' * 899}") is not None


def test_mutated_texts(engines: Engines, pytestconfig: pytest.Config) -> None:
    """No text that DuckDB's parser refuses is bound, and the grammar refuses no text that DuckDB binds."""
    mutations = Mutations()
    outcomes: Counter[str] = Counter()
    for seed in range(pytestconfig.getoption("--fuzz-seeds")):
        for text in mutations.of(seed, TEXTS_A_SEED):
            refused = _duckdb_refuses(text)
            try:
                engines.tqp.sql(text)
                error = None
            except TqpError as raised:
                error = raised
            assert not isinstance(error, InternalError), text
            assert not (refused and error is None), f"seed {seed}: DuckDB's parser refuses {text}"
            if not refused and isinstance(error, ParseError) and "at or near" in error.message:
                with pytest.raises(duckdb.Error):
                    engines.duckdb.sql(text)
            outcomes["refused" if refused else "valid"] += 1
            if refused and not _parse_refuses(text):
                outcomes["refused by the grammar or the binder alone"] += 1
    assert outcomes["valid"] > outcomes.total() / 20
    assert outcomes["refused by the grammar or the binder alone"] > 0, "these texts would not show a missing grammar"


def syntax_error(text: str) -> TqpError | None:
    dialect = dialect_named("duckdb")
    return read_query(words(dialect, text), text, dialect.parser_class.TYPE_TOKENS).error


def _parse_refuses(text: str) -> bool:
    try:
        parse(text)
    except TqpError:
        return True
    return False
