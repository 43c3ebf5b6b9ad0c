"""What a plan asks of the rows of each scan: conditions, and keys that joins look for.

A row that fails it is in no answer. What is left unsaid costs time, not answers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import assert_never

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.stored import StoredTable
from tqp.errors import ExecutionError
from tqp.functions.registry import find
from tqp.ir.expr import Call, Expr, Predict
from tqp.ir.own import OwnName
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import rename, subplans, symbols, walk, walk_plan
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator, truth
from tqp.types import TIMESTAMPTZ

__all__ = ["Asked", "Sought", "asked", "rows_until", "values"]

_ROWS = "the first rows that pass tell which row groups are read"
_KEYS = "keys of a small table tell which row groups are read"


@dataclass(frozen=True, slots=True)
class Sought:
    """Some partner of a row has its value of `key` as `their` value: a row of the scan `theirs`."""

    key: Expr
    theirs: Scan
    their: Expr


@dataclass(slots=True)
class Asked:
    """What holds for all rows of a scan that matter: the conditions are true, each key has a partner."""

    conditions: list[Expr] = field(default_factory=list)
    keys: list[Sought] = field(default_factory=list)


def asked(plan: Plan) -> dict[int, Asked]:
    """What is asked of the plan's scans, by their identities: of those of which something is."""
    found: dict[int, Asked] = defaultdict(Asked)
    for node in walk_plan(plan):
        match node:
            case Filter(input=Scan() as scan):
                found[id(scan)].conditions.append(node.predicate)
            case Join(kind="inner" | "semi" | "left"):
                for left, right in node.keys:
                    ours, theirs = _scan_of(node.left, left), _scan_of(node.right, right)
                    if ours is None or theirs is None or left.dtype != right.dtype:
                        continue
                    found[id(theirs[0])].keys.append(Sought(theirs[1], *ours))
                    if node.kind != "left":
                        found[id(ours[0])].keys.append(Sought(ours[1], *theirs))
    return found


def _scan_of(plan: Plan, key: Expr) -> tuple[Scan, Expr] | None:
    """The scan whose columns the key is computed of, and how; None where other rows than its own may have the value.

    A row of the plan has the value of a row of the scan, and a row of the scan is in the plan only with its value.
    """
    while True:
        read = symbols(key)
        match plan:
            case Scan():
                return (plan, key) if read and read <= {one.symbol for one in plan.fields} else None
            case Filter():
                plan = plan.input
            case Project():
                key = rename(key, {one.symbol: expr for one, expr in zip(plan.fields, plan.exprs, strict=True)})
                plan = plan.input
            case Join(kind="inner" | "left" | "semi" | "anti"):
                if read <= {one.symbol for one in plan.left.schema}:
                    plan = plan.left
                elif plan.kind == "inner":
                    plan = plan.right
                else:
                    return None
            case (
                Join() | Values() | Shared() | Aggregate() | GroupingSets() | Window() | Sort() | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                return None
            case _:
                assert_never(plan)


def values(sought: Sought, conditions: list[Expr]) -> Tensor | None:
    """The values (n,) of the partners' keys on the host, as they are stored, repeats included; None where they are no integers.

    `conditions` are those of the partners; models are not asked. Costs a pass over their table for each.
    """
    conditions = [one for one in conditions if not any(isinstance(part, Predict) for part in walk(one))]
    table = sought.theirs.source
    assert isinstance(table, StoredTable)
    read = symbols(sought.their).union(*map(symbols, conditions))
    pairs = [
        (one.symbol, name)
        for one, name in zip(sought.theirs.fields, sought.theirs.columns, strict=True)
        if one.symbol in read
    ]
    if len(pairs) < len(read):
        return None
    columns = dict(zip([symbol for symbol, _ in pairs], table.columns([name for _, name in pairs]), strict=True))
    batch = Batch.of(columns, table.rows)
    evaluator = Evaluator(Settings(str(table.device)))
    with torch.inference_mode():
        try:
            masks = [truth(evaluator.evaluate(one, batch)).expand(table.rows) for one in conditions]
            key = evaluator.evaluate(sought.their, batch).expand(table.rows)
        except ExecutionError:
            return None
        if not key.dtype.is_ordinal or key.data.ndim != 1:
            return None
        if key.valid is not None:
            masks.append(key.valid)
        chosen = key.data.index_select(0, select(torch.stack(masks).all(0))) if masks else key.data
        return waits.fetched(chosen, _KEYS).long()


def rows_until(scan: Scan, table: StoredTable, condition: Expr, rows: int) -> int | None:
    """How many first rows of `table`, in the place of the scan's, have `rows` for which the condition holds; 0: all have fewer.

    None where only a run can tell: what hangs on the row's number, the session or a model. Costs a pass over the table.
    """
    if not all(map(_is_of_values, walk(condition))):
        return None
    read = symbols(condition)
    names = {one.symbol: name for one, name in zip(scan.fields, scan.columns, strict=True) if one.symbol in read}
    if len(names) < len(read) or not names:
        return None
    columns = dict(zip(names, table.columns(list(names.values())), strict=True))
    with torch.inference_mode():
        try:
            mask = truth(Evaluator(Settings(str(table.device))).evaluate(condition, Batch.of(columns, table.rows)))
        except ExecutionError:
            return None
        places = waits.fetched(select(mask.expand(table.rows))[rows - 1 : rows], _ROWS)
    return int(places[0]) + 1 if len(places) else 0  # host: fetched


def _is_of_values(expr: Expr) -> bool:
    """Whether it is the same for equal values, in any row, session and query."""
    if isinstance(expr, Predict) or subplans(expr) or TIMESTAMPTZ in (expr.dtype, getattr(expr, "type", None)):
        return False
    if not isinstance(expr, Call):
        return True
    if isinstance(expr.function, OwnName):
        return False
    function = find(expr.function)
    return not (function.each_row or function.by_clock)
