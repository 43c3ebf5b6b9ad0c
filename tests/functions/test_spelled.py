"""Functions that spell values, and read what is spelled, over many values that do not repeat: against DuckDB."""

from __future__ import annotations

import math
import random
import struct

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.errors import ExecutionError
from tqp.kernels.loops.loop import Loop

ROWS = 3000
FUNCTIONS = [
    "hex(s)", "hex(encode(s))", "bin(s)", "unhex(h)", "base64(encode(s))", "from_base64(b)", "url_encode(s)", "url_decode(u)",
    "url_decode(replace(s, '%', '%2'))", "md5(s)", "sha1(s)", "sha256(s)", "md5(encode(s))", "hash(s)", "hash(s, n)", "hex(n)", "bin(n)", "hex(w::HUGEINT)", "bin(w::HUGEINT)",
    "format_bytes(n)", "formatReadableDecimalSize(n)", "n::VARCHAR", "x::VARCHAR", "p::VARCHAR", "q::VARCHAR", "r::VARCHAR",
    "printf('%d %5d %-5d| %05d %i', n, n, n, n, n)", "printf('%s|%30s|%-30s|', s, s, s)", "printf('%s', x::VARCHAR)",
    "printf('%.2f|%f|%9.3f|%-12.1f|%012.4f|%.0f', y, y, y, y, y, y)", "printf('%.3f', CASE WHEN abs(x) < 1e15 THEN x END)", "printf('%x %s', n, s)",
    "format('{}|{:12}|{:<12}|{:012}|{:*>25}', n, n, n, n, n)", "format('{} {:30} {:>30} {:s}', s, s, s, s)",
    "format('{} {:.2f} {:f} {:12.1f} {:<12.3f} {:012.2f} {:.0f}', y, y, y, y, y, y, y)", "format('{:.4f} {{}}', p)",
]  # fmt: skip


def _doubles(turn: random.Random) -> list[float | None]:
    ends = [
        0.0,
        -0.0,
        1e15,
        1e16,
        1e-4,
        1e-5,
        9999999999.5,
        1e10,
        math.nan,
        math.inf,
        -math.inf,
        5e-324,
        0.125,
        2.5,
        1.005,
        None,
    ]
    some = [struct.unpack("d", struct.pack("Q", turn.getrandbits(64)))[0] for _ in range(ROWS // 3)]
    some += [turn.choice([-1, 1]) * 10 ** turn.uniform(-8, 20) for _ in range(ROWS // 3)]
    return [*ends, *some, *(turn.randrange(10**9) / 8 for _ in range(ROWS - len(ends) - len(some)))]


def _table() -> pa.Table:
    turn = random.Random(0)
    texts = [
        None
        if row % 50 == 9
        else "".join(turn.choices("abcXYZ019 -._~%/+é漢🙂", k=turn.choice([0, 3, 20, 70]))) + f"{row}"
        for row in range(ROWS)
    ]
    numbers = [turn.choice([-1, 1]) * turn.getrandbits(turn.randrange(1, 64)) for _ in range(ROWS - 2)]
    doubles = _doubles(turn)
    plain = pa.table({
        "i": range(ROWS), "s": pa.array(texts, pa.string()), "n": pa.array([-(2**63), *numbers, None], pa.int64()),
        "x": pa.array(doubles, pa.float64()), "y": [turn.randrange(-(10**9), 10**9) / 10**4 for _ in range(ROWS)],
    })  # fmt: skip
    with duckdb.connect() as source:
        source.register("plain", plain)
        return source.sql(
            "SELECT *, n::HUGEINT * 12345678901 AS w, (n % 10**14 / 10000)::DECIMAL(18, 4) AS p, (n % 10000 / 10000)::DECIMAL(4, 4) AS q,"
            " n::DECIMAL(19, 0) AS r, hex(s) AS h, base64(encode(s)) AS b, url_encode(s) AS u FROM plain ORDER BY i"
        ).to_arrow_table()


TABLE = _table()


def _answers(connection: tqp.Connection | duckdb.DuckDBPyConnection, function: str) -> list[str]:
    return [repr(row[0]) for row in connection.sql(f"SELECT {function} FROM t ORDER BY i").fetchall()]


@pytest.mark.parametrize("has_loops", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_many_values(function: str, has_loops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_loops:
        monkeypatch.setattr(Loop, "ready", lambda *args: False)
    with tqp.connect() as ours, duckdb.connect() as theirs:
        ours.register("t", TABLE)
        theirs.register("t", TABLE)
        assert _answers(ours, function) == _answers(theirs, function)


def test_doubles_that_repeat() -> None:
    asked = "SELECT x::VARCHAR FROM t, range(8) ORDER BY i"
    with tqp.connect() as ours, duckdb.connect() as theirs:
        ours.register("t", TABLE)
        theirs.register("t", TABLE)
        assert ours.sql(asked).fetchall() == theirs.sql(asked).fetchall()


@pytest.mark.parametrize("has_loops", [True, False])
@pytest.mark.parametrize(
    ("function", "text", "message"),
    [
        ("unhex", "12g4", "Invalid input for hex digit: g"),
        ("from_base64", "QQ=", "length must be a multiple of 4"),
        ("from_base64", "QQ=A", "data after the padding at position 3"),
        ("from_base64", "Q!==", "invalid byte value '33' at position 1"),
        ("url_decode", "%FF", "is no text in UTF-8 once it is decoded"),
    ],
)
def test_what_cannot_be_read(
    function: str, text: str, message: str, has_loops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error of the rows that ask for it, and of no others."""
    if not has_loops:
        monkeypatch.setattr(Loop, "ready", lambda *args: False)
    texts = [f"{row:08d}" for row in range(ROWS)]
    with tqp.connect() as connection:
        connection.register("t", pa.table({"i": range(ROWS), "s": [*texts[:-1], text]}))
        with pytest.raises(ExecutionError, match=message):
            connection.sql(f"SELECT count({function}(s)) FROM t").fetchall()
        assert connection.sql(f"SELECT count({function}(s)) FROM t WHERE i < {ROWS - 1}").fetchall() == [(ROWS - 1,)]
