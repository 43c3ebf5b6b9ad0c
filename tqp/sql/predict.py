"""PREDICT and PREDICT_PROBA: which model, which of its inputs is which expression, and what comes out.

`PREDICT(model, a, b)` binds by place, `PREDICT(model, x := a)` by name, and `PREDICT(model)`, `PREDICT(model, *)` and
`PREDICT(model, t.*)` take the columns called as the model's inputs. Inputs that cannot change the answer are checked
and then left out, so that nothing reads them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.bind import coerce
from tqp.functions.nested import written
from tqp.ir.expr import Case, Cast, Expr, Literal, Predict
from tqp.ir.plan import Field
from tqp.models.model import Input, Model
from tqp.sql.context import Context, listed, near
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.nested import subscript
from tqp.sql.operators import call
from tqp.sql.scope import Cte, Scope
from tqp.types import BIGINT, BOOLEAN, DOUBLE, NULL, TINYINT, VARCHAR, DType, Kind, array

__all__ = ["is_prediction", "label_type", "prediction_source", "predictions_of"]

_SHOWN = 12
_COLUMNS = 32
"""ML.PREDICT gives more values than this as one array."""


@named("predict")
def _predict(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    model = _model(binder.context, node, "PREDICT")
    args, places = _arguments(binder, node, model)
    return _valued(model, args, places)


@named("predict_proba")
def _probabilities(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    model = _model(binder.context, node, "PREDICT_PROBA")
    _require_probabilities(binder, node, model)
    assert model.classes is not None
    args, places = _arguments(binder, node, model)
    return Predict(model, args, places, "probabilities", array(DOUBLE, len(model.classes)))


@handles(exp.Bracket)
def _subscript(binder: ExprBinder, node: exp.Bracket) -> Expr:
    call = node.this
    name = call.name.lower() if isinstance(call, exp.Anonymous) else ""
    if name not in ("predict", "predict_proba") or len(node.expressions) != 1 or not _is_fixed(node.expressions[0]):
        return subscript(binder, node)
    with binder.context.at(call):
        model = _model(binder.context, call, name.upper())
        if name == "predict_proba":
            _require_probabilities(binder, call, model)
            classes = model.classes
        elif model.classes is not None or model.outputs == 1:
            raise binder.context.error(call, f"PREDICT of {model.name} gives one value, which has no subscript")
        else:
            classes = tuple(range(1, model.outputs + 1))
        args, places = _arguments(binder, call, model)
    assert classes is not None
    index = _class_index(binder, node.expressions[0], model, classes)
    return (
        Predict(model, args, places, index, DOUBLE) if name == "predict_proba" else _valued(model, args, places, index)
    )


def _is_fixed(node: exp.Expr) -> bool:
    """Whether a subscript is a constant or a parameter: then one value alone is predicted."""
    if isinstance(node, exp.Neg | exp.Paren):
        return _is_fixed(node.this)
    return isinstance(node, exp.Literal | exp.Parameter | exp.Placeholder)


def _require_probabilities(binder: ExprBinder, node: exp.Expr, model: Model) -> None:
    if not model.has_probabilities:
        hint = "PREDICT gives its answer" if model.classes is None else "PREDICT gives its label"
        if model.classes is None and model.outputs > 1:
            hint = 'PREDICT gives its answers; those of register_model(…, method="predict_proba") are all probabilities'
        raise binder.context.error(node, f"model {model.name} gives no probabilities", hint=hint)


def _class_index(binder: ExprBinder, node: exp.Expr, model: Model, classes: tuple[object, ...]) -> int:
    chosen = binder.bind(node)
    known = f"{model.name} has {_listed(classes)}"
    if isinstance(chosen, Literal) and isinstance(chosen.value, str):
        labels = [str(label) for label in classes]
        if chosen.value not in labels:
            raise binder.context.error(node, f"no class {chosen.value!r}", hint=near(chosen.value, labels) or known)
        return labels.index(chosen.value)
    if not isinstance(chosen, Literal) or not chosen.type.is_integer or not isinstance(chosen.value, int):
        raise binder.context.error(node, "the subscript is not a constant", hint=f"a place from 1 or a label; {known}")
    if -len(classes) <= chosen.value <= -1:
        return chosen.value + len(classes)
    if not 1 <= chosen.value <= len(classes):
        count = len(classes)
        raise binder.context.error(node, f"places of {model.name}'s values are 1 to {count}", hint=known)
    return chosen.value - 1


def _listed(items: tuple[object, ...]) -> str:
    shown = ", ".join(repr(item) for item in items[:_SHOWN])
    return shown if len(items) <= _SHOWN else f"{shown}, … ({len(items)})"


def _valued(model: Model, args: tuple[Expr, ...], places: tuple[int, ...], output: int | str = "value") -> Expr:
    """PREDICT, or one of several values. Several truths a row are one tensor of numbers first, several texts a column each."""
    dtype = label_type(model)
    if model.labels is not None and output == "value":
        each = [_valued(model, args, places, place) for place in range(model.outputs)]
        # All are NULL where one is.
        return Case((call("is_null", each[0]),), (Literal(None, dtype),), written(each, VARCHAR, is_list=False))
    dtype = dtype if output == "value" else model.dtype
    if model.classes is None and model.outputs > 1 and model.dtype == BOOLEAN:
        stored = array(TINYINT, model.outputs) if output == "value" else TINYINT
        return Cast(Predict(model, args, places, output, stored), dtype)
    return Predict(model, args, places, output, dtype)


def label_type(model: Model) -> DType:
    """The SQL type of `PREDICT` of a model."""
    if model.classes is None:
        return model.dtype if model.outputs == 1 else array(model.dtype, model.outputs)
    first = model.classes[0]
    match first:
        case str():
            return VARCHAR
        case bool():
            return BOOLEAN
        case int():
            return BIGINT
        case _:
            return DOUBLE


def _model(context: Context, node: exp.Anonymous, function: str) -> Model:
    """The model that the first argument names."""
    if not node.expressions:
        raise context.error(node, f"{function} needs a model", hint=f"{function}(model, argument, …)")
    return find_model(context, node.expressions[0])


def find_model(context: Context, node: exp.Expr) -> Model:
    """The model called by an identifier or a text constant; BindError where there is none."""
    if isinstance(node, exp.Table) or isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        name = ".".join(part.name for part in node.parts)
    elif isinstance(node, exp.Literal) and node.is_string:
        name = str(node.this)
    else:
        raise context.error(node, "the first argument of PREDICT is not the name of a model")
    with context.at(node):
        model = context.models.find(name)
    if model is None:
        known = sorted(context.models.known())
        hint = near(name, known) or (
            f"models: {', '.join(known[:_SHOWN])}" if known else "register it with connection.register_model"
        )
        raise context.error(node, f"no model {name}", hint=hint)
    return model


def _arguments(binder: ExprBinder, node: exp.Anonymous, model: Model) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """The arguments that can change the prediction and their places among the model's inputs."""
    written = node.expressions[1:]
    if not written or any(_is_star(item) for item in written):
        if len(written) > 1:
            raise binder.context.error(node, "* stands for all inputs of the model, nothing may stand beside it")
        table = written[0].table if written and isinstance(written[0], exp.Column) else ""
        if written and any(getattr(written[0], "args", {}).get(part) for part in ("except_", "replace", "rename")):
            raise UnsupportedError("PREDICT takes a plain *", hint="its columns are found by the model's input names")
        exprs = _by_column_name(binder, node, model, table)
    elif any(isinstance(item, exp.PropertyEQ | exp.Kwarg) for item in written):
        exprs = _by_keyword(binder, node, model, written)
    else:
        exprs = _by_place(binder, node, model, written)
    if len(exprs) == 0 or _width(exprs, model) != len(exprs):
        # Arrays stand for several inputs each.
        return tuple(expr for expr, _ in exprs), tuple(range(len(model.inputs)))
    used = model.used_inputs()
    # What the model does not read, as columns that its encoder drops, may be of any type.
    checked = [
        _fitting(binder.context, expr, source, input_, model) if place in used else expr
        for place, ((expr, source), input_) in enumerate(zip(exprs, model.inputs, strict=True))
    ]
    return tuple(checked), tuple(range(len(checked)))


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


