//! The parts that a simulation is built of.

use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fcp::adapter::AdapterParameters;
use sansim_host::driver::DriverParameters;
use sansim_host::path::PathParameters;
use sansim_host::workload::WorkloadParameters;
use sansim_storage::controller::ControllerParameters;
use sansim_storage::drive::DriveParameters;
use sansim_storage::mirror::MirrorParameters;

/// What is built, one component of the simulation each, with all that was said of it.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a few thousand of them are made once, when a system is built")]
pub enum Part {
    /// A loop with its ports.
    ArbitratedLoop(LoopParameters),
    /// The driver of a host, and how it chooses among several ways.
    Host(DriverParameters, PathParameters),
    /// An adapter that sends commands.
    Initiator(AdapterParameters),
    /// An adapter that receives commands.
    Target(AdapterParameters),
    /// A drive.
    Drive(DriveParameters),
    /// A source of requests.
    Workload(WorkloadParameters),
    /// A storage controller, and how it chooses among several ways.
    Controller(ControllerParameters, PathParameters),
    /// Several drives with the same data.
    Mirror(MirrorParameters),
}

impl Part {
    /// What a network was told of itself; none for what is no network.
    pub fn network(&self) -> Option<&LoopParameters> {
        match self {
            Part::ArbitratedLoop(parameters) => Some(parameters),
            _ => None,
        }
    }

    /// Most bytes of data in a frame that it sends or asks for; none for what sends no frames.
    pub fn max_payload(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.max_payload),
            _ => None,
        }
    }
}
