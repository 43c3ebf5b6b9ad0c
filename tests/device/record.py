"""What a program asks of a device: launches, waits and copies, each with the place in tqp that caused it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import tqp

__all__ = ["Event", "Kind", "Record", "active", "announced", "note", "place", "recording"]

ROOT = str(Path(tqp.__file__).parent) + "/"
WAITS = "kernels/waits.py"
"""What waits for others: its caller is the place."""


class Kind(Enum):
    """What one operation costs the host and the device."""

    LAUNCH = "launch"
    """Kernels are started; nobody waits."""
    SIZED = "sized"
    """Kernels are started, and the host waits for the size of their result."""
    READ = "read"
    """The host waits for one value."""
    DOWNLOAD = "download"
    """A copy to the host, which waits for it."""
    UPLOAD = "upload"
    """A copy from pageable memory of the host, which waits for it."""
    SENT = "sent"
    """A copy from or to pinned memory of the host, which nobody waits for."""
    ARRIVED = "arrived"
    """The host waits for all that was asked for."""
    VIEW = "view"
    """Another look at the same memory: no kernel."""
    NOTHING = "nothing"
    """Memory without a value, or a note about a tensor: no kernel."""


@dataclass(frozen=True, slots=True)
class Event:
    """One operation. `nbytes`: of all tensors read and written; `rows`: of the longest.

    `crowd`: of a scatter, how many rows there are for each address; they wait for each other. `announced`: it is done in
    `tqp.kernels.waits`, as all that makes the host wait for the device is to be.
    """

    name: str
    kind: Kind
    place: str
    rows: int
    nbytes: int
    dtypes: tuple[str, ...]
    crowd: int = 0
    announced: bool = True

    @property
    def wait(self) -> str:
        """What the host waits for."""
        return self.name if self.kind is Kind.SIZED else self.kind.value


@dataclass(slots=True)
class Record:
    """The operations of a block of code, in their order."""

    events: list[Event] = field(default_factory=list)

    def of(self, *kinds: Kind) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    @property
    def launches(self) -> list[Event]:
        """What starts kernels."""
        return self.of(Kind.LAUNCH, Kind.SIZED)

    @property
    def waits(self) -> list[Event]:
        """What makes the host wait."""
        return self.of(Kind.SIZED, Kind.READ, Kind.DOWNLOAD, Kind.UPLOAD, Kind.ARRIVED)

    @property
    def unannounced(self) -> list[Event]:
        """What makes the host wait for the device elsewhere than in `tqp.kernels.waits`."""
        waits = self.of(Kind.SIZED, Kind.READ, Kind.DOWNLOAD, Kind.ARRIVED)
        return [event for event in waits if not event.announced]

    @property
    def nbytes(self) -> int:
        """Bytes that kernels read and write, if each touches all of its tensors."""
        return sum(event.nbytes for event in self.launches)

    @property
    def crowd(self) -> int:
        """The most rows for one address that a scatter has."""
        return max((event.crowd for event in self.events), default=0)

    @staticmethod
    def count(events: list[Event], *fields: str) -> Counter[tuple[str, ...]]:
        """How many events have the same `fields`."""
        return Counter(tuple(str(getattr(event, name)) for name in fields) for event in events)


_RECORDS: list[Record] = []


@contextmanager
def recording() -> Iterator[Record]:
    """Collect what any thread asks of the simulated device inside."""
    record = Record()
    _RECORDS.append(record)
    try:
        yield record
    finally:
        # By identity: equal records, such as two empty ones, may be nested.
        _RECORDS[:] = [other for other in _RECORDS if other is not record]


def active() -> bool:
    return bool(_RECORDS)


def note(event: Event) -> None:
    for record in _RECORDS:
        record.events.append(event)


def place() -> str:
    """The innermost function of tqp on the stack, as `kernels.rows.select`; "?" where there is none."""
    for file, function in _functions():
        if file != WAITS:
            return f"{file.removesuffix('.py').replace('/', '.')}.{function.replace('.<locals>', '')}"
    return "?"


def announced() -> bool:
    """Whether the innermost function of tqp is one that waits for others, or there is none."""
    return next((file == WAITS for file, _ in _functions()), True)


def _functions() -> Iterator[tuple[str, str]]:
    """File and name of the functions of tqp on the stack, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(ROOT):
            yield file[len(ROOT) :], frame.f_code.co_qualname
        frame = frame.f_back
