"""A device that is none: tensors with true values which torch, and so tqp, must treat as an accelerator's.

`install()` gives torch's device for private use the name "sim". A tensor on it wraps a CPU tensor, but says that it is
elsewhere: `is_cpu` is False, `numpy()` raises, and an operation that mixes it with a tensor of the host raises as on CUDA. Every
operation passes `_run`, which tells `record` what it would cost an accelerator. What is copied to pinned memory is there when the
device was waited for and not before; what is copied from it is read when the device does something next.

It is stricter than CUDA, which takes some tensors of the host: as an index, and without dimensions as an operand. Not
simulated: streams, graphs, compiled code, the order of float sums, and that a bad index ends the process.

Needs torch 2.10 or later, whose `_setup_privateuseone_for_python_backend` is marked experimental: `supported()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from math import prod
from types import ModuleType
from typing import Any, Final

import numpy as np
import torch
from torch.utils import backend_registration

from tests.device import pinned, record
from tests.device.record import Event, Kind
from tqp.device import TYPES

__all__ = ["NAME", "SimulatedTensor", "install", "supported"]

aten = torch.ops.aten

NAME: Final = "sim"
CPU: Final = torch.device("cpu")

SIZED: Final = {
    aten.nonzero.default,
    aten.masked_select.default,
    aten._unique2.default,
    aten.unique_dim.default,
    aten.unique_consecutive.default,
    aten.bincount.default,
    aten.equal.default,
}
"""Operations that wait for the size of their result, or for a verdict."""

WITHOUT_KERNELS: Final = {
    aten.detach_.default,
    aten.empty.memory_format,
    aten.empty_strided.default,
    aten.empty_like.default,
    aten.new_empty.default,
    aten.new_empty_strided.default,
    aten.lift_fresh.default,
}

CROWDING: Final = {"scatter_add_", "scatter_reduce_"}
"""Operations on (target, places, …) where rows of one place wait for each other."""


def _exact_fmod(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """As CUDA has it; the CPU's vectorised loop is NaN where the quotient leaves the range of floats."""
    with np.errstate(all="ignore"):
        return torch.from_numpy(np.asarray(np.fmod(x.numpy(), y.numpy())))


BETTER: Final = {aten.fmod.Tensor: _exact_fmod}
"""Operations that accelerators do more exactly than the CPU."""

INDEXING: Final = {aten.index.Tensor, aten.index_put_.default, aten.index_put.default}

WITHOUT_TENSORS: Final = (
    "arange",
    "arange.start",
    "arange.start_step",
    "eye",
    "eye.m",
    "full",
    "linspace",
    "ones",
    "scalar_tensor",
    "zeros",
)
"""Factories that torch would make of an empty tensor and an operation that resizes it."""

MOVING: Final = ("_to_copy", "alias", "copy_", "detach", "lift", "lift_fresh")


class SimulatedTensor(torch.Tensor):
    """A tensor on the device; `raw` holds its values."""

    raw: torch.Tensor

    @staticmethod
    def __new__(cls, raw: torch.Tensor) -> SimulatedTensor:
        # As an inference tensor it could not become a view of an ordinary one.
        with torch.inference_mode(False):
            made = torch.Tensor._make_wrapper_subclass(
                cls,
                raw.size(),
                strides=raw.stride(),
                storage_offset=raw.storage_offset(),
                dtype=raw.dtype,
                device=torch.device(NAME, 0),
                requires_grad=False,
            )
        made.raw = raw
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _is_composite(func):
            # In inference mode torch takes them apart after this point only.
            return func.decompose(*args, **(kwargs or {}))
        return _run(func, *args, **(kwargs or {}))

    def __repr__(self, **_: object) -> str:
        return f"{NAME}:{self.raw!r}"

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        # What CUDA does with a number: one for a mask is filled in, one for a slice too, any other is copied from the host.
        if isinstance(value, bool | int | float):
            if isinstance(index, torch.Tensor) and index.dtype == torch.bool and index.ndim == self.ndim:
                self.masked_fill_(index, value)
                return
            if isinstance(index, int | torch.Tensor) and record.active():
                record.note(Event("copy_", Kind.UPLOAD, record.place(), 1, self.element_size(), ()))
        super().__setitem__(index, value)

    def numpy(self, *_: object, **__: object) -> Any:
        raise TypeError(f"can't convert {NAME}:0 device type tensor to numpy; copy the tensor to host memory first")

    __array__ = __dlpack__ = numpy

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a tensor on the simulated device is not pickled")

    def data_ptr(self) -> int:
        return self.raw.data_ptr()

    def untyped_storage(self) -> torch.UntypedStorage:
        return self.raw.untyped_storage()


