"""A new thing of each kind goes into one place, as the table in CONTRIBUTING says: here each is added, used, and gone again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from sqlglot import exp
from torch import Tensor

import tqp
from tqp import device
from tqp.config import Settings
from tqp.data.column import Column
from tqp.device import DeviceType
from tqp.errors import ParseError, SourceError, UnsupportedError
from tqp.functions import registry
from tqp.functions.aggregates import registry as aggregates
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.registry import aggregate
from tqp.functions.entries import Entries, host_function
from tqp.functions.registry import Args, scalar
from tqp.functions.windows import Over, window_function
from tqp.functions.windows import registry as windows
from tqp.ir.plan import Filter, Limit, Plan
from tqp.kernels import operation as operations
from tqp.kernels import window
from tqp.kernels.operation import Variant, operation
from tqp.limits import ACCELERATOR
from tqp.models import registry as models
from tqp.models.features import Feature, Numeric
from tqp.models.registry import Imported, importer
from tqp.operators.operator import PreparedSink, Run
from tqp.optimizer import driver
from tqp.physical.pipeline import Pipeline
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.runtime import backends
from tqp.sql import clauses
from tqp.sql.selection import Selection
from tqp.statements import registry as statements
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.types import BIGINT, VARCHAR, DType


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        values = [n if n % 7 else None for n in range(100)]
        connection.register("t", pa.table({"k": [n % 3 for n in range(100)], "v": values, "s": ["a", "bb"] * 50}))
        yield connection


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers is gone after it."""
    tables: list[dict[str, Any]] = [
        registry._FUNCTIONS, statements._READERS, aggregates._AGGREGATES, aggregates._BY_SYNTAX, windows._FUNCTIONS, windows._BY_SYNTAX,
        models._PREDICTORS, models._PACKAGES, operations.OPERATIONS, backends.BACKENDS, device.TYPES,
    ]  # fmt: skip
    # What a package registers when it is first read stays, as it is read once.
    for package in set(models._PACKAGES.values()):
        import_module(f"tqp.models.{package}")
    before = [dict(table) for table in tables]
    yield
    for table, kept in zip(tables, before, strict=True):
        table.clear()
        table.update(kept)


def test_a_scalar_function(con: tqp.Connection) -> None:
    @scalar("triple", types=lambda args: ((BIGINT,), BIGINT))
    def triple(args: Args, out: DType) -> Column:
        return Column(args[0].data.long() * 3, out)

    assert con.sql("SELECT triple(v) FROM t WHERE k = 1 ORDER BY v LIMIT 2").fetchall() == [(3,), (12,)]
    assert con.sql("SELECT k FROM t WHERE triple(v) > 290 OR triple(v) IS NULL").arrow().num_rows == 17
    view = lower(con.sql("SELECT triple(v) FROM t")._query.optimized).view
    assert "triple" in {instruction.operation for instruction in view.instructions}
    assert "triple(v)" in con.sql("SELECT triple(v) AS x FROM t WHERE triple(v) > 1").explain()


def test_a_function_of_texts(con: tqp.Connection) -> None:
    asked = []

    @host_function("shout", VARCHAR, VARCHAR)
    def shout(entries: Entries, texts: Any) -> pa.Array:
        asked.append(entries.count)
        return pa.array([f"{text.as_py().upper()}!" for text in texts], pa.large_string())

    assert con.sql("SELECT DISTINCT shout(s) AS x FROM t ORDER BY x").fetchall() == [("A!",), ("BB!",)]
    assert max(asked) == 2


def test_an_aggregate(con: tqp.Connection) -> None:
    @aggregate("sum_of_squares", types=lambda args: ((BIGINT,), BIGINT))
    class SumOfSquares:
        def __init__(self, dtype: DType, groups: int, where: torch.device) -> None:
            self.total = torch.zeros(groups, dtype=torch.int64, device=where)

        def update(self, args: tuple[Column, ...], ids: Tensor | None, rows: int, seen: Tensor) -> None:
            values = args[0].data.long().square()
            if args[0].valid is not None:
                values = values * args[0].valid
            self._add(values.expand(rows), ids)

        def _add(self, values: Tensor, ids: Tensor | None) -> None:
            if ids is None:
                self.total += values.sum()
            else:
                self.total.scatter_add_(0, ids.long(), values)

        def merge(self, other: SumOfSquares, ids: Tensor | None, seen: Tensor, other_seen: Tensor) -> None:
            self._add(other.total, torch.arange(len(other.total)).to(seen.device) if ids is None else ids)

        def pick(self, other: SumOfSquares, rows: Tensor) -> None:
            self.total = other.total.index_select(0, rows)

        def finish(self, seen: Tensor) -> Column:
            return Column(self.total, BIGINT)

    check_aggregate(con, "sum_of_squares", "sum(v * v)")


