"""What is called: a module in evaluation mode, which shares its parameters with the one handed in, or a function.

The parameters are kept once, and read anew by each call: what an optimizer changed since a module was registered counts.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.locks import Lock

__all__ = ["Callee", "callee_of", "is_torch", "modules_of", "versions"]

_ESTIMATOR = ("predict", "transform", "fit")
"""Methods of libraries' models: what has one is not a function of tensors, even where it can be called."""
_WRAPPERS = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel, torch.optim.swa_utils.AveragedModel)


def is_torch(model: object) -> bool:
    """Whether the object is a module, an exported program, or something else that can be called and is no estimator."""
    if isinstance(model, torch.nn.Module | torch.export.ExportedProgram):
        return True
    return callable(model) and not isinstance(model, type) and not any(hasattr(model, one) for one in _ESTIMATOR)


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """`on(device)` is what to call there; `parameters` those of its signature, None where it has none that can be read.

    `module`: whose parameters it reads, if it is known to read a module's.
    """

    on: Callable[[torch.device], Callable[..., Any]]
    parameters: tuple[inspect.Parameter, ...] | None
    kind: str
    module: torch.nn.Module | None = None

    @property
    def floats(self) -> tuple[torch.dtype, ...]:
        """The dtypes of its parameters that are floats."""
        if self.module is None:
            return ()
        return tuple(dict.fromkeys(part.dtype for part in _tensors(self.module) if part.is_floating_point()))

    @property
    def vocabularies(self) -> tuple[int, ...]:
        """The sizes of its embeddings: whole numbers below all of them are indices that it takes."""
        parts = () if self.module is None else self.module.modules()
        kinds = (torch.nn.Embedding, torch.nn.EmbeddingBag)
        return tuple(dict.fromkeys(part.num_embeddings for part in parts if isinstance(part, kinds)))

    def twin(self) -> Callable[..., Any] | None:
        """What to call where the module's attributes shall stay as they are; it shares the parameters. None without a module."""
        return self.on.twin() if isinstance(self.on, _Moved) else None

    @property
    def home(self) -> torch.device | None:
        """Where its parameters are, if it has any."""
        found = None if self.module is None else next(_tensors(self.module), None)
        return None if found is None else found.device


def callee_of(model: Any, method: str | None) -> Callee:
    """What PREDICT calls of a model: itself, or its method of that name. Raises ModelError."""
    if method is not None:
        found = getattr(model, method, None)
        if not callable(found):
            raise ModelError(f"{type(model).__name__} has no method {method}")
        model = found
    if isinstance(model, torch.export.ExportedProgram):
        module = model.module()
        return Callee(_Moved(module, lambda one: one, False), _exported(model, module), "ExportedProgram", module)
    model = _unwrapped(model)
    owner, bind = _owner(model)
    kind = str(getattr(model, "__name__", None) or type(model).__name__)
    if owner is None:
        return Callee(lambda device: model, _parameters(model), kind)
    return Callee(_Moved(owner, bind, True), _parameters(model), kind, owner)


def _unwrapped(model: Any) -> Any:
    """The module inside of what runs it in parallel, compiles or averages it: their own parameters say nothing."""
    while isinstance(model, torch.nn.Module):
        inner = model.module if isinstance(model, _WRAPPERS) else getattr(model, "_orig_mod", None)
        if inner is None:
            break
        model = inner
    return model


Bind = Callable[[torch.nn.Module], Callable[..., Any]]


def _owner(model: Any) -> tuple[torch.nn.Module | None, Bind]:
    """The module that a module, its method, or a partial of either is called on, and the same of another module."""
    if isinstance(model, torch.nn.Module):
        return model, lambda module: module
    if inspect.ismethod(model) and isinstance(model.__self__, torch.nn.Module):
        function = model.__func__
        return model.__self__, lambda module: functools.partial(function, module)
    if isinstance(model, functools.partial):
        owner, bind = _owner(model.func)
        return owner, lambda module: functools.partial(bind(module), *model.args, **model.keywords)
    return None, lambda module: module


class _Moved:
    """What is called on a device: the module itself where it is there and evaluates; one that trains has a twin that does not.

    On another device it is a copy, made again when parameters have changed.
    """

    def __init__(self, module: torch.nn.Module, bind: Bind, evaluates: bool) -> None:
        self._module = module
        self._bind = bind
        self._evaluates = evaluates
        self._copies: dict[torch.device, tuple[object, torch.nn.Module]] = {}
        self._lock = Lock()

    def __call__(self, device: torch.device) -> Callable[..., Any]:
        module = self._module
        trains = self._evaluates and any(part.training for part in module.modules())
        is_script = isinstance(module, torch.jit.ScriptModule)
        first = next(_tensors(module), None)
        if (first is None or first.device == device) and not (trains and is_script):
            return self._bind(_evaluated(module, {}) if trains else module)
        stamp = (trains, *versions([module]))
        with self._lock:
            seen, found = self._copies.get(device, (None, module))
            if seen != stamp:
                found = copy.deepcopy(module)
                if trains:
                    found.eval()
                self._copies[device] = stamp, found.to(device)
        return self._bind(found)

    def twin(self) -> Callable[..., Any]:
        return self._bind(_evaluated(self._module, {}))


def _evaluated(module: torch.nn.Module, made: dict[int, torch.nn.Module]) -> torch.nn.Module:
    """A module in evaluation mode, and all its parts, that has the same parameters and buffers as the one that trains."""
    known = made.get(id(module))
    if known is not None:
        return known
    twin = made[id(module)] = object.__new__(type(module))
    parts = {name: None if part is None else _evaluated(part, made) for name, part in module._modules.items()}
    twin.__dict__.update(module.__dict__, training=False, _modules=parts)
    return twin


def modules_of(call: Any) -> tuple[torch.nn.Module, ...]:
    """The modules that a callable is, is a method of, or that the object of its method holds."""
    owner = getattr(call, "__self__", call)
    parts = (owner, *vars(owner).values()) if hasattr(owner, "__dict__") else (owner,)
    return tuple(part for part in parts if isinstance(part, torch.nn.Module))


def versions(modules: Iterable[torch.nn.Module]) -> tuple[tuple[int, int], ...]:
    """What is another one when parameters or buffers were changed in place or are others."""
    tensors = chain.from_iterable(map(_tensors, modules))
    return tuple([(id(part), -1 if part.is_inference() else part._version) for part in tensors])


def _tensors(module: torch.nn.Module) -> Iterator[Tensor]:
    return chain(module.parameters(), module.buffers())


def _exported(program: torch.export.ExportedProgram, module: torch.nn.Module) -> tuple[inspect.Parameter, ...] | None:
    """The parameters of an exported program: those that it was exported with by keyword have to come so."""
    found = _parameters(module)
    spec = program.call_spec.in_spec
    if found is None or spec is None or len(spec.children()) != 2:
        return found
    by_keyword = set(spec.child(1).context or ())
    return tuple(one.replace(kind=one.KEYWORD_ONLY) if one.name in by_keyword else one for one in found)


def _parameters(model: Any) -> tuple[inspect.Parameter, ...] | None:
    asked = model.forward if isinstance(model, torch.nn.Module) else model
    try:
        return tuple(inspect.signature(asked).parameters.values())
    except (TypeError, ValueError):
        schema = getattr(asked, "schema", None)
        if schema is None:
            return None
        return tuple(
            inspect.Parameter(
                argument.name,
                inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=argument.default_value if argument.has_default_value() else inspect.Parameter.empty,
            )
            for argument in schema.arguments
            if argument.name != "self"
        )
