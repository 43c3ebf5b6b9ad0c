"""How functions of JSON are registered: each runs once a distinct text, or a distinct combination of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.nested import of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.entries import Entries, mapped, spread
from tqp.functions.joined_text import coded
from tqp.functions.measured import by_values
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.types import BIGINT, BOOLEAN, JSON, NULL, UBIGINT, VARCHAR, DType, Kind

__all__ = ["column_of", "json_function", "per_text", "text_types"]

_CPU: Final = torch.device("cpu")
_STORED: Final = {
    VARCHAR: (pa.large_string(), ""), JSON: (pa.large_string(), "null"), BOOLEAN: (pa.bool_(), False),
    UBIGINT: (pa.int64(), 0),
}  # fmt: skip


def text_types(
    name: str, args: tuple[Expr, ...], path: int | None = None, *, takes_places: bool = False
) -> tuple[DType, ...]:
    """The types of arguments that are JSON or its text, which a list, struct or map becomes; BindError for others.

    The one at `path` is a path, which may be a whole number where one `takes_places`.
    """
    wanted: list[DType] = []
    for position, arg in enumerate(args):
        if position == path and takes_places and arg.dtype.is_integer:
            wanted.append(BIGINT)
        elif arg.dtype.is_nested and position != path:
            wanted.append(JSON)
        elif arg.dtype.is_text or arg.dtype == NULL or is_text_literal(arg):
            wanted.append(arg.dtype if arg.dtype.is_text else VARCHAR)
        else:
            raise BindError(
                f"argument {position + 1} of {name} is {arg.dtype}, not VARCHAR", hint="write CAST(... AS VARCHAR)"
            )
    return tuple(wanted)


def _types(name: str, out: DType, least: int, most: int | None, path: int | None) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) < least or (most is not None and len(args) > most):
            wanted = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} or {most}"
            raise BindError(f"{name} takes {wanted} arguments, not {len(args)}")
        return text_types(name, args, path), out

    return types


def json_function(
    names: str,
    out: DType,
    least: int = 1,
    most: int | None = 1,
    *,
    path: int | None = None,
    strict: bool = True,
    at_once: Callable[[Args, DType, Callable[..., Any]], Column | None] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what gives for texts the value, or None for NULL; an ExecutionError of it is that of the rows.

    The argument number `path`, from 0, is one. Without `strict` it gets None for arguments that are NULL. `at_once` gives it for
    many texts, or None where it cannot.
    """

    def register(compute: Callable[..., Any]) -> Callable[..., Any]:
        first = names.split(",")[0]

        @scalar(
            *names.split(","),
            types=_types(first, out, least, most, path),
            strict=strict,
            on_distinct=True,
            on_host=True,
        )
        def kernel(args: Args, out: DType) -> Column:
            found = None if at_once is None else at_once(args, out, compute)
            return per_text(compute, args, out, strict=strict) if found is None else found

        return compute

    return register


def per_text(compute: Callable[..., Any], args: Args, out: DType, *, strict: bool = True) -> Column:
    """The results of a function of texts and integers of Python, run once a distinct combination: a value, a list, or None.

    An ExecutionError of it is that of the rows that have the combination. Without `strict` it gets None for a NULL.
    """

    def tried(*operands: Any) -> Any:
        # No row has what stands for NULL in a dictionary.
        if strict and None in operands:
            return None
        try:
            return compute(*operands)
        except ExecutionError as error:
            return error

    entries = spread(args, nulls=not strict)
    results = mapped(tried, entries)
    failed = pa.array([isinstance(result, ExecutionError) for result in results], pa.bool_())
    entries.check(failed, args if strict else (), lambda place: str(results[place].message))
    return _finished(entries, [None if isinstance(one, ExecutionError) else one for one in results], out)


def _finished(entries: Entries, results: Sequence[Any], out: DType) -> Column:
    """The column of the results of the entries: None is NULL, a list one of values of the element type."""
    known = torch.tensor([result is not None for result in results], dtype=torch.bool, device=_CPU)
    if not out.is_list:
        stored, empty = _STORED[out]
        values = pa.array([empty if result is None else result for result in results], stored)
        return replace(entries.finish(values, out), valid=entries.rows(known))
    if not results:
        by_values()
    column = column_of(results, out)
    device = entries.device
    if device is not None and device != _CPU:
        column = column.moved(lambda tensor: placed(tensor, device))
    if entries.is_constant:
        return column.map(lambda tensor: tensor[0])
    return column if entries.codes is None else column.take(entries.codes)


def column_of(values: Sequence[Any], dtype: DType) -> Column:
    """Values of Python (n,) as a column on the CPU: texts, truth values, counts and lists of them, None as NULL."""
    valid = torch.tensor([value is not None for value in values], dtype=torch.bool, device=_CPU)
    if dtype.kind is Kind.LIST:
        assert dtype.element is not None
        lists = [value or [] for value in values]
        counts = torch.tensor([len(value) for value in lists], dtype=torch.int64, device=_CPU)
        return of_lengths(counts, column_of(list(chain.from_iterable(lists)), dtype.element), dtype, valid)
    stored, empty = _STORED[dtype]
    filled = pa.array([empty if value is None else value for value in values], stored)
    if dtype.is_text:
        return coded(filled, None, _CPU, dtype).with_valid(valid)
    found = torch.from_numpy(np.array(filled))
    bounds = (0, int(found.max())) if dtype.is_integer and len(values) else None  # host: on the CPU
    return Column(found, dtype, valid, None, bounds)