def test_an_aggregate_by_one_rule(con: tqp.Connection) -> None:
    def start(args: tuple[Column, ...]) -> tuple[Tensor, ...]:
        values = args[0].data.long()
        return (values if args[0].valid is None else torch.where(args[0].valid, values, -1),)

    fold = Fold((-1,), start, lambda a, b: (torch.maximum(a[0], b[0]),), lambda s, out: Column(s[0], out))
    folded("greatest_or_minus_one", types=lambda args: ((BIGINT,), BIGINT), fold=fold)
    check_aggregate(con, "greatest_or_minus_one", "max(v)")
    over = "SELECT greatest_or_minus_one(v) OVER w, max(v) OVER w FROM t WHERE v > 0 WINDOW w AS (ORDER BY v ROWS 2 PRECEDING)"
    assert all(a == b for a, b in con.sql(over).fetchall())


def check_aggregate(con: tqp.Connection, name: str, same: str) -> None:
    """It is another aggregate, in all forms."""
    condition = "FILTER (WHERE v % 2 = 1)"
    for query in (
        "SELECT {} FROM t",
        "SELECT k, {} FROM t GROUP BY k ORDER BY k",
        "SELECT k, s, {} FROM t GROUP BY CUBE (k, s) ORDER BY ALL",
        f"SELECT k, {{}} {condition} FROM t GROUP BY k ORDER BY k",
        "SELECT v % 50 AS m, {} FROM t WHERE v > 0 GROUP BY m ORDER BY m",
        "SELECT {} OVER (PARTITION BY k) FROM t",
        "SELECT k FROM t GROUP BY k HAVING {} > 90000 ORDER BY k",
    ):
        assert con.sql(query.format(f"{name}(v)")).fetchall() == con.sql(query.format(same)).fetchall(), query


def test_a_window_function(con: tqp.Connection) -> None:
    @window_function("rows_left", counts=(0,), types=lambda args: ((), BIGINT), never_null=True)
    def rows_left(over: Over) -> Column:
        stop = window.stop_of(over.partitions)
        return Column(stop - torch.arange(len(stop), device=stop.device) - 1, over.dtype)

    query = "SELECT rows_left() OVER w, count(*) OVER (PARTITION BY k) - row_number() OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY v)"
    found = con.sql(query).fetchall()
    assert len(found) == 100 and all(a == b for a, b in found)


def test_a_statement(con: tqp.Connection) -> None:
    class Tally:
        changes = False

        def __init__(self, name: str, query: str) -> None:
            self.name, self.query = name, query

        def run(self, caller: Caller) -> tqp.Relation:
            return caller.rows(pa.table({self.name: [len(caller.query(self.query))]}))

    @statement("TALLY")
    def read(head: Head) -> Tally:
        name = head.identifier()
        head.need("OF")
        return Tally(name, head.query())

    assert con.sql("SELECT 1; TALLY rows OF FROM t WHERE k = ?", [1]).sql("SELECT rows + 1 FROM self").fetchall() == [
        (34,)
    ]
    with pytest.raises(ParseError, match="at or near 'FROM'"):
        con.sql("TALLY rows FROM t")


