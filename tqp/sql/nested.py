"""Nested values: `[1, 2]`, `{'a': 1}`, `(1, 2)`, `MAP {…}`, `array_value(1, 2)`, and what is in them: `v[1]`, `s.f`, `len(v)`."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.nested import written
from tqp.functions.string import TEXT_PLACE, TEXT_SLICE
from tqp.functions.structs import EXTRACT, PACK, changed, extract, joined, pack
from tqp.functions.unify import is_null_literal
from tqp.functions.variants.extracting import VARIANT_EXTRACT
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.lambdas import comprehension
from tqp.sql.operators import call, cast, choose, unify
from tqp.sql.scope import Scope
from tqp.sql.unread import operands
from tqp.types import BIGINT, BLOB, BOOLEAN, JSON, NULL, VARCHAR, VARIANT, DType, Kind, list_of, struct

__all__ = ["bracketed", "contained", "subscript"]


@named("list_pack")
def bracketed(binder: ExprBinder, node: exp.Array | exp.Anonymous) -> Expr:
    """A list of values that are written, or a comprehension."""
    return _written(binder, node, is_list=True)


@named("array_value")
def _array(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if not node.expressions:
        raise binder.context.error(node, "array_value takes at least 1 argument")
    return _written(binder, node, is_list=False)


def _written(binder: ExprBinder, node: exp.Expr, *, is_list: bool) -> Expr:
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Comprehension):
        return comprehension(binder, node.expressions[0])
    items = [binder.bind(item) for item in node.expressions]
    common = unify(items, "a list")[0].dtype if items else NULL
    return written(items, common, is_list=is_list)


@handles(exp.Struct)
def _struct(binder: ExprBinder, node: exp.Struct) -> Expr:
    names, values = [], []
    for item in node.expressions:
        value = binder.bind(item.expression if isinstance(item, exp.PropertyEQ) else item)
        if isinstance(item, exp.PropertyEQ):
            names.append(item.this.name)
        elif isinstance(item, exp.Column) and isinstance(value, ColumnRef):
            names.append(_column_name(binder, item))
        else:
            raise binder.context.error(item, "a field of a struct has a name", hint="write name := value")
        values.append(value)
    return pack(names, values)


def _column_name(binder: ExprBinder, node: exp.Column) -> str:
    """What a column is called where it comes from, which gives a field of a struct its name."""
    scope: Scope | None = binder.scope
    while scope is not None:
        found = scope.find(node.name, node.table or None, node.db or None)
        if found:
            return found[0][1].name
        scope = scope.parent
    return node.name


@named("row")
@handles(exp.Tuple)
def _tuple(binder: ExprBinder, node: exp.Tuple | exp.Anonymous) -> Expr:
    return call(PACK, *map(binder.bind, node.expressions))


@handles(exp.ToMap)
def _map_literal(binder: ExprBinder, node: exp.ToMap) -> Expr:
    pairs = node.this.expressions
    if not all(isinstance(pair, exp.Binary) for pair in pairs):
        raise binder.context.error(node, "a map has pairs of a key and a value", hint="MAP {key: value}")
    return _map_of([binder.bind(pair.this) for pair in pairs], [binder.bind(pair.expression) for pair in pairs])


def _map_of(keys: list[Expr], values: list[Expr]) -> Expr:
    lists = []
    for items in (keys, values):
        common = unify(items, "a map")[0].dtype if items else NULL
        lists.append(written(items, common, is_list=True))
    return call("map", *lists)


@handles(exp.Map)
def _map(binder: ExprBinder, node: exp.Map) -> Expr:
    parts = (node.args.get("keys"), node.args.get("values"))
    return call("map", *[binder.bind(part) for part in parts if part is not None]) if any(parts) else _map_of([], [])


@handles(exp.MapKeys)
def _map_keys(binder: ExprBinder, node: exp.MapKeys) -> Expr:
    return call("map_keys", binder.bind(node.this))


@handles(exp.MapFromEntries)
def _map_from_entries(binder: ExprBinder, node: exp.MapFromEntries) -> Expr:
    return call("map_from_entries", binder.bind(node.this))


@named("map_contains")
@named("map_contains_value")
@named("map_contains_entry")
def _map_contains(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    name, args = node.name.lower(), [binder.bind(part) for part in node.expressions]
    if len(args) != (3 if name == "map_contains_entry" else 2) or args[0].dtype.kind not in (Kind.MAP, Kind.NULL):
        raise binder.context.error(node, f"{name} takes a map, and what it is looked through for")
    if args[0].dtype == NULL:
        return Literal(None, BOOLEAN)
    if name == "map_contains":
        return call("list_contains", call("map_keys", args[0]), args[1])
    if name == "map_contains_value":
        return call("list_contains", call("map_values", args[0]), args[1])
    return call("list_contains", call("map_entries", args[0]), pack(["key", "value"], args[1:]))


@named("struct_insert")
@named("struct_update")
def _struct_changed(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    of, *rest = node.expressions or [None]
    if not rest or not all(isinstance(item, exp.PropertyEQ) for item in rest):
        raise binder.context.error(
            node, f"{node.name} takes a struct and fields", hint=f"{node.name}(s, name := value)"
        )
    names, values = [item.this.name for item in rest], [binder.bind(item.expression) for item in rest]
    return changed(binder.bind(of), names, values, replaces=node.name.lower() == "struct_update")


@named("struct_concat")
def _struct_concat(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return joined([binder.bind(part) for part in node.expressions])


@handles(exp.Length)
def _length(binder: ExprBinder, node: exp.Length) -> Expr:
    value = binder.bind(node.this)
    return call("array_length" if value.dtype.is_nested else "length", value)


@handles(exp.ArraySize)
def _size(binder: ExprBinder, node: exp.ArraySize) -> Expr:
    dimension = node.args.get("expression")
    return call("array_length", binder.bind(node.this), *([] if dimension is None else [binder.bind(dimension)]))


@handles(exp.StructExtract)
def _struct_extract(binder: ExprBinder, node: exp.StructExtract) -> Expr:
    value, place = binder.bind(node.this), binder.bind(node.expression)
    if value.dtype.is_union:
        hint = "union_extract(value, name), or a point and the name"
        raise binder.context.error(node, "struct_extract takes a struct", hint=hint)
    return _field(value, place)


@handles(exp.Dot)
def _dot(binder: ExprBinder, node: exp.Dot) -> Expr:
    value = binder.bind(node.this)
    if not isinstance(node.expression, exp.Identifier):
        raise UnsupportedError("a function behind a point is not supported", hint="write function(value)")
    return extract(value, node.expression.name)


def subscript(binder: ExprBinder, node: exp.Bracket) -> Expr:
    """The meaning of `v[i]`: an element of a list or an array, the value of a map's key, a field of a struct."""
    if len(node.expressions) != 1:
        raise binder.context.error(node, "a subscript is one number, or a slice [from:to]")
    if isinstance(node.expressions[0], exp.Slice):
        return _slice(binder, node.this, node.expressions[0])
    value, place = binder.bind(node.this), binder.bind(node.expressions[0])
    if value.dtype == JSON:
        return _field(value, place) if place.dtype.is_text else call("json_extract", value, place)
    if value.dtype == VARIANT:
        return call(VARIANT_EXTRACT, value, place)
    if value.dtype.is_text:
        return call(TEXT_PLACE, value, place)
    if value.dtype.is_struct or value.dtype == NULL and place.dtype.is_text:
        return _field(value, place)
    if value.dtype.kind is Kind.MAP:
        return call("map_extract_value", value, place)
    if not value.dtype.is_nested and value.dtype != NULL:
        hint = "lists, arrays, maps, structs and PREDICT_PROBA take one"
        raise UnsupportedError(f"a subscript of {value.dtype} is not supported", hint=hint)
    return call("array_extract", value, place)