@cache
def _is_composite(func: Any) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


@cache
def _is_view(func: Any) -> bool:
    aliases = (returned.alias_info for returned in func._schema.returns)
    return not func._schema.is_mutable and any(alias is not None and not alias.is_write for alias in aliases)


def _run(func: Any, *args: Any, **kwargs: Any) -> Any:
    """One operation on the wrapped values, its results wrapped."""
    ours: list[SimulatedTensor] = []
    theirs: list[torch.Tensor] = []
    raw_args = [_unwrapped(item, ours, theirs) for item in args]
    raw_kwargs = {name: _unwrapped(item, ours, theirs) for name, item in kwargs.items()}
    kind = _kind(func, args, kwargs, ours, theirs)
    shapes = [tensor.raw.shape for tensor in ours]
    raw_kwargs.pop("pin_memory", None)
    pinned.read()
    if kind is Kind.SENT:
        pinned.send(raw_args[0], raw_args[1], to_host=not isinstance(args[0], SimulatedTensor))
        result = raw_args[0]
    else:
        result = BETTER.get(func, func)(*raw_args, **raw_kwargs)
    if any(tensor.raw.shape != shape for tensor, shape in zip(ours, shapes, strict=True)):
        raise RuntimeError(f"{func} resized a tensor, which the simulated device does not follow")
    if record.active():
        results = list(result) if isinstance(result, tuple | list) else [result]
        _note(func, kind, [tensor.raw for tensor in ours], theirs, results)
    if func is aten.copy_.default:
        return args[0]
    if kind is Kind.DOWNLOAD:
        return result
    # An operation in place returns the tensor that it was given.
    return _wrapped(result, {id(tensor.raw): tensor for tensor in ours})


# Torch's own walk through any tree takes as long as the rest of an operation: arguments and results are lists at most.


def _unwrapped(item: Any, ours: list[SimulatedTensor], theirs: list[torch.Tensor]) -> Any:
    """What the wrapped operation gets for an argument; its tensors are added to those of the device and of the host."""
    if isinstance(item, SimulatedTensor):
        ours.append(item)
        return item.raw
    if isinstance(item, torch.Tensor):
        theirs.append(item)
        return item
    if isinstance(item, list | tuple):
        return [_unwrapped(one, ours, theirs) for one in item]
    return CPU if isinstance(item, torch.device) and item.type == NAME else item


def _wrapped(result: Any, known: dict[int, SimulatedTensor]) -> Any:
    if isinstance(result, torch.Tensor):
        return known[id(result)] if id(result) in known else SimulatedTensor(result)
    return type(result)(_wrapped(one, known) for one in result) if isinstance(result, list | tuple) else result


