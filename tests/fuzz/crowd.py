"""Several threads that run the same queries on one connection at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock

import pyarrow as pa

import tqp
from tests.fuzz.check import Pair, comparable
from tests.fuzz.data import RandomTable
from tqp.verify.compare import compare_query

_THREADS = 4


def crowd(pair: Pair, tables: Sequence[RandomTable], queries: Sequence[str], rng: random.Random) -> list[str]:
    """What went wrong as several threads ran the queries, each in an order of its own, beside DuckDB's answers.

    Meanwhile one more registers and forgets a table that no query reads.
    """
    expected = {sql: pair.oracle(sql) for sql in queries}
    oracle = Lock()

    def rerun(sql: str) -> pa.Table:
        with oracle:
            return pair.oracle(sql)

    with tqp.connect(threads=2) as connection:
        connection.settings = replace(connection.settings, batch_rows=7)
        for table in tables:
            connection.register(table.name, table.data)

        def work(order: Sequence[str]) -> list[str]:
            found = []
            for sql in order:
                try:
                    answer = comparable(connection.sql(sql).arrow(), sql)
                    difference = compare_query(sql, answer, expected[sql], rerun, strict=False)
                except Exception as error:
                    found.append(f"{type(error).__name__}: {error}\n{sql}")
                else:
                    if difference is not None:
                        found.append(f"{difference}\n{sql}")
            return found

        def disturb(times: int) -> list[str]:
            for _ in range(times):
                connection.register("unread", tables[0].data)
                connection.unregister("unread")
            return []

        orders = [rng.sample(list(queries), len(queries)) for _ in range(_THREADS)]
        with ThreadPoolExecutor(_THREADS + 1) as pool:
            jobs = [pool.submit(disturb, 4 * len(queries)), *(pool.submit(work, order) for order in orders)]
            return [text for job in jobs for text in job.result()]
