"""Where the rows of a result lie, operation by operation of torch."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from torch import Tensor

from tqp.models.tensors.apart import Along, Given, Met, Rows, Rules, State, tensors_in

__all__ = ["RULES"]

RULES: Final = Rules()


def _dims(value: Any, ndim: int) -> set[int]:
    """The dimensions that an argument names; all where it names none."""
    if value is None or isinstance(value, list | tuple) and not value:
        return set(range(ndim))
    return {one % max(ndim, 1) for one in (value if isinstance(value, list | tuple) else [value])}


@RULES.of("unknown")
def _unknown(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    return Met(name) if any(rows.of(one) is not None for one in tensors_in(given.values())) else None


@RULES.of(
    "pointwise copy floor_divide hardswish log_sigmoid_forward masked_fill rsub "
    "_prelu_kernel _thnn_fused_gru_cell _thnn_fused_lstm_cell"
)
def _pointwise(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    if name == "copy":
        return rows.aligned([given["src"]], name, found.ndim) or rows.of(given["self"])
    return rows.aligned(list(tensors_in(given.values())), name, found.ndim)


@RULES.of(
    "zeros ones full empty empty_strided new_zeros new_ones new_full new_empty zeros_like ones_like full_like empty_like zero fill "
    "scalar_tensor new_empty_strided",
    is_new=True,
)
def _new(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    value = given.get("value")
    if name == "fill" and isinstance(value, Tensor) and (state := rows.of(value)) is not None:
        return state if isinstance(state, Met) else Met(name)
    if isinstance(given.get("self"), Tensor) and name in ("zero", "fill"):
        return rows.of(given["self"])
    places = [dim for dim, size in enumerate(found.shape) if size == rows.count]
    return Along(places[0]) if len(places) == 1 else None


@RULES.of(
    "clone detach alias _to_copy contiguous lift_fresh lift_fresh_copy "  # as it is
    "_softmax _log_softmax cumsum cumprod logcumsumexp cummax cummin sort topk flip roll glu"
)
def _same(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    """Values of one tensor at the same or other places along some of its dimensions, or sums of them."""
    state = rows.of(given["self"])
    if not isinstance(state, Along) or name in _AS_IS:
        return state
    dims = _dims(given.get("dim", given.get("dims")), given["self"].ndim)
    return Met(name) if state.dim in dims else state


_AS_IS: Final = frozenset("clone detach alias _to_copy contiguous lift_fresh lift_fresh_copy".split())


@RULES.of(
    "sum mean nansum amax amin all any argmax argmin prod std var std_mean var_mean norm linalg_vector_norm logsumexp max min "
    "count_nonzero aminmax median nanmedian mode kthvalue"
)
def _reduction(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    if isinstance(given.get("other"), Tensor):
        return _pointwise(rows, name, given, found)
    state, ndim = rows.of(given["self"]), given["self"].ndim
    if not isinstance(state, Along):
        return state
    dims = _dims(given.get("dim"), ndim)
    if state.dim in dims:
        return Met(name)
    return state if found.ndim == ndim else state.at(state.dim - sum(dim < state.dim for dim in dims))


# --- shapes


@RULES.of("view _unsafe_view reshape _reshape_alias _reshape_copy")
def _view(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    whole, state = given["self"], rows.of(given["self"])
    if not isinstance(state, Along):
        return state
    before = prod(whole.shape[: state.dim]) * state.outer
    passed = 1
    for dim, size in enumerate(found.shape):
        if passed and before % passed == 0 and size and size % rows.count == 0:
            outer, rest = divmod(before, passed)
            inner, left = divmod(size, max(outer, 1) * rows.count)
            if not rest and not left and inner:
                return Along(dim, outer, inner)
        passed *= size
    return Met(name)


@RULES.of("permute transpose t unsqueeze squeeze expand repeat")
def _moved(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    whole = given["self"]
    state, ndim = rows.of(whole), whole.ndim
    if name in ("expand", "repeat"):
        return _widened(rows, name, whole, found, given)
    if not isinstance(state, Along):
        return state
    # In place the shape is the new one already.
    rank = ndim if found is not whole else ndim + {"squeeze": 1, "unsqueeze": -1}.get(name, 0)
    if name == "permute":
        return state.at([one % rank for one in given["dims"]].index(state.dim))
    if name in ("transpose", "t"):
        first, second = (given["dim0"] % rank, given["dim1"] % rank) if name == "transpose" else (0, rank - 1)
        return state.at({first: second, second: first}.get(state.dim, state.dim))
    if name == "unsqueeze":
        return state.at(state.dim + (given["dim"] % (rank + 1) <= state.dim))
    if found is whole:
        return Met(name)
    dims = [dim for dim in _dims(given.get("dim"), rank) if whole.shape[dim] == 1]
    return state.at(state.dim - sum(dim < state.dim for dim in dims))


def _widened(rows: Rows, name: str, whole: Tensor, found: Tensor, given: Given) -> State:
    state, more = rows.of(whole), found.ndim - whole.ndim
    if isinstance(state, Along):
        return state.at(state.dim + more) if name == "expand" or given["repeats"][state.dim + more] == 1 else Met(name)
    alike = [
        dim
        for dim in range(found.ndim)
        if found.shape[dim] == rows.count and (dim < more or whole.shape[dim - more] == 1)
    ]
    return Along(alike[0]) if len(alike) == 1 else None


@RULES.of(
    "select slice split split_with_sizes unsafe_split unsafe_split_with_sizes unbind unfold constant_pad_nd tril triu"
)
def _part(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    whole = given["self"]
    state, ndim = rows.of(whole), whole.ndim
    if not isinstance(state, Along):
        return state
    if name in ("tril", "triu"):
        return state if state.dim < ndim - 2 else Met(name)
    if name == "constant_pad_nd":
        pad = given["pad"]
        return Met(name) if any(pad[2 * (ndim - 1 - state.dim) :][:2]) else state
    (dim,) = _dims(given.get("dim", given.get("dimension")), ndim)
    if dim == state.dim:
        is_whole = name == "slice" and found.shape[dim] == whole.shape[dim] and given["step"] == 1
        return state if is_whole else Met(name)
    return state.at(state.dim - 1) if name in ("select", "unbind") and dim < state.dim else state


@RULES.of("cat stack")
def _joined(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    parts = [one for one in given["tensors"] if one.numel()]
    states = {rows.of(one) for one in parts}
    if states <= {None}:
        return None
    if len(states) > 1:
        return Met(name)
    (state,) = states
    if not isinstance(state, Along):
        return state
    dim = given["dim"] % found.ndim
    if name == "stack":
        return state.at(state.dim + (dim <= state.dim))
    return Met(name) if dim == state.dim else state


# --- products


@RULES.of("mm addmm bmm baddbmm mv addmv dot addbmm addr outer")
def _product(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    first, second = _factors(given)
    ours, theirs = rows.of(first), rows.of(second)
    if name in ("addbmm", "addr", "outer"):
        return _unknown(rows, name, given, found)
    state: State
    if ours is None and theirs is None:
        state = None
    elif theirs is None:
        assert isinstance(ours, Along)
        state = Met(name) if ours.dim == first.ndim - 1 else ours
    elif ours is None:
        assert isinstance(theirs, Along)
        is_last = theirs.dim == second.ndim - 1 and second.ndim > 1
        state = theirs.at(found.ndim - 1) if is_last else Met(name)
    else:
        is_batch = isinstance(ours, Along) and ours.dim == 0 and first.ndim == 3
        state = ours if is_batch and ours == theirs else Met(name)
    bias = given.get("self") if name in ("addmm", "baddbmm", "addmv") else None
    if not isinstance(bias, Tensor) or isinstance(state, Met):
        return state
    return _with_bias(rows, name, state, bias, found)


def _with_bias(rows: Rows, name: str, state: State, bias: Tensor, found: Tensor) -> State:
    own = rows.aligned([bias], name, found.ndim)
    if own is not None or not isinstance(state, Along):
        return state if own == state else Met(name)
    back = state.dim - found.ndim
    return state if bias.ndim < -back or bias.shape[back] == 1 else Met(name)


def _factors(given: Given) -> tuple[Tensor, Tensor]:
    names = [
        ("mat1", "mat2"),
        ("batch1", "batch2"),
        ("mat", "vec"),
        ("self", "mat2"),
        ("self", "vec"),
        ("self", "tensor"),
    ]
    first, second = next(pair for pair in names if pair[0] in given and pair[1] in given)
    return given[first], given[second]


@RULES.of("_cdist_forward _euclidean_dist")
def _distances(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    ours, theirs = rows.of(given["x1"]), rows.of(given["x2"])
    if theirs is None and isinstance(ours, Along):
        return ours if ours.dim == given["x1"].ndim - 2 else Met(name)
    if ours is None and isinstance(theirs, Along):
        return theirs.at(found.ndim - 1) if theirs.dim == given["x2"].ndim - 2 else Met(name)
    return None if ours is None and theirs is None else Met(name)


# --- look-ups


@RULES.of("embedding")
def _embedding(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    return rows.of(given["indices"]) if rows.of(given["weight"]) is None else Met(name)


@RULES.of("bucketize searchsorted")
def _placed(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    bounds = given["boundaries"] if name == "bucketize" else given["sorted_sequence"]
    return (
        rows.of(given["self"]) if rows.of(bounds) is None and bounds.ndim == 1 else _unknown(rows, name, given, found)
    )


@RULES.of("index index_select gather scatter scatter_add take")
def _indexed(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    whole = given["self"]
    state = rows.of(whole)
    if name in ("gather", "scatter", "scatter_add"):
        others = [given["index"], *([given["src"]] if isinstance(given.get("src"), Tensor) else [])]
        states = {rows.of(one) for one in (whole, *others)}
        (dim,) = _dims(given["dim"], whole.ndim)
        if states == {None}:
            return None
        if len(states) == 1 and isinstance(state, Along):
            return Met(name) if state.dim == dim else state
        only = rows.of(given["index"]) if name == "gather" and state is None else None
        return only if isinstance(only, Along) and only.dim == dim else Met(name)
    if name == "take":
        return rows.of(given["index"]) if state is None else Met(name)
    chosen = given["indices"] if name == "index" else [*[None] * _dims(given["dim"], whole.ndim).pop(), given["index"]]
    places = [place for place, one in enumerate(chosen) if one is not None]
    if places != list(range(places[0], places[-1] + 1)):
        return _unknown(rows, name, given, found)
    indices = [chosen[place] for place in places]
    width = found.ndim - (whole.ndim - len(places))
    if state is None:
        own = rows.aligned(indices, name, width)
        return own.at(places[0] + own.dim) if isinstance(own, Along) else own
    if not isinstance(state, Along) or any(rows.of(one) is not None for one in indices):
        return Met(name)
    if state.dim in places:
        return Met(name)
    return state if state.dim < places[0] else state.at(state.dim - len(places) + width)


# --- layers


@RULES.of(
    "convolution mkldnn_convolution _native_batch_norm_legit_no_training cudnn_batch_norm native_batch_norm native_group_norm "
    "native_layer_norm avg_pool1d avg_pool2d avg_pool3d max_pool2d_with_indices max_pool3d_with_indices _adaptive_avg_pool2d "
    "_adaptive_avg_pool3d adaptive_max_pool2d upsample_nearest1d upsample_nearest2d upsample_bilinear2d pixel_shuffle "
    "grid_sampler_2d linear"
)
def _layer(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    """What does the same with each part along the first dimension of its input."""
    data = given["input"] if "input" in given else given["self"]
    state = rows.of(data)
    others = [one for one in tensors_in(given.values()) if one is not data and rows.of(one) is not None]
    if others or not isinstance(state, Along):
        return state if not others else Met(name)
    if name == "native_layer_norm":
        return state if state.dim < data.ndim - len(given["normalized_shape"]) else Met(name)
    if name == "linear":
        return state if state.dim < data.ndim - 1 else Met(name)
    return state if state.dim == 0 and not given.get("training", False) else Met(name)


@RULES.of(
    "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention "
    "_scaled_dot_product_attention_math _native_multi_head_attention _transformer_encoder_layer_fwd"
)
def _attention(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    first = given["src"] if "src" in given else given["query"]
    states = {state for one in tensors_in(given.values()) if (state := rows.of(one)) is not None}
    if not states:
        return None
    whole = states == {Along()} and rows.of(first) == Along() and first.ndim == (4 if "scaled" in name else 3)
    return (Along() if found.ndim and found.shape[0] == rows.count else None) if whole else Met(name)


@RULES.of("mkldnn_rnn_layer")
def _recurrent(rows: Rows, name: str, given: Given, found: Tensor) -> State:
    """(words, rows, k), and the states (rows, k) that each row begins and ends with."""
    state = rows.of(given["input"])
    if state != Along(1) or {rows.of(given["hx_"]), rows.of(given["cx_"])} != {Along(0)}:
        return Met(name) if state is not None else None
    return Along(1) if found.ndim == 3 else Along(0) if found.ndim == 2 else None
