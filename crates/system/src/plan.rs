//! What is to be built: every component with its parameters, in the order of the stations of the loop.

use sansim_fc::arbitrated_loop::{LoopModel, LoopParameters, Station};
use sansim_fcp::adapter::{AdapterParameters, UnitSizes};
use sansim_host::driver::DriverParameters;
use sansim_host::workload::WorkloadParameters;
use sansim_observe::observer::{Names, Role, StationName};
use sansim_scenario::Run;
use sansim_storage::drive::DriveParameters;

/// A whole system.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario.
    pub title: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// The loop.
    pub arbitrated_loop: LoopPlan,
    /// Sizes of the information units.
    pub sizes: UnitSizes,
    /// What stands behind each station, in the same order.
    pub nodes: Vec<NodePlan>,
    /// The sources of requests.
    pub workloads: Vec<WorkloadPlan>,
    /// How long it runs, and what of it is measured.
    pub run: Run,
}

impl Plan {
    /// The system as observers name it.
    pub fn names(&self) -> Names {
        let mut member = 0;
        let stations = self.nodes.iter().zip(&self.arbitrated_loop.stations).enumerate();
        Names {
            title: self.title.clone(),
            arbitrated_loop: self.arbitrated_loop.name.clone(),
            word: self.arbitrated_loop.parameters.word_time(),
            stations: stations
                .map(|(index, (node, station))| {
                    let goes_on = index > 0 && self.nodes[index - 1].name == node.name;
                    member = if goes_on { member + 1 } else { 0 };
                    let (role, name) = match node.kind {
                        NodeKind::Passive => (Role::Passive, format!("{}[{member}]", node.name)),
                        NodeKind::Host { .. } => (Role::Initiator, node.name.clone()),
                        NodeKind::Drive { .. } => (Role::Target, format!("{}[{member}]", node.name)),
                    };
                    StationName { name, al_pa: station.al_pa, role }
                })
                .collect(),
        }
    }
}

/// The loop and its ports.
#[derive(Clone, Debug)]
pub struct LoopPlan {
    /// Name of the loop in the scenario.
    pub name: String,
    /// What was said of it.
    pub parameters: LoopParameters,
    /// The ports in downstream order.
    pub stations: Vec<Station>,
    /// Which of the two equal loops.
    pub model: LoopModel,
}

/// A node: what stands behind a station.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Name of its group in the scenario.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// Kinds of nodes.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Only repeats.
    Passive,
    /// A host.
    Host {
        /// The adapter.
        adapter: AdapterParameters,
        /// Its driver.
        driver: DriverParameters,
    },
    /// A drive.
    Drive {
        /// The adapter.
        adapter: AdapterParameters,
        /// The drive.
        drive: DriveParameters,
    },
}

/// A workload and whom it joins.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// Its name in the scenario.
    pub name: String,
    /// Its place among the workloads where several act at one moment: the alphabetical one, for the order in which tables
    /// are written means nothing.
    pub rank: u16,
    /// Station of the host.
    pub from: usize,
    /// Stations of the drives.
    pub to: Vec<usize>,
    /// What was said of it.
    pub parameters: WorkloadParameters,
    /// Logical blocks of each of the drives.
    pub capacity_blocks: Vec<u64>,
}
