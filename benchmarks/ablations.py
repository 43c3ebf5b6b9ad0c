"""What does each mechanism gain? The workloads with all of them, and without one at a time, query by query in turns.

    python -m benchmarks.ablations --rows 1000000                          all mechanisms on the workloads that they are for
    python -m benchmarks.ablations --mechanisms loops --only groups tpch   one of them, on these workloads
    python -m benchmarks.ablations --list                                  the mechanisms, and how each is switched off

Each side has a process of its own, and the two are never busy at the same time; which goes first alternates. A side runs each
query once unmeasured, then with other constants each time. Ratios are without / with, so above 1 the mechanism gains. A query
that takes longer than `--seconds` is stopped and counts as that long: the record says how many were.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.side import Side
from benchmarks.timing import Record
from benchmarks.workloads.__main__ import NAMES, WORKLOADS
from benchmarks.workloads.tpch import Tpch
from benchmarks.workloads.workload import Workload
from tpch.needed import names_what_is_missing
from tpch.run import Options

__all__ = ["MECHANISMS", "Mechanism", "compare", "opened"]


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, as what runs go without it: rules, limits of the device type, variables of the environment."""

    name: str
    about: str
    workloads: Sequence[str]
    rules: Sequence[str] = ()
    limits: Mapping[str, int | float | None] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def switch(self) -> str:
        """How it is switched off."""
        named = [f"disabled_rules={', '.join(self.rules)}"] if self.rules else []
        named += [f"Limits.{name}={value}" for name, value in self.limits.items()]
        return "; ".join(named + [f"{name}={value}" for name, value in self.environment.items()])


MECHANISMS: Final = (
    Mechanism(
        "loops", "loops over rows that Numba compiles", ("tpch", "star", "events", "groups", "joins", "order"),
        environment={"TQP_LOOPS": "off"},
    ),
    Mechanism(
        "aggregation loops", "whole aggregations over a table as one loop", ("tpch", "star", "events", "groups"),
        limits={"looped_rows": None},
    ),
    Mechanism(
        "rounds by rows", "small steps of recursions are computed row by row", ("graph",), limits={"rowwise_rows": None}
    ),
    Mechanism("plans of shapes", "other constants run by the plan of a query", NAMES, rules=("reuse_plans",)),
    Mechanism("join order", "joins in the order of least cost", ("tpch", "star", "graph"), rules=("order_joins",)),
    Mechanism("shared aggregates", "aggregates of equal inputs are computed together", ("tpch", "star"),
        rules=("share_aggregates",)),
    Mechanism("rolled-up aggregates", "aggregates by fewer keys are made of those by more", ("tpch", "star"), rules=("roll_up",)),
    Mechanism("joins by each key", "a join by one of several keys is one by each of them", ("language",), rules=("join_by_each",)),
    Mechanism("shared joins", "equal joins are computed once", ("tpch", "star"), rules=("share_joins",)),
    Mechanism("early aggregation", "groups are made below joins", ("tpch", "star"), rules=("aggregate_early",)),
    Mechanism("fewer group keys", "keys that others determine are fetched after grouping", ("tpch", "star", "events"),
        rules=("reduce_group_keys",)),
    Mechanism("split sums", "sum(x + k) from sum(x) and count(x)", ("events",), rules=("split_sums",)),
    Mechanism("exact moments", "variances of integers from their sums", ("star", "groups"), rules=("exact_moments",)),
    Mechanism("first rows", "row_number() <= k as a top-k of each partition", ("star", "order"), rules=("first_rows",)),
    Mechanism("parts seen through", "an element of a list that is put together is read without the list", ("language",),
        rules=("see_through",)),
    Mechanism("pieces of table functions", "what range and unnest give for rows comes in pieces that a cache holds", ("language",),
        limits={"generated_rows": None}),
    Mechanism("shares", "groups are merged in shares, side by side", ("events", "groups"),
        limits={"merged_at_once": 2**62}),
    Mechanism("records", "rows of many keys are divided before they are grouped", ("star", "events", "groups"),
        limits={"divided_above": None}),
    Mechanism("groups that meet", "groups of batches in the order of a key are merged where batches meet",
        ("tpch", "events", "groups"), limits={"meeting_share": 0.0}),
    Mechanism("coarser sets", "grouping sets are made of the set of fewest groups that holds them", ("star",),
        limits={"coarsened_at_once": 2**62}),
    Mechanism("sets apart", "grouping sets without a common one are grouped side by side", ("star",),
        limits={"united_groups": 2.0**62}),
    Mechanism("DISTINCT by sets", "DISTINCT values of grouping sets are sets themselves", ("star",), rules=("distinct_sets",)),
    Mechanism("marks", "DISTINCT values are marked in a table of bytes", ("star", "events", "groups"), limits={"marked_slots": 0}),
    Mechanism("rows kept", "aggregates of whole groups keep of each batch the rows that are enough", ("language",),
        limits={"kept_below": 0.0}),
    Mechanism("rows in sequence", "lists of groups are made of batches in the order of their groups", ("language",),
        limits={"sequenced_slots": 0.0}),
    Mechanism("small batches of lists", "lists of values of each row are made in batches that a cache holds", ("language",),
        limits={"listed_batch": 2**62}),
    Mechanism("reduced builds", "a build side keeps what a small probe side asks for", ("tpch", "star", "graph", "joins"),
        limits={"reduced_rows": 2**62}),
    Mechanism("banded joins", "comparisons of a join read a range of a sorted build side", ("joins",),
        limits={"banded_rows": 2**62}),
    Mechanism("windows in pieces", "partitions of windows side by side", ("star", "order"), limits={"window_rows": None}),
    Mechanism("stored indexes of keys", "joins look a table up by an index that stays with it", ("tpch", "star", "graph", "joins"),
        limits={"index_share": 0.0}),
    Mechanism("value indexes", "few rows of a large table are read by an index of their values",
        ("tpch", "star", "events", "joins"), limits={"indexed_rows": None}),
    Mechanism("zone maps", "blocks of rows that hold no match are not read", ("tpch", "star", "events", "order"),
        limits={"zone_rows": None}),
    Mechanism("row groups", "row groups of files that hold no match are not read", ("star", "events", "order"),
        rules=("row_groups",)),
    Mechanism("key filters", "rows that a later join will drop are left out where they are scanned",
        ("tpch", "star", "graph", "joins"), limits={"key_filter_rows": None}),
    Mechanism("compared codes", "conditions on a text that hold for entries side by side compare codes", ("star", "events"),
        limits={"compared_entries": 0}),
    Mechanism("measured shares", "conditions are estimated by what they were found to keep", ("tpch", "star", "events", "graph"),
        limits={"measured_rows": None}),
    Mechanism("tables of expressions", "groups of regular expressions are found by tables, not by RE2", ("events",),
        limits={"tabled_strings": None}),
    Mechanism("text in pieces", "functions of text run on pieces of a dictionary, by all threads", ("tpch", "events"),
        limits={"entries_a_piece": None}),
    Mechanism("products", "nearest rows of vectors are found by matrix products", ("vectors",), limits={"nearest_products": False}),
    Mechanism("inverted lists", "APPROX NEAREST looks at lists of rows near a center", ("vectors",),
        limits={"listed_vectors": None}),
)  # fmt: skip
"""What can be switched off, and the workloads that it is for."""


