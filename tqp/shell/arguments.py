"""What the command `tqp` is called with."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tqp import __version__
from tqp.io.protocols import is_remote

__all__ = ["FAILED", "FILES_ALONE", "FORMATS", "Options", "Usage", "read", "told_format"]

FORMATS: Final = ("table", "csv", "json", "jsonlines", "markdown", "parquet", "arrow")
FILES_ALONE: Final = frozenset({"parquet", "arrow"})
"""Formats that are no text, which go to files alone."""
FAILED: Final = 1
"""The exit code for an error in a query."""
_ENDINGS: Final = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonlines",
    ".ndjson": "jsonlines",
    ".md": "markdown",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
"""The formats that names of files tell."""

_STATEMENT: Final = re.compile(
    r"\s*(copy|create|describe|drop|explain|from|insert|pivot|select|set|show|summarize|values|with)\s", re.IGNORECASE
)
"""What somebody who gives statements in the place of files begins with."""

_EXAMPLES: Final = """\
examples:
  tqp                                           a prompt for statements
  tqp sales.parquet                             a prompt, the file as the table sales
  tqp -c "SELECT count(*) FROM 'sales.parquet'"
  tqp sales.parquet -c 'FROM sales LIMIT 10' --csv
  tqp report.sql -o report.parquet              the rows of its one query as a file
  tqp s='data/*.csv' -c 'SUMMARIZE s'           a name for the table
  echo 'SELECT 42' | tqp --json

exit codes: 0, 1 for an error in a query, 2 for wrong usage, 130 for Ctrl-C
"""


class Usage(Exception):
    """The command was called in a way that it does not work."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the command was called. `tables` are names, None for that of the file, and paths; `scripts` names and texts."""

    tables: tuple[tuple[str | None, str], ...]
    scripts: tuple[tuple[str, str], ...]
    format: str
    output: str | None
    rows: int | None
    width: int | None
    device: str
    threads: int | None
    backend: str
    memory_limit: str | None
    time_zone: str | None
    timeout: float | None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tqp",
        description="SQL on tensors: runs statements in DuckDB's SQL over files, or opens a prompt for them.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a .sql file to run, - for standard input; or data as a table, [NAME=]PATH",
    )
    parser.add_argument(
        "-c", "--command", action="append", default=[], metavar="SQL", help="statements to run, after files"
    )
    form = parser.add_argument_group("what becomes of rows")
    form.add_argument("--format", choices=FORMATS, help="table, or what the name of the output says")
    for name in ("csv", "json", "jsonlines", "markdown"):
        form.add_argument(f"--{name}", action="append_const", const=name, dest="formats", help=f"--format {name}")
    form.add_argument("--parquet", metavar="OUT", help="--format parquet --output OUT")
    form.add_argument(
        "-o", "--output", metavar="OUT", help="a file for the rows of the one query; it is whole or not there"
    )
    form.add_argument("--rows", type=_count, metavar="N", help="rows that a table shows (40)")
    form.add_argument(
        "--width",
        type=_count,
        metavar="N",
        help="places of a line that a table takes (the terminal's), 0 for all it needs",
    )
    running = parser.add_argument_group("how queries run")
    running.add_argument("--device", default="cpu", help="cpu, cuda or cuda:<n>")
    running.add_argument("--threads", type=int, metavar="N", help="threads on the CPU (all cores)")
    running.add_argument("--backend", default="eager", help="eager or compile")
    running.add_argument("--memory-limit", metavar="SIZE", help="of intermediate results, such as 4GB")
    running.add_argument("--time-zone", metavar="ZONE", help="such as Europe/Berlin (the machine's)")
    running.add_argument("--timeout", type=float, metavar="SECONDS", help="that a query may take")
    parser.add_argument("--version", action="version", version=f"tqp {__version__}")
    return parser


def read(arguments: Sequence[str] | None) -> Options:
    """The options of these arguments, those of the process where there are none; Usage where they do not go together."""
    given = _parser().parse_args(arguments)
    tables: list[tuple[str | None, str]] = []
    scripts: list[tuple[str, str]] = []
    for file in given.files:
        if file == "-" or file.lower().endswith(".sql"):
            scripts.append(_script(file))
        else:
            if _STATEMENT.match(file) and not os.path.exists(file):
                raise Usage(f"there is no file {file!r}; statements stand behind -c")
            name, equals, path = file.partition("=")
            # A name is a word: what has an = in a folder is a path.
            tables.append((name, path) if equals and name.isidentifier() else (None, file))
    scripts += [("", text) for text in given.command]
    if not scripts and not sys.stdin.isatty():
        scripts.append(_script("-"))
    form, output = _format(given)
    return Options(
        tuple(tables),
        tuple(scripts),
        form,
        output,
        given.rows,
        given.width,
        given.device,
        given.threads,
        given.backend,
        given.memory_limit,
        given.time_zone,
        given.timeout,
    )


def _format(given: argparse.Namespace) -> tuple[str, str | None]:
    named = [*([given.format] if given.format else []), *(given.formats or []), *(["parquet"] if given.parquet else [])]
    if len(set(named)) > 1:
        raise Usage(f"one format at a time, not {' and '.join(dict.fromkeys(named))}")
    if given.parquet and given.output:
        raise Usage("--parquet names the file already, --output names another one")
    output = given.parquet or given.output
    is_here = output is not None and not is_remote(output)
    if output is not None and is_here and not Path(output).absolute().parent.is_dir():
        raise Usage(f"there is no folder {str(Path(output).parent)!r} for the output")
    if output is not None and is_here and Path(output).is_dir():
        raise Usage(f"the output {output!r} is a folder")
    form = named[0] if named else (told_format(output) if output is not None else None) or "table"
    if form in FILES_ALONE and output is None:
        raise Usage(f"{form} is written to a file: {'--parquet OUT' if form == 'parquet' else '--output OUT'}")
    return form, output


def told_format(path: str) -> str | None:
    """The format that the name of a file tells."""
    return _ENDINGS.get(Path(path.lower().removesuffix(".gz").removesuffix(".zst")).suffix)


def _script(file: str) -> tuple[str, str]:
    try:
        if file == "-":
            return "standard input", sys.stdin.buffer.read().decode("utf-8-sig")
        return file, Path(file).read_text("utf-8-sig")
    except OSError as error:
        raise Usage(f"cannot read {file!r}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Usage(f"{file!r} is no text in UTF-8: byte {error.start}") from None


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


_count.__name__ = "number of 0 or more"  # as argparse calls it in errors
