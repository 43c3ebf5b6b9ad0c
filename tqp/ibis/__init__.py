"""tqp as a backend of Ibis: `ibis.tqp.connect()`. Ibis finds it by an entry point; nothing else of tqp imports it."""

from __future__ import annotations

from tqp.garbage import importing
from tqp.io.libraries import need

need("ibis", "tqp.ibis")

with importing():
    from tqp.ibis.backend import Backend

__all__ = ["Backend"]
