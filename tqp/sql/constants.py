"""The types and values of many constants that are written side by side, as those of as many literals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import compress
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tqp.errors import TqpError
from tqp.io.export import arrow_type
from tqp.ir.expr import Literal, Value
from tqp.sql import literals
from tqp.sql.gathering import Constants, Scattered
from tqp.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, NULL, VARCHAR, DType, Kind

__all__ = ["Cells", "columns_of"]

_ENDS: Final = np.array(
    sorted({1 - 2**31, *(-(2**bits) for bits in (7, 15, 31)), *(2**bits for bits in (7, 8, 15, 16, 31, 32)), 0}),
    np.int64,
)
"""Where the ranges of the types of integers begin and end, as far as 64 bits tell."""
_MOST_DIGITS: Final = 15
"""Of a decimal that is the same DOUBLE however it is computed, and that Python's own decimals do not round."""


class Cells:
    """Constants of one column: `kinds` and `texts` as in `Constants`. `Scattered` for what only literals tell."""

    def __init__(self, kinds: str, texts: Sequence[str]) -> None:
        self._kinds = kinds
        self._texts = texts
        self.rows = len(kinds)
        self.nulls = kinds.count("K")
        found = set(kinds)
        self._numbers = "N" in found or "M" in found
        if len({"number" if kind in "NM" else "truth" if kind in "TF" else kind for kind in found - {"K"}}) > 1:
            raise Scattered
        self._integers = self._as_integers() if self._numbers else None
        self._literals = [] if self._integers is not None or not self._numbers else self._each()

    def _as_integers(self) -> Any:
        """The numbers (n,) int64, those of NULLs 0; None where some are none."""
        texts = (
            self._texts
            if not self.nulls
            else ["0" if k == "K" else t for k, t in zip(self._kinds, self._texts, strict=True)]
        )
        if not "".join(texts).isascii() or not all(map(str.isdecimal, texts)) or max(map(len, texts)) > 18:
            return None
        found = np.array(texts, dtype="S18").astype(np.int64)
        if "M" in self._kinds:
            found[np.frombuffer(self._kinds.encode(), np.uint8) == ord("M")] *= -1
        return found

    def _each(self) -> list[Literal]:
        try:
            return [
                literals.number(text, kind == "M")
                for kind, text in zip(self._kinds, self._texts, strict=True)
                if kind != "K"
            ]
        except TqpError:
            raise Scattered from None

    @property
    def _given(self) -> list[bool]:
        return [kind != "K" for kind in self._kinds]

    def literals(self) -> list[tuple[int, Literal]]:
        """Some that take the type with others that all of them take, with their places, in the order in which they come first."""
        found: list[tuple[int, Literal]] = []
        if self.nulls:
            found.append((self._kinds.index("K"), Literal(None, NULL)))
        if self._integers is not None:
            given = np.array(self._given)
            places = np.searchsorted(_ENDS, self._integers, side="right")
            for end in np.unique(places[given]):
                first = int(np.flatnonzero(given & (places == end))[0])
                found.append((first, literals.number(str(abs(int(self._integers[first]))), self._kinds[first] == "M")))
        elif self._numbers:
            at = compress(range(self.rows), self._given)
            firsts: dict[DType, tuple[int, Literal]] = {}
            for place, literal in zip(at, self._literals, strict=True):
                firsts.setdefault(literal.dtype, (place, literal))
            found += firsts.values()
        elif self.nulls < self.rows:
            first = next(place for place, kind in enumerate(self._kinds) if kind != "K")
            is_text = self._kinds[first] == "S"
            found.append((first, Literal(self._texts[first], VARCHAR) if is_text else Literal(True, BOOLEAN)))
        return sorted(found, key=lambda pair: pair[0])

    def typed(self) -> dict[DType, tuple[list[int], list[Value]]]:
        """Those that are not NULL by their own types: their places, and their values in stored form."""
        found: dict[DType, tuple[list[int], list[Value]]] = {}
        for place, (value, dtype) in zip(compress(range(self.rows), self._given), self._values(), strict=True):
            places, values = found.setdefault(dtype, ([], []))
            places.append(place)
            values.append(value)
        return found

    def _values(self) -> Iterator[tuple[Value, DType]]:
        if self._integers is not None:
            for number in self._integers[self._given].tolist():
                # As in DuckDB the least INTEGER is a BIGINT.
                yield number, INTEGER if -(2**31) < number < 2**31 else BIGINT
        elif self._numbers:
            for literal in self._literals:
                yield literal.value, literal.dtype
        else:
            for kind, text in zip(self._kinds, self._texts, strict=True):
                if kind != "K":
                    yield (text, VARCHAR) if kind == "S" else (kind == "T", BOOLEAN)

    def array(self, dtype: DType) -> pa.Array:
        """All of them as that type, to which no value is rounded; `Scattered` for a type that takes more to become."""
        if self._integers is not None and dtype in (INTEGER, BIGINT):
            mask = ~np.array(self._given) if self.nulls else None
            return pa.array(self._integers, pa.int64(), mask=mask).cast(arrow_type(dtype))
        if self._numbers:
            return pa.array(list(self._as(dtype)), arrow_type(dtype))
        if dtype == NULL:
            return pa.nulls(self.rows)
        if self._kinds.strip("KS") == "" and dtype == VARCHAR:
            return pa.array(
                [None if k == "K" else t for k, t in zip(self._kinds, self._texts, strict=True)], pa.string()
            )
        if self._kinds.strip("KTF") == "" and dtype == BOOLEAN:
            return pa.array([None if k == "K" else k == "T" for k in self._kinds], pa.bool_())
        raise Scattered

    def _as(self, dtype: DType) -> Iterator[Any]:
        """The numbers as those of a DECIMAL or of DOUBLE."""
        if self._integers is not None:
            given: Iterator[tuple[int, DType]] = ((int(one), INTEGER) for one in self._integers[self._given])
        else:
            given = ((one.value, one.dtype) for one in self._literals)  # type: ignore[misc]
        for kind in self._kinds:
            if kind == "K":
                yield None
                continue
            value, own = next(given)
            small = abs(value) < 10**_MOST_DIGITS
            if small and dtype.kind is Kind.DECIMAL and (own.is_integer or own.kind is Kind.DECIMAL):
                yield Decimal(value).scaleb(-own.scale)
            elif dtype == DOUBLE and own == DOUBLE:
                yield value
            elif small and dtype == DOUBLE:
                yield value / 10**own.scale
            else:
                raise Scattered


def columns_of(constants: Constants) -> list[Cells]:
    """The columns of the rows."""
    width = constants.width
    return [Cells(constants.kinds[place::width], constants.texts[place::width]) for place in range(width)]
