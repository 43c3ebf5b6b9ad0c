"""Which algorithm runs a query, and why: what the planner chose and what was chosen in the run."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import tqp
from tests.engines import Engines
from tests.physical.chosen import ROWS, choices, here
from tqp.config import Settings
from tqp.errors import InternalError
from tqp.ir.show import show
from tqp.kernels import waits
from tqp.limits import ACCELERATOR, CPU
from tqp.optimizer import RULES, optimize
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.runtime import executor

INDEX, KEYS, BUILD = "index of a stored table", "keys alone", "rows materialised and indexed"
COLLECTED = "rows collected"


@pytest.mark.parametrize(
    ("query", "what", "chosen", "reason"),
    [
        ("SELECT count(who) FROM lines JOIN orders USING (id)", "inner join", INDEX, r"orders\.id is unique"),
        ("SELECT who, few FROM lines l LEFT JOIN orders o ON o.id = l.id", "left join", INDEX, r"orders\.id is unique"),
        (
            "SELECT few, who FROM orders o RIGHT JOIN lines l ON o.id = l.id",
            "left join",
            INDEX,
            r"orders\.id is unique",
        ),
        ("SELECT few, s.wide FROM picked s JOIN lines l ON s.id = l.id", "inner join", INDEX, r"lines\.id is sorted"),
        (
            "SELECT few, s.wide FROM lines l JOIN picked s ON s.id = l.id",
            "sides",
            "swapped",
            r"~20 rows .* lines\.id, 0\.8%",
        ),
        (
            "SELECT few, s.wide FROM lines l JOIN picked s ON s.id = l.id WHERE l.few = 1",
            "filter of lines",
            "on the rows found",
            r"0\.8% of its rows",
        ),
        (
            "SELECT few, who FROM lines l JOIN orders o ON o.id = l.id WHERE o.who > 3",
            "filter of orders",
            "on all rows, kept as a mask",
            r"^each row is looked at \d+\.\d times$",
        ),
        (
            "SELECT l.few FROM lines l JOIN picked s ON s.wide = l.wide",
            "inner join",
            BUILD,
            "no key is a stored column",
        ),
        (
            "SELECT a.few FROM lines a JOIN lines b ON a.item + 1 = b.item + 2",
            "inner join",
            BUILD,
            "no key is a stored",
        ),
        ("SELECT count(*) FROM picked a JOIN picked b ON a.id < b.id", "inner join", BUILD, "there is no key"),
        (
            "SELECT count(*) FROM picked a JOIN picked b ON a.id < b.id",
            "lookup",
            "ranges of sorted rows",
            "range of sorted values",
        ),
        (
            "SELECT id FROM orders WHERE who NOT IN (SELECT nullif(few, 9) FROM lines)",
            "anti join",
            KEYS,
            "whether one is NULL",
        ),
        (
            "SELECT id FROM orders WHERE who IN (SELECT few FROM lines)",
            "semi join",
            KEYS,
            "only whether a key is there",
        ),
        ("SELECT id, who IN (SELECT few FROM lines) FROM orders", "mark join", KEYS, "whether one is NULL"),
        (
            "SELECT few, item + 1 IN (SELECT id FROM orders) FROM lines",
            "mark join",
            INDEX,
            "is unique, and has no NULL",
        ),
        (
            "SELECT few FROM lines WHERE nullif(item, 1) NOT IN (SELECT id FROM lines)",
            "anti join",
            INDEX,
            "is sorted, and has no",
        ),
        (
            "SELECT few FROM lines WHERE nullif(item, 1) NOT IN (SELECT id FROM orders WHERE who > 3)",
            "anti join",
            KEYS,
            "whether one is NULL",
        ),
        ("SELECT few, (id, item) IN (SELECT item, few FROM lines) FROM lines", "mark join", BUILD, "NULL keys decide"),
        # What form the keys have is known when they are there.
        (
            "SELECT id FROM orders WHERE who IN (SELECT few FROM lines)",
            "distinct keys",
            "bitmap",
            r"keys lie in 0 \.\. 4",
        ),
        (
            "SELECT id FROM orders WHERE who NOT IN (SELECT id * 1 FROM lines WHERE item * 3 < 100)",
            "distinct keys",
            "bitmap",
            "rows came",
        ),
        (
            "SELECT id, who IN (SELECT wide FROM lines) FROM orders",
            "distinct keys",
            "sorted keys|hash table",
            "10,000 rows came, and keys are few",
        ),
        (
            "SELECT id FROM orders WHERE who NOT IN (SELECT wide // 9 FROM lines)",
            "distinct keys",
            "sorted keys|hash table",
            "far apart",
        ),
        ("SELECT b FROM texts WHERE b NOT IN (SELECT a || 'x' FROM texts)", "distinct keys", "bitmap", "100 rows came"),
        (
            "SELECT l.id FROM lines l WHERE EXISTS (SELECT 1 FROM lines m WHERE m.item // 2 = l.item // 2 AND m.wide = l.wide)",
            "distinct keys",
            "row ranges by key",
            "of one of them",
        ),
        ("SELECT o.id, l.id FROM orders o FULL JOIN lines l ON o.id = l.id", "full join", BUILD, "without a partner"),
        ("SELECT a.b FROM texts a JOIN texts b ON a.a = b.b", "inner join", BUILD, "no key is a stored column"),
        ("SELECT few, sum(id) FROM lines GROUP BY few", "aggregation", "arrays indexed by the key", "5 slots"),
        ("SELECT sum(id) FROM lines", "aggregation", "one state", "no keys"),
        ("SELECT wide, sum(id) FROM lines GROUP BY wide", "aggregation", "groups of each batch, merged", "allowed"),
        ("SELECT few, count(DISTINCT id) FROM lines GROUP BY few", "aggregation", "arrays indexed .*", "5 slots"),
        ("SELECT few, count(DISTINCT id) FROM lines GROUP BY few", "distinct values", "marks", "pairs .* are marked"),
        ("SELECT count(DISTINCT item), sum(DISTINCT id) FROM lines", "distinct values", "marks", "pairs .* are marked"),
        ("SELECT few, count(DISTINCT wide) FROM lines GROUP BY few", "distinct values", "rows without copies", "pairs"),
        ("SELECT wide, count(DISTINCT id) FROM lines GROUP BY wide", "distinct values", "rows without copies", "pairs"),
        (
            "SELECT count(DISTINCT wide + few), count(DISTINCT few) FROM lines",
            "distinct values",
            "marks and rows without copies",
            "pairs",
        ),
        ("SELECT few, first(id) FROM lines GROUP BY few", "aggregation", COLLECTED, "all rows of a group"),
        ("SELECT a || b AS c, count(*) FROM texts GROUP BY c", "aggregation", COLLECTED, "no fixed dictionary"),
        ("SELECT few, id, sum(1) FROM lines GROUP BY CUBE (few, id)", "grouping sets", "coarser sets.*", "merged"),
        (
            "SELECT few, few % 3, sum(1) FROM lines GROUP BY GROUPING SETS (few, (few % 3))",
            "rows of sets",
            "grouped by all keys",
            "groups, .* allowed",
        ),
        (
            "SELECT item, id, sum(1) FROM lines GROUP BY GROUPING SETS (item, id)",
            "rows of sets",
            "grouped by the keys.*",
            "groups, .* allowed",
        ),
        ("SELECT few, count(DISTINCT id) FROM lines GROUP BY ROLLUP (few)", "grouping sets", "every set.*", "cannot"),
        ("SELECT l.few FROM lines l JOIN picked s ON s.id + 0 = l.item", "lookup", "direct-address table", "unique"),
        (
            "SELECT l.few FROM lines l JOIN picked s ON s.wide + 0 = l.wide + 1",
            "lookup",
            "binary search|hash table",
            "range is wide",
        ),
        ("SELECT l.few FROM lines l JOIN orders s ON s.who + 0 = l.item", "lookup", "row ranges by key", "keys repeat"),
    ],
)
def test_choices(con: tqp.Connection, query: str, what: str, chosen: str, reason: str) -> None:
    found = choices(con, query)
    (choice,) = [one for one in found if one.what == what][:1] or [None]
    assert choice is not None, found
    assert re.fullmatch(chosen, choice.chosen) and re.search(reason, choice.reason), choice
    assert choice.alternatives and choice.chosen not in choice.alternatives
    text = con.sql(query).explain(True)
    assert (
        str(choice)
        if what in ("aggregation", "distinct values", "grouping sets", "lookup", "distinct keys")
        else choice.in_full()
    ) in text


@pytest.mark.parametrize(
    ("query", "what", "limits"),
    [
        ("SELECT item, sum(few) FROM lines GROUP BY item", "aggregation", {"direct_groups": 2}),
        ("SELECT item, sum(few) FROM lines GROUP BY item", "aggregation", {"group_slots": 0}),
        ("SELECT few, sum(item) FROM lines GROUP BY few", "aggregation", {"few_groups": 0, "group_slots": 0}),
        ("SELECT id FROM orders WHERE who IN (SELECT few FROM lines)", "distinct keys", {"bitmap_keys": 1}),
        (
            "SELECT id FROM orders WHERE who IN (SELECT few FROM lines)",
            "distinct keys",
            {"bitmap_slots": 0, "table_slots": 0},
        ),
        (
            "SELECT l.id FROM lines l WHERE EXISTS (SELECT 1 FROM lines m WHERE m.few = l.few AND m.wide = l.wide)",
            "distinct keys",
            {"pairs_a_row": ROWS},
        ),
        (
            "SELECT l.item FROM lines l JOIN picked s ON l.wide = s.id + 0",
            "lookup",
            {"lookup_slots": 0, "small_table": 0, "table_slots": 0},
        ),
        ("SELECT p.id, l.few FROM picked p LEFT JOIN lines l ON p.wide = l.wide", "build side", {"reduced_rows": 2}),
        ("SELECT a.id FROM picked a JOIN picked b ON a.id < b.id", "lookup", {"banded_rows": 100}),
        (
            "SELECT who, few FROM lines l JOIN orders o ON o.id = l.item",
            "inner join",
            {"index_slots": 0, "small_table": 0},
        ),
        ("SELECT few, s.wide FROM lines l JOIN picked s ON s.id = l.id", "sides", {"index_share": 0.001}),
        (
            "SELECT few FROM lines l JOIN picked s ON s.id = l.id WHERE few = 1",
            "filter of lines",
            {"index_share": 0.001},
        ),
    ],
)
def test_the_target_decides(con: tqp.Connection, query: str, what: str, limits: dict[str, float]) -> None:
    """The same query is planned in another way for other limits, and its answer is the same."""
    before, after = ([one.chosen for one in choices(con, query, **other) if one.what == what] for other in ({}, limits))
    assert before != after
    plan = con.sql(query)._query.optimized
    tables = [executor.run(lower(plan, here(con, **other)), con.settings) for other in ({}, limits)]
    assert [sorted(column.data.tolist()) for column in tables[0].columns] == [
        sorted(column.data.tolist()) for column in tables[1].columns
    ]


def test_where_rows_are_compacted(con: tqp.Connection) -> None:
    plan = con.sql("SELECT count(*) FROM lines WHERE few = 1 AND item > 5 AND wide > 7")._query.optimized
    counted = []
    for share in (0.5, 0.0):
        with waits.logging() as log:
            assert executor.run(lower(plan, here(con, compact_below=share)), con.settings).rows == 1
        counted.append(sum("how many rows pass" in wait.why for wait in log.counts()))
    assert counted == [1, 0]


NO_LIMITS = {
    "operators/asof.py": {"_PACKED"},
    "operators/bands.py": {"_DIGITS"},
    "operators/blocks.py": {"_MOST", "_VALUES", "_WORTH"},
    "operators/coarser.py": {"_INT64_MAX"},
    "operators/generate.py": {"_MOST"},
    "operators/grouping_sets.py": {"_SETS_A_WORKER"},
    "operators/keys.py": {"_LARGEST", "_LEAST", "_NARROW", "_SAMPLE"},
    "operators/layouts.py": {"_LARGE", "_LONG", "_MOST_ARGUMENTS"},
    "operators/marks.py": {"_MARKED"},
    "operators/novelty.py": {"_FEW", "_MOST_MET"},
    "operators/packing.py": {"_LEAST", "_SUMMED"},
    "operators/predict.py": {"_SHOWN"},
    "operators/ranked.py": {"_IN_ORDER"},
    "operators/records.py": {"_INT64_MAX"},
    "operators/steps.py": {"_REMEMBERED"},
    "physical/finest.py": {"_COMPARED", "_MOST"},
    "physical/pipeline.py": {"_SHOWN"},
}
"""Numbers of modules that are no limits of a device: what 64 bits hold, what EXPLAIN shows, how long a chain is kept, or a key,
how much is asked of zones, or of a sample, before a run, of how many sets the best union is looked for, how many a worker has, what no run comes to the end of,
how many rows the host looks up one by one."""


def test_limits_stand_with_the_device() -> None:
    root = Path(tqp.__file__).parent
    found: dict[str, set[str]] = {}
    for module in (*root.glob("operators/*.py"), *root.glob("physical/*.py")):
        for node in ast.parse(module.read_text()).body:
            target = (
                node.target
                if isinstance(node, ast.AnnAssign)
                else node.targets[0]
                if isinstance(node, ast.Assign)
                else None
            )
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant | ast.BinOp | ast.UnaryOp):
                numbers = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                if any(isinstance(number, int | float) for number in numbers):
                    found.setdefault(str(module.relative_to(root)), set()).add(target.id)
    assert found == NO_LIMITS


def test_rows_that_only_say_whether_there_is_a_match_are_built_once_each(con: tqp.Connection) -> None:
    """Of 10,000 rows 20 combinations are left, NULLs among them, to be looked up or to be compared with all rows."""
    query = "SELECT id, (who % 7, id % 3) IN (SELECT nullif(few, 1), id % 5 FROM lines) AS x FROM orders"
    text = con.sql(query).explain(True)
    assert len(re.findall(r"build on .*, each once, .*: 20 rows", text)) == 2, text
    both = Engines({name: con.table(name).arrow() for name in ("lines", "orders")})
    both(query)
    both.close()


def test_a_right_join_is_a_left_one(con: tqp.Connection) -> None:
    query = con.sql("SELECT few, who FROM orders o RIGHT JOIN lines l ON o.id = l.id AND o.who < 3")
    text = query.explain()
    assert "Join left on id_2 = id" in text and "rules: normalize" in text
    alone = show(optimize(query.plan, disabled=frozenset(name for name, _ in RULES)))
    assert "Join left" in alone and "Join right" in show(query.plan)
    with pytest.raises(InternalError, match="right join"):
        lower(query.plan)


def test_targets() -> None:
    assert Target.of(Settings("cpu", 4, batch_rows=5)) == Target(
        "cpu", 4, None, replace(CPU, batch_rows=5, entries_a_piece=5)
    )
    # One worker takes the whole input, whatever was asked for.
    assert Target.of(Settings("cuda:1", 4, memory_limit=9)) == Target("cuda:1", 1, 9, ACCELERATOR)
    assert ACCELERATOR.batch_rows is None and ACCELERATOR.pairs > CPU.pairs


def test_a_query_is_planned_again_for_another_target(con: tqp.Connection) -> None:
    planned = con.sql("SELECT count(*) FROM lines")._query._planned
    first = planned.program(Target())
    assert planned.program(Target()) is first
    assert planned.program(Target(threads=2)).target.threads == 2
