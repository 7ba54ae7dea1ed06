//! Quantum Atlas III (9.1 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 17783250 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive Quantum Atlas III.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 7_200,
        surfaces: 10,
        cylinders: 8_057,
        zones: zones(&[
            [0, 256, 75, 86, 12558],
            [616, 252, 74, 85, 24242],
            [1824, 240, 71, 81, 29662],
            [3376, 238, 70, 81, 14556],
            [4144, 224, 65, 75, 18837],
            [5200, 208, 61, 71, 12853],
            [5976, 196, 57, 67, 9490],
            [6584, 182, 53, 62, 11015],
            [7344, 168, 49, 57, 9537],
        ]),
        seek: measured(&[
            (1, 1663),
            (5, 1985),
            (10, 2346),
            (20, 2546),
            (30, 2954),
            (60, 3255),
            (100, 3523),
            (200, 3922),
            (300, 4298),
            (400, 4792),
            (500, 5095),
            (700, 5574),
            (1000, 6094),
            (1300, 6611),
            (1700, 7197),
            (2000, 7645),
            (2400, 8091),
            (2800, 8677),
            (3300, 9274),
            (3900, 10165),
            (4500, 10881),
            (5100, 11653),
            (5800, 12644),
            (6500, 13447),
            (7200, 14336),
            (7998, 15360),
        ]),
        head_switch: us(999),
        write_settle: us(0),
        zero_latency: false,
        read_overhead: AfterEither::ns(0, 0),
        hit_overhead: AfterEither::ns(374_000, 335_000),
        write_overhead: AfterEither::ns(478_280, 500_200),
        write_hit_overhead: AfterEither::ns(414_000, 396_000),
        block_transfer: us(106),
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(true),
        segments: 6,
        segment_blocks: 64,
        write_segments: 1,
        read_over: false,
    }
}