Argument = tuple[Expr, exp.Expr]


def _width(exprs: list[Argument], model: Model) -> int:
    """How many inputs the arguments stand for: an array for as many as it has elements, unless the model takes arrays."""
    if any(input_.type is not None or input_.is_text for input_ in model.inputs):
        return len(exprs)
    return sum(expr.dtype.size if expr.dtype.is_array else 1 for expr, _ in exprs)


def _by_place(binder: ExprBinder, node: exp.Expr, model: Model, written: list[exp.Expr]) -> list[Argument]:
    bound = [(binder.bind(item), item) for item in written]
    if _width(bound, model) != len(model.inputs):
        if len(written) == len(model.inputs):
            vector = next(expr for expr, _ in bound if expr.dtype.is_array)
            raise binder.context.error(
                node,
                f"model {model.name} takes {len(model.inputs)} numbers, not an array of {vector.dtype.size}",
                hint=f"register a torch model with inputs={{'{model.inputs[0].name}': '{vector.dtype}'}}",
            )
        names = ", ".join(input_.name for input_ in model.inputs[:_SHOWN])
        more = ", …" if len(model.inputs) > _SHOWN else ""
        raise binder.context.error(
            node,
            f"model {model.name} takes {len(model.inputs)} arguments, not {len(written)}",
            hint=f"its inputs are {names}{more}; PREDICT({model.name}, *) binds columns by these names",
        )
    return bound


