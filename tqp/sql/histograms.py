"""histogram(t, x) and histogram_values(t, x) in FROM: how many rows of a table have an expression in which bin.

As in DuckDB they stand for a query over the table, whose bins depend on the type of the expression: of equal width where it is a
number, date or timestamp, otherwise the values that come most often.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlglot import exp

from tqp.errors import BindError
from tqp.ir.plan import Plan
from tqp.sql.context import Context
from tqp.sql.expansion import expression_of
from tqp.sql.file_functions import constant_of
from tqp.sql.query import bind_query
from tqp.sql.query_texts import table_text
from tqp.sql.scope import Cte
from tqp.sql.table_functions import table_function_name
from tqp.sql.texts import widens
from tqp.types import BIGINT, DOUBLE, TIMESTAMP

__all__ = ["HISTOGRAMS", "histogram_plan"]

HISTOGRAMS: Final = ("histogram", "histogram_values")
_PARAMETERS: Final = ("source", "col_name", "bin_count", "technique")
_VALUE: Final = "value of a histogram"
_BINS: Final = {
    "auto": f'equi_width_bins(min("{_VALUE}"), max("{_VALUE}"), {{count}}, true)',
    "equi-width-nice": f'equi_width_bins(min("{_VALUE}"), max("{_VALUE}"), {{count}}, true)',
    "equi-width": f'equi_width_bins(min("{_VALUE}"), max("{_VALUE}"), {{count}}, false)',
    "equi-height": f'quantile("{_VALUE}", [{{fractions}}])',
    "sample": f'approx_top_k("{_VALUE}", {{count}})',
}
"""The list of bins, by the technique."""
_VALUES: Final = (
    f'SELECT unnest(map_keys(counted)) AS bin, unnest(map_values(counted)) AS count FROM (SELECT {{histogram}}("{_VALUE}", '
    "(SELECT {bins} FROM {source})) AS counted FROM {source})"
)
_SHOWN: Final = {
    True: "bin::VARCHAR",
    False: "concat(coalesce(lag(bin::VARCHAR) OVER () || ' < ', ''), 'x <= ', bin::VARCHAR)",
}
"""What a bin is called, by whether it has one value."""
_BARS: Final = (
    "SELECT CASE WHEN is_histogram_other_bin(bin) THEN '(other values)' ELSE {shown} END AS bin, count, "
    "bar(count, 0, max(count) OVER ()) AS bar FROM ({values})"
)


def histogram_plan(context: Context, node: exp.Expr, ctes: Mapping[str, Cte]) -> Plan:
    """The plan of the query that the call stands for. BindError for arguments that do not fit."""
    name = table_function_name(node)
    with context.at(node):
        given = _arguments(name, node)
        # In parentheses: the name of the table is none that the expression may use.
        source = f"(FROM {table_text(context, given['source'])})"
        value = given["col_name"]
        count = constant_of(context, given["bin_count"], name) if "bin_count" in given else 10
        technique = constant_of(context, given["technique"], name) if "technique" in given else "auto"
        dtype = _bound(context, f'SELECT "{_VALUE}" FROM {source}', value, ctes).schema[0].dtype
        if technique == "auto" and not any(widens(dtype, wide) for wide in (BIGINT, DOUBLE, TIMESTAMP)):
            technique = "sample"
        bins = _bins(technique, count)
    is_exact = technique == "sample"
    counting = "histogram_exact" if is_exact else "histogram"
    text = _VALUES.format(histogram=counting, bins=bins, source=source)
    if name == "histogram":
        text = _BARS.format(values=text, shown=_SHOWN[is_exact])
    return _bound(context, text, value, ctes)


def _arguments(name: str, node: exp.Expr) -> dict[str, exp.Expr]:
    written = list(node.expressions)
    is_named = [isinstance(part, exp.PropertyEQ | exp.Kwarg) for part in written]
    named = [part for part, has_name in zip(written, is_named, strict=True) if has_name]
    found = dict(zip(_PARAMETERS, written[: len(written) - len(named)], strict=False))
    by_name = {part.this.name.lower(): part.expression for part in named}
    if (
        is_named != sorted(is_named)
        or len(found) + len(by_name) < len(written)
        or not by_name.keys() <= set(_PARAMETERS) - found.keys()
    ):
        raise BindError(f"{name} does not take these arguments", hint=_HINT.format(name))
    found |= by_name
    if not {"source", "col_name"} <= found.keys():
        raise BindError(f"{name} takes a table and a column of it", hint=_HINT.format(name))
    return found


_HINT: Final = "{}(table, column, bin_count := 10, technique := 'auto')"


def _bins(technique: Any, count: Any) -> str:
    if technique not in _BINS:
        raise BindError(f"there is no technique {technique!r}", hint=f"techniques are {', '.join(_BINS)}")
    try:
        number = int(count)
    except (TypeError, ValueError):
        raise BindError(f"the number of bins is an integer, not {count!r}") from None
    if number != count and not isinstance(count, str) or number <= 0:
        raise BindError(f"the number of bins is an integer above 0, not {count!r}")
    fractions = ", ".join(f"{place} / {number}::DOUBLE" for place in range(1, number + 1))
    return _BINS[technique].format(count=number, fractions=fractions if technique == "equi-height" else "")


def _bound(context: Context, text: str, value: exp.Expr, ctes: Mapping[str, Cte]) -> Plan:
    query = expression_of(text, is_query=True)
    for column in list(query.find_all(exp.Column)):
        if column.name == _VALUE:
            column.replace(exp.Paren(this=value.copy()))
    return bind_query(context, query, None, ctes)
