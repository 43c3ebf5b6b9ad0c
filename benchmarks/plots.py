"""Pictures of the numbers in benchmarks/results, for README and docs/performance.md.

    python -m benchmarks.plots                              all of them, as SVG into docs/pictures
    python -m benchmarks.plots --only predictions --to /tmp --format png

Each picture is made of the records alone, so a new record and a new run of this make a new picture. All of them show ratios:
the other side's time over tqp's, on a logarithmic axis, with a line at 1. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tpch.needed import names_what_is_missing

__all__ = ["HOME", "PICTURES", "draw", "main", "mean", "predicted", "records", "workload"]

RESULTS = Path(__file__).parent / "results"
HOME = Path(__file__).parents[1] / "docs" / "pictures"

COLORS = {"duckdb": "#E69F00", "polars": "#0072B2", "datafusion": "#009E73", "pandas": "#0072B2", "onnx": "#D55E00"}
"""Of Okabe and Ito: told apart by people who see few colors, too."""
NAMES = {"duckdb": "DuckDB", "polars": "polars", "datafusion": "DataFusion"}
FAMILIES = {
    "logistic": "logistic regression, one-hot",
    "sparse": "the same, sparse (L1)",
    "tree": "decision tree, depth 8",
    "boosting": "gradient boosting, 100 × depth 3",
    "histogram": "histogram gradient boosting, 100",
    "lightgbm": "LightGBM, 100",
    "xgboost": "XGBoost, 100 × depth 6",
    "catboost": "CatBoost, 100 × depth 6",
    "forest": "random forest, 100 × depth 8",
    "mlp": "perceptron, 64 × 32",
}
PREDICTED = "predict-sf1-cpu2.jsonl"
PAPER = 9
"""He et al. (2022), of their abstract: queries with predictions are up to 9 times as fast as the CPU baselines, theirs on a GPU."""
_GREY = "#555555"


def records(name: str) -> list[dict[str, Any]]:
    """The lines of one file of results."""
    return [json.loads(line) for line in (RESULTS / name).read_text().splitlines()]


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs))


def workload(found: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """The ratios of one workload in one state, by query."""
    return {
        record["name"].removeprefix(f"{name}: "): record["wall_ratio"]
        for record in found
        if record["name"].startswith(f"{name}: ")
    }


def predicted(engine: str) -> dict[str, list[float]]:
    """Its times over tqp's for the queries of each family of models that both ran, in the order of `FAMILIES`."""
    times: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records(PREDICTED):
        if record["median_ms"] is not None:
            times[record["family"]][record["query"]][record["engine"]] = record["median_ms"]
    ratios = {family: [by[engine] / by["tqp"] for by in times[family].values() if engine in by] for family in FAMILIES}
    return {family: found for family, found in ratios.items() if found}


def tpch_peers(axes: Any) -> None:
    """TPC-H by query beside three other engines."""
    found = records("tpch-sf1-cpu2-peers.jsonl")
    times: dict[int, dict[str, float]] = defaultdict(dict)
    for record in found:
        if record["median_ms"] is not None:
            times[record["query"]][record["engine"]] = record["median_ms"]
    for place, (engine, name) in enumerate(NAMES.items()):
        shown = {query: by[engine] / by["tqp"] for query, by in times.items() if engine in by}
        label = f"{name}, mean {mean(shown.values()):.2f}"
        beside = [query + (place - 1) * 0.22 for query in shown]
        axes.vlines(beside, 1, list(shown.values()), color=COLORS[engine], linewidth=1.2, alpha=0.5)
        axes.plot(beside, list(shown.values()), "o", color=COLORS[engine], markersize=4.5, label=label)
    axes.set_xticks(list(times), [f"Q{query}" for query in times])
    axes.set_xlim(0.4, len(times) + 0.6)
    axes.tick_params(axis="x", length=0)
    _ratios(axes.yaxis, axes.axhline, (0.5, 1, 2, 5, 10, 20, 50, 100))
    axes.set_ylabel("their time / tqp's time")
    axes.legend(loc="upper right", ncols=3, frameon=False)
    _title(
        axes,
        "TPC-H, scale factor 1, tables resident, a text that ran before",
        found,
        "four engines in one process; an older record",
    )


