"""The points needed for an expected value, so that a part of a study can be run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sansim.study.measure.metrics import chosen, project
from sansim.study.model import Along, Expected, Formula, Metric, Places, Study


def quick_places(study: Study) -> set[Places]:
    """The points that the rows marked `quick` need."""
    return {place for row in study.expected if row.quick for place in needed(study, row)}


def needed(study: Study, row: Expected) -> set[Places]:
    """The points that a row needs."""
    metric = study.metric(row.metric)
    places = study.places(study.groups_of(metric), row.at)
    return {point for place in places for point in points_behind(study, metric, place)}


def points_behind(study: Study, metric: Metric, places: Places) -> set[Places]:
    """The points that a value of a metric rests on."""
    groups = study.groups_of(metric)
    match metric.rule:
        case Along(of=of, axis=axis) as rule:
            inner = study.metric(of)
            gone, full = study.group_of(axis), study.groups_of(inner)
            lines = [
                tuple(index if group == gone else places[groups.index(group)] for group in full)
                for index in chosen(study.axis(axis), rule)
            ]
            return {point for line in lines for point in points_behind(study, inner, line)}
        case Formula(names=names):
            parts = [other for other in study.metrics if other.name in names]
            behind = [points_behind(study, part, project(places, groups, study.groups_of(part))) for part in parts]
            return set().union(*behind) if behind else one_of(study, places, groups)
    return {places}


def one_of(study: Study, places: Places, groups: Sequence[int]) -> set[Places]:
    """A point that agrees with a place on some groups; any will do for what rests on no run."""
    ranges = [[places[groups.index(group)]] if group in groups else [0] for group in range(len(study.groups))]
    return set(itertools.product(*ranges))
