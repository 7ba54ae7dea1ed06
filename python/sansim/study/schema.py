"""The JSON Schema of study files, for editors.

It knows keys, types and words. What depends on other parts of a file, as names of axes, only `sansim.study.read` knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from sansim.study.model import KINDS, REMARKS
from sansim.study.read.along import TAKES
from sansim.study.read.checks import RULES

Schema: TypeAlias = dict[str, Any]


def text(description: str) -> Schema:
    """A text."""
    return {"type": "string", "description": description}


def flag(description: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": description}


def word(choices: Iterable[str], description: str) -> Schema:
    """One of some words."""
    return {"enum": list(choices), "description": description}


def count(description: str) -> Schema:
    """A whole number from 1 on."""
    return {"type": "integer", "minimum": 1, "description": description}


def quantity(description: str) -> Schema:
    """A number, or a text with a number and its unit."""
    return {"type": ["number", "string"], "description": description}


def several(item: Schema, description: str) -> Schema:
    """A list, or a single one."""
    return {"anyOf": [item, {"type": "array", "items": item}], "description": description}


def table(description: str, properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """A table with these keys and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def pair(description: str) -> Schema:
    """A list of two."""
    return {"type": "array", "minItems": 2, "maxItems": 2, "description": description}


NAME = {"type": "string"}
VALUE = {"type": ["string", "number", "boolean"]}
SETTINGS = {
    "type": "object",
    "description": 'Keys of the scenario with their values, as "workload.size" = "64 KiB".',
}
PLACE = {
    "type": "object",
    "description": "Axes with a value or a list of values, by label or by anything that means the same.",
    "additionalProperties": several(VALUE, "Values of the axis."),
}
CASE = table(
    "A value that sets several keys.",
    {
        "label": text("What the value is called."),
        "value": quantity("The number that formulas, slopes and plots use."),
        "set": SETTINGS,
    },
    ["label", "set"],
)
AXIS = table(
    "Something that is varied.",
    {
        "key": text("The key of the scenario that is varied."),
        "keys": several(NAME, "Keys that get the same value; none for an axis that counts through a list."),
        "values": {"type": "array", "minItems": 1, "description": "The values, as they would stand in the scenario."},
        "cases": {"type": "array", "minItems": 1, "items": CASE, "description": "Values that set several keys each."},
        "from": quantity("First value of a range."),
        "to": quantity("The end of the range."),
        "step": quantity("Distance of the values of the range."),
        "factor": {"type": "number", "description": "Ratio of neighbouring values of the range."},
        "points": count("Number of values of the range."),
        "spacing": word(("log", "linear"), "How `points` are spaced."),
        "labels": several(NAME, "Names of the values, one for each."),
        "label": text("What plots and tables call the axis."),
        "unit": text("The unit in which its numbers are shown."),
    },
)
METRIC = table(
    "Something that is measured at every point, in one of five ways.",
    {
        "value": text("A figure of the run's summary by its path, as response_time_ns.mean."),
        "setting": text("A value of the resolved scenario by its key."),
        "formula": text("Arithmetic over other metrics and axes."),
        "of": text("The metric of which something is taken along an axis."),
        "trace": table(
            "The time from one line of a word trace to a later one.",
            {"from": text("The first line, as `controller OPN`."), "to": text("The later line.")},
            ["from", "to"],
        ),
        "along": text("The axis along which it is taken."),
        "take": word(TAKES, "What is taken."),
        "over": pair("First and last value of the axis that count."),
        "between": pair("The two values of the axis that are compared, the first against the second."),
        "reach": quantity("With `knee`: the share of the maximum."),
        "above": quantity("With `begins` and `ends`: the threshold, in the unit of the metric that is looked at."),
        "below": quantity("With `begins` and `ends`: the threshold, in the unit of the metric that is looked at."),
        "per": quantity("With `slope`: so much of the axis is one step."),
        "unit": text("The unit it is shown in; values are converted."),
        "label": text("What plots and tables call it."),
    },
)
CLAIM: dict[str, Schema] = {
    "id": text("The target; several rows may share one."),
    "metric": text("What is expected to have a value."),
    "at": PLACE,
    "kind": word(KINDS, "What sort of claim it is, which decides the tolerance if none is given."),
    "value": VALUE | {"description": "The published value."},
    "tolerance": quantity('How far ours may be from it: "3 %" of it, or a distance.'),
    "rounding": quantity("How far the true number may be from the printed one: half of the last digit."),
    "between": pair("Ours lies between these, or is one of them."),
    "above": quantity("Ours is above this."),
    "below": quantity("Ours is below this."),
    "rule": word(RULES, "The shape along an axis."),
    "along": text("The axis of the shape."),
    "slack": quantity("What a rule lets pass, as a share."),
    "expect": {"type": "array", "minItems": 2, "items": VALUE, "description": "The order, the largest first."},
    "over": pair("First and last value of the axis that the rule is about."),
    "unit": text("The unit of the published number, if it is not the metric's."),
    "source": text("Where it was published."),
    "note": text("What is known about it, above all if it is missed."),
    "derived": text("From what the published number was computed, if it is not printed itself."),
    "corrected": text("What is printed, if that is a misprint; the row has the side that is taken."),
    "restates": text("Why the row says nothing about a run: a sum of settings, geometry, an identity."),
    "means": text("What a miss means for somebody who trusts the simulator with a design."),
    "quick": flag("Whether it belongs to `sansim validate --quick`."),
}
PLOT = table(
    "A figure.",
    {
        "name": text("The name of its file."),
        "title": text("What stands above it."),
        "x": text("The axis it is drawn along."),
        "y": several(NAME, "The metric or metrics."),
        "lines": several(NAME, "Axes that are told apart by colour and marker."),
        "panels": text("The axis whose values have a panel each."),
        "at": PLACE,
        "log": several({"enum": ["x", "y"]}, "Which of its axes are logarithmic."),
        "published": flag("Whether published values are drawn beside ours."),
    },
    ["name", "x", "y"],
)
STUDY = table(
    "A study: a scenario, what is varied, what is measured, what is expected.",
    {
        "title": text("One line that names the study."),
        "source": text("What is reproduced; the source of rows that name none."),
        "description": text("What the study is for; any number of lines."),
        "scenario": text("The base scenario: a file, seen from that of the study, or the text of one."),
        "zip": {
            "type": "array",
            "description": "Lists of axes that advance together.",
            "items": {"type": ["string", "array"]},
        },
        "set": SETTINGS,
        "axes": {"type": "object", "description": "What is varied, by name.", "additionalProperties": AXIS},
        "replications": table(
            "How often each point is run.",
            {
                "count": count("Runs of each point."),
                "within": quantity("Runs are added until the interval of `metric` is within this share of its mean."),
                "metric": text("The metric that has to be known so well."),
                "most": count("Runs of a point at most."),
            },
        ),
        "metrics": {
            "type": "object",
            "description": "What is measured, by name.",
            "minProperties": 1,
            "additionalProperties": METRIC,
        },
        "expected": {
            "type": "array",
            "description": "Published values and claims.",
            "items": table(
                "A group of rows; what stands in it holds for all of them.",
                {
                    **CLAIM,
                    "rows": {"type": "array", "minItems": 1, "items": table("A claim.", CLAIM)},
                },
            ),
        },
        "remarks": {
            "type": "array",
            "description": "Targets that are not judged.",
            "items": table(
                "A target that is not judged.",
                {
                    "id": text("The target."),
                    "verdict": word(REMARKS, "What becomes of it."),
                    "text": text("Why it is not."),
                    "same_as": text("The target that is the same number, under which it counts."),
                },
                ["id", "verdict", "text"],
            ),
        },
        "chosen": {
            "type": "array",
            "description": "Constants and readings that were fitted or chosen with published values in view.",
            "items": table(
                "Something that was chosen.",
                {
                    "what": text("A key of the scenario, or a reading of the source in words."),
                    "how": text("Its value, and why it is that."),
                    "saw": several(NAME, "The targets that were in view: `W-X02`, `W-T65-*`, or `R-R20/next`."),
                },
                ["what", "how", "saw"],
            ),
        },
        "leave_out": table(
            "How constants are chosen again on half of the rows and judged by the other half.",
            {
                "rows": several(NAME, "The targets that take part, as in `saw`."),
                "halves": text("The axis by whose values the rows are halved: every second one."),
                "set": SETTINGS,
                "constants": {
                    "type": "object",
                    "description": "The values that are searched, by name.",
                    "additionalProperties": AXIS,
                },
            },
            ["rows", "halves", "constants"],
        ),
        "plots": {"type": "array", "description": "Figures.", "items": PLOT},
    },
    ["scenario", "metrics"],
)


def study_schema() -> Schema:
    """The JSON Schema of a study file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "sansim study", **STUDY}
