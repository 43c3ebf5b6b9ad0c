"""Operations: kernels of which there is more than one form, or whose course depends on values.

An operation is defined once by its *plain form*: torch operations alone, right on every device, and what a tracer sees.
*Variants* do the same faster on a type of devices, for all arguments or some of them, each with the reason that it is there
for. Which form runs is decided here, a call at a time, and nowhere else: callers call the operation as a function.

    @operation(Variant(_by_numpy, "cpu", "a third of the time of torch's"))
    def select(mask: Tensor) -> Tensor: ...

Its first argument decides on the device: a tensor, given by position. One whose name ends in _ changes it in place and gives
it, as in torch; no other argument is ever changed. `OPERATIONS` has them all; a test runs every variant
against the plain form. A call costs 0.2 µs more than one of the form itself (decision 19).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, overload

from tqp.locks import Lock

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "ACCELERATOR", "OPERATIONS", "STATE", "NotTraceable", "Operation", "Variant", "assumed", "is_tracing", "operation",
    "refuse_tracing", "tracing", "watching",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

CPU: Final = "cpu"
ACCELERATOR: Final = "accelerator"
"""Every type of devices but the CPU."""


class NotTraceable(Exception):
    """A computation cannot be part of a compiled function; its text says why. Never leaves the compiled backend."""


@dataclass(frozen=True, slots=True)
class Variant(Generic[P, R]):
    """Another form of an operation, with the same results.

    `on` is where it may run: "cpu", "accelerator" (any other device; torch operations alone), or a type of devices by
    torch's name. `why` says what it is better at. `when`, asked with the arguments, says whether it fits them; a look at
    their shapes is cheap, one at their values is a wait on an accelerator. `of_constants`: all its arguments are constants of a
    program that is traced, as dictionaries are, so that it runs then, too.
    """

    run: Callable[P, R]
    on: str
    why: str
    when: Callable[P, bool] | None = None
    of_constants: bool = False

    def runs_on(self, kind: str) -> bool:
        """Whether it may run on devices of that type."""
        return self.on == kind or (self.on == ACCELERATOR and kind != CPU)


@dataclass(frozen=True, slots=True)
class Operation:
    """What is known of an operation: `untraceable` says why a tracer is refused, if it is."""

    name: str
    plain: Callable[..., Any]
    variants: tuple[Variant[..., Any], ...]
    untraceable: str

    def on(self, kind: str) -> tuple[Variant[..., Any], ...]:
        """The variants for a type of devices, the first one that fits the arguments being the one that runs."""
        return tuple(variant for variant in self.variants if variant.runs_on(kind))


OPERATIONS: Final[dict[str, Operation]] = {}
"""All operations by name: module and function, as "rows.select". Filled as their modules are imported."""


@overload
def operation(
    first: Variant[P, R], /, *others: Variant[P, R], untraceable: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


@overload
def operation(*, untraceable: str = "") -> Callable[[F], F]: ...


def operation(
    *variants: Variant[..., Any], untraceable: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a plain form an operation with these variants, the better ones first.

    `untraceable` says why it can be no part of a compiled function, where the waits in it do not say so.
    """

    def define(plain: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{plain.__module__.rpartition('.')[2]}.{plain.__name__}"
        known = Operation(name, plain, variants, untraceable)
        OPERATIONS[name] = known
        if not variants and not untraceable:
            return plain
        return update_wrapper(_choosing(known) if variants else _alone(known), plain)

    return define


def _alone(operation: Operation) -> Callable[..., Any]:
    """The call of an operation without variants."""
    name, plain, untraceable = operation.name, operation.plain, operation.untraceable

    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.watchers:
            _ask_tracer(name, untraceable)
        return plain(*args, **kwargs)

    return call


def _choosing(operation: Operation) -> Callable[..., Any]:
    """The call of an operation with variants."""
    name, plain, untraceable = operation.name, operation.plain, operation.untraceable
    forms = _Forms(operation)
    host = forms[CPU]
    traced = next((variant.run for variant in operation.variants if variant.of_constants), plain)

    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.watchers and _ask_tracer(name, untraceable):
            return traced(*args, **kwargs)
        for when, run in host if args[0].is_cpu else forms[args[0].device.type]:
            if when is None or when(*args, **kwargs):
                return run(*args, **kwargs)
        return plain(*args, **kwargs)

    return call


def _ask_tracer(name: str, untraceable: str) -> bool:
    """Whether this thread traces; NotTraceable if so and the operation cannot be."""
    if _OWN.tracing and untraceable:
        raise NotTraceable(f"{name}: {untraceable}")
    return _OWN.tracing


class _Forms(dict[str, tuple[tuple[Callable[..., bool] | None, Callable[..., Any]], ...]]):
    """(when, run) of an operation's variants by type of device."""

    def __init__(self, operation: Operation) -> None:
        super().__init__()
        self._operation = operation

    def __missing__(self, kind: str) -> tuple[tuple[Callable[..., bool] | None, Callable[..., Any]], ...]:
        self[kind] = forms = tuple((variant.when, variant.run) for variant in self._operation.on(kind))
        return forms


class _State:
    """`watchers`: how many trace, or log waits, on any thread. One flag for all, as every call asks it."""

    def __init__(self) -> None:
        self.watchers = 0
        self.lock = Lock()


class _Own(threading.local):
    tracing = False
    assume: Callable[[Tensor], None] | None = None


STATE: Final = _State()
_OWN: Final = _Own()


def is_tracing() -> bool:
    """Whether this thread's operations are being traced."""
    return _OWN.tracing


def refuse_tracing(why: str) -> None:
    """NotTraceable while a tracer watches: called where the course of a computation depends on values."""
    if STATE.watchers and _OWN.tracing:
        raise NotTraceable(why)


def assumed(holds: Callable[[], Tensor]) -> bool:
    """Whether this thread's tracer assumes what `holds` (n,) bool of rows: it looks at each then. Else nobody asks what that is."""
    if not STATE.watchers or _OWN.assume is None:
        return False
    _OWN.assume(holds())
    return True


@contextmanager
def tracing(assume: Callable[[Tensor], None] | None = None) -> Iterator[None]:
    """Inside, this thread's operations run in their plain forms, and those that cannot be traced raise NotTraceable.

    `assume` takes what the usual course of a kernel depends on, where one is more usual than others: (n,) bool, which must be true
    of each row. Without it such kernels cannot be traced.
    """
    with watching():
        _OWN.tracing, _OWN.assume = True, assume
        try:
            yield
        finally:
            _OWN.tracing, _OWN.assume = False, None


@contextmanager
def watching() -> Iterator[None]:
    """Inside, calls are asked whether a tracer or a log wants to know of them."""
    with STATE.lock:
        STATE.watchers += 1
    try:
        yield
    finally:
        with STATE.lock:
            STATE.watchers -= 1