def _by_keyword(binder: ExprBinder, node: exp.Expr, model: Model, written: list[exp.Expr]) -> list[Argument]:
    names = {input_.name.lower(): input_ for input_ in model.inputs}
    given: dict[str, Argument] = {}
    for item in written:
        if not isinstance(item, exp.PropertyEQ | exp.Kwarg):
            raise binder.context.error(item, "named arguments cannot be mixed with others", hint="name all: x := a")
        key = item.this.name.lower()
        if key not in names:
            inputs = [input_.name for input_ in model.inputs]
            hint = near(key, inputs) or f"its inputs are {listed(inputs)}"
            raise binder.context.error(item, f"model {model.name} has no input {item.this.name}", hint=hint)
        if key in given:
            raise binder.context.error(item, f"input {item.this.name} is given twice")
        given[key] = binder.bind(item.expression), item
    missing = [input_.name for key, input_ in names.items() if key not in given]
    if missing:
        raise binder.context.error(node, f"model {model.name} needs {', '.join(missing)} too")
    return [given[key] for key in names]


def _by_column_name(binder: ExprBinder, node: exp.Expr, model: Model, table: str) -> list[Argument]:
    found: list[Argument] = []
    missing: list[str] = []
    for input_ in model.inputs:
        if not binder.scope.find(input_.name, table or None):
            missing.append(input_.name)
            continue
        column = exp.column(input_.name, table=table or None, quoted=True)
        column.parent = node
        found.append((binder.bind(column), node))
    if missing:
        where = f"in {table}" if table else "here"
        raise binder.context.error(
            node,
            f"model {model.name} reads {', '.join(missing)}, and there is no such column {where}",
            hint=near(missing[0], binder.scope.names()) or f"name it: PREDICT({model.name}, {missing[0]} := …)",
        )
    return found


def _fitting(context: Context, expr: Expr, node: exp.Expr, input_: Input, model: Model) -> Expr:
    """The argument as an input takes it; BindError for a type that it does not."""
    dtype = expr.dtype
    if input_.array is not None:
        if not dtype.is_nested and dtype != NULL:
            hint = f"it takes a column of {input_.array}"
            raise _misfit(context, node, f"input {input_.name} of {model.name} is an array, not {dtype}", hint)
        if (input_.array.element or DOUBLE).is_integer and _holds_fractions(dtype):
            wanted = input_.array
            raise _misfit(
                context, node, f"input {input_.name} of {model.name} is {wanted}, not {dtype}", f"CAST(… AS {wanted})"
            )
        with context.at(node):
            return coerce(expr, input_.array)
    if dtype == NULL:
        return coerce(expr, VARCHAR if input_.is_text else input_.number or DOUBLE)
    if input_.is_text:
        if dtype.is_text or dtype.kind is Kind.ENUM:
            return coerce(expr, VARCHAR)
        hint = "cast it AS VARCHAR, written as the model knows it"
        raise _misfit(context, node, f"input {input_.name} of {model.name} is text, not {dtype}", hint)
    if dtype.is_numeric or dtype.kind is Kind.BOOLEAN:
        return _number(context, expr, node, input_, model)
    hint = "compute a number of it: extract(…), date_diff(…)"
    if dtype.is_text:
        hint = "cast it to the number that the model was trained on"
    raise _misfit(context, node, f"input {input_.name} of {model.name} is a number, not {dtype}", hint)


