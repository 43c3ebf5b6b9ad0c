"""Which row groups of its tables a plan reads, as far as files say what lies in them.

A scan of a table that is not read yet becomes one of an excerpt (`tqp.data.excerpts`), where a condition that stands right above it
can hold for rows of some groups alone, or a join looks for few keys of a small table, or a LIMIT wants only its first rows. The
plan is the same relation: condition, join and limit stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate

import torch
from torch import Tensor

from tqp.config import Settings
from tqp.data.reading import Excerpt, Grouped, GroupZones
from tqp.data.stored import StoredTable
from tqp.data.zones import Zones
from tqp.device import type_of
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import Input, plain
from tqp.ir.plan import Filter, Limit, Plan, Project, Scan
from tqp.ir.visit import rewrite, rewrite_plan, symbols, walk
from tqp.kernels.zones import count
from tqp.limits import Limits
from tqp.operators.blocks import Blocks
from tqp.operators.evaluate import Evaluator
from tqp.runtime.asked import Asked, Sought, asked, rows_until, values

__all__ = ["excerpted"]

_HOST = torch.device("cpu")


def excerpted(plan: Plan) -> Plan:
    """The plan over the row groups that it needs, of tables of which little was read.

    Where it leaves some out because of a condition, it serves the values of that condition's inputs alone.
    """
    wanted = asked(plan)
    return rewrite_plan(plan, partial(_rule, wanted))


def _rule(wanted: Mapping[int, Asked], node: Plan) -> Plan | None:
    if isinstance(node, Scan) and id(node) in wanted:
        return _matching(node, wanted)
    if isinstance(node, Limit) and node.limit is not None:
        return _first(node, node.limit + node.offset)
    return None


def _first(node: Plan, rows: int) -> Plan | None:
    """The plan over the first rows of its scan; None where it is no projection of one."""
    below = node.children[0]
    if isinstance(below, Project):
        after = _first(below, rows)
        return None if after is None else node.with_children((after,))
    if isinstance(below, Filter) and isinstance(below.input, Scan):
        part = _first_passing(below, below.input, rows)
        return None if part is None else node.with_children((below.with_children((part,)),))
    found = _unread(below) if isinstance(below, Scan) else None
    if found is None:
        return None
    assert isinstance(below, Scan)
    table, grouped = found
    limits = _limits()
    # Queries for a few rows more or less read the same ones.
    wanted = max(limits.excerpt_rows, 1 << max(rows - 1, 0).bit_length())
    if wanted > limits.excerpt_share * table.expected_rows:
        return None
    until = list(accumulate(grouped.groups))
    if not until or until[-1] < rows:
        return None
    wanted = min(wanted, until[-1])
    groups = next(place for place, rows in enumerate(until) if rows >= wanted) + 1
    part = _over(below, table, Excerpt(tuple(range(groups)), wanted))
    return None if part is None else node.with_children((part,))


def _first_passing(below: Filter, scan: Scan, rows: int) -> Scan | None:
    """The scan of the first rows, so many that its condition holds for `rows` of them; None where these are most.

    The condition is asked of the first row group, the first four, and so on.
    """
    found = _unread(scan)
    if found is None or not rows:
        return None
    table, grouped = found
    limits = _limits()
    condition = rewrite(below.predicate, _given)
    until = list(accumulate(grouped.groups))
    groups = 1
    while groups <= len(until) and until[groups - 1] <= limits.excerpt_share * table.expected_rows:
        tried = table.excerpt_of(Excerpt(tuple(range(groups)), until[groups - 1]))
        enough = None if tried is None else rows_until(scan, tried, condition, rows)
        if enough is None:
            return None
        if enough:
            wanted = min(max(limits.excerpt_rows, 1 << (enough - 1).bit_length()), until[groups - 1])
            some = next(place for place, count in enumerate(until) if count >= wanted) + 1
            part = _over(scan, table, Excerpt(tuple(range(some)), wanted))
            if part is not None:
                _fix(below.predicate)
            return part
        groups *= 4
    return None


def _fix(expr: Expr) -> None:
    """Bind the plan to the values of the inputs of an expression."""
    for part in walk(expr):
        if isinstance(part, Input):
            part.fix()


def _matching(scan: Scan, wanted: Mapping[int, Asked]) -> Scan | None:
    """The scan of the row groups that may hold rows of which all is true that is asked; None where these are most."""
    unread = _unread(scan)
    if unread is None:
        return None
    table, grouped = unread
    counts = grouped.groups
    if len(counts) < 2:
        return None
    built_on: list[Expr] = []
    left = _left(grouped, scan, wanted, built_on)
    if left is None:
        return None
    kept = left.tolist()  # host: footers are read there
    chosen = tuple([place for place, is_kept in enumerate(kept) if is_kept and counts[place]])
    rows = sum(counts[place] for place in chosen)
    if rows > _limits().excerpt_share * table.expected_rows:
        return None
    found = _over(scan, table, Excerpt(chosen, rows))
    if found is not None:
        for expr in built_on:
            _fix(expr)
    return found


def _unread(scan: Scan) -> tuple[StoredTable, Grouped] | None:
    """The table of a scan and its row groups; None where it has none, is small, or was read for the most part."""
    table = scan.source
    if not isinstance(table, StoredTable) or table.expected_rows <= _limits().excerpt_rows:
        return None
    grouped = table.grouped
    held = sum(map(table.holds, scan.columns))
    return None if grouped is None or not scan.columns or 2 * held >= len(scan.columns) else (table, grouped)


def _over(scan: Scan, table: StoredTable, wanted: Excerpt) -> Scan | None:
    part = table.excerpt_of(wanted)
    return None if part is None else replace(scan, source=part)


def _limits() -> Limits:
    return type_of(_HOST).limits


def _given(expr: Expr) -> Expr | None:
    """Inputs as the literals that they are now."""
    return plain(expr) if isinstance(expr, Literal) else None


def _left(grouped: Grouped, scan: Scan, wanted: Mapping[int, Asked], built_on: list[Expr]) -> Tensor | None:
    """The groups (groups,) bool of which a row may be in the answer; None: all. Adds to `built_on` what that hangs on."""
    told = _Told(grouped)
    columns = dict(zip([field.symbol for field in scan.fields], scan.columns, strict=True))
    blocks = Blocks(told, columns, Evaluator(Settings()), 1, 0)
    for condition in wanted[id(scan)].conditions:
        built_on.append(condition)
        blocks.filter(rewrite(condition, _given))
    for sought in wanted[id(scan)].keys:
        theirs = wanted[id(sought.theirs)].conditions if id(sought.theirs) in wanted else []
        if theirs and _is_small(sought.theirs, scan) and told.differ(columns[one] for one in symbols(sought.key)):
            built_on += [*theirs, sought.key, sought.their]
            plain_ones = [rewrite(condition, _given) for condition in theirs]
            their = Sought(sought.key, sought.theirs, rewrite(sought.their, _given))
            blocks.among(rewrite(sought.key, _given), partial(values, their, plain_ones), "keys of a join")
    if blocks.left is None:
        return None
    unknown = [found.unknown for found in told.found.values() if found is not None]
    return blocks.left | torch.stack(unknown).any(0) if unknown else blocks.left


def _is_small(scan: Scan, beside: Scan) -> bool:
    """Whether the table of a scan is so much smaller that its keys are found in no time."""
    return isinstance(scan.source, StoredTable) and scan.source.rows <= _limits().sought_share * beside.source.rows


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

    def differ(self, columns: Iterable[str]) -> bool:
        """Whether half of the groups or more spread over half of all values of each of the columns at most, as far as is known."""
        for column in columns:
            zones = self.zones(column, 1)
            if zones is None or not zones.lows.dtype.is_ordinal:
                return False
            lows, highs = zones.lows.data.double(), zones.highs.data.double()
            spread = (highs - lows) <= (highs.max() - lows.min()) / 2
            if 2 * count(spread) < len(zones):
                return False
        return True
