"""What `connect` and queries take beside tables and texts, checked."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from threading import TIMEOUT_MAX

from tqp.config import Settings, cores, memory_bytes
from tqp.device import resolve
from tqp.errors import BindError
from tqp.optimizer import EXCERPTS, RULES
from tqp.plans import REUSE
from tqp.runtime.backends import BACKENDS

__all__ = ["seconds", "settings_of"]


def settings_of(
    device: str, threads: int | None, backend: str, memory_limit: int | str | None, disabled_rules: Iterable[str]
) -> Settings:
    """The settings of a connection; BindError for a value that none has, SourceError for a device that is not there."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise BindError(f"threads={threads!r} is not a number of threads", hint="use 1 or more, None for all cores")
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise BindError(f"there is no backend {backend!r}", hint=f"choose {' or '.join(BACKENDS)}")
    where = resolve(device)
    return Settings(
        str(where), threads or cores(), backend, memory_bytes(memory_limit), disabled_rules=_rules(disabled_rules)
    )


def seconds(timeout: float | None) -> float | None:
    """A timeout as a number of seconds; BindError where it is none."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not timeout > 0:
        hint = "use a number above 0, None for no limit"
        raise BindError(f"timeout={timeout!r} is not a number of seconds", hint=hint)
    return min(float(timeout), TIMEOUT_MAX)


def _rules(names: Iterable[str]) -> frozenset[str]:
    """The names as a set; BindError for one that no rule has."""
    if not isinstance(names, Iterable):
        raise BindError(f"disabled_rules={names!r} is no list of names")
    chosen = frozenset((names,) if isinstance(names, str) else names)
    known = [*(name for name, _ in RULES), EXCERPTS, REUSE]
    if unknown := sorted(chosen.difference(known), key=str):
        raise BindError(f"there is no optimizer rule {unknown[0]!r}", hint=f"rules are {', '.join(known)}")
    return chosen
