"""How fast are queries that call a model, beside the ways to do it without tqp?

    python -m benchmarks.predict --sf 1 --threads 2 --json predict.jsonl
    python -m benchmarks.predict --families tree,forest --queries group,rate --sides tqp,pandas
    python -m benchmarks.predict --ablate                 tqp again without each optimizer rule of prediction
    python -m benchmarks.predict --sample-udf             the slow side on one query of each family, timed once

Each family of models is trained on features of TPC-H (`benchmarks.predict_models`), then each query of joins, a filter
and a GROUP BY over the prediction runs on three sides, turn by turn:

    tqp      the query with PREDICT, one tensor program
    pandas   DuckDB fetches features into a pandas frame, the library predicts, DuckDB groups the frame
    udf      DuckDB calls the library from inside the query, an Arrow function of 2048 rows a call
    onnx     as pandas, with onnxruntime in the library's place, where skl2onnx converts the model (only if asked for)
    host     the query with PREDICT, where tqp calls the library for batches of rows (only if asked for)

A time is from text to Arrow table, with tables resident and the model known. All sides have the same cores and threads,
the libraries too; answers must equal those of the library itself (the side pandas), first run and last. Needs
scikit-learn; families of libraries that are not installed are left out and named. The status is 1 where a side of tqp
failed or is wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.predict_models import FAMILIES, QUERIES, Family, Query, missing, train
from benchmarks.predict_sides import PandasSide, Side, make_side
from tpch import data
from tpch.engines import DuckDB, Tqp
from tpch.needed import names_what_is_missing, need
from tpch.report import hardware, json_line
from tpch.run import Options, Result, measure
from tqp.verify.compare import compare

__all__ = ["RULES", "SIDES", "main", "table"]

SIDES = {"tqp": "tqp", "pandas": "pandas", "udf": "udf", "onnx": "onnx", "host": "tqp host"}
DEFAULT_SIDES = ("tqp", "pandas", "udf")
RULES = (
    "predict_inputs",
    "predict_late",
    "predict_once",
    "predict_low",
    "predict_together",
    "predict_distinct",
    "prune_trees",
    "fold_encoders",
    "join_elimination",
)
BASE = "pandas"
SAMPLED = "rate"
"""The query with the fewest rows to predict: what the side udf is asked for if it is only sampled."""
_QUERIES = {query.name: query for query in QUERIES}
_TOLERANCE = 1e-6
"""Boosters that add up in float32 differ more than sums of DOUBLE in another order."""

Models = Mapping[str, Any]


def run(
    families: Sequence[Family],
    queries: Sequence[Query],
    sides: Sequence[str],
    without: Sequence[str],
    options: Options,
    sample_udf: bool = False,
) -> Iterator[tuple[Family, list[Result]]]:
    """Times and checked answers of each family and query, one result a side; `without` are rules to try to do without.

    With `sample_udf` the side udf runs the query `SAMPLED` alone, once, behind the other sides; its other results have no time.
    """
    files = data.files(options.sf)
    tqp_tables, duckdb_tables = Tqp(files, options, resident=True), DuckDB(files, options, resident=True)
    for family in families:
        asked = [query for query in queries if query.task.is_text == family.is_text]
        tasks = {query.task.name: query.task for query in asked}
        models = {name: train(family, task, files, options.threads) for name, task in tasks.items()}
        made: dict[str, Side] = {}
        failures: dict[str, str] = {}
        names = [*sides, *(f"tqp without {rule}" for rule in without)]
        for name in names:
            try:
                made[name] = make_side(name, tqp_tables, duckdb_tables, models, family, options)
            except Exception as error:
                failures[name] = f"{type(error).__name__}: {error}"
        for query in asked:
            results = {name: Result(query.name, name, made[name].version if name in made else "") for name in names}
            for name, failure in failures.items():
                results[name].problem = failure
            turns = {name: result for name, result in results.items() if not (sample_udf and name == "udf")}
            answers = measure(query.name, options, made, turns)
            if len(turns) < len(results) and query.name == SAMPLED:
                answers |= _once(query.name, made["udf"], results["udf"])
            expected = answers[BASE][0] if BASE in answers else PandasSide(duckdb_tables, models, "").run(query.name)
            for name, tables in answers.items():
                _judge(results[name], tables, expected)
            yield family, list(results.values())
        for side in made.values():
            side.close()
    tqp_tables.close()
    duckdb_tables.close()


def _once(query: str, side: Side, result: Result) -> dict[str, list[pa.Table]]:
    """The answer of a side that is too slow to take turns, by its name; its first run is what is timed."""
    start = time.perf_counter()
    try:
        answer = side.run(query)
    except Exception as error:
        result.problem = f"{type(error).__name__}: {error}"
        return {}
    result.runs_ms.append((time.perf_counter() - start) * 1e3)
    return {side.name: [answer]}


def _judge(result: Result, tables: Sequence[pa.Table], expected: pa.Table) -> None:
    result.rows = tables[-1].num_rows
    found = [compare(table, expected, order_by=[0], rel_tol=_TOLERANCE, strict=False) for table in tables]
    differences = [difference for difference in found if difference is not None]
    result.validated = not differences
    if differences:
        result.problem = str(differences[0])


def table(finished: Sequence[tuple[Family, list[Result]]]) -> str:
    """All results as text: times, ratios to tqp's time, geometric means, and how many answers are right.

    A column `-rule` is tqp without that rule, so its ratio says what the rule gains.
    """
    engines = [result.engine for result in finished[0][1]]
    base = next((engine for engine in engines if engine.startswith("tqp")), engines[0])
    others = [engine for engine in engines if engine != base]
    labels = {engine: engine.replace("tqp without ", "-") for engine in engines}
    width = {engine: max(11, len(label) + 5) for engine, label in labels.items()}
    line = f"{'family':<11}{'query':<11}" + "".join(f"{labels[engine] + ' ms':>{width[engine]}}" for engine in engines)
    lines = [line + "".join(f"{'/ ' + labels[engine]:>{width[engine]}}" for engine in others) + "  validated"]
    ratios: dict[str, list[float]] = {engine: [] for engine in others}
    for family, results in finished:
        times = {result.engine: result.median_ms for result in results}
        line = f"{family.name:<11}{results[0].name:<11}"
        line += "".join(f"{_time(result):>{width[result.engine]}}" for result in results)
        ours = times[base]
        for engine in others:
            other = times[engine]
            if ours and other:
                ratios[engine].append(other / ours)
            line += f"{f'{other / ours:.2f}x' if ours and other else '-':>{width[engine]}}"
        lines.append(
            line + "  " + ("yes" if all(r.validated for r in results if r.median_ms or r.engine == base) else "NO")
        )
    for engine, found in ratios.items():
        if found:
            mean = math.exp(sum(map(math.log, found)) / len(found))
            lines.append(f"{mean:.2f}x geometric mean of {engine} / {base} over {len(found)} queries")
    compared = [r for _, results in finished for r in results if r.engine != BASE and (r.median_ms or r.engine == base)]
    right = sum(result.validated is True for result in compared)
    return "\n".join([*lines, f"{right} of {len(compared)} answers equal the library's own"])


def _time(result: Result) -> str:
    if result.median_ms is not None:
        return f"{result.median_ms:.1f}"
    return "error" if result.problem else "-"


def _record(family: Family, result: Result, options: Options) -> str:
    record = json.loads(json_line(result, options, "predict"))
    if result.engine.startswith("tqp"):
        record |= {"device": options.device, "backend": options.backend}
    return json.dumps({**record, "family": family.name, "model_version": family.version})


@contextmanager
def _confined(threads: int) -> Iterator[None]:
    """Threads begun inside run on `threads` cores only, for libraries that start as many as they see."""
    from threadpoolctl import threadpool_limits

    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(threads))
    if threads < len(cores):
        os.sched_setaffinity(0, sorted(cores)[:threads])
    try:
        with threadpool_limits(threads, user_api="blas"):
            yield
    finally:
        if threads < len(cores):
            os.sched_setaffinity(0, cores)


@names_what_is_missing
def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the status is 1 where tqp failed or is wrong."""
    args = _parser().parse_args(argv)
    absent = {family: library for family in args.families if (library := missing(family)) is not None}
    for family, library in absent.items():
        print(f"{family.name} is left out: {library} is not installed")
    families = [family for family in args.families if family not in absent]
    if not families:
        extras = sorted({"models" if library == "scikit-learn" else library for library in absent.values()})
        print(f'Hint: pip install "tensor-query-processor[{",".join(extras)}]"', file=sys.stderr)
        return 2
    need("duckdb", "pandas")
    from tqp.optimizer import RULES as EXISTING

    rules = [rule for rule in RULES if rule in dict(EXISTING)] if args.ablate else []
    options = Options(args.sf, threads=args.threads, repeat=args.repeat, device=args.device, backend=args.backend)
    about = f"Prediction queries, TPC-H SF {args.sf:g}, {args.threads} threads, device {args.device}"
    print(f"{about}, median of {args.repeat}\n{hardware(args.device)}\n", flush=True)
    if args.sample_udf and "udf" in args.sides:
        print(
            f"udf, the slow side, is sampled: the query {SAMPLED} alone, one run, the first; without --sample-udf it takes turns\n"
        )
    finished: list[tuple[Family, list[Result]]] = []
    known: set[str] = set()
    with _confined(args.threads):
        for family, results in run(families, args.queries, args.sides, rules, options, args.sample_udf):
            finished.append((family, results))
            _report(family, results, known)
            if args.json is not None:
                with args.json.open("a") as file:
                    file.writelines(_record(family, result, options) + "\n" for result in results)
    print("\n" + table(finished))
    return int(any(r.problem for _, results in finished for r in results if r.engine.startswith("tqp")))


