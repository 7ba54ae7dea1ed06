//! The catalogue of a bus: its segments, blocks, gauges, meters and figures.

use sansim_component::bus::segment;
use sansim_schema::catalogue::{Catalogue, Figure, Gauge, Meter, MoveKind, Segment, move_colour as colour};

/// Meters, by their numbers in the catalogue.
pub(super) mod meter {
    pub const BUSY: usize = 0;
    pub const BYTES: usize = 1;
    pub const TRANSACTIONS: usize = 2;
}

/// The segments, blocks, gauges, meters and figures of a bus. The bus has no block of its own, because its work for a request counts as the
/// DMA of the adapter.
pub(super) const CATALOGUE: Catalogue = Catalogue {
    segments: &[Segment::wait(
        "bus_queue",
        "bus queue",
        "In the DMA of an adapter, waiting while the bus serves other adapters.",
    )],
    provides: segment::QUEUE,
    gauges: &[Gauge::new("bus_queue", "bus queue", "Transfers that wait for the bus.")],
    moves: &[
        MoveKind::unit("into memory", "A card writes to memory.", colour::DATA),
        MoveKind::unit("out of memory", "A card reads from memory.", colour::COMMAND),
    ],
    meters: &Meter::list::<3>(&[(meter::BUSY, "bus")]),
    figures: &[
        Figure::share(
            "utilisation",
            "utilisation",
            "Share of the time in which the bus was busy with data or overhead; of two directions the mean.",
            meter::BUSY,
        ),
        Figure::bytes(
            "moved_bytes",
            "moved",
            "Bytes that the bus moved for adapters: data and request packages.",
            meter::BYTES,
        ),
        Figure::sum(
            "transactions",
            "transactions",
            "Transactions begun: one for each chunk, and one more after each preemption by another card.",
            meter::TRANSACTIONS,
        ),
    ],
    ..Catalogue::EMPTY
};
