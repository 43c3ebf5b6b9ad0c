"""Lists, structs and maps between Arrow and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, elements, field, lengths, of_fields
from tqp.data.unions import members, tag
from tqp.errors import ExecutionError, SourceError
from tqp.functions.map_keys import require_keys
from tqp.types import DType, Kind

__all__ = ["nested_from_arrow", "nested_to_arrow"]

Read = Callable[[pa.ChunkedArray, str], Column]
Write = Callable[[Column, int, DType], "pa.Array | pa.ChunkedArray"]


def nested_from_arrow(array: pa.ChunkedArray, dtype: DType, valid: Tensor | None, read: Read, name: str) -> Column:
    """A column of lists, structs or maps on the CPU, whose children `read` reads.

    SourceError for a map with keys that are NULL or come twice. Cost: that of the children; of maps that of grouping the keys, too.
    """
    if dtype.is_struct:
        fields = []
        for place, one in enumerate(array.type):
            # `field` knows no NULL of the struct: what it says of such rows means nothing.
            parts = [chunk.field(place) for chunk in array.chunks]
            fields.append(read(pa.chunked_array(parts, one.type), f"{name}.{one.name}"))
        places = torch.arange(len(array), dtype=torch.int64, device="cpu")
        return Column(places, dtype, valid, children=tuple(fields))
    if dtype.is_union:
        return _union(array, dtype, read, name)
    begins, counts, parts, start = [], [], [], 0
    for chunk in array.chunks:
        first, length, child = _ranges(chunk)
        begins.append(first + start)
        counts.append(length)
        parts.append(child)
        start += len(child)
    assert dtype.element is not None
    data = torch.zeros((len(array), 2), dtype=torch.int64, device="cpu")
    if begins:
        data[:, 0] = torch.from_numpy(np.concatenate(begins))
        data[:, 1] = torch.from_numpy(np.concatenate(counts))
    if valid is not None:
        data[~valid] = 0
    kind = _child_type(array.type)
    made = Column(data, dtype, valid, children=(read(pa.chunked_array(parts, kind), f"{name}[]"),))
    if dtype.kind is Kind.MAP:
        try:
            owners, entries = elements(made)
            require_keys(owners, field(entries, 0))
        except ExecutionError as error:
            raise SourceError(f"column {name!r} cannot be read: {error.message}") from error
    return made


def _union(array: pa.ChunkedArray, dtype: DType, read: Read, name: str) -> Column:
    """Sparse or dense unions; one whose member is NULL is NULL, as there is no other NULL."""
    kind, rows = array.type, len(array)
    # `type_codes` are those of the whole where a chunk is a slice.
    own = [np.frombuffer(chunk.buffers()[1], np.int8, len(chunk), chunk.offset) for chunk in array.chunks if len(chunk)]
    codes = np.concatenate([np.empty(0, np.int8), *own])
    numbers = torch.zeros(rows, dtype=torch.int64, device="cpu")
    places = torch.arange(rows, dtype=torch.int64, device="cpu")
    valid = torch.zeros(rows, dtype=torch.bool, device="cpu")
    parts = []
    for place, (one, code) in enumerate(zip(kind, kind.type_codes, strict=True)):
        of_member = torch.from_numpy(codes == code)
        held = [chunk.field(place) for chunk in array.chunks]
        values = read(pa.chunked_array(held, one.type), f"{name}.{one.name}")
        if kind.mode == "dense":
            places = _places(array.chunks, held)
        found = at(values, torch.where(of_member, places, 0), of_member)
        parts.append(found)
        numbers[of_member] = place
        valid |= found.valid if found.valid is not None else of_member
    tags = Column(numbers, dtype.tag, bounds=(0, len(dtype.fields) - 1))
    made = of_fields([tags, *parts], dtype, numbers.device)
    return made if bool(valid.all()) else made.with_valid(valid)  # host: what is read lies there


def _places(chunks: Sequence[pa.Array], held: Sequence[pa.Array]) -> Tensor:
    """Where the values of dense unions lie in those `held` by their chunks, one below the other."""
    places, start = [np.empty(0, np.int64)], 0
    for chunk, values in zip(chunks, held, strict=True):
        if len(chunk):
            # `offsets` are those of the whole where a chunk is a slice.
            places.append(np.frombuffer(chunk.buffers()[2], np.int32, len(chunk), 4 * chunk.offset) + np.int64(start))
        start += len(values)
    return torch.from_numpy(np.concatenate(places))


def _child_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_map(kind):
        return pa.struct([("key", kind.key_type), ("value", kind.item_type)])
    return kind.value_type


def _ranges(chunk: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], pa.Array]:
    """Where the lists of a chunk, of any kind, or its maps begin in their elements, how long they are, and these."""
    kind = chunk.type
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        begins = np.arange(len(chunk), dtype=np.int64) * size
        return begins, np.full_like(begins, size), chunk.values.slice(chunk.offset * size, len(chunk) * size)
    offsets = chunk.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        return offsets, chunk.sizes.to_numpy(zero_copy_only=False).astype(np.int64), chunk.values
    if pa.types.is_map(kind):
        values = pa.StructArray.from_arrays([chunk.keys, chunk.items], names=["key", "value"])
    else:
        values = chunk.values
    return offsets[:-1] - offsets[0], np.diff(offsets), values.slice(offsets[0], offsets[-1] - offsets[0])


def nested_to_arrow(column: Column, valid: npt.NDArray[np.bool_] | None, kind: pa.DataType, write: Write) -> pa.Array:
    """The values of a nested column (n,) on the CPU as an Arrow array of type `kind`, whose children `write` writes."""
    dtype, rows = column.dtype, len(column)
    mask = None if valid is None else pa.array(~valid)
    if dtype.is_struct:
        parts = [_whole(write(field(column, place), rows, one.type)) for place, one in enumerate(dtype.fields)]
        made = [part.cast(one.type) for part, one in zip(parts, kind, strict=True)]
        if not made:
            known = [True] * rows if valid is None else valid.tolist()  # host: NumPy, no tensor
            return pa.array([{} if there else None for there in known], kind)
        return pa.StructArray.from_arrays(made, fields=list(kind), mask=mask)
    if dtype.is_union:
        parts = [
            _whole(write(one, rows, one.dtype)).cast(of.type) for one, of in zip(members(column), kind, strict=True)
        ]
        # Arrow's unions have no NULLs of their own: one is a NULL of the first member.
        numbers = tag(column).data.numpy() if valid is None else np.where(valid, tag(column).data.numpy(), 0)
        return pa.UnionArray.from_sparse(pa.array(numbers, pa.int8()), parts, [of.name for of in kind])
    counts = lengths(column).numpy()
    ends = np.cumsum(counts)
    values = _elements(column, counts, ends)
    assert dtype.element is not None
    child = _whole(write(values, len(values), dtype.element))
    offsets: Any = np.concatenate([np.zeros(1, ends.dtype), ends])
    if dtype.kind is Kind.MAP:
        return pa.MapArray.from_arrays(_offsets(offsets, pa.int32()), child.field(0), child.field(1), mask=mask).cast(
            kind
        )
    narrow = offsets[-1] < 2**31
    if narrow and pa.types.is_list(kind) and child.type == kind.value_type:
        # A cast to another name of the elements loses those that are all NULL.
        return pa.ListArray.from_arrays(_offsets(offsets, pa.int32()), child, type=kind, mask=mask)
    made_of = pa.ListArray if narrow else pa.LargeListArray
    found = made_of.from_arrays(_offsets(offsets, pa.int32() if narrow else pa.int64()), child, mask=mask)
    return found.cast(kind) if narrow else found


def _elements(column: Column, counts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Column:
    """The elements of all lists of a column on the CPU; nothing is moved where they lie one list after the other."""
    starts = column.data[:, 0].numpy()
    some = counts > 0
    first = int(starts[some.argmax()]) if some.any() else 0
    if np.array_equal(np.where(some, starts - first, ends - counts), ends - counts):
        return column.children[0].slice(first, first + (int(ends[-1]) if len(ends) else 0))
    return elements(column)[1]


def _offsets(offsets: Any, kind: pa.DataType) -> pa.Array:
    return pa.array(offsets, kind)


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array if isinstance(array, pa.Array) else array.combine_chunks()
