"""JSON in SQL: `json -> path`, `json ->> path`, functions of paths, and JSON's own subscripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from tqp.catalog.named_types import Types
from tqp.errors import BindError, UnsupportedError
from tqp.functions.json.finding import PATHED, is_wild
from tqp.functions.json.making import LABELLED
from tqp.functions.json.registering import text_types
from tqp.functions.json.transforming import TRANSFORM
from tqp.functions.json_text import Members, Value, parsed
from tqp.functions.nested import LIST
from tqp.ir.expr import Call, Cast, Elements, Expr, Literal
from tqp.sql.arrows import as_arrow
from tqp.sql.datatypes import dtype_of
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast
from tqp.types import JSON, NULL, VARCHAR, DType, Kind, list_of, struct

__all__: list[str] = []

# Operators that bind closer in DuckDB than `->`, so that it means something else there.
_CLOSER: Final = (exp.Binary, exp.Unary, exp.Predicate)


@handles(exp.JSONExtract, exp.JSONExtractScalar)
def _arrow(binder: ExprBinder, node: exp.JSONExtract | exp.JSONExtractScalar) -> Expr:
    is_text, around = isinstance(node, exp.JSONExtractScalar), node.parent
    # What the parser says of both arrows.
    node.args.get("only_json_types"), node.args.get("scalar_only")
    if (
        not is_text
        and isinstance(around, _CLOSER)
        and not isinstance(around, exp.Paren | exp.Not | exp.JSONExtract | exp.JSONExtractScalar)
    ):
        raise binder.context.error(
            node, "-> binds less than other operators", hint="put it in parentheses, (json -> path)"
        )
    args = [binder.bind(node.this), binder.bind(node.expression)]
    return _found("json_extract_string" if is_text else "json_extract", args)


@handles(exp.Lambda)
def _arrow_in_call(binder: ExprBinder, node: exp.Lambda) -> Expr:
    """`f(json -> path)`, which reads like a lambda, of a function that takes none."""
    arrow = as_arrow(node, binder.context.text)
    if arrow is None:
        raise UnsupportedError(f"a lambda is not supported in {binder.clause}")
    return binder.bind(arrow)


def _called(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    return _found(node.name.lower(), [binder.bind(part) for part in node.expressions])


for _name in PATHED:
    named(_name)(_called)


def _found(name: str, args: list[Expr]) -> Expr:
    path = args[1] if len(args) == 2 else None
    if path is None or path.dtype.kind not in (Kind.LIST, Kind.ARRAY):
        return call(name, *args)
    out = list_of(PATHED[name])
    if isinstance(path, Literal) and path.is_null:
        return Literal(None, out)
    paths = _written(path)
    if paths is None:
        raise BindError(f"the paths of {name} are a list of constants", hint="['$.a', '$.b']")
    for one in paths:
        if one.is_null or not one.dtype.is_text:
            raise BindError(f"a path of {name} is a text, not {'NULL' if one.is_null else one.dtype}")
        if is_wild(one):
            raise BindError("a list of paths has none with a wildcard", hint="write the one path")
    (document,) = text_types(name, tuple(args[:1]))
    return Call(name, (cast(args[0], document), *paths), out)


def _written(path: Expr) -> Sequence[Literal] | None:
    """The elements of a list that is written, of constants."""
    if isinstance(path, Literal) and isinstance(path.value, Elements) and not path.value.numbers:
        return ()
    if not isinstance(path, Call) or path.function != LIST:
        return None
    found = [one for one in path.args if isinstance(one, Literal)]
    return found if len(found) == len(path.args) else None


@named("json_array")
@named("json_object")
def _made(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if node.expressions:
        return call(node.name.lower(), *map(binder.bind, node.expressions))
    return call(LABELLED, Literal("[]" if node.name.lower() == "json_array" else "{}", VARCHAR))


@named("json_transform")
@named("json_transform_strict")
@named("from_json")
@named("from_json_strict")
def _transform(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    name = node.name.lower().replace("from_json", TRANSFORM)
    if len(node.expressions) != 2:
        raise binder.context.error(node, f"{name} takes JSON and its structure")
    document, structure = map(binder.bind, node.expressions)
    (wanted,) = text_types(name, (document,))
    while isinstance(structure, Cast) and structure.type == JSON:
        structure = structure.arg
    if not isinstance(structure, Literal) or not (structure.dtype.is_text or structure.is_null):
        return call(name, document, structure)
    if structure.is_null or (isinstance(document, Literal) and document.is_null):
        return Literal(None, NULL)
    return Call(name, (cast(document, wanted),), _type_of(parsed(str(structure.value)), binder.context.session.types))


def _type_of(structure: Value, named: Types) -> DType:
    """The type that a structure says: the name of one, a list of one of elements, an object of those of fields."""
    match structure:
        case str("NULL"):
            return NULL
        case str():
            try:
                return dtype_of(exp.DataType.build(structure, dialect="duckdb", udt=True), named)
            except (SqlglotError, ValueError):
                raise BindError(f"{structure!r} in a structure of JSON is no type", hint="such as INTEGER") from None
        case [element]:
            return list_of(_type_of(element, named))
        case Members(pairs) if pairs:
            if "" in dict(pairs):
                raise BindError("a field in a structure of JSON has no name")
            try:
                return struct([(field, _type_of(item, named)) for field, item in pairs])
            except ValueError as error:
                raise BindError(str(error)) from None
        case _:
            raise BindError("a structure of JSON names types", hint="""'{"name": "VARCHAR", "marks": ["INTEGER"]}'""")


@handles(exp.ParseJSON)
def _parse(binder: ExprBinder, node: exp.ParseJSON) -> Expr:
    value = binder.bind(node.this)
    return cast(value, JSON) if node.args.get("is_literal") else call("json", value)