def _slice(binder: ExprBinder, of: exp.Expr, node: exp.Slice) -> Expr:
    value = binder.bind(of)
    if not value.dtype.is_nested and not value.dtype.is_text and value.dtype != NULL:
        raise binder.context.error(node, f"a slice of {value.dtype} is not possible", hint="lists have slices")
    ends = [
        binder.bind(part) if part is not None else Literal(one, BIGINT)
        for part, one in ((node.this, 1), (node.expression, -1))
    ]
    step = node.args.get("step")
    if value.dtype == NULL:
        if step is not None:
            binder.bind(step)
        return value
    if value.dtype.is_text and step is not None:
        raise binder.context.error(node, "a slice of a text has no steps")
    if step is None:
        return call(TEXT_SLICE if value.dtype.is_text else "list_slice", value, *ends)
    # Backwards from the end to the beginning, where these are not said.
    bound = cast(binder.bind(step), BIGINT)
    first, last = Literal(1, BIGINT), Literal(-1, BIGINT)
    backwards = call("lt", bound, Literal(0, BIGINT))
    for place, (part, one, other) in enumerate(((node.this, first, last), (node.expression, last, first))):
        if part is None:
            ends[place] = choose([backwards], [other], one)
    return call("list_slice", value, *ends, bound)


@named("list_slice")
@named("array_slice")
def _called_slice(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    args = [binder.bind(part) for part in node.expressions]
    return call(TEXT_SLICE if args and args[0].dtype.is_text else "list_slice", *args)


@handles(exp.GenerateSeries)
def _series(binder: ExprBinder, node: exp.GenerateSeries) -> Expr:
    parts = (node.args.get("start"), node.args["end"], node.args.get("step"))
    name = "range" if node.args.get("is_end_exclusive") else "generate_series"
    return call(name, *[binder.bind(part) for part in parts if part is not None])


@handles(exp.Repeat)
def _repeat(binder: ExprBinder, node: exp.Repeat) -> Expr:
    value, times = binder.bind(node.this), binder.bind(node.args["times"])
    if value.dtype == NULL:
        value = cast(value, BLOB)  # DuckDB's choice among what it repeats
    return call("list_repeat" if value.dtype.is_nested else "repeat", value, times)


@handles(exp.Concat)
def _concat(binder: ExprBinder, node: exp.Concat) -> Expr:
    values = [binder.bind(part) for part in operands(node)]
    has_lists = any(value.dtype.kind in (Kind.LIST, Kind.ARRAY) for value in values)
    return call("list_concat" if has_lists else "concat", *values)


@handles(exp.ConcatWs)
def _concat_with_separator(binder: ExprBinder, node: exp.ConcatWs) -> Expr:
    values = [binder.bind(part) for part in operands(node)]
    separator, *parts = values or [Literal(None, NULL)]
    # As in DuckDB arrays are text, of whatever they are.
    lists = [part for part in parts if _is_list(part.dtype)]
    if not lists:
        return call("concatws", *values)
    if any(part.dtype.element is not None and _is_list(part.dtype.element) for part in lists):
        raise binder.context.error(node, "concat_ws takes no lists of lists", hint="flatten(list)")
    if is_null_literal(separator):
        return Literal(None, VARCHAR)
    # Their elements stand beside the other values.
    texts = [
        cast(part, list_of(VARCHAR)) if part in lists else call("list_value", cast(part, VARCHAR)) for part in parts
    ]
    return call("list_as_text", call("list_concat", *texts), separator)


def _is_list(dtype: DType) -> bool:
    return dtype.kind is Kind.LIST and not dtype.size


@handles(exp.Contains)
def _contains(binder: ExprBinder, node: exp.Contains) -> Expr:
    return contained(binder.bind(node.this), binder.bind(node.expression))


def contained(value: Expr, part: Expr) -> Expr:
    """Whether a list has an element, a map a key, a text a part."""
    if value.dtype == NULL:
        return Literal(None, BOOLEAN)
    if value.dtype.kind is Kind.MAP:
        value = call("map_keys", value)
    if value.dtype.is_struct:
        return call("struct_contains", value, part)
    return call("list_contains" if value.dtype.is_nested else "contains", value, part)


@handles(exp.Flatten)
def _flatten(binder: ExprBinder, node: exp.Flatten) -> Expr:
    return call("flatten", binder.bind(node.this))


@named("generate_subscripts")
def _subscripts(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """A row for each place in a list."""
    if len(node.expressions) != 2:
        raise binder.context.error(node, "generate_subscripts takes a list and its dimension, which is 1")
    of, dimension = node.expressions
    last = exp.ArraySize(this=of.copy(), expression=dimension.copy())
    return binder.bind(exp.Explode(this=exp.GenerateSeries(start=exp.Literal.number(1), end=last)))


@named("array_to_string_comma_default")
def _spelled(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """As array_to_string, with a comma where no separator is given."""
    if not node.expressions:
        raise binder.context.error(node, f"{node.name.lower()} takes a list")
    of, *separator = [binder.bind(part) for part in node.expressions]
    return call("array_to_string", of, *(separator or [Literal(",", VARCHAR)]))


@handles(exp.DateFromParts)
def _date(binder: ExprBinder, node: exp.DateFromParts) -> Expr:
    given = (node.args.get(part) for part in ("year", "month", "day"))
    parts = [binder.bind(part) for part in given if part is not None]
    if len(parts) == 1 and parts[0].dtype.is_struct:
        of = cast(parts[0], struct([("year", BIGINT), ("month", BIGINT), ("day", BIGINT)]))
        parts = [extract(of, name) for name in ("year", "month", "day")]
    return call("datefromparts", *parts)


_ELEMENT_AGGREGATES = (
    "any_value avg bit_and bit_or bit_xor bool_and bool_or count entropy first kurtosis kurtosis_pop last mad max median min "
    "histogram mode product sem skewness stddev_pop stddev_samp string_agg sum var_pop var_samp approx_count_distinct"
)  # fmt: skip


def _over_elements(name: str) -> None:
    @named(f"list_{name}")
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        if len(node.expressions) != 1:
            raise binder.context.error(node, f"list_{name} takes a list")
        return call("list_aggregate", binder.bind(node.expressions[0]), Literal(name, VARCHAR))


for _aggregate in _ELEMENT_AGGREGATES.split():
    _over_elements(_aggregate)


@handles(exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps)
def _set_operator(binder: ExprBinder, node: exp.Binary) -> Expr:
    left, right = binder.bind(node.this), binder.bind(node.expression)
    if isinstance(node, exp.ArrayContainedBy):
        left, right = right, left
    return call("list_has_any" if isinstance(node, exp.ArrayOverlaps) else "list_has_all", left, right)


@named("array_extract")
def _array_extract(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """As a subscript, of structs and rows by the name or the number of a field, too."""
    args = [binder.bind(arg) for arg in node.expressions]
    if len(args) == 2 and args[0].dtype.is_struct:
        return _field(*args)
    return call("array_extract", *args)


def _field(value: Expr, place: Expr) -> Expr:
    if isinstance(place, Literal) and isinstance(place.value, str):
        return extract(value, place.value)
    if value.dtype == NULL or is_null_literal(place) and not (place.dtype.is_integer and _is_named(value.dtype)):
        return Literal(None, NULL)
    if _is_named(value.dtype):
        raise BindError(
            "a field of a struct is called by its name", hint="only those of rows have numbers: row(1, 2)[1]"
        )
    return call(EXTRACT, value, place)


def _is_named(dtype: DType) -> bool:
    """Whether the fields of a struct have names; those of a row have none."""
    return dtype.is_struct and any(field.name for field in dtype.fields)
