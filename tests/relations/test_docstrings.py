"""The examples in the docstrings of the public methods give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest

import tqp
import tqp.dbapi
from tqp.connection import default

ROOT = Path(tqp.__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "tqp").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
EXAMPLES = [
    example
    for module in MODULES
    for example in doctest.DocTestFinder(exclude_empty=True).find(import_module(module), globs={})
    if example.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name.removeprefix("tqp."))
def test_docstrings(example: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(default, "_default", None)  # what examples register there is theirs alone
    con = tqp.connect(threads=1)
    con.register("orders", pa.table({"id": [1, 2, 3], "customer": ["ann", "bob", "ann"], "amount": [10, 8, 4]}))
    con.register("customers", pa.table({"name": ["ann", "bob"], "city": ["rome", "oslo"]}))
    tables = {"orders": con.table("orders"), "customers": con.table("customers")}
    # Variables are found in frames outside of tqp.
    example.globs = {"con": con, "tqp": tqp, **tables, "__name__": "__main__"}
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)
