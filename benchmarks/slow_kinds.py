"""Kinds of queries that take long for reasons of their own: how much CPU beside DuckDB?

python -m benchmarks.slow_kinds --threads 1                             every kind
python -m benchmarks.slow_kinds --only in_list recursion --json k.jsonl   some of them

Long lists of constants, joins by one of several keys, pivots of many columns, many parts of a UNION, many CTEs, groups by what is
computed, series, recursions of many small steps. Both sides run in this process, in turns, with as many threads. No text comes
twice: its constants are others in each turn. `first` is the first query of a connection that has just been made, `later` those
after it; the numbers are milliseconds of CPU, the median of all turns.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any, Final

import pyarrow as pa
import torch

import tqp
from benchmarks.timing import Record
from tpch.needed import names_what_is_missing

__all__ = ["KINDS", "Kind", "main"]

Rows = list[tuple[Any, ...]]

_LATER: Final = 5


@dataclass(frozen=True)
class Kind:
    """Queries of a kind: the text of a turn, what makes its tables in DuckDB, and how many times DuckDB's CPU time it may take."""

    text: Callable[[random.Random], str]
    tables: tuple[str, ...] = ()
    bar: float = 3.0


def _numbers(turn: random.Random, count: int, below: int) -> str:
    return ", ".join(map(str, turn.sample(range(below), count)))


def _values(turn: random.Random, count: int) -> str:
    some = [turn.randrange(10**6) for _ in range(count)]
    return ", ".join(f"({at}, 'name {at % 5000}', {one / 4}, {one})" for at, one in enumerate(some))


def _computed(turn: random.Random, count: int) -> str:
    some = [turn.randrange(10**6) for _ in range(count)]
    return ", ".join(f"({at}, {one} + {at % 7}, {one} * 2)" for at, one in enumerate(some))


def _sums(turn: random.Random, count: int) -> str:
    return ", ".join(f"{turn.randrange(10**6)} + {at % 7}" for at in range(count))


def _parts(turn: random.Random, count: int) -> str:
    parts = [f"SELECT {at} AS part, sum(v) AS s FROM t WHERE k = {turn.randrange(1000)}" for at in range(count)]
    return "SELECT count(*), sum(s) FROM (" + " UNION ALL ".join(parts) + ")"


def _ctes(turn: random.Random, count: int) -> str:
    ctes = [f"c0 AS (SELECT k, v FROM t WHERE k < {turn.randrange(500, 600)})"]
    ctes += [
        f"c{at} AS (SELECT k, v + {turn.randrange(100)} AS v FROM c{at - 1} WHERE v > {turn.randrange(100)})"
        for at in range(1, count)
    ]
    return f"WITH {', '.join(ctes)} SELECT count(*), sum(v) FROM c{count - 1}"


def _either(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*), sum(a.v + b.v) FROM a JOIN b ON a.x = b.x OR a.y = b.y WHERE a.v > {more}"


def _either_of_two(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*), sum(a.v) FROM a JOIN b ON a.x = b.x OR a.x = b.y WHERE b.v > {more}"


def _either_or_none(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*), count(b.v), sum(a.v) FROM a LEFT JOIN b ON (a.x = b.x OR a.y = b.y) AND b.v > {more}"


def _either_full(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*), count(a.v), count(b.v) FROM a FULL JOIN b ON (a.x = b.x OR a.y = b.y) AND b.v > {more}"


def _either_mark(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*) FROM a WHERE v < {more} OR EXISTS (FROM b WHERE (a.x = b.x OR a.y = b.y) AND b.v > {more})"


def _two_keys(turn: random.Random) -> str:
    more = turn.randrange(1000)
    return f"SELECT count(*), sum(a.v + b.v) FROM a JOIN b ON a.x = b.x AND a.y = b.y WHERE a.v > {more}"


def _groups(of: str) -> Callable[[random.Random], str]:
    return lambda turn: f"SELECT {of} AS g, count(*), sum(v) FROM e WHERE v > {turn.randrange(1000)} GROUP BY g"


def _recursion(turn: random.Random, union: str = "UNION ALL") -> str:
    step = "SELECT g.t, d + 1 FROM r JOIN g ON g.f = r.n WHERE d < 2000 AND g.t > 0"
    seed = f"SELECT {turn.randrange(1, 1000)}, 0"
    return f"WITH RECURSIVE r(n, d) AS ({seed} {union} {step}) SELECT count(*), sum(n), max(d) FROM r"


def _recursion_by_key(turn: random.Random) -> str:
    step = "SELECT g.t, d + 1 FROM r JOIN g ON g.f = r.n WHERE d < 2000 AND g.t > 0"
    seed = f"SELECT {turn.randrange(1, 1000)}, 0"
    return f"WITH RECURSIVE r(n, d) USING KEY (n) AS ({seed} UNION {step}) SELECT count(*), sum(n), max(d) FROM r"


