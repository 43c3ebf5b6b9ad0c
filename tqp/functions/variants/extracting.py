"""Parts of variants: `v.name`, `v['name']`, `v[1]`, `variant_extract`."""

from __future__ import annotations

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.per_text import per_text
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.unify import is_text_literal
from tqp.functions.variant_documents import parsed, written_or_null
from tqp.ir.expr import Expr, Literal
from tqp.types import BIGINT, NULL, VARCHAR, VARIANT, DType

__all__ = ["VARIANT_EXTRACT"]

VARIANT_EXTRACT = "variant_extract"
"""The function that takes a member by its name, or an element by its place."""
_LAST_PLACE = 2**32 - 1


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2 or args[0].dtype not in (VARIANT, NULL) and not is_text_literal(args[0]):
        raise BindError(f"{VARIANT_EXTRACT} takes a VARIANT, and the name of a member or the place of an element")
    place = args[1]
    if not isinstance(place, Literal) or not (place.dtype in (VARCHAR, NULL) or place.dtype.is_integer):
        hint = "v['name'] or v[1]; of a column cast the VARIANT first: (v::VARIANT[])[i]"
        raise BindError(f"what {VARIANT_EXTRACT} takes from a VARIANT is a constant", hint=hint)
    if place.dtype in (VARCHAR, NULL):
        return (VARIANT, VARCHAR), VARIANT
    if not place.is_null and not 1 <= _number(place) <= _LAST_PLACE:
        raise BindError(f"a VARIANT has no element {_number(place)}", hint="the first has place 1")
    return (VARIANT, BIGINT), VARIANT


def _number(place: Literal) -> int:
    assert isinstance(place.value, int)
    return place.value


@scalar(VARIANT_EXTRACT, types=_types, on_distinct=True, on_host=True)
def _extract(args: Args, out: DType) -> Column:
    """NULL where the value has no such part, or is of another kind."""
    return per_text(_named if args[1].dtype == VARCHAR else _placed, args, out)


def _named(text: str, name: str) -> str | None:
    document = parsed(text)
    return written_or_null(document.get(name)) if isinstance(document, dict) else None


def _placed(text: str, place: int) -> str | None:
    document = parsed(text)
    return written_or_null(document[place - 1]) if isinstance(document, list) and place <= len(document) else None
