//! What is to be seen of a bus.

use sansim_component::bus::segment;
use sansim_describe::catalogue::{Across, Catalogue, Figure, Gauge, Meter, Of, Segment, Unit};

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const BYTES: usize = 1;
    pub const TRANSACTIONS: usize = 2;
}

/// What is to be seen of a bus. While it is at work for a request, that is in the DMA of its adapter, so it has no block of its own.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait(
        "bus_queue",
        "bus queue",
        "In the DMA of an adapter, waiting for the bus, which others have.",
    )],
    provides: segment::QUEUE,
    lanes: &[],
    blocks: &[],
    gauges: &[Gauge { name: "bus_queue", label: "bus queue", meaning: "Transfers that wait for the bus." }],
    stocks: &[],
    meters: &[Meter { sampled: Some("bus") }, Meter { sampled: None }, Meter { sampled: None }],
    figures: &[
        Figure {
            name: "utilisation",
            unit: Unit::Share,
            label: "utilisation",
            meaning: "Share of the time in which the bus was taken, be it for data or for overhead; of two directions the mean.",
            of: Of::Share(meter::BUSY),
            across: Across::Mean,
        },
        Figure {
            name: "moved_bytes",
            unit: Unit::Bytes,
            label: "moved",
            meaning: "Bytes that the bus moved for adapters: data and request packages.",
            of: Of::Count(meter::BYTES),
            across: Across::Sum,
        },
        Figure {
            name: "transactions",
            unit: Unit::Count,
            label: "transactions",
            meaning: "Transactions begun: one for each chunk, and one more whenever a chunk had to give way to another card.",
            of: Of::Count(meter::TRANSACTIONS),
            across: Across::Sum,
        },
    ],
};
