"""Evaluate a scalar expression on small columns with tqp's kernels and with DuckDB."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

import duckdb
import pyarrow as pa
import torch

import tqp.functions  # noqa: F401
from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Encoding, narrowest
from tqp.functions.bind import bind
from tqp.functions.casts.cast import cast
from tqp.functions.registry import find
from tqp.ir.expr import Call, Cast, ColumnRef, Expr, Literal
from tqp.kernels import wide
from tqp.types import DType, Kind

CPU = torch.device("cpu")
_connection = duckdb.connect(config={"threads": 1})


def column(values: list[Any], dtype: DType, *, bounds: bool = True, width: torch.dtype | None = None) -> Column:
    """Stored values (None is NULL; DECIMAL scaled) as a column; NULL rows hold garbage of the width."""
    valid = (
        None
        if all(value is not None for value in values)
        else torch.tensor([v is not None for v in values], device=CPU)
    )
    known = [value for value in values if value is not None]
    if dtype.is_text:
        strings = sorted(set(known) | {""}, key=lambda text: text.encode())
        codes = torch.tensor([strings.index(v or "") for v in values], dtype=torch.int32, device=CPU)
        return Column(
            codes, dtype, valid, Dictionary(pa.array(strings, pa.large_string()), is_sorted=True), (0, len(strings) - 1)
        )
    if dtype.kind is Kind.BOOLEAN:
        return Column(torch.tensor([bool(v) for v in values], dtype=torch.bool, device=CPU), dtype, valid)
    if dtype.is_float:
        kind = torch.float32 if dtype.kind is Kind.FLOAT else torch.float64
        return Column(
            torch.tensor([math.nan if v is None else v for v in values], dtype=kind, device=CPU), dtype, valid
        )
    limits = (min(known, default=0), max(known, default=0))
    own = narrowest(*limits)
    if own is None:
        garbage = [-(2**127) if v is None else v for v in values]
        return Column(wide.from_python(garbage, CPU), dtype, valid, None, limits if bounds else None, Encoding.WIDE)
    width = width if width is not None and width.itemsize >= own.itemsize else own
    info = torch.iinfo(width)
    data = torch.tensor([info.min if v is None else v for v in values], dtype=width, device=CPU)
    return Column(data, dtype, valid, None, limits if bounds else None)


def evaluate(expr: Expr, columns: dict[str, Column]) -> Column:
    """What the query processor does: kernels bottom-up, NULLs of strict functions from the arguments."""
    match expr:
        case ColumnRef():
            return columns[expr.symbol]
        case Literal():
            return constant(expr.value, expr.dtype, CPU)
        case Cast():
            return cast(evaluate(expr.arg, columns), expr.type, expr.safe)
        case Call():
            function = find(expr.function)
            args = [evaluate(arg, columns) for arg in expr.args]
            result = function.kernel(args, expr.type)
            if not function.strict:
                return result
            valid = result.valid
            for arg in args:
                if arg.valid is not None:
                    valid = arg.valid if valid is None else valid & arg.valid
            if valid is not None and valid.ndim == 1 and result.is_constant:
                result = result.expand(valid.shape[0])
            if valid is not None and valid.ndim == 0 and not result.is_constant:
                valid = valid.expand(len(result))
            return replace(result, valid=valid)
    raise AssertionError(expr)


def python(column: Column, rows: int) -> list[Any]:
    """The rows as Python values in stored form; checks that bounds hold and the layout is sound."""
    column = column.expand(rows)
    assert column.data.shape[0] == rows
    assert column.valid is None or column.valid.shape == (rows,), column.valid.shape
    valid = [True] * rows if column.valid is None else column.valid.tolist()
    values: list[Any]
    if column.dictionary is not None:
        values = [column.dictionary.values[code].as_py() for code in column.data.tolist()]
    elif column.is_wide:
        values = wide.to_python(column.data)
    elif column.dtype.kind is Kind.INTERVAL:
        values = [tuple(value) for value in column.data.tolist()]
    else:
        values = column.data.tolist()
    if column.bounds is not None:
        for value, known in zip(values, valid, strict=True):
            assert column.dictionary or not known or column.bounds[0] <= value <= column.bounds[1], (
                value,
                column.bounds,
            )
    return [value if known else None for value, known in zip(values, valid, strict=True)]


def literal_sql(value: Any, dtype: DType) -> str:
    if value is None:
        return f"NULL::{dtype}"
    if dtype.is_decimal:
        with localcontext() as context:
            context.prec = 60
            return f"'{Decimal(value).scaleb(-dtype.scale):f}'::{dtype}"
    return f"'{value}'::{dtype}"


def stored(value: Any, dtype: DType) -> Any:
    if value is None or not dtype.is_decimal:
        return value
    with localcontext() as context:
        context.prec = 60
        return int(Decimal(value).scaleb(dtype.scale))


@dataclass
class Case:
    """Columns by name: (type, stored values)."""

    columns: dict[str, tuple[DType, list[Any]]]

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values()))[1])

    def duckdb(self, sql: str) -> tuple[str, list[Any]] | None:
        """Type and values of an expression; None where DuckDB raises."""
        names = list(self.columns)
        with _connection.cursor() as connection:
            types = ", ".join(f"{name} {dtype}" for name, (dtype, _) in self.columns.items())
            connection.execute(f"create or replace temp table t (row_number integer, {types})")
            rows = (
                ", ".join([str(row), *(literal_sql(values[row], dtype) for dtype, values in self.columns.values())])
                for row in range(self.rows)
            )
            connection.execute(f"insert into t ({', '.join(['row_number', *names])}) values ({'), ('.join(rows)})")
            try:
                found = connection.execute(f"select typeof({sql}), {sql} from t order by row_number").fetchall()
            except (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException):
                return None
        return found[0][0], [row[1] for row in found]

    def tqp(self, expr: Expr, *, bounds: bool, width: torch.dtype | None) -> list[Any]:
        columns = {
            name: column(values, dtype, bounds=bounds, width=width) for name, (dtype, values) in self.columns.items()
        }
        return python(evaluate(expr, columns), self.rows)

    def ref(self, name: str) -> ColumnRef:
        return ColumnRef(name, self.columns[name][0])


def call(name: str, *args: Expr) -> Expr:
    return bind(name, *args)


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, float) and isinstance(ours, float):
        return (math.isnan(ours) and math.isnan(theirs)) or ours == theirs or math.isclose(ours, theirs, rel_tol=1e-15)
    return bool(ours == theirs)
