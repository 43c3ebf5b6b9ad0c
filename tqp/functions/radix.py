"""Numbers as digits to another base: hex, bin and to_base; and the bytes of a text or BLOB, spelled so."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tqp.data.column import Column
from tqp.data.to_arrow import texts
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact
from tqp.functions.bignums import of_bignums
from tqp.functions.blobs import text_or_bytes
from tqp.functions.entries import Entries, each, spread
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.unify import is_text_literal, untyped
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.types import BIGINT, BLOB, DOUBLE, HUGEINT, INTEGER, NULL, UBIGINT, UHUGEINT, VARCHAR, DType, Kind

__all__: list[str] = []

Words = npt.NDArray[np.uint64]
"""(n, w) words of 64 bits, the highest first."""
Digits = npt.NDArray[np.uint8]
"""(n, d) digits, the highest first."""

_SIGNS: Final = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", np.uint8)
_LARGEST_BASE: Final = len(_SIGNS)
_MOST_DIGITS: Final = 64
_TEXT: Final = "what a number looks like is found on the host"


def _joined(digits: Digits, least: npt.NDArray[np.int64] | int) -> pa.Array:
    """Strings of the digits without leading zeros, but at least so many."""
    rows, most = digits.shape
    is_lead = digits != 0
    first = np.where(is_lead.any(1), is_lead.argmax(1), most - 1)
    length = np.maximum(most - first, np.maximum(least, 1))
    shown = _SIGNS[digits[np.arange(most) >= (most - length)[:, None]]]
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(length, out=offsets[1:])
    return texts(shown, offsets, pa.large_string())


def _bits(words: Words, bits: int) -> Digits:
    """The digits to base 2**bits."""
    shifts = np.arange(64 - bits, -1, -bits, dtype=np.uint64)
    digits = (words[:, :, None] >> shifts) & np.uint64(2**bits - 1)
    return digits.reshape(len(words), -1).astype(np.uint8)


def _words(column: Column) -> Words:
    """The bits of integers, negative ones as two's complements of 64 bits, of HUGEINT of 128."""
    if column.dtype in (HUGEINT, UHUGEINT):
        limbs = exact.as_wide(column)
    elif column.dtype == UBIGINT:
        limbs = exact.as_wide(column)[..., 1:]
    else:
        limbs = column.data.long().unsqueeze(-1)
    found = waits.array(limbs, _TEXT)
    return np.ascontiguousarray(found).reshape(-1, found.shape[-1]).view(np.uint64)


def _spelled(name: str) -> TypeRule:
    of_text = text_or_bytes(name, VARCHAR)

    def types(args: tuple[Expr, ...]) -> Signature:
        expect(args, 1, name)
        dtype = args[0].dtype
        if dtype in (VARCHAR, BLOB) or is_text_literal(args[0]):
            return of_text(args)
        if dtype == NULL:
            return (VARCHAR,), VARCHAR
        if dtype.is_float:
            return (DOUBLE,), VARCHAR
        if not dtype.is_integer:
            raise BindError(f"{name} takes an integer, a text or a BLOB, not {dtype}", hint="cast it to one of these")
        return (dtype if dtype in (HUGEINT, UBIGINT, UHUGEINT) else BIGINT,), VARCHAR

    return types


def _register(names: tuple[str, ...], bits: int) -> None:
    """Digits to base 2**bits, of texts those of all their bytes."""

    def of_bytes(value: str | bytes) -> str:
        binary = value if isinstance(value, bytes) else value.encode()
        return binary.hex().upper() if bits == 4 else "".join([f"{byte:08b}" for byte in binary])

    @scalar(*names, types=_spelled(names[0]), on_distinct=True, on_host=True, instead=of_bignums(f"bignums_{names[0]}"))
    def kernel(args: Args, out: DType) -> Column:
        (column,) = args
        if column.dtype.is_coded:
            entries = spread(args)
            return entries.finish(each(of_bytes, pa.large_string(), entries), out)
        if column.dtype.is_float:
            if exact.first_bad(~column.data.isfinite(), tuple(args)) is not None:
                raise ExecutionError(f"{names[0]} of a number that is infinite or NaN")
            numbers = np.rint(np.nan_to_num(waits.array(column.data.reshape(-1), _TEXT))).tolist()  # host: NumPy
            # Of a sign and the digits of what is left of it, as DuckDB has it, and not as a two's complement.
            texts = pa.array([format(int(number), "X" if bits == 4 else "b") for number in numbers], pa.large_string())
            return Entries([], None, column.is_constant, len(numbers), column.device).finish(texts, out)
        words = _words(column)
        rows = Entries([], None, column.is_constant, len(words), column.device)
        return rows.finish(_joined(_bits(words, bits), 0), out)


_register(("hex", "to_hex"), 4)
_register(("bin", "tobinary"), 1)


def _to_base_types(args: tuple[Expr, ...]) -> Signature:
    if not 2 <= len(args) <= 3:
        raise BindError(f"to_base takes a number, a base and maybe a least length, not {len(args)} arguments")
    for arg in untyped(args):
        if arg.dtype != NULL and (
            not arg.dtype.is_integer or arg.dtype.kind in (Kind.HUGEINT, Kind.UBIGINT, Kind.UHUGEINT)
        ):
            raise BindError(f"to_base takes integers of up to 64 bits, not {arg.dtype}")
    return (BIGINT, INTEGER, INTEGER)[: len(args)], VARCHAR


@scalar("to_base", types=_to_base_types)
def _to_base(args: Args, out: DType) -> Column:
    """The digits of a number that is not negative, to a base of 2 to 36."""
    number, base, *others = args
    for bad, message in (
        (number.data < 0, "to_base: the number is negative"),
        ((base.data < 2) | (base.data > _LARGEST_BASE), f"to_base: a base is 2 to {_LARGEST_BASE}"),
        *(((one.data < 0) | (one.data > _MOST_DIGITS), f"to_base: a length is 0 to {_MOST_DIGITS}") for one in others),
    ):
        if exact.first_bad(bad, tuple(args)) is not None:
            raise ExecutionError(message)
    rows = max([len(arg) for arg in args if not arg.is_constant], default=1)
    left, by, *least = (waits.array(arg.expand(rows).data.long(), _TEXT) for arg in args)
    left, by = left.clip(0).copy(), by.clip(2, _LARGEST_BASE)
    digits = np.zeros((rows, _MOST_DIGITS), np.uint8)
    for place in range(_MOST_DIGITS - 1, -1, -1):
        left, digits[:, place] = np.divmod(left, by)
        if not left.any():
            break
    is_constant = all(arg.is_constant for arg in args)
    entries = Entries([], None, is_constant, rows, number.device)
    return entries.finish(_joined(digits, least[0].clip(0, _MOST_DIGITS) if least else 0), out)
