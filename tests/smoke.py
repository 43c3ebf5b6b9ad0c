"""What must work where nothing but the wheel and its dependencies is installed: `make dist` runs this there.

    python -I tests/smoke.py README.md

Run by the Python of that environment, from any folder; it needs no pytest and nothing of the checkout but README's first example.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from contextlib import redirect_stdout
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import torch

import tqp


def installed() -> None:
    """tqp is that of the wheel, typed, and of the version that the distribution says."""
    home = Path(tqp.__file__).parent
    assert "site-packages" in home.parts, f"tqp comes from {home}, not from the wheel"
    assert (home / "py.typed").exists()
    assert metadata.version("tensor-query-processor") == tqp.__version__
    assert f"tqp {tqp.__version__}" in re.sub(" +", " ", tqp.version_report())


def first_example(readme: Path) -> None:
    """README's first block prints what stands below it."""
    block = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(block[1], str(readme), "exec"), {"__name__": "example"})
    assert printed.getvalue() == block[2], printed.getvalue()


def statements_and_files() -> None:
    """Tables, files, joins, windows, text, decimals and parameters."""
    con = tqp.connect()
    con.sql("CREATE TABLE sales AS SELECT i, i % 3 AS shop, (i / 4)::DECIMAL(9, 2) AS amount FROM range(1000) t(i)")
    con.register("shops", pa.table({"shop": [0, 1], "city": ["Oslo", None]}))
    sql = "SELECT city, count(*), sum(amount) FROM sales LEFT JOIN shops USING (shop) WHERE i < $n GROUP BY city ORDER BY ALL"
    answer = con.sql(sql, {"n": 10}).fetchall()
    assert [(city, count, str(total)) for city, count, total in answer] == [("Oslo", 4, "4.50"), (None, 6, "6.75")], (
        answer
    )
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("parquet", "csv", "json"):
            path = f"{folder}/sales.{ending}"
            con.sql(f"COPY sales TO '{path}'")
            assert con.sql(f"SELECT count(*), max(i) FROM '{path}'").fetchall() == [(1000, 999)], ending
    windows = con.sql("SELECT i, sum(i) OVER (ORDER BY i ROWS 2 PRECEDING) AS s FROM sales ORDER BY i DESC LIMIT 1")
    assert windows.torch()["s"].data.tolist() == [999 + 998 + 997]
    con.close()


def functions_and_errors() -> None:
    """A tensor function, EXPLAIN, and errors that say what to install."""
    con = tqp.connect(threads=2)
    con.create_function("half", lambda x: x / 2, ["DOUBLE"], "DOUBLE", type="torch")
    con.register("t", {"x": torch.tensor([1.0, 2.0, 4.0])})
    relation = con.sql("SELECT sum(half(x)) FROM t")
    assert relation.fetchall() == [(3.5,)]
    assert "Scan t" in relation.explain()
    assert "import torch" in relation.explain("program")
    for ask, extra in ((relation.df, "pandas"), (relation.pl, "polars"), (relation.verify, "verify")):
        try:
            ask()
        except tqp.errors.TqpError as error:
            assert f"tensor-query-processor[{extra}]" in str(error), error
        else:
            raise AssertionError(f"[{extra}] is installed: this environment has more than the wheel needs")
    try:
        con.sql("SELECT missing FROM t")
    except tqp.errors.BindError as error:
        assert "missing" in str(error)
    else:
        raise AssertionError("an unknown column is no error")
    con.close()


def main(readme: Path) -> None:
    """Run all of it."""
    installed()
    first_example(readme)
    statements_and_files()
    functions_and_errors()
    print(f"tqp {tqp.__version__} works from its wheel\n{tqp.version_report()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
