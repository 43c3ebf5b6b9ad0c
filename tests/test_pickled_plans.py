"""Plans travel: pickled without rows, they run over the tables of another process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest
from sklearn.ensemble import RandomForestClassifier

import tqp
from tests.shares import Cases, by_share
from tests.sql.test_cases import answered
from tpch import parameters
from tqp.catalog.over_tables import attached, references_of, tables_of
from tqp.config import Settings
from tqp.data.stored import StoredTable
from tqp.errors import SourceError
from tqp.io.constants import ConstantTable
from tqp.io.export import table_to_arrow
from tqp.ir.expr import Call, ColumnRef, Expr
from tqp.ir.plan import Plan
from tqp.ir.show import show
from tqp.physical.planner import lower
from tqp.runtime.executor import run
from tqp.types import BIGINT


def optimized(relation: tqp.Relation) -> Plan:
    return relation._query.optimized


def named(plan: Plan) -> dict[str, StoredTable]:
    return {table.name: table for table in tables_of(plan)}


def copied(plan: Plan) -> Plan:
    again = pickle.loads(pickle.dumps(plan))
    # The rows of VALUES, and of what PIVOT makes columns of, travel with it.
    assert isinstance(again, Plan) and all(isinstance(table, ConstantTable) for table in tables_of(again))
    return again


@by_share(6)
def test_every_case_travels(cases: tqp.Connection, share: Callable[[Cases], Cases]) -> None:
    travelled = 0
    for _, statement in share(answered()):
        plan = optimized(cases.sql(statement))
        assert show(attached(copied(plan), named(plan))) == show(plan), statement
        travelled += 1
    assert travelled > 400


RUNNER = """
import pickle, sys
from pathlib import Path
import pyarrow as pa
import tqp
from tests.test_pickled_plans import answer, named, optimized
from tqp.catalog.over_tables import attached

folder, plans, answers = map(Path, sys.argv[1:])
con = tqp.connect(threads=1)
for file in sorted(folder.glob("*.parquet")):
    con.register(file.stem, file)
own = {name: table for file in folder.glob("*.parquet") for name, table in named(optimized(con.sql(f"FROM {file.stem}"))).items()}
for file in sorted(plans.iterdir()):
    table = answer(attached(pickle.loads(file.read_bytes()), own))
    with pa.ipc.new_file(answers / file.name, table.schema) as writer:
        writer.write_table(table)
