//! The form of a scenario: settings, components by name, events, and the graph of the components.

use sansim_fcp::adapter::UnitSizes;
use sansim_registry::KindParameters;
use sansim_schema::table::NamedValue;

use crate::event::ScenarioEvent;
use crate::graph::Graph;
use crate::run::RunSettings;

/// A complete scenario, from which a simulation can be built. A scenario is free of contradictions: it can only be made by parsing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The title of the scenario, in one line.
    pub title: String,
    /// The description of the scenario.
    pub description: String,
    /// The length of the run, and the measured part of it.
    pub run: RunSettings,
    /// Sizes of the information units.
    pub fcp: UnitSizes,
    /// The components by category ([`sansim_registry::ComponentCategory`]), within each category in the order of the file.
    pub components: Vec<NamedValue<KindParameters>>,
    /// The events from outside, by time, simultaneous ones in the order of the file.
    pub events: Vec<ScenarioEvent>,
    /// The graph of the components.
    pub graph: Graph,
}

impl Scenario {
    /// The number of members of a component, by its index: 1 for a single component.
    pub fn member_count(&self, component: usize) -> u32 {
        let group = self.graph.places.iter().find(|place| place.component == component);
        let of_table = || self.components[component].kind_behaviour().members().unwrap_or(1);
        group.map_or_else(of_table, |group| group.members)
    }

    /// The component with this name.
    pub fn component_named(&self, name: &str) -> Option<&KindParameters> {
        self.components.iter().find(|component| component.name == name).map(|component| &component.described)
    }
}
