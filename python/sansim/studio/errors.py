"""An error that the page shows."""

from __future__ import annotations

from typing import Any


class StudioError(Exception):
    """An answer that is an error: what, why, and what instead."""

    def __init__(self, code: str, message: str, hint: str | None = None, *, status: int = 422) -> None:
        """An error with a stable code, a message, perhaps a hint, and the status of HTTP."""
        super().__init__(message)
        self.code, self.message, self.hint, self.status = code, message, hint, status

    def as_json(self) -> dict[str, Any]:
        """As the page gets it."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}
