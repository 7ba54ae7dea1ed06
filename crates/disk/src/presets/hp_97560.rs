//! HP 97560 (1.3 GB), the drive with which the modelling of disks began.
//!
//! Source: Ruemmler, Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), 1994, as in the DiskSim 2.0 manual. The HP
//! 97560 has one zone. The overhead of the controller applies to every command. No write settle is published for the drive, so it is zero
//! here. The source does not describe the buffer: without `segments` and `segment_blocks` in the scenario the drive has none.

use super::{AfterEither, PresetData, us, zones};
use crate::read_ahead::DriveReadAhead;
use crate::seek::{Seek, SquareRoot};
use sansim_kernel::Span;

/// The parameters of the drive HP 97560.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 4_002,
        surfaces: 19,
        cylinders: 1_962,
        zones: zones(&[[0, 72, 8, 18, 0]]),
        seek: Seek::SquareRoot(SquareRoot {
            boundary: 383,
            near: [us(3_240), us(400)],
            far: [us(8_000), us(8)],
            single: None,
        }),
        head_switch: us(1_600),
        write_settle: Span::ZERO,
        zero_latency: false,
        read_overhead: AfterEither::same(us(2_200)),
        hit_overhead: AfterEither::same(us(2_200)),
        write_overhead: AfterEither::same(us(2_200)),
        write_hit_overhead: AfterEither::same(us(2_200)),
        block_transfer: Span::ZERO,
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(false),
        segments: 0,
        segment_blocks: 1,
        write_segments: 0,
        read_over: false,
    }
}
