//! Seagate Cheetah 15K.7 (600 GB), by its data sheet: no parameters were extracted from a drive.
//!
//! Source: revolutions and 122 to 204 MB/s sustained from its manual; average seeks of 3.4 ms for reads and 3.9 ms for writes and a buffer
//! of 16 MiB as third parties quote them. Other values are assumptions, or *fitted to* these sources:
//!
//! * eight surfaces, and the blocks that drives of 600 GB have; the cylinders are fitted to both;
//! * all zones have the same width, their sectors fall evenly, and the first and the last are fitted to the sustained rates with the time
//!   from track to track of the [15K.5](super::cheetah_15k5); spare sectors are spread evenly;
//! * the write settle is the difference of the average seeks;
//! * the seeks over one and over all cylinders, the head switch and the segments of the buffer are those of the 15K.5, where they are
//!   assumed; overheads are zero.

use super::{AfterEither, PresetData, us, zones};
use crate::read_ahead::DriveReadAhead;
use crate::seek::{Seek, ThreePoint};
use sansim_kernel::Span;

/// The parameters of the drive Seagate Cheetah 15K.7.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 15_000,
        surfaces: 8,
        cylinders: 89_488,
        zones: zones(&[
            [0, 2049, 586, 586, 8435],
            [6392, 1986, 568, 568, 8435],
            [12784, 1923, 550, 550, 8435],
            [19176, 1859, 531, 531, 8435],
            [25568, 1796, 513, 513, 8435],
            [31960, 1732, 495, 495, 8435],
            [38352, 1669, 477, 477, 8435],
            [44744, 1606, 459, 459, 8435],
            [51136, 1542, 441, 441, 8435],
            [57528, 1479, 423, 423, 8435],
            [63920, 1416, 405, 405, 8435],
            [70312, 1352, 386, 386, 8435],
            [76704, 1289, 368, 368, 8435],
            [83096, 1226, 350, 350, 8441],
        ]),
        seek: Seek::ThreePoint(ThreePoint { single: us(400), average: us(3_400), full: us(7_400) }),
        head_switch: us(1_000),
        write_settle: us(500),
        zero_latency: true,
        read_overhead: AfterEither::same(Span::ZERO),
        hit_overhead: AfterEither::same(Span::ZERO),
        write_overhead: AfterEither::same(Span::ZERO),
        write_hit_overhead: AfterEither::same(Span::ZERO),
        block_transfer: Span::ZERO,
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(false),
        segments: 32,
        segment_blocks: 1_024,
        write_segments: 8,
        read_over: false,
    }
}