def tpch_states(axes: Any) -> None:
    """TPC-H beside DuckDB in the four states, a dot for each query."""
    found = records("workloads-cpu2.jsonl")
    states = {
        "repeated": "repeated: this text ran before",
        "fresh": "fresh: other constants than before",
        "first": "first: new query, columns resident",
        "cold": "cold: from Parquet, nothing read",
    }
    _rows(axes, {label: workload(found, f"tpch {state}") for state, label in states.items()}, COLORS["duckdb"])
    _ratios(axes.xaxis, axes.axvline, (0.1, 0.2, 0.5, 1, 2, 5, 10))
    axes.set_xlabel("DuckDB's time / tqp's time; a dot is a query, the bar the geometric mean")
    _title(axes, "TPC-H, scale factor 1, in four states", found)


def tpch_growth(axes: Any) -> None:
    """TPC-H beside DuckDB as the tables grow: all queries in three states, and five of them on more rows."""
    small, large, five = (records(f"{name}.jsonl") for name in ("tpch-sf0.1-cpu2", "workloads-cpu2", "growth-cpu2"))
    rows = {
        f"{state}, SF {sf}": workload(found, f"tpch {state}")
        for state in ("repeated", "fresh", "first")
        for sf, found in (("0.1", small), ("1", large))
    }
    five = [record for record in five if record["name"].startswith("growth: ")]
    times = {(record["sf"], record["name"].split()[1], record["engine"]): record["median_ms"] for record in five}
    for sf in sorted({sf for sf, _, _ in times}):
        queries = [query for of, query, engine in times if of == sf and engine == "tqp"]
        ratios = {query: times[sf, query, "duckdb"] / times[sf, query, "tqp"] for query in queries}
        rows[f"repeated, {', '.join(queries)}, SF {sf:g}"] = ratios
    _rows(axes, rows, COLORS["duckdb"])
    _ratios(axes.xaxis, axes.axvline, (0.1, 0.2, 0.5, 1, 2, 5, 10))
    axes.set_xlabel("DuckDB's time / tqp's time; a dot is a query, the bar the geometric mean")
    tpch = [record for record in (*small, *large) if record["name"].startswith("tpch ")]
    _title(axes, "TPC-H as the tables grow", [*tpch, *five])


def predictions(axes: Any) -> None:
    """Prediction queries by kind of model, beside the paper's best."""
    found = records(PREDICTED)
    labels = list(FAMILIES.values())
    for engine, shift, name in (
        ("pandas", -0.18, "pandas and the library"),
        ("onnx", 0.18, "pandas and onnxruntime"),
    ):
        ratios = predicted(engine)
        places = [list(FAMILIES).index(family) + shift for family in ratios]
        least, most = [min(of) for of in ratios.values()], [max(of) for of in ratios.values()]
        means = [mean(of) for of in ratios.values()]
        axes.hlines(places, least, most, color=COLORS[engine], linewidth=1.5, alpha=0.5)
        axes.plot(means, places, "o", color=COLORS[engine], markersize=6, label=f"DuckDB, {name}")
        for place, number in zip(places, means, strict=True):
            where = axes.get_yaxis_transform()
            axes.text(1.01, place, f"{number:.1f}", transform=where, va="center", fontsize=8, color=COLORS[engine])
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    _ratios(axes.xaxis, axes.axvline, (1, 2, 5, 10, 20, 50, 100))
    axes.axvline(PAPER, color=_GREY, linestyle=":", linewidth=1.2)
    best = "the paper's best, 9×, on\nother queries and machines"
    axes.text(PAPER * 0.92, 5, best, ha="right", va="center", fontsize=8, color=_GREY)
    axes.set_xlabel("their time / tqp's time; dot: geometric mean of five queries, line: least to most")
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    _title(axes, "Queries with predictions over TPC-H, scale factor 1", found)


