"""Support vector machines of `ai.onnx.ml`: kernels of the rows with all support vectors as one product of matrices."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tqp.models.onnx.ml import ML, floats, labelled, labels_of, post_transform
from tqp.models.onnx.operators import Node, Run, operator
from tqp.models.onnx.values import Unsupported, Value

__all__: list[str] = []

_STEPS = 100
"""Sweeps of the coupling of pairwise probabilities, which converges long before."""


def _kernel(node: Node, vectors: Tensor) -> Callable[[Tensor], Tensor]:
    """Rows (n, f) to kernel values (n, vectors)."""
    kind = node.attribute("kernel_type", "LINEAR")
    gamma, shift, degree = (node.attribute("kernel_params") or [0.0, 0.0, 0.0])[:3]

    def values(x: Tensor) -> Tensor:
        here = vectors.to(x.device)
        if kind == "RBF":
            return torch.stack([(x - vector).square().sum(1) for vector in here], dim=1).mul_(-gamma).exp_()
        product = x @ here.t()
        match kind:
            case "POLY":
                return torch.pow(product * gamma + shift, degree)
            case "SIGMOID":
                return torch.tanh(product * gamma + shift)
            case _:
                return product

    if kind not in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        raise Unsupported(f"the kernel {kind}")
    return values


@operator("SVMRegressor", domain=ML)
def _regressor(node: Node) -> Run:
    count, weights = node.attribute("n_supports", 0), floats(node.attribute("coefficients"))
    rho, one_class = floats(node.attribute("rho") or [0.0]), node.attribute("one_class", 0)
    vectors = node.attribute("support_vectors")
    node.require(node.attribute("post_transform", "NONE") == "NONE", "with a post_transform")
    kernel = _kernel(node, floats(vectors or []).reshape(count, -1) if count else weights.reshape(1, -1))
    factors = weights if count else torch.ones(1, dtype=torch.float32, device="cpu")

    def regress(x: Tensor) -> Tensor:
        total = (kernel(x.to(torch.float32)) @ factors.to(x.device) + rho[0].to(x.device)).reshape(-1, 1)
        return torch.where(total > 0, 1.0, -1.0) if one_class else total

    return regress


@operator("SVMClassifier", domain=ML)
def _classifier(node: Node) -> Run:
    labels, post = labels_of(node), node.attribute("post_transform", "NONE")
    weights, rho = floats(node.attribute("coefficients")), floats(node.attribute("rho") or [0.0])
    sizes, vectors = node.attribute("vectors_per_class"), node.attribute("support_vectors")
    first, second = floats(node.attribute("prob_a") or []), floats(node.attribute("prob_b") or [])
    node.require(bool(sizes), "without support vectors")
    count, total = len(sizes), sum(sizes)
    node.require(count == len(labels), f"of {count} groups of vectors and {len(labels)} labels")
    node.require(post == "NONE" or count > 2, f"with post_transform {post} of two classes")
    kernel = _kernel(node, floats(vectors).reshape(total, -1))
    transform = post_transform(post)
    pairs, factors = _pairs(weights.reshape(count - 1, total), sizes)
    is_probable = len(first) > 0
    positive = bool((weights >= 0).all())  # host: an attribute

    def classify(x: Tensor) -> tuple[Value, Value]:
        device = x.device
        scores = kernel(x.to(torch.float32)) @ factors.to(device) + rho.to(device)
        votes = torch.zeros(len(scores), count, dtype=torch.float32, device=device)
        for place, (one, other) in enumerate(pairs):
            wins = scores[:, place] > 0
            votes[:, one] += wins
            votes[:, other] += ~wins
        chosen = votes.argmax(1)
        if not is_probable:
            if count == 2:
                return labelled(chosen, labels), torch.cat([-scores, scores], dim=1) if positive else _both(scores)
            return labelled(chosen, labels), transform(scores)
        chance = torch.sigmoid(-(scores * first.to(device) + second.to(device))).clamp(1e-7, 1 - 1e-7)
        return labelled(chosen, labels), transform(_coupled(chance, pairs, count))

    return classify


def _both(scores: Tensor) -> Tensor:
    return torch.cat([-scores, scores], dim=1)


def _pairs(weights: Tensor, sizes: list[int]) -> tuple[list[tuple[int, int]], Tensor]:
    """The pairs of classes, and the weights (vectors, pairs) of their scores."""
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    pairs = [(i, j) for i in range(len(sizes)) for j in range(i + 1, len(sizes))]
    factors = torch.zeros(weights.shape[1], len(pairs), dtype=torch.float32, device="cpu")
    for place, (i, j) in enumerate(pairs):
        mine, other = slice(starts[i], starts[i] + sizes[i]), slice(starts[j], starts[j] + sizes[j])
        factors[mine, place] = weights[j - 1, mine]
        factors[other, place] = weights[i, other]
    return pairs, factors


def _coupled(chance: Tensor, pairs: list[tuple[int, int]], count: int) -> Tensor:
    """Class probabilities (n, count) from those of each pair, as libsvm couples them; a row stops when it has converged."""
    device = chance.device
    table = torch.zeros(len(chance), count, count, dtype=torch.float32, device=device)
    for place, (i, j) in enumerate(pairs):
        table[:, i, j], table[:, j, i] = chance[:, place], 1 - chance[:, place]
    matrix = -table.transpose(1, 2) * table
    diagonal = table.square().sum(1)
    matrix = matrix + torch.diag_embed(diagonal)
    p = torch.full((len(chance), count), 1 / count, dtype=torch.float32, device=device)
    for _ in range(max(_STEPS, count)):
        product = torch.einsum("nij,nj->ni", matrix, p)
        quadratic = (p * product).sum(1)
        running = (product - quadratic[:, None]).abs().amax(1) >= 0.005 / count
        q = p
        for t in range(count):
            step = (quadratic - product[:, t]) / matrix[:, t, t]
            q = torch.cat([q[:, :t], (q[:, t] + step)[:, None], q[:, t + 1 :]], dim=1) / (1 + step)[:, None]
            quadratic = (quadratic + step * (step * matrix[:, t, t] + 2 * product[:, t])) / (1 + step) ** 2
            product = (product + step[:, None] * matrix[:, t]) / (1 + step)[:, None]
        p = torch.where(running[:, None], q, p)
    return p
