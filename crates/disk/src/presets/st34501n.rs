//! Seagate ST34501N (Cheetah 4LP, 4.5 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 8887200 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive Seagate ST34501N.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 10_033,
        surfaces: 8,
        cylinders: 6_581,
        zones: zones(&[
            [0, 195, 22, 37, 15934],
            [1345, 187, 22, 35, 12554],
            [2450, 176, 20, 33, 11687],
            [3543, 166, 19, 31, 8724],
            [4408, 155, 18, 29, 7694],
            [5225, 145, 17, 27, 6457],
            [5958, 131, 15, 25, 4958],
        ]),
        seek: measured(&[
            (1, 636),
            (2, 1146),
            (5, 1285),
            (10, 1416),
            (20, 1679),
            (40, 2070),
            (80, 2459),
            (125, 3111),
            (150, 3627),
            (225, 3875),
            (350, 4135),
            (500, 4414),
            (700, 5056),
            (1000, 5838),
            (1300, 6606),
            (1700, 7269),
            (2100, 8050),
            (2700, 9082),
            (3300, 10254),
            (4000, 11429),
            (4700, 12723),
            (5400, 13904),
            (6000, 15060),
            (6580, 16107),
        ]),
        head_switch: us(195),
        write_settle: us(0),
        zero_latency: false,
        read_overhead: AfterEither::ns(607_730, 568_830),
        hit_overhead: AfterEither::ns(68_000, 309_000),
        write_overhead: AfterEither::ns(431_330, 537_760),
        write_hit_overhead: AfterEither::ns(474_000, 95_000),
        block_transfer: us(106),
        read_ahead: DriveReadAhead::Segment,
        write_behind: None,
        segments: 3,
        segment_blocks: 282,
        write_segments: 1,
        read_over: true,
    }
}
