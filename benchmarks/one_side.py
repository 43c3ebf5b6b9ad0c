"""One side of `benchmarks.ablations`: runs the queries it is asked for, without some mechanisms.

Takes its settings as JSON, then a text of SQL a line, as JSON too; says how many milliseconds of wall and of CPU time each took,
up to where it was stopped. One for which there is not the memory counts as one that is stopped.
"""

import json
import sys
import time
from dataclasses import replace

import tqp
from tqp.device import TYPES
from tqp.errors import OutOfMemoryError, QueryTimeoutError
from tqp.limits import CPU


def measured(connection: tqp.Connection, text: str, most: float) -> tuple[float, float]:
    """Seconds of wall and of CPU time that the query took; `most` each, or more, where it was stopped or had no memory."""
    wall, cpu = time.perf_counter(), time.process_time()
    least = 0.0
    try:
        connection.sql(text, timeout=most).arrow()
    except (QueryTimeoutError, OutOfMemoryError):
        least = most
    return max(least, time.perf_counter() - wall), max(least, time.process_time() - cpu)


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
        times = measured(connection, json.loads(line), settings["seconds"])
        print(json.dumps([1e3 * seconds for seconds in times]), flush=True)


if __name__ == "__main__":
    main()
