//! Seagate Barracuda 9 FC ST19171FC (9.1 GB), by figures of its class: no parameters were extracted from a drive.
//!
//! Source: revolutions, about 5,300 cylinders and 20 heads, average seeks of 8.8 ms for reads and 9.8 ms for writes, and a buffer of 512
//! KiB with several segments are from its data sheet as quoted by third parties; 80 Mbit/s at the inside is from its product manual, 124
//! Mbit/s at the outside from reports. The sustained rate of 11.2 MB/s at the outside was measured (Ruwart 1999). Other values are
//! assumptions, or *fitted to* these sources:
//!
//! * the blocks are those of the other drives of 9.1 GB; all zones have the same width, and their sectors fall evenly by the ratio of the
//!   two media rates, with the mean number that this capacity needs: 81 % of the media rate is then data at either end; spare sectors are
//!   spread evenly;
//! * seeks over one and over all cylinders, the number of segments, how many may hold written data, and that read-ahead may overwrite
//!   requested blocks, are those of its sister ST32171W;
//! * the head switch and with it the track skew are fitted to the sustained rate; the cylinder skew covers the seek over one cylinder;
//! * the write settle is the difference of the average seeks; overheads are zero.

use super::{AfterEither, PresetData, us, zones};
use crate::read_ahead::DriveReadAhead;
use crate::seek::{Seek, ThreePoint};
use sansim_kernel::Span;

/// The parameters of the drive Seagate ST19171FC.
pub(super) fn data() -> PresetData {
    PresetData {
        rpm: 7_200,
        surfaces: 20,
        cylinders: 5_300,
        zones: zones(&[
            [0, 204, 23, 48, 2476],
            [530, 196, 22, 46, 2476],
            [1060, 188, 21, 44, 2476],
            [1590, 180, 20, 42, 2476],
            [2120, 172, 19, 41, 2476],
            [2650, 164, 18, 39, 2476],
            [3180, 156, 17, 37, 2476],
            [3710, 148, 16, 35, 2476],
            [4240, 140, 16, 33, 2476],
            [4770, 132, 15, 31, 2476],
        ]),
        seek: Seek::ThreePoint(ThreePoint { single: us(1_943), average: us(8_800), full: us(16_679) }),
        head_switch: us(900),
        write_settle: us(1_000),
        zero_latency: false,
        read_overhead: AfterEither::same(Span::ZERO),
        hit_overhead: AfterEither::same(Span::ZERO),
        write_overhead: AfterEither::same(Span::ZERO),
        write_hit_overhead: AfterEither::same(Span::ZERO),
        block_transfer: Span::ZERO,
        read_ahead: DriveReadAhead::Segment,
        write_behind: Some(false),
        segments: 3,
        segment_blocks: 341,
        write_segments: 1,
        read_over: true,
    }
}
