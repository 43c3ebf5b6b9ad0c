"""Lists as text."""

from __future__ import annotations

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.joined_text import coded, joined, strings
from tqp.functions.lists.rows import Elements, chosen, element_of, list_function
from tqp.functions.registry import Args, Signature
from tqp.ir.expr import Expr
from tqp.ir.visit import symbols
from tqp.kernels.rows import select
from tqp.types import VARCHAR, DType, list_of

__all__: list[str] = []


def _texts(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"array_to_string takes 2 arguments, not {len(args)}")
    element_of(args[0], "array_to_string")
    return (list_of(VARCHAR), VARCHAR), VARCHAR


def _types(args: tuple[Expr, ...]) -> Signature:
    found = _texts(args)
    if symbols(args[1]):
        raise BindError("the separator of array_to_string must be constant")
    return found


@list_function("array_to_string", types=_types, strict=False)
def _array_to_string(args: Args, out: DType) -> Column:
    """The texts of the elements, NULLs left out, with the separator, which is a comma if NULL, between them.

    NULL for a NULL list, and for one of NULLs alone.
    """
    of, valid = Elements(args[0]), args[0].valid
    if of.values.valid is not None:
        kept = chosen(of, select(of.values.valid), args[0].dtype)
        known = (of.counts == 0) | (Elements(kept).counts > 0)
        of, valid = Elements(kept), known if valid is None else known & valid
    texts = joined(of.counts, strings(of.values).fill_null(""), strings(args[1]).fill_null(","))
    return coded(texts, valid, args[0].device)


@list_function("list_as_text", types=_texts, strict=False)
def _list_as_text(args: Args, out: DType) -> Column:
    """The same of any separator, as concat_ws has it: NULL where that is, and no text for a NULL list, or one of NULLs alone."""
    return _array_to_string(args, out).with_valid(args[1].valid)
