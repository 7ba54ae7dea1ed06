"""Groups in a resolved scenario: the table of a member, and how many members a name means.

`load[3]` is a member of the group that the table `load` describes; `drives[4..8]` are members 4 to 7 of `drives`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

ONE = "one"
"""The value of `count` of a component that is no group."""


def table_name(name: str) -> str:
    """The name of the table that describes a component or a member of a group: `load` for `load[3]`."""
    return name.partition("[")[0]


def is_group(table: Mapping[str, Any]) -> bool:
    """Whether the table of a component describes a group, so that its members have numbers."""
    return bool(table.get("count", ONE) != ONE)


def members(table: Mapping[str, Any]) -> int:
    """How many members a component has: 1 for what is no group."""
    return int(table["count"]) if is_group(table) else 1


def named_members(names: Iterable[str], tables: Mapping[str, Any]) -> int:
    """How many members these names mean together: `drives` for all of a group, `drives[4..8]` for four of it."""
    return sum(chosen(name, members(tables[table_name(name)])) for name in names)


def chosen(name: str, count: int) -> int:
    """How many of the `count` members of a group its name chooses in its brackets."""
    _, bracket, within = name.rstrip("]").partition("[")
    first, dots, end = within.partition("..")
    if not bracket:
        return count
    return int(end or count) - int(first or 0) if dots else 1


def devices_of(workload: str, table: Mapping[str, Any], named: int, workloads: int) -> int:
    """How many devices a member of a group of workloads goes to.

    Args:
        workload: Its name, `load[3]`.
        table: The table of the group.
        named: How many devices its `to` names.
        workloads: How many members the group has.
    """
    number = int(workload.rstrip("]").partition("[")[2] or 0)
    match table.get("devices_each", "all"):
        case "one":
            return min(named, 1)
        case "turns" if named >= workloads:
            return len(range(number, named, workloads))
        case "shares" if named >= workloads:
            return (number + 1) * named // workloads - number * named // workloads
        case "turns" | "shares":
            return min(named, 1)
    return named
