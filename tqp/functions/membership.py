"""IN with a list: of a few options, each an argument, or of many, which are one constant list."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import String
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.comparison import comparable, compare, position
from tqp.functions.entries import spread, text
from tqp.functions.registry import Args, Compared, Signature, find, scalar
from tqp.ir.expr import Expr
from tqp.ir.words import IN_LIST
from tqp.types import BOOLEAN, DType, Kind

__all__: list[str] = []

_CHAIN = 6  # comparisons that cost less than one gather or search
_TABLE = 1 << 16  # a lookup table of this many flags stays in the nearest caches


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) < 2:
        raise BindError("IN takes at least 1 option")
    common = comparable(args, "IN")
    return (common,) * len(args), BOOLEAN


@scalar(
    "in", types=_types, strict=False, on_distinct=True, strict_first=1, total=True, selectivity=0.1, by_layout=True,
    of_keys=Compared.TEXTS,
)  # fmt: skip
def _in(args: Args, out: DType) -> Column:
    """NULL where no option equals the tested value but the value or an option is NULL."""
    tested, *options = args
    fixed = [option for option in options if _is_known(option)]
    others = [option for option in options if not _is_known(option)]
    found = [_among(tested, fixed)] if fixed else []
    # Of UNIONs the comparison may be NULL though neither is.
    found += [find("eq").kernel((tested, option), BOOLEAN) for option in others]
    hits = []
    valid: Tensor | None = tested.valid
    compared: list[Column | None] = [None, *others] if fixed else [*others]
    for column, option in zip(found, compared, strict=True):
        hit = column.data
        for known in (column.valid, None if option is None else option.valid):
            if known is not None:
                hit = hit & known
                valid = known if valid is None else valid & known
        hits.append(hit)
    data = reduce(torch.logical_or, hits)
    if valid is None:
        return Column(data, BOOLEAN)
    if tested.valid is not None:
        data = data & tested.valid
    return Column(data, BOOLEAN, data | valid)


def _list_types(args: tuple[Expr, ...]) -> Signature:
    return tuple([arg.dtype for arg in args]), BOOLEAN


@scalar(IN_LIST, types=_list_types, on_distinct=True, total=True, selectivity=0.1)
def _in_list(args: Args, out: DType) -> Column:
    tested, members = args[0], args[1].children[0]
    if tested.dtype.is_coded:
        assert members.dictionary is not None
        entries = spread((replace(tested, valid=None),))
        (strings,) = entries.operands
        return entries.finish(pc.is_in(strings, value_set=members.dictionary.values.cast(strings.type)), BOOLEAN)
    options = members.data
    if tested.dtype.is_exact or tested.dtype.is_temporal:
        tested = exact.narrowed(tested)
        if tested.is_wide:
            high, low = tested.data.unbind(-1)
            return Column(_found(low.contiguous(), options) & (high == low >> 63), BOOLEAN)
    return Column(_found(tested.data, options), BOOLEAN)


def _found(values: Tensor, options: Tensor) -> Tensor:
    """Which values are among some options, which are different ones and ascend."""
    common = torch.promote_types(values.dtype, options.dtype)
    values, options = values.to(common), options.to(common)
    places = torch.searchsorted(options, values).clamp(max=options.shape[0] - 1)
    return options[places] == values


def _is_known(option: Column) -> bool:
    """A constant, not NULL, that the host knows or reads without a wait."""
    return (
        option.is_constant
        and option.valid is None
        and not option.dtype.is_nested
        and (option.dictionary is not None or exact.number(option) is not None)
    )


def _among(tested: Column, options: list[Column]) -> Column:
    if tested.dtype.is_coded:
        return _among_texts(tested, list(dict.fromkeys(map(text, options))))
    if tested.dtype.kind in (Kind.BOOLEAN, Kind.FLOAT, Kind.DOUBLE, Kind.INTERVAL, Kind.ARRAY):
        return _any_of(tested, options)
    tested = exact.narrowed(tested)
    low, high = exact.limits(tested)
    numbers = sorted({number for number in map(exact.number, options) if number is not None and low <= number <= high})
    if tested.is_wide:
        if not numbers:
            return _nowhere(tested)
        kept = [option for option in options if exact.number(option) in numbers]
        return _any_of(tested, kept)
    return Column(_among_integers(tested.data, numbers, low, high), BOOLEAN)


def _any_of(tested: Column, options: list[Column]) -> Column:
    return Column(reduce(torch.logical_or, (compare("eq", tested, option).data for option in options)), BOOLEAN)


def _nowhere(tested: Column) -> Column:
    return Column(torch.zeros((), dtype=torch.bool, device=tested.device), BOOLEAN)


def _among_integers(data: Tensor, numbers: list[int], low: int, high: int) -> Tensor:
    """Which values are among ascending distinct numbers, all within low..high."""
    device = data.device
    if not numbers:
        return torch.zeros((), dtype=torch.bool, device=device)
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and last - first == len(numbers) - 1:
        return (data >= first) & (data <= last)
    if len(numbers) <= _CHAIN:
        return reduce(torch.logical_or, (data == number for number in numbers))
    if last - first < _TABLE and data.ndim:
        # The flags before the first and behind the last stand for all that lies outside, if anything does.
        start, stop = max(first - 1, low), min(last + 1, high)
        flags = torch.zeros(stop - start + 1, dtype=torch.bool, device=device)
        flags.index_fill_(0, placed(torch.tensor(numbers, dtype=torch.int64, device="cpu"), device) - start, True)
        wide = (
            data.to(torch.int64)
            if data.dtype == torch.int64 or low < -(2**30) or high >= 2**30
            else data.to(torch.int32)
        )
        return flags.index_select(0, wide.clamp(start, stop) - start)
    options = placed(torch.tensor(numbers, dtype=torch.int64, device="cpu"), device)
    values = data.to(torch.int64)
    places = torch.searchsorted(options, values).clamp(max=len(numbers) - 1)
    return options[places] == values


def _among_texts(tested: Column, texts: list[String]) -> Column:
    dictionary = tested.dictionary
    assert dictionary is not None
    if dictionary.is_sorted and not tested.is_constant:
        places = [position(dictionary.values, one) for one in texts]
        codes = sorted({place for place, found in places if found})
        return Column(_among_integers(tested.data, codes, 0, max(len(dictionary) - 1, 0)), BOOLEAN)
    entries = spread((replace(tested, valid=None),))
    (strings,) = entries.operands
    return entries.finish(pc.is_in(strings, value_set=pa.array(texts, strings.type)), BOOLEAN)
