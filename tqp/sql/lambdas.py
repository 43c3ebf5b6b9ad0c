"""Lambdas: `list_transform(l, lambda x: x + y)`, `[x + 1 for x in l if x > 0]`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from tqp.errors import UnsupportedError, counted
from tqp.functions.lists.applying import FILTER, REDUCE, TRANSFORM, told_types
from tqp.functions.promotion import common_type
from tqp.functions.structs import extract, pack
from tqp.ir.expr import AggregateCall, ColumnRef, Expr, LambdaCall, Literal
from tqp.ir.inputs import Input
from tqp.ir.visit import subplans, symbols
from tqp.sql.arrows import require_lambda
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder, named
from tqp.sql.operators import cast
from tqp.types import BIGINT, BOOLEAN, NULL, DType, list_of

__all__ = ["comprehension", "of_each"]


def _named(function: str, *names: str) -> Callable[[Callable[[ExprBinder, exp.Anonymous], Expr]], None]:
    """Register what calls of the function by these names mean."""

    def register(handler: Callable[[ExprBinder, exp.Anonymous], Expr]) -> None:
        for name in (function, *names):
            named(name)(handler)

    return register


@_named(TRANSFORM, "list_apply", "array_transform", "array_apply", "apply")
def _transform(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    (list_,), told = _parts(binder, node, 2, 2)
    return _call(binder, TRANSFORM, [list_], told, list_of)


@_named(FILTER, "array_filter", "filter")
def _filter(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    (list_,), told = _parts(binder, node, 2, 2)
    return _call(binder, FILTER, [list_], told, lambda _: list_.dtype, wanted=BOOLEAN)


@_named(REDUCE, "array_reduce", "reduce")
def _reduce(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    args, told = _parts(binder, node, 2, 3)
    element = told_types(REDUCE, tuple(args), 2)
    # From an initial value on it is of the type of that, whatever the elements are.
    starts = len(args) > 1 and args[1].dtype != NULL
    kind: DType | None = args[1].dtype if starts else element
    if kind is not None:
        # What the lambda gives is what it takes next.
        given = _call(binder, REDUCE, args, told, lambda given: given, first=(kind,))
        if _is_untyped(args[0]):
            return given
        kind = common_type(kind, given.dtype)
    if kind is None:
        raise binder.context.error(
            node, "the lambda gives another type than the elements have", hint="cast what it gives"
        )
    found = kind
    args = [args[0] if starts else cast(args[0], list_of(found)), *(cast(arg, found) for arg in args[1:])]
    return _call(binder, REDUCE, args, told, lambda _: found, first=(found,), wanted=found)


@named("invoke")
def _invoke(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """What a lambda gives of the other arguments: its body, in which the parameters mean these."""
    told, *given = node.expressions or [None]
    if not isinstance(told, exp.Lambda):
        raise binder.context.error(node, "invoke takes a lambda first", hint="invoke(lambda x: x + 1, 5)")
    require_lambda(binder.context, told, "lambda x: x + 1")
    names, args = [item.name.lower() for item in told.expressions], [binder.bind(part) for part in given]
    if len(names) != len(args):
        raise binder.context.error(node, f"the lambda takes {counted(len(names), 'argument')}, not {len(args)}")
    if any(True for arg in args for _ in subplans(arg)):
        raise UnsupportedError("a subquery as an argument of invoke is not supported")
    return replace(binder, lambdas={**binder.lambdas, **dict(zip(names, args, strict=True))}).bind(told.this)


def _parts(binder: ExprBinder, node: exp.Anonymous, least: int, most: int) -> tuple[list[Expr], exp.Lambda]:
    """The arguments beside the lambda, bound, and the lambda, which stands second."""
    given = node.expressions
    name = node.name.lower()
    if not least <= len(given) <= most or not isinstance(given[1], exp.Lambda):
        hint = f"{name}(l, lambda x: x + 1)"
        raise binder.context.error(node, f"{name} takes a list and a lambda", hint=hint)
    args = [binder.bind(part) for part in (given[0], *given[2:])]
    element = told_types(name, tuple(args), most - 1)
    return [cast(args[0], list_of(element)), *args[1:]], given[1]


def _call(
    binder: ExprBinder,
    function: str,
    args: Sequence[Expr],
    told: exp.Lambda,
    out: Callable[[DType], DType],
    *,
    first: tuple[DType, ...] = (),
    wanted: DType | None = None,
) -> Expr:
    """The call: a lambda of `first`, an element and its place, the values of which become `wanted`."""
    require_lambda(binder.context, told, "lambda x: x + 1")
    element = args[0].dtype.element
    assert element is not None
    names = [item.name for item in told.expressions]
    return _applied(binder, function, args, names, told.this, (*first, element, BIGINT), out, wanted)


def _applied(
    binder: ExprBinder,
    function: str,
    args: Sequence[Expr],
    names: Sequence[str],
    body: exp.Expr,
    kinds: Sequence[DType],
    out: Callable[[DType], DType],
    wanted: DType | None,
) -> Expr:
    least = len(kinds) - 1
    if not least <= len(names) <= len(kinds):
        raise binder.context.error(body, f"the lambda of {function} takes {least} or {len(kinds)} parameters")
    params = tuple([ColumnRef(binder.context.symbol(name), kind) for name, kind in zip(names, kinds, strict=False)])
    return _with_body(binder, function, args, params, dict(zip(names, params, strict=True)), body, out, wanted)


def _with_body(
    binder: ExprBinder,
    function: str,
    args: Sequence[Expr],
    params: tuple[ColumnRef, ...],
    names: Mapping[str, Expr],
    body: exp.Expr,
    out: Callable[[DType], DType],
    wanted: DType | None,
) -> Expr:
    """The call of a lambda of `params`, in whose body `names` mean them, or what is in them."""
    for kind, words in ((exp.Query, "a subquery"), (exp.Explode, "unnest")):
        found = body.find(kind)
        if found is not None:
            raise binder.context.error(found, f"{words} in a lambda is not allowed", hint="make it a column in FROM")
    known = {name.lower(): value for name, value in names.items()}
    value = replace(binder, lambdas={**binder.lambdas, **known}).bind(body)
    _require_apart(binder, body, params)
    if wanted is not None:
        value = cast(value, wanted)
    if _is_untyped(args[0]):
        # Whatever the lambda would make of an element, NULL has none.
        return Literal(None, NULL)
    captured = _Captured(binder.context, frozenset(ref.symbol for ref in params))
    inner = captured.without(value)
    refs, values = tuple(captured.found), tuple(captured.found.values())
    return LambdaCall(function, (*args, *values), out(value.dtype), params, refs, inner)


def _require_apart(binder: ExprBinder, body: exp.Expr, params: Collection[ColumnRef]) -> None:
    """BindError where an aggregate or window function of the SELECT reads parameters of a lambda."""
    calls = list(binder.aggregates.calls) if binder.aggregates is not None else []
    for order, windowed in binder.windows.specs.items() if binder.windows is not None else ():
        calls += [replace(one.call, args=(*one.call.args, *order[0]), order=order[1]) for one in windowed]
    read = {name for call in calls for expr in _of_call(call) for name in symbols(expr)}
    if any(param.symbol in read for param in params):
        raise binder.context.error(body, "an aggregate or window function in a lambda cannot read its parameters")


def _of_call(call: AggregateCall) -> Iterator[Expr]:
    yield from call.args
    yield from (key.expr for key in call.order)
    if call.filter is not None:
        yield call.filter


def _is_untyped(list_: Expr) -> bool:
    """Whether it is NULL without a type, or that as a list."""
    return isinstance(list_, Literal) and list_.is_null and list_.dtype in (NULL, list_of(NULL))


def of_each(context: Context, of: Expr, beside: Expr, value: Callable[[Expr, Expr], Expr]) -> Expr:
    """The list of what `value` gives for each element of a list and what the row has `beside` it."""
    assert of.dtype.element is not None
    item = ColumnRef(context.symbol("item"), of.dtype.element)
    captured = ColumnRef(context.symbol("captured"), beside.dtype)
    body = value(item, captured)
    return LambdaCall(TRANSFORM, (of, beside), list_of(body.dtype), (item,), (captured,), body)


class _Captured:
    """What the body of a lambda asks of the row: the parts that do not read its parameters, as columns of elements."""

    def __init__(self, context: Context, params: frozenset[str]) -> None:
        self._context = context
        self._params = params
        self.found: dict[ColumnRef, Expr] = {}
        self._refs: dict[Expr, ColumnRef] = {}

    def without(self, expr: Expr) -> Expr:
        """The expression over the parameters and columns for what is captured."""
        if not self._params.isdisjoint(symbols(expr)):
            return expr if isinstance(expr, ColumnRef) else expr.with_children(tuple(map(self.without, expr.children)))
        if isinstance(expr, Literal) and not isinstance(expr, Input):
            return expr
        ref = self._refs.get(expr)
        if ref is None:
            # Not after a constant, as the plan may serve another one.
            name = expr.symbol if isinstance(expr, ColumnRef) else "captured"
            ref = self._refs[expr] = ColumnRef(self._context.symbol(name), expr.dtype)
            self.found[ref] = expr
        return ref


def comprehension(binder: ExprBinder, node: exp.Comprehension) -> Expr:
    """`[body for x in list if condition]`: a transformation of a filtered list."""
    list_ = binder.bind(node.args["iterator"])
    element = told_types("a comprehension", (list_,), 1)
    list_ = cast(list_, list_of(element))
    names = [item.name for item in (node.expression, node.args.get("position")) if item is not None]
    kinds, condition = (element, BIGINT), node.args.get("condition")
    if condition is not None and len(names) == 2:
        return _of_numbered(binder, list_, names, condition, node.this)
    if condition is not None:
        dtype = list_.dtype
        list_ = _applied(binder, FILTER, [list_], names, condition, kinds, lambda _: dtype, BOOLEAN)
    return _applied(binder, TRANSFORM, [list_], names, node.this, kinds, list_of, None)


def _of_numbered(binder: ExprBinder, list_: Expr, names: Sequence[str], condition: exp.Expr, body: exp.Expr) -> Expr:
    """A comprehension of elements with their places, which are those in the whole list: pairs of both are filtered."""
    element = list_.dtype.element
    assert element is not None
    fresh = binder.context.symbol
    parts = (ColumnRef(fresh(names[0]), element), ColumnRef(fresh(names[1]), BIGINT))
    pair = pack(("element", "place"), parts)
    pairs = list_ if _is_untyped(list_) else LambdaCall(TRANSFORM, (list_,), list_of(pair.dtype), parts, (), pair)
    for function, told, wanted in ((FILTER, condition, BOOLEAN), (TRANSFORM, body, None)):
        item = ColumnRef(fresh("pair"), pair.dtype)
        meant = {name: extract(item, field) for name, field in zip(names, ("element", "place"), strict=True)}
        out = list_of if function == TRANSFORM else lambda _: list_of(pair.dtype)
        pairs = _with_body(binder, function, [pairs], (item,), meant, told, out, wanted)
    return pairs
