"""From text columns to the few strings a function must really be computed on, and back to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import EMPTY, Dictionary, String, arrow_kind, standing_for_null
from tqp.data.layout import narrowest
from tqp.data.to_arrow import integers
from tqp.errors import ExecutionError
from tqp.functions.measured import by_values
from tqp.functions.registry import Args, Compared, Instead, scalar
from tqp.functions.signatures import fixed
from tqp.functions.slices import SMALL, Slices, ends, repeats
from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.types import VARCHAR, DType, Kind

__all__ = [
    "Entries",
    "each",
    "follow_one_another",
    "host_function",
    "mapped",
    "number",
    "spread",
    "string",
    "text",
]

_WHY = "what is computed on the host needs it"


def text(column: Column) -> String:
    """The string of a constant column of text, or the bytes of one of bytes."""
    assert column.dictionary is not None
    values = column.dictionary.values
    code = 0 if len(values) == 1 else waits.number(column.data, "text is on the host")
    # NULL of no rows at all has a dictionary without strings.
    found: String = values[code].as_py() if len(values) else EMPTY[values.type]
    return found


def string(column: Column) -> str:
    """The string of a constant column of text."""
    found = text(column)
    assert isinstance(found, str)
    return found


def _arrow(operand: String | int | float) -> pa.DataType:
    if isinstance(operand, float):
        return pa.float64()
    return pa.int64() if isinstance(operand, int) else arrow_kind(operand)


def _value(column: Column) -> String | int | float:
    if column.dictionary is not None:
        return text(column)
    return waits.real(column.data, _WHY) if column.dtype.is_float else number(column)


def number(column: Column) -> int:
    """The integer of a constant column; known from its bounds, as a rule."""
    if column.bounds is not None and column.bounds[0] == column.bounds[1]:
        return column.bounds[0]
    return waits.number(column.data, _WHY)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The `count` distinct combinations of arguments (or all rows) that a host function runs on.

    `operands` has per argument a `str`, `bytes` or `int` where it is constant, else an Arrow array (count,). `codes` gives the
    entry of each row, (n,) int32 or int64; None where entry i is row i. `is_constant`: one entry, no row dimension.
    """

    operands: list[Any]
    codes: Tensor | None
    is_constant: bool
    count: int
    device: torch.device | None

    def arrays(self) -> list[pa.Array]:
        """The operands as arrays of equal length."""
        return [self.array(place) for place in range(len(self.operands))]

    def array(self, place: int) -> pa.Array:
        """An operand as an array (count,)."""
        operand = self.operands[place]
        if isinstance(operand, pa.Array):
            return operand
        return pa.array([operand], _arrow(operand)).take(pa.array(np.zeros(self.count, dtype=np.int64)))

    def alike(self, *places: int) -> Iterator[tuple[tuple[Any, ...], npt.NDArray[np.int64] | None]]:
        """The combinations of values that these operands have, each with the entries that have it (None: all of them)."""
        operands = [self.operands[place] for place in places]
        arrays = [operand for operand in operands if isinstance(operand, pa.Array)]
        if not arrays:
            yield tuple(operands), None
            return
        code, bound = np.zeros(self.count, np.int64), 1
        for array in arrays:
            encoded = array.dictionary_encode()
            if bound * len(encoded.dictionary) >= 2**63:
                code, bound = np.unique(code, return_inverse=True)[1], self.count
            code = code * len(encoded.dictionary) + encoded.indices.to_numpy(zero_copy_only=False)
            bound *= len(encoded.dictionary)
        _, first, sizes = np.unique(code, return_index=True, return_counts=True)
        rows = np.split(np.argsort(code, kind="stable"), np.cumsum(sizes)[:-1])
        chosen = pa.array(first)
        columns = [
            operand.take(chosen).to_pylist() if isinstance(operand, pa.Array) else [operand] * len(first)
            for operand in operands
        ]
        yield from zip(zip(*columns, strict=True), rows, strict=False)

    def rows(self, table: Tensor) -> Tensor:
        """Per-entry values (count, ...) as per-row ones, on the rows' device."""
        if self.device is not None:
            table = placed(table, self.device)
        if self.is_constant:
            return table[0]
        return table if self.codes is None else table.index_select(0, self.codes)

    def column(self, found: Column) -> Column:
        """Per-entry values as a column on the CPU, nested or not, as the per-row one on the rows' device."""
        if self.device is not None and self.device != found.device:
            device = self.device
            found = found.moved(lambda tensor: placed(tensor, device))
        if self.is_constant:
            return found.map(lambda tensor: tensor[0])
        return found if self.codes is None else found.take(self.codes)

    def finish(self, result: Any, out: DType) -> Column:
        """The column of the per-entry results: a numpy array, an Arrow array without NULLs, slices, or an Arrow array of lists."""
        if out.is_list:
            return self._lists(result, out)
        if out.is_coded:
            return self._text(result, out)
        values = result if isinstance(result, np.ndarray) else result.to_numpy(zero_copy_only=False, writable=True)
        if out.kind is Kind.BOOLEAN or out.is_float:
            return Column(self.rows(torch.from_numpy(values)), out)
        if not len(values):
            # Without values nothing is known of those to come.
            by_values()
            return Column(self.rows(torch.from_numpy(values)), out)
        bounds = int(values.min()), int(values.max())  # host: NumPy, no tensor
        narrow = torch.from_numpy(values).to(narrowest(*bounds))
        return Column(self.rows(narrow), out, None, None, bounds)

    def _text(self, result: pa.Array | Slices, out: DType) -> Column:
        if isinstance(result, Slices):
            if self.count > SMALL and not self.is_constant and repeats(result.take(ends(self.count)).strings()):
                strings, numbers = result.encoded()
                dictionary = Dictionary(strings, is_sorted=False)
                column = Column(self.rows(numbers), out, None, dictionary, dictionary.bounds)
                return column.ranked() if len(dictionary) <= SMALL else column
            result = result.strings()
        dictionary = Dictionary(result, is_sorted=len(result) <= 1)
        if self.is_constant:
            return Column(torch.zeros((), dtype=torch.int32, device=self.device), out, None, dictionary, (0, 0))
        if self.count > SMALL and repeats(result):
            encoded = result.dictionary_encode()
            dictionary = Dictionary(encoded.dictionary, is_sorted=False)
            codes = self.rows(from_dlpack(encoded.indices))
        elif self.codes is None:
            codes = torch.arange(self.count, dtype=torch.int32, device=self.device)
        else:
            codes = self.codes
        column = Column(codes, out, None, dictionary, dictionary.bounds)
        return column.ranked() if len(dictionary) <= SMALL else column

    def _lists(self, result: pa.Array, out: DType) -> Column:
        """Lists of strings or numbers: each is a range of the pieces of all entries, which rows share."""
        if not len(result):
            by_values()
        ends = torch.from_numpy(result.offsets.to_numpy().astype(np.int64))
        pieces = result.values
        if isinstance(pieces, pa.ChunkedArray):
            pieces = pieces.combine_chunks()
        child = self._numbers(pieces, out.element) if out.element != VARCHAR else self._strings(pieces)
        device = self.device
        if device is not None:
            child = child.map(lambda tensor: placed(tensor, device))
        return Column(self.rows(torch.stack([ends[:-1], ends.diff()], 1)), out, children=(child,))

    @staticmethod
    def _numbers(pieces: pa.Array, dtype: DType | None) -> Column:
        assert dtype is not None
        return Column(torch.from_numpy(pieces.to_numpy(zero_copy_only=False, writable=True)), dtype)

    @staticmethod
    def _strings(pieces: pa.Array) -> Column:
        pieces = pieces.cast(pa.large_string())
        if len(pieces) > SMALL and not repeats(pieces):
            dictionary = Dictionary(pieces.fill_null(""), is_sorted=False)
            codes = torch.arange(len(pieces), dtype=torch.int32, device="cpu")
        else:
            encoded = pieces.dictionary_encode()
            dictionary = Dictionary(encoded.dictionary, is_sorted=False)
            codes = torch.from_numpy(encoded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32))
        valid = None
        if pieces.null_count:
            valid = torch.from_numpy(pieces.is_valid().to_numpy(zero_copy_only=False))
        return Column(codes, VARCHAR, valid, dictionary, dictionary.bounds)

    def check(
        self, failed: pa.Array, args: Args, message: Callable[[int], str | ExecutionError], hint: str | None = None
    ) -> None:
        """Raise ExecutionError where a row that has no NULL among `args` uses an entry that `failed` (count,).

        `message` gives that of an entry, or the error with its own hint.
        """
        flags = np.asarray(failed.to_numpy(zero_copy_only=False), dtype=np.bool_)
        if not flags.any():
            return
        table = torch.from_numpy(np.where(flags, np.arange(self.count), -1))
        used = self.rows(table)
        for arg in args:
            if arg.valid is not None:
                used = torch.where(arg.valid, used, -1)
        worst = waits.number(used.max(), "a text that cannot be read is an error") if used.numel() else -1
        if worst >= 0:
            told = message(worst)
            if isinstance(told, ExecutionError):
                # Another one: it may be raised again, where it has another place.
                raise ExecutionError(told.message, hint=told.hint)
            raise ExecutionError(told, hint=hint)


