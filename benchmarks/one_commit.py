"""One side of `benchmarks.commits`: runs or plans the queries it is asked for, with whatever tqp is on its path.

Takes the tables as JSON, their files by name, and a number of threads. Says where its tqp is from, and for each line
`["run" | "plan", text]` how many milliseconds of wall and of CPU time that took. It uses only what old commits have too.
"""

import json
import sys
import time

import pyarrow.parquet as pq

import tqp
from tqp.optimizer import optimize
from tqp.physical.planner import lower
from tqp.sql import bind


def main() -> None:
    connection = tqp.connect(threads=int(sys.argv[2]))
    for name, path in json.loads(sys.argv[1]).items():
        connection.register(name, pq.read_table(path))
    actions = {
        "run": lambda text: connection.sql(text).result(),
        "plan": lambda text: lower(optimize(bind(text, connection.lookup).plan)),
    }
    print(tqp.__file__, flush=True)
    for line in sys.stdin:
        action, text = json.loads(line)
        wall, cpu = time.perf_counter(), time.process_time()
        actions[action](text)
        times = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps([1e3 * seconds for seconds in times]), flush=True)


if __name__ == "__main__":
    main()
