"""Rules of users in reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sansim.number_text import duration


def rule_cost(rule: Mapping[str, Any]) -> str:
    """The cost of the decisions of a rule of the user, in a sentence."""
    events = f" and {rule['events']:,} events" if "events" in rule else ""
    return (
        f"Rule `{rule['rule']}` ({rule['decision']}): {rule['calls']:,} decisions of"
        f" {duration(rule['ns_per_call'])}{events}, {100 * rule['share']:.1f} % of the wall time."
    )
