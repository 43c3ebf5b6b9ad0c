"""tqp as a backend of Ibis: `ibis.tqp.connect()`. Ibis finds it by an entry point; nothing else of tqp imports it."""

from __future__ import annotations

from tqp.io.libraries import need

need("ibis", "tqp.ibis")

from tqp.ibis.backend import Backend  # noqa: E402

__all__ = ["Backend"]
