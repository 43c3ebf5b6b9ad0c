"""Nearest rows of vectors, which lie in clusters as embeddings do, some of them in none."""

from __future__ import annotations

from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["VECTORS"]

_SIZE: Final = 64
_VECTOR: Final = f"""
    list_transform(range({_SIZE}), lambda n: (share(pick(i, 1, 300), n) - 0.5 + (0.3 + pick(i, 2, 10) // 9) * (share(i, 9 + n) - 0.5))::FLOAT)"""

_TABLES: Final = {
    "passages": f"SELECT i AS id, pick(i, 3, 10)::INTEGER AS kind, {_VECTOR} AS v FROM range({{rows}}) AS r(i)",
    "questions": f"SELECT i AS id, {_VECTOR} AS v FROM range(1000000000, 1000000020) AS r(i)",
}

_FEW: Final = {"few": tuple(range(1, 95))}
_QUESTIONS: Final = f"(SELECT id, v::FLOAT[{_SIZE}] AS v FROM questions WHERE id % 97 <> {{few}}) q"
_PASSAGES: Final = f"(SELECT id, kind, v::FLOAT[{_SIZE}] AS v FROM passages) p"
_SHAPES: Final = {
    "distance": "NEAREST 10 BY DISTANCE array_distance(q.v, p.v)",
    "inner product": "NEAREST 10 BY DISTANCE array_negative_inner_product(q.v, p.v)",
    "cosine": "NEAREST 10 BY SIMILARITY array_cosine_similarity(q.v, p.v)",
}
_NEAR: Final = {
    "approximate distance": "APPROX NEAREST 10 BY DISTANCE array_distance(q.v, p.v)",
    "approximate cosine": "APPROX NEAREST 10 BY SIMILARITY array_cosine_similarity(q.v, p.v)",
}
"""Which rows are found is not the same everywhere, but how many are."""

VECTORS: Final = Workload(
    "vectors",
    f"nearest rows of {_SIZE} numbers; rows are those searched",
    _TABLES,
    [
        *(Query(name, f"SELECT q.id, p.id AS p FROM {_QUESTIONS} JOIN {_PASSAGES} {text}", _FEW) for name, text in _SHAPES.items()),
        *(Query(name, f"SELECT q.id, count(*) FROM {_QUESTIONS} JOIN {_PASSAGES} {text} GROUP BY ALL", _FEW) for name, text in _NEAR.items()),
        Query("distance, some of them", f"""
            SELECT q.id, p.id AS p FROM {_QUESTIONS} JOIN (SELECT * FROM {_PASSAGES} WHERE kind < 3) p {_SHAPES["distance"]}
            """, _FEW),
        Query("distance, one", f"""
            SELECT q.id, (SELECT p.id FROM {_PASSAGES} ORDER BY array_distance(q.v, p.v) LIMIT 1) AS p FROM {_QUESTIONS}
            """, _FEW),
    ],
    arrays={"passages": {"v": _SIZE}, "questions": {"v": _SIZE}},
)  # fmt: skip
