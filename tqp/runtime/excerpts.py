"""Which row groups of its tables a plan reads, as far as files say what lies in them.

A scan of a table that is not read yet becomes one of an excerpt (`tqp.excerpts`), where a condition that stands right above it
can hold for rows of some groups alone, or a LIMIT wants only its first rows. The plan is the same relation: the condition and
the limit stay.
"""

from __future__ import annotations

from itertools import accumulate

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.reading import Excerpt, Grouped, GroupZones
from tqp.data.zones import Zones
from tqp.device import Limits, type_of
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import Input, plain
from tqp.ir.plan import Filter, Limit, Plan, Project, Scan
from tqp.ir.visit import rewrite, rewrite_plan, symbols, walk
from tqp.operators.blocks import Blocks
from tqp.operators.evaluate import Evaluator
from tqp.stored import StoredTable

__all__ = ["excerpted"]

_HOST = torch.device("cpu")


def excerpted(plan: Plan) -> Plan:
    """The plan over the row groups that it needs, of tables of which little was read.

    Where it leaves some out because of a condition, it serves the values of that condition's inputs alone.
    """
    return rewrite_plan(plan, _rule)


def _rule(node: Plan) -> Plan | None:
    match node:
        case Filter(input=Scan() as scan):
            part = _matching(scan, node.predicate)
            return None if part is None else node.with_children((part,))
        case Limit() if node.limit is not None:
            return _first(node, node.limit + node.offset)
        case _:
            return None


def _first(node: Plan, rows: int) -> Plan | None:
    """The plan over the first rows of its scan; None where it is no projection of one."""
    below = node.children[0]
    if isinstance(below, Project):
        after = _first(below, rows)
        return None if after is None else node.with_children((after,))
    found = _unread(below) if isinstance(below, Scan) else None
    if found is None:
        return None
    assert isinstance(below, Scan)
    table, grouped = found
    limits = _limits()
    # Queries for a few rows more or less read the same ones.
    wanted = max(limits.excerpt_rows, 1 << max(rows - 1, 0).bit_length())
    if wanted > limits.excerpt_share * table.rows:
        return None
    until = list(accumulate(grouped.groups))
    groups = next(place for place, rows in enumerate(until) if rows >= wanted) + 1
    part = _over(below, table, Excerpt(tuple(range(groups)), wanted))
    return None if part is None else node.with_children((part,))


def _matching(scan: Scan, condition: Expr) -> Scan | None:
    """The scan of the row groups that may hold rows for which the condition is true; None where these are most."""
    unread = _unread(scan)
    if unread is None:
        return None
    table, grouped = unread
    counts = grouped.groups
    left = _left(grouped, scan, rewrite(condition, _given)) if len(counts) > 1 else None
    if left is None:
        return None
    chosen = tuple([place for place, is_left in enumerate(left.tolist()) if is_left and counts[place]])
    rows = sum(counts[place] for place in chosen)
    if rows > _limits().excerpt_share * table.rows:
        return None
    found = _over(scan, table, Excerpt(chosen, rows))
    if found is not None:
        for part in walk(condition):
            if isinstance(part, Input):
                part.fix()
    return found


def _unread(scan: Scan) -> tuple[StoredTable, Grouped] | None:
    """The table of a scan and its row groups; None where it has none, is small, or was read for the most part."""
    table = scan.source
    if not isinstance(table, StoredTable) or table.rows <= _limits().excerpt_rows:
        return None
    grouped = table.grouped
    held = sum(map(table.holds, scan.columns))
    return None if grouped is None or not scan.columns or 2 * held >= len(scan.columns) else (table, grouped)


def _over(scan: Scan, table: StoredTable, wanted: Excerpt) -> Scan | None:
    part = table.excerpt_of(wanted)
    return None if part is None else Scan(part, scan.columns, scan.fields)


def _limits() -> Limits:
    return type_of(_HOST).limits


def _given(expr: Expr) -> Expr | None:
    """Inputs as the literals that they are now."""
    return plain(expr) if isinstance(expr, Literal) else None


def _left(grouped: Grouped, scan: Scan, condition: Expr) -> Tensor | None:
    """The groups (groups,) bool of which a row may pass the condition; None: all."""
    told = _Told(grouped)
    columns = dict(zip([field.symbol for field in scan.fields], scan.columns, strict=True))
    used = {symbol: columns[symbol] for symbol in symbols(condition) if symbol in columns}
    blocks = Blocks(told, used, Evaluator(Settings()), 1, 0)
    blocks.filter(condition)
    if blocks.left is None:
        return None
    unknown = [found.unknown for found in told.found.values() if found is not None]
    return blocks.left | torch.stack(unknown).any(0) if unknown else blocks.left


class _Told:
    """Row groups as rows of a table, of which limits alone are known."""

    def __init__(self, grouped: Grouped) -> None:
        self._grouped = grouped
        self.rows = len(grouped.groups)
        self.found: dict[str, GroupZones | None] = {}

    def zones(self, column: str, block: int) -> Zones | None:
        if column not in self.found:
            self.found[column] = self._grouped.zones(column)
        found = self.found[column]
        return None if found is None else found.zones
