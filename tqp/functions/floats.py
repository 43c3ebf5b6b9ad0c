"""Functions of floating point numbers by their bits and beyond the elementary ones: signbit, nextafter, even, gamma."""

from __future__ import annotations

import math
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.functions.numeric import number, real, require_arguments
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.unify import untyped
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, DOUBLE, FLOAT, DType

__all__: list[str] = []


def _signbit_types(args: tuple[Expr, ...]) -> Signature:
    require_arguments("signbit", args, 1, 1)
    return (FLOAT if number("signbit", args[0]) == FLOAT else DOUBLE,), BOOLEAN


@scalar("signbit", types=_signbit_types)
def _signbit(args: Args, out: DType) -> Column:
    return Column(torch.signbit(args[0].data), out)


def _nextafter_types(args: tuple[Expr, ...]) -> Signature:
    require_arguments("nextafter", args, 2, 2)
    kinds = {number("nextafter", arg) for arg in untyped(args)}
    out = FLOAT if FLOAT in kinds and DOUBLE not in kinds else DOUBLE
    return (out, out), out


@scalar("nextafter", types=_nextafter_types)
def _nextafter(args: Args, out: DType) -> Column:
    return Column(torch.nextafter(args[0].data, args[1].data), out)


@real("even")
def _even(x: Tensor) -> Tensor:
    """The next even number away from zero."""
    whole = x.abs().ceil()
    return torch.copysign(whole + (torch.remainder(whole, 2) == 1), x)


_SHIFT: Final = 607 / 128
_TERMS: Final = (
    0.99999999999999709182, 57.156235665862923517, -59.597960355475491248, 14.136097974741747174, -0.49191381609762019978,
    0.33994649984811888699e-4, 0.46523628927048575665e-4, -0.98374475304879564677e-4, 0.15808870322491248884e-3,
    -0.21026444172410488319e-3, 0.21743961811521264320e-3, -0.16431810653676389022e-3, 0.84418223983852743293e-4,
    -0.26190838401581408670e-4, 0.36899182659531622704e-5,
)  # fmt: skip
"""Godfrey's coefficients of Lanczos' series."""
_WHOLE: Final = tuple([float(math.factorial(value)) for value in range(171)])


@real("gamma")
def _gamma(x: Tensor) -> Tensor:
    """Exact for whole numbers, else to about 14 digits: by Lanczos' series, on the negative side by reflection."""
    is_whole = x == x.floor()
    table = placed(torch.tensor(_WHOLE, dtype=torch.float64, device="cpu"), x.device)
    places = torch.where(is_whole & (x >= 1) & (x <= 171), x, 1.0).long() - 1
    exact = table.index_select(0, places.reshape(-1)).reshape(places.shape)
    right = torch.where(x < 0.5, 1 - x, x)
    found = _series(right)
    nearest = x.round()
    sine = torch.sin(math.pi * (x - nearest)) * (1 - 2 * torch.remainder(nearest, 2))
    found = torch.where(x < 0.5, math.pi / (sine * found), found)
    found = torch.where(x > 171.7, math.inf, found)
    found = torch.where(is_whole & (x >= 1) & (x <= 171), exact, found)
    found = torch.where(is_whole & (x < 0), math.nan, found)
    # A tiny number's is its inverse.
    found = torch.where(x.abs() < 1e-300, 1 / x, found)
    return torch.where(torch.isnan(x), x, found)


def _series(x: Tensor) -> Tensor:
    """Gamma of x >= 0.5."""
    below = x - 1
    total = torch.full_like(x, _TERMS[0])
    for place, term in enumerate(_TERMS[1:], 1):
        total = total + term / (below + place)
    base = below + _SHIFT + 0.5
    # In two halves, as the whole power may be infinite where the product is not.
    half = torch.pow(base, (below + 0.5) / 2)
    return math.sqrt(2 * math.pi) * half * torch.exp(-base) * half * total
