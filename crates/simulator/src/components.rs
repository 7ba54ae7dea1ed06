//! The use of components in the measured interval: the figures of their catalogues, for each component of the scenario.

use crate::simulation::Simulation;
use sansim_assembly::named::NamedValues;
use sansim_assembly::plan::{ResultComponent, SystemPlan};
use sansim_component::ComponentId;
use sansim_kernel::{TICKS_PER_NS, Total};
use sansim_schema::catalogue::{Figure, FigureDefinition, FigureUnit, GroupAggregation};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A component of the scenario in results.
#[derive(Clone, Debug)]
pub struct ComponentSummary {
    /// The word for the component's kind.
    pub kind: &'static str,
    /// The figures of the component by name. For a group the figures cover its members together; if several parts have a figure with the
    /// same name, the first counts.
    pub figures: Vec<(String, FigureValue)>,
}

/// A value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FigureValue {
    /// A number of things.
    Count(u64),
    /// A value of any other kind.
    Number(f64),
}

impl ComponentSummary {
    /// A figure by its name.
    pub fn figure_named(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, _)| known == name).map(|(_, value)| match *value {
            FigureValue::Count(count) => count as f64,
            FigureValue::Number(number) => number,
        })
    }
}

impl Serialize for ComponentSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.figures.len()))?;
        map.serialize_entry("kind", self.kind)?;
        for (name, value) in &self.figures {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Values of components that no meter measures, which are recorded before the components are dropped.
pub(crate) struct Constants {
    /// The figures of each component.
    figures: Vec<Vec<f64>>,
    /// The number of servers behind each meter of each component.
    capacities: Vec<Vec<u64>>,
}

impl Constants {
    pub fn of(plan: &SystemPlan, simulation: &Simulation<'_>) -> Self {
        let all = || simulation.look_at_all().zip(&plan.names.components);
        let figures = |catalogue: &sansim_schema::catalogue::Catalogue| 0..catalogue.figures.len();
        Self {
            figures: all()
                .map(|(c, name)| figures(name.catalogue).map(|f| c.constant_figure(f)).collect())
                .collect(),
            capacities: all()
                .map(|(c, name)| {
                    (0..name.catalogue.meters.len()).map(|meter| c.server_count(meter)).collect()
                })
                .collect(),
        }
    }
}

/// The figures of all components in an interval of `seconds`, from the increase of the meters in the
/// interval.
pub(crate) fn components(
    plan: &SystemPlan,
    constants: &Constants,
    metered: &[Total],
    seconds: f64,
) -> NamedValues<ComponentSummary> {
    let value = |component: ComponentId, number: usize, figure: &Figure| {
        let (index, first) = (component.index(), plan.board.first_meter[component.index()]);
        let share = |meter: usize| {
            let time = metered[first + meter].as_s_f64();
            let share = if seconds > 0.0 { time / seconds } else { 0.0 };
            share / constants.capacities[index][meter] as f64
        };
        match figure.of {
            FigureDefinition::Share(meter) => share(meter),
            FigureDefinition::GreatestShare(meters) => {
                meters.iter().map(|&meter| share(meter)).fold(0.0, f64::max)
            }
            FigureDefinition::Count(meter) => metered[first + meter].0 as f64,
            FigureDefinition::Ratio(these, of) | FigureDefinition::MeanTime(these, of) => {
                let unit = if matches!(figure.of, FigureDefinition::MeanTime(..)) {
                    TICKS_PER_NS as f64
                } else {
                    1.0
                };
                let of = metered[first + of].0 as f64;
                if of > 0.0 { metered[first + these].0 as f64 / unit / of } else { 0.0 }
            }
            FigureDefinition::Constant => constants.figures[index][number],
        }
    };
    let of = |group: &ResultComponent| {
        let mut summary = ComponentSummary { kind: group.kind, figures: Vec::new() };
        for members in &group.parts {
            let Some(first) = members.first() else { continue };
            for (number, figure) in plan.names.components[first.index()].catalogue.figures.iter().enumerate()
            {
                let values = members.iter().map(|&member| value(member, number, figure));
                add(&mut summary.figures, figure, &values.collect::<Vec<f64>>());
            }
        }
        if let Some(members) = group.members {
            summary.figures.push(("count".to_owned(), FigureValue::Count(members.into())));
        }
        (group.name.clone(), summary)
    };
    NamedValues(plan.groups.iter().map(of).collect())
}

/// Adds the value of a figure of a group, from the values of its members.
fn add(figures: &mut Vec<(String, FigureValue)>, figure: &Figure, values: &[f64]) {
    if figures.iter().any(|(name, _)| name == figure.name) {
        return;
    }
    let sum = values.iter().sum::<f64>();
    let mut push = |name: String, value: f64| {
        let count = figure.unit == FigureUnit::Count && value.fract() == 0.0;
        figures
            .push((name, if count { FigureValue::Count(value as u64) } else { FigureValue::Number(value) }));
    };
    push(
        figure.name.to_owned(),
        if figure.across == GroupAggregation::Sum { sum } else { sum / values.len() as f64 },
    );
    if figure.across == GroupAggregation::MeanAndRange {
        push(format!("{}_min", figure.name), values.iter().copied().fold(f64::INFINITY, f64::min));
        push(format!("{}_max", figure.name), values.iter().copied().fold(0.0, f64::max));
    }
}
