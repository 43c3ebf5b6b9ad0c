"""What users hold of a query: its rows, computed when first asked for, in the form of each library, and queries over them.

`answer.py` runs the query and keeps its result; a file beside it for each thing that is done with one. `Relation` has them all.
"""

from __future__ import annotations

from tqp.io.tensor_column import TensorColumn
from tqp.relation.answer import Session
from tqp.relation.relation import Relation

__all__ = ["Relation", "Session", "TensorColumn"]
