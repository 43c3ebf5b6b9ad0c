"""TPC-H as one more workload, so that its four states stand beside those of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tpch import data, parameters

__all__ = ["Tpch"]

_LINES = 6_000_000
"""Rows of lineitem at scale factor 1."""


@dataclass(frozen=True)
class TpchQuery:
    """One of the 22, with parameters by the rules of the specification."""

    number: int
    sf: float

    @property
    def name(self) -> str:
        return f"Q{self.number}"

    def sql(self, turn: int) -> str:
        """The text of this turn; the first has the parameters of the validation."""
        return parameters.query(self.number, sf=self.sf, seed=turn or None)


@dataclass(frozen=True)
class Tpch:
    """TPC-H with so many rows of lineitem, or nearly."""

    rows: int
    name = "tpch"
    about = "TPC-H; rows are those of lineitem"

    @property
    def queries(self) -> Sequence[TpchQuery]:
        return [TpchQuery(number, self.rows / _LINES) for number in parameters.QUERIES]

    def files(self, rows: int) -> dict[str, Path]:
        """The Parquet file of each table, made if it is not there yet."""
        return data.files(rows / _LINES)
