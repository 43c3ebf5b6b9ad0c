"""Aggregates and window functions by name: `rel.sum("amount", "customer")`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from tqp.errors import BindError
from tqp.keywords import text_constant
from tqp.relation.steps import Steps
from tqp.sql.fragments import group_keys, select_items, select_list

__all__ = ["Aggregates"]


class Aggregates(Steps):
    """One aggregate over the values of each of some expressions, which commas part.

    It is over all rows, over those of each group of `groups`, or, with a `window_spec` such as "over (partition by a)", over
    the window of each row. `projected_columns` are columns to have beside it. What they compute is what SQL's function of the
    same name does.

    >>> orders.sum("amount").fetchall()
    [(22,)]
    >>> orders.count("*", groups="customer", projected_columns="customer").order("customer").fetchall()
    [('ann', 2), ('bob', 1)]
    >>> orders.sum("amount", window_spec="over (order by id)", projected_columns="id").fetchall()
    [(1, 10), (2, 18), (3, 22)]
    """

    def _aggregated(
        self, function: str, expression: str, groups: str, window_spec: str, projected: str, more: str = ""
    ) -> Self:
        if groups and window_spec:
            raise BindError(f"{function}() is over groups or over windows", hint="give groups or window_spec")
        items = select_items(expression, f"what {function}() is of") if expression else []
        calls = [f"{function}({', '.join(part for part in (item, more) if part)})" for item in items or [""]]
        if window_spec:
            calls = [f"{call} {window_spec}" for call in calls]
        parts = [projected, *calls] if projected else calls
        found = ", ".join(select_list(part, f"what {function}() gives") for part in parts)
        if window_spec:
            return self._select(found)
        keys = group_keys(groups, f"the groups of {function}()") if groups else "ALL"
        return self._select(found, f"GROUP BY {keys}")

    def any_value(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The first value that is not NULL."""
        return self._aggregated("any_value", expression, groups, window_spec, projected_columns)

    def avg(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The mean."""
        return self._aggregated("avg", expression, groups, window_spec, projected_columns)

    def mean(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The mean: `avg`."""
        return self._aggregated("avg", expression, groups, window_spec, projected_columns)

    def bit_and(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The bitwise AND of all values."""
        return self._aggregated("bit_and", expression, groups, window_spec, projected_columns)

    def bit_or(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The bitwise OR of all values."""
        return self._aggregated("bit_or", expression, groups, window_spec, projected_columns)

    def bit_xor(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The bitwise XOR of all values."""
        return self._aggregated("bit_xor", expression, groups, window_spec, projected_columns)

    def bool_and(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """Whether all values are true."""
        return self._aggregated("bool_and", expression, groups, window_spec, projected_columns)

    def bool_or(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """Whether any value is true."""
        return self._aggregated("bool_or", expression, groups, window_spec, projected_columns)

    def count(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The number of values that are not NULL; the number of rows for "*"."""
        return self._aggregated("count", expression, groups, window_spec, projected_columns)

    def favg(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The mean, with compensated summation."""
        return self._aggregated("favg", expression, groups, window_spec, projected_columns)

    def first(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The first value."""
        return self._aggregated("first", expression, groups, window_spec, projected_columns)

    def fsum(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The sum, with compensated summation."""
        return self._aggregated("fsum", expression, groups, window_spec, projected_columns)

    def geomean(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The geometric mean."""
        return self._aggregated("geomean", expression, groups, window_spec, projected_columns)

    def histogram(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """How often each value occurs, as a map."""
        return self._aggregated("histogram", expression, groups, window_spec, projected_columns)

    def last(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The last value."""
        return self._aggregated("last", expression, groups, window_spec, projected_columns)

    def list(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """All values, as a list."""
        return self._aggregated("list", expression, groups, window_spec, projected_columns)

    def max(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The greatest value."""
        return self._aggregated("max", expression, groups, window_spec, projected_columns)

    def median(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The median."""
        return self._aggregated("median", expression, groups, window_spec, projected_columns)

    def min(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The least value."""
        return self._aggregated("min", expression, groups, window_spec, projected_columns)

    def mode(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The most frequent value."""
        return self._aggregated("mode", expression, groups, window_spec, projected_columns)

    def product(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The product."""
        return self._aggregated("product", expression, groups, window_spec, projected_columns)

    def stddev(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The standard deviation of a sample: `stddev_samp`."""
        return self._aggregated("stddev_samp", expression, groups, window_spec, projected_columns)

    def std(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The standard deviation of a sample: `stddev_samp`."""
        return self._aggregated("stddev_samp", expression, groups, window_spec, projected_columns)

    def stddev_pop(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The standard deviation of a population."""
        return self._aggregated("stddev_pop", expression, groups, window_spec, projected_columns)

    def stddev_samp(
        self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = ""
    ) -> Self:
        """The standard deviation of a sample."""
        return self._aggregated("stddev_samp", expression, groups, window_spec, projected_columns)

    def sum(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The sum."""
        return self._aggregated("sum", expression, groups, window_spec, projected_columns)

    def var(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The variance of a sample: `var_samp`."""
        return self._aggregated("var_samp", expression, groups, window_spec, projected_columns)

    def variance(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The variance of a sample: `var_samp`."""
        return self._aggregated("var_samp", expression, groups, window_spec, projected_columns)

    def var_pop(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The variance of a population."""
        return self._aggregated("var_pop", expression, groups, window_spec, projected_columns)

    def var_samp(self, expression: str, groups: str = "", window_spec: str = "", projected_columns: str = "") -> Self:
        """The variance of a sample."""
        return self._aggregated("var_samp", expression, groups, window_spec, projected_columns)

    def arg_max(
        self, arg_column: str, value_column: str, groups: str = "", window_spec: str = "", projected_columns: str = ""
    ) -> Self:
        """The value of `arg_column` in the row with the greatest `value_column`."""
        return self._aggregated("arg_max", arg_column, groups, window_spec, projected_columns, value_column)

    def arg_min(
        self, arg_column: str, value_column: str, groups: str = "", window_spec: str = "", projected_columns: str = ""
    ) -> Self:
        """The value of `arg_column` in the row with the least `value_column`."""
        return self._aggregated("arg_min", arg_column, groups, window_spec, projected_columns, value_column)

    def quantile_cont(
        self,
        expression: str,
        q: float | Sequence[float] = 0.5,
        groups: str = "",
        window_spec: str = "",
        projected_columns: str = "",
    ) -> Self:
        """The value at the share `q` of all, interpolated between two of them; a list for a list."""
        return self._aggregated("quantile_cont", expression, groups, window_spec, projected_columns, _shares(q))

    def quantile_disc(
        self,
        expression: str,
        q: float | Sequence[float] = 0.5,
        groups: str = "",
        window_spec: str = "",
        projected_columns: str = "",
    ) -> Self:
        """The value at the share `q` of all; a list for a list.

        >>> orders.quantile_disc("amount", 0.25).fetchall()
        [(4,)]
        """
        return self._aggregated("quantile_disc", expression, groups, window_spec, projected_columns, _shares(q))

    quantile = quantile_disc

    def string_agg(
        self, expression: str, sep: str = ",", groups: str = "", window_spec: str = "", projected_columns: str = ""
    ) -> Self:
        """All values as one text, with `sep` between them."""
        separator = text_constant(sep)
        return self._aggregated("string_agg", expression, groups, window_spec, projected_columns, separator)

    def value_counts(self, expression: str, groups: str = "") -> Self:
        """Each value, and how often it occurs.

        >>> orders.value_counts("customer").order("customer").fetchall()
        [('ann', 2), ('bob', 1)]
        """
        return self._aggregated("count", expression, groups, "", expression)

    def apply(
        self,
        function_name: str,
        function_aggr: str,
        group_expr: str = "",
        function_parameter: str = "",
        projected_columns: str = "",
    ) -> Self:
        """Any aggregate by its name, with `function_parameter` behind the expression.

        >>> orders.apply("approx_count_distinct", "customer").fetchall()
        [(2,)]
        """
        return self._aggregated(function_name, function_aggr, group_expr, "", projected_columns, function_parameter)


def _shares(q: float | Sequence[float]) -> str:
    shares = [q] if isinstance(q, (int, float)) else list(q)
    if not shares or not all(isinstance(share, (int, float)) and 0 <= share <= 1 for share in shares):
        raise BindError(f"a quantile is a share from 0 to 1, or a list of some, not {q!r}", hint="0.5 is the median")
    texts = [f"{float(share):.6f}" for share in shares]
    return texts[0] if isinstance(q, (int, float)) else f"[{', '.join(texts)}]"
