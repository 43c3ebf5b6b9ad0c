"""Elementwise comparisons of integers and floats: bool tensors of the operands' common shape.

Operands are a tensor and a tensor or Python number; of the comparisons of floats, in whose order NaN equals itself and is
greater than all other numbers, two tensors. On the CPU numpy's loops take a tenth (8 bits) to a third (64 bits) of
the time of torch's, which are not vectorised for outputs narrower than their inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.operation import Variant, operation

__all__ = [
    "eq", "float_eq", "float_ge", "float_gt", "float_le", "float_lt", "float_ne", "ge", "gt", "le", "lt", "ne",
]  # fmt: skip

Operand = Tensor | int | float


def _has_rows(x: Tensor, y: Operand) -> bool:
    return x.ndim > 0


def _comparison(by_numpy: Any, by_torch: Callable[[Tensor, Operand], Tensor]) -> Callable[[Tensor, Operand], Tensor]:
    def on_views(x: Tensor, y: Operand) -> Tensor:
        return torch.from_numpy(by_numpy(x.numpy(), y.numpy() if isinstance(y, Tensor) else y))

    def compare(x: Tensor, y: Operand) -> Tensor:
        return by_torch(x, y)

    compare.__name__ = by_torch.__name__
    return operation(Variant(on_views, "cpu", "NumPy's loops are vectorised for narrow outputs", _has_rows))(compare)


eq = _comparison(np.equal, torch.eq)
ne = _comparison(np.not_equal, torch.ne)
lt = _comparison(np.less, torch.lt)
le = _comparison(np.less_equal, torch.le)
gt = _comparison(np.greater, torch.gt)
ge = _comparison(np.greater_equal, torch.ge)


def _with_number(x: Tensor, y: Tensor) -> bool:
    return y.ndim == 0 and not bool(y.isnan())  # host: on the CPU


def _ordered(
    name: str, plain: Callable[[Tensor, Tensor], Tensor], with_number: Callable[[Tensor, Tensor], Tensor]
) -> Callable[[Tensor, Tensor], Tensor]:
    def compare(x: Tensor, y: Tensor) -> Tensor:
        return plain(x, y)

    def by_ieee(x: Tensor, y: Tensor) -> Tensor:
        return with_number(x, y)

    compare.__name__ = name
    return operation(Variant(by_ieee, "cpu", "beside a number none but one side may be NaN", _with_number))(compare)


def _float_eq(x: Tensor, y: Tensor) -> Tensor:
    return (x == y) | (x.isnan() & y.isnan())


def _float_lt(x: Tensor, y: Tensor) -> Tensor:
    return ~((x >= y) | x.isnan())


# IEEE says no to every comparison with NaN: beside a number, ask so that no is the right answer.
float_eq = _ordered("float_eq", _float_eq, torch.eq)
float_ne = _ordered("float_ne", lambda x, y: ~_float_eq(x, y), torch.ne)
float_lt = _ordered("float_lt", _float_lt, torch.lt)
float_le = _ordered("float_le", lambda x, y: ~_float_lt(y, x), torch.le)
float_gt = _ordered("float_gt", lambda x, y: _float_lt(y, x), lambda x, y: ~(x <= y))
float_ge = _ordered("float_ge", lambda x, y: ~_float_lt(x, y), lambda x, y: ~(x < y))
