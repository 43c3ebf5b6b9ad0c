"""Thrift's compact protocol, in which Parquet files keep their footers: bytes to values by the numbers of fields."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

__all__ = ["Fields", "Placed", "decoded", "structs_in"]

Fields = dict[int, Any]
"""A struct of Thrift: the values of the fields that it has, by their numbers."""

_TRUE, _FALSE = 1, 2
_INTEGERS: Final = (4, 5, 6)
_LONG: Final = 15
"""A list's size that stands behind the byte which else has it."""


class Placed(NamedTuple):
    """A struct, and where the byte is that ends it."""

    fields: Fields
    end: int


def structs_in(content: bytes, number: int) -> list[Placed]:
    """The structs of the list that is a field of the struct which begins the bytes. ValueError where there is none."""
    try:
        return _Reader(content).structs_of(number)
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("the bytes are no struct of Thrift") from error


def decoded(content: bytes) -> Fields:
    """The struct that begins the bytes: integers, floats, bytes, lists and structs. ValueError where there is none.

    Cost: some microseconds a field.
    """
    try:
        return _Reader(content).struct()
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("the bytes are no struct of Thrift") from error


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0

    def struct(self) -> Fields:
        found: Fields = {}
        for number, kind in self._heads():
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return found

    def structs_of(self, wanted: int) -> list[Placed]:
        """The structs of the list that a field of this one is."""
        for number, kind in self._heads():
            if number == wanted:
                return [Placed(self.struct(), self._place - 1) for _ in range(self._list_head()[1])]
            if kind not in (_TRUE, _FALSE):
                self._value(kind)
        raise ValueError(f"the bytes have no field {wanted}")

    def _heads(self) -> Iterator[tuple[int, int]]:
        """The numbers and kinds of the fields of a struct, the value of each being read before the next one is asked for."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            yield number, head & 15

    def _byte(self) -> int:
        self._place += 1
        return self._content[self._place - 1]

    def _size(self) -> int:
        """A number of seven bits a byte, the lowest first."""
        size = shift = 0
        while (byte := self._byte()) & 128:
            size |= (byte & 127) << shift
            shift += 7
        return size | byte << shift

    def _integer(self) -> int:
        """A number with a sign, which is its lowest bit."""
        size = self._size()
        return size >> 1 ^ -(size & 1)

    def _value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        match kind:
            case 1 | 2:
                return self._byte() == _TRUE
            case 3:
                return (self._byte() ^ 128) - 128
            case 7:
                self._place += 8
                return struct.unpack_from("<d", self._content, self._place - 8)[0]
            case 8:
                return self._bytes(self._size())
            case 9 | 10:
                return self._list()
            case 12:
                return self.struct()
            case _:
                raise ValueError(f"the bytes have a field of the unknown kind {kind}")

    def _bytes(self, size: int) -> bytes:
        found = self._content[self._place : self._place + size]
        if len(found) < size:
            raise IndexError
        self._place += size
        return found

    def _list(self) -> list[Any]:
        kind, size = self._list_head()
        return [self._value(kind) for _ in range(size)]

    def _list_head(self) -> tuple[int, int]:
        """The kind of a list's values, and how many there are."""
        head = self._byte()
        kind, size = head & 15, head >> 4
        if size == _LONG:
            size = self._size()
        if size > len(self._content):
            raise IndexError
        return kind, size