def _recursion_of_texts(turn: random.Random) -> str:
    step = "SELECT h.t, d + 1 FROM r JOIN h ON h.f = r.n WHERE d < 2000 AND h.t <> 'n0'"
    seed = f"SELECT 'n{turn.randrange(1, 1000)}', 0"
    return f"WITH RECURSIVE r(n, d) AS ({seed} UNION ALL {step}) SELECT count(*), max(n), max(d) FROM r"


def _recursion_by_two(turn: random.Random) -> str:
    step = "SELECT p.c, p.d, n + 1 FROM r JOIN p ON p.a = r.a AND p.b = r.b WHERE n < 2000"
    seed = f"SELECT 0::BIGINT, {turn.randrange(1, 1000)}::BIGINT, 0::BIGINT"
    return f"WITH RECURSIVE r(a, b, n) AS ({seed} UNION ALL {step}) SELECT count(*), sum(a), sum(b), max(n) FROM r"


_EDGES: Final = (
    "CREATE TABLE g AS SELECT i AS f, i + 1 AS t FROM range({rows}) r(i)"
    " UNION ALL SELECT i * 3, 0 FROM range({rows} // 3) r(i)"
)
_NAMED_EDGES: Final = (
    "CREATE TABLE h AS SELECT 'n' || i AS f, 'n' || (i + 1) AS t FROM range(100000) r(i)"
    " UNION ALL SELECT 'n' || (i * 3), 'n0' FROM range(33333) r(i)"
)
_EDGES_BY_TWO: Final = (
    "CREATE TABLE p AS SELECT i // 1000 AS a, i % 1000 AS b, (i + 1) // 1000 AS c, (i + 1) % 1000 AS d"
    " FROM range(100000) r(i)",
)
_PAIRS: Final = (
    "CREATE TABLE a AS SELECT i AS v, i * 7919 % 20011 AS x, i * 104729 % 20021 AS y FROM range(20000) t(i)",
    "CREATE TABLE b AS SELECT i AS v, i * 7907 % 20011 AS x, i * 104723 % 20021 AS y FROM range(20000) t(i)",
)
_SMALL: Final = ("CREATE TABLE t AS SELECT i % 1000 AS k, i * 7919 % 10007 AS v FROM range(100000) t(i)",)
_EVENTS: Final = (
    "CREATE TABLE e AS SELECT TIMESTAMP '2020-01-01' + INTERVAL (i * 37) SECOND AS at_time, (i * 7919 % 100003) / 7 AS x,"
    " i * 7919 % 10007 AS v FROM range(2000000) t(i)",
)
_LONG: Final = (
    "CREATE TABLE p AS SELECT i % 500 AS k, (i * 7919) % 2000 AS c, i * 104729 % 10007 AS v FROM range(200000) t(i)",
)

KINDS: Final = {
    "in_list": Kind(
        lambda turn: f"SELECT count(*), sum(v) FROM t WHERE v IN ({_numbers(turn, 100_000, 10**6)})", _SMALL
    ),
    "in_list_texts": Kind(
        lambda turn: "SELECT count(*) FROM t WHERE v::VARCHAR IN ("
        + ", ".join(f"'{one}'" for one in turn.sample(range(10**6), 50_000)) + ")",
        _SMALL,
    ),
    "in_list_computed": Kind(
        lambda turn: f"SELECT count(*), sum(v) FROM t WHERE v IN ({_sums(turn, 5000)})", _SMALL
    ),
    "values": Kind(lambda turn: f"SELECT count(*), sum(d), max(b), sum(c) FROM (VALUES {_values(turn, 50_000)}) t(a, b, c, d)"),
    "values_computed": Kind(lambda turn: f"SELECT count(*), min(b), max(c) FROM (VALUES {_computed(turn, 5000)}) t(a, b, c)"),
    "recursion": Kind(_recursion, (_EDGES.format(rows=100_000),)),
    "recursion_large": Kind(_recursion, (_EDGES.format(rows=1_000_000),)),
    "recursion_union": Kind(lambda turn: _recursion(turn, "UNION"), (_EDGES.format(rows=100_000),)),
    "recursion_using_key": Kind(_recursion_by_key, (_EDGES.format(rows=100_000),)),
    "recursion_texts": Kind(_recursion_of_texts, (_NAMED_EDGES,)),
    "recursion_two_keys": Kind(_recursion_by_two, _EDGES_BY_TWO),
    "either_key": Kind(_either, _PAIRS),
    "either_key_of_two": Kind(_either_of_two, _PAIRS),
    "either_key_left": Kind(_either_or_none, _PAIRS),
    "either_key_full": Kind(_either_full, _PAIRS),
    "either_key_mark": Kind(_either_mark, _PAIRS),
    "two_keys": Kind(_two_keys, _PAIRS),
    "pivot": Kind(lambda turn: f"PIVOT (FROM p WHERE v > {turn.randrange(1000)}) ON c USING sum(v) GROUP BY k", _LONG),
    "union": Kind(lambda turn: _parts(turn, 300), _SMALL),
    "ctes": Kind(lambda turn: _ctes(turn, 200), _SMALL),
    "series": Kind(lambda turn: f"SELECT count(*) FROM generate_series(1, {3 * 10**9 - turn.randrange(10**6)})"),
    "hour": Kind(_groups("hour(at_time)"), _EVENTS),
    "minute": Kind(_groups("minute(at_time)"), _EVENTS),
    "month": Kind(_groups("month(at_time)"), _EVENTS),
    "weekday": Kind(_groups("dayofweek(at_time)"), _EVENTS),
    "floor": Kind(_groups("floor(x / 2)"), _EVENTS),
}  # fmt: skip


