"""The evidence of a published value: predicted, used for fitting, or given from the start.

A class is never written by hand. It follows from the constants that were chosen (`[[chosen]]` of the study file, with
the targets used for fitting), from the parts of the row's metric, and from `restates`, the reason why a row does not
depend on a run.
"""

from __future__ import annotations

from collections.abc import Iterator

from sansim.study.model import Along, Expected, Formula, Metric, Setting, Study

PREDICTED, SEEN, GIVEN, REMARK = "predicted", "seen", "given", "remark"
CLASSES = (PREDICTED, SEEN, GIVEN, REMARK)
"""In the order in which they are shown."""

MEANING = {
    PREDICTED: "nothing in the model was chosen by looking at it",
    SEEN: "in view when a constant or a reading was chosen",
    GIVEN: "settings, geometry, identities: true without a run",
    REMARK: "not judged: misprints, claims without data, second ids of the same number",
}


def class_of(study: Study, row: Expected) -> str:
    """The class of a row."""
    if row.restates or is_given(study, study.metric(row.metric)):
        return GIVEN
    return SEEN if any(chosen.in_view(row.target, row.metric) for chosen in study.chosen) else PREDICTED


def is_given(study: Study, metric: Metric) -> bool:
    """Whether a metric is made of settings and axes alone, so that no run can change it."""
    return all(isinstance(root.rule, Setting) for root in roots(study, metric))


def roots(study: Study, metric: Metric) -> Iterator[Metric]:
    """The metrics that one is made of in the end."""
    match metric.rule:
        case Along(of=of):
            yield from roots(study, study.metric(of))
        case Formula(names=names):
            for inner in study.metrics:
                if inner.name in names:
                    yield from roots(study, inner)
        case _:
            yield metric


def seen_for(study: Study, row: Expected) -> list[str]:
    """The choices for which a row was used for fitting."""
    return [chosen.what for chosen in study.chosen if chosen.in_view(row.target, row.metric)]


def marks_of(row: Expected) -> list[str]:
    """The properties of the published number: that it is not printed, or printed wrong."""
    return [name for name, said in (("derived", row.derived), ("corrected", row.corrected)) if said]