"""


def answer(plan: Plan) -> pa.Table:
    return table_to_arrow(run(lower(plan), Settings()))


def test_tpch_in_another_process(tpch_dir: Callable[[float], Path], tmp_path: Path) -> None:
    folder = tpch_dir(0.01)
    plans, answers = tmp_path / "plans", tmp_path / "answers"
    plans.mkdir()
    answers.mkdir()
    con = tqp.connect(threads=1)
    for file in folder.glob("*.parquet"):
        con.register(file.stem, file)
    wanted: dict[int, pa.Table] = {}
    for number in parameters.QUERIES:
        plan = optimized(con.sql(parameters.query(number, sf=0.01)))
        (plans / str(number)).write_bytes(pickle.dumps(plan))
        wanted[number] = answer(plan)
    subprocess.run([sys.executable, "-c", RUNNER, str(folder), str(plans), str(answers)], check=True)
    for number, table in wanted.items():
        with pa.ipc.open_file(answers / str(number)) as reader:
            assert reader.read_all().equals(table), number
    assert sum(table.num_rows for table in wanted.values()) > 500


def test_a_pickle_holds_no_rows() -> None:
    con = tqp.connect()
    con.register("t", {"x": np.arange(1_000_000)})
    assert len(pickle.dumps(optimized(con.sql("SELECT sum(x) FROM t WHERE x > 5")))) < 3000


def test_what_is_shared_stays_shared() -> None:
    expr: Expr = ColumnRef("x", BIGINT)
    for _ in range(50):
        expr = Call("add", (expr, expr), BIGINT)
    again = pickle.loads(pickle.dumps(expr))
    assert again == expr and hash(again) == hash(expr)
    assert again.args[0] is again.args[1]
    long: Expr = ColumnRef("x", BIGINT)
    for _ in range(20_000):
        long = Call("neg", (long,), BIGINT)
    assert pickle.loads(pickle.dumps(long)) == long


def test_shared_relations_run_once_there_too() -> None:
    con = tqp.connect(threads=1)
    con.register("x", {"k": [1, 1, 2, 3]})
    query = con.sql(
        "WITH w AS (SELECT k, count(*) AS n FROM x GROUP BY k) SELECT count(*) FROM w p JOIN w q ON p.n = q.n"
    )
    plan = optimized(query)
    again = attached(copied(plan), named(plan))
    assert len(lower(again).pipelines) == len(lower(plan).pipelines)
    assert answer(again).to_pylist() == [{"count_star()": 5}] == query.arrow().to_pylist()


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as made:
        made.register("t", {"k": [1, 2, 3], "v": [10, 20, 30]})
        made.register("u", {"k": [1, 2, 2], "v": [10, 20, 30]})
        made.register("longer", {"k": [1, 2, 3, 4], "v": [10, 20, 30, 40]})
        made.register("other", {"k": ["a", "b", "c"], "v": [10, 20, 30]})
        yield made


@pytest.mark.parametrize(
    ("name", "message"),
    [("u", "has other values"), ("longer", "has 4 rows"), ("other", "has other values"), (None, "was not given")],
)
def test_a_table_that_is_another(con: tqp.Connection, name: str | None, message: str) -> None:
    plan = optimized(con.sql("SELECT a.v FROM t a JOIN t b ON a.k = b.k"))
    tables = {} if name is None else {"t": named(optimized(con.sql(f"FROM {name}")))[name]}
    with pytest.raises(SourceError, match=message):
        attached(copied(plan), tables)


def test_a_reference_has_no_rows_and_no_other_facts(con: tqp.Connection) -> None:
    plan = copied(optimized(con.sql("SELECT v FROM t WHERE k = 2")))
    (reference,) = references_of(plan)
    assert reference.name == "t" and reference.rows == 3
    with pytest.raises(SourceError, match="reference to table 't' alone"):
        reference.statistics("v")
    with pytest.raises(SourceError, match="reference to table 't' alone"):
        run(lower(plan), Settings())


def test_a_join_by_an_index_wants_the_table(con: tqp.Connection) -> None:
    plan = optimized(con.sql("SELECT a.v FROM longer a JOIN t b ON a.k = b.k"))
    tables = {"longer": named(plan)["longer"]}
    with pytest.raises(SourceError, match="'t', which was not given"):
        attached(copied(plan), tables)
    with pytest.raises(SourceError, match="reference to table '(t|longer)' alone"):
        run(lower(copied(plan)), Settings())


def test_models_are_references_too(con: tqp.Connection) -> None:
    features = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]] * 20)
    forest = RandomForestClassifier(5, random_state=0).fit(features, features[:, 0] > 1.5)
    con.register_model("forest", forest)
    query = con.sql("SELECT PREDICT(forest, k, v) AS p FROM t")
    plan = optimized(query)
    model = con.catalog.model("forest")
    assert model is not None
    again = attached(copied(plan), named(plan), {"forest": model})
    assert answer(again).column("p").to_pylist() == query.arrow().column("p").to_pylist()
    with pytest.raises(SourceError, match="model 'forest', which was not given"):
        attached(copied(plan), named(plan))
    con.register_model("forest", RandomForestClassifier(5, random_state=0).fit(features[:, :1], features[:, 0] > 1.5))
    smaller = con.catalog.model("forest")
    assert smaller is not None
    with pytest.raises(SourceError, match="not the one that the plan was made for"):
        attached(copied(plan), named(plan), {"forest": smaller})
