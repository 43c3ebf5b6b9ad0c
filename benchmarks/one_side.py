"""One side of `benchmarks.ablations`: runs the queries it is asked for, without some mechanisms.

Takes its settings as JSON, then a text of SQL a line, as JSON too; says how many milliseconds of wall and of CPU time each took,
up to where it was stopped.
"""

import json
import sys
import time
from contextlib import suppress
from dataclasses import replace

import tqp
from tqp.device import CPU, TYPES
from tqp.errors import QueryTimeoutError


def main() -> None:
    settings = json.loads(sys.argv[1])
    TYPES["cpu"] = replace(TYPES["cpu"], limits=replace(CPU, **settings["limits"]))
    connection = tqp.connect(threads=settings["threads"], disabled_rules=settings["rules"])
    for name, path in settings["files"].items():
        connection.register(name, path)
        stored = connection.catalog.lookup(name)
        for column, _ in stored.schema:
            stored.column(column)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        with suppress(QueryTimeoutError):
            connection.sql(json.loads(line), timeout=settings["seconds"]).arrow()
        times = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps([1e3 * seconds for seconds in times]), flush=True)


if __name__ == "__main__":
    main()