def test_a_clause_of_a_query(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def before(select: Selection, clause: exp.PreWhere) -> clauses.Step:
        kept = select.of_rows("PREWHERE").bind(clause.this)
        return lambda plan: Filter(plan, kept)

    text = "SELECT count(*) FROM t PREWHERE k = 1 WHERE s = 'a'"
    with pytest.raises(UnsupportedError, match="PREWHERE is not supported"):
        con.sql(text, read="clickhouse")
    first, *others = (clause for clause in clauses.CLAUSES if clause.name not in ("WITH", "PREWHERE"))
    added = (first, clauses.Clause("PREWHERE", ("prewhere",), before), *others)
    monkeypatch.setattr(clauses, "CLAUSES", added)
    assert con.sql(text, read="clickhouse").fetchall() == [(16,)]


def test_an_optimizer_rule(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def halve_limits(plan: Plan) -> Plan:
        """Not one that anybody wants: it shows."""
        if isinstance(plan, Limit) and plan.limit is not None:
            return Limit(plan.input, plan.limit // 2, plan.offset)
        return plan

    monkeypatch.setattr(driver, "RULES", (*driver.RULES, ("halve_limits", halve_limits)))
    relation = con.sql("SELECT v FROM t LIMIT 10")
    assert relation.arrow().num_rows == 5
    assert relation.explain().endswith("halve_limits")


def test_a_variant_of_a_kernel() -> None:
    def by_numpy(values: Tensor) -> Tensor:
        return torch.from_numpy(values.numpy() * 2)

    ran = []

    def note(values: Tensor) -> bool:
        ran.append(values.device.type)
        return values.ndim == 1

    @operation(Variant(by_numpy, "cpu", "an example", when=note))
    def doubled(values: Tensor) -> Tensor:
        return values + values

    assert operations.OPERATIONS["test_extending.doubled"].on("cpu")[0].why == "an example"
    for values in (torch.arange(4), torch.zeros(2, 2)):
        assert torch.equal(doubled(values), values + values)
    assert ran == ["cpu", "cpu"]
    with operations.tracing():
        doubled(torch.arange(4))
    assert ran == ["cpu", "cpu"]


def test_a_type_of_devices(con: tqp.Connection) -> None:
    """The simulated device is one, too: see tests/device."""
    limits = replace(ACCELERATOR, index_slots=0, small_table=0)
    device.TYPES["meta"] = DeviceType(lambda: 1, lambda: 0, limits)
    assert str(device.resolve("meta")) == "meta:0"
    target = Target.of(Settings(device="meta:0", threads=4))
    assert target.limits is limits and target.threads == 1
    con.register("u", {"id": torch.arange(9), "w": torch.arange(9)})
    plan = con.sql("SELECT t.v, u.w FROM t JOIN u ON t.k = u.id")._query.optimized
    program = lower(plan, target)
    assert program.steps.device.type == "meta"
    chosen = [choice.chosen for pipeline in program.pipelines for choice in pipeline.choices]
    assert (
        chosen == ["rows materialised and indexed"] != [c.chosen for one in lower(plan).pipelines for c in one.choices]
    )
    device.TYPES["meta"] = replace(device.TYPES["meta"], count=lambda: 0)
    with pytest.raises(SourceError, match='device "?.?meta.? is not available: torch sees no META device'):
        tqp.connect(device="meta")


def test_a_backend() -> None:
    seen: list[str] = []

    def watching(pipeline: Pipeline, run: Run, sink: PreparedSink[Any, Any]) -> None:
        seen.append(pipeline.sink.describe())

    backends.BACKENDS["watching"] = watching
    with tqp.connect(threads=1, backend="watching") as con:
        con.register("t", {"v": [1, 2, 3]})
        assert con.sql("SELECT sum(v) AS total FROM t").fetchall() == [(6,)]
    assert seen == ["aggregate by nothing: sum_v = sum(v)", "collect sum_v"]


def test_a_reader_of_models(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    class Summing:
        """A fitted model of a library that tqp does not know yet."""

        n_features_in_ = 2

        def predict(self, table: Any) -> Any:
            return np.asarray(table, dtype=np.float64).sum(axis=1)

    Summing.__module__ = "newlibrary.models"

    class Sum:
        def value(self, features: Sequence[Feature]) -> Tensor:
            numbers = [feature.values for feature in features if isinstance(feature, Numeric)]
            return torch.stack(numbers).sum(0)

        def probabilities(self, features: Sequence[Feature]) -> None:
            return None

        def used(self) -> frozenset[int]:
            return frozenset({0, 1})

        def describe(self) -> str:
            return "a sum"

    monkeypatch.setitem(sys.modules, "tqp.models.newlibrary", ModuleType("newlibrary"))
    models._PACKAGES["newlibrary"] = "newlibrary"

    @importer("Summing")
    def summing(estimator: Any, features: int) -> Imported:
        return Imported(Sum())

    con.register_model("summing", Summing(), inputs=["a", "b"])
    relation = con.sql("SELECT PREDICT(summing, k, v) - k AS x FROM t WHERE v < 3 ORDER BY x")
    assert relation.fetchall() == [(1.0,), (2.0,)]
    assert "summing: a sum" in relation.explain()
