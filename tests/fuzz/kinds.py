"""The kinds of runs by their names."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.files import files
from tests.fuzz.forced import blocks, compiled, divided, filtered, indexed, looped, repeated, traced
from tests.fuzz.groups import groups
from tests.fuzz.metamorphic import equal
from tests.fuzz.placed import placed
from tests.fuzz.predictions import predicted
from tests.fuzz.report import Report
from tests.fuzz.runs import columns, constants, shapes, sources, threads, values
from tests.fuzz.scripts import statements

KINDS_OF_RUN: dict[str, Callable[[int], Report]] = {
    "shapes": shapes, "values": values, "columns": columns, "sources": sources, "threads": threads,
    "constants": constants, "traced": traced, "blocks": blocks, "indexed": indexed, "divided": divided,
    "predicted": predicted, "groups": groups,
    "filtered": filtered, "repeated": repeated, "statements": statements, "files": files,
    "equal": equal, "placed": placed,
}  # fmt: skip
SLOW_KINDS: dict[str, Callable[[int], Report]] = {"compiled": compiled, "looped": looped}