def _report(family: Family, results: Sequence[Result], known: set[str]) -> None:
    shown = [result for result in results if result.runs_ms or result.problem]
    times = "  ".join(f"{r.engine} {'error' if r.median_ms is None else f'{r.median_ms:.1f} ms'}" for r in shown)
    print(f"{family.name} {results[0].name}: {times}", file=sys.stderr, flush=True)
    for result in results:
        if result.problem and result.problem not in known:
            known.add(result.problem)
            print(f"      {family.name} {result.name} on {result.engine}: {result.problem}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.predict", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    fallback = Options()
    parser.add_argument("--sf", type=float, default=fallback.sf, help="scale factor (default 1)")
    parser.add_argument("--threads", type=int, default=fallback.threads, help="for all sides (default: all cores)")
    parser.add_argument("--repeat", type=int, default=fallback.repeat, help="timed runs after the first (default 5)")
    parser.add_argument("--device", default=fallback.device, help="of tqp: cpu, cuda or cuda:<n>")
    parser.add_argument("--backend", default=fallback.backend, help="of tqp: eager or compile")
    for name, known, usual in (
        ("families", FAMILIES, FAMILIES),
        ("queries", _QUERIES, _QUERIES),
        ("sides", SIDES, DEFAULT_SIDES),
    ):
        text = f"of {', '.join(known)} (default: {'all' if len(usual) == len(known) else ','.join(usual)})"
        parser.add_argument(f"--{name}", type=_chooser(name, known), default=[known[n] for n in usual], help=text)
    parser.add_argument("--ablate", action="store_true", help=f"tqp also without each of {', '.join(RULES)}")
    parser.add_argument("--sample-udf", action="store_true", help=f"udf runs the query {SAMPLED} alone, once")
    parser.add_argument("--json", type=Path, help="append one JSON line a family, query and side to this file")
    return parser


def _chooser(what: str, known: Mapping[str, Any]) -> Any:
    def choose(text: str) -> list[Any]:
        names = [name.strip() for name in text.split(",")]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of the {what} {', '.join(known)}")
        return [known[name] for name in names]

    return choose


if __name__ == "__main__":
    sys.exit(main())