def _seconds(ask: Callable[[str], Any], text: str) -> tuple[float, Rows]:
    start = time.process_time()
    answer = ask(text).fetchall()
    _end_compiling()
    return time.process_time() - start, sorted(answer, key=repr)


def _end_compiling() -> None:
    """Wait for the loops that queries have asked for."""
    for thread in threading.enumerate():
        if thread.name == "tqp-loops":
            thread.join()


def _start(threads: int) -> float:
    """Do what a process does once: seconds of CPU. The third query of the same kind has one loop made of all that it does."""
    start = time.process_time()
    with tqp.connect(threads=threads) as connection:
        connection.register("w", {"k": torch.arange(2**21) % 8})
        for more in range(3):
            _seconds(connection.sql, f"SELECT k, count(*) FROM w WHERE k > {more} GROUP BY k")
    return time.process_time() - start


def _measured(record: Record, name: str, kind: Kind, repeat: int, threads: int) -> None:
    import duckdb

    source = duckdb.connect(config={"threads": threads})
    for table in kind.tables:
        source.execute(table)
    tables: dict[str, pa.Table] = {
        row[0]: source.sql(f'FROM "{row[0]}"').to_arrow_table() for row in source.sql("SHOW TABLES").fetchall()
    }
    turns = random.Random(name)

    def of_tqp() -> Any:
        made = tqp.connect(threads=threads)
        for table, rows in tables.items():
            made.register(table, rows)
        return made

    def of_duckdb() -> Any:
        made = duckdb.connect(config={"threads": threads})
        for table in kind.tables:
            made.execute(table)
        return made

    found: dict[str, dict[str, list[float]]] = {state: {"tqp": [], "duckdb": []} for state in ("first", "later")}
    for _ in range(repeat):
        ours, theirs = of_tqp(), of_duckdb()
        for state in ("first", *["later"] * _LATER):
            text = kind.text(turns)
            answers = []
            for side, connection in (("tqp", ours), ("duckdb", theirs)):
                seconds, answer = _seconds(connection.sql, text)
                found[state][side].append(seconds)
                answers.append(answer)
            if not _alike(*answers):
                raise SystemExit(f"{name}: the answers differ")
        ours.close()
        theirs.close()
    for state, sides in found.items():
        mine, other = median(sides["tqp"]), median(sides["duckdb"])
        record.add(
            f"{name}: {state}", [seconds * 1e3 for seconds in sides["tqp"]], duckdb_ms=round(other * 1e3, 2),
            times=round(mine / max(other, 1e-6), 2), mean_times=round(sum(sides["tqp"]) / max(sum(sides["duckdb"]), 1e-6), 2),
            bar=kind.bar, met=mine <= kind.bar * other, threads=threads,
        )  # fmt: skip


def _alike(ours: Rows, theirs: Rows) -> bool:
    """Whether the rows are the same, sums of DOUBLE but for their last digits."""
    return len(ours) == len(theirs) and all(
        one == other or isinstance(one, float) and abs(one - other) <= 1e-9 * abs(other)
        for mine, yours in zip(ours, theirs, strict=True)
        for one, other in zip(mine, yours, strict=True)
    )


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks.slow_kinds", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5, help="connections on each side; six queries on each")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    record = Record("slow_kinds", args.json)
    record.fact("versions", python=python_version(), torch=torch.__version__, duckdb=version("duckdb"))
    record.fact("start", start_ms=round(_start(args.threads) * 1e3))
    for name in args.only:
        _measured(record, name, KINDS[name], args.repeat, args.threads)


if __name__ == "__main__":
    main()
