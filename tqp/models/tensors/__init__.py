"""Modules, exported programs and functions of tensors as models.

What they take is bound by the names of their parameters. What they give, and that a row's answer is its own, made-up rows show.
"""

from tqp.models.tensors.callee import is_torch
from tqp.models.tensors.importing import import_torch

__all__ = ["import_torch", "is_torch"]
