//! What is to be built: the graph of a scenario, with every number that a run needs of it.

use sansim_component::NetworkModel;
use sansim_component::{ComponentId, PortRef, Site};
use sansim_fcp::adapter::UnitSizes;
use sansim_observe::names::SystemNames;
use sansim_scenario::{Graph, RunSettings};

use crate::board::Board;

/// A whole system.
#[derive(Clone, Debug)]
pub struct SystemPlan {
    /// Name of the scenario.
    pub title: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// Which of the two equal loops.
    pub model: NetworkModel,
    /// Sizes of the information units.
    pub sizes: UnitSizes,
    /// The parts that are built, and how they are joined; component numbers are those of its parts.
    pub graph: Graph,
    /// How long it runs, and what of it is measured.
    pub run: RunSettings,
    /// The names of the components of the scenario, by which random streams are drawn.
    pub components: Vec<String>,
    /// What results are told of together, in the order of the scenario: its components but for the workloads.
    pub groups: Vec<Group>,
    /// Where each component stands.
    pub sites: Vec<Site>,
    /// What is joined to each port of each component.
    pub peers: Vec<Option<PortRef>>,
    /// Requests that are under way at a time, those that wait in hosts included; of open workloads nobody knows, and one counts.
    pub slots: u64,
    /// Whether there are open workloads.
    pub has_open_loads: bool,
    /// Which gauges and meters are read where.
    pub board: Board,
    /// The system as observers name it.
    pub names: SystemNames,
}

/// A component of the scenario, of which results are told.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name in the scenario.
    pub name: String,
    /// The word for its kind.
    pub kind: &'static str,
    /// How many members it has, if it has a number of them.
    pub members: Option<u32>,
    /// What each of its parts consists of: the components that are built for it, in the order in which their figures come.
    pub parts: Vec<Vec<ComponentId>>,
}

impl SystemPlan {
    /// The system as observers name it.
    pub fn names(&self) -> SystemNames {
        self.names.clone()
    }

    /// Whether there is a loop of which there are two equal models: one to the word, or of ports at a loop switch.
    pub fn has_loops(&self) -> bool {
        self.graph.parts.iter().any(|inside| inside.part.has_two_models())
    }
}