def _number(context: Context, expr: Expr, node: exp.Expr, input_: Input, model: Model) -> Expr:
    """A number, or a truth, in the type that the input is declared to have: only floats may be rounded, and only to FLOAT."""
    wanted, given = input_.number, expr.dtype
    if wanted is None or wanted == given:
        return expr
    fits = wanted.is_float or wanted.is_integer and (given.is_integer or given.kind is Kind.BOOLEAN)
    if not fits:
        raise _misfit(
            context, node, f"input {input_.name} of {model.name} is {wanted}, not {given}", f"CAST(… AS {wanted})"
        )
    return coerce(expr, wanted)


def _holds_fractions(dtype: DType) -> bool:
    """Whether the elements of an array or list may lose something as integers."""
    element = dtype.element
    return element is not None and not (element.is_integer or element.kind is Kind.BOOLEAN or element == NULL)


def _misfit(context: Context, node: exp.Expr, message: str, hint: str) -> BindError:
    return context.error(node, message, hint=hint)


def is_prediction(node: exp.Table) -> bool:
    """Whether an item of FROM is ML.PREDICT(model, table)."""
    call = node.this
    if not (isinstance(call, exp.Predict) or isinstance(call, exp.Anonymous) and call.name.lower() == "predict"):
        return False
    return node.db.lower() in ("", "ml")


def prediction_source(context: Context, node: exp.Table) -> tuple[Model, exp.Expr]:
    """The model and the table or query of `ML.PREDICT(MODEL m, TABLE t)` or `PREDICT(MODEL = m, DATA = t AS d)`."""
    call = node.this
    # BigQuery's own node, else a plain call.
    parts = [call.this, call.expression] if isinstance(call, exp.Predict) else list(call.expressions)
    if len(parts) != 2:
        raise context.error(node, "ML.PREDICT takes a model and a table", hint="ML.PREDICT(MODEL m, TABLE t)")
    model, source = (_after_equals(part, word) for part, word in zip(parts, ("model", "data"), strict=True))
    alias = None
    if isinstance(source, exp.Alias):
        alias, source = source.args["alias"], source.this
    source = _after_equals(source, "data")
    if isinstance(source, exp.Table):
        return find_model(context, model), source
    if isinstance(source, exp.Column):
        table = exp.Table(this=source.this, db=source.args.get("table"))
        if alias is not None:
            table.set("alias", exp.TableAlias(this=alias))
        table.parent = node
        return find_model(context, model), table
    if isinstance(source, exp.Subquery):
        return find_model(context, model), source
    if isinstance(source, exp.Query):
        return find_model(context, model), exp.Subquery(this=source)
    raise context.error(node, "ML.PREDICT takes a model and a table", hint="ML.PREDICT(MODEL m, (SELECT …))")


def _after_equals(node: exp.Expr, word: str) -> exp.Expr:
    if isinstance(node, exp.EQ) and node.this.name.lower() == word:
        right: exp.Expr = node.expression
        return right
    return node


def predictions_of(
    context: Context, node: exp.Table, model: Model, scope: Scope, ctes: Mapping[str, Cte]
) -> list[tuple[Field, Expr]]:
    """The columns that ML.PREDICT adds: `predicted_label`, and `prob_<class>` for a model that gives probabilities."""
    binder = ExprBinder(context, scope, ctes, "ML.PREDICT")
    call = exp.Anonymous(this="PREDICT", expressions=[exp.Literal.string(model.name)])
    call.parent = node
    with context.at(node):
        args, places = _arguments(binder, call, model)
    found: list[tuple[str, Expr]] = []
    if model.classes is None and 1 < model.outputs <= _COLUMNS:
        outputs = range(model.outputs)
        found += [(f"predicted_{place + 1}", _valued(model, args, places, place)) for place in outputs]
    else:
        found.append(("predicted_label", _valued(model, args, places)))
    if model.has_probabilities:
        assert model.classes is not None
        found += [
            (f"prob_{label}", Predict(model, args, places, place, DOUBLE)) for place, label in enumerate(model.classes)
        ]
    return [(context.field(name, expr.dtype), expr) for name, expr in found]
