"""What a query takes from when and where it is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import torch

from tqp.catalog.definitions import MAIN, Variable
from tqp.catalog.macros import Macros
from tqp.catalog.named_types import Types
from tqp.catalog.sequences import Sequences
from tqp.config import DefaultOrder, Semantics
from tqp.errors import BindError
from tqp.ir.expr import Literal
from tqp.locks import Lock
from tqp.own import OwnFunctions
from tqp.own.randoms import Randoms
from tqp.types import TIMESTAMPTZ

__all__ = ["Session", "now"]


_LOCK: Final = Lock()
_last = 0


def now() -> Literal:
    """The moment, a TIMESTAMPTZ: each is later than those before, so that it tells queries apart."""
    global _last
    with _LOCK:
        _last = max(time.time_ns() // 1000, _last + 1)
        return Literal(_last, TIMESTAMPTZ)


def _no_setting(name: str) -> Literal:
    raise BindError(f"there is no setting {name!r}")


def _no_variable(name: str) -> Variable | None:
    return None


@dataclass(frozen=True)
class Session:
    """The `moment` that a query has from its start to its end, an input of its plan, and the name of its time zone.

    `macros` and `own` are the macros and the user's functions that it may call, `types` those that have names; `setting` gives the
    value of a setting by its name, `variable` that of SET VARIABLE. `order` is meant where the text names none, and `semantics`
    is what texts mean otherwise. What is stored for the query alone lies on the `device`. Numbers are drawn from its `sequences`,
    and from `randoms`. `schema_of` says where the table of a name is defined.
    """

    moment: Literal = field(default_factory=now)
    time_zone: str = "UTC"
    macros: Macros = field(default_factory=Macros)
    setting: Callable[[str], Literal] = _no_setting
    own: OwnFunctions = field(default_factory=OwnFunctions)
    variable: Callable[[str], Variable | None] = _no_variable
    order: DefaultOrder = field(default_factory=DefaultOrder)
    types: Types = field(default_factory=Types)
    sequences: Sequences = field(default_factory=Sequences)
    schema_of: Callable[[str], str] = lambda name: MAIN
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    randoms: Randoms = field(default_factory=Randoms)
    semantics: Semantics = field(default_factory=Semantics)
