"""Loops over rows in plain Python, compiled by Numba where it is installed.

A tensor operation passes over whole columns; what needs one pass with a branch or a table at hand (a hash table, a radix sort,
a scan that stops) takes several such passes, or a sort. A *loop* is a function of arrays and numbers that does it row by row. It
holds no interpreter lock while it runs, so workers run side by side.

Compiling one for the types that it meets takes 0.1 to 0.5 seconds; later processes read it from a cache on disk in some
milliseconds. That is never waited for: `ready` says whether it is done and, if not, has it done behind the scenes, by a process
of its own where there is none in the cache (`beside`), while the operation's other forms serve. `TQP_LOOPS` says when loops are
compiled: "background", "now" (where they are met, for tests and measurements) or "off".
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, ParamSpec, TypeVar

import numpy.typing as npt
import torch

from tqp.errors import SourceError
from tqp.garbage import importing, uncollected
from tqp.kernels.loops.beside import Compiler
from tqp.kernels.loops.compiling import dispatcher, is_cached, signature, stand_alone
from tqp.locks import Lock

__all__ = [
    "WIDTHS",
    "Kind",
    "Loop",
    "behind",
    "integers",
    "loop",
    "mode",
    "native",
    "part",
    "prepare",
    "register_parts",
    "width",
]

P = ParamSpec("P")
R = TypeVar("R")

_MODES: Final = ("background", "now", "off")

WIDTHS: Final = (torch.int32, torch.int64)
"""What integer keys are handed over in; narrower ones are widened, as each width is compiled by itself."""

_WORTH: Final = 2**11
"""Fewer rows are done before Numba is imported."""

_MANY: Final = 2**16
"""To read a column of so many rows takes as long as to find the loops in the cache."""

_SWITCH: Final = 0.0005
"""Seconds after which the thread that compiles lets others have the interpreter. Queries ask for it after each operation, and would
wait for ten times as long by Python's own choice."""

Kind = torch.dtype | type
"""What a loop is told of an argument: the dtype of a row of numbers (n,), int, float or bool of a number."""


def mode() -> str:
    """When loops are compiled: "background", "now" or "off"; off where there is no Numba. SourceError for another `TQP_LOOPS`."""
    chosen = os.environ.get("TQP_LOOPS", _MODES[0])
    if chosen not in _MODES:
        raise SourceError(f"TQP_LOOPS={chosen!r} is no way to compile loops", hint=f"choose {', '.join(_MODES)}")
    return chosen if importlib.util.find_spec("numba") is not None else "off"


class Loop(Generic[P, R]):
    """A function that Numba compiles for the kinds of its arguments; call it where `ready` says so.

    Arrays are C-contiguous. Each function compiles by itself and calls no other loop; what loops share is a `part` of them.
    """

    def __init__(self, function: Callable[P, R], usual: Iterable[tuple[Kind, ...]]) -> None:
        self.usual = tuple(usual)
        """The kinds of arguments that it is compiled for ahead of use."""
        self.function = function
        self._compiled: Any = None
        self._ready: dict[tuple[Kind, ...], bool] = {}
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def ready(self, rows: int, *kinds: Kind) -> bool:
        """Whether it is compiled for arguments of these kinds; if not, and so many rows are worth it, it is asked for."""
        known = self._ready.get(kinds)
        return (rows >= _WORTH or _MODE == "now") and self._ask(kinds) if known is None else known

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._compiled(*args, **kwargs)  # type: ignore[no-any-return]

    def compile(self, kinds: tuple[Kind, ...]) -> None:
        """Compile it for these kinds, or read it from the cache."""
        compiled = self._dispatcher()
        compiled.disable_compile(False)
        compiled.compile(signature(map(_named, kinds)))
        # Other types shall be an error, not a wait.
        compiled.disable_compile()
        self._ready[kinds] = True

    def _compile_behind(self, kinds: tuple[Kind, ...]) -> None:
        names = [_named(kind) for kind in kinds]
        if not is_cached(self._dispatcher(), names):
            # What the other process cannot do is done, or raises, here.
            _COMPILER.beside.compile(self.function, names)
        self.compile(kinds)

    def _dispatcher(self) -> Any:
        if self._compiled is None:
            register_parts()
            self._compiled = dispatcher(self.function)
        return self._compiled

    def _ask(self, kinds: tuple[Kind, ...]) -> bool:
        self._ready[kinds] = False
        match _MODE:
            case "now":
                self.compile(kinds)
            case "background":
                _COMPILER.add(f"{self.__module__}.{self.__name__}", lambda: self._compile_behind(kinds))
        return self._ready[kinds]


_LOOPS: Final[list[Loop[Any, Any]]] = []


def loop(*usual: tuple[Kind, ...], alone: bool = False) -> Callable[[Callable[P, R]], Loop[P, R]]:
    """Make a function of arrays and numbers a loop, whose arguments are of one of these kinds as a rule.

    One that is `alone` makes no array, so that none is counted, and has its parts within it: each call of a part for a row counts
    its arrays twice otherwise, at some nanoseconds each.
    """

    def define(function: Callable[P, R]) -> Loop[P, R]:
        if alone:
            stand_alone(function)
        made = Loop(function, usual)
        _LOOPS.append(made)
        return made

    return define


