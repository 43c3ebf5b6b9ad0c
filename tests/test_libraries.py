"""What the `dev` extra promises is there: a test never skips because a library is missing. Without the others errors say what to install."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.installed import BLOCKED, PROJECT, importable, others
from tpch.needed import EXTRAS as NEEDED

ROOT = Path(__file__).parents[1]
EXTRAS = PROJECT["optional-dependencies"]


def _libraries(extra: str) -> set[str]:
    found = set()
    for requirement in EXTRAS[extra]:
        name, parts = re.fullmatch(r"([\w.-]+)(?:\[([\w,-]+)\])?.*", requirement).groups()
        is_own = name == "tensor-query-processor"
        found |= set().union(*map(_libraries, parts.split(","))) if is_own else {name}
    return found


@pytest.mark.parametrize("name", sorted(_libraries("dev")))
def test_dev_brings_it(name: str) -> None:
    assert distribution(name).version


def test_no_test_skips_itself_for_want_of_a_library() -> None:
    skipping = re.compile(r"importorskip\(|except (ImportError|ModuleNotFoundError)")
    own = Path(__file__)
    found = [path.name for path in (ROOT / "tests").rglob("*.py") if path != own and skipping.search(path.read_text())]
    assert not found


def test_programs_of_a_checkout_name_what_is_missing(tmp_path: Path) -> None:
    """In one process for all of them: each fails before it has done anything, with the command that installs what it needs."""
    assert set(NEEDED.values()) <= set(EXTRAS)
    script = BLOCKED.format(blocked=sorted(NEEDED)) + _PROGRAMS.format(data=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    said = run.stdout.split("=== ")[1:]
    assert [text.split()[-1] for text in said] == ["2"] * len(said), run.stdout
    extra = {text.splitlines()[0]: re.findall(r"tensor-query-processor\[([a-z]+)\]", text) for text in said}
    assert extra == {
        "benchmarks.workloads": ["verify"],
        "benchmarks.language": ["verify"],
        "benchmarks.orders": ["verify"],
        "benchmarks.looks": ["verify"],
        "benchmarks.ablations": ["verify"],
        "benchmarks.shapes": ["verify"],
        "benchmarks.demo_predict": ["models"],
        "benchmarks.plots": ["plots"],
    }


_PROGRAMS = """
import os
import sys
from contextlib import redirect_stderr
from importlib import import_module

os.environ["TQP_DATA"] = {data!r}
for name, *arguments in (
    ("benchmarks.workloads", "--only", "star", "--rows", "1000"),
    ("benchmarks.language", "--rows", "1000"),
    ("benchmarks.orders", "--only", "star"),
    ("benchmarks.looks", "--rows", "1000"),
    ("benchmarks.ablations", "--rows", "1000", "--only", "star"),
    ("benchmarks.shapes", "--scale", "0.001"),
    ("benchmarks.demo_predict",),
    ("benchmarks.plots", "--to", {data!r}),
):
    module = import_module("benchmarks.workloads.__main__" if name == "benchmarks.workloads" else name)
    print("===", name)
    with redirect_stderr(sys.stdout):
        status = module.main(arguments)
    print(status)
"""


@pytest.mark.slow
def test_each_extra_brings_all_that_it_is_for(tmp_path: Path) -> None:
    """In processes in which nothing else can be imported, forked from one that has what `pip install .` brings."""
    assert set(_USES) == set(EXTRAS) - {"peers", "docs", "dev"}
    base = PROJECT["dependencies"]
    unblocked = {extra: importable([*base, *EXTRAS[extra]]) for extra in _USES}
    script = BLOCKED.format(blocked=others(base)) + _EACH.format(uses=_USES, unblocked=unblocked)
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
                         capture_output=True, text=True, check=False)  # fmt: skip
    assert run.stdout.split() == [f"{extra}=0" for extra in _USES], run.stdout + run.stderr


_MODEL = """
model.fit(rows, labels)
tqp.register_model("model", model, inputs=["a", "b"])
t = {"a": rows[:, 0], "b": rows[:, 1]}
assert tqp.sql("SELECT PREDICT(model, a, b) FROM t").numpy().popitem()[1].tolist() == model.predict(rows).tolist()
"""
_USES = {
    "verify": "assert tqp.sql('SELECT 42').verify()",
    "pandas": "assert tqp.sql('SELECT 42 AS a').map(lambda frame: frame + 1).df().a.tolist() == [43]",
    "polars": "assert tqp.sql('SELECT 42 AS a').pl().rows() == [(42,)]",
    "loops": "import numba; assert 'numba' in tqp.version_report()",
    "models": f"from sklearn.linear_model import LogisticRegression; model = LogisticRegression(){_MODEL}",
    "onnx": """
import onnx
from onnx import TensorProto, helper
ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 2]) for name in "xy"]
graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", ends[:1], ends[1:])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "model.onnx")
for backend in ("tensor", "host"):
    tqp.register_model(backend, "model.onnx", inputs=["a", "b"], backend=backend)
    assert tqp.sql(f"SELECT PREDICT({backend}, 1, 2)").fetchall() == [((-1.0, -2.0),)]
""",
    "xgboost": f"from xgboost import XGBClassifier; model = XGBClassifier(n_estimators=2, n_jobs=1){_MODEL}",
    "lightgbm": f"from lightgbm import LGBMClassifier; model = LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1){_MODEL}",
    "catboost": f"""
from catboost import CatBoostClassifier
model = CatBoostClassifier(n_estimators=2, thread_count=1, verbose=False, allow_writing_files=False){_MODEL}
""",
    "progress": "tqp.connect(progress=True).sql('SELECT 42').fetchall(); import rich.progress",
    "shell": "import tqp.shell.prompt",
    "notebook": """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "tqp")
assert shell.run_line_magic("sql", "SELECT 42").fetchall() == [(42,)]
""",
    "ibis": "import ibis; assert ibis.tqp.connect().sql('SELECT 42 AS a').execute().a.tolist() == [42]",
    "remote": """
try:
    tqp.sql("FROM 'http://127.0.0.1:9/none.csv'")
except tqp.errors.SourceError as error:
    assert "installed" not in str(error), error
""",
    "plots": "import benchmarks.plots; benchmarks.plots.main(['--to', '.'])",
}
_EACH = """
import os
import traceback
import numpy as np
import torch
import tqp
from contextlib import redirect_stdout

rows = np.random.default_rng(0).normal(size=(99, 2))
labels = (rows.sum(1) > 0).astype(int)
for extra, use in {uses}.items():
    child = os.fork()
    if not child:
        blocked -= {unblocked}[extra]
        try:
            with redirect_stdout(sys.stderr):
                exec(use)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    print(f"{{extra}}={{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}}", flush=True)
"""
