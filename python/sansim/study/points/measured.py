"""Every metric of a study at all its points, from the results of the runs."""

from __future__ import annotations

from collections.abc import Callable

from sansim.study.measure.metrics import Cell, Measured, Results, by_axis, by_formula, cell_of, setting_in_unit
from sansim.study.model import Along, Formula, Places, Setting
from sansim.study.points.plan import Plan
from sansim.study.resolved import setting_of


def measure(plan: Plan, result_of: Callable[[str], Results | None]) -> dict[str, Measured]:
    """Every metric of a study, by name.

    Args:
        plan: The points and their jobs.
        result_of: The result of a job by its key; None if there is none.
    """
    study = plan.study
    found: dict[str, Measured] = {}
    direct: dict[str, dict[Places, Cell]] = {
        metric.name: {} for metric in study.metrics if not isinstance(metric.rule, Formula | Along)
    }
    for places, jobs in plan.jobs.items():
        runs = [result_of(job.key) for job in jobs]
        for name, cells in direct.items():
            metric = study.metric(name)
            if isinstance(metric.rule, Setting):
                key = metric.rule.key
                cells[places] = Cell(tuple(setting_in_unit(setting_of(job.scenario, key), metric.unit) for job in jobs))
            else:
                cells[places] = cell_of(metric, runs, study, places)
    for metric in study.metrics:
        match metric.rule:
            case Formula():
                found[metric.name] = by_formula(study, metric, metric.rule, found)
            case Along():
                found[metric.name] = by_axis(study, metric, metric.rule, found)
            case _:
                found[metric.name] = Measured(metric, study.every_group, direct[metric.name])
    return found