_PARTS: Final[list[Callable[..., Any]]] = []
"""Those that Numba does not know yet."""


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Let loops call a function, which is compiled as a part of each that does: within its time, and in its place in the cache.

    It stands in their file, as the cache is renewed when that file is another.
    """
    _PARTS.append(function)
    return function


_NATIVES: Final[list[tuple[Callable[..., Any], Callable[..., Any], tuple[str, ...]]]] = []
"""Those that Numba does not know yet, with what writes them and the types of results and arguments."""


def native(write: Callable[..., Any], *types: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let loops call a function that the processor has instructions for: `write` gives its value in LLVM's words.

    It gets the builder, the module `llvmlite.ir`, and the arguments, of an array its first element's address. `types` are
    Numba's names of the result and the arguments, an array's with `[]` behind it. The function itself says what it means. It stands
    in the loops' file, as a `part` does.
    """

    def define(function: Callable[P, R]) -> Callable[P, R]:
        _NATIVES.append((function, write, types))
        return function

    return define


def _register_native(
    extending: Any, function: Callable[..., Any], write: Callable[..., Any], types: tuple[str, ...]
) -> None:
    numba, ir = importlib.import_module("numba"), importlib.import_module("llvmlite.ir")
    arrays = [name.endswith("[]") for name in types[1:]]
    result, *wanted = [getattr(numba.types, name.removesuffix("[]")) for name in types]
    kinds = [numba.types.Array(one, 1, "C") if is_array else one for one, is_array in zip(wanted, arrays, strict=True)]

    def typed(context: Any) -> Callable[..., Any]:
        def given(*args: Any) -> Any:
            return result

        given.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return given

    def lowered(context: Any, builder: Any, signature: Any, args: tuple[Any, ...]) -> Any:
        values = []
        for value, given, kind, is_array in zip(args, signature.args, kinds, arrays, strict=True):
            if is_array:
                values.append(context.make_array(given)(context, builder, value).data)
            else:
                values.append(context.cast(builder, value, given, kind))
        return write(builder, ir, *values)

    extending.type_callable(function)(typed)
    generic = [numba.types.Array if is_array else numba.types.Integer for is_array in arrays]
    extending.lower_builtin(function, *generic)(lowered)


def register_parts() -> None:
    """Tell Numba of the parts of all loops that were imported."""
    extending = importlib.import_module("numba.extending")
    while _NATIVES:
        try:
            function, write, types = _NATIVES.pop()
        except IndexError:
            break  # another thread took the last
        _register_native(extending, function, write, types)
    while _PARTS:
        try:
            function = _PARTS.pop()
        except IndexError:
            return  # another thread took the last
        extending.register_jitable(function)


def behind(name: str, task: Callable[[], None]) -> None:
    """Have something done by the thread that compiles, which loops of that name need; at once where they are compiled at once."""
    if _MODE == "now":
        task()
    elif _MODE == "background":
        _COMPILER.add(name, task)


def prepare(rows: int) -> None:
    """Have all loops compiled for what they usually get, if a column of so many rows says that they will be needed."""
    if _MODE == "background" and rows >= _MANY:
        for one in _LOOPS:
            for kinds in one.usual:
                one.ready(_WORTH, *kinds)


def integers(key: torch.Tensor) -> npt.NDArray[Any]:
    """A key (n,) of integers on the CPU as loops take it: of one of `WIDTHS`, without gaps."""
    return (key if key.dtype in WIDTHS else key.int()).contiguous().numpy()


def width(key: torch.Tensor) -> torch.dtype:
    """The dtype of `integers(key)`."""
    return key.dtype if key.dtype in WIDTHS else torch.int32


def _named(kind: Kind) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


class _Compiler:
    """Compiles loops one after the other, on a thread that lives while there is something to do."""

    def __init__(self) -> None:
        self.beside = Compiler()
        self._wanted: deque[tuple[str, Callable[[], None]]] = deque()
        self._lock = Lock()
        self._is_busy = False
        self._has_imported = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        """A forked child has no such thread; what was wanted is asked for when the parent's loops are not ready there."""
        self.beside = Compiler()
        self._is_busy = False

    def add(self, name: str, task: Callable[[], None]) -> None:
        with self._lock:
            self._wanted.append((name, task))
            if self._is_busy:
                return
            self._is_busy = True
        threading.Thread(target=self._work, name="tqp-loops").start()

    def _work(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(min(before, _SWITCH))
        try:
            self._compile_all()
        finally:
            # Unless somebody else has chosen one meanwhile.
            if sys.getswitchinterval() == min(before, _SWITCH):
                sys.setswitchinterval(before)

    def _compile_all(self) -> None:
        while True:
            with self._lock:
                # What a process that ends has not begun is not worth waiting for.
                if not self._wanted or not threading.main_thread().is_alive():
                    beside, self.beside = self.beside, Compiler()
                    self._is_busy = False
                    break
                name, task = self._wanted.popleft()
            try:
                # The first task imports Numba.
                with uncollected() if self._has_imported else importing():
                    task()
                self._has_imported = True
            except Exception as error:
                warnings.warn(f"Numba cannot compile {name}, which other forms replace: {error}", stacklevel=1)
        beside.close()


_MODE: Final = mode()
_COMPILER: Final = _Compiler()
