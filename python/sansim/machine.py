"""The machine on which sansim works."""

from __future__ import annotations

import os


def memory() -> float | None:
    """Bytes of memory of the machine; None where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return None
