"""Whether some row may be an error to a module, told by the operations that it runs on rows without values.

Such rows (torch's fake tensors) let nobody look at a number: a module that decides by one fails on them. Of the operations, those
that look up by value, divide integers or assert something can be errors; arithmetic of floats, products and activations cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from tqp.models.features import Numeric
from tqp.models.tensors.predictor import Call

__all__ = ["never_fails"]

_DIVISIONS: Final = frozenset(
    {"div", "div_", "floor_divide", "floor_divide_", "fmod", "fmod_", "remainder", "remainder_"}
)
_SURE: Final = frozenset(
    # shapes
    "_reshape_alias _reshape_copy _to_copy _unsafe_view alias as_strided cat clone constant_pad_nd copy_ detach diagonal expand "
    "lift_fresh lift_fresh_copy permute pixel_shuffle repeat roll select slice split split_with_sizes squeeze stack t transpose "
    "unbind unfold unsafe_split unsqueeze view flip tril triu "
    # what shapes and types are
    "device is_contiguous promote_types result_type sym_numel sym_size sym_storage_offset sym_stride "
    # new tensors
    "arange empty empty_like empty_strided eye fill_ full full_like linspace new_empty new_full new_ones new_zeros ones ones_like "
    "scalar_tensor zero_ zeros zeros_like "
    # products
    "addbmm addmm addmv addr baddbmm bmm convolution dot linear mkldnn_convolution mm mv mkldnn_rnn_layer outer "
    # reductions
    "all amax amin any argmax argmin count_nonzero cumsum linalg_vector_norm logsumexp max mean min norm prod std std_mean sort "
    "sum topk var var_mean cummax cummin aminmax "
    # layers
    "_native_multi_head_attention _transformer_encoder_layer_fwd "
    "_adaptive_avg_pool2d _adaptive_avg_pool3d _log_softmax _native_batch_norm_legit_no_training _prelu_kernel "
    "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention "
    "_scaled_dot_product_attention_math _softmax avg_pool1d avg_pool2d avg_pool3d cudnn_batch_norm glu log_sigmoid_forward "
    "max_pool2d_with_indices native_batch_norm native_group_norm native_layer_norm upsample_nearest2d _thnn_fused_lstm_cell "
    "_thnn_fused_gru_cell".split()
)
"""Operations of torch that are no error for any numbers of these shapes, beside those on each element."""


def never_fails(call: Call, columns: Sequence[Tensor]) -> bool:
    """Whether no row is an error to the call of a module, which takes the rows `columns`; False where that is not known.

    The module runs once more, as a twin with attributes of its own, so that none of the rows without values stays in it.
    """
    twin = call.callee.twin()
    module = call.callee.module
    if twin is None or module is None or any(map(_is_opaque, module.modules())):
        return False
    call = replace(call, callee=replace(call.callee, on=lambda device: twin))
    try:
        with FakeTensorMode(allow_non_fake_inputs=True) as fake:
            rows = [fake.from_tensor(column) for column in columns]
            with _Watch() as watch:
                call.answer([Numeric(row) for row in rows])
    except Exception:
        return False
    return bool(watch.is_sure)


def _is_opaque(part: torch.nn.Module) -> bool:
    """Whether it is compiled: its operations are not torch's any more."""
    return isinstance(part, torch.jit.ScriptModule) or hasattr(part, "_orig_mod")


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Looks at all operations of torch that run inside."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.is_sure = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        self.is_sure &= _is_sure(func, found)
        return found


def _is_sure(function: Any, found: object) -> bool:
    if function.namespace not in ("aten", "prim") or torch.Tag.nondeterministic_seeded in function.tags:
        return False
    name = function._schema.name.partition("::")[2]
    if name in _DIVISIONS:
        return isinstance(found, Tensor) and found.is_floating_point()
    return name in _SURE or bool(torch.Tag.pointwise in function.tags)
