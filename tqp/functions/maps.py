"""Functions of maps: how they are made, their keys and values, and what a key stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, elements, field, lengths, of_fields, of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.align import concat
from tqp.functions.compared import told_apart
from tqp.functions.lists.rows import list_function, side_by_side, valid_together
from tqp.functions.map_keys import require_keys
from tqp.functions.order import order_digits
from tqp.functions.promotion import common_type
from tqp.functions.registry import Signature, TypeRule
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.kernels.group import group_ids_multi
from tqp.kernels.reduce import count
from tqp.types import NULL, UBIGINT, DType, Kind, list_of, map_of, struct

__all__: list[str] = []

_EMPTY = map_of(NULL, NULL)
"""The type of `MAP {}`, which goes with any."""


def _map_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2 or any(arg.dtype.kind not in (Kind.LIST, Kind.NULL) for arg in args):
        raise BindError("map takes a list of keys and a list of values")
    keys, values = (arg.dtype.element or NULL for arg in args)
    return (list_of(keys), list_of(values)), map_of(keys, values)


@list_function("map", types=_map_types, typed_null=True)
def _map(args: Sequence[Column], out: DType) -> Column:
    """Keys and values side by side. ExecutionError where they differ in number, and for keys that are NULL or come twice."""
    valid = valid_together(args)
    keys, values = args if valid is None else [arg.with_valid(valid) for arg in args]
    counts = lengths(keys)
    if not waits.truth((counts == lengths(values)).all(), "whether each key has a value"):
        raise ExecutionError("a map has as many keys as values")
    owners, known = elements(keys)
    require_keys(owners, known)
    assert out.element is not None
    entries = of_fields([known, elements(values)[1]], out.element, known.device)
    return of_lengths(counts, entries, out, valid)


def _key_types(name: str, out: Callable[[DType, DType], DType]) -> TypeRule:
    """A map, then a key; `out` of the types of its keys and values."""

    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes a map and a key")
        key, value = _entry(args[0], name)
        if args[0].dtype in (_EMPTY, NULL):
            # It has no key at all, whatever is asked for.
            return (map_of(args[1].dtype, value), args[1].dtype), out(key, value)
        wanted = args[1].dtype
        if key.is_text and not (wanted.is_text or wanted.kind in (Kind.NULL, Kind.ENUM)):
            raise BindError(f"{name}: {args[0].dtype} has no keys of {wanted}", hint="cast the key to VARCHAR")
        if key.is_integer and wanted.is_integer:
            key = common_type(key, wanted) or key
        return (map_of(key, value), key), out(key, value)

    return types


def _entry(arg: Expr, name: str) -> tuple[DType, DType]:
    """The types of keys and values of a map; BindError where it is none."""
    if arg.dtype == NULL:
        return NULL, NULL
    if arg.dtype.kind is not Kind.MAP or arg.dtype.element is None:
        raise BindError(f"{name} takes a map, not {arg.dtype}")
    key, value = arg.dtype.element.children
    return key, value


def _found(maps: Column, wanted: Column) -> tuple[Tensor, Tensor, Column]:
    """The entries (k,) int64 of maps (n,) that have the key `wanted` (n,) of their row, their rows (k,), and all values (m,).

    Cost: all keys are numbered together with those asked for.
    """
    owners, entries = elements(maps)
    keys = field(entries, 0)
    both = concat([wanted, keys], [len(wanted), len(keys)])
    ids, _, _ = group_ids_multi(order_digits(told_apart(both)))
    asked, known = ids[: len(wanted)], ids[len(wanted) :]
    found = waits.places(known == asked.index_select(0, owners), "which entries have the key")
    return found, owners.index_select(0, found).long(), field(entries, 1)


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    return _key_types("map_extract", lambda key, value: list_of(value))(args)


@list_function("map_extract_value", types=_key_types("map_extract_value", lambda key, value: value), strict=False)
def _value(args: Sequence[Column], out: DType) -> Column:
    """The value of a key; NULL where the map has no such key, as none is NULL, and for a NULL map."""
    maps, wanted = args
    found, holders, values = _found(maps, wanted)
    places = torch.zeros(len(maps), dtype=torch.int64, device=maps.device).index_copy_(0, holders, found)
    inside = torch.zeros(len(maps), dtype=torch.bool, device=maps.device).index_fill_(0, holders, True)
    return at(values, places, inside)


@list_function("map_extract", "element_at", types=_extract_types, strict=False)
def _extract(args: Sequence[Column], out: DType) -> Column:
    """A list of the value of a key, without elements where the map has no such key, as for a NULL; NULL for a NULL map."""
    found, holders, values = _found(*args)
    return of_lengths(count(holders, len(args[0])), values.take(found), out).with_valid(args[0].valid)


def _parts(name: str, out: Callable[[DType, DType], DType]) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 1:
            raise BindError(f"{name} takes a map")
        key, value = _entry(args[0], name)
        return (map_of(key, value),), out(key, value)

    return types


@list_function("map_keys", types=_parts("map_keys", lambda key, value: list_of(key)), typed_null=True)
def _keys(args: Sequence[Column], out: DType) -> Column:
    return Column(args[0].data, out, args[0].valid, children=(field(args[0].children[0], 0),))


@list_function("map_values", types=_parts("map_values", lambda key, value: list_of(value)), typed_null=True)
def _values(args: Sequence[Column], out: DType) -> Column:
    return Column(args[0].data, out, args[0].valid, children=(field(args[0].children[0], 1),))


@list_function(
    "map_entries",
    types=_parts("map_entries", lambda key, value: list_of(struct([("key", key), ("value", value)]))),
    typed_null=True,
)
def _entries(args: Sequence[Column], out: DType) -> Column:
    return Column(args[0].data, out, args[0].valid, children=args[0].children)


def _cardinality_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1 or args[0].dtype.kind not in (Kind.MAP, Kind.LIST, Kind.ARRAY, Kind.NULL):
        raise BindError("cardinality takes a map or a list")
    have = args[0].dtype
    if have == NULL or have.is_array:
        have = list_of(have.element or NULL)
    return (have,), UBIGINT


@list_function("cardinality", types=_cardinality_types)
def _cardinality(args: Sequence[Column], out: DType) -> Column:
    """How many entries a map has."""
    return Column(args[0].data[:, 1].contiguous(), out)


def _entries_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) == 1 and args[0].dtype == NULL:
        return (NULL,), NULL
    element = args[0].dtype.element if len(args) == 1 and args[0].dtype.kind is Kind.LIST else None
    if element is None or not element.is_struct or len(element.fields) != 2:
        raise BindError("map_from_entries takes a list of structs of a key and a value")
    return (args[0].dtype,), map_of(*element.children)


@list_function("map_from_entries", types=_entries_types)
def _from_entries(args: Sequence[Column], out: DType) -> Column:
    """ExecutionError for keys that are NULL or come twice."""
    owners, entries = elements(args[0])
    parts = [field(entries, 0), field(entries, 1)]
    require_keys(owners, parts[0])
    assert out.element is not None
    return of_lengths(lengths(args[0]), of_fields(parts, out.element, owners.device), out)


def _concat_types(args: tuple[Expr, ...]) -> Signature:
    common = common_type(*(arg.dtype for arg in args)) if args else None
    if common is None or common.kind not in (Kind.MAP, Kind.NULL):
        raise BindError("map_concat takes maps of one type")
    if len({arg.dtype for arg in args} - {NULL, _EMPTY}) > 1:
        raise BindError("map_concat takes maps of one type", hint="cast one of them")
    return (common,) * len(args), common


@list_function("map_concat", types=_concat_types, strict=False)
def _concat(args: Sequence[Column], out: DType) -> Column:
    """All entries of the maps of a row, of those with one key the last value; a NULL has none, and all of them NULL are NULL."""
    both = side_by_side(args, out)
    owners, entries = elements(both)
    keys, values = field(entries, 0), field(entries, 1)
    ids, firsts, groups = group_ids_multi([owners, *order_digits(keys)])
    last = torch.zeros(groups, dtype=torch.int64, device=ids.device)
    last.scatter_reduce_(0, ids, torch.arange(len(keys), device=ids.device), "amax")
    firsts, order = torch.sort(firsts)
    assert out.element is not None
    merged = of_fields([keys.take(firsts), values.take(last.index_select(0, order))], out.element, ids.device)
    made = of_lengths(count(owners.index_select(0, firsts).long(), len(both)), merged, out)
    if any(one.valid is None for one in args):
        return made
    return made.with_valid(torch.stack([one.valid for one in args if one.valid is not None]).any(0))
