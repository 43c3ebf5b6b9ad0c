"""Programs of a checkout end with a short error, not with a traceback, where a library is not installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import ParamSpec

from tpch.data import Missing
from tqp.errors import SourceError

__all__ = ["EXTRAS", "names_what_is_missing", "need"]

EXTRAS = {
    "datafusion": "peers",
    "duckdb": "verify",
    "matplotlib": "plots",
    "pandas": "pandas",
    "polars": "polars",
    "sklearn": "models",
}
"""The extra that brings a library, by the name under which it is imported."""

_P = ParamSpec("_P")


def need(*libraries: str) -> None:
    """Import them; ModuleNotFoundError, which the decorated `main` reports, where one is not there."""
    for library in libraries:
        import_module(library)


def names_what_is_missing(main: Callable[_P, int | None]) -> Callable[_P, int | None]:
    """Decorate a program's `main`: it prints what to install and returns 2 where a library or tpchgen-cli is not there."""

    @wraps(main)
    def run(*args: _P.args, **options: _P.kwargs) -> int | None:
        spec = sys.modules[main.__module__].__spec__
        program = f"python -m {(spec.name if spec else main.__module__).removesuffix('.__main__')}"
        try:
            return main(*args, **options)
        except ModuleNotFoundError as error:
            library = (error.name or "").partition(".")[0]
            if library not in EXTRAS:
                raise
            hint = f'pip install "tensor-query-processor[{EXTRAS[library]}]"'
            print(f"{program} needs {library}, which is not installed\nHint: {hint}", file=sys.stderr)
        except (Missing, SourceError) as error:
            print(f"{program}: {error}", file=sys.stderr)
        return 2

    return run
