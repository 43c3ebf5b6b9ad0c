"""Window functions by name: `rel.row_number("over (order by amount)")`."""

from __future__ import annotations

from typing import Self

from tqp.relation.steps import Steps
from tqp.sql.fragments import select_items, select_list

__all__ = ["Windows"]


class Windows(Steps):
    """A column for each row by the rows around it: `window_spec` says which, as SQL's "over (partition by a order by b)".

    `projected_columns` are columns to have beside it. What they compute is what SQL's function of the same name does.

    >>> orders.row_number("over (order by amount)", "id").order("id").fetchall()
    [(1, 3), (2, 2), (3, 1)]
    >>> orders.lag("amount", "over (order by id)", default_value="0", projected_columns="amount").fetchall()
    [(10, 0), (8, 10), (4, 8)]
    """

    def _windowed(
        self, function: str, expression: str, window_spec: str, projected: str, more: str = "", behind: str = ""
    ) -> Self:
        items = select_items(expression, f"what {function}() is of") if expression else [""]
        parts = [projected] if projected else []
        parts += [
            f"{function}({', '.join(part for part in (item, more) if part)}{behind}) {window_spec}" for item in items
        ]
        return self._select(", ".join(select_list(part, f"what {function}() gives") for part in parts))

    def row_number(self, window_spec: str, projected_columns: str = "") -> Self:
        """The number of the row, from 1 on."""
        return self._windowed("row_number", "", window_spec, projected_columns)

    def rank(self, window_spec: str, projected_columns: str = "") -> Self:
        """The rank; equal rows have the same, and a gap follows."""
        return self._windowed("rank", "", window_spec, projected_columns)

    def dense_rank(self, window_spec: str, projected_columns: str = "") -> Self:
        """The rank, without gaps."""
        return self._windowed("dense_rank", "", window_spec, projected_columns)

    rank_dense = dense_rank

    def percent_rank(self, window_spec: str, projected_columns: str = "") -> Self:
        """The rank as a share of the rows, 0 to 1."""
        return self._windowed("percent_rank", "", window_spec, projected_columns)

    def cume_dist(self, window_spec: str, projected_columns: str = "") -> Self:
        """The share of rows up to the row and its equals."""
        return self._windowed("cume_dist", "", window_spec, projected_columns)

    def n_tile(self, window_spec: str, num_buckets: int, projected_columns: str = "") -> Self:
        """The number of the row's part, of `num_buckets` parts of nearly equal size."""
        return self._windowed("ntile", "", window_spec, projected_columns, str(int(num_buckets)))

    def first_value(self, expression: str, window_spec: str = "over ()", projected_columns: str = "") -> Self:
        """The value of the first row."""
        return self._windowed("first_value", expression, window_spec, projected_columns)

    def last_value(self, expression: str, window_spec: str = "over ()", projected_columns: str = "") -> Self:
        """The value of the last row."""
        return self._windowed("last_value", expression, window_spec, projected_columns)

    def nth_value(
        self, expression: str, window_spec: str, offset: int, ignore_nulls: bool = False, projected_columns: str = ""
    ) -> Self:
        """The value of row `offset`, from 1 on."""
        nulls = " IGNORE NULLS" if ignore_nulls else ""
        return self._windowed("nth_value", expression, window_spec, projected_columns, str(int(offset)), nulls)

    def lag(
        self,
        expression: str,
        window_spec: str,
        offset: int = 1,
        default_value: str = "NULL",
        ignore_nulls: bool = False,
        projected_columns: str = "",
    ) -> Self:
        """The value `offset` rows before, `default_value` where there is none."""
        nulls = " IGNORE NULLS" if ignore_nulls else ""
        more = f"{int(offset)}, {default_value}"
        return self._windowed("lag", expression, window_spec, projected_columns, more, nulls)

    def lead(
        self,
        expression: str,
        window_spec: str,
        offset: int = 1,
        default_value: str = "NULL",
        ignore_nulls: bool = False,
        projected_columns: str = "",
    ) -> Self:
        """The value `offset` rows later, `default_value` where there is none."""
        nulls = " IGNORE NULLS" if ignore_nulls else ""
        more = f"{int(offset)}, {default_value}"
        return self._windowed("lead", expression, window_spec, projected_columns, more, nulls)
