"""The seed of the day, which the header of a test run shows."""

from __future__ import annotations

from datetime import UTC, datetime

TODAY = int(datetime.now(UTC).strftime("%Y%m%d"))
"""Such as 20240229."""