def spread(args: Args, *, nulls: bool = False) -> Entries:
    """The entries of text and integer arguments; with `nulls`, a NULL is an entry of its own (only text arguments)."""
    device = args[0].device
    operands: list[Any] = []
    varying = []
    for position, arg in enumerate(args):
        if arg.is_constant and not (nulls and arg.valid is not None):
            operands.append(_value(arg))
        else:
            operands.append(None)
            varying.append(position)
    if all(arg.is_constant for arg in args):
        for position in varying:
            valid = args[position].valid
            known = valid is None or waits.truth(valid, "whether a constant is NULL")
            value = text(args[position]) if known else None
            operands[position] = pa.array([value], standing_for_null(args[position].dtype).values.type)
        for position, operand in enumerate(operands):
            if not isinstance(operand, pa.Array):
                operands[position] = pa.array([operand], _arrow(operand))
                break
        return Entries(operands, None, True, 1, device)
    rows = next(len(arg) for arg in args if not arg.is_constant)
    digits = [_digits(args[position].expand(rows), nulls) for position in varying]
    sizes = [size for _, size, _ in digits]
    product = 1
    for size in sizes:
        product *= size
    if product > rows:
        for position, (codes, _, values) in zip(varying, digits, strict=True):
            operands[position] = values(waits.array(codes, "text is made on the host"))
        return Entries(operands, None, False, rows, device)
    index = np.arange(product)
    packed: Tensor | None = None
    for position, (_, size, values) in reversed(list(zip(varying, digits, strict=True))):
        operands[position] = values(index % size) if len(varying) > 1 else values(None)
        index = index // size
    for codes, size, _ in digits:
        packed = codes if packed is None else packed * size + codes
    return Entries(operands, packed, False, product, device)


