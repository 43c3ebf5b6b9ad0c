"""Which operations of torch can be an error for some numbers.

Those that look up by value, divide integers or assert something can be; arithmetic of floats, products and activations cannot.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

__all__ = ["is_sure"]

_DIVISIONS: Final = frozenset(
    {"div", "div_", "floor_divide", "floor_divide_", "fmod", "fmod_", "remainder", "remainder_"}
)
_SURE: Final = frozenset(
    # shapes
    "_reshape_alias _reshape_copy _to_copy _unsafe_view alias as_strided cat clone constant_pad_nd copy_ detach diagonal expand "
    "lift_fresh lift_fresh_copy permute pixel_shuffle repeat roll select slice split split_with_sizes squeeze stack t transpose "
    "unbind unfold unsafe_split unsqueeze view flip tril triu squeeze_ t_ transpose_ unsqueeze_ "
    # what shapes and types are
    "device is_contiguous promote_types result_type sym_numel sym_size sym_storage_offset sym_stride "
    # new tensors
    "arange empty empty_like empty_strided eye fill_ full full_like linspace new_empty new_full new_ones new_zeros ones ones_like "
    "scalar_tensor zero_ zeros zeros_like "
    # products
    "addbmm addmm addmv addr baddbmm bmm convolution dot linear mkldnn_convolution mm mv mkldnn_rnn_layer outer "
    # distances
    "_cdist_forward _euclidean_dist "
    # reductions
    "all amax amin any argmax argmin count_nonzero cumsum linalg_vector_norm logsumexp max mean min norm prod std std_mean sort "
    "sum topk var var_mean cummax cummin aminmax "
    # layers
    "_native_multi_head_attention _transformer_encoder_layer_fwd "
    "_adaptive_avg_pool2d _adaptive_avg_pool3d _log_softmax _native_batch_norm_legit_no_training _prelu_kernel "
    "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention "
    "_scaled_dot_product_attention_math _softmax avg_pool1d avg_pool2d avg_pool3d cudnn_batch_norm glu log_sigmoid_forward "
    "max_pool2d_with_indices native_batch_norm native_group_norm native_layer_norm upsample_nearest2d _thnn_fused_lstm_cell "
    "_thnn_fused_gru_cell hardswish rsub".split()
)
"""Operations of torch that are no error for any numbers of these shapes, beside those on each element."""


def is_sure(function: Any, found: object) -> bool:
    """Whether an operation of torch, which gave this, is no error for any numbers of the same shapes."""
    if function.namespace not in ("aten", "prim"):
        return False
    name = function._schema.name.partition("::")[2]
    if name in _DIVISIONS:
        return isinstance(found, Tensor) and found.is_floating_point()
    draws = torch.Tag.nondeterministic_seeded in function.tags
    return name in _SURE or bool(torch.Tag.pointwise in function.tags and not draws)
