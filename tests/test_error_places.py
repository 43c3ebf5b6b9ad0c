"""Errors of functions in a run say where the text calls what failed: those that are known to fail, and all, with odd arguments."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import tqp
import tqp.functions
from tqp.errors import BindError, ExecutionError, InternalError, ParseError, TqpError, UnsupportedError
from tqp.functions.names import is_plain
from tqp.functions.registry import names

_ROWS = """
    (1, 9223372036854775807, 255::UTINYINT, 1e308::DOUBLE, 'x', DATE '2024-02-29', TIMESTAMP '290000-01-01', [1, 2], '{bad', '(',
        '\\xFF'::BLOB, 170141183460469231731687303715884105727::HUGEINT, INTERVAL '1000000 years', 'nonsense',
        99999999999.9::DECIMAL(12, 1), [1, 2, 3]::DOUBLE[3], TIME '10:00', MAP {1: 2}, '1'::BIT),
    (-3, -9223372036854775808, 0::UTINYINT, 'nan'::DOUBLE, '', DATE '0001-01-01', TIMESTAMP '0044-01-01', [], '1', '[', 'a'::BLOB,
        5::HUGEINT, INTERVAL '-1 day', 'e', -99999999999.9::DECIMAL(12, 1), [0, 0, 0]::DOUBLE[3], TIME '23:59', MAP {3: 4}, '01'::BIT)
"""
_COLUMNS = "i b u x t d s l j r bl hg iv w dc ar tm mp bt".split()
_CONSTANTS = ["NULL", "1", "-3", "0", "1e308", "'a'", "'%Y'", "'nonsense'", "'year'", "100000"]

_FAILING = """
    date_trunc(w, s)
    date_part(w, s)
    datediff(w, s, s)
    date_sub(w, s, s)
    datetrunc(w, d)
    mod(b, u)
    to_hours(b)
    to_years(b)
    to_millennia(b)
    to_seconds(x)
    epoch_us(iv)
    get_bit(bt, 7)
    set_bit(bt, 7, 1)
    bitstring('1', i)
    json_extract(j, '$.a')
    json_keys(j)
    json_type(j)
    json_pretty(j)
    json_array_length(j)
    json_merge_patch(j, j)
    json_contains(j, '1')
    json_structure(j)
    json_value(j, '$.a')
    hamming(t, w)
    format(j)
    regexp_extract(w, r)
    regexp_matches(w, r)
    regexp_replace(w, r, '')
    regexp_split_to_array(w, r)
    unbin(w)
    unhex(w)
    factorial(b)
    lcm(b, b)
    gcd(b, b)
    strptime(w, '%Y')
    parse_formatted_bytes(w)
    make_date(b, i, i)
    make_date(i, u, u)
    make_time(i, i, i)
    make_timestamp(i, i, i, i, i, i)
    error(w)
    pg_size_pretty(hg)
    abs(b)
    time_bucket(iv, s)
    from_base64(w)
    decode(bl)
    list_resize(l, b)
    range(b)
    repeat(t, b)
    lpad(w, b, t)
    left(w, b)
    to_timestamp(x)
    epoch_ms(b)
    make_timestamp(b)
    add(b, b)
    subtract(b, 9)
    multiply(b, b)
    divide(b, u)
    array_slice(l, 1, 2, u)
    bar(x, i, i, i)
    equi_width_bins(i, i, 0, false)
    map_from_entries([(i, 1), (i, 2)])
    to_base(i, 2)
    to_base(b, u)
    list_dot_product(l, [1])
    to_days(b)
    to_months(b)
    to_weeks(b)
    to_decades(b)
    to_centuries(b)
    to_quarters(b)
    to_minutes(b)
    to_milliseconds(x)
    epoch_ns(s)
    date_add(s, iv)
    s + iv
    b + i
    i // u
    b << 70
    dc * dc
    w::INT
    x::INT
    j::JSON
    w::DATE
    s::TIMESTAMP_NS
"""


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        connection.sql(f"CREATE TABLE t AS SELECT * FROM (VALUES {_ROWS}) v({', '.join(_COLUMNS)})")
        yield connection


def failed(con: tqp.Connection, query: str) -> ExecutionError | None:
    """The error of the run; None where the query is answered, or refused before it runs."""
    try:
        con.sql(query).fetchall()
    except ExecutionError as error:
        return error
    except InternalError:
        raise
    except (BindError, ParseError, UnsupportedError):
        pass
    return None


def require_place(error: ExecutionError, query: str, starts: tuple[str, ...]) -> None:
    """It is of one line, and its caret stands below one of these."""
    assert error.location is not None, f"{query}\n{error}"
    assert query[error.location.column - 1 :].startswith(starts), f"{query}\n{error}"
    assert "\n" not in error.message and "Hint" not in error.message, error.message
    assert str(error).splitlines()[2].strip() == "^"


@pytest.mark.parametrize("call", [line.strip() for line in _FAILING.strip().splitlines()])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT i, {} AS y FROM t",
        "SELECT i FROM t WHERE i < 9 AND {} IS NOT NULL",
        "SELECT count(*), {} AS y FROM t GROUP BY {}",
        "SELECT u, max({}) AS y FROM t GROUP BY u",
    ],
)
def test_functions_that_fail_have_a_place(con: tqp.Connection, query: str, call: str) -> None:
    text = query.replace("{}", call)
    error = failed(con, text)
    assert error is not None, text
    require_place(error, text, (call,))


def called() -> list[str]:
    assert tqp.functions
    return sorted(name for name in names() if is_plain(name) and name not in ("range", "generate_series"))


@pytest.mark.parametrize("part", range(4))
def test_whatever_fails_has_a_place(con: tqp.Connection, part: int) -> None:
    found = 0
    for name in called()[part::4]:
        rng = random.Random(name)
        for _ in range(6):
            args = [
                rng.choice(_COLUMNS if rng.random() < 0.75 else _CONSTANTS) for _ in range(rng.choice((1, 1, 2, 2, 3)))
            ]
            query = f"SELECT {name}({', '.join(args)}) AS y FROM t"
            error = failed(con, query)
            if error is not None:
                found += 1
                # The cast of an argument stands where that does.
                require_place(error, query, (name, *args))
    assert found


def test_a_part_that_is_no_part_says_so_once(con: tqp.Connection) -> None:
    error = failed(con, "SELECT i,\n  date_trunc(w, s) AS y FROM t")
    assert isinstance(error, TqpError) and error.location is not None
    assert (error.location.line, error.location.column) == (2, 3)
    assert error.message == "there is no date part 'nonsense'" and error.hint is not None
    assert error.hint.startswith("the parts are year") and "In " not in str(error)