def opened(files: Mapping[str, Path], threads: int, without: Mechanism | None, seconds: float) -> Side:
    """A side with these tables, without one mechanism or with all."""
    settings = {
        "files": {table: str(path) for table, path in files.items()},
        "threads": threads,
        "seconds": seconds,
        "rules": list(without.rules) if without else [],
        "limits": dict(without.limits) if without else {},
    }
    command = [sys.executable, "-m", "benchmarks.one_side", json.dumps(settings)]
    return Side(command, environment=without.environment if without else None)


@dataclass
class Times:
    """Milliseconds of one query, with the mechanism and without: (wall, CPU) of each turn."""

    with_it: list[tuple[float, float]] = field(default_factory=list)
    without: list[tuple[float, float]] = field(default_factory=list)

    def ratio(self, place: int) -> float:
        """Without over with: 0 by wall, 1 by CPU time."""
        return median(run[place] for run in self.without) / median(run[place] for run in self.with_it)


def compare(workload: Workload | Tpch, with_it: Side, without: Side, repeat: int) -> dict[str, Times]:
    """The times of each query on both sides, `repeat` turns after one that is not measured."""
    found = {query.name: Times() for query in workload.queries}
    for turn in range(1 + repeat):
        for query in workload.queries:
            times = found[query.name]
            sides = [(with_it, times.with_it), (without, times.without)]
            for side, runs in sides if turn % 2 else reversed(sides):
                run = side.asked(query.sql(turn))
                if turn:
                    runs.append(run)
    return found


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    names = [mechanism.name for mechanism in MECHANISMS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mechanisms", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--only", nargs="+", choices=NAMES, help="workloads, instead of those that a mechanism is for")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=Options().threads)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long a query may take")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    if args.list:
        for mechanism in MECHANISMS:
            print(f"{mechanism.name:<24}{mechanism.about} ({mechanism.switch})")
        return
    record = Record("ablations", args.json)
    for mechanism in MECHANISMS:
        if mechanism.name not in args.mechanisms:
            continue
        for name in args.only or mechanism.workloads:
            workload = WORKLOADS.get(name) or Tpch(args.rows)
            files = workload.files(args.rows)
            with (
                opened(files, args.threads, None, args.seconds) as with_it,
                opened(files, args.threads, mechanism, args.seconds) as without,
            ):
                found = compare(workload, with_it, without, args.repeat)
            ratios = {query: times.ratio(0) for query, times in found.items()}
            best, worst = max(ratios, key=ratios.__getitem__), min(ratios, key=ratios.__getitem__)
            record.fact(
                f"{mechanism.name}, {name}:",
                wall_ratio=_mean([times.ratio(0) for times in found.values()]),
                cpu_ratio=_mean([times.ratio(1) for times in found.values()]),
                most=round(ratios[best], 2),
                most_query=best,
                least=round(ratios[worst], 2),
                least_query=worst,
                stopped=sum(max(run[0] for run in times.without) >= 1e3 * args.seconds for times in found.values()),
                switch=mechanism.switch,
                rows=args.rows,
                threads=args.threads,
            )


def _mean(ratios: Sequence[float]) -> float:
    return round(exp(sum(map(log, ratios)) / len(ratios)), 3)


if __name__ == "__main__":
    sys.exit(main())
