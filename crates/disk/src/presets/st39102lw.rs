//! Seagate ST39102LW (Cheetah 9LP, 9.1 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 17783240 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive Seagate ST39102LW.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 10_045,
        surfaces: 12,
        cylinders: 6_962,
        zones: zones(&[
            [0, 254, 97, 133, 23964],
            [848, 245, 97, 133, 21725],
            [1645, 238, 97, 117, 19833],
            [2394, 227, 97, 116, 17780],
            [3098, 217, 97, 108, 15958],
            [3759, 209, 97, 108, 14463],
            [4381, 201, 97, 108, 13082],
            [4966, 189, 88, 94, 11565],
            [5516, 181, 88, 93, 10391],
            [6032, 174, 88, 93, 9408],
            [6518, 167, 88, 80, 8251],
        ]),
        seek: measured(&[
            (1, 831),
            (2, 1003),
            (4, 1092),
            (5, 1265),
            (7, 1271),
            (8, 1436),
            (16, 1453),
            (25, 1625),
            (100, 2145),
            (150, 2259),
            (175, 2510),
            (225, 2519),
            (400, 3032),
            (475, 3101),
            (500, 3230),
            (900, 3995),
            (1200, 4397),
            (1300, 4427),
            (1500, 4757),
            (1800, 4993),
            (1900, 5190),
            (2200, 5541),
            (2500, 5815),
            (2700, 6082),
            (3100, 6423),
            (3200, 6665),
            (3800, 7164),
            (4600, 8087),
            (4900, 8311),
            (5400, 8974),
            (5500, 8974),
            (5800, 9296),
            (6000, 9698),
            (6100, 9702),
            (6300, 9878),
            (6894, 10627),
        ]),
        head_switch: us(30),
        write_settle: us(461),
        zero_latency: false,
        read_overhead: AfterEither::ns(283_620, 86_730),
        hit_overhead: AfterEither::ns(66_000, 273_000),
        write_overhead: AfterEither::ns(906_920, 896_400),
        write_hit_overhead: AfterEither::ns(748_000, 500_000),
        block_transfer: us(105),
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(true),
        segments: 3,
        segment_blocks: 561,
        write_segments: 3,
        read_over: true,
    }
}
