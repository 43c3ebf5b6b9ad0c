"""JSON read as a type that a structure says: `json_transform`, which `from_json` is too."""

from __future__ import annotations

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_reading import read
from tqp.functions.registry import Args, Signature, scalar
from tqp.ir.expr import Expr
from tqp.types import DType

__all__ = ["TRANSFORM"]

TRANSFORM = "json_transform"


def _types(args: tuple[Expr, ...]) -> Signature:
    raise BindError("the structure of JSON is a constant", hint="""'{"name": "VARCHAR", "marks": ["INTEGER"]}'""")


def _transforming(name: str, is_strict: bool) -> None:
    """Register what reads its one argument, JSON, as the type of the call, which its structure says."""

    @scalar(name, types=_types, on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        return read(args[0], out, cast, is_strict=is_strict, is_cast=False)


_transforming(TRANSFORM, False)
_transforming(f"{TRANSFORM}_strict", True)
