//! IBM DNES-309170W (Ultrastar 18ES, 9.1 GB).
//!
//! Source: parameters extracted from a drive and validated with it, DiskSim 2.01.016 `valid/`, Carnegie Mellon University. Sectors without
//! data (spare sectors, and cylinders between zones) are spread over all zones alike, so that 17916240 blocks remain. A selection of the
//! measured seeks is used, so that the curve never falls. Neighbouring zones with equal tracks are merged.

use super::{AfterEither, PresetData, measured, us, zones};
use crate::read_ahead::DriveReadAhead;

/// The parameters of the drive IBM DNES-309170W.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 7_200,
        surfaces: 5,
        cylinders: 11_474,
        zones: zones(&[
            [0, 390, 58, 101, 7690],
            [378, 374, 56, 97, 17286],
            [1264, 364, 54, 94, 18685],
            [2248, 351, 52, 92, 22320],
            [3467, 338, 51, 88, 18285],
            [4504, 325, 49, 84, 17344],
            [5527, 312, 46, 81, 24707],
            [7045, 286, 43, 74, 25617],
            [8762, 273, 41, 71, 15010],
            [9816, 260, 39, 67, 11759],
            [10683, 247, 37, 63, 10192],
        ]),
        seek: measured(&[
            (1, 1086),
            (2, 1477),
            (5, 1625),
            (10, 1749),
            (16, 1894),
            (25, 2221),
            (40, 2366),
            (80, 2598),
            (125, 2860),
            (175, 3645),
            (250, 3929),
            (350, 4143),
            (475, 4210),
            (600, 4451),
            (1000, 4958),
            (1500, 5470),
            (2000, 5895),
            (2500, 6516),
            (3000, 7078),
            (3500, 7643),
            (4000, 7722),
            (4500, 7971),
            (5100, 8126),
            (5500, 8762),
            (6000, 9067),
            (6600, 9596),
            (7200, 9849),
            (7800, 10294),
            (8500, 10745),
            (9200, 11257),
            (10000, 11813),
            (10800, 12388),
            (11377, 12853),
        ]),
        head_switch: us(62),
        write_settle: us(126),
        zero_latency: false,
        read_overhead: AfterEither::ns(252_290, 423_860),
        hit_overhead: AfterEither::ns(82_000, 121_000),
        write_overhead: AfterEither::ns(493_860, 793_290),
        write_hit_overhead: AfterEither::ns(83_000, 185_200),
        block_transfer: us(101),
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(true),
        segments: 7,
        segment_blocks: 511,
        write_segments: 1,
        read_over: false,
    }
}
