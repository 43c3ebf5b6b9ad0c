"""What a pipeline leaves for later ones: results of several kinds with one protocol, and the slots in which they lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Generic, Protocol, TypeVar

from torch import Tensor

from tqp.data.column import Column
from tqp.kernels.bands import SortedBands
from tqp.kernels.hashing import HashTable
from tqp.kernels.join import Lookup
from tqp.kernels.keysets import KeyBitmap

__all__ = ["Alive", "Part", "R", "R_co", "Relation", "Result", "Slot", "nbytes", "tensors", "tensors_within"]

Part = Column | Tensor | Lookup | KeyBitmap | SortedBands


class Result(Protocol):
    """What a pipeline leaves. Its tensors do not change once later pipelines read them, except for what says so itself."""

    @property
    def rows(self) -> int | None:
        """How many rows later pipelines may read of it; None where it says something about rows that lie elsewhere."""
        ...

    def parts(self) -> Iterator[tuple[str, Part]]:
        """All that it is made of, by name. A column and another part may have the same name."""
        ...


R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)


@dataclass(frozen=True)
class Slot(Generic[R_co]):
    """Where the result of pipeline `number` lies, and of what kind it is: `Run.result` gives it."""

    number: int

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A materialised result: whole columns by symbol."""

    columns: Mapping[str, Column]
    rows: int

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield from self.columns.items()


@dataclass(frozen=True, slots=True, eq=False)
class Alive:
    """Which rows of a stored table a filter kept: `mask` (rows of the table,) bool."""

    mask: Tensor
    rows: None = None

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield "alive", self.mask


def tensors(result: Result) -> Iterator[tuple[str, Tensor]]:
    """The tensors of a result by names, which may repeat: a column's values, its validity, what a lookup holds."""
    for name, part in result.parts():
        match part:
            case Column():
                yield name, part.data
                if part.valid is not None:
                    yield f"{name}_valid", part.valid
            case Tensor():
                yield name, part
            case _:
                yield from ((f"{name}_{inner}", tensor) for inner, tensor in tensors_within(part))


def tensors_within(lookup: Lookup | KeyBitmap | SortedBands | HashTable) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a lookup holds, by the names of its fields."""
    for item in fields(lookup):
        value = getattr(lookup, item.name)
        if isinstance(value, HashTable):
            yield from ((f"{item.name}_{inner}", tensor) for inner, tensor in tensors_within(value))
        for place, one in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(one, Tensor):
                yield f"{item.name}_{place}" if isinstance(value, tuple) else item.name, one


def nbytes(result: Result) -> int:
    """Bytes of the tensors of a result; shared dictionaries are not counted."""
    return sum(tensor.numel() * tensor.element_size() for _, tensor in tensors(result))
