"""The categories that an encoder knows of one column, and where the values of a feature lie among them.

Text is looked up once for each dictionary, not for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.errors import ExecutionError, ModelError
from tqp.kernels import waits
from tqp.models.features import Coded, Feature, Numeric, Text
from tqp.models.steps import Constant, Kept

__all__ = ["Categories", "Placed", "indicators", "is_missing", "text_codes"]

_ERROR = "a value that is no category is an error"
_INDICATORS = 2**20
"""Up to so many entries, indicator tables are made over the codes a column has; above, rows are coded anew."""


def is_missing(value: object) -> bool:
    """None, NaN or NA."""
    return (
        value is None or type(value).__name__ == "NAType" or (isinstance(value, float | np.floating) and value != value)
    )


def text_codes(feature: Text) -> Tensor:
    """Codes (n,) int32 into the dictionary; NULL, where the column has any, is one more entry after the last."""
    column = feature.column
    assert column.dictionary is not None
    codes = column.data.to(torch.int32)
    return codes if column.valid is None else torch.where(column.valid, codes, len(column.dictionary))


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Row i has category `index[codes[i]]`: codes (n,) int32, index (k,) int64 as `Categories`; `owner` stands for the
    index while it lives, None where it is new for each batch."""

    codes: Tensor
    index: Tensor
    owner: object | None


class Categories:
    """The categories of one column: those with a value in their order 0..count-1, and the one of missing values.

    A place among them is the category's index, `unknown` = count, or `missing` = count + 1 where missing values have
    no category of their own. ModelError where the categories are neither all text nor all numbers.
    """

    def __init__(self, values: Any, estimator: object, name: str) -> None:
        self.name = name
        self.count = len(values)
        self.unknown, self.missing = self.count, self.count + 1
        self.estimator = type(estimator).__name__
        items = (
            np.asarray(values).tolist() if np.asarray(values).dtype.kind != "M" else [np.datetime64(0, "s")]
        )  # host: NumPy
        known = [(place, item) for place, item in enumerate(items) if not is_missing(item)]
        absent = [place for place, item in enumerate(items) if is_missing(item)]
        # The library sorts None before NaN; data frames hand NaN in.
        self.has_missing = bool(absent)
        self.of_missing = absent[-1] if absent else self.missing
        self.is_text = any(isinstance(item, str) for _, item in known)
        places = [place for place, _ in known]
        if self.is_text:
            if not all(isinstance(item, str) for _, item in known):
                raise ModelError(
                    f"{self.estimator}: the categories of {name} are text and numbers", hint="cast the column"
                )
            self._texts = pa.array([item for _, item in known], pa.large_string())
            self._places = np.asarray(places, dtype=np.int64)
            self._seen = Kept()
            return
        if not all(isinstance(item, bool | int | float) for _, item in known):
            kind = next(type(item).__name__ for _, item in known if not isinstance(item, bool | int | float))
            raise ModelError(f"{self.estimator}: categories of type {kind} in {name} are not supported")
        numbers = np.asarray([item for _, item in known], dtype=np.float64)
        order = np.argsort(numbers, kind="stable")
        if np.any(np.diff(numbers[order]) == 0):
            raise ModelError(f"{self.estimator}: two categories of {name} are the same DOUBLE")
        self._numbers = Constant(numbers[order])
        # One more place for what lies above all categories.
        self._of_number = Constant([*np.asarray(places, dtype=np.int64)[order], self.unknown], torch.int64)
        self._all = Constant(np.arange(self.count + 2), torch.int64)

    def place(self, feature: Feature) -> Placed:
        """Where the rows of the feature lie."""
        match feature:
            case Text() if self.is_text:
                dictionary = feature.column.dictionary
                assert dictionary is not None
                device = feature.column.device
                index = self._seen.get(dictionary, device, lambda: self._lookup(dictionary.values).to(device))
                return Placed(text_codes(feature), index, dictionary)
            case Coded(codes, values) if not self.is_text:
                return Placed(codes, self._locate(values.double()), None)
            case Numeric(values) if not self.is_text:
                codes = self._locate(values.double()).to(torch.int32)
                return Placed(codes, self._all.on(values.device), self)
        kinds = ("numbers", "text") if isinstance(feature, Text) else ("text", "numbers")
        raise ModelError(f"{self.estimator}: {self.name} takes {kinds[0]} and was given {kinds[1]}")

    def _lookup(self, values: pa.Array) -> Tensor:
        found = pc.index_in(values, value_set=self._texts)
        places = np.append(self._places, self.unknown)[
            found.fill_null(len(self._places)).to_numpy(zero_copy_only=False)
        ]
        return torch.from_numpy(np.append(places, self.of_missing))

    def _locate(self, values: Tensor) -> Tensor:
        numbers, places = self._numbers.on(values.device), self._of_number.on(values.device)
        if not len(numbers):
            index = torch.full_like(values, self.unknown, dtype=torch.int64)
        else:
            found = torch.searchsorted(numbers, values)
            same = numbers.index_select(0, found.clamp(max=len(numbers) - 1)) == values
            index = torch.where(same, places.index_select(0, found), self.unknown)
        return torch.where(values.isnan(), self.of_missing, index)

    def require_known(self, placed: Placed, feature: Feature) -> None:
        """ExecutionError where a row has a value that is no category; missing values are not looked at."""
        unknown = placed.index == self.unknown
        if not waits.truth(unknown.any(), _ERROR):
            return
        rows = waits.places(unknown.index_select(0, placed.codes), _ERROR)
        if not rows.shape[0]:
            return
        row = waits.number(rows[0], _ERROR)
        raise ExecutionError(
            f"the model knows no category {_shown(feature, row)} in {self.name}",
            hint=f"filter the rows, or fit the {self.estimator} with another handle_unknown",
        )


def _shown(feature: Feature, row: int) -> str:
    match feature:
        case Text(column):
            assert column.dictionary is not None
            return repr(column.dictionary.values[waits.number(column.data[row], _ERROR)].as_py())
        case Numeric(values):
            return repr(waits.real(values[row], _ERROR))
        case Coded(codes, values):
            return repr(waits.real(values[codes[row]], _ERROR))


def indicators(
    codes: Tensor, groups: Tensor, count: int, chosen: Sequence[int], kept: Kept, owner: object
) -> list[Feature]:
    """A feature for each chosen group of 0..count-1 that is 1 in its rows and 0 in all others, `count` being no group.

    `groups` (k,) int64 by code. All features share their codes: the given ones where the tables stay small.
    """
    device = codes.device
    if len(groups) * len(chosen) <= _INDICATORS:

        def narrow() -> list[Tensor]:
            picked = torch.tensor(chosen, dtype=torch.int64, device=device)
            return list((groups[None, :] == picked[:, None]).double().unbind(0))

        values = narrow() if owner is None else kept.get(owner, device, narrow)
        return [Coded(codes, table) for table in values]
    recoded = groups.to(torch.int32).index_select(0, codes)

    def windows() -> list[Tensor]:
        # Every table is a window on the same zeros around a one.
        line = torch.zeros(2 * count + 1, dtype=torch.float64, device=device)
        line[count] = 1
        return [line[count - group : 2 * count - group + 1] for group in chosen]

    return [Coded(recoded, table) for table in kept.get(kept, device, windows)]
