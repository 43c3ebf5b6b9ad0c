"""TPC-H from the command line.

python -m tpch run --sf 1 --queries 1,6-9 --threads 2      times against DuckDB, every cell checked
python -m tpch validate --sf 0.1 --seed 7                  answers only, with random parameters
python -m tpch data --sf 10                                generate the tables
python -m tpch explain 3 --analyze                         the plan of a query and what its steps did
python -m tpch report run.jsonl --to report.html           a page with tables and pictures of what run --json wrote
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tpch import data, parameters, report
from tpch.engines import ENGINES
from tpch.needed import names_what_is_missing
from tpch.page import page
from tpch.run import Options, Result, run


@names_what_is_missing
def main(argv: list[str] | None = None) -> int:
    """Run the command; the status is 1 where a query failed or an answer is wrong."""
    args = _parser().parse_args(argv)
    try:
        match args.command:
            case "data":
                print(data.generate(args.sf))
                return 0
            case "explain":
                return _explain(args)
            case "report":
                return _report(args)
            case _:
                return _run(args)
    except BrokenPipeError:
        return 1


def queries(text: str) -> list[int]:
    """The numbers in text such as "1,6-9"."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().lower().removeprefix("q").partition("-")
        try:
            found += range(int(first), int(last or first) + 1)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{part!r} is no query; write them as 1,6-9") from None
    wrong = [number for number in found if number not in parameters.QUERIES]
    if wrong:
        raise argparse.ArgumentTypeError(f"TPC-H has the queries 1 to 22, not {wrong[0]}")
    return found


def _engines(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in ENGINES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no engine {unknown[0]!r}; choose from {', '.join(ENGINES)}")
    return names


def _parser() -> argparse.ArgumentParser:
    fallback = Options()
    parser = argparse.ArgumentParser(
        prog="python -m tpch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text)
        made.add_argument("--sf", type=float, default=fallback.sf, help="scale factor (default 1)")
        return made

    command("data", "generate the tables and print their folder")
    timed = command("run", "time the queries and check the answers")
    checked = command("validate", "check the answers of tqp")
    explained = command("explain", "show the plan of a query")
    explained.add_argument("query", type=int, choices=parameters.QUERIES, metavar="Q")
    explained.add_argument("--analyze", action="store_true", help="run it and say what each step did")
    explained.add_argument("--program", action="store_true", help="show it as torch code")
    reported = commands.add_parser("report", help="write a page with tables and pictures of recorded runs")
    reported.add_argument("records", type=Path, help="a file that run --json wrote")
    reported.add_argument("--to", type=Path, help="the page (default: the file's name with .html)")
    for made in (timed, checked, explained):
        made.add_argument("--device", default=fallback.device, help="cpu, cuda or cuda:<n>")
        made.add_argument("--threads", type=int, default=fallback.threads, help="for all engines (default: all cores)")
        made.add_argument("--backend", default=fallback.backend, help="eager or compile")
        made.add_argument("--seed", type=int, help="random parameters (default: those for validation)")
    for made in (timed, checked):
        made.add_argument(
            "--queries", type=queries, default=list(fallback.queries), help="such as 1,6-9 (default: all)"
        )
        made.add_argument("--json", type=Path, help="append one JSON line a query and engine to this file")
    timed.add_argument("--repeat", type=int, default=fallback.repeat, help="timed runs after the first (default 5)")
    timed.add_argument("--engines", type=_engines, default=list(fallback.engines), help=f"of {', '.join(ENGINES)}")
    timed.add_argument("--cold", action="store_true", help="open everything anew for each run, straight from Parquet")
    timed.add_argument("--no-validate", action="store_true", help="do not compare answers")
    return parser


def _options(args: argparse.Namespace) -> Options:
    only_check = args.command == "validate"
    return Options(
        sf=args.sf,
        queries=args.queries,
        engines=("tqp",) if only_check else args.engines,
        device=args.device,
        threads=args.threads,
        backend=args.backend,
        repeat=0 if only_check else args.repeat,
        cold=False if only_check else args.cold,
        validate=only_check or not args.no_validate,
        seed=args.seed,
    )


def _run(args: argparse.Namespace) -> int:
    options = _options(args)
    data.generate(options.sf)
    print(report.header(options), flush=True)
    finished: list[list[Result]] = []
    known: set[str] = set()
    with _progress(len(options.queries)) as (step, advance):
        for results in run(options, step):
            finished.append(results)
            print(report.line(results, known), flush=True)
            if args.json:
                with args.json.open("a") as file:
                    file.writelines(report.json_line(result, options) + "\n" for result in results)
            advance()
    print(report.footer(finished, options))
    ours = [result for results in finished for result in results if result.engine in ("tqp", "duckdb")]
    return int(any(result.problem for result in ours))


def _explain(args: argparse.Namespace) -> int:
    import tqp

    connection = tqp.connect(device=args.device, threads=args.threads, backend=args.backend)
    for table, path in data.files(args.sf).items():
        connection.register(table, str(path))
    relation = connection.sql(parameters.query(args.query, sf=args.sf, seed=args.seed))
    print(relation.explain("program" if args.program else args.analyze))
    return 0


def _report(args: argparse.Namespace) -> int:
    try:
        with args.records.open(encoding="utf-8") as lines:
            text = page(lines)
    except (OSError, ValueError) as error:
        print(f"{args.records}: {error}", file=sys.stderr)
        return 1
    to = args.to or args.records.with_suffix(".html")
    to.write_text(text, encoding="utf-8")
    print(to)
    return 0


@contextmanager
def _progress(total: int) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """What to call with the next step's name, and after each query; shows a bar where somebody watches and rich is there."""
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield lambda step: None, lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task("load", total=total)
        yield lambda step: bar.update(task, description=f"{step:<18}"), lambda: bar.advance(task)


if __name__ == "__main__":
    sys.exit(main())
