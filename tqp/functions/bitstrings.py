"""Functions of BIT, whose values are stored as the texts of their digits: these are in the order of the values."""

from __future__ import annotations

from collections.abc import Callable

from tqp.errors import BindError, ExecutionError
from tqp.functions.by_value import by_value
from tqp.functions.registry import Signature, expect
from tqp.functions.signatures import fixed
from tqp.ir.expr import Expr, Literal
from tqp.types import BIGINT, BIT, INTEGER, NULL, VARCHAR

__all__: list[str] = []


@by_value("bits_length", BIGINT, BIT)
def _length(bits: str) -> int:
    return len(bits)


@by_value("bits_octet_length", BIGINT, BIT)
def _octet_length(bits: str) -> int:
    return -(-len(bits) // 8)


@by_value("bits_count", BIGINT, BIT)
def _count(bits: str) -> int:
    return bits.count("1")


@by_value("getbit get_bit", INTEGER, BIT, INTEGER)
def _get(bits: str, place: int) -> int:
    _require_place(bits, place)
    return int(bits[place])


@by_value("set_bit", BIT, BIT, INTEGER, INTEGER)
def _set(bits: str, place: int, bit: int) -> str:
    if bit not in (0, 1):
        raise ExecutionError("the new bit must be 1 or 0")
    _require_place(bits, place)
    return f"{bits[:place]}{bit}{bits[place + 1 :]}"


def _require_place(bits: str, place: int) -> None:
    if not 0 <= place < len(bits):
        raise ExecutionError(f"bit index {place} is out of the valid range (0..{len(bits) - 1})")


@by_value("bit_position", INTEGER, BIT, BIT)
def _position(part: str, bits: str) -> int:
    """The place, from 1 on, at which the first bits begin in the others; 0 for none."""
    return bits.find(part) + 1


def _sized_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 2, "bitstring")
    text = args[0]
    if text.dtype not in (BIT, VARCHAR, NULL):
        raise BindError(f"bitstring takes a text or a BIT, not {text.dtype}", hint="write CAST(... AS BIT)")
    if isinstance(text, Literal) and text.value == "":
        raise BindError("an empty text is no BIT")
    _, out = fixed("bitstring", BIT, text.dtype, INTEGER)(args)
    return (BIT, INTEGER), out


@by_value("bitstring", BIT, types=_sized_types)
def _sized(bits: str, size: int) -> str:
    if size < len(bits):
        raise ExecutionError(f"a bitstring of {size} bits is shorter than the {len(bits)} bits given")
    return bits.rjust(size, "0")


def _pairwise(name: str, word: str, both: Callable[[int, int], int]) -> None:
    @by_value(name, BIT, BIT, BIT)
    def _combined(a: str, b: str) -> str:
        if len(a) != len(b):
            raise ExecutionError(f"cannot {word} bit strings of different sizes: {len(a)} and {len(b)}")
        return f"{both(int(a, 2), int(b, 2)):0{len(a)}b}"


_pairwise("bits_and", "AND", int.__and__)
_pairwise("bits_or", "OR", int.__or__)
_pairwise("bits_xor", "XOR", int.__xor__)


@by_value("bits_not", BIT, BIT)
def _not(bits: str) -> str:
    return bits.translate({ord("0"): "1", ord("1"): "0"})


@by_value("bits_left", BIT, BIT, INTEGER)
def _left(bits: str, by: int) -> str:
    if by < 0:
        raise ExecutionError(f"cannot left-shift by the negative number {by}")
    return bits[by:].ljust(len(bits), "0")


@by_value("bits_right", BIT, BIT, INTEGER)
def _right(bits: str, by: int) -> str:
    """As in DuckDB a negative number of places is more than there are."""
    by = len(bits) if by < 0 else by
    return bits[: max(len(bits) - by, 0)].rjust(len(bits), "0")