def _kind(func: Any, args: Any, kwargs: Any, ours: list[SimulatedTensor], theirs: list[torch.Tensor]) -> Kind:
    """What the operation costs; RuntimeError where it mixes devices."""
    if func is aten.copy_.default:
        into, of = (isinstance(tensor, SimulatedTensor) for tensor in args[:2])
        if into and of:
            return Kind.LAUNCH
        without_waiting = kwargs.get("non_blocking") or args[2:] == (True,)
        if without_waiting and pinned.holds(args[1] if into else args[0]):
            return Kind.SENT
        return Kind.UPLOAD if into else Kind.DOWNLOAD
    if func is aten._to_copy.default:
        if theirs:
            return Kind.UPLOAD
        away = kwargs.get("device") is not None and torch.device(kwargs["device"]).type != NAME
        return Kind.DOWNLOAD if away else Kind.LAUNCH
    if ours and theirs:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {NAME}:0 and cpu! ({func})"
        )
    if func is aten._local_scalar_dense.default:
        return Kind.READ
    if func in SIZED or func in INDEXING and _has_mask(args[1]):
        return Kind.SIZED
    if func is aten.repeat_interleave.Tensor and kwargs.get("output_size") is None:
        return Kind.SIZED
    if func in WITHOUT_KERNELS:
        return Kind.NOTHING
    return Kind.VIEW if _is_view(func) else Kind.LAUNCH


def _has_mask(indices: Iterable[torch.Tensor | None]) -> bool:
    return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices)


def _touched(tensor: torch.Tensor) -> int:
    """Bytes of the tensor; of a value that is repeated, those of one."""
    lengths = (1 if stride == 0 else length for length, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return prod(lengths) * tensor.element_size() if tensor.numel() else 0


def _note(func: Any, kind: Kind, ours: list[torch.Tensor], theirs: list[torch.Tensor], results: list[Any]) -> None:
    made = [] if func._schema.is_mutable else [item for item in results if isinstance(item, torch.Tensor)]
    tensors = [*ours, *theirs, *made]
    name = func._schema.name.removeprefix("aten::")
    record.note(
        Event(
            name=name,
            kind=kind,
            place=record.place(),
            rows=max((tensor.numel() for tensor in tensors), default=0),
            nbytes=sum(map(_touched, tensors)),
            dtypes=tuple(str(tensor.dtype).removeprefix("torch.") for tensor in (*ours, *theirs)),
            announced=record.announced(),
            crowd=-(-ours[1].numel() // max(ours[0].numel(), 1)) if name in CROWDING else 0,
        )
    )


class _Module(ModuleType):
    """What torch asks of `torch.sim`."""

    def __init__(self) -> None:
        super().__init__(f"torch.{NAME}")

    _installed = False

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def _is_in_bad_fork(self) -> bool:
        return False

    def device_count(self) -> int:
        return 1

    def current_device(self) -> int:
        return 0

    def synchronize(self, device: object = None) -> None:
        if record.active():
            record.note(Event("synchronize", Kind.ARRIVED, record.place(), 0, 0, (), announced=record.announced()))
        pinned.arrive()

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return []


_LIBRARIES: list[torch.library.Library] = []
"""The registrations last as long as these are held."""


def supported() -> bool:
    """Whether this torch can have devices in Python."""
    return hasattr(backend_registration, "_setup_privateuseone_for_python_backend")


def install() -> torch.device:
    """Make the device known to torch and to tqp, once in a process."""
    if not _LIBRARIES:
        setup: Callable[..., None] = backend_registration._setup_privateuseone_for_python_backend
        setup(NAME, backend_module=_Module())
        everything = torch.library.Library("_", "IMPL")
        everything.fallback(_run, "PrivateUse1")
        named = torch.library.Library("aten", "IMPL")
        for name in (*WITHOUT_TENSORS, *MOVING):
            packet, _, overload = name.partition(".")
            operation = getattr(getattr(aten, packet), overload or "default")
            named.impl(name, partial(_run, operation), "PrivateUse1")
        _LIBRARIES.extend((everything, named))
        known = {"pinned": pinned.memory, "tensors": SimulatedTensor}
        TYPES[NAME] = replace(TYPES["cuda"], count=lambda: 1, current=lambda: 0, **known)
    return torch.device(NAME, 0)