def language(axes: Any) -> None:
    """The analytic language beside DuckDB, a row for each topic."""
    found = records("language-5m-cpu2.jsonl")
    topics: dict[str, list[float]] = defaultdict(list)
    for name, ratio in workload(found, "language fresh").items():
        topics[name.partition(":")[0]].append(ratio)
    several = {topic: ratios for topic, ratios in topics.items() if len(ratios) > 2}
    several["others"] = [ratio for topic, ratios in topics.items() if topic not in several for ratio in ratios]
    rows = {f"{topic} ({len(ratios)})": dict(enumerate(ratios)) for topic, ratios in several.items()}
    _rows(axes, rows, COLORS["duckdb"])
    _ratios(axes.xaxis, axes.axvline, (0.2, 0.5, 1, 2, 5, 10, 20))
    axes.set_xlabel("DuckDB's time / tqp's time; a dot is a query, the bar the geometric mean")
    _title(axes, "The analytic language, 5 million rows, fresh constants", found)


PICTURES: dict[str, tuple[Callable[[Any], None], tuple[float, float]]] = {
    "tpch-peers": (tpch_peers, (9, 3.6)),
    "tpch-states": (tpch_states, (8, 2.6)),
    "tpch-growth": (tpch_growth, (8, 3.4)),
    "predictions": (predictions, (8, 4.4)),
    "language": (language, (8, 4.0)),
}
"""By name: what draws it on axes, and its size in inches."""


def _rows(axes: Any, rows: Mapping[str, Mapping[Any, float]], color: str) -> None:
    """A row of dots for each name, its geometric mean as a bar and as a number, the first on top."""
    for place, ratios in enumerate(rows.values()):
        axes.plot(
            list(ratios.values()), [place] * len(ratios), "o", color=color, markersize=5, alpha=0.45, markeredgewidth=0
        )
        middle = mean(ratios.values())
        axes.plot([middle, middle], [place - 0.3, place + 0.3], color="black", linewidth=2)
        axes.text(1.01, place, f"{middle:.2f}", transform=axes.get_yaxis_transform(), va="center")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.text(1.01, -0.75, "mean", transform=axes.get_yaxis_transform(), va="center", color=_GREY)
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)


def _ratios(axis: Any, line: Callable[..., Any], marks: Sequence[float]) -> None:
    """A logarithmic axis of ratios with these marks, and a line at 1."""
    from matplotlib.ticker import NullLocator

    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale("log")
    axis.set_ticks(marks, [f"{mark:g}" for mark in marks])
    axis.set_minor_locator(NullLocator())
    axis.grid(True, color="#dddddd", linewidth=0.6)
    line(1, color="black", linewidth=1)


def _title(axes: Any, text: str, found: Sequence[Mapping[str, Any]], more: str = "") -> None:
    """What is shown; below it on what, and at which commit, as the records say."""
    commits = sorted({record["commit"][:7] for record in found if record.get("commit")})
    where = [found[0]["hardware"], more, f"commit {', '.join(commits)}" if commits else "", "above 1 tqp is faster"]
    axes.set_title(text, loc="left", fontsize=11, pad=20)
    axes.text(0, 1.02, "; ".join(filter(None, where)), transform=axes.transAxes, fontsize=8, color=_GREY, va="bottom")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def draw(name: str, to: Path, kind: str = "svg") -> Path:
    """Write one picture into the folder `to`; equal records give equal bytes."""
    import matplotlib

    # Text stays text: files are small, and readers and searches find the words.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "tqp", "font.size": 9, "font.family": "sans-serif"}
    with matplotlib.rc_context({**settings, "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"]}):
        from matplotlib.figure import Figure

        function, size = PICTURES[name]
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        function(figure.subplots())
        path = to / f"{name}.{kind}"
        figure.savefig(path, dpi=150, metadata={"Date": None, "Creator": None} if kind == "svg" else None)
    return path


@names_what_is_missing
def main(argv: Sequence[str] | None = None) -> int:
    """Draw the pictures that are asked for and print their paths."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.plots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=list(PICTURES), help="these (default: all)")
    parser.add_argument("--to", type=Path, default=HOME, help="a folder (default docs/pictures)")
    parser.add_argument("--format", choices=("svg", "png"), default="svg", help="svg or png (default svg)")
    args = parser.parse_args(argv)
    args.to.mkdir(parents=True, exist_ok=True)
    for name in args.only:
        print(draw(name, args.to, args.format))
    return 0


if __name__ == "__main__":
    sys.exit(main())
