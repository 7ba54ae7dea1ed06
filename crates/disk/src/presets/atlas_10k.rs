//! Quantum Atlas 10K (9.1 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 17938986 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls. Neighbouring zones with equal tracks and skews are merged. The drive numbers
//! blocks over its surfaces in alternating directions; this model always goes from the first surface to the last.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive Quantum Atlas 10K.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 10_025,
        surfaces: 6,
        cylinders: 10_042,
        zones: zones(&[
            [0, 334, 63, 113, 4236],
            [1265, 324, 63, 101, 5431],
            [2937, 324, 61, 98, 5431],
            [4609, 306, 58, 98, 2577],
            [5449, 302, 57, 92, 1259],
            [5865, 293, 56, 91, 1222],
            [6281, 288, 55, 91, 1224],
            [6705, 288, 55, 88, 1201],
            [7121, 280, 54, 88, 1168],
            [7537, 270, 51, 87, 1126],
            [7953, 262, 51, 83, 1114],
            [8377, 255, 48, 83, 1063],
            [8793, 246, 47, 75, 1026],
            [9209, 237, 45, 75, 988],
            [9625, 229, 44, 75, 958],
        ]),
        seek: measured(&[
            (1, 1245),
            (4, 1378),
            (8, 1506),
            (20, 1620),
            (35, 1804),
            (50, 1863),
            (100, 2011),
            (175, 2380),
            (250, 2858),
            (350, 2987),
            (500, 3208),
            (800, 3321),
            (900, 3516),
            (1100, 3892),
            (1500, 4198),
            (2000, 4842),
            (2500, 5224),
            (3000, 5468),
            (3600, 5809),
            (4200, 6257),
            (4900, 6816),
            (5600, 7221),
            (6300, 7744),
            (7000, 8205),
            (7700, 8714),
            (8400, 9213),
            (9200, 9807),
            (10021, 10828),
        ]),
        head_switch: us(176),
        write_settle: us(487),
        zero_latency: true,
        read_overhead: AfterEither::ns(0, 0),
        hit_overhead: AfterEither::ns(184_000, 184_000),
        write_overhead: AfterEither::ns(344_920, 496_730),
        write_hit_overhead: AfterEither::ns(186_000, 189_000),
        block_transfer: us(99),
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(true),
        segments: 10,
        segment_blocks: 374,
        write_segments: 1,
        read_over: false,
    }
}
