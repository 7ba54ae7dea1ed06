//! The order of what happens at one moment. It follows the scenario and never depends on when an event was scheduled.
//!
//! * First by priority: what arrives on the loop, then ends of frames, then what nodes and workloads do, then what ports
//!   decide in the slot ([`LoopEvent::order`](sansim_fc::arbitrated_loop::LoopEvent::order)).
//! * Then by rank: the stations as they stand on the loop, behind them the workloads by name.
//! * Then by unit: at a node its driver, the blocks of its adapter in the order of [`AdapterBlock`], its drive by command; of a
//!   workload the slots by number.
//!
//! No two different events are equal in all of it.

use sansim_fc::arbitrated_loop::NODE_PRIORITY;
use sansim_fcp::adapter::AdapterBlock;
use sansim_kernel::Order;

/// The rank of a station: its place on the loop.
pub(super) fn rank_of_station(station: u8) -> u16 {
    u16::from(station)
}

/// The first rank of a workload, behind all stations.
const FIRST_WORKLOAD: u16 = 1 << 8;

/// When a slot of a workload issues, among what happens at the same moment.
pub(super) fn order_of_slot(rank: u16, slot: u32) -> Order {
    Order { priority: NODE_PRIORITY, rank: FIRST_WORKLOAD + rank, unit: slot }
}

/// What at a node waits for a moment.
#[derive(Clone, Copy)]
pub(super) enum Timer {
    DriverArrival,
    DriverCompletion,
    Adapter(AdapterBlock),
    /// A command in work at the drive, by the number of its exchange.
    Drive(u32),
}

impl Timer {
    /// The first unit of a drive's commands, behind driver and adapter.
    const FIRST_COMMAND: u32 = 1 << 4;

    /// Its order at this station.
    pub fn order(self, station: u8) -> Order {
        let unit = match self {
            Timer::DriverArrival => 0,
            Timer::DriverCompletion => 1,
            Timer::Adapter(block) => 2 + block as u32,
            // Numbers of exchanges are used again, so there are as many as I/Os under way: never more than units, but for
            // several workloads that each have millions of slots.
            Timer::Drive(tag) => Timer::FIRST_COMMAND + tag % (Order::UNITS - Timer::FIRST_COMMAND),
        };
        Order { priority: NODE_PRIORITY, rank: rank_of_station(station), unit }
    }
}