def _digits(column: Column, nulls: bool) -> tuple[Tensor, int, Callable[[Any], pa.Array]]:
    """A varying argument as codes 0..size-1, their number, and the values of given codes (None: of all)."""
    if column.dictionary is None:
        low, high = column.bounds or (-(2**63), 2**63 - 1)
        size = high - low + 1
        if size > column.data.numel():
            # Never enumerated: the values stand for themselves.
            return column.data, size, lambda codes: integers(codes) if codes.dtype.kind == "i" else pa.array(codes)
        shifted = (column.data.to(torch.int64) - low).to(torch.int32)
        if column.valid is not None:
            shifted = shifted.clamp(0, size - 1)
        # Not `arange(low, high + 1)`, which is of floats where the end is beyond 64 bits.

        def values_of(codes: Any) -> pa.Array:
            return integers((np.arange(size) if codes is None else codes.astype(np.int64)) + low)

        return shifted, size, values_of
    # NULLs alone leave an empty dictionary; their codes still need an entry.
    values = column.dictionary.values
    if not len(values):
        values = standing_for_null(column.dtype).values
    codes = column.data if column.data.dtype in (torch.int32, torch.int64) else column.data.to(torch.int32)
    if nulls and column.valid is not None:
        codes = torch.where(column.valid, codes, len(values))
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    size = len(values)
    return codes, size, lambda codes: values if codes is None else _chosen(values, codes)


def _chosen(values: pa.Array, codes: Any) -> pa.Array:
    """The entries of those codes; without a copy where they follow one another, as in batches of near-unique text."""
    return values.slice(int(codes[0]), len(codes)) if follow_one_another(codes) else values.take(integers(codes))


def follow_one_another(codes: npt.NDArray[Any]) -> bool:
    """Whether each of the codes, one at least, is one more than that before it."""
    return bool(len(codes) and int(codes[-1]) - int(codes[0]) == len(codes) - 1 and (codes[1:] - codes[:-1] == 1).all())


def host_function(
    names: str,
    out: DType,
    *wanted: DType,
    optional: int = 0,
    selectivity: float | None = None,
    instead: Instead | None = None,
    of_keys: Compared | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `compute(entries, *operands)`, which gives the results of the entries, as a strict function."""

    def register(compute: Callable[..., Any]) -> Callable[..., Any]:
        first = names.split()[0]

        rule = fixed(first, out, *wanted, optional=optional)

        @scalar(
            *names.split(), types=rule, on_distinct=True, selectivity=selectivity, on_host=True, instead=instead,
            of_keys=of_keys,
        )  # fmt: skip
        def kernel(args: Args, out: DType) -> Column:
            entries = spread(args)
            return entries.finish(compute(entries, *entries.operands), out)

        return compute

    return register


def each(function: Callable[..., Any], kind: pa.DataType, entries: Entries) -> pa.Array:
    """`function` applied entry by entry, where there is nothing vectorised."""
    return pa.array(mapped(function, entries), kind)


def mapped(function: Callable[..., Any], entries: Entries) -> list[Any]:
    """What `function` gives for the values of each entry."""
    columns = [operand.to_pylist() if isinstance(operand, pa.Array) else None for operand in entries.operands]
    rows = []
    for row in range(entries.count):
        checkpoint()
        pairs = zip(columns, entries.operands, strict=True)
        rows.append(function(*(column[row] if column is not None else operand for column, operand in pairs)))
    return rows
