"""What a type checker knows of the code of users: the types that methods give, and calls that are wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CODE = """
import pandas as pd
import tqp
from tqp import CaseExpression, ColumnExpression as col, FunctionExpression

con = tqp.connect(threads=1)
con.register("t", {"a": [1, 2]}).register("rows", [{"a": 1}])
query = con.sql("SELECT a FROM t WHERE a > $least", {"least": 1}, timeout=5.0)
reveal_type(query)  # tqp.relation.relation.Relation
reveal_type(query.filter(col("a") > 1).order(col("a").desc()).limit(3))  # tqp.relation.relation.Relation
reveal_type(query.filter("a > 1").fetchall())  # list[tuple[Any, ...]]
reveal_type(query.fetchone())  # tuple[Any, ...] | None
reveal_type(query.columns)  # list[str]
reveal_type(query.types)  # list[tqp.types.DType]
reveal_type(query.torch(copy=False))  # dict[str, torch._tensor.Tensor | tqp.io.tensor_column.TensorColumn]
reveal_type(query.group_by("a").agg("count(*)"))  # tqp.relation.relation.Relation
reveal_type(query.aggregate([col("a").sum().alias("s")], "a").join(query, "a"))  # tqp.relation.relation.Relation
reveal_type(col("a") + 1)  # tqp.expressions.expression.Expression
reveal_type(col("a") == 1)  # tqp.expressions.expression.Expression
reveal_type(1 - col("a"))  # tqp.expressions.expression.Expression
reveal_type(CaseExpression(col("a") > 1, "x").otherwise(None))  # tqp.expressions.expression.Expression
reveal_type(FunctionExpression("upper", col("b")).alias("c"))  # tqp.expressions.expression.Expression
reveal_type(col("b").str().upper().left(2) == "AN")  # tqp.expressions.expression.Expression
reveal_type(con.register_model("m", len).create_function("f", len))  # tqp.connection.connection.Connection
reveal_type(query.map(lambda frame: frame.head(1)))  # tqp.relation.relation.Relation
reveal_type(con.from_df(pd.DataFrame({"a": [1]})))  # tqp.relation.relation.Relation
reveal_type(tqp.sql("SELECT 1").explain())  # str
reveal_type(con.read_csv("x.csv", sep=";", header=True))  # tqp.relation.relation.Relation
for row in query:
    reveal_type(row)  # tuple[Any, ...]
con.sql(5)  # error
con.sql("SELECT 1", timeout="5")  # error
con.read_csv("x.csv", separator=";")  # error
con.register("t")  # error
query.limit("3")  # error
query.write_parquet("x.parquet", codec="zstd")  # error
col(5)  # error
tqp.connect(thread=1)  # error
"""


def test_user_code_is_checked(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CODE)
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(root / "pyproject.toml"), str(tmp_path / "user.py")],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said: dict[int, str] = {}
    for line, kind, message in re.findall(r"user\.py:(\d+): (note|error): (.*)", run.stdout):
        said.setdefault(int(line), "error" if kind == "error" else message)
    assert said, run.stdout + run.stderr
    for number, line in enumerate(CODE.splitlines(), 1):
        code, _, expected = line.partition("  # ")
        if expected == "error":
            assert said.pop(number, "") == "error", code
        elif expected:
            assert said.pop(number, "") == f'Revealed type is "{expected}"', code
    assert not said
