//! The plan of a simulation: the graph of a scenario, with every number that a run needs.

use sansim_component::NetworkModel;
use sansim_component::{ComponentId, ComponentSite, PortRef};
use sansim_fcp::adapter::UnitSizes;
use sansim_observe::names::SystemNames;
use sansim_scenario::{Graph, RunSettings};

use crate::board::MeasurementBoard;
use crate::network;

/// The plan of a whole system.
#[derive(Clone, Debug)]
pub struct SystemPlan {
    /// The name of the scenario.
    pub title: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The loop model; both give equal results.
    pub model: NetworkModel,
    /// The sizes of the information units of FCP.
    pub sizes: UnitSizes,
    /// The parts that are built, and the links between them; the number of a component is that of its part.
    pub graph: Graph,
    /// The length of the run, and the measured part of it.
    pub run: RunSettings,
    /// The names of the components of the scenario, by which random streams are drawn.
    pub components: Vec<String>,
    /// The components that results report together, in the order of the scenario, without the workloads.
    pub groups: Vec<ResultComponent>,
    /// The site of each component.
    pub sites: Vec<ComponentSite>,
    /// The peer of each port of each component.
    pub peers: Vec<Option<PortRef>>,
    /// Requests in flight at a time, including those that wait in hosts; an open workload, whose number is unknown, counts as one.
    pub slots: u64,
    /// Whether there are open workloads.
    pub has_open_loads: bool,
    /// The gauges and meters read at each place.
    pub board: MeasurementBoard,
    /// The system as observers name it.
    pub names: SystemNames,
}

/// A component of the scenario that results report on.
#[derive(Clone, Debug)]
pub struct ResultComponent {
    /// The name of the component in the scenario.
    pub name: String,
    /// The word for the component's kind.
    pub kind: &'static str,
    /// The number of members of the component, if it is a group.
    pub members: Option<u32>,
    /// The components that are built for each of its parts, in the order of their figures.
    pub parts: Vec<Vec<ComponentId>>,
}

impl SystemPlan {
    /// The payloads of the units without data of the adapters among these parts, which speak one protocol; those of FCP if there are none.
    pub fn unit_sizes(&self, parts: impl IntoIterator<Item = usize>) -> UnitSizes {
        let of = |part: usize| {
            let transport = network::of_part(&self.graph, part)?.transport();
            self.graph.parts[part].part.unit_sizes(transport, self.sizes)
        };
        parts.into_iter().find_map(of).unwrap_or(self.sizes)
    }

    /// The system as observers name it.
    pub fn observer_names(&self) -> SystemNames {
        self.names.clone()
    }

    /// Whether the system has a loop with two equal models: one that simulates each word, and a faster one.
    pub fn has_two_loop_models(&self) -> bool {
        self.graph.parts.iter().any(|inside| inside.part.has_two_loop_models())
    }
}
