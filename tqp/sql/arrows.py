"""Arrows in arguments of functions: `f(json -> path)`, which the parser reads like a lambda, and lambdas, `f(x -> x + 1)`."""

from __future__ import annotations

from sqlglot import exp

from tqp.keywords import begins_name
from tqp.sql.context import Context
from tqp.sql.spans import span_of

__all__ = ["as_arrow", "has_arrow", "require_lambda"]


def has_arrow(node: exp.Lambda, text: str) -> bool:
    """Whether a lambda is written with an arrow in a query's text; not one of a definition, whose words have no places."""
    place = span_of(node.expressions[0]) if node.expressions else None
    return place is not None and not text[: place[0]].rstrip().lower().endswith("lambda")


def as_arrow(node: exp.Lambda, text: str) -> exp.Expr | None:
    """What a lambda is that is written with an arrow in a query's text; None of one that says `lambda`."""
    if len(node.expressions) != 1:
        return None
    name = node.expressions[0]
    place = span_of(name)
    if place is not None and not has_arrow(node, text):
        return None
    is_text = place is not None and text[place[0]] == "'"
    of = exp.Literal.string(name.name) if is_text else exp.Column(this=name.copy())
    path: exp.Expr = node.this.copy()
    first: exp.Expr = path
    while isinstance(first, exp.JSONExtract | exp.JSONExtractScalar):
        first = first.this
    inner = exp.JSONExtract(this=of, expression=first.copy())
    if first is path:
        return inner
    first.replace(exp.Paren(this=inner))
    return path


def require_lambda(context: Context, node: exp.Lambda, example: str) -> None:
    """BindError for a lambda that is written with an arrow, unless a setting allows that and its parameters are names."""
    if not has_arrow(node, context.text):
        return
    if not context.session.semantics.has_arrow_lambdas:
        hint = f"write it as in {example}, or SET lambda_syntax = 'ENABLE_SINGLE_ARROW'"
        raise context.error(node, "a lambda is not written with ->", hint=hint)
    # `x -> x -> 'a'` is `(x -> x) -> 'a'`.
    names = [context.text[place[0]] for item in node.expressions if (place := span_of(item)) is not None]
    if isinstance(node.this, exp.JSONExtract | exp.JSONExtractScalar) or not all(
        name == '"' or begins_name(name) for name in names
    ):
        raise context.error(node, "the parameters of a lambda are names", hint="x -> …, or (x, y) -> …")
