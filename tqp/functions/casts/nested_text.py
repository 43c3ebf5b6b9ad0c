"""Lists, structs and maps from the texts that say them: each distinct text is taken apart once, its parts are cast as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.copies import placed
from tqp.data.nested import field, of_fields, of_lengths
from tqp.errors import ExecutionError
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.casts.written import Split, entries_of, fields_of, parts_of
from tqp.functions.entries import Entries, spread
from tqp.functions.joined_text import HOST, coded
from tqp.functions.map_keys import require_keys, with_good_keys
from tqp.functions.measured import by_values
from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.types import DType, Kind

__all__ = ["checked_map", "from_text", "texts_of"]

Cast = Callable[[Column, DType, bool], Column]


def from_text(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The lists, structs or maps that strings (n,) say, what is in them by `cast` from text; NULL stays NULL.

    A string that says no such value is an ExecutionError, or NULL if `safe`, where a row has it.
    """
    entries = spread([column])
    used = _used(entries, column.valid)
    if not len(used):
        by_values()
        return constant(None, to, column.device).expand(len(column))
    texts: list[str] = entries.operands[0].take(pa.array(used)).to_pylist()
    parts = [_split(text, _reader(to)) for text in texts]
    known = np.array([part is not None for part in parts], dtype=np.bool_)
    if not safe and not known.all():
        bad = texts[int(np.argmin(known))]  # host: NumPy, no tensor
        raise ExecutionError(f"could not convert string '{bad}' to {to}", hint=NULL_INSTEAD)
    made = _of_parts([part or [] for part in parts], to, safe, cast, column.device)
    if not known.all():
        good = placed(torch.from_numpy(known), column.device)
        made = made.with_valid(good if made.valid is None else good & made.valid)
    numbers = np.zeros(entries.count, dtype=np.int64)
    numbers[used] = np.arange(len(used))
    found = made.take(entries.rows(torch.from_numpy(numbers)))
    if column.valid is None:
        return found
    return found.with_valid(column.valid if found.valid is None else column.valid & found.valid)


def _used(entries: Entries, valid: Tensor | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The entries that a row has which is not NULL: what no row has is not read, and no error."""
    numbers = entries.codes
    if numbers is None:
        numbers = torch.arange(entries.count, dtype=torch.int64, device=entries.device)
    if valid is not None:
        numbers = numbers.index_select(0, select(valid))
    asked = torch.zeros(entries.count, dtype=torch.bool, device=numbers.device).index_fill_(0, numbers.long(), True)
    return np.flatnonzero(waits.array(asked, HOST))


def _reader(to: DType) -> Split:
    if to.is_struct:
        return fields_of([one.name for one in to.fields])
    return entries_of if to.kind is Kind.MAP else parts_of


def _split(text: str, read: Split) -> list[str | None] | None:
    checkpoint()
    return read(text)


def _of_parts(parts: Sequence[Sequence[str | None]], to: DType, safe: bool, cast: Cast, device: torch.device) -> Column:
    """The values (n,) of the texts of their fields, their elements, or their keys and values in turns."""
    if to.is_struct:
        columns = [
            cast(texts_of([part[place] if part else None for part in parts], device), one.type, safe)
            for place, one in enumerate(to.fields)
        ]
        return of_fields([one.expand(len(parts)) for one in columns], to, device).expand(len(parts))
    assert to.element is not None
    texts = [text for part in parts for text in part]
    sizes = torch.tensor([len(part) for part in parts], dtype=torch.int64, device=torch.device("cpu"))
    counts = placed(sizes, device)
    if to.kind is not Kind.MAP:
        return of_lengths(counts, cast(texts_of(texts, device), to.element, safe), to)
    counts = counts // 2
    of_entries = [
        cast(texts_of(texts[place::2], device), one.type, safe).expand(len(texts) // 2)
        for place, one in enumerate(to.element.fields)
    ]
    made = of_lengths(counts, of_fields(of_entries, to.element, device), to)
    owners = torch.repeat_interleave(counts, output_size=len(texts) // 2)
    return checked_map(made, owners, safe)


def texts_of(texts: Sequence[str | None], device: torch.device) -> Column:
    """A column of text (n,); None is NULL."""
    array = pa.array(texts, pa.large_string())
    valid = None
    if array.null_count:
        valid = placed(torch.from_numpy(array.is_valid().to_numpy(zero_copy_only=False)), device)
        array = array.fill_null("")
    return coded(array, valid, device)


def checked_map(column: Column, owners: Tensor, safe: bool) -> Column:
    """The maps (n,), whose entries (m,) lie one after the other in the rows `owners` (m,), with keys as they must be.

    ExecutionError for a key that became NULL or comes twice; if `safe`, the map is NULL.
    """
    keys = field(column.children[0], 0)
    if not safe:
        require_keys(owners.long(), keys)
        return column
    known = torch.ones(len(column), dtype=torch.bool, device=column.device) if column.valid is None else column.valid
    return column.with_valid(with_good_keys(known, owners.long(), keys))
