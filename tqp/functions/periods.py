"""Functions that count, make and name dates, times and intervals."""

from __future__ import annotations

