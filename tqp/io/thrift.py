"""Thrift's compact protocol, in which Parquet files keep their footers: bytes to values by the numbers of fields."""

from __future__ import annotations

import struct
from typing import Any, Final

__all__ = ["Fields", "decoded"]

Fields = dict[int, Any]
"""A struct of Thrift: the values of the fields that it has, by their numbers."""

_TRUE, _FALSE = 1, 2
_INTEGERS: Final = (4, 5, 6)
_LONG: Final = 15
"""A list's size that stands behind the byte which else has it."""


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
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._integer()
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return found

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
        head = self._byte()
        kind, size = head & 15, head >> 4
        if size == _LONG:
            size = self._size()
        if size > len(self._content):
            raise IndexError
        return [self._value(kind) for _ in range(size)]
