"""Digests of many strings: one pass over the bytes of all, on the host."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels.loops import digests as loops

__all__ = ["digests"]

_LOOPS = {"md5": loops.write_md5, "sha1": loops.write_sha1, "sha256": loops.write_sha256}


def digests(name: str, data: Tensor, offsets: Tensor) -> npt.NDArray[np.uint8]:
    """The digests (n, size) by md5, sha1 or sha256 of the bytes `data`, uint8, from one of the `offsets` (n + 1,) to the next."""
    size, rows = hashlib.new(name).digest_size, len(offsets) - 1
    write = _LOOPS[name]
    if write.ready(rows, torch.uint8, torch.int64, torch.uint8):
        found = np.empty((rows, size), np.uint8)
        write(data.numpy(), offsets.numpy(), found.reshape(-1))
        return found
    digest, whole, ends = getattr(hashlib, name), data.numpy().data, offsets.tolist()  # host: on the CPU
    parts = []
    for begin, stop in pairwise(ends):
        checkpoint()
        parts.append(digest(whole[begin:stop]).digest())
    return np.frombuffer(bytearray().join(parts), np.uint8).reshape(rows, size)
