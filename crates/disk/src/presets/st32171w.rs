//! Seagate ST32171W (Barracuda 4, 2.1 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 4110000 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive Seagate ST32171W.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 7_200,
        surfaces: 5,
        cylinders: 5_172,
        zones: zones(&[
            [0, 186, 37, 52, 46695],
            [1129, 185, 37, 52, 50393],
            [2354, 177, 35, 49, 16098],
            [2763, 170, 34, 47, 12739],
            [3100, 163, 32, 46, 10475],
            [3389, 157, 31, 44, 10927],
            [3702, 148, 29, 41, 10301],
            [4015, 141, 28, 39, 9814],
            [4328, 135, 27, 38, 8676],
            [4617, 126, 25, 35, 8770],
            [4930, 119, 23, 33, 6402],
        ]),
        seek: measured(&[
            (1, 1943),
            (4, 2175),
            (8, 2326),
            (14, 2549),
            (25, 2556),
            (30, 3549),
            (50, 3768),
            (100, 4158),
            (150, 4729),
            (200, 5307),
            (300, 5523),
            (400, 5711),
            (600, 6333),
            (800, 7322),
            (1000, 8114),
            (1200, 8702),
            (1500, 9117),
            (1800, 9888),
            (2200, 10851),
            (2600, 11658),
            (3000, 12471),
            (3500, 13447),
            (4000, 14615),
            (4500, 15623),
            (4986, 16679),
        ]),
        head_switch: us(100),
        write_settle: us(0),
        zero_latency: false,
        read_overhead: AfterEither::ns(613_070, 568_130),
        hit_overhead: AfterEither::ns(82_000, 596_000),
        write_overhead: AfterEither::ns(1_053_630, 815_600),
        write_hit_overhead: AfterEither::ns(1_010_000, 929_100),
        block_transfer: us(134),
        read_ahead: DriveReadAhead::Segment,
        write_behind: None,
        segments: 3,
        segment_blocks: 281,
        write_segments: 1,
        read_over: true,
    }
}
