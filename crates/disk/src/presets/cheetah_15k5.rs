//! Seagate Cheetah 15K.5 (146 GB), by its data sheet: no parameters were extracted from a drive.
//!
//! Source: revolutions, average seeks and the size of the buffer from its data sheet; cylinders, zones, blocks and the mean number of
//! sectors per track from a published third-party model of the drive. Other values are assumptions, or *fitted to* these sources:
//!
//! * all zones have the same width, and their rates fall evenly from 125 to 73 MB/s, with the mean number of sectors; spare sectors are
//!   spread evenly;
//! * the skews are fitted to the sustained rate of 125 MB/s at the outside;
//! * the write settle is the difference of the average seeks of writes and reads, 4.0 and 3.5 ms;
//! * the seeks over one and over all cylinders, the head switch, and the segments of the buffer are assumed; overheads are zero.

use super::{AfterEither, PresetData, us, zones};
use crate::read_ahead::DriveReadAhead;
use crate::seek::{Seek, ThreePoint};
use sansim_kernel::Span;

/// The parameters of the drive Seagate Cheetah 15K.5.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 15_000,
        surfaces: 4,
        cylinders: 72_170,
        zones: zones(&[
            [0, 1256, 359, 359, 45103],
            [5155, 1216, 348, 348, 45103],
            [10310, 1176, 336, 336, 45103],
            [15465, 1136, 325, 325, 45103],
            [20620, 1096, 313, 313, 45103],
            [25775, 1056, 302, 302, 45103],
            [30930, 1016, 291, 291, 45103],
            [36085, 975, 279, 279, 45103],
            [41240, 935, 267, 267, 45103],
            [46395, 895, 256, 256, 45103],
            [51550, 855, 245, 245, 45103],
            [56705, 815, 233, 233, 45103],
            [61860, 775, 222, 222, 45103],
            [67015, 735, 210, 210, 45114],
        ]),
        seek: Seek::ThreePoint(ThreePoint { single: us(400), average: us(3_500), full: us(7_400) }),
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
