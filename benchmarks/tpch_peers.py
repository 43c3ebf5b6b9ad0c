"""How fast is TPC-H beside other engines?

    python -m benchmarks.tpch_peers --sf 1 --threads 2 --json peers.jsonl

Takes what `python -m tpch run` takes; all four engines take turns, and what an engine cannot run is recorded as its
error. polars and datafusion are optional: pip install "tensor-query-processor[peers]".
"""

from __future__ import annotations

import sys

from tpch.__main__ import main
from tpch.engines import ENGINES

if __name__ == "__main__":
    sys.exit(main(["run", "--engines", ",".join(ENGINES), *sys.argv[1:]]))
